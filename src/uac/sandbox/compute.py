"""compute(code): Python over the project, in the sandbox, on objects that stay loaded between calls.

No query can change what another one sees. One that changes nothing shares the loaded objects; one that changes
containers gets containers of its own; any other gets a session of its own (`effects.py` tells which is which).
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite

from uac.errors import CodeError, LimitError, RunError, SandboxError
from uac.project.effects import effects_since
from uac.project.project import Project
from uac.project.runtime import source
from uac.sandbox.error_hints import placed
from uac.sandbox.loading import (
    LOADED,
    classes,
    collections_of,
    copies,
    is_single,
    load_records,
    load_tables,
    record_code,
    rows_of,
)
from uac.sandbox.port import Instance, Limits, Outcome, Sandbox, Session, Value
from uac.schema.code_analysis import FUNCTION, Query, read_query
from uac.schema.types import Json, dump_value

__all__ = ["PRELUDE", "Computer", "Read", "Result", "as_json", "shown"]

MOST_RUNS = 500  # an engine may keep something of every run
PRELUDE = source("prelude.py") + source("rule_runner.py").partition("# --- below: what is loaded\n")[2]
"""What a session has before the user's types: what code finds there, and what runs constraints."""


_OTHERS: list[Session] = []
"""Sessions of the process that this one was forked from: kept, because letting one go would end it there."""


@dataclass(frozen=True, slots=True)
class Read:
    """A collection that a query read, and whether all that is known of it is in it."""

    collection: str
    records: int
    waiting: int
    """Facts that are in no record yet and could belong here."""
    aside: int
    """Facts of the domain that were set aside."""

    @property
    def is_complete(self) -> bool:
        return not self.waiting and not self.aside


@dataclass(frozen=True, slots=True)
class Result:
    """What a query gave, and how far it can be trusted."""

    value: Value
    printed: str
    position: int
    reads: tuple[Read, ...]
    seconds: float
    engine: str

    @property
    def is_complete(self) -> bool:
        return all(read.is_complete for read in self.reads)


