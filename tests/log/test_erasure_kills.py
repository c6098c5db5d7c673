"""Erasures that are killed at any step, with a service on the same file: whoever comes next finishes them."""

import os
import random
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from click.testing import CliRunner

from support.http_service import app_over, serving
from support.postgres_server import Server, wait_until
from support.whole_log import NOTE
from uac import Memory
from uac.interfaces.cli import main
from uac.log.log import Log
from uac.log.stores import open_store, sqlite
from uac.log.stores.sqlite import SqliteStore
from uac.project.fold import fold_entries
from uac.project.snapshot import encode_project
from uac.schema.entries import Checkpoint
from uac.schema.patches import Define, Put
from uac.testing.store import store_turn

How = Literal["positions", "everything", "user"]
Mode = Literal["before", "after", "inside", "any time"]

ERASER = r'''
import os, random, signal, sqlite3, sys, traceback
from pathlib import Path
from uac.log.stores.sqlite import SqliteStore
from uac.log.stores.sqlite_pool import set_pragmas

path, count, at, wanted = Path(sys.argv[1]), 0, 0, ""

def hit(mode):
    global count
    count += mode == wanted
    if mode == wanted and count == at:
        os.kill(os.getpid(), signal.SIGKILL)

class Deadly(sqlite3.Connection):
    """Kills its process before or after a statement, or while one runs."""
    def execute(self, *arguments):
        hit("before")
        cursor = super().execute(*arguments)
        hit("after")
        return cursor
    def executemany(self, *arguments):
        hit("before")
        cursor = super().executemany(*arguments)
        hit("after")
        return cursor

def connect(path):
    connection = sqlite3.connect(path, timeout=300, isolation_level=None, check_same_thread=False, factory=Deadly)
    connection.set_progress_handler(lambda: hit("inside"), 150)
    return set_pragmas(connection)

def erase(how, user):
    global count, at, wanted
    store = SqliteStore(path, connect=connect)
    count, at, wanted = 0, number, mode
    if how == "user":
        store.erase(user)
    elif how != "open":
        log = store.log(user)
        places = [2, 3] if how == "positions" else [stored.position for stored in log.read()]
        log.erase(places, why="asked")

for line in sys.stdin:
    if line.startswith("look "):
        content = b"\0".join(file.read_bytes() for file in path.parent.rglob("*") if file.is_file())
        print(*[word for word in line.split()[1:] if word.encode() in content], flush=True)
        continue
    how, user, mode, number = line.split()
    number = int(number)
    child = os.fork()
    if child == 0:
        try:
            erase(how, user)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if mode == "anytime":
        for _ in range(number):
            pass
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    print({0: "done", signal.SIGKILL: "killed"}.get(status, "failed"), flush=True)
'''


class Eraser:
    """A process that forks others, which open the file, erase there, and are killed."""

    def __init__(self, path: Path) -> None:
        folder = path.parent / "temporary"
        folder.mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-c", ERASER, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(folder), "SQLITE_TMPDIR": str(folder)},
        )

    def erase(self, how: How | Literal["open"], user: str, mode: Mode = "before", at: int = 0) -> str:
        """What became of it: done, killed or failed."""
        return self._ask(f"{how} {user} {mode.replace(' ', '')} {at}")

    def left(self, words: list[str]) -> list[str]:
        """Which words stand in any file of the folder: the store, its journals, and temporary files.

        Another process looks: one that closes a file loses the locks that its SQLite has there.
        """
        return self._ask(f"look {' '.join(words)}").split()

    def is_gone(self, words: list[str]) -> bool:
        return self.left(words) == []

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        self._process.communicate()


@contextmanager
def erasing(path: Path) -> Iterator[Eraser]:
    eraser = Eraser(path)
    try:
        yield eraser
    finally:
        eraser.close()


NUMBERS = count(1000)


class Spoken(NamedTuple):
    """A user, the words that are to be erased, and one that stays."""

    user: str
    words: list[str]
    kept: str


def speak(how: How) -> Spoken:
    number = next(NUMBERS)
    words = [f"quince{number}x{index}" for index in range(4)]
    return Spoken(f"ana{number}", words[1:3] if how == "positions" else words, words[0] if how == "positions" else "")


