"""Runs over many users: in a pool, interrupted and resumed, with the same bytes each time."""

import json
import multiprocessing
import os
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.cli import interruptible, uac
from support.fleet import NOW, RULE, add_users, question
from support.postgres_server import DEADLINE, wait_until
from uac.errors import Refused
from uac.interfaces.fleet.jobs import Job, Part
from uac.interfaces.fleet.pool import run_in_pool
from uac.interfaces.fleet.rollout import is_in_share
from uac.interfaces.fleet.run import Place, Selection, run_job, sample_users, select_users, unknown_users
from uac.interfaces.fleet.run_folder import RunFolder, split_users
from uac.log.store import Store
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore

CODE = "sum(t.cost for t in travel.trips)"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fleet") / "memory.db"
    with closing(open_store(str(path), clock=lambda: NOW)) as store:
        add_users(store, 24)
    return path


@pytest.fixture
def opened(file: Path) -> Iterator[Store]:
    with closing(open_store(str(file), clock=lambda: NOW)) as store:
        yield store


def users_of(store: Store) -> list[str]:
    return select_users(store, Selection(), is_in_share)


def all_lines(job: Job, store: Store, place: Place, folder: RunFolder | None = None, size: int = 5) -> bytes:
    return b"".join(part.lines for part in run_job(job, users_of(store), store, place, folder=folder, size=size))


@pytest.mark.parametrize(("text", "name"), [(CODE, "asked"), (RULE, "dear_trip")])
def test_a_pool_of_processes_gives_the_same_bytes_as_this_process(
    file: Path, opened: Store, text: str, name: str
) -> None:
    job = Job(str(file), question(text, name), NOW)
    here = all_lines(job, opened, Place(1))
    assert [json.loads(line)["user"] for line in here.splitlines()] == users_of(opened)
    assert all_lines(job, opened, Place(2)) == here
    assert all_lines(job, opened, Place(1), size=24) == here


def test_the_parts_of_a_process_that_dies_are_done_by_another(file: Path, opened: Store) -> None:
    job = Job(str(file), question(CODE), NOW)
    parts = [*enumerate(split_users(users_of(opened), 2))]
    found: dict[int, bytes] = {}
    for part in run_in_pool(job, parts, 2):
        if not found:
            os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)
        assert part.number not in found
        found[part.number] = part.lines
    assert b"".join(found[number] for number in sorted(found)) == all_lines(job, opened, Place(1))


def test_a_run_that_is_interrupted_after_any_part_ends_with_the_same_bytes(
    file: Path, opened: Store, tmp_path: Path
) -> None:
    job = Job(str(file), question(CODE), NOW)
    whole = all_lines(job, opened, Place(1))
    for done in range(6):
        folder = tmp_path / f"after-{done}"
        run = RunFolder.open(folder, job, "all", users_of(opened), 5)
        parts = run_job(job, run.users, opened, Place(1), folder=run, size=5)
        for _number in range(done):
            next(parts, None)
        parts.close()  # type: ignore[attr-defined]  # it is a generator
        again = RunFolder.open(folder, job, "all", [], 5)
        assert len([*again.done()]) == min(done, 5)
        assert all_lines(job, opened, Place(1), again) == whole
        again.finish()
        assert again.results.read_bytes() == whole
        assert sorted(each.name for each in folder.iterdir()) == ["results.jsonl", "run.json", "users.jsonl"]


def test_a_part_that_is_done_is_not_done_again_and_one_that_is_damaged_is(
    file: Path, opened: Store, tmp_path: Path
) -> None:
    job = Job(str(file), question(CODE), NOW)
    whole = all_lines(job, opened, Place(1))
    run = RunFolder.open(tmp_path / "run", job, "all", users_of(opened), 5)
    kept = b"".join(b'{"user": "u%03d", "value": "kept"}\n' % number for number in range(5))
    run.keep(Part(0, kept))
    run.keep(Part(1, whole.splitlines(keepends=True)[5][:20]))
    run.keep(Part(2, b"".join(whole.splitlines(keepends=True)[10:14])))
    assert all_lines(job, opened, Place(1), run) == kept + b"".join(whole.splitlines(keepends=True)[5:])


