"""uac pack try: one's own cases against the packs and one's own tables."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.cli import lines, uac
from support.paths import ROOT

TWO = [["health.Medication", {"name": "warfarin"}], ["health.Medication", {"name": "ibuprofen"}]]
OTHERS = [["health.Medication", {"name": "phenelzine"}], ["health.Medication", {"name": "sertraline"}]]
SAFE = [["health.Medication", {"name": "warfarin"}], ["health.Medication", {"name": "paracetamol"}]]
UNKNOWN = [["health.Medication", {"name": "Zubrolin"}]]


def case(id_: str, expect: str, records: list[Any], **more: str) -> dict[str, Any]:
    return {"id": id_, "expect": expect, "now": "2026-11-16", "records": records, **more}


def written(*cases: dict[str, Any]) -> str:
    Path("cases.jsonl").write_text("".join(json.dumps(each) + "\n" for each in cases))
    return "cases.jsonl"


@pytest.fixture(autouse=True)
def health(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_PACKS", "health")


def test_hits_misses_and_false_alarms_are_counted_by_set() -> None:
    file = written(
        case("one", "critical", TWO, set="bleeding"),
        case("two", "silent", SAFE, set="bleeding"),
        case("three", "silent", TWO),
        case("four", "critical", SAFE),
        case("five", "warning", TWO),
        case("six", "info", UNKNOWN, constraint="medicine_not_checked"),
        case("seven", "silent", UNKNOWN),
    )
    (tried,) = lines(uac("pack", "try", file, "--json"))
    assert tried["counts"] == {
        "all": {
            "cases": 7,
            "must alert": 4,
            "alert": 3,
            "must be critical": 2,
            "critical": 1,
            "must be silent": 3,
            "false alarm": 1,
            "false critical": 2,
        },
        "bleeding": {
            "cases": 2,
            "must alert": 1,
            "alert": 1,
            "must be critical": 1,
            "critical": 1,
            "must be silent": 1,
            "false alarm": 0,
            "false critical": 0,
        },
    }
    assert tried["shares"] == {
        "sensitivity": {"part": 3, "whole": 4, "percent": 75.0},
        "critical as critical": {"part": 1, "whole": 2, "percent": 50.0},
        "false alarms": {"part": 1, "whole": 3, "percent": 33.33},
        "false critical": {"part": 2, "whole": 5, "percent": 40.0},
    }
    assert tried["failed"] == [
        {"id": "three", "expect": "silent", "found": "critical"},
        {"id": "four", "expect": "critical", "found": "silent"},
        {"id": "five", "expect": "warning", "found": "critical"},
    ]


def test_a_missed_limit_gives_exit_code_1_and_nothing_is_written(store: Path) -> None:
    file = written(case("one", "critical", SAFE), case("two", "silent", TWO))
    limits = ("--min-sensitivity", "90", "--min-critical", "95", "--max-false-alarms", "0", "--max-false-critical", "1")
    tried = uac("pack", "try", file, *limits)
    assert tried.exit_code == 1
    assert tried.stdout.splitlines() == [
        "set\tcases\tmust alert\talert\tmust be critical\tcritical\tmust be silent\tfalse alarm\tfalse critical",
        "all\t2\t1\t0\t1\t0\t1\t1\t1",
        "sensitivity: 0 of 1 (0.0 %)",
        "critical as critical: 0 of 1 (0.0 %)",
        "false alarms: 1 of 1 (100.0 %)",
        "false critical: 1 of 1 (100.0 %)",
        "miss  one: silent instead of critical: Medication warfarin; Medication paracetamol",
        "false alarm  two: critical instead of silent: Medication warfarin; Medication ibuprofen",
        "limit missed  sensitivity: 0 of 1 (0.0 %), needs at least 90 %",
        "limit missed  critical as critical: 0 of 1 (0.0 %), needs at least 95 %",
        "limit missed  false alarms: 1 of 1 (100.0 %), needs at most 0 %",
        "limit missed  false critical: 1 of 1 (100.0 %), needs at most 1 %",
    ]
    assert not store.exists()


def test_a_limit_on_cases_that_the_file_lacks_is_missed() -> None:
    tried = uac("pack", "try", written(case("one", "silent", SAFE)), "--min-critical", "95")
    assert tried.exit_code == 1
    assert "limit missed  critical as critical: no such case, needs at least 95 %\n" in tried.stdout
    assert uac("pack", "try", "cases.jsonl", "--max-false-alarms", "0").exit_code == 0


def test_the_tables_that_a_user_imported_take_the_place_of_the_packs() -> None:
    shutil.copy(ROOT / "tests" / "packs" / "licensed" / "abda_like.csv", "abda.csv")
    uac("add", "ana", "Hello.")
    uac("pack", "import", "health", "interactions", "abda.csv", "--user", "ana")
    file = written(case("ours", "critical", OTHERS), case("both", "critical", TWO))
    (ours,) = lines(uac("pack", "try", file, "--json"))
    (theirs,) = lines(uac("pack", "try", file, "--user", "ana", "--json"))
    assert [ours["failed"], theirs["failed"]] == [[], [{"id": "ours", "expect": "critical", "found": "silent"}]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "cases.jsonl has no case."),
        ("{}", "line 1: Object missing required field `id`"),
        (json.dumps(case("a", "loud", SAFE)), "line 1: Invalid enum value 'loud'"),
        (json.dumps(case("a", "silent", SAFE) | {"now": "soon"}), "line 1: now is 'soon', which is not a day"),
        (json.dumps(case("a", "silent", SAFE, colour="red")), "unknown field `colour`"),
        ("\n".join([json.dumps(case("a", "silent", SAFE))] * 2), "line 2: the id 'a' is taken."),
        (json.dumps(case("a", "silent", [["health.Pill", {"name": "x"}]])), "case a: "),
    ],
)
def test_a_file_that_holds_no_cases_is_refused_with_its_line(text: str, reason: str) -> None:
    Path("cases.jsonl").write_text(text)
    refused = uac("pack", "try", "cases.jsonl")
    assert (refused.exit_code, reason in refused.stderr) == (3, True), refused.stderr


def test_a_missing_file_is_refused() -> None:
    assert "none.jsonl cannot be read" in uac("pack", "try", "none.jsonl").stderr
