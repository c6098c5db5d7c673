"""The records of each session of the cue-free suite, from the JSON files beside this.

The files hold the patches that a careful reader would write for each session; the words of the suite are not in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import msgspec

from uac import Amend, End, Put
from uac.errors import Refused

__all__ = ["Scenario", "Step", "load_scenarios"]

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
