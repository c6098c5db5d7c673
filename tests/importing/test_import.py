"""uac import: tables and JSON become typed records that lead back to their lines."""

import csv
import json
import os
import pty
import subprocess
from datetime import date, datetime
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.importing import TRIPS, column, command, file, imported, memory_at, quiet, texts, told, uac, values
from support.short_logs import type_of
from uac.errors import Refused
from uac.importing import BadLine, CsvRows, JsonObjects, PlanOptions, ReadingOptions, Skipped
from uac.importing import import_file as run_module
from uac.importing import json_files as objects_module
from uac.importing.field_names import field_names
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.schema.entries import Observation
from uac.schema.patches import Define
from uac.schema.safe_text import is_blank
from uac.schema.types import check_type
from uac.schema.values import EARLIEST, LATEST, MAX_TEXT, Money

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
        (("1e15", "2"), "str", ["1e15", "2"]),
        (("2024-01-31T25:00Z", "2024-01-31T09:30Z"), "str", ["2024-01-31T25:00Z", "2024-01-31T09:30Z"]),
        (("USD 5 EUR", "3 USD"), "str", ["USD 5 EUR", "3 USD"]),
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
    _plan, records, other = imported(CsvRows(path), PlanOptions("some.Thing"))
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
    blank = [row for row in rows if all(map(is_blank, row))]
    try:
        _plan, records, other = imported(CsvRows(path), PlanOptions("some.Row"), memory)
    except Refused:
        assert len(blank) == len(rows)
        return
    told = [{name: cell.strip() for name, cell in zip(names, row, strict=True) if not is_blank(cell)} for row in rows]
    found = [{name: text for name, text in record.items() if text is not None} for record in records]
    assert found == [row for row in told if row]
    assert [item.why for item in other if isinstance(item, BadLine) and "names no fields" not in item.why] == []
    assert len(other) == len(blank)


VALUES = st.one_of(
    st.just(""),
    st.text("0123456789.,-eE+€$ EURUSD:/TZ", max_size=14),
    st.integers().map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.dates(EARLIEST, LATEST).map(str),
    st.dates(EARLIEST, LATEST).map(lambda day: f"{day.day}.{day.month}.{day.year:04}"),
    st.datetimes(
        datetime.combine(EARLIEST, clock()),
        datetime.combine(LATEST, clock()),
        timezones=st.one_of(st.none(), st.timezones()),
    ).map(str),
    st.times().map(str),
    st.sampled_from(["yes", "no", "true", "12.50 EUR", "1,234", "1.234,5", "'a\\b'"]),
)


@given(
    st.sampled_from(["value", "cost_usd"]),
    st.lists(VALUES, min_size=1, max_size=8) | VALUES.map(lambda value: [value] * 3),
    st.builds(
        ReadingOptions,
        zone=st.sampled_from([None, ZoneInfo("Europe/Berlin")]),
        dates=st.sampled_from(["", "day-first"]),
        decimal=st.sampled_from(["", "comma"]),
        currency=st.sampled_from(["", "CHF"]),
        is_money=st.booleans(),
    ),
)
def test_no_line_is_broken_in_a_file_whose_type_was_found(
    tmp_path_factory: pytest.TempPathFactory, name: str, cells: list[str], reading: ReadingOptions
) -> None:
    path = tmp_path_factory.mktemp("csv") / "f.csv"
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([("n", name), *((f"row {n}", cell) for n, cell in enumerate(cells))])
    plan, records, other = imported(CsvRows(path), PlanOptions("some.Thing", reading=reading))
    assert other == []
    assert len(records) == len(cells)
    # A second file of the same texts is read in the same way into the type that is there now.
    memory = Memory(MemoryStore().log("ana"))
    memory.checkpoint([Define(type=plan.type)])
    assert imported(CsvRows(path), PlanOptions("some.Thing", reading=reading), memory)[1:] == (records, [])


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
        ",05.01.2024,1 EUR,aisle,\n"
        "Bonn,05.01.2024,1 EUR,roof,\n",
    )
    result = uac("import", "ana", name, "--as", "travel.Trip")
    assert result.exit_code == 1
    assert result.stdout == (
        "ana: trips.csv: 1 record of travel.Trip\n"
        "line 3: Cost is '12.50'. Use an amount and a currency such as 12.50 EUR.\n"
        "line 4: Start is 'soon'. Use a date that exists, such as 31.12.2024.\n"
        "line 5: City is empty. Use a value of type str.\n"
        "line 6: seat is 'roof', needs one of 'aisle', 'window'\n"
    )
    money = Money(Decimal("12.50"), "EUR")
    paris = {"city": "Paris", "start": date(2024, 12, 31), "cost": money, "seat": "aisle", "tags": ("sun", "sea")}
    assert values(store, "travel.Trip") == [paris]
    again = uac("import", "ana", name, "--as", "travel.Trip", "--currency", "EUR", "--missing", "roof")
    assert again.stdout.splitlines()[0] == "ana: trips.csv: 2 records of travel.Trip"
    assert [record["city"] for record in values(store, "travel.Trip")] == ["Paris", "Rome", "Bonn"]


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
            "line 2: start is '01.02.2024'. Use a date that exists, such as 2024-12-31.\n"
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
        (
            ["--without", "Cost (USD)", "--without", "id", "--key", "city"],
            "exists already and has no key. Drop the option",
        ),
        (
            ["--without", "Cost (USD)", "--without", "id", "--one"],
            "exists already and is event, not one. Drop the option",
        ),
        (["--without", "Cost (USD)", "--without", "id", "--without", "City"], "travel.Trip needs city"),
        (["--without", "price"], "has no column 'price'. Use one of 'City', 'Start', 'Cost (USD)', 'id'."),
        (["--without", "id", "--field", "Cost (USD)=city"], "columns 'City' and 'Cost (USD)' both fill city"),
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
        "line 3: isbn is empty. Use a value of type str.",
    ]
    (book,) = memory_at(store).project().records("reading.Book")
    assert (book.id, [claim.value for claim in book.claims["title"]]) == ("reading.Book:1-2", ["Emma", "Emma (2nd)"])