def test_a_folder_is_only_for_its_owner_and_holds_no_password(tmp_path: Path) -> None:
    job = Job("postgresql://me@host/db", question(CODE), NOW)
    run = RunFolder.open(tmp_path / "run", job, "all", ["ana"], 5)
    run.keep(Part(0, b'{"user": "ana"}\n'))
    paths = [tmp_path / "run", *(tmp_path / "run").rglob("*")]
    assert [path for path in paths if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_a_folder_of_another_run_or_of_something_else_is_refused(tmp_path: Path) -> None:
    job = Job("memory.db", question(CODE), NOW)
    RunFolder.open(tmp_path / "run", job, "all", ["ana"], 5)
    for other, selection in ((Job("memory.db", question("2"), NOW), "all"), (job, "some")):
        with pytest.raises(Refused, match="another run"):
            RunFolder.open(tmp_path / "run", other, selection, ["ana"], 5)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.txt").write_text("mine")
    with pytest.raises(Refused, match="not empty"):
        RunFolder.open(tmp_path / "full", job, "all", ["ana"], 5)
    (tmp_path / "run" / "users.jsonl").write_text('"ben"\n')
    with pytest.raises(Refused, match="not those of its run"):
        RunFolder.open(tmp_path / "run", job, "all", ["ana"], 5)


def test_users_are_selected_by_pattern_list_and_tenant() -> None:
    store = MemoryStore()
    for user in ("acme/ana", "acme/ben", "ana", "bea", "zoe"):
        store.log(user).append([])
        add_users_named(store, user)
    assert users_of(store) == ["acme/ana", "acme/ben", "ana", "bea", "zoe"]
    assert select_users(store, Selection(("b*", "z?e")), is_in_share) == ["bea", "zoe"]
    assert select_users(store, Selection(("a*",), tenant="acme"), is_in_share) == ["acme/ana"]
    assert select_users(store, Selection(listed=("ben", "nobody"), tenant="acme"), is_in_share) == ["acme/ben"]
    assert unknown_users(store, Selection(listed=("zoe", "ben", "nobody"), tenant="acme")) == ["nobody", "zoe"]
    assert unknown_users(store, Selection(("nobody",))) == []
    with pytest.raises(Refused, match="tenant"):
        select_users(store, Selection(tenant="no/tenant"), is_in_share)


def test_groups_are_asked_only_if_they_are_named_and_never_for_a_report() -> None:
    store = MemoryStore()
    for user in ("acme/group:team", "ana", "group:team", "gus"):
        add_users_named(store, user)

    def chosen(**selection: Any) -> list[str]:
        return select_users(store, Selection(**selection), is_in_share)

    assert chosen() == chosen(patterns=("*",)) == ["ana", "gus"]
    assert chosen(patterns=("g*",)) == ["gus"]
    assert chosen(patterns=("group:*",)) == ["group:team"]
    assert chosen(patterns=("acme/group:t*",)) == ["acme/group:team"]
    assert chosen(patterns=("group:*",), tenant="acme") == ["acme/group:team"]
    assert chosen(listed=("group:team", "ana")) == ["ana", "group:team"]
    assert chosen(patterns=("group:*", "a*"), is_report=True) == chosen(listed=("group:team", "ana"), is_report=True)


def add_users_named(store: Store, user: str) -> None:
    from uac.memory.memory import Memory

    Memory(store.log(user), clock=lambda: NOW).add("Hello.")


def test_a_sample_is_the_same_each_time_and_in_order() -> None:
    users = [f"u{number:03}" for number in range(100)]
    chosen = sample_users(users, 10)
    assert (len(chosen), chosen, chosen) == (10, sorted(chosen), sample_users(users, 10))
    assert sample_users(users, 1000) == users


# --- the commands -----------------------------------------------------------------------------------------------------


@pytest.fixture
def fleet(store: Path) -> Path:
    with closing(open_store(str(store), clock=lambda: NOW)) as opened:
        add_users(opened, 12)
    Path("asked.py").write_text(CODE)
    Path("dear_trip.py").write_text(RULE)
    return store


def test_answers_are_printed_by_user_and_users_without_the_types_are_counted(fleet: Path) -> None:
    result = uac("fleet", "run", "asked.py")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:3] == ["u000: 1", "u001: 4", "u002: 9"]
    assert "12 users, 11 with an answer, 1 without the types that it reads" in result.stderr
    assert uac("fleet", "run", "asked.py", "--all", "--users", "u009").stdout == "u009: has no travel.trips\n"


def test_errors_of_users_are_printed_and_the_exit_code_is_1(fleet: Path) -> None:
    Path("asked.py").write_text("10 // (travel.trips[0].cost - 2)")
    result = uac("fleet", "run", "asked.py")
    assert result.exit_code == 1
    assert "u000: -10\nu002: 10\n" in result.stdout
    assert "ZeroDivisionError: u001: line 1" in result.stderr
    assert "1 error" in result.stderr


