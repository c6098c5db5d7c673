"""The command `uac-bench log`, run for real but small. What it measures is never asserted: machines differ."""

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from support.postgres_server import Server
from uac_bench import main
from uac_bench.bench_log import LogComparison, LogFindings, endless_log_turns

APPENDS = [
    ("append", "one at a time", "the same rows", "entries/s", 0.6),
    ("append", "one at a time", "a plain table", "entries/s", None),
    ("append", "in batches of 100", "the same rows", "entries/s", 0.8),
    ("append", "in batches of 100", "a plain table", "entries/s", None),
]
ON_POSTGRES = [
    ("PostgreSQL", "one at a time", "the same rows", "entries/s", None),
    ("PostgreSQL", "in batches of 100", "the same rows", "entries/s", None),
]
READING = [
    ("read", "read", "sqlite3 and json.loads", "entries/s", None),
    ("read", "verify", "sqlite3 and json.loads", "entries/s", None),
    ("size", "file", "the text alone", "bytes/entry", None),
    ("memory", "reading 1,500", "reading 150", "bytes", None),
]


def bench(*arguments: str) -> str:
    """What the command prints, run as people run it."""
    command = [str(Path(sys.executable).parent / "uac-bench"), "log", "--quick", "--entries", "1500", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def shape(report: dict[str, Any]) -> list[tuple[str, str, str, str, float | None]]:
    """What was compared, but for mem0, which is seldom installed."""
    return [
        (each["section"], each["what"], each["against"], each["unit"], each["at_least"])
        for each in report["comparisons"]
        if each["section"] != "mem0"
    ]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bench")
    report: dict[str, Any] = json.loads(bench("--json", "--folder", str(folder)))
    assert report["notes"][0].endswith(f"databases in {folder}")
    assert list(folder.iterdir()) == []
    return report


def test_appends_reads_size_and_memory_are_compared(report: dict[str, Any]) -> None:
    assert report["entries"] == 1500
    assert shape(report) == [*APPENDS, *READING]


def test_a_ratio_is_ours_by_theirs_and_a_goal_is_judged_by_it(report: dict[str, Any]) -> None:
    for each in report["comparisons"]:
        assert each["ours"] > 0
        assert each["theirs"] > 0
        assert each["ratio"] == each["ours"] / each["theirs"]
        assert each["met"] == (None if each["at_least"] is None else each["ratio"] >= each["at_least"])


def test_the_file_is_larger_than_the_text_and_not_many_times(report: dict[str, Any]) -> None:
    (size,) = [each for each in report["comparisons"] if each["section"] == "size"]
    assert 40 <= size["theirs"] <= 400
    assert 1 < size["ratio"] < 5


def test_mem0_is_measured_or_said_to_be_missing(report: dict[str, Any]) -> None:
    measured = [each["what"] for each in report["comparisons"] if each["section"] == "mem0"]
    missing = "mem0ai is not installed: make peers" in report["notes"]
    assert measured == ([] if missing else ["one at a time", "in batches of 100"])


def test_people_see_each_section_the_goals_and_what_was_measured(
    report: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = msgspec.convert(report, LogFindings)
    monkeypatch.setattr("uac_bench.bench_log.measure_log", lambda *_: measured)
    text = CliRunner().invoke(main, ["log", "--quick"], catch_exceptions=False).stdout
    rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
    assert [(row[0], row[1]) for row in rows if row[0] != "mem0"] == [line[:2] for line in [*APPENDS, *READING]]
    assert {row[6].partition(":")[0] for row in rows} == {"", "at least 0.6", "at least 0.8"}
    assert "The goals are for 'the same rows'" in text
    assert "mem0" in text
    assert "PostgreSQL is not measured: give --postgres URL" in text


def test_postgresql_is_measured_where_a_database_is_given_and_nothing_is_left_there(postgres: Server) -> None:
    url = postgres.new_database()
    found = json.loads(bench("--json", "--postgres", url))
    database = url.partition("@/")[2].partition("?")[0]
    assert shape(found) == [*APPENDS, *ON_POSTGRES, *READING]
    assert postgres.execute("SELECT name FROM uac.users", database) == []
    assert postgres.execute("SELECT to_regnamespace('uac_bench')::text", database) == [(None,)]


def test_a_database_that_cannot_be_reached_is_one_line_and_no_traceback() -> None:
    result = CliRunner().invoke(main, ["log", "--quick", "--postgres", "postgresql://127.0.0.1:1/none"])
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith("Error: postgresql://127.0.0.1:1/none cannot be reached")


@pytest.mark.parametrize(
    ("ours", "at_least", "at_most", "met"),
    [
        (6.0, 0.6, None, True),
        (5.9, 0.6, None, False),
        (15.0, None, 1.5, True),
        (15.1, None, 1.5, False),
        (1, None, None, None),
    ],
)
def test_a_goal_is_a_bound_of_the_ratio(
    ours: float, at_least: float | None, at_most: float | None, met: bool | None
) -> None:
    comparison = LogComparison(
        section="read",
        what="read",
        unit="entries/s",
        ours=ours,
        against="x",
        theirs=10,
        at_least=at_least,
        at_most=at_most,
    )
    assert comparison.met is met


def test_a_conversation_repeats_itself_by_its_seed_in_turns_of_40_to_400_characters() -> None:
    turns = list(islice(endless_log_turns(), 2000))
    assert turns == list(islice(endless_log_turns(), 2000))
    assert turns != list(islice(endless_log_turns(seed=2), 2000))
    assert {min(len(turn.text) for turn in turns), max(len(turn.text) for turn in turns)} == {40, 400}
    assert {turn.role for turn in turns} == {"user", "assistant"}
