"""uac import: files of other programs become typed records that lead back to their lines."""

import csv
import io
import json
import os
import pty
import random
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given
from hypothesis import strategies as st

from story import type_of
from uac.cli import main
from uac.entries import Observation
from uac.errors import Refused
from uac.importing import (
    Broken,
    Calendar,
    Contacts,
    Done,
    Left,
    Line,
    Objects,
    Plan,
    Reading,
    RecordFile,
    Rows,
    Wish,
    bring_in,
    survey,
)
from uac.importing import objects as objects_module
from uac.importing import run as run_module
from uac.importing.names import field_names
from uac.memory import Memory
from uac.patches import Define
from uac.schema import Field, Money, Type, check_type
from uac.stores.memory import MemoryStore
from uac.stores.sqlite import SqliteStore

SAID = datetime(2026, 3, 1, tzinfo=UTC)
TRIPS = "City,Start,Cost (USD),id\nParis,2024-05-01,300.50,7\nRome,2024-06-01,,8\n"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "memory.db"
    monkeypatch.setenv("UAC_STORE", str(path))
    monkeypatch.chdir(tmp_path)
    return path


def uac(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def file(name: str, text: str | bytes) -> str:
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def told(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def memory_at(path: Path) -> Memory:
    return Memory(SqliteStore(path, create=False).log("ana"))


def values(path: Path, type_name: str) -> list[dict[str, Any]]:
    return [record.values for record in memory_at(path).project().records(type_name)]


def texts(full_name: str, names: Iterable[str]) -> Type:
    """A type all of whose fields are texts."""
    domain, _dot, name = full_name.partition(".")
    fields = tuple(Field(name=name, type="str") for name in names)
    return Type(domain=domain, name=name, cardinality="event", fields=fields)


def quiet(_size: int) -> None: ...


def imported(
    source: RecordFile, wish: Wish, memory: Memory | None = None
) -> tuple[Plan, list[dict[str, Any]], list[Broken | Left]]:
    """The plan, the records it gives in a new memory, and what gave none."""
    memory = memory or Memory(MemoryStore().log("ana"))
    plan = survey(source, memory.project().types.get(wish.type_name), wish, quiet)
    other = [found for found in bring_in(memory, plan, source, said=SAID) if not isinstance(found, Done)]
    return plan, [record.values for record in memory.project().records(wish.type_name)], other


def column(path: Path, *cells: str, name: str = "value", **reading: Any) -> tuple[str, list[Any], tuple[str, ...]]:
    """The type found for one column of CSV, its values, and the notes."""
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows([(name, "n"), *((cell, str(n)) for n, cell in enumerate(cells))])
    path.write_text(text.getvalue(), newline="")
    plan, records, _other = imported(Rows(path, ";"), Wish("some.Thing", reading=Reading(**reading)))
    field = plan.columns[0].field
    return plan.type.fields[0].type, [record[field] for record in records], plan.notes


# -- CSV ----------------------------------------------------------------------------------------------------------------


def test_a_csv_file_becomes_typed_records_that_lead_back_to_their_lines(store: Path) -> None:
    result = uac("import", "ana", file("trips.csv", TRIPS), "--as", "travel.Trip", "--yes")
    assert result.stdout == (
        "travel.Trip: event, no key, new\n"
        "City\tcity\tstr\tParis\n"
        "Start\tstart\tdate\t2024-05-01\n"
        "Cost (USD)\tcost_usd\tDecimal | None\t300.50\n"
        "id\tid_\tint\t7\n"
        "ana: trips.csv: 2 records of travel.Trip\n"
    )
    assert values(store, "travel.Trip") == [
        {"city": "Paris", "start": date(2024, 5, 1), "cost_usd": Decimal("300.50"), "id_": 7},
        {"city": "Rome", "start": date(2024, 6, 1), "cost_usd": None, "id_": 8},
    ]
    memory = memory_at(store)
    kinds = [stored.kind for stored in memory.log.read()]
    assert kinds == ["observation", "observation", "checkpoint"]
    assert [field.doc for field in memory.project().types["travel.Trip"].fields] == [
        "City",
        "Start",
        "Cost (USD)",
        "id",
    ]
    record = memory.project().records("travel.Trip")[1]
    (claim,) = memory.explain(record.id, "start").claims
    assert [(found.observation, found.words) for found in claim.evidence] == [(2, "Rome,2024-06-01,,8")]
    assert claim.claim.authority == "document"


@pytest.mark.parametrize(
    ("cells", "type_", "found"),
    [
        (("1", "-20", " 300 "), "int", [1, -20, 300]),
        (("1", "2.5", "1e3"), "float", [1.0, 2.5, 1000.0]),
        (("1,234.5", "2"), "float", [1234.5, 2.0]),
        (("1.234,5", "12"), "float", [1234.5, 12.0]),
        (("12,50", "3,00"), "float", [12.5, 3.0]),
        (("1,234,567", "5"), "int", [1234567, 5]),
        (("007", "12"), "str", ["007", "12"]),
        (("+49 30 1234", "12"), "str", ["+49 30 1234", "12"]),
        (("1" * 19, "2"), "str", ["1" * 19, "2"]),
        (("0.1234567890123456", "2"), "str", ["0.1234567890123456", "2"]),
        (("yes", "No", "TRUE"), "bool", [True, False, True]),
        (("yes", "maybe"), "str", ["yes", "maybe"]),
        (("2024-01-31", "2024-02-29"), "date", [date(2024, 1, 31), date(2024, 2, 29)]),
        (("2024-01-31", "2023-02-29"), "str", ["2024-01-31", "2023-02-29"]),
        (("01.02.2024", "13.02.2024"), "date", [date(2024, 2, 1), date(2024, 2, 13)]),
        (("1/2/2024", "1/13/2024"), "date", [date(2024, 1, 2), date(2024, 1, 13)]),
        (("13/1/2024", "1/13/2024"), "str", ["13/1/2024", "1/13/2024"]),
        (("2024-01-31T09:30Z", "2024-01-31 09:30:01+0100"), "datetime", None),
        (("09:30", "23:59:59"), "time", [clock(9, 30), clock(23, 59, 59)]),
        (("09:30", "25:00"), "str", ["09:30", "25:00"]),
        (("12.50 EUR", "-3 USD"), "Money", [Money(Decimal("12.50"), "EUR"), Money(Decimal(-3), "USD")]),
        (("€12,50", "1.000,00 €"), "Money", [Money(Decimal("12.50"), "EUR"), Money(Decimal("1000.00"), "EUR")]),
        (("£5", "5"), "str", ["£5", "5"]),
        (("=cmd|' /C calc'!A0", "@SUM(A1)"), "str", ["=cmd|' /C calc'!A0", "@SUM(A1)"]),
        (("a", "", "b"), "str | None", ["a", None, "b"]),
        (("1", "", "2"), "int | None", [1, None, 2]),
        (("", ""), "str | None", [None, None]),
    ],
)
def test_the_type_of_a_column_is_what_all_its_values_have_in_common(
    tmp_path: Path, cells: tuple[str, ...], type_: str, found: list[Any] | None
) -> None:
    kind, read, notes = column(tmp_path / "f.csv", *cells)
    assert (kind, notes) == (type_, ())
    if found is not None:
        assert read == found


def test_a_value_far_behind_changes_the_type_of_its_column(tmp_path: Path) -> None:
    assert column(tmp_path / "f.csv", *["7"] * 3000)[0] == "int"
    assert column(tmp_path / "f.csv", *["7"] * 3000, "seven")[0] == "str"


def test_few_short_texts_that_come_often_are_a_closed_set(tmp_path: Path) -> None:
    assert column(tmp_path / "f.csv", *["aisle", "window"] * 3)[0] == "Literal['aisle', 'window']"
    assert column(tmp_path / "f.csv", *["aisle", "window"] * 3, "")[0] == "Literal['aisle', 'window'] | None"
    assert column(tmp_path / "f.csv", *["aisle", "window"] * 3, "middle")[0] == "str"
    assert column(tmp_path / "f.csv", *["aisle"] * 3)[0] == "str"
    assert column(tmp_path / "f.csv", *[str(n) + "x" for n in range(13)] * 3)[0] == "str"
    assert column(tmp_path / "f.csv", *["x" * 41, "y"] * 3)[0] == "str"


@pytest.mark.parametrize(
    ("cells", "note", "reading", "found"),
    [
        (
            ("01.02.2024", "03.04.2024"),
            (
                "value: in no line day and month can be told apart ('01.02.2024'), kept as text; "
                "--dates day-first or month-first makes them dates"
            ),
            {"dates": "month-first"},
            [date(2024, 1, 2), date(2024, 3, 4)],
        ),
        (
            ("1,234", "2"),
            (
                "value: thousands and fractions cannot be told apart ('1,234'), kept as text; "
                "--decimal point or comma makes them numbers"
            ),
            {"decimal": "comma"},
            [1.234, 2.0],
        ),
        (
            ("2024-01-31 09:30", "2024-07-31T09:30"),
            "value: times without a zone, kept as text; --zone NAME makes them times",
            {"zone": ZoneInfo("Europe/Berlin")},
            [datetime.fromisoformat("2024-01-31T09:30+01:00"), datetime.fromisoformat("2024-07-31T09:30+02:00")],
        ),
        (
            ("$12.50", "-$3"),
            "value: amounts do not say which '$12.50' is, kept as text; --currency CODE makes them Money",
            {"currency": "CAD"},
            [Money(Decimal("12.50"), "CAD"), Money(Decimal(-3), "CAD")],
        ),
    ],
)
def test_what_can_be_read_in_two_ways_stays_text_until_a_person_says_which(
    tmp_path: Path, cells: tuple[str, ...], note: str, reading: dict[str, Any], found: list[Any]
) -> None:
    assert column(tmp_path / "f.csv", *cells) == ("str", list(cells), (note,))
    assert column(tmp_path / "f.csv", *cells, **reading)[1:] == (found, ())


def test_a_time_that_the_clocks_skipped_is_no_time(tmp_path: Path) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert column(tmp_path / "f.csv", "2024-03-31 02:30", zone=berlin)[0] == "str"
    assert column(tmp_path / "f.csv", "2024-10-27 02:30", zone=berlin)[0] == "datetime"


def test_numbers_named_after_a_currency_are_exact_and_money_if_asked(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    assert column(path, "12.50", name="cost_eur")[:2] == ("Decimal", [Decimal("12.50")])
    money = [Money(Decimal("12.50"), "EUR"), Money(Decimal(3), "EUR")]
    assert column(path, "12.50", "3", name="Cost (EUR)", is_money=True)[:2] == ("Money", money)
    assert column(path, "12.50", name="eur", is_money=True)[:2] == ("float", [12.5])


def test_texts_that_stand_for_nothing_can_be_named(tmp_path: Path) -> None:
    assert column(tmp_path / "f.csv", "1", "n/a", "-")[0] == "str"
    assert column(tmp_path / "f.csv", "1", "n/a", "-", missing=frozenset({"n/a", "-"}))[:2] == (
        "int | None",
        [1, None, None],
    )


def test_columns_get_plain_names_and_no_two_the_same() -> None:
    columns = ["type", "id", "Cost (USD)", "cost_usd", "Größe", "startDate", "2024", "名前", "class", "_x", "A" * 80]
    assert field_names(columns) == {
        "type": "type_",
        "id": "id_",
        "Cost (USD)": "cost_usd_2",
        "cost_usd": "cost_usd",
        "Größe": "grosse",
        "startDate": "start_date",
        "2024": "column_2024",
        "名前": "column_8",
        "class": "class_",
        "_x": "x",
        "A" * 80: "a" * 63,
    }


@given(st.lists(st.text(), min_size=1, unique=True))
def test_whatever_the_columns_are_called_their_fields_make_a_type(columns: list[str]) -> None:
    names = field_names(columns)
    assert list(names) == columns
    check_type(texts("some.Thing", names.values()))
    assert len(set(names.values())) == len(columns)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "f.csv"
    rows = [["city", "said"], ["Paris", 'a "b", c; d|e\tf'], ["Rome", "two\r\nlines"]]
    with path.open("w", newline="") as out:
        csv.writer(out, delimiter=delimiter).writerows(rows)
    _plan, records, other = imported(Rows(path), Wish("some.Thing"))
    assert [[record["city"], record["said"]] for record in records] == rows[1:]
    assert other == []


def test_the_words_of_a_record_are_kept_as_they_stand_in_the_file(store: Path) -> None:
    name = file("f.csv", '\ufeffa,b\r\n"x ""y""",1\r\n"two\r\nlines",2\r\n')
    assert uac("import", "ana", name, "--as", "some.Thing", "--yes").exit_code == 0
    entries = [stored.entry for stored in memory_at(store).log.read(1, 3)]
    assert [(entry.text, entry.role, entry.source) for entry in entries if isinstance(entry, Observation)] == [
        ('"x ""y""",1', "document", "import:f.csv"),
        ('"two\r\nlines",2', "document", "import:f.csv"),
    ]


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1)))
def test_any_rows_that_csv_can_write_come_back_with_the_same_texts(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "f.csv"
    names = [f"c{number}" for number in range(len(rows[0]))]
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([names, *rows])
    memory = Memory(MemoryStore().log("ana"))
    memory.checkpoint([Define(type=texts("some.Row", names))])
    blank = [
        row for row in rows if not any(row) or (len(row) == 1 and row[0].isspace() and not set(row[0]) & {*"\r\n"})
    ]
    try:
        _plan, records, other = imported(Rows(path), Wish("some.Row"), memory)
    except Refused:
        assert len(blank) == len(rows)
        return
    assert [list(record.values()) for record in records] == [row for row in rows if row not in blank]
    assert [found for found in other if isinstance(found, Broken)] == []
    assert len(other) == len(blank)


VALUES = st.one_of(
    st.just(""),
    st.text("0123456789.,-eE+€$ EURUSD:/TZ", max_size=14),
    st.integers().map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.dates().map(str),
    st.dates().map(lambda day: f"{day.day}.{day.month}.{day.year:04}"),
    st.datetimes(timezones=st.none() | st.timezones()).map(str),
    st.times().map(str),
    st.sampled_from(["yes", "no", "true", "12.50 EUR", "1,234", "1.234,5", "'a\\b'"]),
)


@given(
    st.sampled_from(["value", "cost_usd"]),
    st.lists(VALUES, min_size=1, max_size=8) | VALUES.map(lambda value: [value] * 3),
    st.builds(
        Reading,
        zone=st.sampled_from([None, ZoneInfo("Europe/Berlin")]),
        dates=st.sampled_from(["", "day-first"]),
        decimal=st.sampled_from(["", "comma"]),
        currency=st.sampled_from(["", "CHF"]),
        is_money=st.booleans(),
    ),
)
def test_no_line_is_broken_in_a_file_whose_type_was_found(
    tmp_path_factory: pytest.TempPathFactory, name: str, cells: list[str], reading: Reading
) -> None:
    path = tmp_path_factory.mktemp("csv") / "f.csv"
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([("n", name), *((f"row {n}", cell) for n, cell in enumerate(cells))])
    plan, records, other = imported(Rows(path), Wish("some.Thing", reading=reading))
    assert other == []
    assert len(records) == len(cells)
    # A second file of the same texts is read in the same way into the type that is there now.
    memory = Memory(MemoryStore().log("ana"))
    memory.checkpoint([Define(type=plan.type)])
    assert imported(Rows(path), Wish("some.Thing", reading=reading), memory)[1:] == (records, [])


# -- a type that is there, and what a person can say ----------------------------------------------------------------------


def test_a_type_that_is_there_is_used_and_misfits_are_broken_lines(store: Path) -> None:
    fields = ["city:str", "start:date", "cost:Money | None", "seat:Literal['aisle', 'window'] | None", "tags:list[str]"]
    uac("define", "ana", "travel.Trip", *fields, "--event")
    name = file(
        "trips.csv",
        "City,Start,Cost,Seat,Tags\n"
        'Paris,31.12.2024,12.50 EUR,aisle,"sun, sea"\n'
        "Rome,01.02.2024,12.50,window,\n"
        "Oslo,soon,,aisle,\n"
        ",05.01.2024,1 EUR,roof,\n",
    )
    result = uac("import", "ana", name, "--as", "travel.Trip")
    assert result.exit_code == 1
    assert result.stdout == (
        "ana: trips.csv: 1 record of travel.Trip\n"
        "line 3: Cost is '12.50', needs an amount and a currency such as 12.50 EUR\n"
        "line 4: Start is 'soon', needs a date that exists, such as 31.12.2024\n"
        "line 5: seat is 'roof', needs one of 'aisle', 'window'\n"
    )
    money = Money(Decimal("12.50"), "EUR")
    paris = {"city": "Paris", "start": date(2024, 12, 31), "cost": money, "seat": "aisle", "tags": ("sun", "sea")}
    assert values(store, "travel.Trip") == [paris]
    again = uac("import", "ana", name, "--as", "travel.Trip", "--currency", "EUR", "--missing", "roof")
    assert again.stdout.splitlines()[0] == "ana: trips.csv: 2 records of travel.Trip"
    assert [record["city"] for record in values(store, "travel.Trip")] == ["Paris", "Rome", ""]


def test_dates_of_a_known_type_that_cannot_be_told_apart_break_their_lines_until_a_person_says_which(
    store: Path,
) -> None:
    uac("define", "ana", "travel.Trip", "city:str", "start:date", "--event")
    name = file("trips.csv", "city,start\nParis,01.02.2024\n")
    result = uac("import", "ana", name, "--as", "travel.Trip")
    assert (result.exit_code, result.stdout, result.stderr) == (
        1,
        (
            "ana: trips.csv: 0 records of travel.Trip\n"
            "line 2: start is '01.02.2024', needs a date that exists, such as 2024-12-31\n"
        ),
        "start: its values can be read in several ways ('01.02.2024'), see --dates and --decimal\n",
    )
    assert uac("import", "ana", name, "--as", "travel.Trip", "--dates", "day-first").exit_code == 0
    assert values(store, "travel.Trip") == [{"city": "Paris", "start": date(2024, 2, 1)}]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "travel.Trip has no field for column 'Cost (USD)'"),
        (["--without", "Cost (USD)"], "travel.Trip has no field for column 'id'"),
        (["--without", "Cost (USD)", "--without", "id", "--key", "city"], "is there already and has no key"),
        (["--without", "Cost (USD)", "--without", "id", "--one"], "is there already and is event, not one"),
        (["--without", "Cost (USD)", "--without", "id", "--without", "City"], "travel.Trip needs city"),
        (["--without", "price"], "there is no column 'price', needs one of 'City', 'Start', 'Cost (USD)', 'id'"),
        (["--without", "id", "--field", "Cost (USD)=city"], "columns 'City' and 'Cost (USD)' are both city"),
    ],
)
def test_columns_that_do_not_suit_the_type_are_refused_before_anything_is_written(
    store: Path, arguments: list[str], complaint: str
) -> None:
    uac("define", "ana", "travel.Trip", "city:str", "start:date", "--event")
    result = uac("import", "ana", file("trips.csv", TRIPS), "--as", "travel.Trip", *arguments)
    assert result.exit_code == 3
    assert complaint in result.stderr
    assert memory_at(store).log.head().position == 1


