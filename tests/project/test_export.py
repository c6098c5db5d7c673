"""Exported folders: which are continued, which are refused, and which edits of them are refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.constraints import ALLERGIES, watched
from support.short_logs import PERSON, Story, type_of
from uac.errors import Refused
from uac.log.stores.in_memory import MemoryStore
from uac.project.export import check_origin, export, export_git
from uac.project.read_edits import position_before_edits, read_edits
from uac.schema.entries import AlertChange
from uac.schema.patches import Put

TRIP = type_of("travel.Trip", key=["city", "year"], city="str", year="int", tags="list[str]", note="str | None")


@pytest.fixture
def story() -> Story:
    story = Story()
    story.types(TRIP, PERSON)
    story.tell("travel.Trip", city="Oslo", year=2026, tags=["sea"])
    return story


def subjects(folder: Path) -> list[str]:
    log = ["git", "log", "--reverse", "--format=%s"]
    return subprocess.run(log, cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()


def test_every_change_is_a_commit_that_names_it(story: Story, tmp_path: Path) -> None:
    story.memory.correct("travel.Trip:oslo|2026", "note", "cold")
    story.memory.retract([story.fact("x")], why="a slip")
    export_git(story.entries(), tmp_path)
    assert subjects(tmp_path) == [
        "checkpoint 1: 2 changes",
        "checkpoint 4: 1 changes",
        "correction 5: travel.Trip:oslo|2026.note",
        "retraction 8: 7",
    ]


def test_an_alert_that_came_alone_is_a_commit(story: Story, tmp_path: Path) -> None:
    story.memory.log.append([AlertChange(change="raised", constraint="rule", subject="oslo", message="Cold.")])
    export_git(story.entries(), tmp_path)
    assert subjects(tmp_path)[-1] == "alert 5: raised rule"


def test_a_commit_lists_at_most_fifty_changes(tmp_path: Path) -> None:
    story = Story()
    story.types(PERSON)
    position = story.fact("many")
    story.change(*(Put(type="people.Person", fields={"name": str(n)}, cites=(position,)) for n in range(52)))
    export_git(story.entries(), tmp_path)
    body = subprocess.run(["git", "log", "-1", "--format=%b"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert body.stdout.splitlines()[49:52] == ["put people.Person", "and 2 more", ""]


def test_a_file_and_a_link_in_the_folder_are_never_written_through(story: Story, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(Refused, match="is a file"):
        export(story.project, tmp_path / "file")
    folder = tmp_path / "ana"
    export(story.project, folder)
    (folder / "manifest.py").rename(tmp_path / "elsewhere.py")
    (folder / "manifest.py").symlink_to(tmp_path / "elsewhere.py")
    story.tell("travel.Trip", city="Rome", year=2026, tags=[])
    with pytest.raises(Refused, match="is a link"):
        export(story.project, folder)


def test_a_repository_that_could_run_something_is_refused(story: Story, tmp_path: Path) -> None:
    export_git(story.entries(), tmp_path)
    config = tmp_path / ".git" / "config"
    config.write_text(config.read_text() + "[core]\n\tfsmonitor = touch /tmp/x\n")
    with pytest.raises(Refused, match=r"sets core\.fsmonitor"):
        export_git(story.entries(), tmp_path)
    config.unlink()
    with pytest.raises(Refused, match="was not made by 'uac export --git'"):
        export_git(story.entries(), tmp_path)


def test_without_git_the_export_says_so(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refused, match="git is not installed"):
        export_git(story.entries(), tmp_path / "ana")


def test_a_folder_of_another_log_is_refused(story: Story, tmp_path: Path) -> None:
    check_origin(story.memory.log, tmp_path)
    export(story.project, tmp_path)
    check_origin(story.memory.log, tmp_path)
    with pytest.raises(Refused, match="was exported from another log"):
        check_origin(MemoryStore().log("ben"), tmp_path)


def edit(folder: Path, old: str, new: str) -> None:
    state = folder / "domains" / "travel" / "state.py"
    assert old in state.read_text()
    state.write_text(state.read_text().replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('tags=["sea"]', 'tags=["sea"], town="x"', "travel.Trip has no field 'town'"),
        ('tags=["sea"]', "tags=None", "tags is null"),
        ("note=None", "note=date(2026, 1, 1)", "note is not a text. Write it in quotes."),
        ("        note=None,\n", "", "note is missing"),
        ('city="Oslo",\n        year=2026', 'city="Rome", year=2027', "more than one field of its key changed"),
        ("Trip(\n        city", 'Trip("x", city', "is not written as a record"),
        ("trips: list[Trip] = [", "trips: list[Trip] = [7, ", "This is not a record"),
        ("former_trips: list[Trip] = []", "former_trips: list[Trip] = {}", "something other than lists of records"),
        ("former_trips: list[Trip] = []", "", "has no former_trips"),
        ("former_trips: list[Trip] = []", "former_trips: list[Trip] = None\nx: int = Trip()", ""),
    ],
)
def test_an_edit_of_something_other_than_a_value_is_refused(
    story: Story, tmp_path: Path, old: str, new: str, why: str
) -> None:
    export(story.project, tmp_path)
    edit(tmp_path, old, new)
    if not why:
        assert read_edits(story.project, tmp_path) == []
        return
    with pytest.raises(Refused) as refused:
        read_edits(story.project, tmp_path)
    assert str(refused.value).startswith("adopt: ")
    assert why in str(refused.value)


def test_an_edited_key_comes_last(story: Story, tmp_path: Path) -> None:
    export(story.project, tmp_path)
    edit(tmp_path, 'city="Oslo"', 'city="Rome"')
    edit(tmp_path, "note=None", 'note="warm"')
    assert [(one.field, one.value) for one in read_edits(story.project, tmp_path)] == [
        ("note", "warm"),
        ("city", "Rome"),
    ]


def test_a_file_that_cannot_be_read_is_refused(story: Story, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is not an exported project"):
        position_before_edits(tmp_path)
    export(story.project, tmp_path)
    (tmp_path / "domains" / "travel" / "state.py").write_bytes(b"\xff")
    with pytest.raises(Refused, match=r"state\.py of travel cannot be read"):
        read_edits(story.project, tmp_path)


def test_an_edited_constraint_is_refused(tmp_path: Path) -> None:
    project = watched(ALLERGIES).project()
    export(project, tmp_path)
    assert read_edits(project, tmp_path) == []
    path = tmp_path / "constraints" / "allergies.py"
    path.write_text(path.read_text() + "\n")
    with pytest.raises(Refused, match=r"constraints/allergies\.py was edited"):
        read_edits(project, tmp_path)


def test_an_exported_folder_prints_what_is_known_when_it_is_run(story: Story, tmp_path: Path) -> None:
    export(story.memory.project(), tmp_path / "oslo")
    run = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "oslo")], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines()[1:] == ["travel.trips: 1", "  Trip(city='Oslo', year=2026, tags=['sea'])"]


def test_an_alert_cannot_drive_the_terminal_or_add_a_line_when_a_folder_is_run(tmp_path: Path) -> None:
    memory = watched(ALLERGIES)
    memory.put("health.Allergy", {"substance": "\x1b]0;x\x07\n  ! no alerts\u202e"})
    export(memory.project(), tmp_path)
    run = subprocess.run([sys.executable, str(tmp_path)], capture_output=True, text=True, check=True)
    shown = r"\x1b]0;x\x07\n  ! no alerts\u202e"
    assert run.stdout.splitlines()[1:] == [
        f"  ! critical: No {shown}.",
        "health.allergies: 1",
        f"  Allergy(substance='{shown}')",
    ]


def test_an_empty_project_runs_too(tmp_path: Path) -> None:
    export(Story().memory.project(), tmp_path / "empty")
    run = subprocess.run([sys.executable, str(tmp_path / "empty")], capture_output=True, text=True, check=True)
    assert run.stdout == "What is known: at no time yet, after entry 0\n"