def test_a_second_line_of_what_there_is_only_one_of_is_broken(store: Path) -> None:
    name = file("f.csv", "city,street\nOslo,Gate 1\nParis,Rue 2\n")
    for _time in range(2):
        result = uac("import", "ana", name, "--as", "home.Address", "--one", "--yes")
        assert (result.exit_code, values(store, "home.Address")) == (1, [{"city": "Oslo", "street": "Gate 1"}])
        assert "line 3: home.Address can have only one record, and line 2 gave it. Keep one of the lines." in (
            result.stdout
        )


def test_records_may_refer_to_earlier_lines_of_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "BATCH", 1)
    memory = Memory(MemoryStore().log("ana"))
    memory.checkpoint([Define(type=type_of("work.Person", key=["name"], name="str", boss="work.Person | None"))])
    path = tmp_path / "f.csv"
    path.write_text("name,boss\nAda,\nBen,ada\nCleo,zoe\n")
    _plan, records, other = imported(CsvRows(path), PlanOptions("work.Person"), memory)
    assert records == [{"name": "Ada", "boss": None}, {"name": "Ben", "boss": "ada"}]
    assert other == [BadLine(4, "boss is 'zoe'. Use the key of an existing work.Person.")]


# -- asking, showing, telling ---------------------------------------------------------------------------------------------


def test_a_new_type_is_not_taken_without_a_person_or_yes(store: Path) -> None:
    result = uac("import", "ana", file("trips.csv", TRIPS), "--as", "travel.Trip")
    assert result.exit_code == 2
    assert "travel.Trip is a new type. Check it with --dry-run, then give --yes" in result.stderr
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
        {"line": 4, "why": "has 1 cells. Give it 4, like the header."},
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
            "alerts": [],
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
    assert b"Define travel.Trip and import 2 lines? [y/N]" in shown
    assert b"Decimal | None" in shown
    assert store.exists() == bool(records)


def test_twenty_broken_lines_are_shown_and_the_others_counted(store: Path) -> None:
    name = file("f.csv", "a,b\n1,2\n" + "1\n" * 30)
    shown = uac("import", "ana", name, "--as", "some.Thing", "--yes")
    lines = shown.stdout.splitlines()
    assert lines[-21] == "line 3: has 1 cells. Give it 2, like the header."
    assert lines[-2:] == [
        "line 22: has 1 cells. Give it 2, like the header.",
        "and 10 more broken lines; --json lists all",
    ]
    everything = told(uac("import", "ana", name, "--as", "some.Thing", "--json"))
    assert [found["line"] for found in everything[:-1]] == list(range(3, 33))