class Computer:
    """Runs queries for one user. The project stays loaded; what changed is sent, and nothing stale is served.

    Code gets copies of tables, unless it is `trusted`: then it only ever is what a person has reviewed.
    """

    def __init__(self, sandbox: Sandbox, *, limits: Limits | None = None, trusted: bool = False) -> None:
        self._sandbox = sandbox
        self._limits = limits or Limits()
        self._trusted = trusted
        self._owner = os.getpid()
        self._session: Session | None = None
        self._runs = 0
        self._was_new = True  # whether the last run was the first one of its session
        self._snapshot: bytes | None = None
        self._loaded: Project | None = None
        self._now: datetime | None = None
        self._clock: datetime | None = None
        self._places: dict[str, dict[str, int]] = {}
        self._counts: dict[str, int] = {}

    def run(self, project: Project, code: str, *, now: datetime | None = None) -> Result:
        """The value of the code's last expression. CodeError, LimitError or SandboxError if there is none."""
        domains = {
            domain: [name for type_ in project.types_of(domain) for name in (type_.collected_as, type_.former)]
            for domain in project.domains
        }
        query = read_query(code, domains)
        moment = now or project.now or datetime.now(UTC).replace(second=0, microsecond=0)
        try:
            outcome, counts = self._outcome(project, query, moment)
        except CodeError as error:
            raise placed(error, query, project) from None
        reads = tuple(_read(project, name, counts[name]) for name in query.reads)
        return Result(
            _named(outcome.value), outcome.printed, project.position, reads, outcome.seconds, self._sandbox.name
        )

    def _outcome(self, project: Project, query: Query, now: datetime) -> tuple[Outcome, Mapping[str, int]]:
        """What the query gives, and how many records each collection had.

        One that fails is run once more, unguarded, because not every engine tells the line of an error that passed
        through a guard. It does the same again: nothing it sees has changed.
        """
        try:
            return self._run(project, query, now, guarded=True)
        except CodeError as error:
            if cut := _CUT.search(str(error)):
                raise CodeError(cut[1], cut[2], printed=error.printed) from None
        return self._run(project, query, now, guarded=False)

    def _run(
        self, project: Project, query: Query, now: datetime, *, guarded: bool
    ) -> tuple[Outcome, Mapping[str, int]]:
        if query.effect.change == "anything":
            with self.alone(project, now) as session:
                session.run(_by_name(project))
                load_tables(session, project, query.knows & {*project.knowledge})
                return session.run(_called(query, project, guarded=guarded)), _counts(project)
        try:
            return self._run_shared(project, query, now, guarded=guarded), self._counts
        except RunError as error:
            if not self.may_have_spoiled(error):
                raise
        return self._run_shared(project, query, now, guarded=guarded), self._counts

    def _run_shared(self, project: Project, query: Query, now: datetime, *, guarded: bool) -> Outcome:
        session = self.ready(project, now, asks_clock=query.asks_clock)
        called = _called if query.effect.change == "nothing" else _on_copies
        try:
            load_tables(session, project, query.knows & {*project.knowledge})
            return session.run(called(query, project, guarded=guarded))
        finally:
            self.done()

    @contextmanager
    def alone(self, project: Project, now: datetime) -> Iterator[Session]:
        """A session with this project for one use: whatever is changed there is gone afterwards."""
        session = self._sandbox.session(now=now, limits=self._limits)
        try:
            self._load(session, project, now)
            yield session
        finally:
            session.close()

    def done(self) -> None:
        """Count a run; a session that ran very often, or is over, is not used again."""
        self._runs += 1
        self._was_new = self._runs == 1
        if self._session is not None and (not self._session.alive or self._runs >= MOST_RUNS):
            self._drop()

    def may_have_spoiled(self, error: RunError) -> bool:
        """Whether the last run failed through what others left in its session, and another try may help.

        That is garbage that fills the memory, or what another engine cannot do again. The next try has a new session.
        """
        is_theirs = isinstance(error, SandboxError) or (isinstance(error, LimitError) and error.limit == "memory")
        if self._was_new or not is_theirs:
            return False
        self._drop()
        return True

    def follow(self, expected: Project, project: Project) -> None:
        """What was loaded as `expected` has come true as `project`, which holds the same values."""
        if self._loaded is expected:
            self._loaded = project

    def park(self) -> None:
        """Give the process back and keep what is loaded as a signed snapshot, where the engine has them."""
        if self._session is not None:
            self._snapshot = self._session.snapshot()
            self._session.close()
            self._session = None

    def close(self) -> None:
        self._drop()

    def __del__(self) -> None:
        # A session is a process; one that nobody can use any more is given back, by the process that took it.
        if self._owner == os.getpid():
            self._drop()
        elif self._session is not None:
            _OTHERS.append(self._session)

    def _drop(self) -> None:
        """Forget the session; the next query loads the project anew."""
        if self._session is not None:
            self._session.close()
        self._session = self._loaded = self._snapshot = None
        self._runs = 0

    def ready(self, project: Project, now: datetime, *, asks_clock: bool = False) -> Session:
        """A session that holds exactly this project at this time. Its clock is set once; the name `now` can follow."""
        if self._snapshot is not None and self._clock is not None:
            self._session = self._sandbox.restore(self._snapshot, now=self._clock, limits=self._limits)
            self._snapshot = None
        if self._session is not None and self._loaded is not None and (self._clock == now or not asks_clock):
            changed = frozenset[str]() if self._loaded is project else _records_to_send(self._loaded, project)
            if changed is not None and self._brought_up(self._session, project, changed):
                if self._now != now:
                    self._session.run("now = now__0", {"now__0": now})
                self._loaded, self._now = project, now
                return self._session
        self._drop()
        session = self._sandbox.session(now=now, limits=self._limits)
        try:
            self._load(session, project, now)
        except RunError:
            session.close()
            raise
        self._places, self._counts = _places(project), _counts(project)
        self._session, self._loaded, self._now, self._clock = session, project, now, now
        return session

    def _load(self, session: Session, project: Project, now: datetime) -> None:
        session.run(PRELUDE if self._trusted else f"{PRELUDE}\nknowledge = uac_knowledge", {"now": now})
        load_records(session, project, classes(project))

    def _brought_up(self, session: Session, project: Project, changed: frozenset[str]) -> bool:
        try:
            return self._send(session, project, changed)
        except RunError:  # the project is loaded anew
            return False

    def _send(self, session: Session, project: Project, changed: frozenset[str]) -> bool:
        """Bring the loaded lists up to date; False if that cannot be done in place."""
        for record_id in sorted(changed, key=lambda record_id: project.record(record_id).order):
            record = project.record(record_id)
            type_ = project.types[record.type]
            places = self._places[type_.full_name]
            if record.ended is not None:
                return False
            counted = f"{type_.domain}.{type_.collected_as}"
            target = f"{LOADED}{counted}"
            made = f"[{record_code(type_)} for r in rows__0][0]"
            inputs: Mapping[str, Value] = {"rows__0": rows_of(type_, [record])}
            if is_single(type_, type_.collected_as):
                places[record_id], self._counts[counted] = 0, 1
                session.run(f"{target} = {made}", inputs)
            elif record_id in places:
                session.run(f"{target}[{places[record_id]}] = {made}", inputs)
            else:
                places[record_id] = len(places)
                self._counts[counted] += 1
                session.run(f"{target}.append({made})", inputs)
        return True


_CUT = re.compile(r"ValueError: uac cut (\w+): (.*)", re.DOTALL)
"""The text of an error that was cut; see `uac_guarded`."""


