"""The operations on one user. Each is defined once, for both kinds of client."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack
from urllib.parse import quote

import msgspec

from uac.errors import Refused
from uac.interfaces.client.calls import Call, Kind, Stream
from uac.interfaces.client.operation import operation, stream
from uac.interfaces.client.responses import (
    AlertEvent,
    Alerts,
    Answered,
    Changes,
    Computed,
    Conflicts,
    ConstraintTrace,
    Context,
    Coverage,
    Entry,
    Explanation,
    Forgotten,
    GroupMembers,
    Groups,
    Kept,
    LogPage,
    Manifest,
    Pending,
    Put,
    Recalled,
    Record,
    RecordPage,
    Remembered,
    Types,
    Written,
)
from uac.log.index import RecallKind
from uac.schema.entries import Authority, Role
from uac.schema.entries import Kind as EntryKind
from uac.schema.patches import Patch
from uac.schema.values import dump_value

__all__ = ["Turn", "User"]

W = TypeVar("W")
T = TypeVar("T")

When = int | datetime | None


class ClockTimes(TypedDict, total=False):
    """The three clocks of a question: true on a day, said by a day, and known at a position or time."""

    valid: date
    told: date
    known: int | datetime


"""A position of the log, or a time with its zone; None: now."""


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn of a conversation, or another text; `said` is now by default."""

    text: str
    role: Role = "user"
    speaker: str = ""
    session: str = ""
    source: str = ""
    said: datetime | None = None
    key: str = ""
    """Your own key: a turn that is sent twice is stored once."""


