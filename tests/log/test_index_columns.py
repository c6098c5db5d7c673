"""Passages as rows of a table, and filters as conditions."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from uac.log.index import Passage, PassageFilter
from uac.log.stores.index_columns import COLUMNS, embedder_number, filter_sql, passage_from_row, passage_to_row

PASSAGE = Passage(0, "observation", 0, 0, 0, "", "", "", "", "", "", "", "", "", (), "", 0, "")


def among(column: str, values: Sequence[Any]) -> tuple[str, Any]:
    return f"{column} IN (?)", tuple(values)


@given(st.integers(1, 9), st.lists(st.integers(1, 10**9), unique=True).map(sorted), st.text())
def test_a_passage_comes_back_from_its_row(slot: int, cites: list[int], session: str) -> None:
    passage = PASSAGE._replace(slot=slot, cites=tuple(cites), session=session)
    assert passage_from_row((slot, *passage_to_row(passage))) == passage


def test_the_columns_are_the_fields_of_a_passage() -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE passages ({COLUMNS})")
        named = [row[1] for row in connection.execute("PRAGMA table_info(passages)")]
    connection.close()
    assert tuple(named) == Passage._fields


def test_each_part_of_a_filter_is_a_condition_with_its_parameter() -> None:
    assert filter_sql(PassageFilter(), mark="?", among=among) == ("TRUE ORDER BY slot", [])
    where = PassageFilter(kinds=("fact",), records=(), through=9, since="2026", until="2027", newest=3)
    assert filter_sql(where, mark="?", among=among) == (
        "TRUE AND kind IN (?) AND record IN (?) AND position <= ? AND until >= ? AND since <= ? ORDER BY since DESC, slot DESC LIMIT ?",
        [("fact",), (), 9, "2026", "2027", 3],
    )


def test_the_number_of_an_embedder_is_the_same_on_every_machine() -> None:
    assert embedder_number("static") == 35_544_541_130_439
    assert embedder_number("static") != embedder_number("other")
