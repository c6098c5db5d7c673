"""The rendered project: golden files, plain Python that runs, and text that stays text."""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.paths import TESTS
from support.short_logs import ALLERGY, PASSPORT, PERSON, TRIP, Story, type_of
from uac.errors import Refused
from uac.project.export import export, export_git
from uac.project.project import Project
from uac.project.read_edits import position_before_edits, read_edits
from uac.project.render import CHUNK, render
from uac.project.render_manifest import render_manifest
from uac.schema.literals import text_literal
from uac.schema.patches import Amend, End, Put, SetAside
from uac.schema.values import dump_value

GOLDEN = TESTS / "golden"

READER = """
import json, sys
from dataclasses import asdict, is_dataclass
from datetime import date, datetime, time, timedelta
import importlib

def plain(value):
    if isinstance(value, list):
        return [plain(item) for item in value]
    if type(value).__name__ == "Money":
        return f"{value.amount} {value.currency}"
    if is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)

names = json.loads(sys.argv[1])
print(json.dumps({f"{d}.{n}": plain(getattr(importlib.import_module(f"domains.{d}"), n)) for d, n in names}))
"""


def a_life() -> Story:
    """A project with every kind of field, an ended record, a correction and a conflict."""
    story = Story()
    story.types(
        PERSON,
        ALLERGY,
        PASSPORT,
        type_of(
            "travel.Trip",
            cardinality="event",
            doc="A journey: 'there' and \"back\"",
            policy={"tags": "union"},
            city="str",
            start="date",
            cost="Money | None",
            seat="Literal['window', 'aisle'] | None",
            tags="list[str]",
            companion="people.Person | None",
            leaves="datetime | None",
            meal="time | None",
            takes="timedelta | None",
            fare="Literal['a very long fare name', 'another very long fare name', 'a third one'] | None",
            rating="float | None",
            paid="bool",
        ),
        type_of("home.Meter", key=["number"], policy={"reading": "ask"}, number="int", reading="Decimal"),
    )
    story.tell("people.Person", name="Maria López", born="1990-02-03")
    trip = story.tell(
        "travel.Trip",
        city='Say "Ålesund"',
        start="2026-05-01",
        cost="1300.50 EUR",
        seat="aisle",
        tags=["sea", "a tag that is quite long, really", "another tag that is rather long"],
        companion="maria lópez",
        leaves="2026-05-01T07:15:00+02:00",
        meal="12:30",
        takes="PT3H5M",
        fare="a third one",
        rating=4.5,
        paid=True,
    )
    gone = story.tell("travel.Trip", city="Rome", start="2026-06-01", paid=False)
    story.tell("health.Allergy", substance="penicillin", severity="severe")
    story.tell("home.Meter", number=7, reading="10.5")
    story.tell("home.Meter", number=7, reading="11.5")
    story.memory.correct(trip, "start", "2026-05-02", why="a slip")
    story.change(End(record=gone, when="2026-03-01", why="cancelled", cites=(story.fact("We cancelled Rome"),)))
    story.change(SetAside(cites=(story.fact("Nice weather"),), why="small talk", domain="travel"))
    story.fact("I may go to Oslo")
    return story


