"""Why an erasure rewrites a SQLite file: what the cheaper ways leave behind (docs/decisions/0005)."""

import random
import sqlite3
from pathlib import Path

import pytest


def test_zeroing_deleted_rows_leaves_copies_of_some_where_pages_were_split(tmp_path: Path) -> None:
    path, chance = tmp_path / "rows.db", random.Random(1)
    words = {number: f"{number:06}{chance.randbytes(chance.randint(10, 400)).hex()}" for number in range(2000)}
    rows = sqlite3.connect(path, isolation_level=None)
    rows.execute("PRAGMA secure_delete = ON")
    rows.execute("PRAGMA synchronous = OFF")
    rows.execute("CREATE TABLE entries (id INTEGER PRIMARY KEY, body TEXT)")
    rows.execute("BEGIN")
    rows.executemany("INSERT INTO entries VALUES (?, ?)", chance.sample([*words.items()], len(words)))
    rows.execute("COMMIT")
    erased = chance.sample([*words], 1000)
    rows.executemany("DELETE FROM entries WHERE id = ?", [(number,) for number in erased])

    def left() -> int:
        stored = path.read_bytes()
        return sum(words[number][-20:].encode() in stored for number in erased)

    assert left() > 0
    rows.execute("VACUUM")
    rows.close()
    assert left() == 0


def test_a_row_that_is_emptied_in_place_shows_how_long_it_was(tmp_path: Path) -> None:
    chance = random.Random(2)
    rows = sqlite3.connect(tmp_path / "rows.db", isolation_level=None)
    rows.execute("PRAGMA secure_delete = ON")
    rows.execute("CREATE TABLE entries (id INTEGER PRIMARY KEY, body TEXT)")
    bodies = [(number, "x" * chance.randint(20, 1500)) for number in range(500)]
    rows.execute("BEGIN")
    rows.executemany("INSERT INTO entries VALUES (?, ?)", bodies)
    rows.execute("COMMIT")

    def free() -> dict[int, int]:
        return dict(rows.execute("SELECT pageno, unused FROM dbstat WHERE name = 'entries'").fetchall())

    try:
        before = free()
    except sqlite3.Error:
        pytest.skip("this SQLite does not report the free bytes of its pages")
    rows.execute("UPDATE entries SET body = '' WHERE id = 250")
    grown = {page: unused - before[page] for page, unused in free().items() if unused != before[page]}
    rows.close()
    assert [*grown.values()] == [pytest.approx(len(bodies[250][1]), abs=8)]
