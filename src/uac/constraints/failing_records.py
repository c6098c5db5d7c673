"""Finds the records that make a constraint fail: it completes once they are left out.

No engine reports which record caused an error, so the constraint is run with halves of a collection left out. Each
step is a run of its own, so that a timeout does not lose earlier results.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from uac.errors import RunError
from uac.project.project import Project
from uac.sandbox.loading import is_loaded_single
from uac.sandbox.port import Value
from uac.schema.constraint_code import Reading
from uac.schema.types import Type, parse_type

__all__ = ["Narrowed", "narrow_failure"]

MOST_RECORDS = 20
"""A constraint that fails for more records than this is not run for the others."""

Place = list[Value]
"""A collection that a constraint reads: its domain, its name, and whether it is one record."""

Result = tuple[list[Value], list[Value]]
"""The alerts of a constraint, and when it asks to run again."""

Run = Callable[[str, Mapping[str, Value]], Value]
"""Runs code with inputs in a session in which the constraint is defined."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The records that a constraint fails for, each with the field that causes it ("" if unknown), and the result
    without them."""

    fields: Mapping[str, str]
    alerts: list[Value]
    looks: list[Value]


def narrow_failure(run: Run, check: str, project: Project, reading: Reading, known: Collection[str]) -> Narrowed | None:
    """The fewest records of one collection whose removal lets the constraint complete; None if there are none.

    If two collections tie, the one with the most recent statement wins. `check` is the argument of `uac_search` for the
    constraint; `known` are records that failed before, whose field is not searched for again.
    """
    search = _FailureSearch(run, check, project, _searched_collections(project, reading), sorted(known))
    answers = [
        answer
        for place in search.places
        if (answer := search.search_failing_records([place], from_the_end=True)) is not None
    ]
    # From the other end, too: where two records fail together, a search misses the one that is last in its order.
    if min((len(records) for records, _result in answers), default=2) > 1:
        others = [search.search_failing_records([place], from_the_end=False) for place in search.places]
        answers += [answer for answer in others if answer is not None]
    if not answers and (answer := search.search_failing_records(search.places, from_the_end=True)) is not None:
        answers = [answer]
    best = min(answers, key=lambda each: (len(each[0]), -_latest_claim_of_failing(project, each[0])), default=None)
    if best is None or not best[0]:
        return None
    records, (alerts, looks) = best
    return Narrowed(
        {one: "" if one in known else search.search_failing_field(one, records) for one in records}, alerts, looks
    )


@dataclass(frozen=True, slots=True)
class _FailureSearch:
    run: Run
    check: str
    project: Project
    places: list[Place]
    known: list[str]

    def search_failing_records(self, chosen: list[Place], *, from_the_end: bool) -> tuple[list[str], Result] | None:
        """Records of these collections whose removal lets the constraint complete, and the result."""
        code = f"uac_search({self.check}, places__0, chosen__0, known__0, {from_the_end}, {MOST_RECORDS})"
        inputs: dict[str, Value] = {"places__0": [*self.places], "chosen__0": [*chosen], "known__0": [*self.known]}
        try:
            answer = self.run(code, inputs)
        except RunError:  # timeout
            return None
        match answer:
            case [list() as records, [str(), list() as alerts, list() as looks]]:
                named = [record for record in records if isinstance(record, str)]
                return (
                    (named, (alerts, looks))
                    if all(_failing_record_exists(self.project, record) for record in named)
                    else None
                )
        return None

    def search_failing_field(self, record: str, records: list[str]) -> str:
        """The field of the record that makes the constraint fail, while the other records are left out."""
        inputs: dict[str, Value] = {
            "places__0": [*self.places],
            "record__0": record,
            "others__0": [other for other in records if other != record],
            "fields__0": _failure_free_values(self.project.types[record.partition(":")[0]]),
        }
        try:
            field = self.run(f"uac_blame({self.check}, places__0, record__0, others__0, fields__0)", inputs)
        except RunError:
            return ""
        return field if isinstance(field, str) else ""


def _searched_collections(project: Project, reading: Reading) -> list[Place]:
    owners = project.owners()
    return [
        [*read.split(".", 1), is_loaded_single(project.types[owners[read]], read.partition(".")[2])]
        for read in reading.reads
        if read in owners
    ]


def _failure_free_values(type_: Type) -> dict[Value, Value]:
    """A harmless value for each field, which should not make a constraint fail."""
    values: dict[Value, Value] = {}
    for part in type_.fields:
        parsed = parse_type(part.type)
        if parsed.optional:
            values[part.name] = None
        elif parsed.kind == "choice":
            values[part.name] = parsed.choices[0]
        elif parsed.kind in _FAILURE_FREE:
            values[part.name] = _FAILURE_FREE[parsed.kind]
    return values


_FAILURE_FREE: dict[str, Value] = {
    "str": "thing",
    "ref": "thing",
    "int": 1,
    "float": 1.0,
    "bool": False,
    "Decimal": Decimal(1),
    "date": date(2000, 1, 1),
    "datetime": datetime(2000, 1, 1, tzinfo=UTC),
    "time": time(12),
    "timedelta": timedelta(hours=1),
    "list": [],
}


def _failing_record_exists(project: Project, record: str) -> bool:
    return record in project.tables.get(record.partition(":")[0], ())


def _latest_claim_of_failing(project: Project, names: Sequence[str]) -> int:
    records = [project.tables[name.partition(":")[0]][name] for name in names]
    claims = [claim for record in records for field_claims in record.claims.values() for claim in field_claims]
    return max((claim.position for claim in claims), default=0)