# -- bad files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("f.csv", "", "f.csv is empty. Add a header and lines."),
        ("f.csv", "\n\n", "f.csv is empty"),
        ("f.csv", "a,b\n", "f.csv has no valid line. Add one."),
        (
            "f.csv",
            "a,b\n1\n",
            "f.csv has no valid line. Line 2 has 1 cells. Give it 2, like the header.",
        ),
        ("f.csv", "a,b,a\n1,2,3\n", "columns 1 and 3 are both named 'a'. Give each column its own name."),
        ("f.csv", "2024-01-01,12.50\n2024-01-02,13\n", "the first line has the value '2024-01-01'. Make it a header"),
        ("f.csv", "a,b\n1,2\n".encode("utf-16"), "f.csv: byte 0 is 0xff: the file is UTF-16. Save it as UTF-8"),
        ("f.csv", "a,b\n1,2\n3,gr\xfcn".encode("latin-1"), "f.csv: byte 12 (line 3) is 0xfc, which is not UTF-8"),
        ("f.csv", b"PK\x03\x04...", "a zip archive. Unpack it first"),
        ("f.csv", b"a\0b,c\n1,2\n", "line 1 has a NUL character. Save the file as text."),
        ("f.csv", "a,b\r1,2\r", "line 1 has a bare carriage return outside quotes. End lines with LF or CRLF."),
        ("f.csv", '"a,b\n1,2\n', "line 1 opens a quote that is never closed, up to line 2. Close it."),
        ("f.csv", ",".join(f"c{n}" for n in range(1001)) + "\n" + "x," * 1000 + "x\n", "more than 1,000 columns"),
        ("f.json", "", "f.json is empty"),
        ("f.json", "[]", "f.json has no valid item. Add one."),
        ("f.json", "3", "line 1 does not start a list. Use a list of objects"),
        ("f.json", '[\n{"a": 1},\n{"a": }\n]', "f.json: line 3 is not JSON: Expecting value (character 7)"),
        ("f.json", '[\n{"a": 1}\n{"a": 2}]', "line 3 has an item without a comma or ] after it. Add one."),
        ("f.json", '[{"a": 1},]', "line 1 has a comma before ]"),
        ("f.json", '[{"a": 1}', "line 1 has an item without a comma or ] after it. Add one."),
        ("f.json", '[{"a": 1}] x', "line 1 goes on after the end of the list"),
        ("f.json", '[{"a": "', "line 1 is not JSON: Unterminated string"),
        ("f.json", "[" * 100_000, "line 1 is nested too deeply"),
        ("f.json", '{"a": 1}', "f.json has no list. Use a list of objects"),
        ("f.json", '{"a": [{"x": 1}], "b": [2]}', "f.json has the lists 'a' and 'b'. Keep one."),
        ("f.json", b'[{"a":\n "\xff"}]', "f.json: byte 9 (line 2) is 0xff, which is not UTF-8"),
        ("f.json", '[{"a": [{"b": 1}]}]', "column 'a' has lists of objects, lists or nulls. Use lists of plain values"),
        ("f.json", '[{"a": [1]}, {"a": 1}]', "column 'a' has lists and single values. Use one of the two"),
        ("f.jsonl", "", "f.jsonl is empty"),
        ("f.ics", "hello\n", "has no BEGIN:VCALENDAR with events. Use an iCalendar file."),
        ("f.vcf", "", "has no BEGIN:VCARD. Use a vCard file."),
        ("f.xls", "a", "f.xls has an unknown extension. Use --format with one of csv, json,"),
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
    assert (missing.exit_code, missing.stderr) == (
        3,
        "Refused: none.csv cannot be read: No such file or directory. Check its path and permissions.\n",
    )
    Path("folder.csv").mkdir()
    folder = uac("import", "ana", "folder.csv", "--as", "some.Thing", "--yes")
    assert (folder.exit_code, folder.stderr) == (3, "Refused: folder.csv is a folder. Name a file in it.\n")
    given = uac("import", "ana", "folder.csv", "--as", "some.Thing", "--yes", "--format", "json")
    assert given.stderr == "Refused: folder.csv cannot be read: Is a directory. Check its path and permissions.\n"


