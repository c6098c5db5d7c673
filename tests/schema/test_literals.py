"""Values as Python writes them, and read back from a tree."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.errors import Refused
from uac.schema.literals import literal, plain_value, text_literal
from uac.schema.syntax import expression_tree
from uac.schema.values import Money, Typed

EAST = timezone(timedelta(hours=-3, minutes=-30))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (-3, "-3"),
        (1e30, "1e30"),
        ("it's", '"it\'s"'),
        ('a "b"', "'a \"b\"'"),
        ("a\n\\\t\x00", '"a\\n\\\\\\t\\x00"'),
        ('\'""', "'\\'\"\"'"),
        (Decimal("1.50"), 'Decimal("1.50")'),
        (Money(Decimal(2), "EUR"), 'Money(Decimal("2"), "EUR")'),
        (date(2026, 5, 1), "date(2026, 5, 1)"),
        (time(9), "time(9, 0)"),
        (time(9, 30, 5), "time(9, 30, 5)"),
        (timedelta(days=1, seconds=30), "timedelta(days=1, seconds=30)"),
        (timedelta(0), "timedelta()"),
        (datetime(2026, 5, 1, 9, tzinfo=UTC), "datetime(2026, 5, 1, 9, 0, tzinfo=timezone.utc)"),
        (
            datetime(2026, 5, 1, 9, 30, tzinfo=EAST),
            "datetime(2026, 5, 1, 9, 30, tzinfo=timezone(timedelta(days=-1, seconds=73800)))",
        ),
        (("a", "b"), '["a", "b"]'),
        ((), "[]"),
    ],
)
def test_a_value_is_written_as_a_literal_and_read_back(value: Typed, text: str) -> None:
    assert literal(value) == text
    assert plain_value(expression_tree(text).body) == value


def test_a_list_that_does_not_fit_the_line_has_one_item_a_line() -> None:
    assert literal(("x" * 50, "語" * 20), indent=4) == f'[\n        "{"x" * 50}",\n        "{"語" * 20}",\n    ]'


def test_a_wide_character_takes_two_columns_and_a_combining_one_none() -> None:
    wide, combining = ("語" * 42,), ("e\u0301" * 84,)
    assert literal(wide) == f'["{wide[0]}"]'
    assert literal(combining) == f'["{combining[0]}"]'
    assert literal(wide, lead=1) == f'[\n    "{wide[0]}",\n]'


def test_a_call_breaks_its_arguments_only_as_far_as_it_must() -> None:
    money = Money(Decimal("1." + "1" * 40), "EUR")
    amount = f'Decimal("1.{"1" * 40}")'
    assert literal(money, lead=10) == f'Money({amount}, "EUR")'
    assert literal(money, lead=40) == f'Money(\n    {amount}, "EUR"\n)'
    assert literal(money, indent=40, lead=40) == f'Money(\n{" " * 44}{amount},\n{" " * 44}"EUR",\n{" " * 40})'


@given(st.text())
def test_every_text_comes_back_from_its_literal(text: str) -> None:
    assert plain_value(expression_tree(text_literal(text)).body) == text


@pytest.mark.parametrize(
    "text", ["b'x'", "1j", "...", "x", "-'a'", "+1", "open('f')", "date(2026, 2, 30)", "date()", "Decimal('x')", "{}"]
)
def test_an_expression_that_is_not_a_plain_value_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(Refused, match=r"^line 1: "):
        plain_value(expression_tree(text).body)