def test_fields_can_be_named_typed_and_left_out(store: Path) -> None:
    arguments = ["--field", "id=number:str", "--field", "Cost (USD)=cost", "--without", "Start", "--doc", "A trip."]
    name = file("trips.csv", TRIPS)
    for _time in range(2):
        result = uac("import", "ana", name, "--as", "travel.Trip", "--yes", "--key", "City", *arguments)
        assert result.exit_code == 0
    type_ = memory_at(store).project().types["travel.Trip"]
    assert (type_.doc, type_.cardinality, type_.key) == ("A trip.", "many", ("city",))
    assert values(store, "travel.Trip") == [
        {"city": "Paris", "cost": Decimal("300.50"), "number": "7"},
        {"city": "Rome", "cost": None, "number": "8"},
    ]


def test_lines_with_the_same_key_are_one_record_and_a_line_without_it_is_broken(store: Path) -> None:
    name = file("f.csv", "isbn,title\n1-2,Emma\n,Nobody\n1-2,Emma (2nd)\n")
    result = uac("import", "ana", name, "--as", "reading.Book", "--key", "isbn", "--yes")
    assert result.stdout.splitlines()[-2:] == [
        "ana: f.csv: 2 records of reading.Book",
        "line 3: isbn is empty, needs str",
    ]
    (book,) = memory_at(store).project().records("reading.Book")
    assert (book.id, [claim.value for claim in book.claims["title"]]) == ("reading.Book:1-2", ["Emma", "Emma (2nd)"])