def lay(files: dict[str, str], folder: Path) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def python(folder: Path, code: str, *arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.')\n{code}", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def loaded(project: Project, folder: Path) -> Any:
    """What plain CPython sees when it imports the rendered project."""
    names = [(t.domain, n) for t in project.types.values() for n in (t.collected_as, t.former)]
    return json.loads(python(folder, READER, json.dumps(names)))


def expected(project: Project) -> Any:
    """The same from the Project object."""
    found: dict[str, Any] = {}
    for type_ in project.types.values():
        records = project.records(type_.full_name)
        objects = {
            standing: [
                {name: shown(value, type_, name) for name, value in record.values.items()}
                for record in records
                if (record.ended is None) == standing
            ]
            for standing in (True, False)
        }
        single = type_.cardinality == "one"
        found[f"{type_.domain}.{type_.collected_as}"] = next(iter(objects[True]), None) if single else objects[True]
        found[f"{type_.domain}.{type_.former}"] = objects[False]
    return found


def shown(value: Any, type_: Any, name: str) -> Any:
    if hasattr(value, "total_seconds"):
        return value.total_seconds()
    if value is None and type_.field(name).type.startswith("list"):
        return []
    return dump_value(value)


def test_the_rendered_project_is_the_golden_one(request: pytest.FixtureRequest) -> None:
    files = render(a_life().project)
    folder = GOLDEN / "a_life"
    if request.config.getoption("--golden"):
        lay(files, folder)
    assert {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.py"))} == files


@pytest.mark.parametrize(
    "folder", sorted(path for path in GOLDEN.glob("*") if path.is_dir()), ids=lambda path: path.name
)
def test_a_golden_project_runs_in_plain_python_and_holds_the_same_objects(folder: Path) -> None:
    project = a_life().project
    assert loaded(project, folder) == expected(project)
    python(folder, "import tests.test_state as t\nfor n in dir(t):\n if n.startswith('test_'): getattr(t, n)()")
    assert python(folder, "from domains import travel; print(len(travel.trips))") == "1\n"


def test_the_formatter_would_change_nothing(tmp_path: Path) -> None:
    lay(render(a_life().project), tmp_path)
    ruff = Path(sys.executable).parent / "ruff"
    run = subprocess.run(
        [ruff, "format", "--diff", "--isolated", tmp_path], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout


def test_the_same_log_gives_the_same_bytes() -> None:
    story = a_life()
    assert render(story.project) == render(story.refolded())


def test_the_manifest_stays_small_however_large_the_state() -> None:
    story = Story()
    story.types(
        *(
            type_of(
                f"domain{n % 7}.Kind{n}",
                cardinality="event",
                **dict[str, Any]({f"field_{k}": "str | None" for k in range(9)}),
            )
            for n in range(40)
        )
    )
    empty = render_manifest(story.project)
    for n in range(40):
        story.tell(f"domain{n % 7}.Kind{n}", field_1="x")
    full = render_manifest(story.project)
    assert max(len(empty), len(full)) <= 2000
    assert "RECORDS = {}" in empty
    assert '"domain0": "kind0s 1: field_1?, …; kind14s 1: field_1?, …;' in full
    for n in range(40, 160):
        story.types(type_of(f"domain{n % 40}.Kind{n}", cardinality="event", field_1="str"))
        story.tell(f"domain{n % 40}.Kind{n}", field_1="x")
    crowded = render_manifest(story.project)
    assert len(crowded) <= 2000
    assert '"domain0": "9 collections, 9 records"' in crowded
    assert "more domains" in crowded


def test_the_manifest_of_any_project_is_formatted_python(tmp_path: Path) -> None:
    for count in (0, 1, 5, 20, 60):
        story = Story()
        if count:
            story.types(*(type_of(f"d{n % 9}.Kind{n}", cardinality="event", some_field="str") for n in range(count)))
        (tmp_path / f"m{count}.py").write_text(render_manifest(story.project))
    ruff = Path(sys.executable).parent / "ruff"
    run = subprocess.run(
        [ruff, "format", "--diff", "--isolated", tmp_path], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout


HOSTILE = [
    '"""\nimport os\nos.system("touch /tmp/pwned")\n"""',
    "'); import os; ('",
    "\\",
    "\\N{BULLET}",
    "{__import__('os')}",
    "a\u2028\u2029\x00\x0c\r\nb",
    "\u202e\u2066x",
    "# -*- coding: utf-7 -*-",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_everywhere(text: str, tmp_path: Path) -> None:
    story = Story()
    story.types(
        type_of("notes.Note", cardinality="event", doc=text, body="str", tags="list[str]"),
    )
    story.tell("notes.Note", body=text, tags=[text, text])
    lay(render(story.project), tmp_path)
    assert loaded(story.project, tmp_path) == expected(story.project)


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_every_text_survives_as_a_literal(text: str) -> None:
    import ast

    assert ast.literal_eval(text_literal(text)) == text


def test_a_large_state_is_split_into_files(tmp_path: Path) -> None:
    story = Story()
    story.types(TRIP)
    position = story.fact("many trips")
    count = CHUNK + 5
    story.change(
        *(
            Put(type="travel.Trip", fields={"city": str(n), "start": "2026-05-01"}, cites=(position,))
            for n in range(count)
        )
    )
    files = render(story.project)
    assert sorted(name for name in files if "state_" in name and "tests" not in name) == [
        "domains/travel/state_trips_0001.py",
        "domains/travel/state_trips_0002.py",
    ]
    lay(files, tmp_path)
    assert (
        python(tmp_path, "from domains import travel; print(len(travel.trips), travel.trips[-1].city)")
        == f"{count} {count - 1}\n"
    )


def test_export_writes_a_folder_and_clears_what_is_no_longer_there(tmp_path: Path) -> None:
    story = a_life()
    folder = tmp_path / "ana"
    assert (
        export(story.project, folder).written == len(render(story.project)) + 2
    )  # the note of its log, and what runs it
    assert export(story.project, folder).written == 0
    (folder / "domains" / "old").mkdir()
    (folder / "domains" / "old" / "state.py").write_text("x = 1\n")
    assert export(story.project, folder).removed == 1
    assert not (folder / "domains" / "old").exists()


def test_export_never_writes_over_something_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.py").write_text("precious")
    with pytest.raises(Refused, match="has other files in it"):
        export(a_life().project, tmp_path)
    assert (tmp_path / "thesis.py").read_text() == "precious"


def test_export_as_git_has_a_commit_for_each_change_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    story = a_life()
    changes = len({stored.at for stored in story.entries() if stored.kind in ("checkpoint", "correction")})
    first, second = tmp_path / "one", tmp_path / "two"
    assert export_git(story.entries(), first).commits == changes
    story.tell("travel.Trip", city="Oslo", start="2026-09-01", paid=False)
    assert export_git(story.entries(), first).commits == 1
    export_git(story.entries(), second)

    def git(folder: Path, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout

    assert git(first, "rev-parse", "HEAD") == git(second, "rev-parse", "HEAD")
    assert git(first, "status", "--porcelain") == ""
    assert "Oslo" in git(first, "show", "HEAD")
    last = max(stored.position for stored in story.entries() if stored.kind == "checkpoint")
    assert git(first, "log", "-1", "--format=%s") == f"checkpoint {last}: 1 changes\n"


def test_edits_of_values_come_back_as_corrections(tmp_path: Path) -> None:
    story = a_life()
    export(story.project, tmp_path)
    state = tmp_path / "domains" / "travel" / "state.py"
    text = state.read_text()
    state.write_text(
        text.replace("start=date(2026, 5, 2)", "start=date(2026, 5, 9)")
        .replace('Decimal("1300.50")', 'Decimal("1250")')
        .replace('"sea",', '"fjord",')
    )
    found = read_edits(story.memory.project_as_of(position_before_edits(tmp_path)), tmp_path)
    assert [(edit.field, edit.value) for edit in found] == [
        ("start", "2026-05-09"),
        ("cost", "1250 EUR"),
        ("tags", ["fjord", "a tag that is quite long, really", "another tag that is rather long"]),
    ]
    for edit in found:
        story.memory.correct(edit.record, edit.field, edit.value)
    assert story.project.record(found[0].record).values["start"] == date(2026, 5, 9)
    export(story.project, tmp_path)
    assert read_edits(story.project, tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("start=date(2026, 5, 2)", "start=date(2026, 2, 30)", "day is out of range|day 30 must be in range"),
        ("start=date(2026, 5, 2)", "start=__import__('os').getcwd()", "is not a plain value"),
        ("start=date(2026, 5, 2)", "start=open('/etc/passwd').read()", "is not a plain value"),
        ("start=date(2026, 5, 2)", "start='tomorrow'", "Use a date"),
        ("    Trip(\n", "    Trap(\n", "Write Trip("),
        ("trips: list[Trip] = [", "trips: list[Trip] = [Trip(),", "was exported with 1"),
        ("trips: list[Trip] = [", "trips: list[Trip] = [(", "cannot be read"),
    ],
)
def test_an_edit_that_is_no_plain_value_is_refused(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    story = a_life()
    export(story.project, tmp_path)
    state = tmp_path / "domains" / "travel" / "state.py"
    state.write_text(state.read_text().replace(old, new, 1))
    with pytest.raises(Refused, match=complaint.replace("(", r"\(")):
        read_edits(story.project, tmp_path)


def test_a_conflict_and_an_amended_value_show_in_the_manifest() -> None:
    story = a_life()
    position = story.fact("It costs 1400 euros now")
    trip = story.project.records("travel.Trip")[0].id
    story.change(Amend(record=trip, fields={"cost": "1400 EUR"}, cites=(position,)))
    assert "CONFLICTS = 1" in render_manifest(story.project)
    assert "WAITING = 1" in render_manifest(story.project)
