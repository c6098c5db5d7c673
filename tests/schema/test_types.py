"""Types and their values: what is read, what is refused, and that JSON gives every value back."""

from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import type_of
from uac.errors import Refused
from uac.schema.types import Cardinality, Field, Type, check_type, collection_name, parse_type
from uac.schema.values import Money, dump_value, nests_deeper, parse_value, strip_value, value_reader


@pytest.mark.parametrize(
    "text",
    ["", "object", "dict[str, int]", "list[list[str]]", "list", "str | int", "None", "Literal[1]", "Literal['a', 'a']"]
    + ["__import__('os')", "str; import os", "lambda: 1", "Literal['a\\nb']", "(" * 500, "str | None | None"],
)
def test_an_unknown_type_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="is not a type"):
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
    with pytest.raises(ValueError, match=r"\. (Use|Add) "):
        parse_value(raw, parse_type(kind))


def test_values_are_read_as_their_types() -> None:
    read = {kind: parse_value(raw, parse_type(kind)) for kind, raw in {"time": "09:30", "timedelta": "PT1H30M"}.items()}
    assert read == {"time": time(9, 30), "timedelta": timedelta(minutes=90)}
    moment = parse_value("2026-05-01T10:00:00+02:00", parse_type("datetime"))
    assert isinstance(moment, datetime)
    assert moment.isoformat() == "2026-05-01T10:00:00+02:00"


@pytest.mark.parametrize(
    "text", ["str", "people.Person", "list[date]", "Literal['a', 'b'] | None", "list[people.Person] | None"]
)
def test_a_parsed_type_is_written_as_it_was_read(text: str) -> None:
    assert str(parse_type(text)) == text


def test_a_type_of_more_than_2000_characters_is_refused() -> None:
    with pytest.raises(Refused, match="2001 characters"):
        parse_type("x" * 2001)


def stop(**changes: Any) -> Type:
    fields = (Field(name="city", type="str"), Field(name="tags", type="list[str]"))
    return Type(**{"domain": "travel", "name": "Stop", "cardinality": "event", "fields": fields, **changes})


def test_a_type_that_breaks_no_rule_is_accepted() -> None:
    check_type(stop())
    check_type(stop(cardinality="many", key=("city",)))
    fields = (Field(name="city", type="str"), Field(name="day", type="date | None"))
    check_type(stop(fields=fields, key=("city", "day")))


@pytest.mark.parametrize(
    ("type_", "why"),
    [
        (stop(domain="1st"), "domain '1st' is"),
        (stop(domain="class"), "domain 'class' is reserved"),
        (stop(domain="Travel"), "domain 'Travel' has capital"),
        (stop(domain="rows_x"), "domain 'rows_x' contains"),
        (stop(name="stop"), "type travel.stop: .*capital letter"),
        (stop(collection="former_stops"), "type travel.Stop: collection 'former_stops' starts"),
        (stop(collection="Stop"), "type travel.Stop: the collection "),
        (stop(fields=()), "type travel.Stop has no fields"),
        (stop(fields=(Field(name="a", type="str"),) * 2), "type travel.Stop: field 'a' "),
        (stop(fields=(Field(name="a", type="nope"),)), "type travel.Stop: field a: 'nope' "),
        (stop(fields=(Field(name="a", type="str", policy="union"),)), "field a .*union.*list"),
        (stop(key=("tags",)), r"key field tags .*list\[str\]"),
        (stop(key=("town",)), "key field 'town' "),
        (stop(key=("a",), fields=(Field(name="a", type="str | None"),)), "the first key field a is"),
        (stop(cardinality="many"), "type travel.Stop has no key. Name the fields"),
    ],
)
def test_a_type_that_breaks_a_rule_is_refused_with_the_place(type_: Type, why: str) -> None:
    with pytest.raises(Refused, match=f"^(type travel.Stop: )?{why}"):
        check_type(type_)


