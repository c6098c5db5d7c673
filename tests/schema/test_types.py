"""Types and their values: what is read, what is refused, and that JSON gives every value back."""

from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uac.errors import Refused
from uac.schema.types import Money, dump_value, parse_type, parse_value


@pytest.mark.parametrize(
    "text",
    ["", "object", "dict[str, int]", "list[list[str]]", "list", "str | int", "None", "Literal[1]", "Literal['a', 'a']"]
    + ["__import__('os')", "str; import os", "lambda: 1", "Literal['a\\nb']", "(" * 500, "str | None | None"],
)
def test_an_unknown_type_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="is no type"):
        parse_type(text)


def values(draw_type: str) -> st.SearchStrategy[Any]:
    return {
        "str": st.text(),
        "int": st.integers(-(2**63), 2**63 - 1),
        "float": st.floats(allow_nan=False, allow_infinity=False),
        "bool": st.booleans(),
        "Decimal": st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=4),
        "Money": st.builds(
            Money, st.decimals(min_value=0, max_value=10**6, places=2), st.sampled_from(["EUR", "USD", "JPY"])
        ),
        "date": st.dates(),
        "datetime": st.datetimes(timezones=st.timezones()).map(lambda d: d.replace(tzinfo=__import__("datetime").UTC)),
        "time": st.times(),
        "timedelta": st.timedeltas(min_value=timedelta(days=-9999), max_value=timedelta(days=9999)),
        "list[date]": st.lists(st.dates()).map(tuple),
        "str | None": st.none() | st.text(),
    }[draw_type]


@pytest.mark.parametrize(
    "kind",
    [
        "str",
        "int",
        "float",
        "bool",
        "Decimal",
        "Money",
        "date",
        "datetime",
        "time",
        "timedelta",
        "list[date]",
        "str | None",
    ],
)
def test_every_value_survives_its_json(kind: str) -> None:
    @settings(max_examples=60, deadline=None)
    @given(values(kind))
    def survives(value: Any) -> None:
        if isinstance(value, Decimal):
            assert parse_value(dump_value(value), parse_type(kind)) == value
            return
        assert parse_value(msgspec.json.decode(msgspec.json.encode(dump_value(value))), parse_type(kind)) == value

    survives()


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("int", True),
        ("int", 1.5),
        ("int", "1"),
        pytest.param("int", 10**5000, id="a huge int"),
        pytest.param("float", 10**400, id="too large for a float"),
        ("float", "1"),
        ("float", float("nan")),
        ("bool", 1),
        ("Decimal", 1.5),
        ("Decimal", "1e5"),
        ("Money", "12"),
        ("Money", "12 euros"),
        ("Money", "12  EUR"),
        ("date", "2026-2-1"),
        ("date", "2026-W01-1"),
        ("datetime", "2026-05-01T10:00"),
        ("time", "25:00"),
        ("timedelta", "P"),
        ("timedelta", "3 days"),
        ("Literal['a', 'b']", "c"),
        ("list[str]", "a"),
        ("list[int]", [1, None]),
    ],
)
def test_a_value_of_another_type_is_refused(kind: str, raw: Any) -> None:
    with pytest.raises(ValueError, match="needs"):
        parse_value(raw, parse_type(kind))


def test_values_are_read_as_their_types() -> None:
    read = {kind: parse_value(raw, parse_type(kind)) for kind, raw in {"time": "09:30", "timedelta": "PT1H30M"}.items()}
    assert read == {"time": time(9, 30), "timedelta": timedelta(minutes=90)}
    moment = parse_value("2026-05-01T10:00:00+02:00", parse_type("datetime"))
    assert isinstance(moment, datetime)
    assert moment.isoformat() == "2026-05-01T10:00:00+02:00"
