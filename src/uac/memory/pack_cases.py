"""Tries packs on cases: which alerts records raise, against those that they must raise or must not.

In: cases as JSON Lines, packs, and tables in the place of theirs. Out: what was found for each case, and counts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from uac.errors import Refused
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import Pack, needed_patches
from uac.sandbox import shared_sandbox
from uac.schema.constraints import Knowledge
from uac.schema.patches import Drop, Learn, Patch, Put
from uac.schema.types import Json

__all__ = [
    "CASE_COUNTS",
    "Expected",
    "PackCase",
    "case_counts",
    "memory_with_packs",
    "play_pack_cases",
    "raised_severities",
    "read_pack_cases",
    "share_of_counts",
]

Expected: TypeAlias = Literal["critical", "warning", "info", "silent"]
RANKS: tuple[Expected, ...] = ("silent", "info", "warning", "critical")

CASE_COUNTS = (
    "cases",
    "must alert",
    "alert",
    "must be critical",
    "critical",
    "must be silent",
    "false alarm",
    "false critical",
)
"""What is counted. An alert counts from warning on; information counts as silence unless the case expects it."""


class PackCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Records of one user, and the severity of the alert that they must raise; `silent` if they must raise none."""

    id: str
    expect: Expected
    now: str
    """The day on which the constraints run: YYYY-MM-DD."""
    records: list[tuple[str, dict[str, Json]]]
    """Pairs of a type and its fields: ["health.Medication", {"name": "warfarin"}]."""
    constraint: str = ""
    """The only constraint whose alerts count; empty: any."""
    set: str = ""
    """A name for cases that are counted together."""
    half: str = ""
    source: str = ""
    """Where it can be looked up."""


class RaisedAlert(NamedTuple):
    """The severity of an alert, its constraint and its records."""

    severity: Expected
    constraint: str
    records: tuple[str, ...]


def read_pack_cases(path: Path) -> tuple[PackCase, ...]:
    """The cases of a JSON Lines file, or Refused with the line."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}. Check its path and permissions.") from None
    cases: dict[str, PackCase] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = msgspec.json.decode(line, type=PackCase)
            _case_time(case)
        except (msgspec.DecodeError, UnicodeDecodeError, Refused) as error:
            raise Refused(f"{path.name}: line {number}: {error}. Write a case as the guide shows it.") from None
        if case.id in cases:
            raise Refused(f"{path.name}: line {number}: the id {case.id!r} is taken. Give each case its own.")
        cases[case.id] = case
    if not cases:
        raise Refused(f"{path.name} has no case. Write one JSON object per line.")
    return tuple(cases.values())


def play_pack_cases(
    cases: Sequence[PackCase], packs: Sequence[Pack], *, tables: Mapping[str, Knowledge] | None = None
) -> Iterator[tuple[PackCase, Expected]]:
    """Each case with the most severe alert that it raised, by day. `tables` take the place of the packs' own."""
    for day in sorted({case.now for case in cases}):
        chosen = [case for case in cases if case.now == day]
        with closing(memory_with_packs(packs, _case_time(chosen[0]), tables=tables)) as memory:
            for case in chosen:
                try:
                    found = raised_severities(memory, case.records)
                except Refused as error:
                    raise Refused(f"case {case.id}: {error}") from None
                raised = {each.severity for each in found if case.constraint in ("", each.constraint)}
                worst: Expected = next((rank for rank in RANKS[::-1] if rank in raised), "silent")
                yield case, "silent" if worst == "info" != case.expect else worst


def case_counts(expect: Expected, found: Expected) -> Counter[str]:
    """What one case adds to the counts."""
    is_silent = expect == "silent"
    return Counter(
        {
            "cases": 1,
            "must alert": int(not is_silent),
            "alert": int(not is_silent and found != "silent"),
            "must be critical": int(expect == "critical"),
            "critical": int(expect == "critical" and found == "critical"),
            "must be silent": int(is_silent),
            "false alarm": int(is_silent and found != "silent"),
            "false critical": int(expect != "critical" and found == "critical"),
        }
    )


def share_of_counts(counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """The four measures, each as a part and its whole."""
    return {
        "sensitivity": (counts.get("alert", 0), counts.get("must alert", 0)),
        "critical as critical": (counts.get("critical", 0), counts.get("must be critical", 0)),
        "false alarms": (counts.get("false alarm", 0), counts.get("must be silent", 0)),
        "false critical": (
            counts.get("false critical", 0),
            counts.get("cases", 0) - counts.get("must be critical", 0),
        ),
    }


def memory_with_packs(packs: Sequence[Pack], now: datetime, *, tables: Mapping[str, Knowledge] | None = None) -> Memory:
    """A memory with all types and constraints of the packs and without a record; the caller closes it."""
    store = MemoryStore(clock=lambda: now)
    memory = Memory(store.log("somebody"), sandbox=shared_sandbox(), packs=packs, clock=lambda: now)
    types = {type_.full_name for pack in packs for type_ in pack.types}
    patches = needed_patches(packs, memory.project(), types)
    if patches:
        memory.checkpoint(_with_tables(patches, tables or {}), reviewed=True)
    return memory


def _with_tables(patches: Iterable[Patch], tables: Mapping[str, Knowledge]) -> list[Patch]:
    return [
        Learn(knowledge=tables.get(patch.knowledge.name, patch.knowledge)) if isinstance(patch, Learn) else patch
        for patch in patches
    ]


def raised_severities(memory: Memory, records: Sequence[tuple[str, dict[str, Json]]]) -> list[RaisedAlert]:
    """The alerts that records raise in a memory without any. The records are dropped again.

    A retraction would fold the whole log again and load every table into a new session, case by case.
    """
    words = memory.add("the records of a case")
    memory.checkpoint([Put(type=name, fields=fields, cites=(words,)) for name, fields in records], by="cases")
    found = [RaisedAlert(alert.severity, alert.constraint, tuple(alert.records)) for alert in memory.alerts()]
    made = [record for table in memory.project().tables.values() for record in table]
    memory.checkpoint([Drop(record=record, why="the case is over") for record in made], by="cases")
    return found


def _case_time(case: PackCase) -> datetime:
    try:
        return datetime.combine(date.fromisoformat(case.now), time(12), tzinfo=UTC)
    except ValueError:
        raise Refused(f"now is {case.now!r}, which is not a day (YYYY-MM-DD)") from None
