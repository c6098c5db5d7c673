"""What each tool gives: one frozen type per tool, which becomes JSON and, in `texts`, words."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from uac.log.index import RecallKind
from uac.memory.memory import Memory
from uac.models.requests import Step
from uac.packs import from_packs
from uac.project.alerts import Alert
from uac.project.diff import Change
from uac.project.project import Record
from uac.schema.constraints import Severity
from uac.schema.entries import Kind
from uac.schema.types import Json, dump_value

__all__ = [
    "AlertShown",
    "AlertsShown",
    "Answered",
    "Changed",
    "Changes",
    "Claimed",
    "Computed",
    "Corrected",
    "Entered",
    "Explained",
    "FieldShown",
    "Forgotten",
    "HitShown",
    "Pending",
    "Question",
    "ReadResult",
    "Recalled",
    "RecordShown",
    "Remembered",
    "Result",
    "Rider",
    "Tested",
    "ToMend",
    "TypeShown",
    "Used",
    "Words",
    "alert_shown",
    "changes_shown",
    "record_shown",
]

MOST_CHANGES = 50
CITED = 20  # positions that are named for one record


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool gives."""


class Rider(Result, frozen=True, kw_only=True):
    """An alert that stands and nobody has acknowledged. It rides along on every result."""

    constraint: str
    subject: str
    severity: Severity
    message: str
    is_new: bool
    """Whether this session hears of it for the first time; later its message is cut short."""
    capped_from: Severity | None
    """The severity that the constraint's author gave, if a lesser one is shown until a person approves it."""


class Remembered(Result, frozen=True, kw_only=True):
    """Where the turns stand in the log, and how many turns wait to be read."""

    positions: list[int]
    unread: int


class Question(Result, frozen=True, kw_only=True):
    """One request to a model: instructions, the data, and the schema of the reply."""

    id: str
    step: Step
    instructions: str
    input: dict[str, Any]
    schema: dict[str, Any]
    tokens: int


class Pending(Result, frozen=True, kw_only=True):
    """What a model, or you in its place, is to be asked next; `more` if there is more than this."""

    requests: list[Question]
    position: int
    """The end of the log."""
    more: bool
    stuck: int
    """Entries that nobody could answer for; they are no longer asked about."""


class Entered(Result, frozen=True, kw_only=True):
    """An entry of the log: what it is and what it says."""

    position: int
    kind: Kind
    text: str


class Changed(Result, frozen=True, kw_only=True):
    """One difference in types, records, fields or constraints."""

    kind: Literal["type", "record", "field", "constraint", "alert"]
    change: Literal["added", "removed", "changed", "ended"]
    what: str
    before: Json
    after: Json


class Changes(Result, frozen=True, kw_only=True):
    """What changed in the project: a list, what packs brought along, and how much is not listed."""

    listed: list[Changed]
    from_packs: int
    left_out: int


class ToMend(Result, frozen=True, kw_only=True):
    """A part of a reply that did not hold, and why."""

    part: str
    why: str
    positions: list[int]


class Answered(Result, frozen=True, kw_only=True):
    """What came of a reply. What holds is kept; what is to mend is asked again under the id `again`."""

    request: str
    facts: list[Entered]
    checkpoint: int | None
    changes: Changes
    to_mend: list[ToMend]
    again: str | None
    pending: bool
    """Whether something is left to answer."""


class HitShown(Result, frozen=True, kw_only=True):
    """Something that was found. Records have an id; facts and turns have a position in the log."""

    kind: RecallKind
    position: int
    record: str
    text: str
    said: datetime | None
    speaker: str
    session: str
    is_current: bool
    is_whole: bool
    """False if it is a part of a longer turn."""
    also: list[int]
    """Entries that say nearly the same."""


class Recalled(Result, frozen=True, kw_only=True):
    """What a search found, in reading order, and how much more matched."""

    hits: list[HitShown]
    matched: int
    left_out: int
    notes: list[str]
    unread: int
    """Turns that no model has read: facts and records cannot know them."""
    waiting: int
    """Facts that are in no record yet."""


class Used(Result, frozen=True, kw_only=True):
    """A collection that code read, and how many facts may be missing from it."""

    collection: str
    records: int
    waiting: int
    aside: int


class Computed(Result, frozen=True, kw_only=True):
    """What code gave, and whether the collections it read are complete."""

    value: Json
    python: str
    printed: str
    is_complete: bool
    reads: list[Used]
    unread: int


class FieldShown(Result, frozen=True, kw_only=True):
    """A field of a type, and how claims that disagree are decided."""

    name: str
    type: str
    policy: str


