"""Rows that age: after their last day the alerts say so, and `uac doctor` lists them."""

import json
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.cli import uac
from support.constraints import Clock
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import StaleRow, chosen_packs, installed_packs, stale_rows, table_rows
from uac.sandbox import shared_sandbox
from uac.schema.constraints import Knowledge
from uac.schema.entries import Checkpoint
from uac.schema.patches import Learn
from uac.schema.types import Json

TABLES = {table.name: table for pack in installed_packs() for table in pack.knowledge}
AGING = ("finance.tax_deadlines", "travel.entry_rules")
NOTE = " As of 2026-11-16, check: rules like this change, and the table is due for a review."


def table_of(rows: Json) -> Knowledge:
    return Knowledge.of(rows, name="acme.rules", version="1", date="2026-01-01", source="acme", note="short")


def test_a_row_is_stale_from_the_day_after_its_last_day() -> None:
    table = table_of({"a": {"id": "a-1", "in": "US", "reviewed_on": "2026-01-01", "expires": "2026-06-30"}, "b": 3})
    assert stale_rows([table], date(2026, 6, 30)) == ()
    assert stale_rows([table], date(2026, 7, 1)) == (
        StaleRow("acme.rules", "1", "a-1", "US", "2026-01-01", "2026-06-30"),
    )


DAYS = st.dates(date(2020, 1, 1), date(2035, 12, 31))


@given(st.lists(DAYS), DAYS, DAYS)
def test_what_is_stale_once_stays_stale(ends: list[date], day: date, later: date) -> None:
    table = table_of([{"id": str(n), "expires": end.isoformat()} for n, end in enumerate(ends)])
    first, second = sorted((day, later))
    assert {*stale_rows([table], first)} <= {*stale_rows([table], second)}


@pytest.mark.parametrize("name", AGING)
def test_every_row_of_a_table_about_entry_rules_and_deadlines_has_a_last_day(name: str) -> None:
    assert [
        id_
        for id_, row in table_rows(TABLES[name])
        if not isinstance(row, dict) or row["expires"] <= row["reviewed_on"]
    ] == []


def test_the_limits_of_the_running_year_and_the_next_expire_with_it_and_earlier_ones_are_final() -> None:
    rows = {id_: row for id_, row in table_rows(TABLES["finance.contribution_limits"]) if isinstance(row, dict)}
    years = {id_: id_.rpartition("-")[2] for id_ in rows}
    assert {id_: row.get("expires", "") for id_, row in rows.items()} == {
        id_: f"{year}-12-31" if year in ("2026", "2027") else "" for id_, year in years.items()
    }


def overdue_passport(clock: Clock) -> Memory:
    memory = Memory(
        MemoryStore(clock=clock).log("ana"), packs=chosen_packs("all"), sandbox=shared_sandbox(), clock=clock
    )
    memory.put("travel.Passport", {"holder": "me", "country": "Germany", "expires": "2027-09-01"})
    memory.put("travel.Trip", {"destination": "Jaipur", "country": "India", "departs": "2027-06-20"})
    return memory


def messages(memory: Memory) -> list[str]:
    return [alert.message for alert in memory.alerts() if alert.constraint == "passport_validity"]


def test_an_alert_says_as_of_when_once_its_row_is_out_of_date_and_not_before() -> None:
    clock = Clock(datetime(2027, 5, 30, 9, tzinfo=UTC))
    memory = overdue_passport(clock)
    (fresh,) = messages(memory)
    assert NOTE not in fresh
    assert fresh.endswith(" As of 2026-11-16, check again before you travel: such rules change.")
    clock.pass_days(2)
    memory.tick()
    (stale,) = messages(memory)
    assert stale == fresh.removesuffix(" As of 2026-11-16, check again before you travel: such rules change.") + NOTE


def test_the_clock_of_the_tick_decides_and_replaying_the_log_gives_the_same_alerts() -> None:
    clock = Clock(datetime(2027, 6, 1, 9, tzinfo=UTC))
    log = MemoryStore(clock=clock).log("ana")
    memory = Memory(log, packs=chosen_packs("all"), sandbox=shared_sandbox(), clock=clock)
    memory.put("travel.Passport", {"holder": "me", "country": "Germany", "expires": "2027-09-01"})
    memory.put("travel.Trip", {"destination": "Jaipur", "country": "India", "departs": "2027-06-20"})
    (stale,) = messages(memory)
    assert stale.endswith(NOTE)
    again = Memory(log, packs=chosen_packs("all"), sandbox=shared_sandbox(), clock=Clock())
    assert messages(again) == [stale]


def doctor(*arguments: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in uac("doctor", "--quick", "--json", *arguments).output.splitlines()]


def test_doctor_lists_the_rows_out_of_date_by_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_STORE", str(tmp_path / "memory.db"))
    monkeypatch.setenv("UAC_NOW", "2026-11-17T12:00+00:00")
    uac("add", "ana", "hello")
    tables = len(TABLES)
    ok = {"level": "ok", "what": f"no row of the {tables} tables of the packs is out of date", "remedy": ""}
    assert ok in doctor()
    monkeypatch.setenv("UAC_NOW", "2027-01-01T12:00+00:00")
    found = {str(line["what"]).partition(" ")[0]: line for line in doctor() if "rows" in line}
    limits = found["finance.contribution_limits"]
    assert limits["level"] == "note"
    assert str(limits["what"]).endswith(
        ": 6 rows out of date, since 2026-12-31 at the earliest: #401k-2026, #ira-2026, #simple-2026, #457b-2026,"
        " #hsa-2026, #hsa-family-2026"
    )
    assert limits["rows"] == [
        {
            "table": "finance.contribution_limits",
            "version": TABLES["finance.contribution_limits"].version,
            "row": f"{kind}-2026",
            "regions": "US",
            "reviewed_on": "2026-11-19" if kind.startswith("hsa") else "2026-11-16",
            "expires": "2026-12-31",
        }
        for kind in ("401k", "ira", "simple", "457b", "hsa", "hsa-family")
    ]
    text = uac("doctor", "--quick").output
    assert "#transit-china" in text
    assert "alerts that use these rows say so" in text


def test_doctor_names_the_users_whose_tables_are_older_than_the_installed_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UAC_STORE", str(tmp_path / "memory.db"))
    monkeypatch.setenv("UAC_NOW", "2026-11-17T12:00+00:00")
    old = Knowledge.of(
        {"usa": {"id": "usa", "reviewed_on": "2024-01-01", "expires": "2024-12-31"}},
        name="finance.tax_deadlines",
        version="2024.1",
        date="2024-01-01",
        source="acme",
        note="short",
    )
    with closing(open_store(str(tmp_path / "memory.db"), create=True)) as store:
        store.log("ana").append([Checkpoint(patches=(Learn(knowledge=old),))], after=0)
    lines = [json.loads(line) for line in uac("doctor", "--json").output.splitlines()]
    assert {
        "level": "note",
        "what": "finance.tax_deadlines 2024.1 in the logs of ana has rows out of date",
        "remedy": "run 'uac pack upgrade'",
    } in lines
