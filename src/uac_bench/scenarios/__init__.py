"""The cue-free suite: its cases, read from its data, and what we write down of them, a module for each group."""

import pkgutil
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Literal

import msgspec

from uac.errors import Refused
from uac_bench.scenarios.forms import Scenario

__all__ = ["Case", "Expected", "Recorded", "Session", "Suite", "read_cases", "read_recorded", "written"]

Suite = Literal["standard", "hard", "frozen"]
FORMS = "forms"
NOON = time(12, tzinfo=UTC)


def written() -> dict[str, Scenario]:
    """What is written down of the scenarios: those of all modules of this folder, by their ids."""
    found: dict[str, Scenario] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name == FORMS:
            continue
        group: dict[str, Scenario] = pkgutil.resolve_name(f"{__name__}.{module.name}:SCENARIOS")
        twice = sorted(found.keys() & group)
        if twice:
            raise Refused(f"{module.name}: {twice[0]} is written twice, needs to stand in one module")
        found |= group
    return found


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