@pytest.mark.parametrize(
    ("name", "cardinality", "collection"),
    [
        ("Trip", "many", "trips"),
        ("LeaseNotice", "event", "lease_notices"),
        ("LeaseNotice", "one", "lease_notice"),
        ("Allergy", "many", "allergies"),
        ("Day", "many", "days"),
        ("Box", "many", "boxes"),
        ("TVShow", "many", "tv_shows"),
    ],
)
def test_a_collection_has_the_plural_of_its_type_as_name(name: str, cardinality: Cardinality, collection: str) -> None:
    assert collection_name(name, cardinality) == collection


def test_ended_records_have_a_collection_of_their_own() -> None:
    trip = type_of("travel.Trip", cardinality="event", city="str")
    assert (trip.full_name, trip.collected_as, trip.former) == ("travel.Trip", "trips", "former_trips")
    assert (trip.field("city"), trip.field("town")) == (Field(name="city", type="str"), None)


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        ("Money", {"amount": "12.50", "currency": "EUR"}, Money(Decimal("12.50"), "EUR")),
        ("Literal['a', 'b']", "b", "b"),
        ("people.Person", "mia", "mia"),
        ("timedelta", "-P1DT2H3M4.5S", -timedelta(days=1, hours=2, minutes=3, seconds=4.5)),
    ],
)
def test_json_gives_this_value(kind: str, raw: Any, value: Any) -> None:
    assert parse_value(raw, parse_type(kind)) == value


KINDS = ("str", "int", "float", "bool", "Decimal", "Money", "date", "datetime", "time", "timedelta", "list[str]")
RAW = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        ["2026-03-01", " padded ", "2026-W01-1", "20260301", "2026-02-30", "１234-01-01", "12.50 EUR", "a"]
    ),
)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([*KINDS, "Literal['a', 'b']", "list[date]", "str | None", "date | None"]),
    st.one_of(RAW, st.lists(RAW, max_size=3)),
)
def test_the_fast_reader_reads_and_refuses_what_the_slow_one_does(kind: str, raw: Any) -> None:
    type_ = parse_type(kind)

    def result(read: Any) -> Any:
        try:
            return repr(read())
        except ValueError as error:
            return str(error)

    def slow() -> Any:
        value = parse_value(raw, type_)
        return strip_value(value) if (type_.item or type_).kind == "str" else value

    assert result(lambda: value_reader(type_)(raw)) == result(slow)


@pytest.mark.parametrize(
    ("kind", "raw"), [("Money", {"amount": 1}), ("people.Person", ""), ("datetime", "2026-05-01T10:00:00+00:00:30")]
)
def test_an_incomplete_value_is_refused(kind: str, raw: Any) -> None:
    with pytest.raises(ValueError, match=r"\. (Use|Add) "):
        parse_value(raw, parse_type(kind))


def test_a_list_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(Refused, match="nests too deeply"):
        dump_value(endless)  # type: ignore[arg-type]  # callers are not type-checked


def test_nesting_is_counted_through_lists_and_objects() -> None:
    value: Any = 1
    for _ in range(50):
        value = {"a": [value]}
    assert (nests_deeper(value), nests_deeper([value]), nests_deeper([[1]], 1)) == (False, True, True)


@pytest.mark.parametrize(
    ("text", "seconds", "in_seconds"),
    [
        ("PT1H15M", 4500, "PT4500S"),
        ("P1DT2H", 93_600, "P1DT7200S"),
        ("PT1M30.5S", 90.5, "PT90.5S"),
        ("-PT10H", -36_000, "-PT36000S"),
        ("P0D", 0, "P0D"),
    ],
)
def test_a_duration_is_written_as_people_write_it_and_in_keys_as_ever(
    text: str, seconds: float, in_seconds: str
) -> None:
    value = timedelta(seconds=seconds)
    assert (dump_value(value), dump_value(value, in_seconds=True)) == (text, in_seconds)
    assert parse_value(text, parse_type("timedelta")) == parse_value(in_seconds, parse_type("timedelta")) == value
