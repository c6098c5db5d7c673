"""What the SQLite store reports about its file: each problem with its remedy, and interrupted erasures."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from uac.log.stores.sqlite import SqliteStore
from uac.schema.diagnostics import Diagnostic
from uac.testing.store import store_turn


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with closing(SqliteStore(path)) as store:
        store.log("ana").append([store_turn("hello " * 2000)])
    return path


def doubts(path: Path) -> list[Diagnostic]:
    """The findings of a newly opened store that are not ok."""
    with closing(SqliteStore(path, create=False)) as store:
        return [finding for finding in store.findings() if finding.level != "ok"]


def run_statement(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def test_a_new_store_has_only_good_findings(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        findings = store.findings()
    assert [finding.level for finding in findings] == ["ok"] * 6
    assert findings[-1] == Diagnostic("ok", "no erasure is unfinished")


def test_a_damaged_page_is_a_problem(path: Path) -> None:
    pages = path.read_bytes()
    path.write_bytes(pages[:-4096] + b"\x05" + b"\xff" * 4095)
    (problem,) = doubts(path)
    assert (problem.level, problem.remedy) == ("problem", "restore it from a backup")
    assert problem.what.startswith("the file is damaged: ")


def test_another_journal_mode_is_a_problem(path: Path) -> None:
    run_statement(path, "PRAGMA journal_mode = DELETE")
    remedy = f"sqlite3 '{path}' 'PRAGMA journal_mode = WAL'"
    assert doubts(path) == [Diagnostic("problem", "the journal mode is delete, not wal", remedy)]


def test_a_file_that_others_can_read_is_a_problem(path: Path) -> None:
    path.chmod(0o644)
    assert doubts(path) == [Diagnostic("problem", "others on this machine can read the file", f"chmod 600 '{path}'")]


def test_a_folder_that_cannot_be_written_is_a_problem(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda checked, _mode: checked != path.parent)  # root may write everywhere
    assert doubts(path) == [
        Diagnostic("problem", "the file or its folder cannot be written", "check owner and permissions")
    ]


def test_a_disk_that_is_almost_full_is_a_problem(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _path: SimpleNamespace(f_bavail=20, f_frsize=1024**2))
    assert doubts(path) == [Diagnostic("problem", "only 20 MB are free on its disk", "make room before it runs full")]


INTERRUPTED = "INSERT INTO erased (user, position, commitment) VALUES (0, 7, x'')"
"""The mark that an erasure leaves until the file has been rewritten."""


def test_opening_a_store_finishes_an_interrupted_erasure_and_says_so(path: Path) -> None:
    run_statement(path, INTERRUPTED)
    assert doubts(path) == [
        Diagnostic("note", "an erasure had been interrupted; opening the store has finished it"),
    ]
    assert doubts(path) == []


def test_an_erasure_that_cannot_be_finished_is_a_problem_until_it_is(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        run_statement(path, INTERRUPTED)
        (problem,) = [finding for finding in store.findings() if finding.level != "ok"]
        assert (problem.level, problem.what) == (
            "problem",
            "an erasure was interrupted: erased words may be left in free pages",
        )
        assert store.finish_erasures()
        assert store.finish_erasures()  # nothing is left to do
        assert [finding for finding in store.findings() if finding.level != "ok"] == []
