"""The entries of a log: one frozen type per kind, and their JSON form.

The body of an entry is JSON that carries its kind (`{"kind": "observation", "text": …}`).
It is decoded by one fixed table of types, never by a name found in the data.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec

from uac.errors import Damaged, NewerFormat, Refused
from uac.schema.constraints import Severity
from uac.schema.entry_upgrades import UPGRADES, Upgrade
from uac.schema.patches import Gone, Patch
from uac.schema.periods import Period, check_period
from uac.schema.safe_text import shorten
from uac.schema.shared_values import decode_patch, has_shared_values
from uac.schema.types import Json

__all__ = [
    "FORM",
    "IMPORTED",
    "MAX_BYTES",
    "AlertChange",
    "Authority",
    "Authorship",
    "Checkpoint",
    "Citation",
    "Correction",
    "Delivery",
    "Entry",
    "Erased",
    "Erasure",
    "Fact",
    "FailureReason",
    "Finding",
    "Grant",
    "Kind",
    "Look",
    "MemberRight",
    "Membership",
    "ModelCall",
    "NextRun",
    "Observation",
    "Receipt",
    "Retraction",
    "Role",
    "Tick",
    "check",
    "cited_positions",
    "decode",
    "encode",
    "kind_of",
    "plain_fields",
    "redact_entry",
    "with_alert_tables",
    "with_fixed_offsets",
]

FORM = 2
"""The version of the entries' JSON form. A change of meaning or shape raises it and adds an upgrade
(`uac.schema.entry_upgrades`)."""

MAX_BYTES = 16 * 1024 * 1024
"""The largest body of one entry, in bytes of UTF-8 JSON."""

IMPORTED = "import:"
"""How the keys of imported lines and messages begin."""

Kind = Literal[
    "observation",
    "fact",
    "checkpoint",
    "tick",
    "alert_change",
    "correction",
    "retraction",
    "erasure",
    "model_call",
    "look",
    "delivery",
    "receipt",
    "membership",
    "grant",
    "authorship",
]

Role = Literal["user", "person", "assistant", "tool", "document", "system"]
"""Who speaks in an observation; `person` is a human other than the user."""

Authority = Literal["correction", "user", "document", "tool", "assistant", "inferred"]
"""Whose word a fact is, strongest first."""


FailureReason = Literal["", "limit"]
"""Why a constraint failed, where that decides when it runs again: "limit" if it exceeded a limit of the sandbox."""


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A part of an entry."""


class EntryStruct(Value, frozen=True, kw_only=True, tag_field="kind"):
    """An entry: a value that is stored with its kind."""


class Observation(EntryStruct, frozen=True, kw_only=True, tag="observation"):
    """A message, a document or a tool result, verbatim."""

    text: str
    said: datetime
    zone: str = ""
    """The IANA name of the zone of `said`, where it is known: 'Europe/Berlin'."""
    role: Role = "user"
    speaker: str = ""
    session: str = ""
    source: str = ""
    key: str = ""
    """The client's own key: the same observation sent twice with one key is stored once."""


class Citation(Value, frozen=True, kw_only=True):
    """The quoted words of an observation that support a fact."""

    position: int
    quote: str


class Fact(EntryStruct, frozen=True, kw_only=True, tag="fact"):
    """One atomic claim taken from observations."""

    text: str
    about: str
    authority: Authority
    cites: tuple[Citation, ...]
    held: Period = Period()
    when: str = ""
    """The words that gave `held`: 'last Friday'."""
    topic: str = ""
    """The domain it seems to belong to, so that urgent facts need not wait."""
    by: str = ""
    """Who extracted it: a model with the hash of its prompt."""
    according_to: str = ""
    """The person whose word it is, if the user only reports it: 'Karin', 'the surveyor'."""
    unsure: str = ""
    """What code could neither confirm nor refute: such a fact is kept, and marked wherever it is shown."""


class Checkpoint(EntryStruct, frozen=True, kw_only=True, tag="checkpoint"):
    """A set of patches accepted together."""

    patches: tuple[Patch, ...]
    by: str = ""
    """Who proposed them: a person, an import, or a model with the hash of its prompt."""
    is_unwatched: bool = False
    """True if no constraint was run on the change: a long import runs them once, at the end."""


class Tick(EntryStruct, frozen=True, kw_only=True, tag="tick"):
    """Time passed: from here on, `now` is this."""

    now: datetime
    zone: str = ""


