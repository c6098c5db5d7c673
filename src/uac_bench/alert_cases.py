"""The cases of the cue-free suite, read from its data, and what other systems scored on them."""

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Literal

import click
import msgspec

__all__ = [
    "AlertCase",
    "CaseSession",
    "ExpectedAlert",
    "RecordedScore",
    "Suite",
    "read_alert_cases",
    "read_recorded_scores",
]

Suite = Literal["standard", "hard", "frozen"]
NOON = time(12, tzinfo=UTC)


class CaseSession(msgspec.Struct, frozen=True):
    """What the user said at one time."""

    session_id: str
    timestamp: str
    user_text: str

    @property
    def moment(self) -> datetime:
        """The session's time; noon in UTC where the suite has only a date."""
        if len(self.timestamp) == len("2025-01-08"):
            return datetime.combine(date.fromisoformat(self.timestamp), NOON)
        return datetime.fromisoformat(self.timestamp)


class ExpectedAlert(msgspec.Struct, frozen=True):
    """The suite's gold alert."""

    severity: str


class AlertCase(msgspec.Struct, frozen=True):
    """A scenario as the suite has it."""

    id: str
    suite: Literal["standard", "hard"]
    sessions: tuple[CaseSession, ...]
    trigger_session_id: str
    expected_alert: ExpectedAlert
    v21_rubric: dict[str, tuple[str, ...]] | None = None

    @property
    def suites(self) -> tuple[Suite, ...]:
        """The frozen protocol scores those of its scenarios that have a rubric of the suite's own."""
        return (self.suite, "frozen") if self.v21_rubric else (self.suite,)


class CaseFile(msgspec.Struct, frozen=True):
    """scenarios.json."""

    scenarios: tuple[AlertCase, ...]


class RecordedScore(msgspec.Struct, frozen=True):
    """What another system scored on the frozen scenarios, and where that is written."""

    system: str
    passed: int
    of: int
    source: str


def read_alert_cases(data: Path) -> tuple[AlertCase, ...]:
    path = data / "scenarios.json"
    if not path.is_file():
        raise click.UsageError(f"{path} does not exist. Give the folder with the suite's scenarios.json as --data.")
    return msgspec.json.decode(path.read_bytes(), type=CaseFile).scenarios


def read_recorded_scores(data: Path) -> list[RecordedScore]:
    path = data / "recorded_programs.json"
    if not path.is_file():
        return [
            RecordedScore(system, passed, 17, "the README of the evaluation data")
            for system, passed in (("v2", 4), ("v3, tuned on these", 17), ("full context", 10), ("retrieval", 12))
        ]
    found: list[RecordedScore] = []
    for name, run in msgspec.json.decode(path.read_bytes())["runs"].items():
        total = run["uac_total"]
        system = f"{name} ({run['model']})" + (", tuned on these" if name == "v3" else "")
        found.append(RecordedScore(system, run["uac_passed"], total, path.name))
        for baseline, passed in run["baselines_passed"].items():
            found.append(RecordedScore(baseline.replace("_", " "), passed, total, path.name))
    return found
