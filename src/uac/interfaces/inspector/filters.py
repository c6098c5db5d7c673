"""How values look on a page. Everything printed goes through `shown`; markup comes from `uac.markup` alone."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import quote

from markupsafe import Markup as Safe

from uac.display.html import Markup, Part, element, fragment, visible
from uac.display.tables import cell_text
from uac.schema.entries import Checkpoint, Correction, Entry, Erasure, Fact, Observation, Retraction
from uac.schema.patches import AddField, Adopt, Define, Gone, Learn, MergeTypes, Patch, SetAside, op_of
from uac.schema.periods import Period
from uac.schema.types import Typed

__all__ = ["FILTERS", "counted", "marked", "period", "says", "shown", "told"]


def shown(value: object) -> object:
    """What a template prints: our own markup as it is, all else as text in which every character is seen."""
    if isinstance(value, Markup):
        return Safe(value.text)  # noqa: S704  # uac.markup escapes whatever goes into it
    return value if isinstance(value, Safe) or value is None else visible(str(value), lines=True)


def told(value: Typed) -> str:
    """The value of a field for people; a list with commas."""
    if isinstance(value, tuple):
        return ", ".join(map(told, value))
    return cell_text(value)


def moment(value: datetime | date | None) -> Markup:
    """A time, to the minute."""
    if value is None:
        return Markup("")
    if not isinstance(value, datetime):
        return element("time", value.isoformat(), datetime=value.isoformat())
    return element("time", f"{value:%Y-%m-%d %H:%M}", datetime=value.isoformat(), title=f"{value:%Y-%m-%d %H:%M:%S %Z}")


def period(held: Period) -> str:
    """When something held, in words."""
    if held.start and held.start == held.end:
        return held.start
    if not held.start and not held.end:
        return "no time said"
    return " ".join(filter(None, [held.start and f"from {held.start}", held.end and f"to {held.end}"]))


def counted(number: int, noun: str) -> str:
    """The number with its noun: 1 record, 2 records, 3 entries."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def marked(words: str, *quotes: str | None, around: int = 240) -> Markup:
    """The words with the quoted parts marked; what stands far from all of them is left out."""
    spans = _spans(words, filter(None, quotes))
    if not spans:
        cut = words[: 3 * around]
        return fragment(cut, "…" if len(cut) < len(words) else "")
    parts: list[Part] = []
    behind = 0
    for start, end in spans:
        first = max(start - around, behind)
        parts.append(("…" if first > behind else "") + words[first:start])
        parts.append(element("mark", words[start:end]))
        behind = end
    last = behind + around
    return fragment(*parts, words[behind:last] + ("…" if last < len(words) else ""))


def _spans(words: str, quotes: Iterable[str]) -> list[tuple[int, int]]:
    """Where the quotes stand, in order; those that overlap or touch are one."""
    found = sorted((start, start + len(quote)) for quote in quotes if (start := words.find(quote)) >= 0)
    spans: list[tuple[int, int]] = []
    for start, end in found:
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def says(entry: Entry | None) -> str:
    """What an entry that shaped the project did, in a line."""
    match entry:
        case Checkpoint():
            counts: dict[str, int] = {}
            for patch in entry.patches:
                counts[_did(patch)] = counts.get(_did(patch), 0) + 1
            parts = [f"{did} ×{count}" if count > 1 else did for did, count in counts.items()]
            more = f" and {len(parts) - 4} more" if len(parts) > 4 else ""
            return ", ".join(parts[:4]) + more or "nothing left"
        case Correction():
            return f"corrected {entry.record}.{entry.field}"
        case Retraction():
            why = f": {entry.why}" if entry.why else ""
            return f"retracted {', '.join(map(str, entry.positions[:5]))}{'…' if len(entry.positions) > 5 else ''}{why}"
        case Erasure():
            return f"erased the words of {counted(len(entry.erased), 'entry')}: {entry.why}"
        case Observation() | Fact():
            return entry.text
        case None:
            return "(erased)"
        case _:
            return type(entry).__name__


_VERBS = {
    "put": "put",
    "amend": "amended",
    "end": "ended",
    "drop": "dropped",
    "define": "defined",
    "set_aside": "set aside",
    "add_field": "added a field to",
    "rename_field": "renamed a field of",
    "retype_field": "retyped a field of",
    "retire_field": "retired a field of",
    "rename_type": "renamed",
    "split_type": "split",
    "merge_types": "merged into",
    "adopt": "adopted",
    "retire": "retired",
    "switch": "switched",
    "approve": "approved",
    "learn": "learned the table",
}


def _did(patch: Patch) -> str:
    match patch:
        case Gone():
            return "something erased"
        case SetAside():
            return "set facts aside"
        case Define():
            what = patch.type.full_name
        case Adopt():
            what = patch.constraint.name
        case Learn():
            what = patch.knowledge.name
        case MergeTypes():
            what = patch.into
        case AddField():
            what = patch.type
        case _:
            what = getattr(patch, "type", "") or getattr(patch, "record", "") or getattr(patch, "constraint", "")
    return f"{_VERBS[op_of(patch)]} {what}"


FILTERS: Mapping[str, Callable[..., Any]] = {
    "told": told,
    "moment": moment,
    "period": period,
    "counted": counted,
    "marked": lambda words, quotes: marked(words, *quotes),
    "says": says,
    "quoted": lambda text: quote(str(text), safe=""),
}
"""What templates can use beside Jinja's own filters."""