class AlertChange(EntryStruct, frozen=True, kw_only=True, tag="alert_change"):
    """One change of the active alerts, keyed by constraint and subject; `failed` reports a constraint without a result.

    `message` has the constraint's own words, `text` what people read.
    """

    change: Literal["raised", "updated", "cleared", "acknowledged", "snoozed", "expired", "failed"]
    constraint: str
    subject: str = ""
    severity: Severity = "info"
    message: str = ""
    records: tuple[str, ...] = ()
    cites: tuple[int, ...] = ()
    until: datetime | None = None
    is_reviewed: bool = True
    """False if a model wrote the constraint and no person had approved it yet."""
    why: str = ""
    capped_from: Severity | None = None
    """The severity that the author of the constraint gave, if the alert is shown as a lesser one until a review."""
    follows: int = 0
    """Of `updated`: the position that raised the alert whose acknowledgement this one takes over; 0 if none."""
    is_failure: bool = False
    """True if the alert reports that the constraint could not run, and not something that it found."""
    reason: FailureReason = ""
    tables: tuple[str, ...] = ()
    """The tables that the finding depends on, each with its version: 'health.drugs 3'."""

    @property
    def text(self) -> str:
        """The message for people, with the tables that it depends on."""
        return with_alert_tables(self.message, self.tables)


class Correction(EntryStruct, frozen=True, kw_only=True, tag="correction"):
    """The user's own word on one field of one record; `value` is JSON."""

    record: str
    field: str
    value: Json
    why: str = ""
    cites: tuple[int, ...] = ()


class Retraction(EntryStruct, frozen=True, kw_only=True, tag="retraction"):
    """These entries, and their dependent entries, no longer count."""

    positions: tuple[int, ...]
    why: str


class Erased(Value, frozen=True, kw_only=True):
    """One entry whose words were destroyed, and the commitment of the rest of it, if any."""

    position: int
    left: str = ""


class Erasure(EntryStruct, frozen=True, kw_only=True, tag="erasure"):
    """The marker an erasure leaves: which entries lost their words, and why."""

    erased: tuple[Erased, ...]
    why: str


class Finding(Value, frozen=True, kw_only=True):
    """A problem with a part of a model's reply, and the entries it concerns."""

    why: str
    positions: tuple[int, ...] = ()
    part: int = 0
    """Which fact or patch of the reply, counted from 1; 0: the reply as a whole."""
    needs: tuple[str, ...] = ()
    """The collections that a refused constraint reads and that do not exist. Once they do, its facts wait again."""


