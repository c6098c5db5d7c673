"""An entry of the log in one sentence, and who wrote it: the same on the command line, on pages and in tables."""

from collections import Counter
from collections.abc import Iterable
from datetime import MAXYEAR, datetime

from uac.schema.entries import (
    AlertChange,
    Authorship,
    Checkpoint,
    Correction,
    Delivery,
    Entry,
    Erasure,
    Fact,
    Grant,
    Membership,
    ModelCall,
    NextRun,
    Observation,
    Receipt,
    Retraction,
    Tick,
)
from uac.schema.patches import AddField, Adopt, Define, Gone, Learn, MergeTypes, Patch, SetAside, Sign, op_of
from uac.schema.safe_text import counted

__all__ = ["entry_author", "entry_text"]

MAX_LISTED = 20  # positions or changes that a sentence lists


def entry_text(entry: Entry | None) -> str:
    """The text of an observation or a fact; for every other entry a sentence that says what it does."""
    match entry:
        case None:
            return "(erased)"
        case Observation() | Fact():
            return entry.text
        case Checkpoint():
            return _join_entry_items(_entry_patch_texts(entry.patches)) or "nothing left"
        case Correction():
            return f"corrected {entry.record}.{entry.field} to {entry.value}{_reason_text(entry.why)}"
        case Retraction():
            return f"retracted {_join_entry_items(entry.positions)}{_reason_text(entry.why)}"
        case Erasure():
            return f"erased {_join_entry_items(erased.position for erased in entry.erased)}{_reason_text(entry.why)}"
        case AlertChange():
            return _alert_change_text(entry)
        case ModelCall():
            return _model_call_text(entry)
        case Tick():
            return f"now is {entry.now.isoformat()}"
        case NextRun():
            runs = _join_entry_items(f"{name} {_entry_time_text(at)}" for name, at in entry.again.items())
            return f"constraints to run again: {runs}"
        case Delivery():
            return f"alerts up to {entry.through} reached {entry.to}"
        case Receipt():
            return f"entries {entry.first} to {entry.last} carry out one request"
        case Membership():
            return _membership_text(entry)
        case Grant():
            return f"shares with the group {entry.group}: {', '.join(entry.shares) or 'nothing'}"
        case Authorship():
            copied = f", a copy of {entry.record}" if entry.record else ""
            return f"entries {entry.first} to {entry.last} are by {entry.member}{copied}"


def entry_author(entry: Entry | None) -> str:
    """The speaker, model or program that an entry comes from; "" where none is noted."""
    match entry:
        case Observation():
            return entry.speaker or entry.role
        case ModelCall():
            return entry.model
        case _:
            return str(getattr(entry, "by", ""))


def _membership_text(entry: Membership) -> str:
    match entry.right:
        case "":
            return f"{entry.member} left the group"
        case "erased":
            return f"{entry.member} was erased"
        case _:
            return f"{entry.member} is a member called {entry.name}, and may {entry.right}"


def _alert_change_text(entry: AlertChange) -> str:
    subject = f" / {entry.subject}" if entry.subject else ""
    until = f" until {entry.until.isoformat(timespec='minutes')}" if entry.until else ""
    reasons = "; ".join(filter(None, [entry.text, entry.why]))
    return f"{entry.change} {entry.severity} {entry.constraint}{subject}{until}{_reason_text(reasons)}"


def _model_call_text(entry: ModelCall) -> str:
    step = f"{entry.step} by " if entry.step else ""
    entries = f" for {_join_entry_items(entry.answers)}" if entry.answers else ""
    price = f", {entry.cost} {entry.currency}" if entry.cost is not None else ""
    tokens = f"{entry.input_tokens:,} tokens in, {entry.output_tokens:,} out"
    findings = f"; {counted(len(entry.findings), 'finding')}" if entry.findings else ""
    again = ", to be asked again" if entry.is_open else ""
    reasons = "; ".join(finding.why for finding in entry.findings)
    return f"{step}{entry.model}{entries}: {tokens}{price}{findings}{again}{_reason_text(reasons)}"


def _entry_patch_texts(patches: Iterable[Patch]) -> Iterable[str]:
    for change, count in Counter(map(_patch_text, patches)).items():
        yield f"{change} ×{count}" if count > 1 else change


def _patch_text(patch: Patch) -> str:
    match patch:
        case Gone():
            return "something erased"
        case SetAside():
            return "set facts aside"
        case Define():
            subject = patch.type.full_name
        case Adopt():
            subject = patch.constraint.name
        case Learn():
            subject = patch.knowledge.name
        case Sign():
            subject = patch.table
        case MergeTypes():
            subject = patch.into
        case AddField():
            subject = patch.type
        case _:
            subject = getattr(patch, "type", "") or getattr(patch, "record", "") or getattr(patch, "constraint", "")
    return f"{_VERBS[op_of(patch)]} {subject}"


_VERBS = {
    "put": "put",
    "amend": "amended",
    "end": "ended",
    "drop": "dropped",
    "define": "defined",
    "add_field": "added a field to",
    "rename_field": "renamed a field of",
    "retype_field": "retyped a field of",
    "retire_field": "retired a field of",
    "change_key": "changed the key of",
    "rename_type": "renamed",
    "split_type": "split",
    "merge": "merged",
    "merge_types": "merged into",
    "adopt": "adopted",
    "retire": "retired",
    "switch": "switched",
    "approve": "approved",
    "learn": "learned the table",
    "sign": "signed the table",
}


def _entry_time_text(at: datetime | None) -> str:
    if at is None:
        return "on every tick"
    return "when its records change" if at.year == MAXYEAR else at.date().isoformat()


def _reason_text(why: str) -> str:
    return f": {why}" if why else ""


def _join_entry_items(items: Iterable[object]) -> str:
    texts = [str(item) for item in items]
    more = f" and {len(texts) - MAX_LISTED} more" if len(texts) > MAX_LISTED else ""
    return ", ".join(texts[:MAX_LISTED]) + more
