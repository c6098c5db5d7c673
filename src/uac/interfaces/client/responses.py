"""What the service answers, as frozen values. Fields that a newer service adds are passed over."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from uac.interfaces.service.webhooks import HookEvent, HookState
from uac.log.index import RecallKind
from uac.models.requests import Step
from uac.schema.constraints import Severity
from uac.schema.entries import Authority, Kind
from uac.schema.types import Cardinality, Policy

__all__ = [
    "Alert",
    "AlertNews",
    "Alerts",
    "Answered",
    "Change",
    "Changes",
    "Claim",
    "Collection",
    "Computed",
    "Conflict",
    "ConflictClaim",
    "Conflicts",
    "Context",
    "Coverage",
    "Covered",
    "Entry",
    "Evidence",
    "Explanation",
    "Fact",
    "FieldOfType",
    "Forgotten",
    "Hit",
    "Hook",
    "HookTest",
    "Hooks",
    "Kept",
    "LogPage",
    "MadeHook",
    "Manifest",
    "Part",
    "Pending",
    "Put",
    "Question",
    "Recalled",
    "Record",
    "RecordEnd",
    "RecordPage",
    "ToMend",
    "Touched",
    "Type",
    "Types",
    "UserListed",
    "UserPage",
    "Written",
]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the service answers."""


class Kept(Answer, frozen=True, kw_only=True):
    """Where the turns stand in the log. They are durable."""

    positions: tuple[int, ...]


class Change(Answer, frozen=True, kw_only=True):
    """One difference in types, records, fields, constraints or alerts."""

    kind: Literal["type", "record", "field", "constraint", "alert"]
    change: Literal["added", "removed", "changed", "ended"]
    what: str
    before: Any = None
    after: Any = None


class AlertNews(Answer, frozen=True, kw_only=True):
    """A change of the standing alerts that a write brought along."""

    change: Literal["raised", "updated", "cleared", "acknowledged", "snoozed", "expired", "failed"]
    constraint: str
    subject: str
    severity: Severity
    message: str


class Written(Answer, frozen=True, kw_only=True):
    """Where a change stands in the log (`first` is 0 if there was nothing to write), and what it changed."""

    first: int
    last: int
    changes: tuple[Change, ...]
    alerts: tuple[AlertNews, ...]
    is_repeated: bool = False
    notes: tuple[str, ...] = ()


class Put(Written, frozen=True, kw_only=True):
    """A record that was put, by its id."""

    record: str


class Hit(Answer, frozen=True, kw_only=True):
    """Something that was found. Records have an id and no position; facts and turns have a position and no id."""

    kind: RecallKind
    position: int
    record: str
    text: str
    score: float
    channels: dict[str, float]
    said: datetime | None
    speaker: str
    role: str | None
    session: str
    source: str
    authority: Authority | None
    is_current: bool
    start: int
    stop: int
    whole: int
    also: tuple[int, ...]


class Recalled(Answer, frozen=True, kw_only=True):
    """What a search found, and how much more matched."""

    hits: tuple[Hit, ...]
    matched: int
    left_out: int
    tokens: int
    notes: tuple[str, ...]
    unread: int


class Part(Answer, frozen=True, kw_only=True):
    """One thing that is shown, and where it comes from."""

    kind: Literal["manifest", "alert", "record", "fact", "turn"]
    source: str
    text: str


class Context(Answer, frozen=True, kw_only=True):
    """What an agent should be shown; `left_out` counts what matched and is not."""

    text: str
    tokens: int
    parts: tuple[Part, ...]
    left_out: dict[str, int]
    positions: tuple[int, ...]


class Collection(Answer, frozen=True, kw_only=True):
    """A collection that code read, and how many facts may be missing from it."""

    collection: str
    records: int
    waiting: int
    aside: int


class Computed(Answer, frozen=True, kw_only=True):
    """What code gave: `value` as JSON, `python` as Python prints it; and whether what it read is complete."""

    value: Any
    python: str
    printed: str
    is_complete: bool
    reads: tuple[Collection, ...]
    unread: int
    position: int


class RecordEnd(Answer, frozen=True, kw_only=True):
    """When a record stopped to hold, and why."""

    when: str
    why: str


class Record(Answer, frozen=True, kw_only=True):
    """A record with its values, as JSON, and the entries it rests on."""

    record: str
    type: str
    values: dict[str, Any]
    ended: RecordEnd | None
    conflicts: tuple[str, ...]
    cites: tuple[int, ...]


class RecordPage(Answer, frozen=True, kw_only=True):
    """Records; `next` is what `after` must be to read on, None at the end."""

    records: tuple[Record, ...]
    next: str | None


class Evidence(Answer, frozen=True, kw_only=True):
    """Words that a claim rests on; None once they were erased."""

    position: int
    words: str | None
    quote: str | None
    speaker: str
    said: datetime | None
    fact: int | None
    fact_text: str | None


class Claim(Answer, frozen=True, kw_only=True):
    """One value of a field, with its source, two clocks and evidence."""

    value: Any
    authority: Authority
    said: datetime
    learned: datetime
    held: tuple[str, str]
    position: int
    stands: bool
    evidence: tuple[Evidence, ...]


class Explanation(Answer, frozen=True, kw_only=True):
    """Where the value of a field comes from."""

    record: str
    field: str
    value: Any
    policy: str
    is_disputed: bool
    claims: tuple[Claim, ...]