def _called(query: Query, _project: Project, *, guarded: bool) -> str:
    """The query called with the loaded domains. What helpers noted for an earlier one is dropped."""
    arguments = [f"{LOADED}{name}" for name in query.names]
    return f"{query.code}\nuac_looks.clear()\n{_call(FUNCTION, arguments, guarded=guarded)}"


def _call(function: str, arguments: list[str], *, guarded: bool) -> str:
    return f"uac_guarded({', '.join([function, *arguments])})" if guarded else f"{function}({', '.join(arguments)})"


def _by_name(project: Project) -> str:
    """Gives the loaded domains the names that code knows: where it is alone, it may reach them in any way."""
    return "\n".join(f"{name} = {LOADED}{name}" for name in (*project.domains, "user"))


def _on_copies(query: Query, project: Project, *, guarded: bool) -> str:
    """The query called with domains of its own, under names with two underscores, which it cannot use."""
    domains = dict.fromkeys(name for name in query.names if name != "user")
    domains |= dict.fromkeys(read.partition(".")[0] for read in query.reads)
    made = copies(project, domains, query.reads, query.effect)
    lines = [f" {line}" for line in made.lines]
    if "user" in query.names:
        lines += [" own__user = user__all()", *(f" own__user.{name} = own__{name}" for name in made.domains)]
    arguments = ", ".join(f"own__{name}" for name in query.names)
    body = "\n".join([*lines, f" return {FUNCTION}({arguments})"])
    return f"{query.code}\ndef uac_called():\n{body}\nuac_looks.clear()\n{_call('uac_called', [], guarded=guarded)}"


def _places(project: Project) -> dict[str, dict[str, int]]:
    """Where each record stands in its loaded list, by type."""
    return {
        type_.full_name: {record.id: place for place, record in enumerate(collections_of(project, type_)[0][1])}
        for type_ in project.types.values()
    }


def _counts(project: Project) -> dict[str, int]:
    """How many records each collection has."""
    return {
        f"{type_.domain}.{name}": len(chosen)
        for type_ in project.types.values()
        for name, chosen in collections_of(project, type_)
    }


def _read(project: Project, name: str, records: int) -> Read:
    covered = project.coverage.get(name.partition(".")[0])
    return Read(name, records, len(project.waiting), covered.aside if covered else 0)


def _records_to_send(before: Project, after: Project) -> frozenset[str] | None:
    """The records that a session loaded with `before` lacks to hold `after`; None if it must be loaded again."""
    changed = effects_since(before, after)
    if changed is None or changed.removed:
        return None
    is_sendable = all(_has(after, record) and not _was_ended(before, record) for record in changed.written)
    return changed.written if is_sendable else None


def _was_ended(project: Project, record_id: str) -> bool:
    record = project.tables[record_id.partition(":")[0]].get(record_id)
    return record is not None and record.ended is not None


def _has(project: Project, record_id: str) -> bool:
    return record_id in project.tables.get(record_id.partition(":")[0], ())


def _named(value: Value) -> Value:
    """The value with its records under the names of their types: travel.Trip."""
    match value:
        case Instance():
            fields = {name: _named(item) for name, item in value.fields.items()}
            return Instance(value.type.replace("__", ".", 1), fields)
        case list():
            return [_named(item) for item in value]
        case tuple():
            return tuple(_named(item) for item in value)
        case dict():
            return {_named(key): _named(item) for key, item in value.items()}
    return value


def shown(value: Value) -> str:
    """A value for people: as Python would print it, records by their fields and money as it is written."""
    match value:
        case Instance("Money", {"amount": amount, "currency": currency, **rest}) if not rest:
            return f"{amount} {currency}"
        case Instance():
            fields = ", ".join(f"{name}={shown(item)}" for name, item in value.fields.items())
            return f"{value.type}({fields})"
        case list():
            return f"[{', '.join(map(shown, value))}]"
        case tuple():
            return f"({', '.join(map(shown, value))}{',' if len(value) == 1 else ''})"
        case dict():
            return f"{{{', '.join(f'{shown(key)}: {shown(item)}' for key, item in value.items())}}}"
        case set():
            return f"{{{', '.join(sorted(map(shown, value)))}}}" if value else "set()"
    return repr(value)


def as_json(value: Value) -> Json:
    """A value as JSON: records as objects, keys as text, dates, money and durations as records have them."""
    match value:
        case Instance("Money", {"amount": _, "currency": _, **rest}) if not rest:
            return shown(value)
        case Instance():
            return {name: as_json(item) for name, item in value.fields.items()}
        case list() | tuple():
            return [as_json(item) for item in value]
        case set():
            return sorted((as_json(item) for item in value), key=str)
        case dict():
            return {key if isinstance(key, str) else str(as_json(key)): as_json(item) for key, item in value.items()}
        case float() if not isfinite(value):
            return str(value)
        case date() | time() | timedelta() | Decimal():
            return dump_value(value)
    return value