def test_a_second_line_of_what_there_is_only_one_of_is_broken(store: Path) -> None:
    name = file("f.csv", "city,street\nOslo,Gate 1\nParis,Rue 2\n")
    result = uac("import", "ana", name, "--as", "home.Address", "--one", "--yes")
    assert (result.exit_code, len(values(store, "home.Address"))) == (1, 1)
    assert "line 3: home.Address is one and home.Address:#2.1 is there" in result.stdout


def test_records_may_refer_to_earlier_lines_of_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "BATCH", 1)
    memory = Memory(MemoryStore().log("ana"))
    memory.checkpoint([Define(type=type_of("work.Person", key=["name"], name="str", boss="work.Person | None"))])
    path = tmp_path / "f.csv"
    path.write_text("name,boss\nAda,\nBen,ada\nCleo,zoe\n")
    _plan, records, other = imported(Rows(path), Wish("work.Person"), memory)
    assert records == [{"name": "Ada", "boss": None}, {"name": "Ben", "boss": "ada"}]
    assert other == [Broken(4, "boss is 'zoe', needs the key of a work.Person that is there")]


# -- asking, showing, telling ---------------------------------------------------------------------------------------------


def test_a_new_type_is_not_taken_without_a_person_or_yes(store: Path) -> None:
    result = uac("import", "ana", file("trips.csv", TRIPS), "--as", "travel.Trip")
    assert result.exit_code == 2
    assert "travel.Trip is a new type; give --yes" in result.stderr
    assert not store.exists()


