"""Reports over all users: no row, total or difference of totals is about fewer users than the minimum."""

import math
import random
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.errors import Refused
from uac.interfaces.fleet.aggregates import (
    Aggregate,
    Contribution,
    ReportRow,
    aggregate,
    contribution,
    laplace_noise,
)

GROUPS = st.sampled_from(["a", "b", "c", "d", "e", "f"])
CONTRIBUTIONS = st.lists(
    st.one_of(
        st.builds(Contribution, GROUPS, st.floats(-5, 50), st.just(True)),
        st.just(Contribution("no answer", is_answer=False)),
    ),
    max_size=120,
)
VALUES: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just("12.50")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=2)),
    max_leaves=4,
)
MINIMUM = st.integers(5, 12)


@given(CONTRIBUTIONS, MINIMUM)
def test_no_row_and_no_difference_of_totals_is_about_fewer_users_than_the_minimum(
    given: list[Contribution], minimum: int
) -> None:
    report = aggregate(given, Aggregate("count", minimum))
    sizes = [row.users for row in report.rows]
    assert all(size >= minimum for size in sizes)
    assert sum(sizes) == (len(given) if len(given) >= minimum else 0)
    for count in range(len(sizes) + 1):
        for chosen in combinations(sizes, count):
            rest = sum(sizes) - sum(chosen)
            assert rest == 0 or rest >= minimum


@given(CONTRIBUTIONS, MINIMUM, st.sampled_from(["count", "sum", "mean"]))
def test_a_group_is_named_only_if_it_has_the_minimum(given: list[Contribution], minimum: int, kind: Any) -> None:
    report = aggregate(given, Aggregate(kind, minimum, (-5, 50)))
    sizes = Counter(each.group for each in given)
    for row in report.rows:
        if row.kind == "group":
            assert row.users == sizes[row.group] >= minimum
            numbers = [each.number for each in given if each.group == row.group]
            total = {"count": None, "sum": math.fsum(numbers), "mean": math.fsum(numbers) / len(numbers)}[kind]
            assert row.value is None if total is None else row.value == pytest.approx(total, abs=1e-5)


@given(CONTRIBUTIONS, MINIMUM)
def test_a_row_that_contains_users_without_an_answer_has_no_value(given: list[Contribution], minimum: int) -> None:
    silent = sum(not each.is_answer for each in given)
    for row in aggregate(given, Aggregate("mean", minimum, (-5, 50))).rows:
        if row.kind == "no answer":
            assert row.value is None
            assert silent
    shown = sum(row.kind == "no answer" for row in aggregate(given, Aggregate("mean", minimum, (-5, 50))).rows)
    assert shown == bool(silent and len(given) >= minimum)


def test_the_next_larger_group_is_joined_with_a_group_that_is_too_small() -> None:
    given = [Contribution("a")] * 30 + [Contribution("b")] * 12 + [Contribution("c")] * 2
    assert aggregate(given, Aggregate("count", 10)).rows == (
        ReportRow("a", 30),
        ReportRow("other", 14, None, 2, "other"),
    )


def test_small_groups_that_have_the_minimum_together_are_joined_and_no_other() -> None:
    given = [Contribution("a")] * 10 + [Contribution(f"rare {number}") for number in range(11)]
    assert [(row.group, row.users, row.groups) for row in aggregate(given, Aggregate("count", 10)).rows] == [
        ("a", 10, 1),
        ("other", 11, 11),
    ]


def test_fewer_users_than_the_minimum_give_an_empty_report() -> None:
    assert aggregate([Contribution("a")] * 9, Aggregate("count", 10)).rows == ()


@given(VALUES, st.sampled_from(["count", "sum", "mean"]))
def test_one_user_adds_one_group_and_a_number_within_the_bounds(value: Any, kind: Any) -> None:
    made = contribution({"user": "ana", "value": value}, Aggregate(kind, 10, (0, 100)))
    assert 0 <= made.number <= 100
    assert math.isfinite(made.number)
    assert 0 < len(made.group) <= 200


