"""What a model would write down in each session of a scenario, as data: patches by session, and how alerts are judged.

The words of the suite are not here; the harness reads them from its data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from uac.schema.patches import Amend, End, Put
from uac.schema.types import Json, folded

__all__ = ["Scenario", "Step", "amend", "end", "put"]

Step: TypeAlias = Put | Amend | End
"""A patch that cites nothing yet; the harness lets it cite the session's words."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Patches by session, written from the user's words only; a session that is not named has none."""

    sessions: Mapping[int, Sequence[Step]]
    rubric: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Groups of patterns where the suite has none: one message must match at least one pattern of every group."""
    argument: str = ""
    """Why this departs from the suite's expected alert, or why a second alert is right (it names the constraint)."""
    uncovered: str = ""
    """Why no pack covers it; empty if one does."""
    expects_silence: bool = False
    """The right answer is no alert at all, whatever the suite expects."""


def put(type_name: str, /, **fields: Json) -> Put:
    """A record with values as JSON has them: "2025-01-08", "15000 USD"."""
    return Put(type=type_name, fields=fields)


def amend(type_name: str, key: str | tuple[str, ...], /, **fields: Json) -> Amend:
    """New values for the record with that key."""
    return Amend(record=_record(type_name, key), fields=fields)


def end(type_name: str, key: str | tuple[str, ...], when: str, why: str = "") -> End:
    """The record with that key no longer holds from that date on."""
    return End(record=_record(type_name, key), when=when, why=why)


def _record(type_name: str, key: str | tuple[str, ...]) -> str:
    """The id of a record: one text is the key as ids have it ('tokyo|2025-02-20'), several are its fields' values."""
    if isinstance(key, str):
        return f"{type_name}:{folded(key)}"
    parts = [folded(part).replace("\\", "\\\\").replace("|", "\\|") for part in key]
    return f"{type_name}:{'|'.join(parts)}"