class Alert(Answer, frozen=True, kw_only=True):
    """An alert that stands."""

    constraint: str
    subject: str
    severity: Severity
    message: str
    state: Literal["standing", "acknowledged", "snoozed"]
    since: datetime
    until: datetime | None
    why: str
    records: tuple[str, ...]
    cites: tuple[int, ...]
    raised: int
    is_reviewed: bool
    capped_from: Severity | None = None
    is_failure: bool = False
    """Whether it says that the constraint itself could not be run, for its record or at all."""


class Alerts(Answer, frozen=True, kw_only=True):
    """The alerts that stand, the most severe first; and constraints that gave no result, with the reason."""

    standing: tuple[Alert, ...]
    failures: dict[str, str]


class Question(Answer, frozen=True, kw_only=True):
    """One request to a model: instructions, the data, and the JSON schema of the reply."""

    id: str
    step: Step
    instructions: str
    input: dict[str, Any]
    reply_schema: dict[str, Any]
    tokens: int


class Pending(Answer, frozen=True, kw_only=True):
    """What a model, or an agent in its place, is to be asked next."""

    requests: tuple[Question, ...]
    more: bool
    stuck: int


class Fact(Answer, frozen=True, kw_only=True):
    """A fact that was taken from a reply."""

    position: int
    text: str


class ToMend(Answer, frozen=True, kw_only=True):
    """A part of a reply that did not hold, and why; part 0 is the reply as a whole."""

    part: int
    why: str
    positions: tuple[int, ...]


class Answered(Answer, frozen=True, kw_only=True):
    """What came of a reply: what holds is kept, and the rest is asked again, if `is_open`."""

    facts: tuple[Fact, ...]
    checkpoint: int | None
    changes: tuple[Change, ...]
    to_mend: tuple[ToMend, ...]
    is_open: bool
    is_repeated: bool = False


class Touched(Answer, frozen=True, kw_only=True):
    """An entry that loses its words."""

    position: int
    kind: Kind
    text: str


class Forgotten(Answer, frozen=True, kw_only=True):
    """What was forgotten, or would be (`is_done` is False), and what is other without it."""

    is_done: bool
    entries: tuple[Touched, ...]
    left_out: int
    changes: tuple[Change, ...]
    last: int


class Entry(Answer, frozen=True, kw_only=True):
    """An entry of the log. Its words are None once they were erased."""

    position: int
    at: datetime
    kind: Kind
    digest: str
    entry: dict[str, Any] | None


class LogPage(Answer, frozen=True, kw_only=True):
    """Entries in the order of the log; `next` is what `after` must be to read on, None at the end."""

    entries: tuple[Entry, ...]
    next: int | None


class Manifest(Answer, frozen=True, kw_only=True):
    """The index that is always in an agent's context."""

    text: str
    position: int


class FieldOfType(Answer, frozen=True, kw_only=True):
    """A field of a type, as Python writes it, and which of several claims stands."""

    name: str
    type: str
    doc: str
    policy: Policy


class Type(Answer, frozen=True, kw_only=True):
    """A type of a domain, its collection in compute, and how many records it has."""

    type: str
    collection: str
    doc: str
    cardinality: Cardinality
    key: tuple[str, ...]
    fields: tuple[FieldOfType, ...]
    records: int


class Types(Answer, frozen=True, kw_only=True):
    """All types of the project."""

    types: tuple[Type, ...]


class Covered(Answer, frozen=True, kw_only=True):
    """How many facts of a domain are in records, and how many were set aside with a reason."""

    structured: int
    aside: int


class Coverage(Answer, frozen=True, kw_only=True):
    """What of the log is in records, and what is not; `stuck` says by position why nobody could answer for it."""

    domains: dict[str, Covered]
    waiting: int
    unread: int
    stuck: dict[int, str]


class ConflictClaim(Answer, frozen=True, kw_only=True):
    """One of several values of a field, with its source and two clocks."""

    value: Any
    authority: Authority
    said: datetime
    learned: datetime
    held: tuple[str, str]
    position: int


class Conflict(Answer, frozen=True, kw_only=True):
    """A field whose claims disagree: `correct` decides it."""

    record: str
    field: str
    claims: tuple[ConflictClaim, ...]


class Conflicts(Answer, frozen=True, kw_only=True):
    """What waits for the user's word."""

    conflicts: tuple[Conflict, ...]


class Changes(Answer, frozen=True, kw_only=True):
    """What is other in the later state than in the earlier one, by their positions."""

    before: int
    after: int
    changes: tuple[Change, ...]


class UserListed(Answer, frozen=True, kw_only=True):
    """A user, and how far the log has come."""

    user: str
    entries: int
    last: datetime | None


class UserPage(Answer, frozen=True, kw_only=True):
    """Users; `next` is what `after` must be to read on, None at the end."""

    users: tuple[UserListed, ...]
    next: str | None


class Hook(Answer, frozen=True, kw_only=True):
    """An address that hears of alert changes, and how sending to it goes."""

    id: str
    url: str
    user: str
    events: tuple[HookEvent, ...]
    made: datetime
    state: HookState
    since: datetime | None
    why: str
    tries: int = 0
    again: datetime | None = None
    blocked: str = ""


class Hooks(Answer, frozen=True, kw_only=True):
    """The hooks of the tenant, oldest first."""

    hooks: tuple[Hook, ...]


class MadeHook(Answer, frozen=True, kw_only=True):
    """A new hook with the secret that its messages are signed with, which is told this once."""

    hook: Hook
    secret: str


class HookTest(Answer, frozen=True, kw_only=True):
    """What came of a test message; `status` is 0 if nobody answered."""

    is_received: bool
    status: int
    why: str