def test_a_dry_run_shows_everything_and_changes_nothing(store: Path) -> None:
    name = file("trips.csv", TRIPS + "Oslo\n")
    result = uac("import", "ana", name, "--as", "travel.Trip", "--dry-run", "--json", "--key", "id")
    assert (result.exit_code, store.exists()) == (1, False)
    assert told(result) == [
        {
            "user": "ana",
            "type": "travel.Trip",
            "new": True,
            "cardinality": "many",
            "key": ["id_"],
            "columns": [
                {"column": "City", "field": "city", "type": "str", "sample": "Paris"},
                {"column": "Start", "field": "start", "type": "date", "sample": "2024-05-01"},
                {"column": "Cost (USD)", "field": "cost_usd", "type": "Decimal | None", "sample": "300.50"},
                {"column": "id", "field": "id_", "type": "int", "sample": "7"},
            ],
            "without": [],
            "notes": [],
        },
        {"line": 4, "why": "has 1 cells, needs 4"},
        {
            "user": "ana",
            "file": "trips.csv",
            "type": "travel.Trip",
            "dry_run": True,
            "records": 2,
            "already": 0,
            "left_out": {},
            "broken": 1,
            "notes": [],
        },
    ]


@pytest.mark.parametrize(("answer", "records"), [(b"n\n", 0), (b"y\n", 2)])
def test_a_terminal_shows_the_type_and_asks(store: Path, answer: bytes, records: int) -> None:
    terminal, side = pty.openpty()
    run = subprocess.Popen(
        command("import", "ana", file("trips.csv", TRIPS), "--as", "travel.Trip"),
        stdin=side,
        stdout=side,
        stderr=side,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"},
    )
    os.close(side)
    os.write(terminal, answer)
    shown = b""
    try:
        while chunk := os.read(terminal, 1024):
            shown += chunk
    except OSError:
        pass  # the other side was closed
    os.close(terminal)
    assert run.wait() == (0 if records else 1)
    assert b"Define travel.Trip and bring in 2 lines? [y/N]" in shown
    assert b"Decimal | None" in shown
    assert store.exists() == bool(records)


def test_twenty_broken_lines_are_shown_and_the_others_counted(store: Path) -> None:
    name = file("f.csv", "a,b\n1,2\n" + "1\n" * 30)
    shown = uac("import", "ana", name, "--as", "some.Thing", "--yes")
    lines = shown.stdout.splitlines()
    assert lines[-21] == "line 3: has 1 cells, needs 2"
    assert lines[-2:] == ["line 22: has 1 cells, needs 2", "and 10 more broken lines; --json tells all"]
    everything = told(uac("import", "ana", name, "--as", "some.Thing", "--json"))
    assert [found["line"] for found in everything[:-1]] == list(range(3, 33))


# -- bad files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("f.csv", "", "f.csv: is empty, needs a header and lines"),
        ("f.csv", "\n\n", "f.csv: is empty"),
        ("f.csv", "a,b\n", "f.csv: holds no line that can be read"),
        ("f.csv", "a,b\n1\n", "f.csv: holds no line that can be read; line 2 has 1 cells, needs 2"),
        ("f.csv", "a,b,a\n1,2,3\n", "the column name 'a' stands twice (columns 1 and 3)"),
        ("f.csv", "2024-01-01,12.50\n2024-01-02,13\n", "the first line holds the value '2024-01-01', needs a header"),
        ("f.csv", "a,b\n1,2\n".encode("utf-16"), "f.csv: byte 0 is 0xff: the file is UTF-16; save it as UTF-8"),
        ("f.csv", "a,b\n1,2\n3,gr\xfcn".encode("latin-1"), "f.csv: byte 12 (line 3) is 0xfc, which is not UTF-8"),
        ("f.csv", b"PK\x03\x04...", "a zip archive; unpack it first"),
        ("f.csv", b"a\0b,c\n1,2\n", "line 1 holds a NUL character"),
        ("f.csv", "a,b\r1,2\r", "line 1 has a bare carriage return outside quotes, needs lines that end in LF or CRLF"),
        ("f.csv", '"a,b\n1,2\n', "line 1 opens a quote that is never closed; the file up to line 2 is one cell"),
        ("f.csv", ",".join(f"c{n}" for n in range(1001)) + "\n" + "x," * 1000 + "x\n", "more than 1,000 columns"),
        ("f.json", "", "f.json: is empty"),
        ("f.json", "[]", "holds no item that can be read"),
        ("f.json", "3", "line 1 needs a list of objects"),
        ("f.json", '[\n{"a": 1},\n{"a": }\n]', "f.json: line 3 is not JSON: Expecting value (character 7)"),
        ("f.json", '[\n{"a": 1}\n{"a": 2}]', "line 3 needs a comma or ] here"),
        ("f.json", '[{"a": 1},]', "line 1 has a comma before ]"),
        ("f.json", '[{"a": 1}', "line 1 needs a comma or ] here"),
        ("f.json", '[{"a": 1}] x', "line 1 goes on after the end of the list"),
        ("f.json", '[{"a": "', "line 1 is not JSON: Unterminated string"),
        ("f.json", "[" * 100_000, "line 1 is nested too deeply"),
        ("f.json", '{"a": 1}', "holds no list"),
        ("f.json", '{"a": [{"x": 1}], "b": [2]}', "holds the lists 'a' and 'b', needs one"),
        ("f.json", b'[{"a":\n "\xff"}]', "f.json: byte 9 (line 2) is 0xff, which is not UTF-8"),
        ("f.json", '[{"a": [{"b": 1}]}]', "column 'a' holds lists of objects, lists or nulls"),
        ("f.json", '[{"a": [1]}, {"a": 1}]', "column 'a' holds lists and single values"),
        ("f.jsonl", "", "f.jsonl: is empty"),
        ("f.ics", "hello\n", "holds no BEGIN:VCALENDAR"),
        ("f.vcf", "", "holds no BEGIN:VCARD"),
        ("f.xls", "a", "its ending does not tell the format, needs --format csv, json,"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_place(
    store: Path, name: str, content: str | bytes, complaint: str
) -> None:
    result = uac("import", "ana", file(name, content), "--as", "some.Thing", "--yes")
    assert (result.exit_code, complaint in result.stderr) == (3, True), result.stderr
    assert not store.exists()


def test_a_file_that_is_not_there_or_is_a_folder_is_refused(store: Path) -> None:
    missing = uac("import", "ana", "none.csv", "--as", "some.Thing", "--yes")
    assert (missing.exit_code, missing.stderr) == (3, "Refused: none.csv cannot be read: No such file or directory\n")
    Path("folder.csv").mkdir()
    folder = uac("import", "ana", "folder.csv", "--as", "some.Thing", "--yes")
    assert (folder.exit_code, folder.stderr) == (3, "Refused: folder.csv is a folder, needs a file\n")
    given = uac("import", "ana", "folder.csv", "--as", "some.Thing", "--yes", "--format", "json")
    assert given.stderr == "Refused: folder.csv cannot be read: Is a directory\n"


def test_a_file_whose_name_is_no_text_or_a_time_that_is_not_yet_is_refused(store: Path) -> None:
    name = file(os.fsdecode(b"f\xff.csv"), "a,b\n1,2\n")
    result = uac("import", "ana", name, "--as", "some.Thing", "--yes")
    assert (result.exit_code, "is a lone surrogate" in result.stderr) == (3, True)
    name = file("f.csv", "a,b\n1,2\n")
    later = uac("import", "ana", name, "--as", "some.Thing", "--yes", "--at", "2999-01-01T00:00Z")
    assert (later.exit_code, "lies in the future" in later.stderr) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["f.csv"], "--as is needed"),
        (["f.csv", "--as", "some.Thing", "--currency", "euro"], "'euro' is no currency"),
        (["f.csv", "--as", "some.Thing", "--delimiter", "::"], "needs one character"),
        (["f.csv", "--as", "some.Thing", "--field", "a"], "'a' needs COLUMN=NAME"),
    ],
)
def test_wrong_usage_is_told(store: Path, arguments: list[str], complaint: str) -> None:
    file("f.csv", "a,b\n1,2\n")
    result = uac("import", "ana", *arguments)
    assert (result.exit_code, complaint in result.stderr) == (2, True), result.stderr