def texts_of(spoken: Spoken) -> list[str]:
    """Short and long ones, so that rows have pages of their own, or share one."""
    words = ([spoken.kept] if spoken.kept else []) + spoken.words
    return [f"{word} " * size for word, size in zip(words, (3, 900, 5, 1), strict=False)]


def store_records(log: Log, spoken: Spoken) -> None:
    """A record for each word, and two snapshots: an older one, and the latest, which has them all."""
    words = ([spoken.kept] if spoken.kept else []) + spoken.words
    *puts, last = (Put(type="home.Note", fields={"text": word}, cites=(at,)) for at, word in enumerate(words, 1))
    for entry in (Checkpoint(patches=(Define(type=NOTE), *puts)), Checkpoint(patches=(last,))):
        log.append([entry])
        project = fold_entries(log.read())
        assert log.set_snapshot(encode_project(project), position=project.position, digest=project.digest)
    assert [record.values["text"] for record in project.records("home.Note")] == words
    assert log.snapshot_positions() == (project.position - 1, project.position)


def is_erased(log: Log, spoken: Spoken) -> bool:
    entries = [stored.entry for stored in log.read() if stored.kind == "observation"]
    return not any(entry is not None and spoken.words[0] in str(entry) for entry in entries)


STEPS: list[tuple[How, Mode]] = [("positions", "after"), ("user", "before")]
EVERY: list[tuple[How, Mode]] = [
    (how, mode) for how in ("positions", "everything", "user") for mode in ("before", "after", "inside", "any time")
]


def kills_beside_a_service(folder: Path, steps: list[tuple[How, Mode]]) -> Counter[str]:
    """Kill an erasure at each of its steps; the service that runs beside it is to finish what was committed."""
    path = folder / "memory.db"
    tally: Counter[str] = Counter()
    with (
        closing(SqliteStore(path)) as store,
        serving(app_over(store, finish_every=0.02)) as served,
        erasing(path) as eraser,
    ):
        client = served.client(served.key())
        for how, mode in steps:
            for at in count(1) if mode != "any time" else [random.randrange(2_000_000) for _ in range(30)]:
                spoken = speak(how)
                address = f"/v1/users/{spoken.user}"
                turns = {"turns": [{"text": text} for text in texts_of(spoken)]}
                assert client.post(f"{address}/observations", json=turns).status_code == 201
                assert client.post(f"{address}/recall", json={"query": spoken.words[0]}).json()["hits"] != []
                store_records(store.log(spoken.user), spoken)
                outcome = eraser.erase(how, spoken.user, mode, at)
                assert outcome in ("killed", "done")
                log = store.log(spoken.user)
                found = client.post(f"{address}/recall", json={"query": spoken.words[0]})
                assert found.status_code == (404 if log.head().position == 0 else 200)
                if is_erased(log, spoken):
                    wait_until(partial(eraser.is_gone, spoken.words), f"{how} {mode} {at}: words are gone")
                    tally["left"] += len(eraser.left(spoken.words))
                    tally["after the commit"] += outcome == "killed"
                else:
                    assert eraser.left(spoken.words) == spoken.words
                    store.erase(spoken.user)
                if spoken.kept and log.head().position:
                    assert eraser.left([spoken.kept]) == [spoken.kept]
                    assert log.verify() is None
                tally["kills"] += outcome == "killed"
                if outcome == "done" and mode != "any time":
                    break
    return tally


def test_a_service_finishes_an_erasure_that_was_killed_at_any_statement(tmp_path: Path) -> None:
    tally = kills_beside_a_service(tmp_path, STEPS)
    print(f"{tally['kills']} kills, {tally['after the commit']} after the commit, {tally['left']} words left")
    assert tally["after the commit"] > 8
    assert tally["left"] == 0


@pytest.mark.slow
def test_a_service_finishes_an_erasure_that_was_killed_at_any_time(tmp_path: Path) -> None:
    seed = secrets.randbits(32)
    random.seed(seed)
    tally = kills_beside_a_service(tmp_path, EVERY)
    print(f"seed {seed}: {tally['kills']} kills, {tally['after the commit']} after the commit, {tally['left']} left")
    assert tally["after the commit"] > 50
    assert tally["left"] == 0


