"""The arguments of each tool: one frozen type per tool, whose JSON schema agents read."""

from datetime import date, datetime
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from uac.errors import Refused
from uac.log.index import RecallKind
from uac.project.clocks import Clocks, parse_clocks
from uac.schema.entries import Role
from uac.schema.types import Json
from uac.schema.values import MOST_NESTING, nests_deeper

__all__ = [
    "AlertsArgs",
    "AnswerArgs",
    "Arguments",
    "ClockArgs",
    "ComputeArgs",
    "CorrectArgs",
    "ExplainArgs",
    "ForgetArgs",
    "PendingArgs",
    "ReadArgs",
    "RecallArgs",
    "RememberArgs",
    "Turn",
    "parse_arguments",
    "parse_day_argument",
    "parse_time_argument",
]

MOST_TURNS = 100
MOST_TEXT = 200_000  # characters of one turn, of code, or of a reason
MOST_NAME = 500  # characters of a name, a key or an id

Name: TypeAlias = Annotated[str, Meta(max_length=MOST_NAME)]
Why: TypeAlias = Annotated[str, Meta(max_length=2000, description="The reason in a few words; stored in the log.")]


Parts: TypeAlias = Annotated[list[Any], Meta(extra_json_schema={"items": {"type": "object"}})]
"""Parts of a call that are checked one by one, so that one wrong part does not refuse the others. Clients refuse tools
with arrays that do not say what they hold."""


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a tool."""


class Turn(Arguments, frozen=True, kw_only=True):
    """One thing that was said or received."""

    text: Annotated[str, Meta(min_length=1, max_length=MOST_TEXT, description="The words, verbatim and whole.")]
    role: Annotated[
        Role,
        Meta(
            description="Who speaks: user (whose memory this is), person (somebody else), assistant (you), tool, "
            "document or system. It decides how much weight the words have."
        ),
    ] = "user"
    speaker: Annotated[Name, Meta(description="The speaker's name, if it is known.", examples=["Ana"])] = ""
    said: Annotated[
        str,
        Meta(
            max_length=40,
            description="When it was said, ISO 8601 with a zone. Default: now.",
            examples=["2026-03-02T09:00+01:00"],
        ),
    ] = ""
    at: Annotated[str, Meta(max_length=40, description="Former name of said.")] = ""
    key: Annotated[
        Name, Meta(description="An id of your own: a turn that is sent twice with one key is stored once.")
    ] = ""


class ClockArgs(Arguments, frozen=True, kw_only=True):
    """The clocks of a question."""

    valid: Annotated[str, Meta(description="True on this day, YYYY-MM-DD.")] = ""
    told: Annotated[str, Meta(description="Said by this day.")] = ""
    known: Annotated[str, Meta(description="Known then: position or time.")] = ""

    def clocks(self) -> Clocks:
        return parse_clocks(self.valid or None, self.told or None, self.known or None)


class RememberArgs(Arguments, frozen=True, kw_only=True):
    text: Annotated[str, Meta(max_length=MOST_TEXT, description="Words of the user; short for one turn.")] = ""
    turns: Annotated[
        list[Turn], Meta(max_length=MOST_TURNS, description="The turns, oldest first. All are stored, or none.")
    ] = []
    facts: Annotated[
        Parts | None,
        Meta(description="What the turns say, one claim each, with the very words. Leave it out to be asked later."),
    ] = None
    records: Annotated[
        Parts | None, Meta(description="Changes of records; each cites facts of this call by number, from 1.")
    ] = None
    constraints: Annotated[
        Parts | None,
        Meta(description='Rules that the user states: {"name", "file", "cites"}, as instructions of pending explain.'),
    ] = None
    observations: Annotated[
        list[Annotated[int, Meta(ge=1)]],
        Meta(max_length=MOST_TURNS, description="Instead of turns, to mend: positions that remember returned."),
    ] = []
    session: Annotated[
        Name, Meta(description="The conversation they belong to, so that they are read together.", examples=["monday"])
    ] = ""
    source: Annotated[
        Name, Meta(description="Where they came from, if not from this conversation.", examples=["email"])
    ] = ""
    key: Annotated[Name, Meta(description="An id of your own: a call that is sent twice with it is made once.")] = ""
    model: Annotated[Name, Meta(min_length=1, description="Who made the facts; stored with them.")] = "agent"


class PendingArgs(Arguments, frozen=True, kw_only=True):
    most: Annotated[
        int, Meta(ge=1, le=5, description="At most this many requests. Each may be thousands of tokens long.")
    ] = 1


class AnswerArgs(Arguments, frozen=True, kw_only=True):
    reply: Annotated[
        dict[str, Any] | Annotated[str, Meta(max_length=1_000_000)],
        Meta(description="The reply: an object of the form that the request's schema gives."),
    ]
    request: Annotated[
        Name,
        Meta(
            description="The id of the request, as pending gave it. Optional if only one is pending.",
            examples=["12-0f3a5c7e9b1d2f46"],
        ),
    ] = ""
    model: Annotated[Name, Meta(min_length=1, description="Who answers; stored with the reply.")] = "agent"


class RecallArgs(ClockArgs, frozen=True, kw_only=True):
    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MOST_TEXT,
            description="What to look for, in the user's own words; a whole question works best.",
            examples=["Which doctor gave me amoxicillin?"],
        ),
    ]
    queries: Annotated[
        list[str],
        Meta(max_length=3, description="Two or three other queries, one for each part; results are merged by rank."),
    ] = []
    within: Annotated[Name, Meta(description="The running session: its last turns count.")] = ""
    after: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="Without a session: the turns after this position are the running ones."),
    ] = None
    outline: Annotated[
        bool | None,
        Meta(description="Every matching turn, shortened, by date. Default: if the query asks for order or a summary."),
    ] = None
    recent: Annotated[bool, Meta(description="What was said lately counts more.")] = False
    tokens: Annotated[int, Meta(ge=100, le=20_000, description="The approximate length of the result.")] = 2000
    kinds: Annotated[
        list[RecallKind],
        Meta(max_length=3, description="Only these: observation (what was said), fact, record. Default: all."),
    ] = []
    about: Annotated[
        Name, Meta(description="Only what mentions this person or thing, or was said by them.", examples=["Tom"])
    ] = ""
    since: Annotated[
        str,
        Meta(max_length=10, description="Only what is about this day or later, YYYY-MM-DD.", examples=["2026-01-01"]),
    ] = ""
    until: Annotated[str, Meta(max_length=10, description="Only what is about this day or earlier, YYYY-MM-DD.")] = ""
    former: Annotated[bool, Meta(description="Also facts that are no longer true.")] = False


class ComputeArgs(ClockArgs, frozen=True, kw_only=True):
    code: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MOST_TEXT,
            description="Python. Its last expression is the result. Domains are names (travel.trips), records have "
            "the fields that read shows, `now` is the time, and total (money by currency), mean, median, group_by, "
            "Counter, month_of and quarter_of are available. travel.former_trips are those that ended: end_of(trip). "
            "history(trip, 'cost') lists all values of a field.",
            examples=["total(t.cost for t in travel.trips if t.departs and t.departs.year == 2026)"],
        ),
    ]


class ReadArgs(ClockArgs, frozen=True, kw_only=True):
    name: Annotated[
        Name,
        Meta(
            description="What to read: nothing for the manifest (what is known, in short), a domain (travel) or "
            "several (travel, food), a type or collection (travel.Trip, travel.trips), or the id of a record "
            "(travel.Trip:paris|2026-05-01).",
            examples=["travel", "travel.Trip:paris|2026-05-01"],
        ),
    ] = ""
    most: Annotated[int, Meta(ge=1, le=500, description="At most this many records.")] = 50
    after: Annotated[int, Meta(ge=0, le=10_000_000, description="Skip this many records, to read on.")] = 0


class AlertsArgs(Arguments, frozen=True, kw_only=True):
    action: Annotated[
        Literal["list", "acknowledge", "snooze"],
        Meta(description="list the active alerts; acknowledge one once the user knows of it; snooze one until a time."),
    ] = "list"
    constraint: Annotated[
        Name, Meta(description="To acknowledge or snooze: the alert's constraint.", examples=["drug_allergy"])
    ] = ""
    subject: Annotated[Name, Meta(description="Its subject, if the constraint has several alerts.")] = ""
    until: Annotated[
        str,
        Meta(
            max_length=40,
            description="To snooze: be quiet until then, ISO 8601 with a zone.",
            examples=["2026-06-01T09:00+02:00"],
        ),
    ] = ""
    why: Why = ""


class ExplainArgs(ClockArgs, frozen=True, kw_only=True):
    record: Annotated[Name, Meta(description="The id of a record.", examples=["travel.Trip:paris|2026-05-01"])] = ""
    field: Annotated[Name, Meta(description="One of its fields. Default: all.", examples=["departs"])] = ""
    constraint: Annotated[
        Name,
        Meta(description="Instead of a record: a constraint, to see why it fired or not.", examples=["drug_allergy"]),
    ] = ""
    trace: Annotated[
        bool, Meta(description="With constraint: also list the tests that it made, with the values that it saw.")
    ] = False


class CorrectArgs(Arguments, frozen=True, kw_only=True):
    record: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MOST_NAME,
            description="The id of a record.",
            examples=["travel.Trip:paris|2026-05-01"],
        ),
    ]
    field: Annotated[str, Meta(min_length=1, max_length=MOST_NAME, description="The field.", examples=["departs"])]
    value: Annotated[Json, Meta(description="The correct value, in the form of the field's type; null for no value.")]
    why: Why = ""


class ForgetArgs(Arguments, frozen=True, kw_only=True):
    positions: Annotated[
        list[Annotated[int, Meta(ge=1)]],
        Meta(max_length=1000, description="The entries to forget, by the positions that other tools show."),
    ] = []
    record: Annotated[
        Name,
        Meta(
            description="Instead of positions: the words that this record depends on.",
            examples=["health.Allergy:penicillin"],
        ),
    ] = ""
    erase: Annotated[
        bool,
        Meta(
            description="Erase the words for good, which cannot be undone. Only if the user asks for exactly that; "
            "otherwise they stay in the log but no longer count."
        ),
    ] = False
    confirm: Annotated[
        bool, Meta(description="Do it. Without it nothing changes, and the result lists what would be forgotten.")
    ] = False
    why: Why = ""


def parse_arguments(arguments: dict[str, Any], takes: type[Arguments]) -> Arguments:
    if nests_deeper(arguments):
        raise Refused(f"The arguments nest more than {MOST_NESTING} levels deep. Send flatter ones.")
    return msgspec.convert(arguments, takes)


def parse_time_argument(text: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(f"{where}: {text!r} is not a valid time. Give one such as 2026-03-02T09:00+01:00.") from None
    if moment.tzinfo is None:
        raise Refused(f"{where}: {text!r} has no zone. Give one such as 2026-03-02T09:00+01:00, or Z at its end.")
    return moment


def parse_day_argument(text: str, where: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Refused(f"{where}: {text!r} is not a valid day. Give one such as 2026-03-02.") from None