def test_a_name_that_could_not_be_python_is_refused(store: Path) -> None:
    name = file("f.csv", "a,b\n1,2\n")
    for type_name in ("json.Event", "some.thing", "Thing", "some.Thing; import os"):
        assert uac("import", "ana", name, "--as", type_name, "--yes").exit_code == 3
    assert uac("import", "ana", name, "--as", "some.Thing", "--yes", "--field", "a=import").exit_code == 3
    assert not store.exists()


def test_broken_lines_do_not_stop_the_rest(store: Path) -> None:
    text = 'a,b\n1,2\n3\n4,5,6\n"x"y,1\nNUL\0,1\n\n7,8\n"open,9\n10,11\n'
    result = uac("import", "ana", file("f.csv", text), "--as", "some.Thing", "--yes", "--json")
    assert result.exit_code == 1
    _plan, *broken, summary = told(result)
    assert broken == [
        {"line": 3, "why": "has 1 cells, needs 2"},
        {"line": 4, "why": "has 3 cells, needs 2"},
        {"line": 5, "why": "is not CSV: ',' expected after '\"'"},
        {"line": 6, "why": "holds a NUL character, needs text"},
        {"line": 9, "why": "opens a quote that is never closed; the file up to line 10 is one cell"},
    ]
    assert (summary["records"], summary["left_out"], summary["broken"]) == (2, {"blank line": 1}, 5)
    assert values(store, "some.Thing") == [{"a": 1, "b": 2}, {"a": 7, "b": 8}]


def test_a_cell_of_ten_megabytes_is_kept_and_one_of_seventeen_is_a_broken_line(store: Path) -> None:
    cells = ["x" * 10_000_000, "y" * 17_000_000, "short", "\x01" * 3_000_000]
    text = "a,b\n" + "".join(f"{number},{cell}\n" for number, cell in enumerate(cells, 1))
    result = uac("import", "ana", file("f.csv", text), "--as", "some.Thing", "--yes", "--json")
    _plan, *broken, summary = told(result)
    assert [found["line"] for found in broken] == [3, 5]
    assert broken[0]["why"] == "is longer than 16 MiB, needs to be split"
    assert "needs at most 16,777,216" in broken[1]["why"]
    assert summary["records"] == 2
    assert [len(record["b"]) for record in values(store, "some.Thing")] == [10_000_000, 5]


# -- JSON -----------------------------------------------------------------------------------------------------------------


def test_json_objects_become_records_and_inner_objects_are_joined(store: Path) -> None:
    books = [
        {"title": "Emma", "isbn": "1", "pages": 474, "by": {"name": "Jane", "born": "1775-12-16"}, "tags": ["a", "b"]},
        {"title": "Ulysses", "isbn": "2", "pages": 730.5, "by": {"name": "James"}, "tags": None, "read": True},
    ]
    result = uac("import", "ana", file("books.json", json.dumps(books, indent=1)), "--as", "reading.Book", "--yes")
    assert result.exit_code == 0
    type_ = memory_at(store).project().types["reading.Book"]
    assert {field.name: (field.type, field.doc) for field in type_.fields} == {
        "title": ("str", ""),
        "isbn": ("str", ""),
        "pages": ("float", ""),
        "by_name": ("str", "by.name"),
        "by_born": ("date | None", "by.born"),
        "tags": ("list[str]", ""),
        "read": ("bool | None", ""),
    }
    assert values(store, "reading.Book") == [
        {
            "title": "Emma",
            "isbn": "1",
            "pages": 474.0,
            "by_name": "Jane",
            "by_born": date(1775, 12, 16),
            "tags": ("a", "b"),
            "read": None,
        },
        {
            "title": "Ulysses",
            "isbn": "2",
            "pages": 730.5,
            "by_name": "James",
            "by_born": None,
            "tags": (),
            "read": True,
        },
    ]
    first = next(memory_at(store).log.read(1, 2)).entry
    assert isinstance(first, Observation)
    assert first.text == json.dumps(books[0], separators=(",", ":"))


def test_an_object_with_one_list_is_a_list_and_the_rest_is_told(store: Path) -> None:
    name = file("f.json", '{"version": 2, "things": [{"a": 1}, {"a": 2}], "next": {"page": null}}')
    result = uac("import", "ana", name, "--as", "some.Thing", "--yes", "--json")
    assert told(result)[-1]["left_out"] == {"value 'version' beside the list": 1, "value 'next' beside the list": 1}
    assert values(store, "some.Thing") == [{"a": 1}, {"a": 2}]


def test_json_values_that_no_record_can_hold_break_their_item_only(store: Path) -> None:
    items = [
        '{"a": 1}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        f'{{"a": {"9" * 5000}}}',
        '{"a": 1, "a": 2}',
        '{"b.c": 1, "b": {"c": 2}}',
        '{"a": "\\ud800"}',
        "[1]",
        "null",
        '{"a": 5}',
    ]
    for name, text in (("f.json", f"[{','.join(items)}]"), ("f.jsonl", "\n".join(items))):
        result = uac("import", "ana", file(name, text), "--as", f"some.{name[2:].title()}", "--yes", "--json")
        _plan, *broken, summary = told(result)
        assert [found["why"] for found in broken] == [
            *["a is no finite number of a usable size"] * 4,
            "'a' stands twice in one object",
            "has two names that are the same once inner objects are joined with a dot",
            "holds a lone surrogate, needs text that UTF-8 can hold",
            "is a list, needs an object",
            "is null, needs an object",
        ]
        assert summary["records"] == 2


def test_values_of_several_kinds_and_huge_integers_are_kept_as_text(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('[{"a": 1, "b": 12345678901234567890, "c": [1, "x"]}, {"a": "x", "b": 1, "c": []}]')
    plan, records, _other = imported(Objects(path), Wish("some.Thing"))
    assert plan.notes == (
        "a: values of several kinds, kept as text",
        "b: integers of more than 18 digits, kept as text",
    )
    assert records == [
        {"a": "1", "b": "12345678901234567890", "c": ("1", "x")},
        {"a": "x", "b": "1", "c": ()},
    ]


def test_a_malformed_line_of_jsonl_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text('{"a": 1}\n{"a": \n\n{"a": 3}')
    _plan, records, other = imported(Objects(path, is_lines=True, noun="line"), Wish("some.Thing"))
    assert records == [{"a": 1}, {"a": 3}]
    assert other == [Broken(2, "is not JSON: Expecting value (character 1)"), Left(3, "blank line")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=5), st.integers(1, 20), st.sampled_from([None, 1]), st.booleans())
