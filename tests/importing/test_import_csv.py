"""CSV files become typed records that lead back to their lines."""

import csv
from datetime import date, datetime
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.importing import TRIPS, column, file, imported, memory_at, texts, uac, values
from uac.errors import Refused
from uac.importing import BadLine, CsvRows, PlanOptions, ReadingOptions
from uac.importing.field_names import field_names
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.schema.entries import Observation
from uac.schema.patches import Define
from uac.schema.safe_text import is_blank
from uac.schema.types import check_type
from uac.schema.values import EARLIEST, LATEST, Money


def test_a_csv_file_becomes_typed_records_that_lead_back_to_their_lines(store: Path) -> None:
    result = uac("import", "ana", file("trips.csv", TRIPS), "--as", "journeys.Trip", "--yes")
    assert result.stdout == (
        "journeys.Trip: event, no key, new\n"
        "City\tcity\tstr\tParis\n"
        "Start\tstart\tdate\t2024-05-01\n"
        "Cost (USD)\tcost_usd\tDecimal | None\t300.50\n"
        "id\tid_\tint\t7\n"
        "ana: trips.csv: 2 records of journeys.Trip\n"
    )
    assert values(store, "journeys.Trip") == [
        {"city": "Paris", "start": date(2024, 5, 1), "cost_usd": Decimal("300.50"), "id_": 7},
        {"city": "Rome", "start": date(2024, 6, 1), "cost_usd": None, "id_": 8},
    ]
    memory = memory_at(store)
    kinds = [stored.kind for stored in memory.log.read()]
    assert kinds == ["observation", "observation", "checkpoint"]
    assert [field.doc for field in memory.project().types["journeys.Trip"].fields] == [
        "City",
        "Start",
        "Cost (USD)",
        "id",
    ]
    record = memory.project().records("journeys.Trip")[1]
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
        (("01.02.2024", "03.04.2024"), "date", [date(2024, 2, 1), date(2024, 4, 3)]),
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
            ("01/02/2024", "03/04/2024"),
            (
                "value: day and month are ambiguous in every line ('01/02/2024'), kept as text; "
                "--dates day-first or month-first makes them dates"
            ),
            {"dates": "month-first"},
            [date(2024, 1, 2), date(2024, 3, 4)],
        ),
        (
            ("1,234", "2"),
            (
                "value: thousands and fractions are ambiguous ('1,234'), kept as text; "
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
