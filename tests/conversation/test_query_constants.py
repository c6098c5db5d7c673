"""Numbers that a query brings itself could make up its result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.conversation.checks.query_constants import invented_numbers


@pytest.mark.parametrize(
    ("code", "numbers"),
    [
        ("len(health.allergies) * 1000000", ["1000000"]),
        ("sum(t.days for t in trips) / 4711", []),
        ("[t for t in trips if t.cost > 4711]", []),
        ("trips[4711]", []),
        ("trips[:4711]", []),
        ("4711 % len(trips)", ["4711"]),
        ("date(2031, 12, 31) + timedelta(days=4711)", []),
        ("total * 365 * 86400 + 2026 - 99", []),
        ("10 ** n", ["10 to a power"]),
        ("1 << n", ["1 to a power"]),
        ("True + 0 - 0.0", []),
        ("'room 4711 of 2026'", ["4711"]),
        ("-4711.5", ["4711.5"]),
        ("b'4711'", []),
        ("f(4711) + f(4711)", ["4711"]),
    ],
)
def test_only_numbers_that_could_be_a_result_are_named(code: str, numbers: list[str]) -> None:
    assert invented_numbers(code) == numbers


@given(st.integers(min_value=101, max_value=359))
def test_every_number_that_is_not_small_is_named_wherever_it_is_added(number: int) -> None:
    assert invented_numbers(f"len(trips) + {number}") == [str(number)]
    assert invented_numbers(f"x = [{number}]\nx[0]") == [str(number)]


def test_a_sum_of_thousands_is_no_deep_recursion() -> None:
    assert invented_numbers(" + ".join(["4711"] * 500)) == ["4711"]