class User(Generic[W]):
    """One user's memory at the service. With an `AsyncClient`, every operation is awaited."""

    def __init__(self, wire: W, name: str, *, tag: str = "") -> None:
        self._wire = wire
        self.name = name
        self._tag = tag

    @property
    def wire(self) -> W:
        """The transport of the requests."""
        return self._wire

    def __repr__(self) -> str:
        return f"User({self.name!r})"

    def expecting(self, tag: str) -> "User[W]":
        """The same user, for changes that are made only if the log is still in the state of that `tag()`."""
        return User(self._wire, self.name, tag=tag)

    @operation
    def tag(self) -> Call[str]:
        """The state of the log, for `expecting`."""
        return Call("safe", "GET", self._user_path("log"), str, query={"limit": 1}, is_tag=True)

    # --- what was said ------------------------------------------------------------------------------------------

    @operation
    def add(
        self,
        text: str,
        *,
        role: Role = "user",
        speaker: str = "",
        session: str = "",
        source: str = "",
        said: datetime | None = None,
        key: str = "",
    ) -> Call[Kept]:
        """Store a turn. It is durable when this returns."""
        turn = Turn(text=text, role=role, speaker=speaker, session=session, source=source, said=said, key=key)
        return self._add_turns([turn])

    @operation
    def add_all(self, turns: Sequence[Turn]) -> Call[Kept]:
        """Store several turns, all of them or none."""
        return self._add_turns(turns)

    @operation
    def log(self, *, after: int = 0, limit: int = 100, kinds: Sequence[EntryKind] = ()) -> Call[LogPage]:
        """Entries of the log, oldest first; a page may hold fewer than `limit` and still have a `next`."""
        return self._get_call("log", LogPage, after=after, limit=limit, kind=list(kinds))

    # --- reading ------------------------------------------------------------------------------------------------

    @operation
    def recall(
        self,
        query: str,
        *,
        k: int | None = None,
        tokens: int | None = None,
        about: str = "",
        since: date | None = None,
        until: date | None = None,
        kinds: Sequence[RecallKind] = (),
        authorities: Sequence[Authority] = (),
        sessions: Sequence[str] = (),
        sources: Sequence[str] = (),
        former: bool = False,
        as_of: When = None,
        queries: Sequence[str] = (),
        within: str = "",
        after: int | None = None,
        outline: bool | None = None,
        recent: bool = False,
        **clocks: Unpack[ClockTimes],
    ) -> Call[Recalled]:
        """Search what was said, the facts taken from it and the records: by words, meaning, person and time.

        `queries` are two or three other queries for the same question, merged by rank; `within` is the session in
        which it is asked, or `after` the position before it; with `recent`, what was said lately counts more.
        """
        return self._query_call(
            "recall",
            Recalled,
            query=query,
            k=k,
            tokens=tokens,
            about=about,
            since=since,
            until=until,
            kinds=kinds,
            authorities=authorities,
            sessions=sessions,
            sources=sources,
            former=former,
            as_of=as_of,
            queries=queries,
            within=within,
            after=after,
            outline=outline,
            recent=recent,
            **clocks,
        )

    @operation
    def context(
        self,
        question: str,
        *,
        tokens: int = 4000,
        queries: Sequence[str] = (),
        within: str = "",
        after: int | None = None,
        outline: bool | None = None,
        recent: bool = False,
        **clocks: Unpack[ClockTimes],
    ) -> Call[Context]:
        """What an agent should see for a question: alerts, manifest, records, facts and excerpts, in a token budget."""
        return self._query_call(
            "context",
            Context,
            question=question,
            tokens=tokens,
            queries=queries,
            within=within,
            after=after,
            outline=outline,
            recent=recent,
            **clocks,
        )

    @operation
    def compute(self, code: str, *, as_of: When = None, **clocks: Unpack[ClockTimes]) -> Call[Computed]:
        """Run Python over all records. The result says whether they are complete."""
        return self._query_call("compute", Computed, code=code, as_of=as_of, **clocks)

    @operation
    def manifest(self, *, as_of: When = None, **clocks: Unpack[ClockTimes]) -> Call[Manifest]:
        """The index that is always in an agent's context."""
        return self._get_call("manifest", Manifest, as_of=as_of, **clocks)

    @operation
    def records(
        self,
        type_name: str = "",
        *,
        after: str = "",
        limit: int = 100,
        unsure: bool = False,
        as_of: When = None,
        **clocks: Unpack[ClockTimes],
    ) -> Call[RecordPage]:
        """Records of one type (travel.Trip), domain or collection (travel.trips, travel.former_trips), or all.

        With `unsure` only those with values that are not certain.
        """
        return self._get_call(
            "records",
            RecordPage,
            type=type_name or None,
            after=after or None,
            limit=limit,
            unsure=unsure or None,
            as_of=as_of,
            **clocks,
        )

    @operation
    def record(self, record: str, *, as_of: When = None, **clocks: Unpack[ClockTimes]) -> Call[Record]:
        """One record by its id."""
        return self._get_call(f"records/{quote(record, safe='')}", Record, as_of=as_of, **clocks)

    @operation
    def explain(
        self, record: str, field: str, *, as_of: When = None, **clocks: Unpack[ClockTimes]
    ) -> Call[Explanation]:
        """Where the value of a field comes from, down to the sentences."""
        path = f"records/{quote(record, safe='')}/fields/{quote(field, safe='')}"
        return self._get_call(path, Explanation, as_of=as_of, **clocks)

    @operation
    def why(self, constraint: str) -> Call[ConstraintTrace]:
        """Why a constraint fired, or did not: `reasons` in sentences, and the tests that it made."""
        return self._get_call(f"constraints/{quote(constraint, safe='')}", ConstraintTrace)

    @operation
    def types(self, *, as_of: When = None, **clocks: Unpack[ClockTimes]) -> Call[Types]:
        """The types of all domains, with their fields."""
        return self._get_call("types", Types, as_of=as_of, **clocks)

    @operation
    def coverage(self, *, as_of: When = None, **clocks: Unpack[ClockTimes]) -> Call[Coverage]:
        """How much of the log is in records."""
        return self._get_call("coverage", Coverage, as_of=as_of, **clocks)

    @operation
    def conflicts(self, *, as_of: When = None, **clocks: Unpack[ClockTimes]) -> Call[Conflicts]:
        """Fields whose claims disagree and wait for a correction."""
        return self._get_call("conflicts", Conflicts, as_of=as_of, **clocks)

    @operation
    def diff(
        self,
        before: int | datetime | date,
        after: When | date = None,
        *,
        clock: Literal["valid", "told", "known"] = "known",
        **clocks: Unpack[ClockTimes],
    ) -> Call[Changes]:
        """What changed between two states of the project, on any clock; `after` defaults to now."""
        return self._get_call("diff", Changes, before=before, after=after, clock=clock, **clocks)

    # --- changes ------------------------------------------------------------------------------------------------

    @operation
    def put(
        self,
        type_name: str,
        fields: Mapping[str, Any],
        *,
        said: datetime | None = None,
        by: str = "",
        words: str = "",
        cites: Sequence[int] = (),
    ) -> Call[Put]:
        """Store a typed record that a person or a program states directly; `words` or `cites` are its evidence."""
        plain = {name: dump_value(value) for name, value in fields.items()}
        return self._change_call(
            "records", Put, type=type_name, fields=plain, said=said, by=by, words=words, cites=cites
        )

    @operation
    def correct(self, record: str, field: str, value: Any, *, why: str = "") -> Call[Written]:
        """The user's own correction of a field. It overrides all claims until the user says something newer."""
        return self._change_call("corrections", Written, record=record, field=field, value=dump_value(value), why=why)

    @operation
    def end(self, record: str, when: str, *, why: str = "") -> Call[Written]:
        """The record is no longer true from that date on: YYYY, YYYY-MM or YYYY-MM-DD."""
        return self._change_call("ends", Written, record=record, when=when, why=why)

    @operation
    def drop(self, record: str, *, why: str, by: str = "") -> Call[Written]:
        """Drop a record that should never have existed. Its facts are set aside with the reason."""
        path = self._user_path(f"records/{quote(record, safe='')}")
        return Call("change", "DELETE", path, Written, query={"why": why, "by": by}, tag=self._tag)

    @operation
    def checkpoint(
        self, patches: Sequence[Patch], *, facts: Sequence[int] = (), by: str = "", dry_run: bool = False
    ) -> Call[Written]:
        """Submit patches: all are accepted, or Rejected says what to correct."""
        return self._change_call("checkpoints", Written, patches=patches, facts=facts, by=by, dry_run=dry_run)

    @operation
    def retract(self, positions: Sequence[int], *, why: str, dry_run: bool = False) -> Call[Written]:
        """Retract entries: they and all that depends on them no longer count. Retracting the retraction undoes it."""
        return self._change_call("retractions", Written, positions=positions, why=why, dry_run=dry_run)

    @operation
    def erase(self, positions: Sequence[int], *, why: str, dry_run: bool = False) -> Call[Forgotten]:
        """Erase the words at these positions, and wherever they were repeated, for good."""
        return self._change_call("erasures", Forgotten, positions=positions, why=why, dry_run=dry_run)

    # --- alerts -------------------------------------------------------------------------------------------------

    @operation
    def alerts(self, *, as_of: When = None, **clocks: Unpack[ClockTimes]) -> Call[Alerts]:
        """The active alerts, the most severe first."""
        return self._get_call("alerts", Alerts, as_of=as_of, **clocks)

    @operation
    def acknowledge(self, constraint: str, subject: str = "", *, why: str = "") -> Call[Written]:
        """Acknowledge an alert. It stays active, quietly, until it clears or gets more severe."""
        return self._change_call("alerts/acknowledge", Written, constraint=constraint, subject=subject, why=why)

    @operation
    def snooze(self, constraint: str, subject: str = "", *, until: datetime, why: str = "") -> Call[Written]:
        """Be quiet about the alert until then; if it is still active, it is reported again."""
        return self._change_call("alerts/snooze", Written, constraint=constraint, subject=subject, until=until, why=why)

    @operation
    def tick(self) -> Call[Written]:
        """Let time pass: constraints that depend on it are run."""
        return self._change_call("tick", Written)

    # --- groups ---------------------------------------------------------------------------------------------------

    @operation
    def groups(self) -> Call[Groups]:
        """The groups that the user is a member of. The memory of one is that of `client.user("group:NAME")`."""
        return self._get_call("groups", Groups)

    @operation
    def set_shares(self, group: str, shares: Sequence[str]) -> Call[GroupMembers]:
        """Share exactly these types, fields of types and records with a group; none ends it."""
        path = self._user_path(f"shares/{quote(group, safe='')}")
        return Call("change", "PUT", path, GroupMembers, body={"shares": [*shares]}, tag=self._tag)

    # --- in the model's place -----------------------------------------------------------------------------------

    @operation
    def pending(self, *, most: int = 5) -> Call[Pending]:
        """The next requests for a model, or for an agent in its place."""
        return self._get_call("pending", Pending, most=most)

    @operation
    def answer(self, request: str, reply: str | Mapping[str, Any], *, model: str = "agent") -> Call[Answered]:
        """Reply to a pending request: valid parts are stored, and the rest is returned to be corrected."""
        return self._change_call("answers", Answered, request=request, reply=reply, model=model)

    @operation
    def remember(
        self,
        turns: str | Sequence[Turn] = (),
        facts: Sequence[Mapping[str, Any]] | None = None,
        records: Sequence[Mapping[str, Any]] | None = None,
        *,
        constraints: Sequence[Mapping[str, Any]] | None = None,
        observations: Sequence[int] = (),
        model: str = "agent",
    ) -> Call[Remembered]:
        """Store words together with the facts and records that you made of them. Valid parts are stored, the words
        always; to mend the others, give the positions of the turns as `observations` instead of the words."""
        given = [Turn(text=turns)] if isinstance(turns, str) else list(turns)
        if any(turn.key for turn in given):
            raise Refused("A turn has a key. Leave it out: the whole call is made once anyway.")
        return self._change_call(
            "remember",
            Remembered,
            turns=given,
            facts=facts,
            records=records,
            constraints=constraints,
            observations=observations,
            model=model,
        )

    # --- as it happens ------------------------------------------------------------------------------------------

    @stream
    def events(self, *, after: int | None = None, seconds: float | None = None) -> Stream[AlertEvent]:
        """Changes of alerts as they happen, from a position on; None: from now on. Each is delivered exactly once.

        It lasts `seconds`, or until you stop iterating, and resumes when the connection is lost.
        """
        return self._event_stream("alerts", AlertEvent, after, seconds)

    @stream
    def entries(self, *, after: int | None = None, seconds: float | None = None) -> Stream[Entry]:
        """All entries of the log as they are appended, like `events`."""
        return self._event_stream("log", Entry, after, seconds)

    def _add_turns(self, turns: Sequence[Turn]) -> Call[Kept]:
        """Each turn has a key, so that it is stored once; a key for the request would add an entry to the log."""
        if self._tag:
            return self._change_call("observations", Kept, turns=turns)
        keyed = [msgspec.structs.replace(turn, key=turn.key or secrets.token_urlsafe(16)) for turn in turns]
        return self._post_call("safe", "observations", Kept, {"turns": keyed})

    def _get_call(self, what: str, answer: type[T], **query: object) -> Call[T]:
        given = {name: _user_query_text(value) for name, value in query.items() if value is not None}
        return Call("safe", "GET", self._user_path(what), answer, query=given)

    def _query_call(self, what: str, answer: type[T], **body: object) -> Call[T]:
        return self._post_call("safe", what, answer, body)

    def _change_call(self, what: str, answer: type[T], **body: object) -> Call[T]:
        return self._post_call("change", what, answer, body)

    def _post_call(self, kind: Kind, what: str, answer: type[T], body: Mapping[str, object]) -> Call[T]:
        given = {name: value for name, value in body.items() if value is not None or name == "value"}
        tag = self._tag if kind == "change" else ""
        return Call(kind, "POST", self._user_path(what), answer, body=given or None, tag=tag)

    def _event_stream(
        self, of: Literal["alerts", "log"], event: type[T], after: int | None, seconds: float | None
    ) -> Stream[T]:
        given = {"of": of, "after": after, "seconds": seconds}
        return Stream(
            self._user_path("events"), event, {name: value for name, value in given.items() if value is not None}
        )

    def _user_path(self, what: str) -> str:
        return f"/v1/users/{quote(self.name, safe='')}/{what}"


def _user_query_text(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