@example([0.5], 1, None, False)  # a piece may end behind the point of a number
def test_a_list_that_is_streamed_in_small_pieces_is_the_list(
    tmp_path_factory: pytest.TempPathFactory, items: list[Any], size: int, indent: int | None, is_inside: bool
) -> None:
    path = tmp_path_factory.mktemp("json") / "f.json"
    text = json.dumps({"list": items} if is_inside else items, indent=indent, ensure_ascii=is_inside)
    path.write_bytes(text.encode(errors="replace"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objects_module, "CHUNK", size)
        found = list(objects_module.read_items(path, quiet))
    whole = json.loads(path.read_bytes())
    assert found == (whole["list"] if is_inside else whole)


# -- calendars ------------------------------------------------------------------------------------------------------------

CALENDAR = r"""BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VTIMEZONE
TZID:W. Europe Standard Time
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
UID:1@example.org
SUMMARY:Dentist\, 2nd visit
DTSTART;TZID=Europe/Berlin:20240703T093000
DURATION:PT1H30M
LOCATION;LANGUAGE="de;x:y":Hauptstr. 1\nBerlin
DESCRIPTION:a long line that is fo
 lded in the middle
ATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA
BEGIN:VALARM
DESCRIPTION:not the event's
TRIGGER:-PT15M
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:2
SUMMARY:Holiday
DTSTART;VALUE=DATE:20241224
DTEND;VALUE=DATE:20241227
RRULE:FREQ=YEARLY
STATUS:CANCELLED
END:VEVENT
BEGIN:VEVENT
UID:2
RECURRENCE-ID;VALUE=DATE:20251224
DTSTART:20251226T100000Z
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTART;TZID=W. Europe Standard Time:20240701T090000
DTEND;TZID="W. Europe Standard Time":20241101T090000
END:VEVENT
BEGIN:VEVENT
UID:4
DTSTART:20240101T080000
END:VEVENT
BEGIN:VTODO
UID:5
END:VTODO
END:VCALENDAR
"""


def event(**fields: Any) -> dict[str, Any]:
    names = ("uid", "summary", "start", "end", "all_day", "location", "description", "status", "repeats")
    return {name: fields.get(name, False if name == "all_day" else None) for name in names}


def test_events_of_a_calendar_become_records(store: Path) -> None:
    result = uac("import", "ana", file("a.ics", CALENDAR.replace("\n", "\r\n")), "--yes", "--json")
    *_plan, broken, summary = told(result)
    assert broken == {"line": 50, "why": "DTSTART is 20240101T080000, a time without a zone, needs --zone"}
    assert summary["left_out"] == {"attached file": 1, "VTODO component": 1}
    moment = datetime.fromisoformat
    assert values(store, "calendar.Event") == [
        event(
            uid="1@example.org",
            summary="Dentist, 2nd visit",
            start=moment("2024-07-03T09:30+02:00"),
            end=moment("2024-07-03T11:00+02:00"),
            location="Hauptstr. 1\nBerlin",
            description="a long line that is folded in the middle",
        ),
        event(
            uid="2",
            summary="Holiday",
            start=moment("2024-12-24T00:00Z"),
            end=moment("2024-12-27T00:00Z"),
            all_day=True,
            status="CANCELLED",
            repeats="FREQ=YEARLY",
        ),
        event(uid="2/20251224", start=moment("2025-12-26T10:00Z")),
        event(uid="3", start=moment("2024-07-01T09:00+02:00"), end=moment("2024-11-01T09:00+01:00")),
    ]
    words = next(memory_at(store).log.read(4, 5)).entry
    assert isinstance(words, Observation)
    assert words.text.splitlines()[0] == "BEGIN:VEVENT"
    assert words.text.splitlines()[-1] == "END:VEVENT"
    again = uac("import", "ana", "a.ics", "--zone", "Europe/Lisbon", "--json")
    assert [told(again)[-1][name] for name in ("records", "already", "broken")] == [1, 4, 0]
    assert values(store, "calendar.Event")[-1] == event(uid="4", start=moment("2024-01-01T08:00+00:00"))


@pytest.mark.parametrize(
    ("lines", "broken"),
    [
        ("BEGIN:VEVENT|UID:1|DTSTART:20240101T000000Z|END:VCALENDAR", [Broken(2, "has no END:VEVENT")]),
        (
            "BEGIN:VEVENT|UID:1|DTSTART:20240101T000000Z",
            [
                Broken(2, "has no END:VEVENT; the file ends at line 4"),
                Broken(1, "has no END:VCALENDAR; the file may have been cut off"),
            ],
        ),
        (
            "BEGIN:VEVENT|UID:1|BEGIN:VEVENT|UID:2|DTSTART:20240101|END:VEVENT|END:VCALENDAR",
            [Broken(2, "has no END:VEVENT before line 4")],
        ),
        ("BEGIN:VEVENT|UID:1|END:VEVENT|END:VCALENDAR", [Broken(2, "has no DTSTART")]),
        (
            "BEGIN:VEVENT|DTSTART:20240101|END:VEVENT|END:VCALENDAR",
            [Broken(2, "has no UID, by which events are told apart")],
        ),
        (
            "BEGIN:VEVENT|UID:1|BEGIN:VALARM|DTSTART:20240101|END:VEVENT|END:VCALENDAR",
            [Broken(2, "the VALARM at line 4 has no END:VALARM")],
        ),
        ("BEGIN:VEVENT|UID:1|nonsense|END:VEVENT|END:VCALENDAR", [Broken(2, "line 4 is no NAME:value")]),
        (
            "BEGIN:VEVENT|UID:1|DTSTART:20240231|END:VEVENT|END:VCALENDAR",
            [Broken(2, "DTSTART is '20240231': day is out of range for month")],
        ),
        (
            "BEGIN:VEVENT|UID:1|DTSTART;TZID=Mars/Base:20240201T000000|END:VEVENT|END:VCALENDAR",
            [Broken(2, "the zone 'Mars/Base' is not known and not defined in the file, needs an IANA name")],
        ),
    ],
)
def test_an_event_that_is_not_whole_is_broken(tmp_path: Path, lines: str, broken: list[Broken]) -> None:
    path = tmp_path / "a.ics"
    path.write_text(f"BEGIN:VCALENDAR|{lines}|".replace("|", "\n"))
    assert [found for found in Calendar(path).read(quiet) if isinstance(found, Broken)] == broken


def test_a_fold_inside_a_character_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "a.ics"
    cut = "SUMMARY:grün".encode()
    lines = [b"BEGIN:VCALENDAR", b"BEGIN:VEVENT", b"UID:1", b"DTSTART:20240101", cut[:11], b" " + cut[11:]]
    path.write_bytes(b"\r\n".join([*lines, b"END:VEVENT", b"END:VCALENDAR", b""]))
    (line,) = Calendar(path).read(quiet)
    assert isinstance(line, Line)
    assert line.cells["summary"] == "grün"


# -- contacts -------------------------------------------------------------------------------------------------------------

CARDS = r"""BEGIN:VCARD
VERSION:2.1
N:Berg;Anna;;Dr.;
TEL;CELL;VOICE:+49 170 1
EMAIL;INTERNET:anna@example.org
BDAY:19850412
NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:gr=FC=
n
END:VCARD
BEGIN:VCARD
VERSION:3.0
FN:Ben Ode
ORG:ABC\, Inc.;North\; East
item1.TEL;type=HOME:1
TEL;type=WORK:2
TEL:1
BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12
PHOTO;ENCODING=b;TYPE=JPEG:AAAA
 BBBB
NOTE:one\ntwo
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:Ben  Ode
TEL;VALUE=uri:tel:+1-555
EMAIL:ben@example.org
BDAY:--0412
END:VCARD
BEGIN:VCARD
VERSION:4.0
EMAIL:nobody@example.org
END:VCARD
"""


def test_cards_of_an_address_book_become_records(store: Path) -> None:
    result = uac("import", "ana", file("a.vcf", CARDS), "--yes", "--json")
    *_plan, broken, summary = told(result)
    assert broken == {"line": 29, "why": "has no name (FN, N or ORG)"}
    assert summary["left_out"] == {
        "picture or sound": 1,
        "birthday without a year": 2,
        "card that was joined with an earlier one of the same name": 1,
    }
    assert values(store, "people.Contact") == [
        {
            "name": "Dr. Anna Berg",
            "emails": ("anna@example.org",),
            "phones": ("+49 170 1",),
            "birthday": date(1985, 4, 12),
            "organisation": None,
            "note": "grün",
        },
        {
            "name": "Ben  Ode",
            "emails": ("ben@example.org",),
            "phones": ("1", "2", "+1-555"),
            "birthday": None,
            "organisation": "ABC, Inc., North; East",
            "note": "one\ntwo",
        },
    ]
    words = next(memory_at(store).log.read(2, 3)).entry
    assert isinstance(words, Observation)
    assert "PHOTO" not in words.text


PIECES = st.sampled_from(
    "BEGIN:VCALENDAR BEGIN:VEVENT END:VEVENT END:VCALENDAR BEGIN:VCARD END:VCARD UID:1 FN:x DTSTART:20240101 "
    "DTSTART:20240101T0 DURATION:P1W DURATION:-PT5X RRULE:X BDAY:1 N:a;b SUMMARY;X= ;: =\xfc \xa0 BEGIN: END:".split()
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=12))
def test_any_text_is_read_as_cards_and_events_or_refused(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = tmp_path_factory.mktemp("components") / "f"
    path.write_bytes("\n".join(lines).encode(errors="replace"))
    for source in (Calendar(path), Contacts(path)):
        with suppress(Refused):
            assert all(isinstance(found, Line | Broken | Left) for found in source.read(quiet))


# -- conversations --------------------------------------------------------------------------------------------------------


def node(name: str, parent: str | None, role: str, *parts: Any, at: float | None = None) -> dict[str, Any]:
    content = {"content_type": "text", "parts": list(parts)}
    message = {"id": f"m-{name}", "author": {"role": role, "name": None}, "create_time": at, "content": content}
    return {"id": name, "message": message if parts else None, "parent": parent, "children": []}


def chatgpt(*nodes: dict[str, Any], current: str | None, name: str = "c1") -> dict[str, Any]:
    mapping = {node["id"]: node for node in nodes}
    return {"conversation_id": name, "create_time": 1700000000.0, "mapping": mapping, "current_node": current}


def observations(store: Path) -> list[tuple[str, str, str, str]]:
    entries = [stored.entry for stored in memory_at(store).log.read()]
    assert all(isinstance(entry, Observation) for entry in entries)
    return [
        (entry.text, entry.role, entry.session, entry.said.isoformat())
        for entry in entries
        if isinstance(entry, Observation)
    ]


def test_the_current_branch_of_a_chatgpt_conversation_is_kept(store: Path) -> None:
    nodes = [
        node("root", None, "system"),
        node("a", "root", "system", ""),
        node("b", "a", "user", "Where to?", {"content_type": "image_asset_pointer"}, at=1700000001.5),
        node("c", "b", "assistant", "Rome", at=1700000002),
        node("d", "b", "assistant", "Paris"),
        node("e", "d", "user", "Thanks", at=1700000003),
    ]
    broken = chatgpt(node("x", "y", "user", "hi"), current="x", name="c2")
    loop = chatgpt(node("x", "x", "user", "hi"), current="x", name="c3")
    king = chatgpt(node("x", None, "king", "hi"), current="x", name="c4")
    name = file("conversations.json", json.dumps([chatgpt(*nodes, current="e"), broken, loop, king]))
    result = uac("import", "ana", name, "--json")
    assert result.exit_code == 1
    assert told(result) == [
        {"conversation": 2, "why": "the node 'y' is not in the mapping or leads back to itself"},
        {"conversation": 3, "why": "the node 'x' is not in the mapping or leads back to itself"},
        {"conversation": 4, "why": "a message has the role 'king', needs one of user, assistant, tool, system"},
        {
            "user": "ana",
            "file": "conversations.json",
            "format": "chatgpt",
            "dry_run": False,
            "conversations": 4,
            "kept": 3,
            "already": 0,
            "left_out": {"message of another branch": 1, "part without words": 1},
            "broken": 3,
        },
    ]
    first = [
        ("Where to?", "user", "chatgpt:c1", "2023-11-14T22:13:21.500000+00:00"),
        ("Paris", "assistant", "chatgpt:c1", "2023-11-14T22:13:21.500000+00:00"),
        ("Thanks", "user", "chatgpt:c1", "2023-11-14T22:13:23+00:00"),
    ]
    assert observations(store) == first
    later = chatgpt(*nodes, node("f", "e", "assistant", "Welcome", at=1700000004), current="f")
    again = uac("import", "ana", file("newer.json", json.dumps([later])))
    assert again.stdout == "ana: newer.json: 1 message of 1 conversation\n"
    assert observations(store) == [*first, ("Welcome", "assistant", "chatgpt:c1", "2023-11-14T22:13:24+00:00")]


def claude(**message: Any) -> dict[str, Any]:
    common = {"uuid": "m1", "sender": "human", "created_at": "2024-05-01T10:00:00.5Z", "text": "Hello"}
    return {"uuid": "c1", "created_at": "2024-05-01T09:00:00Z", "chat_messages": [{**common, **message}]}


def test_a_claude_conversation_is_kept_with_what_was_attached_to_it(store: Path) -> None:
    attached = [{"file_name": "cv.txt", "extracted_content": "Ana, engineer"}, {"file_name": "empty.txt"}]
    talk = claude(attachments=attached, files=[{"file_name": "photo.jpg"}])
    answer = {"uuid": "m2", "sender": "assistant", "created_at": "2024-05-01T10:00:05Z", "text": ""}
    parts = [{"type": "text", "text": "Hi"}, {"type": "tool_use", "input": {}}, {"type": "text", "text": "Ana"}]
    talk["chat_messages"].append({**answer, "content": parts})
    name = file("conversations.json", json.dumps([talk]))
    dry = told(uac("import", "ana", name, "--json", "--dry-run"))[-1]
    assert (dry["kept"], store.exists()) == (3, False)
    result = told(uac("import", "ana", name, "--json"))[-1]
    assert [result[part] for part in ("kept", "left_out", "broken")] == [3, {"part without words": 3}, 0]
    assert observations(store) == [
        ("Hello", "user", "claude:c1", "2024-05-01T10:00:00.500000+00:00"),
        ("Ana, engineer", "document", "claude:c1", "2024-05-01T10:00:00.500000+00:00"),
        ("Hi\nAna", "assistant", "claude:c1", "2024-05-01T10:00:05+00:00"),
    ]


def test_a_message_that_was_changed_or_lies_in_the_future_is_told_and_the_others_are_kept(store: Path) -> None:
    uac("import", "ana", file("conversations.json", json.dumps([claude()])))
    talk = claude(text="Other words")
    talk["chat_messages"] += [
        {"uuid": "m2", "sender": "human", "created_at": "2999-01-01T00:00:00Z", "text": "later"},
        {"uuid": "m3", "sender": "human", "created_at": "2024-05-02T00:00:00Z", "text": "and more"},
    ]
    result = uac("import", "ana", file("conversations.json", json.dumps([talk])), "--json")
    future, changed, summary = told(result)
    assert "lies in the future" in future["why"]
    assert "was changed since it was imported" in changed["why"]
    assert (summary["kept"], summary["already"], summary["broken"]) == (1, 0, 2)
    assert [words for words, *_rest in observations(store)] == ["Hello", "and more"]


def test_an_export_of_chats_is_no_type(store: Path) -> None:
    name = file("conversations.json", json.dumps([claude()]))
    assert uac("import", "ana", name, "--as", "some.Thing").exit_code == 2
    assert uac("import", "ana", file("f.json", '[{"a": 1}]'), "--format", "claude").exit_code == 3
    assert not store.exists()


# -- once, and only once --------------------------------------------------------------------------------------------------


def test_the_same_file_again_adds_nothing_and_a_longer_one_its_new_lines(store: Path) -> None:
    arguments = ["import", "ana", "trips.csv", "--as", "travel.Trip", "--yes", "--json"]
    file("trips.csv", TRIPS)
    counts = []
    for text in ("", "", "Oslo,2024-07-01,5,9\n", "Oslo,2024-07-01,5,9\n"):
        file("trips.csv", TRIPS + text)
        summary = told(uac(*arguments))[-1]
        counts.append((summary["records"], summary["already"]))
    assert counts == [(2, 0), (0, 2), (1, 2), (0, 3)]
    assert [record["city"] for record in values(store, "travel.Trip")] == ["Paris", "Rome", "Oslo"]


def test_lines_that_say_the_same_are_records_of_their_own(store: Path) -> None:
    uac("import", "ana", file("f.csv", "what,price\ncoffee,2\ncoffee,2\n"), "--as", "some.Sale", "--yes")
    assert values(store, "some.Sale") == [{"what": "coffee", "price": 2}] * 2


def test_an_import_that_was_undone_can_be_made_again_in_another_way(store: Path) -> None:
    arguments = ["import", "ana", file("trips.csv", TRIPS), "--as", "travel.Trip", "--yes"]
    uac(*arguments)
    uac("retract", "ana", "3", "--why", "the id is a text")
    assert memory_at(store).project().types == {}
    assert uac(*arguments, "--field", "id=number:str").exit_code == 0
    assert [record["number"] for record in values(store, "travel.Trip")] == ["7", "8"]
    kinds = Counter(stored.kind for stored in memory_at(store).log.read())
    assert kinds == {"observation": 2, "checkpoint": 2, "retraction": 1}


def test_one_file_can_become_records_of_two_types(store: Path) -> None:
    name = file("trips.csv", TRIPS)
    uac("import", "ana", name, "--as", "travel.Trip", "--yes")
    uac("import", "ana", name, "--as", "finance.Expense", "--yes", "--without", "City")
    assert (len(values(store, "travel.Trip")), len(values(store, "finance.Expense"))) == (2, 2)
    assert Counter(stored.kind for stored in memory_at(store).log.read()) == {"observation": 2, "checkpoint": 2}


def test_lines_that_were_erased_retracted_or_dropped_do_not_come_back(store: Path) -> None:
    arguments = ["import", "ana", "f.csv", "--as", "some.Thing", "--yes", "--json"]
    file("f.csv", "a,b\n" + "".join(f"{n},x\n" for n in range(6)))
    uac(*arguments)
    memory_at(store).log.erase([2], why="asked")
    uac("retract", "ana", "4", "--why", "wrong")
    Path("p.json").write_text('[{"op": "drop", "record": "some.Thing:#7.6", "why": "never was"}]')
    assert uac("checkpoint", "ana", "p.json").exit_code == 0
    file("f.csv", Path("f.csv").read_text() + "6,new\n")
    result = uac(*arguments)
    assert told(result)[-1] == {
        "user": "ana",
        "file": "f.csv",
        "type": "some.Thing",
        "dry_run": False,
        "records": 1,
        "already": 3,
        "left_out": {
            "line that was retracted": 1,
            "line that was set aside": 1,
            "line whose words were erased before, and stay so": 1,
        },
        "broken": 0,
        "notes": [],
    }
    assert result.exit_code == 0
    assert [record["a"] for record in values(store, "some.Thing")] == [0, 2, 4, 6]


def command(*arguments: str, batch: int = 1000) -> list[str]:
    code = f"import uac.importing.run as run; run.BATCH = {batch}\nfrom uac.cli import main; main()"
    return [sys.executable, "-c", code, *arguments]


def numbered(lines: int) -> str:
    return "number,text\n" + "".join(f"{n},line {n}\n" for n in range(lines))


def check_numbered(store: Path, lines: int) -> None:
    memory = memory_at(store)
    assert memory.log.verify() is None
    assert [record.values["number"] for record in memory.project().records("some.Line")] == list(range(lines))
    entries = [stored.entry for stored in memory.log.read()]
    assert len([entry for entry in entries if isinstance(entry, Observation)]) == lines
    assert memory.project().orphans == ()


def test_an_import_that_was_killed_at_any_moment_goes_on_without_doubles(store: Path) -> None:
    lines, chance = 3000, random.Random()
    run = command("import", "ana", file("f.csv", numbered(lines)), "--as", "some.Line", "--yes", batch=40)
    reached = []
    for _kill in range(5):
        process = subprocess.Popen(run, stdout=subprocess.DEVNULL)
        begun = memory_at(store).log.head().position if store.exists() else 0
        aim, end = begun + chance.randrange(1, 700), time.monotonic() + 20
        while process.poll() is None and time.monotonic() < end and (not store.exists() or head(store) < aim):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        reached.append(head(store))
    assert subprocess.run(run, check=False, stdout=subprocess.DEVNULL).returncode == 0
    print("killed at", reached)
    assert reached == sorted(reached)
    check_numbered(store, lines)


def head(store: Path) -> int:
    opened = SqliteStore(store, create=False)
    try:
        return opened.log("ana").head().position
    finally:
        opened.close()


def test_two_that_bring_in_the_same_file_at_once_bring_it_in_once(tmp_path: Path) -> None:
    path, name = tmp_path / "memory.db", tmp_path / "f.csv"
    name.write_text(numbered(4000))
    store = SqliteStore(path)
    done: list[list[Done]] = [[], []]

    def work(index: int) -> None:
        memory, source = Memory(store.log("ana")), Rows(name)
        plan = survey(source, None, Wish("some.Line"), quiet)
        done[index] = [found for found in bring_in(memory, plan, source, said=SAID) if isinstance(found, Done)]

    threads = [threading.Thread(target=work, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    check_numbered(path, 4000)
    assert sum(found.records for part in done for found in part) == 4000
    assert [sum(found.records + found.already for found in part) for part in done] == [4000, 4000]


def test_what_others_write_in_between_does_not_disturb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "BATCH", 10)
    name = tmp_path / "f.csv"
    name.write_text(numbered(35))
    memory, source = Memory(MemoryStore().log("ana")), Rows(name)
    plan = survey(source, None, Wish("some.Line"), quiet)
    for found in bring_in(memory, plan, source, said=SAID):
        assert isinstance(found, Done)
        memory.add("somebody speaks")
    project = memory.project()
    assert [record.values["number"] for record in project.records("some.Line")] == list(range(35))
    explained = memory.explain(project.records("some.Line")[34].id, "text").claims[0].evidence[0]
    assert explained.words == "34,line 34"


def test_memory_stays_flat_however_long_the_file(tmp_path: Path) -> None:
    peaks = []
    for lines in (1500, 3000):
        name = tmp_path / f"{lines}.csv"
        name.write_text(numbered(lines))
        store = SqliteStore(tmp_path / f"{lines}.db")
        memory, source = Memory(store.log("ana")), Rows(name)
        tracemalloc.start()
        plan = survey(source, None, Wish("some.Line"), quiet)
        records = sum(found.records for found in bring_in(memory, plan, source, said=SAID) if isinstance(found, Done))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        store.close()
        assert records == lines
    assert peaks[1] < peaks[0] * 1.2