def test_a_file_whose_name_is_no_text_or_a_time_that_is_not_yet_is_refused(store: Path) -> None:
    name = file(os.fsdecode(b"f\xff.csv"), "a,b\n1,2\n")
    result = uac("import", "ana", name, "--as", "some.Thing", "--yes")
    assert (result.exit_code, "is a lone surrogate" in result.stderr) == (3, True)
    name = file("f.csv", "a,b\n1,2\n")
    later = uac("import", "ana", name, "--as", "some.Thing", "--yes", "--at", "2999-01-01T00:00Z")
    assert (later.exit_code, "is in the future" in later.stderr) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["f.csv"], "--as is missing"),
        (["f.csv", "--as", "some.Thing", "--currency", "euro"], "'euro' is not a currency"),
        (["f.csv", "--as", "some.Thing", "--delimiter", "::"], "Use one character"),
        (["f.csv", "--as", "some.Thing", "--field", "a"], "'a' is incomplete. Use COLUMN=NAME"),
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
        {"line": 3, "why": "has 1 cells. Give it 2, like the header."},
        {"line": 4, "why": "has 3 cells. Give it 2, like the header."},
        {"line": 5, "why": "is not CSV: ',' expected after '\"'. Correct it."},
        {"line": 6, "why": "has a NUL character. Remove it."},
        {"line": 9, "why": "opens a quote that is never closed, up to line 10. Close it."},
    ]
    assert (summary["records"], summary["left_out"], summary["broken"]) == (2, {"blank line": 1}, 5)
    assert values(store, "some.Thing") == [{"a": 1, "b": 2}, {"a": 7, "b": 8}]


def test_a_long_cell_is_kept_up_to_the_bound_of_texts_and_beyond_it_is_a_broken_line(store: Path) -> None:
    cells = ["x" * MAX_TEXT, "y" * (MAX_TEXT + 1), "z" * 17_000_000, "short", "\x01" * 3_000_000]
    text = "a,b\n" + "".join(f"{number},{cell}\n" for number, cell in enumerate(cells, 1))
    result = uac("import", "ana", file("f.csv", text), "--as", "some.Thing", "--yes", "--json")
    _plan, *broken, summary = told(result)
    assert {found["line"]: found["why"][:60] for found in broken} == {
        3: "b has 20,001 characters, needs at most 20,000; add the whole",
        4: "is longer than 16 MiB. Split it.",
        6: "observation: 18,000,195 bytes, and at most 16,777,216 are al",
    }
    assert summary["records"] == 2
    assert [len(record["b"]) for record in values(store, "some.Thing")] == [MAX_TEXT, 5]


def test_a_date_that_stands_for_never_is_a_broken_line_until_it_is_said_to_be_missing(store: Path) -> None:
    name = file("f.csv", "what,until\npassport,2031-05-01\nbadge,9999-12-31\nkey,0001-01-01\n")
    result = uac("import", "ana", name, "--as", "some.Paper", "--yes")
    assert result.stdout.splitlines()[-3:] == [
        "ana: f.csv: 1 record of some.Paper",
        "line 3: until is '9999-12-31'. Use a date from 1000-01-01 to 2999-12-31, or --missing for texts that mean no date.",
        "line 4: until is '0001-01-01'. Use a date from 1000-01-01 to 2999-12-31, or --missing for texts that mean no date.",
    ]
    missing = ("--missing", "9999-12-31", "--missing", "0001-01-01")
    assert uac("import", "ana", name, "--as", "some.Badge", "--yes", *missing).exit_code == 0
    assert [record["until"] for record in values(store, "some.Badge")] == [date(2031, 5, 1), None, None]


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
            *["a is not a finite number of a usable size. Use one below 10**15."] * 4,
            "'a' occurs twice in one object. Remove one.",
            "has two names that are equal once inner objects are joined with a dot. Rename one.",
            "has a lone surrogate, which UTF-8 cannot encode. Remove it.",
            "is a list. Use an object.",
            "is null. Use an object.",
        ]
        assert summary["records"] == 2


def test_values_of_several_kinds_and_huge_integers_are_kept_as_text(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('[{"a": 1, "b": 12345678901234567890, "c": [1, "x"]}, {"a": "x", "b": 1, "c": []}]')
    plan, records, _other = imported(JsonObjects(path), PlanOptions("some.Thing"))
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
    _plan, records, other = imported(JsonObjects(path, is_lines=True, noun="line"), PlanOptions("some.Thing"))
    assert records == [{"a": 1}, {"a": 3}]
    assert other == [BadLine(2, "is not JSON: Expecting value (character 1). Correct it."), Skipped(3, "blank line")]


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
