"""A report over all users that exposes nobody: groups of a minimum size, bounded contributions, optional noise.

Every user is in exactly one row of a report, and every row has at least the minimum number of users. Rows do not
overlap, so any total, and any difference of totals, is a sum over whole rows: none of them is about fewer users.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from uac.errors import Refused
from uac.schema.types import Json

__all__ = [
    "LEAST_MINIMUM",
    "Aggregate",
    "AggregateKind",
    "Contribution",
    "Report",
    "ReportRow",
    "aggregate",
    "check_aggregate",
    "contribution",
    "laplace_noise",
]

AggregateKind = Literal["count", "sum", "mean"]

LEAST_MINIMUM = 5
"""No report has smaller groups, whoever asks."""

MAX_GROUP = 200  # characters of a group's name

ALL = "all"
NO_ANSWER = "no answer"
OTHER = "other"


class Aggregate(NamedTuple):
    """What is reported: how many users, or the sum or mean of a number of theirs, by group.

    `bounds` limit what one user can add to a sum. `epsilon` asks for noise, which is greater for a smaller one.
    """

    kind: AggregateKind
    minimum: int = 10
    bounds: tuple[float, float] | None = None
    epsilon: float | None = None


class Contribution(NamedTuple):
    """What one user adds: one group and, for sums and means, one number within the bounds."""

    group: str
    number: float = 0.0
    is_answer: bool = True


class ReportRow(NamedTuple):
    """A group of users. `groups` is the number of groups that were joined because one of them was too small."""

    group: str
    users: int
    value: float | None = None
    groups: int = 1
    kind: Literal["group", "other", "no answer"] = "group"
    """"no answer" if it contains users without one: such a row has no value."""


class Report(NamedTuple):
    """The rows by size, the largest first; none if there are too few users in all."""

    rows: tuple[ReportRow, ...]
    minimum: int
    epsilon: float | None


def check_aggregate(measure: Aggregate) -> None:
    """Refused if the terms of a report would expose somebody or mean nothing."""
    if measure.minimum < LEAST_MINIMUM:
        raise Refused(f"--minimum: {measure.minimum} is too small. Use {LEAST_MINIMUM} or more.")
    if measure.kind != "count" and measure.bounds is None:
        raise Refused(
            f"--bounds is missing. A {measure.kind} needs the lowest and the highest number that one user may add."
        )
    if measure.bounds is not None and not (
        all(map(math.isfinite, measure.bounds)) and measure.bounds[0] < measure.bounds[1]
    ):
        raise Refused("--bounds: The first number must be smaller than the second.")
    if measure.epsilon is not None and not (math.isfinite(measure.epsilon) and measure.epsilon > 0):
        raise Refused("--epsilon: Use a number above 0, such as 1. A smaller one means more noise.")


def contribution(answer: Mapping[str, Json], measure: Aggregate) -> Contribution:
    """What one user's answer adds to the report.

    For a count, the value is the group. For a sum or a mean, it is a number, or a pair of a group and a number; a
    number outside of the bounds counts as the nearest bound. Anything else, and an error, is no answer.
    """
    if "alerts" in answer and measure.kind == "count":
        if answer["alerts"]:
            return Contribution("fires")
        # A rule that could not look at a record might have fired there.
        return Contribution(NO_ANSWER, is_answer=False) if "failures" in answer else Contribution("silent")
    value = answer.get("value")
    group: Json = ALL
    if measure.kind == "count":
        return Contribution(_group_name(value)) if _is_group(value) else Contribution(NO_ANSWER, is_answer=False)
    if isinstance(value, list) and len(value) == 2:
        group, value = value
    number = _number(value)
    if number is None or not _is_group(group):
        return Contribution(NO_ANSWER, is_answer=False)
    assert measure.bounds is not None
    return Contribution(_group_name(group), min(max(number, measure.bounds[0]), measure.bounds[1]))


def _is_group(value: Json) -> bool:
    return isinstance(value, str | bool | int | float) and value != ""


def _group_name(value: Json) -> str:
    return (str(value).lower() if isinstance(value, bool) else str(value))[:MAX_GROUP]


def _number(value: Json) -> float | None:
    """The number of a value; a decimal is a text in JSON. Money is none: sums of several currencies mean nothing."""
    if not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def aggregate(
    contributions: Iterable[Contribution], measure: Aggregate, random: Callable[[], float] | None = None
) -> Report:
    """The report. `random` gives numbers from 0 to 1 for the noise, which is made only if `epsilon` is given."""
    check_aggregate(measure)
    groups: dict[tuple[bool, str], list[float]] = {}
    for each in contributions:
        groups.setdefault((each.is_answer, each.group), []).append(each.number)
    sized = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    rows = [
        _row(name, numbers, measure, random, kind="group" if is_answer else "no answer")
        for (is_answer, name), numbers in sized[: _shown_groups([len(numbers) for _name, numbers in sized], measure)]
    ]
    rest = sized[len(rows) :]
    joined = [number for _name, numbers in rest for number in numbers]
    if len(joined) >= measure.minimum:
        has_value = all(is_answer for (is_answer, _name), _numbers in rest)  # else it may be that of a few users
        rows.append(_row(OTHER, joined, measure, random, groups=len(rest), kind="other" if has_value else "no answer"))
    if measure.epsilon is not None:  # the order by true sizes would tell of them
        rows.sort(key=lambda row: (-row.users, row.group))
    return Report(tuple(rows), measure.minimum, measure.epsilon)


def _shown_groups(sizes: Sequence[int], measure: Aggregate) -> int:
    """How many of the groups, the largest first, are shown: the others have together the minimum, or are none.

    A single small group would be the difference of the total and the others. So the next larger group is joined with
    it until there are enough users among those that are not shown.
    """
    count = sum(size >= measure.minimum for size in sizes)
    while count and 0 < sum(sizes[count:]) < measure.minimum:
        count -= 1
    return count


def _row(
    name: str,
    numbers: Sequence[float],
    measure: Aggregate,
    random: Callable[[], float] | None,
    *,
    groups: int = 1,
    kind: Literal["group", "other", "no answer"],
) -> ReportRow:
    """A row. With noise, half of epsilon is spent on the number of users and half on the sum, if there is one."""
    has_value = measure.kind != "count" and kind != "no answer"
    users: float = len(numbers)
    total = math.fsum(numbers)
    if measure.epsilon is not None:
        assert random is not None, "noise needs a source of random numbers"
        epsilon = measure.epsilon / 2 if has_value else measure.epsilon
        users = max(round(users + laplace_noise(1 / epsilon, random)), 0)
        if has_value:
            assert measure.bounds is not None
            total += laplace_noise(max(map(abs, measure.bounds)) / epsilon, random)
    if not has_value:
        return ReportRow(name, int(users), None, groups, kind)
    value = total if measure.kind == "sum" else total / max(users, 1)
    if measure.kind == "mean" and measure.bounds is not None:
        value = min(max(value, measure.bounds[0]), measure.bounds[1])
    return ReportRow(name, int(users), round(value, 6), groups, kind)


def laplace_noise(scale: float, random: Callable[[], float]) -> float:
    """A number from the Laplace distribution around 0, made of a number from 0 to 1."""
    share = 0.0
    while not 0 < share < 1:
        share = random()
    return scale * (math.log(2 * share) if share < 0.5 else -math.log(2 * (1 - share)))
