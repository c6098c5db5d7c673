"""The cue-free suite: its cases, read from its data, and the records of each session, from the JSON files beside this.

The files hold the patches that a careful reader would write for each session; the words of the suite are not in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from uac import Amend, End, Put
from uac.errors import Refused

__all__ = [
    "Case",
    "Expected",
    "Recorded",
    "Scenario",
    "Session",
    "Step",
    "Suite",
    "load_scenarios",
    "read_cases",
    "read_recorded",
]

Suite = Literal["standard", "hard", "frozen"]
NOON = time(12, tzinfo=UTC)

Step: TypeAlias = Put | Amend | End
"""A patch that cites nothing yet; the harness makes it cite the session's text."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Patches by session, written from the user's words only. A session that is not listed has none."""

    sessions: Mapping[int, Sequence[Step]]
    rubric: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Groups of patterns where the suite has none: one message must match at least one pattern of every group."""
    argument: str = ""
    """Why this departs from the suite's expected alert, or why a second alert is right (it names the constraint)."""
    uncovered: str = ""
    """Why no pack covers it; empty if one does."""
    expects_silence: bool = False
    """The right answer is no alert at all, whatever the suite expects."""


def load_scenarios() -> dict[str, Scenario]:
    """The scenarios of all files in this folder, by id."""
    scenarios: dict[str, Scenario] = {}
    for path in sorted(Path(__file__).parent.glob("*.json")):
        group = msgspec.json.decode(path.read_bytes(), type=dict[str, Scenario])
        twice = sorted(scenarios.keys() & group)
        if twice:
            raise Refused(f"{path.name}: {twice[0]} is defined twice. Keep it in one file.")
        scenarios |= group
    return scenarios


def read_cases(data: Path) -> "tuple[Case, ...]":
    return msgspec.json.decode((data / "scenarios.json").read_bytes(), type=File).scenarios


class Session(msgspec.Struct, frozen=True):
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


class Expected(msgspec.Struct, frozen=True):
    """The suite's gold alert."""

    severity: str


class Case(msgspec.Struct, frozen=True):
    """A scenario as the suite has it."""

    id: str
    suite: Literal["standard", "hard"]
    sessions: tuple[Session, ...]
    trigger_session_id: str
    expected_alert: Expected
    v21_rubric: dict[str, tuple[str, ...]] | None = None

    @property
    def suites(self) -> tuple[Suite, ...]:
        """The frozen protocol scores those of its scenarios that have a rubric of the suite's own."""
        return (self.suite, "frozen") if self.v21_rubric else (self.suite,)


class File(msgspec.Struct, frozen=True):
    """scenarios.json."""

    scenarios: tuple[Case, ...]


class Recorded(msgspec.Struct, frozen=True):
    """What another system scored on the frozen scenarios, and where that is written."""

    system: str
    passed: int
    of: int
    source: str


def read_recorded(data: Path) -> list[Recorded]:
    path = data / "recorded_programs.json"
    if not path.is_file():
        return [
            Recorded(system, passed, 17, "the README of the evaluation data")
            for system, passed in (("v2", 4), ("v3, tuned on these", 17), ("full context", 10), ("retrieval", 12))
        ]
    found: list[Recorded] = []
    for name, run in msgspec.json.decode(path.read_bytes())["runs"].items():
        total = run["uac_total"]
        system = f"{name} ({run['model']})" + (", tuned on these" if name == "v3" else "")
        found.append(Recorded(system, run["uac_passed"], total, path.name))
        for baseline, passed in run["baselines_passed"].items():
            found.append(Recorded(baseline.replace("_", " "), passed, total, path.name))
    return found