@pytest.mark.parametrize("how", ["positions", "user"])
def test_the_next_process_that_opens_the_file_finishes_a_killed_erasure(tmp_path: Path, how: How) -> None:
    path = tmp_path / "memory.db"
    kills = 0
    with closing(SqliteStore(path)) as store, erasing(path) as eraser:
        for at in count(1):
            spoken = speak(how)
            log = store.log(spoken.user)
            log.append([store_turn(text) for text in texts_of(spoken)])
            with closing(Memory(log, embedder=None)) as memory:
                assert len(memory.recall(spoken.words[0])) > 0
            store_records(log, spoken)
            outcome = eraser.erase(how, spoken.user, "after", at)
            erased = is_erased(log, spoken)
            assert eraser.erase("open", spoken.user) == "done"
            assert eraser.left(spoken.words) == ([] if erased else spoken.words)
            store.erase(spoken.user)
            kills += outcome == "killed" and erased
            if outcome == "done":
                break
    assert kills > 3


def test_a_reader_is_served_while_an_erasure_cannot_be_finished_and_doctor_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "FINISHING_SECONDS", 0)  # the reader stays: waiting for it longer changes nothing
    path = tmp_path / "memory.db"
    spoken = speak("positions")
    with closing(SqliteStore(path)) as store, erasing(path) as eraser:
        store.log(spoken.user).append([store_turn(text) for text in texts_of(spoken)])
        reader = store._pool._connect(str(path))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entries").fetchone()
        steps = (eraser.erase("positions", spoken.user, "after", at) for at in count(1))
        while next(steps) == "killed" and not is_erased(store.log(spoken.user), spoken):
            pass
        assert eraser.left(spoken.words) == spoken.words
        with closing(open_store(path)) as other:
            assert other.log(spoken.user).verify() is None
            assert not other.finish_erasures()
        blocked = CliRunner().invoke(main, ["doctor", "--store", str(path), "--quick"])
        assert blocked.exit_code == 1
        assert "problem  an erasure was interrupted: erased words may be left in free pages" in blocked.output
        assert "→ run 'uac doctor' again when no other program reads the file" in blocked.output
        reader.close()
        finished = CliRunner().invoke(main, ["doctor", "--store", str(path), "--quick"])
        assert "note  an erasure had been interrupted; opening the store has finished it" in finished.output
        assert eraser.left(spoken.words) == []
        assert "ok  no erasure is unfinished" in CliRunner().invoke(main, ["doctor", "--store", str(path)]).output


# --- PostgreSQL -----------------------------------------------------------------------------------------------------


KILLED = """
import os, signal, sys
from uac.log.stores import open_store, postgres
postgres._vacuum_table = lambda *arguments: os.kill(os.getpid(), signal.SIGKILL)
store = open_store(sys.argv[1])
if sys.argv[2] == "user":
    store.erase("ana")
else:
    store.log("ana").erase([1], why="asked")
"""


@pytest.mark.parametrize("how", ["positions", "user"])
@pytest.mark.parametrize("who", ["the next opening", "the service"])
def test_on_postgres_too_a_killed_erasure_is_finished(postgres: Server, how: str, who: str) -> None:
    address = postgres.new_database()
    with closing(open_store(address)) as store:
        store.log("ana").append([store_turn("quince" * 20)])
        killed = subprocess.run([sys.executable, "-c", KILLED, address, how], capture_output=True, check=False)
        assert killed.returncode == -9
        assert "an erasure was interrupted" in str(store.findings())
        if who == "the service":
            with serving(app_over(store, finish_every=0.02)):
                wait_until(lambda: "interrupted" not in str(store.findings()), "the service finishes it")
        else:
            open_store(address).close()
        assert "interrupted" not in str(store.findings())
        postgres.execute("CHECKPOINT")
    files = (postgres.folder / "base").rglob("*")
    assert [path for path in files if path.is_file() and b"quince" * 20 in path.read_bytes()] == []
