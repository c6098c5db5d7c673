"""uac import: what a person can say, is asked and is shown, and files that are refused."""

import os
import pty
import subprocess
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from support.importing import TRIPS, command, file, imported, memory_at, told, uac, values
from support.short_logs import type_of
from uac.importing import BadLine, CsvRows, PlanOptions
from uac.importing import import_file as run_module
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.schema.patches import Define
from uac.schema.values import MAX_TEXT, Money

# -- a type that is there, and what a person can say ----------------------------------------------------------------------


def test_a_type_that_is_there_is_used_and_misfits_are_broken_lines(store: Path) -> None:
    fields = ["city:str", "start:date", "cost:Money | None", "seat:Literal['aisle', 'window'] | None", "tags:list[str]"]
    uac("define", "ana", "journeys.Trip", *fields, "--event")
    name = file(
        "trips.csv",
        "City,Start,Cost,Seat,Tags\n"
        'Paris,31.12.2024,12.50 EUR,aisle,"sun, sea"\n'
        "Rome,01.02.2024,12.50,window,\n"
        "Oslo,soon,,aisle,\n"
        ",05.01.2024,1 EUR,aisle,\n"
        "Bonn,05.01.2024,1 EUR,roof,\n",
    )
    result = uac("import", "ana", name, "--as", "journeys.Trip")
    assert result.exit_code == 1
    assert result.stdout == (
        "ana: trips.csv: 1 record of journeys.Trip\n"
        "line 3: Cost is '12.50'. Use an amount and a currency such as 12.50 EUR.\n"
        "line 4: Start is 'soon'. Use a date that exists, such as 31.12.2024.\n"
        "line 5: City is empty. Use a value of type str.\n"
        "line 6: seat is 'roof'. Use one of 'aisle', 'window'.\n"
    )
    money = Money(Decimal("12.50"), "EUR")
    paris = {"city": "Paris", "start": date(2024, 12, 31), "cost": money, "seat": "aisle", "tags": ("sun", "sea")}
    assert values(store, "journeys.Trip") == [paris]
    again = uac("import", "ana", name, "--as", "journeys.Trip", "--currency", "EUR", "--missing", "roof")
    assert again.stdout.splitlines()[0] == "ana: trips.csv: 2 records of journeys.Trip"
    assert [record["city"] for record in values(store, "journeys.Trip")] == ["Paris", "Rome", "Bonn"]


def test_dates_of_a_known_type_that_cannot_be_told_apart_break_their_lines_until_a_person_says_which(
    store: Path,
) -> None:
    uac("define", "ana", "journeys.Trip", "city:str", "start:date", "--event")
    name = file("trips.csv", "city,start\nParis,01/02/2024\n")
    result = uac("import", "ana", name, "--as", "journeys.Trip")
    assert (result.exit_code, result.stdout, result.stderr) == (
        1,
        (
            "ana: trips.csv: 0 records of journeys.Trip\n"
            "line 2: start is '01/02/2024'. Use a date that exists, such as 2024-12-31.\n"
        ),
        "start: its values can be read in several ways ('01/02/2024'), see --dates and --decimal\n",
    )
    assert uac("import", "ana", name, "--as", "journeys.Trip", "--dates", "day-first").exit_code == 0
    assert values(store, "journeys.Trip") == [{"city": "Paris", "start": date(2024, 2, 1)}]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "journeys.Trip has no field for column 'Cost (USD)'"),
        (["--without", "Cost (USD)"], "journeys.Trip has no field for column 'id'"),
        (
            ["--without", "Cost (USD)", "--without", "id", "--key", "city"],
            "exists already and has no key. Drop the option",
        ),
        (
            ["--without", "Cost (USD)", "--without", "id", "--one"],
            "exists already and is event, not one. Drop the option",
        ),
        (["--without", "Cost (USD)", "--without", "id", "--without", "City"], "journeys.Trip needs city"),
        (["--without", "price"], "has no column 'price'. Use one of 'City', 'Start', 'Cost (USD)', 'id'."),
        (["--without", "id", "--field", "Cost (USD)=city"], "columns 'City' and 'Cost (USD)' both fill city"),
    ],
)
def test_columns_that_do_not_suit_the_type_are_refused_before_anything_is_written(
    store: Path, arguments: list[str], complaint: str
) -> None:
    uac("define", "ana", "journeys.Trip", "city:str", "start:date", "--event")
    result = uac("import", "ana", file("trips.csv", TRIPS), "--as", "journeys.Trip", *arguments)
    assert result.exit_code == 3
    assert complaint in result.stderr
    assert memory_at(store).log.head().position == 1


def test_fields_can_be_named_typed_and_left_out(store: Path) -> None:
    arguments = ["--field", "id=number:str", "--field", "Cost (USD)=cost", "--without", "Start", "--doc", "A trip."]
    name = file("trips.csv", TRIPS)
    for _time in range(2):
        result = uac("import", "ana", name, "--as", "journeys.Trip", "--yes", "--key", "City", *arguments)
        assert result.exit_code == 0
    type_ = memory_at(store).project().types["journeys.Trip"]
    assert (type_.doc, type_.cardinality, type_.key) == ("A trip.", "many", ("city",))
    assert values(store, "journeys.Trip") == [
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
    result = uac("import", "ana", file("trips.csv", TRIPS), "--as", "journeys.Trip")
    assert result.exit_code == 2
    assert "journeys.Trip is a new type. Check it with --dry-run, then give --yes" in result.stderr
    assert not store.exists()


def test_a_dry_run_shows_everything_and_changes_nothing(store: Path) -> None:
    name = file("trips.csv", TRIPS + "Oslo\n")
    result = uac("import", "ana", name, "--as", "journeys.Trip", "--dry-run", "--json", "--key", "id")
    assert (result.exit_code, store.exists()) == (1, False)
    assert told(result) == [
        {
            "user": "ana",
            "type": "journeys.Trip",
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
            "type": "journeys.Trip",
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
        command("import", "ana", file("trips.csv", TRIPS), "--as", "journeys.Trip"),
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
    assert b"Define journeys.Trip and import 2 lines? [y/N]" in shown
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
        (["f.csv"], "--as is missing. Give the type of the records: finance.Transaction for a bank's export"),
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
    for type_name in ("Thing", "some.", ".Thing"):
        assert uac("import", "ana", name, "--as", type_name, "--yes").stderr == (
            f"Refused: --as: {type_name!r} is not a type name. Use domain.Type, such as reading.Book.\n"
        )
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
        3: "b has 20,001 characters; at most 20,000 are allowed. Add the",
        4: "is longer than 16 MiB. Split it.",
        6: "observation: 18,000,224 bytes, and at most 16,777,216 are al",
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