class TypeShown(Result, frozen=True, kw_only=True):
    """A type of a domain; `collection` is its name in compute."""

    type: str
    collection: str
    doc: str
    cardinality: str
    key: list[str]
    fields: list[FieldShown]
    records: int


class RecordShown(Result, frozen=True, kw_only=True):
    """A record with its standing values, the fields whose claims disagree, and the entries it rests on."""

    record: str
    values: dict[str, Json]
    ended: str | None
    conflicts: list[str]
    cites: list[int]


class ReadResult(Result, frozen=True, kw_only=True):
    """The manifest, or types with their records; `next` is what `after` must be to read on."""

    manifest: str
    types: list[TypeShown]
    records: list[RecordShown]
    total: int
    next: int | None
    disputed: list[str]
    """Records with claims that disagree and wait for the user's word."""
    unread: int
    waiting: int


class AlertShown(Result, frozen=True, kw_only=True):
    """An alert that stands, and what somebody said to it."""

    constraint: str
    subject: str
    severity: Severity
    message: str
    state: Literal["standing", "acknowledged", "snoozed"]
    since: datetime
    until: datetime | None
    why: str
    records: list[str]
    cites: list[int]
    is_reviewed: bool
    capped_from: Severity | None
    """The severity that the constraint's author gave, if a lesser one is shown until a person approves it."""
    is_failure: bool
    """Whether it says that the constraint itself could not be run, for its record or at all."""


class AlertsShown(Result, frozen=True, kw_only=True):
    """All alerts that stand, and constraints that gave no result, each of which is an alert, too."""

    standing: list[AlertShown]
    failures: dict[str, str]
    said: int | None
    """The entry that acknowledges or snoozes, if this call did."""


class Words(Result, frozen=True, kw_only=True):
    """The words that a claim rests on; null once they were erased."""

    position: int
    fact: str | None
    words: str | None
    speaker: str
    said: datetime | None


class Claimed(Result, frozen=True, kw_only=True):
    """One claim about a field: its value, on whose word, and the words themselves."""

    field: str
    value: Json
    stands: bool
    is_disputed: bool
    authority: str
    said: datetime
    held: str
    position: int
    evidence: list[Words]


class Tested(Result, frozen=True, kw_only=True):
    """A test that a constraint made: its text, the values it saw, and how it came out."""

    text: str
    values: dict[str, str]
    result: bool


class Explained(Result, frozen=True, kw_only=True):
    """Why a record has its values, or why a constraint fired or not."""

    claims: list[Claimed]
    tests: list[Tested]
    fired: list[AlertShown]
    failure: str
    left_out: int
    """Tests that are not listed."""


class Corrected(Result, frozen=True, kw_only=True):
    """The entry that holds the user's word, and what it changed."""

    position: int
    changes: Changes


class Forgotten(Result, frozen=True, kw_only=True):
    """What is forgotten, or would be: the entries, and what changes without them."""

    is_done: bool
    is_erased: bool
    position: int | None
    entries: list[Entered]
    left_out: int
    changes: Changes


def changes_shown(memory: Memory, changes: list[Change]) -> Changes:
    """The changes of types, records and constraints; packs' are only counted: they say nothing of the user."""
    told = [change for change in changes if change.kind != "alert"]
    own = [change for change in told if not from_packs(change, memory.packs, memory.project())]
    return Changes(
        listed=[
            Changed(
                kind=change.kind,
                change=change.change,
                what=change.what,
                before=dump_value(change.before),
                after=dump_value(change.after),
            )
            for change in own[:MOST_CHANGES]
        ],
        from_packs=len(told) - len(own),
        left_out=max(len(own) - MOST_CHANGES, 0),
    )


def record_shown(record: Record) -> RecordShown:
    return RecordShown(
        record=record.id,
        values={name: dump_value(value) for name, value in record.values.items()},
        ended=record.ended.when if record.ended else None,
        conflicts=list(record.conflicts),
        cites=sorted(record.cites)[:CITED],
    )


def alert_shown(alert: Alert, now: datetime) -> AlertShown:
    return AlertShown(
        constraint=alert.constraint,
        subject=alert.subject,
        severity=alert.severity,
        message=alert.text,
        state=alert.state if alert.is_quiet(now) else "standing",
        since=alert.since,
        until=alert.until,
        why=alert.why,
        records=list(alert.records),
        cites=sorted(alert.cites)[:CITED],
        is_reviewed=alert.is_reviewed,
        capped_from=alert.capped_from,
        is_failure=alert.is_failure,
    )
