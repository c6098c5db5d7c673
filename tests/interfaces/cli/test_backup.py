"""uac backup, restore and move, as they are typed."""

import json
from pathlib import Path

import pytest

from support.cli import lines, uac


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ana and Ben, of whom Ana has erased something, and a key of the service."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UAC_LEARN", "manual")
    monkeypatch.setenv("UAC_STORE", "memory.db")
    monkeypatch.setenv("UAC_NOW", "2026-03-01T12:00Z")
    monkeypatch.delenv("UAC_BACKUP_PASSPHRASE", raising=False)
    monkeypatch.setattr("uac.log.backup_cipher.COST", 4)
    for user, text in (("ana", "I am allergic to penicillin."), ("ana", "My PIN is 4711."), ("ben", "Hello.")):
        assert uac("add", user, text).exit_code == 0
    assert uac("erase", "ana", "2", "--why", "asked", "--yes").exit_code == 0
    assert uac("keys", "create", "agent").exit_code == 0


def printed_heads(*arguments: str) -> list[dict[str, object]]:
    return lines(uac("verify", "--json", *arguments))


def test_a_restored_store_has_the_same_heads_and_keys() -> None:
    done = lines(uac("backup", "memory.backup", "--json"))
    size = Path("memory.backup").stat().st_size
    assert done == [
        {
            "file": "memory.backup",
            "bytes": size,
            "encrypted": False,
            "damaged": [],
            "created": "2026-03-01T12:00:00+00:00",
            "users": 2,
            "entries": 5,
            "erased_keys": 0,
        }
    ]
    assert uac("restore", "memory.backup", "--store", "other.db").exit_code == 0
    assert printed_heads("--store", "other.db") == printed_heads()
    assert uac("keys", "list", "--json", "--store", "other.db").stdout == uac("keys", "list", "--json").stdout


def test_a_check_needs_no_store_and_a_dry_run_writes_nothing() -> None:
    assert uac("backup", "memory.backup").exit_code == 0
    heads = {str(found["user"]): found["head"] for found in printed_heads()}
    checked = lines(uac("restore", "memory.backup", "--check", "--json", "--store", "none.db"))
    assert {found["user"]: found["head"] for found in checked[1:-1]} == heads
    assert not Path("none.db").exists()
    assert uac("add", "ben", "More.").exit_code == 0
    assert uac("backup", "later.backup").exit_code == 0
    assert uac("restore", "memory.backup", "--store", "other.db", "--user", "ben").exit_code == 0
    planned = lines(uac("restore", "later.backup", "--dry-run", "--json", "--store", "other.db"))
    assert {found["user"]: found["state"] for found in planned[:-1]} == {"": "new", "ana": "new", "ben": "continued"}
    assert [found["user"] for found in printed_heads("--store", "other.db")] == ["ben"]


def test_a_store_with_another_log_is_refused() -> None:
    assert uac("backup", "memory.backup").exit_code == 0
    assert uac("add", "ben", "Another Ben.", "--store", "other.db").exit_code == 0
    planned = uac("restore", "memory.backup", "--dry-run", "--store", "other.db")
    assert (planned.exit_code, "different" in planned.stdout) == (1, True)
    refused = uac("restore", "memory.backup", "--store", "other.db")
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert "other.db has other logs than the backup: 'ben'. Nothing was written." in refused.stderr


def test_an_encrypted_backup_needs_its_passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = uac("backup", "memory.backup", "--encrypt")
    assert (missing.exit_code, "Set UAC_BACKUP_PASSPHRASE" in missing.stderr) == (2, True)
    monkeypatch.setenv("UAC_BACKUP_PASSPHRASE", "correct horse")
    assert "encrypted" in uac("backup", "memory.backup", "--encrypt").stdout
    assert uac("restore", "memory.backup", "--store", "other.db").exit_code == 0
    assert printed_heads("--store", "other.db") == printed_heads()
    monkeypatch.setenv("UAC_BACKUP_PASSPHRASE", "wrong")
    wrong = uac("restore", "memory.backup", "--check", "--json")
    assert (wrong.exit_code, json.loads(wrong.stderr)["error"]) == (3, "Refused")


def test_an_altered_backup_is_refused_with_an_exit_code_of_its_own() -> None:
    assert uac("backup", "memory.backup").exit_code == 0
    whole = Path("memory.backup").read_bytes()
    Path("memory.backup").write_bytes(whole[:-1])
    cut = uac("restore", "memory.backup", "--check")
    assert (cut.exit_code, cut.stderr) == (
        5,
        "Damaged: The backup is cut: the file ends before its end. Copy it again, or use another backup.\n",
    )
    assert uac("backup", "memory.backup").exit_code == 3, "a file is not replaced by itself"
    assert uac("backup", "memory.backup", "--force").exit_code == 0


def test_a_broken_log_is_left_out_and_reported() -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect("memory.db")) as connection, connection:
        connection.execute("UPDATE entries SET body = replace(body, 'Hello', 'Hullo')")
    done = uac("backup", "memory.backup")
    assert done.exit_code == 1
    assert "ben is not in the backup: entry 1 does not match its digest" in done.stderr
    assert uac("restore", "memory.backup", "--check").exit_code == 0


def test_a_moved_user_has_the_same_head_in_the_other_store() -> None:
    before = printed_heads("ana")
    done = lines(uac("move", "ana", "--to", "other.db", "--json"))
    assert done == [{"user": "ana", "to": "other.db", "kept": False, "entries": 3, "head": before[0]["head"]}]
    assert printed_heads("--store", "other.db") == before
    assert [found["user"] for found in printed_heads()] == ["ben"]
    assert uac("move", "ana", "--to", "other.db").exit_code == 3
    assert uac("move", "ben", "--to", "memory.db").exit_code == 3
    assert "copied" in uac("move", "ben", "--to", "other.db", "--keep").stdout
    assert [found["user"] for found in printed_heads()] == ["ben"]