class ModelCall(EntryStruct, frozen=True, kw_only=True, tag="model_call"):
    """One request to a model and its verbatim reply; `read` are the entries that the request quoted."""

    model: str
    prompt_hash: str
    request_hash: str
    reply: str
    read: tuple[int, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None
    currency: str = "USD"
    step: Literal["", "extract", "checkpoint", "ask", "judge"] = ""
    answers: tuple[int, ...] = ()
    """The entries it had to process: observations to extract from, or facts to put into records."""
    empty: tuple[int, ...] = ()
    """Those of them that gave nothing and are to be processed once more."""
    through: int = 0
    """How many characters of the last of them have been read; 0: all."""
    findings: tuple[Finding, ...] = ()
    is_open: bool = False
    """True if the same is to be asked again, with the findings."""


class NextRun(EntryStruct, frozen=True, kw_only=True, tag="look"):
    """Constraints ran, and when each must run again though nothing changed; None: on every tick."""

    again: dict[str, datetime | None]


Look = NextRun
"""The former name of `NextRun`."""


class Delivery(EntryStruct, frozen=True, kw_only=True, tag="delivery"):
    """All alert changes up to a position were delivered to the recipient `to`."""

    to: str
    through: int


class Receipt(EntryStruct, frozen=True, kw_only=True, tag="receipt"):
    """A client's request was carried out: its entries are at `first` to `last`. It is not done again.

    `key` and `request` are digests: of the client's key, and of the request.
    """

    key: str
    request: str
    first: int
    last: int


MemberRight = Literal["", "read", "write", "admin", "erased"]
"""What a member of a group may do: read; also write; also decide who is a member. "" has left; "erased" is to be
erased from the group, too."""


class Membership(EntryStruct, frozen=True, kw_only=True, tag="membership"):
    """In the log of a group: somebody joined, left, or has another right from here on."""

    member: str
    """The id of the member's own log."""
    right: MemberRight
    name: str = ""
    """What records of the group call the member."""
    by: str = ""
    """The member who decided; "": the operator of the store."""


class Grant(EntryStruct, frozen=True, kw_only=True, tag="grant"):
    """In the log of a member: what is shared with a group from here on, in place of what was shared before.

    `shares` are types, fields of types, and records; `joined` is the digest of the entry by which the member joined, so
    that a grant ends with the membership and never reaches another group of the same name.
    """

    group: str
    joined: str
    shares: tuple[str, ...] = ()
    cites: tuple[int, ...] = ()
    """The entries that the shared records cite: the id of a record has words of them."""


class Authorship(EntryStruct, frozen=True, kw_only=True, tag="authorship"):
    """In the log of a group: the entries at `first` to `last` are the member's.

    With `record` they are the copy of that record of the member's own memory, and `digest` tells whether it is current.
    """

    member: str
    first: int
    last: int
    record: str = ""
    digest: str = ""


Entry = (
    Observation
    | Fact
    | Checkpoint
    | Tick
    | AlertChange
    | Correction
    | Retraction
    | Erasure
    | ModelCall
    | NextRun
    | Delivery
    | Receipt
    | Membership
    | Grant
    | Authorship
)


def with_alert_tables(message: str, tables: Iterable[str]) -> str:
    """The message of an alert, with the tables that it depends on at its end."""
    names = ", ".join(tables)
    return f"{message} [by {names}]" if names else message


def kind_of(entry: Entry) -> Kind:
    return _KINDS[type(entry)]


def plain_fields(entry: Entry) -> dict[str, Any]:
    """All fields as JSON, defaults included: a reader should not have to know them.

    Fields that a later version added are left out at their default, so that an old log reads as it always did.
    """
    fields = {name: msgspec.to_builtins(getattr(entry, name)) for name in entry.__struct_fields__}
    return {name: value for name, value in fields.items() if value or name not in ADDED_LATER}


ADDED_LATER = ("according_to", "capped_from", "follows", "is_failure", "reason", "tables", "unsure")


def encode(entry: Entry) -> bytes:
    """The entry as JSON that decodes to an equal entry; Refused if there is none."""
    try:
        body = _ENCODER.encode(entry)
        back = _DECODER.decode(body)
        same = back == entry
    except UnicodeEncodeError as error:
        raise Refused(
            f"{kind_of(entry)}: character {error.start} of {shorten(error.object, 40)!r} is a lone surrogate. "
            "Use text that can be encoded as UTF-8."
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, ArithmeticError, RecursionError) as error:
        raise Refused(f"{kind_of(entry)}: {error}") from None
    if not same:
        name = next(name for name in entry.__struct_fields__ if getattr(entry, name) != getattr(back, name, None))
        raise Refused(
            f"{kind_of(entry)}: {name} is {shorten(repr(getattr(entry, name)), 40)} and would change when stored."
            " Use a value of its declared type."
        )
    if len(body) > MAX_BYTES:
        raise Refused(
            f"{kind_of(entry)}: {len(body):,} bytes, and at most {MAX_BYTES:,} are allowed. Send it in parts."
        )
    return body


def decode(
    body: str, form: int = FORM, *, upgrades: Mapping[int, Mapping[str, Upgrade]] = UPGRADES, newest: int = FORM
) -> Entry:
    """The entry that a stored body of this form represents, upgraded to the newest form."""
    if form > newest:
        raise NewerFormat(
            f"an entry has form {form}, and this version of user-as-code reads forms up to {newest}."
            " Upgrade the package."
        )
    try:
        if form == newest:
            return _decode_body(body)
        for step in range(form, newest):
            if step not in upgrades:
                raise Damaged(f"an entry has form {form}, but there is no upgrade from form {step}")
        kind = _KIND_DECODER.decode(body).kind
        steps = [upgrades[step][kind] for step in range(form, newest) if kind in upgrades[step]]
        if not steps:
            return _decode_body(body)
        plain = msgspec.json.decode(body, type=dict[str, Any])
        for upgrade in steps:
            plain = upgrade(plain)
        return _DECODER.decode(msgspec.json.encode(plain))
    except (msgspec.DecodeError, UnicodeDecodeError, AttributeError, KeyError, TypeError) as error:
        raise Damaged(f"an entry of form {form} cannot be decoded: {error}") from None


def _decode_body(body: str) -> Entry:
    if not body.startswith(_CHECKPOINT_BODY) or not has_shared_values(body):
        return _DECODER.decode(body)
    raw = _RAW_CHECKPOINT.decode(body)
    return Checkpoint(patches=tuple(map(decode_patch, raw.patches)), by=raw.by, is_unwatched=raw.is_unwatched)


def with_fixed_offsets(entry: Entry) -> Entry:
    """The entry with its times at a fixed offset; the name of a zone moves into the `zone` field."""
    if type(entry) not in _KINDS:
        raise Refused(f"{shorten(repr(entry), 40)} is not an entry. Use one such as Observation(text=…, said=…).")
    try:
        match entry:
            case Observation():
                if type(entry.said.tzinfo) is timezone:
                    return entry
                moment, zone = _fixed_offset(entry.said, "observation: said")
                return msgspec.structs.replace(entry, said=moment, zone=entry.zone or zone)
            case Tick() if type(entry.now.tzinfo) is not timezone:
                moment, zone = _fixed_offset(entry.now, "tick: now")
                return msgspec.structs.replace(entry, now=moment, zone=entry.zone or zone)
            case AlertChange(until=datetime() as until) if type(until.tzinfo) is not timezone:
                return msgspec.structs.replace(entry, until=_fixed_offset(until, "alert_change: until")[0])
    except (AttributeError, TypeError):
        encode(entry)  # names the field of the wrong type
        raise
    return entry


def check(entry: Entry, *, position: int, at: datetime) -> None:
    """Refuse an entry that breaks a rule of its kind, were it stored at that position and time."""
    try:
        _check_entry_fields(entry, position, at)
    except (AttributeError, TypeError):
        encode(entry)  # names the field of the wrong type
        raise


def _check_entry_fields(entry: Entry, position: int, at: datetime) -> None:
    if isinstance(entry, Observation):
        _check_observation_entry(entry, at)
        return
    for cited in cited_positions(entry):
        if not 0 < cited < position:
            raise Refused(f"{kind_of(entry)} at {position}: cites position {cited}. Cite an earlier entry.")
    match entry:
        case Fact():
            _need_fields(entry, text=entry.text, about=entry.about)
            if not entry.cites:
                raise Refused("fact: cites nothing. Cite at least one observation, with the quoted words.")
            for citation in entry.cites:
                if not citation.quote:
                    raise Refused(f"fact: the citation of {citation.position} has no quote. Quote the words.")
            check_period(entry.held)
        case Tick():
            _check_offset(entry.now, "tick: now")
            _check_entry_zone(entry.zone)
        case AlertChange():
            _need_fields(entry, constraint=entry.constraint, subject=entry.subject)
            if entry.change == "failed" and not entry.is_failure:
                raise Refused("alert_change: `failed` without `is_failure`. Set `is_failure=True`.")
            if entry.until is not None:
                _check_offset(entry.until, "alert_change: until")
            if entry.follows and not 0 < entry.follows < position:
                raise Refused(f"alert_change: follows is {entry.follows}. Use an earlier position.")
        case Correction():
            _need_fields(entry, record=entry.record, field=entry.field)
        case Retraction():
            _need_fields(entry, why=entry.why)
            if not entry.positions:
                raise Refused("retraction: positions is empty. Name at least one.")
        case ModelCall():
            _need_fields(entry, model=entry.model, request_hash=entry.request_hash)
            if entry.cost is not None and (type(entry.cost) is not Decimal or not entry.cost.is_finite()):
                raise Refused(f"model_call: cost is {entry.cost!r}. Use a finite Decimal or None.")
            if not {*entry.answers, *entry.empty} <= {*entry.read}:
                raise Refused("model_call: answers has entries that are not in read. Add them to read.")
        case Delivery():
            _need_fields(entry, to=entry.to)
            if not 0 < entry.through < position:
                raise Refused(f"delivery: through is {entry.through}. Use an earlier position.")
        case Receipt():
            _need_fields(entry, key=entry.key)
        case NextRun():
            for name, moment in entry.again.items():
                if moment is not None:
                    _check_offset(moment, f"look: {name}")
        case Membership() | Authorship():
            _need_fields(entry, member=entry.member)
        case Grant():
            _need_fields(entry, group=entry.group, joined=entry.joined)
        case Checkpoint() | Erasure():
            pass


def cited_positions(entry: Entry) -> tuple[int, ...]:
    """The positions that the entry cites: it may repeat their words."""
    match entry:
        case Fact():
            return tuple(citation.position for citation in entry.cites)
        case Checkpoint():
            return tuple(cited for patch in entry.patches for cited in patch.cites)
        case AlertChange() | Correction() | Grant():
            return entry.cites
        case ModelCall():
            return entry.read
        case Retraction():
            return entry.positions
        case Receipt() | Authorship():  # a digest of words is a way to test a guess of them
            return tuple(range(entry.first, entry.last + 1))
        case Observation() | Tick() | Erasure() | NextRun() | Delivery() | Membership():
            return ()


def redact_entry(entry: Entry, gone: frozenset[int]) -> Entry | None:
    """The part of an entry that may stay when the words at `gone` are destroyed; None if nothing may."""
    match entry:
        case Retraction():
            return msgspec.structs.replace(entry, why="")
        case Checkpoint():
            remaining = tuple(patch if gone.isdisjoint(patch.cites) else Gone() for patch in entry.patches)
            return msgspec.structs.replace(entry, patches=remaining)
        case ModelCall():
            return msgspec.structs.replace(entry, reply="", findings=())
        case Receipt():
            return msgspec.structs.replace(entry, request="")
        case Grant():
            return msgspec.structs.replace(
                entry, shares=tuple(each for each in entry.shares if ":" not in each), cites=()
            )
        case Authorship() if not entry.record:  # the rest of these entries is still the member's
            return entry
        case _:
            return None


def _need_fields(entry: Entry, **fields: str) -> None:
    for name, text in fields.items():
        if not text.strip():
            raise Refused(f"{kind_of(entry)}: {name} is empty. Give it a value.")


FUTURE = timedelta(days=1)
"""How far an observation may be dated ahead of the log's clock: a wrong zone passes, a wrong year does not."""


def _check_observation_entry(entry: Observation, at: datetime) -> None:
    if not entry.text or entry.text.isspace():
        raise Refused("observation: text is empty. Give it a value.")
    if entry.said.tzinfo is not UTC:
        _check_offset(entry.said, "observation: said")
    if entry.zone:
        _check_entry_zone(entry.zone)
    if entry.said > at and entry.said > at + FUTURE:
        raise Refused(
            f"observation: said {entry.said.isoformat()} is in the future."
            f" Use a time up to {(at + FUTURE).isoformat()}."
        )


def _check_offset(moment: datetime, what: str) -> None:
    offset = moment.utcoffset()
    if offset is None:
        raise Refused(f"{what} is {moment.isoformat()}. Add a time zone such as +02:00 or Z.")
    if offset % timedelta(minutes=1):
        raise Refused(f"{what} is {moment.isoformat()}. Use an offset of whole minutes.")
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise Refused(f"{what} is {moment.isoformat()}. Use a time between the years 1 and 9999 in UTC.") from None


def _check_entry_zone(zone: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*|", zone):
        raise Refused(f"zone is {zone!r}. Use an IANA name such as Europe/Berlin.")


def _fixed_offset(moment: datetime, what: str) -> tuple[datetime, str]:
    offset = moment.utcoffset()
    if offset is None:
        raise Refused(f"{what} is {moment.isoformat()}. Add a time zone such as +02:00 or Z.")
    name = (moment.tzinfo.key or "") if isinstance(moment.tzinfo, ZoneInfo) else ""
    return moment.replace(tzinfo=UTC if not offset else timezone(offset), fold=0), name


_KINDS: Mapping[type[Entry], Kind] = {
    Observation: "observation",
    Fact: "fact",
    Checkpoint: "checkpoint",
    Tick: "tick",
    AlertChange: "alert_change",
    Correction: "correction",
    Retraction: "retraction",
    Erasure: "erasure",
    ModelCall: "model_call",
    NextRun: "look",
    Delivery: "delivery",
    Receipt: "receipt",
    Membership: "membership",
    Grant: "grant",
    Authorship: "authorship",
}
_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)
_CHECKPOINT_BODY = '{"kind":"checkpoint",'


class _RawCheckpoint(EntryStruct, frozen=True, kw_only=True, tag="checkpoint"):
    """A checkpoint whose patches are still JSON."""

    patches: tuple[msgspec.Raw, ...]
    by: str = ""
    is_unwatched: bool = False


_RAW_CHECKPOINT = msgspec.json.Decoder(_RawCheckpoint)


class _AnyKind(msgspec.Struct):
    kind: str


_KIND_DECODER = msgspec.json.Decoder(_AnyKind)