def test_a_sample_is_a_dry_run_with_an_estimate(fleet: Path) -> None:
    result = uac("fleet", "run", "asked.py", "--sample", "3", "--price", "0.04", "--out", "run")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 3
    assert "estimate: 12 users take" in result.stderr
    assert "at 0.04 for a core hour; no model is called" in result.stderr
    assert not Path("run").exists()


def test_a_complete_run_is_printed_again_without_asking_anybody(fleet: Path) -> None:
    first = uac("fleet", "run", "asked.py", "--out", "run", "--json")
    fleet.with_name("other").mkdir()
    again = uac("fleet", "run", "asked.py", "--out", "run", "--json")
    assert again.stdout == first.stdout == (Path("run") / "results.jsonl").read_text()
    assert "from an earlier run" in again.stderr


def test_a_report_keeps_no_answer_of_a_single_user_and_its_noise_stays(fleet: Path) -> None:
    Path("asked.py").write_text("len(travel.trips)")
    asked = ("fleet", "run", "asked.py", "--aggregate", "count", "--minimum", "5", "--epsilon", "1", "--out", "run")
    first = uac(*asked)
    assert first.exit_code == 0
    assert "each row is about 5 users or more, with Laplace noise (epsilon 1)" in first.stderr
    assert uac(*asked).stdout == first.stdout
    assert sorted(path.name for path in Path("run").iterdir()) == ["report.json", "run.json", "users.jsonl"]
    assert uac(*asked[:-4], "--out", "run").exit_code == 3


def test_reports_are_refused_with_wrong_terms(fleet: Path) -> None:
    assert uac("fleet", "run", "asked.py", "--aggregate", "sum").exit_code == 3
    assert uac("fleet", "run", "asked.py", "--aggregate", "count", "--minimum", "2").exit_code == 3
    assert uac("fleet", "run", "asked.py", "--epsilon", "1").exit_code == 2
    assert uac("fleet", "run", "nothing.py").exit_code == 3


def test_trying_a_rule_says_where_it_would_fire_and_writes_nothing(fleet: Path) -> None:
    before = fleet.read_bytes()
    result = uac("fleet", "try", "dear_trip.py")
    assert result.exit_code == 0
    assert result.stdout.startswith("u000: warning, u000 0: u000 0 costs 1, a tenth is 1000\n")
    assert "would fire for 10 (22 warning)" in result.stderr
    assert fleet.read_bytes() == before
    assert uac("fleet", "try", "asked.py").exit_code == 3


def test_the_time_is_the_same_in_every_process(fleet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_ZONE", "Europe/Berlin")
    monkeypatch.setenv("UAC_NOW", "2026-03-28T12:00+01:00")
    Path("asked.py").write_text("[str(now), str(now.tzinfo), str(now + timedelta(days=2)), str(now.date())]")
    asked = ("fleet", "run", "asked.py", "--json", "--part-size", "6", "--processes")
    one, two = (uac(*asked, processes).stdout for processes in "12")
    assert one == two
    assert "2026-03-28 12:00:00+01:00" in one


def test_a_store_without_users_has_no_answers(store: Path) -> None:
    open_store(str(store)).close()
    Path("asked.py").write_text("1")
    result = uac("fleet", "run", "asked.py", "--out", "run")
    assert (result.exit_code, result.stdout) == (0, "")
    assert Path("run/results.jsonl").read_bytes() == b""


def test_ctrl_c_leaves_a_run_that_goes_on_to_the_same_bytes(fleet: Path) -> None:
    command = interruptible("fleet", "run", "asked.py", "--json", "--part-size", "1")
    command += ("--processes", "2", "--out", "run", "--now", NOW.isoformat())
    # On a fast machine, a query may be over before the signal arrives: then a longer one is interrupted.
    for loops in (10**6, 4 * 10**6, 16 * 10**6):
        Path("asked.py").write_text(f"n = 0\nwhile n < {loops}:\n    n = n + 1\n[n, travel.trips[0].cost]")
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(lambda: len([*Path("run/parts").glob("*.jsonl")]) >= 2, "two parts are done")
        run.send_signal(signal.SIGINT)
        _out, errors = run.communicate(timeout=DEADLINE)
        if run.returncode != 0:
            break
        shutil.rmtree("run")
    assert (run.returncode, b"the same command goes on from there" in errors) == (130, True)
    done = {path.name: path.stat().st_mtime_ns for path in Path("run/parts").glob("*.jsonl")}
    assert 2 <= len(done) < 12
    resumed = uac(*command[3:])
    assert resumed.exit_code == 0
    whole = uac("fleet", "run", "asked.py", "--json", "--processes", "1", "--now", NOW.isoformat())
    assert resumed.stdout == whole.stdout == Path("run/results.jsonl").read_text()