def test_what_answers_add() -> None:
    def made(kind: Any, **answer: Any) -> tuple[str, float, bool]:
        return tuple(contribution({"user": "ana", **answer}, Aggregate(kind, 10, (0, 100))))  # type: ignore[return-value]  # of three

    assert made("count", value="Rome") == ("Rome", 0, True)
    assert made("count", value=True) == ("true", 0, True)
    assert made("count", alerts=[{}]) == ("fires", 0, True)
    assert made("count", alerts=[]) == ("silent", 0, True)
    assert made("count", alerts=[], failures=[{"why": "…"}]) == ("no answer", 0, False)
    assert made("count", alerts=[{}], failures=[{"why": "…"}]) == ("fires", 0, True)
    assert made("count", value=["a", "b"]) == ("no answer", 0, False)
    assert made("sum", value=250) == ("all", 100, True)
    assert made("sum", value="37.50") == ("all", 37.5, True)
    assert made("mean", value=["Rome", -3]) == ("Rome", 0, True)
    assert made("sum", value="12.50 EUR") == ("no answer", 0, False)
    assert made("sum", value=float("nan")) == ("no answer", 0, False)
    assert made("sum", error="CodeError", message="…") == ("no answer", 0, False)
    assert made("sum", absent="travel.trips") == ("no answer", 0, False)


@given(st.integers(0, 2**32), CONTRIBUTIONS)
def test_the_same_seed_gives_the_same_report_and_rows_do_not_depend_on_the_noise(
    seed: int, given: list[Contribution]
) -> None:
    asked = Aggregate("sum", 10, (-5, 50), epsilon=0.5)
    report = aggregate(given, asked, random.Random(seed).random)
    assert report == aggregate(given, asked, random.Random(seed).random)
    plain = aggregate(given, Aggregate("sum", 10, (-5, 50)))
    assert {row.group for row in report.rows} == {row.group for row in plain.rows}


def test_the_noise_has_the_distribution_of_laplace() -> None:
    source = random.Random(7)
    for scale in (0.5, 1.0, 20.0):
        drawn = sorted(laplace_noise(scale, source.random) for _number in range(20_000))
        assert abs(sum(drawn) / len(drawn)) < 0.05 * scale
        assert sum(map(abs, drawn)) / len(drawn) == pytest.approx(scale, rel=0.05)  # the mean deviation is the scale
        assert drawn[15_000] == pytest.approx(scale * math.log(2), rel=0.08)
        beyond = sum(abs(each) > 3 * scale for each in drawn) / len(drawn)
        assert beyond == pytest.approx(math.exp(-3), rel=0.15)


def test_the_noise_of_a_sum_hides_the_largest_contribution_of_one_user() -> None:
    given = [Contribution("all", 10.0)] * 50
    source = random.Random(3)
    asked = Aggregate("sum", 10, (0, 100), epsilon=1.0)
    values = [aggregate(given, asked, source.random).rows[0].value or 0 for _number in range(2_000)]
    deviation = sum(abs(value - 500) for value in values) / len(values)
    assert deviation == pytest.approx(200, rel=0.1)  # half of epsilon, and one user adds at most 100


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (Aggregate("count", 4), "too small"),
        (Aggregate("sum", 10), "bounds is missing"),
        (Aggregate("mean", 10, (5, 5)), "must be smaller"),
        (Aggregate("mean", 10, (0, math.inf)), "must be smaller"),
        (Aggregate("count", 10, None, 0.0), "above 0"),
        (Aggregate("count", 10, None, math.nan), "above 0"),
    ],
)
def test_terms_that_would_expose_somebody_or_mean_nothing_are_refused(asked: Aggregate, why: str) -> None:
    with pytest.raises(Refused, match=why):
        aggregate([], asked, random.random)
