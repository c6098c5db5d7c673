"""compute(code): Python over the project, in the sandbox, on objects that stay loaded between calls."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from pathlib import Path

from uac.enact import ConstraintChange
from uac.entries import AlertChange, Checkpoint, Correction, Delivery, Look, ModelCall, Receipt, Tick
from uac.errors import CodeError, RunError
from uac.meant import placed
from uac.patches import Amend, Put, SetAside
from uac.project import Project, Record
from uac.queries import read_query
from uac.render import ordered_fields, render_bare_class
from uac.sandbox import Instance, Limits, Sandbox, Session, Value
from uac.schema import Json, Money, Type, Typed, dump_value, parse_type

__all__ = ["PRELUDE", "Computer", "Read", "Result", "as_json", "classes", "load_records", "shown"]

LOAD = 10_000  # records sent in one run
MOST_LINES = 1000  # of code in one run
MOST_RUNS = 500  # an engine may keep something of every run
PRELUDE = (Path(__file__).parent / "prelude.py").read_text()


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
    """Runs queries for one user. The project stays loaded; what changed is sent, and nothing stale is served."""

    def __init__(self, sandbox: Sandbox, *, limits: Limits | None = None) -> None:
        self._sandbox = sandbox
        self._limits = limits or Limits()
        self._owner = os.getpid()
        self._session: Session | None = None
        self._runs = 0
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
        session = self.ready(project, moment, asks_clock=query.asks_clock)
        try:
            outcome = session.run(query.code)
        except CodeError as error:
            raise placed(error, query, project) from None
        finally:
            self.done(spoiled=query.may_change)
        reads = tuple(self._read(project, name) for name in query.reads)
        return Result(
            _named(outcome.value), outcome.printed, project.position, reads, outcome.seconds, self._sandbox.name
        )

    def done(self, *, spoiled: bool = False) -> None:
        """Count a run; a session whose objects may have been changed, or that ran very often, is not used again."""
        self._runs += 1
        if self._session is not None and (spoiled or not self._session.alive or self._runs >= MOST_RUNS):
            self._drop()

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
            touched = set() if self._loaded is project else _touched(self._loaded, project)
            if touched is not None and self._brought_up(self._session, project, touched):
                if self._now != now:
                    self._session.run("now = moment", {"moment": now})
                self._loaded, self._now = project, now
                return self._session
        self._drop()
        session = self._sandbox.session(now=now, limits=self._limits)
        try:
            self._load(session, project, now)
        except RunError:
            session.close()
            raise
        self._session, self._loaded, self._now, self._clock = session, project, now, now
        return session

    def _load(self, session: Session, project: Project, now: datetime) -> None:
        session.run(PRELUDE, {"now": now})
        load_records(session, project, classes(project))
        self._places = {}
        for type_ in project.types.values():
            for name, chosen in _collections(project, type_):
                self._counts[f"{type_.domain}.{name}"] = len(chosen)
                if name == type_.collected_as:
                    places = {record.id: place for place, record in enumerate(chosen)}
                    self._places[type_.full_name] = places

    def _read(self, project: Project, name: str) -> Read:
        covered = project.coverage.get(name.partition(".")[0])
        return Read(name, self._counts[name], len(project.waiting), covered.aside if covered else 0)

    def _brought_up(self, session: Session, project: Project, touched: set[str]) -> bool:
        try:
            return self._send(session, project, touched)
        except RunError:  # the project is loaded anew
            return False

    def _send(self, session: Session, project: Project, touched: set[str]) -> bool:
        """Bring the loaded lists up to date; False if that cannot be done in place."""
        for record_id in sorted(touched, key=lambda record_id: project.record(record_id).order):
            record = project.record(record_id)
            type_ = project.types[record.type]
            places = self._places[type_.full_name]
            if record.ended is not None:
                return False
            target = f"{type_.domain}.{type_.collected_as}"
            made = f"[{_maker(type_)} for r in rows][0]"
            inputs: Mapping[str, Value] = {"rows": _rows(type_, [record])}
            if _is_single(type_, type_.collected_as):
                places[record_id], self._counts[target] = 0, 1
                session.run(f"{target} = {made}", inputs)
            elif record_id in places:
                session.run(f"{target}[{places[record_id]}] = {made}", inputs)
            else:
                places[record_id] = len(places)
                self._counts[target] += 1
                session.run(f"{target}.append({made})", inputs)
        return True


def classes(project: Project) -> str:
    """The code that defines the classes of all types."""
    types = [project.types[name] for name in sorted(project.types)]
    holders = "".join(f"class {domain}__domain:\n    pass\n" for domain in project.domains)
    made = "\n".join(render_bare_class(type_, _class_name(type_)) for type_ in types)
    return f"class user__all:\n    pass\n{holders}{made}"


def load_records(session: Session, project: Project, code: str = "") -> None:
    """Run the code, then make the domains with their records, both by name and as parts of `user`.

    Some thousand records go into one run, so that no run is long.
    """
    lines = [code, "user = user__all()"]
    inputs: dict[str, Value] = {}
    count = 0
    for domain in project.domains:
        lines.append(f"{domain} = {domain}__domain()\nuser.{domain} = {domain}")
        for type_ in project.types_of(domain):
            lines.append(f"{domain}.{type_.name} = {_class_name(type_)}")
            for name, chosen in _collections(project, type_):
                is_single = _is_single(type_, name)
                lines.append(f"{domain}.{name} = {None if is_single else []}")
                for start in range(0, len(chosen), LOAD):
                    part = chosen[start : start + LOAD]
                    if count + len(part) > LOAD or len(lines) > MOST_LINES:
                        session.run("\n".join(lines), inputs)
                        lines, inputs, count = [], {}, 0
                    rows = f"rows__{len(inputs)}"
                    inputs[rows] = _rows(type_, part)
                    count += len(part)
                    made = f"[{_maker(type_)} for r in {rows}]"
                    lines.append(f"{domain}.{name} = {made}[0]" if is_single else f"{domain}.{name}.extend({made})")
    session.run("\n".join(lines), inputs)


def _collections(project: Project, type_: Type) -> tuple[tuple[str, list[Record]], tuple[str, list[Record]]]:
    records = project.records(type_.full_name)
    standing = [record for record in records if record.ended is None]
    return (type_.collected_as, standing), (type_.former, [record for record in records if record.ended is not None])


def _touched(before: Project, after: Project) -> set[str] | None:
    """The records that entries since `before` touched; None if it is not sure that these are all."""
    if before.types != after.types or before.gone != after.gone:
        return None
    touched: set[str] = set()
    node = after.history
    while node is not before.history:
        if node is None:
            return None
        happened, node = node
        match happened.entry:
            case Tick() | AlertChange() | Look() | Delivery() | Receipt() | ModelCall():
                pass
            case Correction(record=record, field=name) if not _names_key(record, [name], after):
                touched.add(record)
            case Checkpoint(patches=patches):
                for patch in patches:
                    match patch:
                        case Put():
                            touched.update(record for cited in patch.cites for record in after.used.get(cited, ()))
                        case Amend(record=record, fields=fields) if not _names_key(record, fields, after):
                            touched.add(record)
                        case SetAside():
                            pass
                        case _ if isinstance(patch, ConstraintChange):
                            pass
                        case _:
                            return None
            case _:
                return None
    return touched if all(_has(after, record) and not _was_ended(before, record) for record in touched) else None


def _names_key(record: str, fields: Iterable[str], project: Project) -> bool:
    type_ = project.types.get(record.partition(":")[0])
    return type_ is None or any(name in type_.key for name in fields)


def _was_ended(project: Project, record_id: str) -> bool:
    record = project.tables[record_id.partition(":")[0]].get(record_id)
    return record is not None and record.ended is not None


def _has(project: Project, record_id: str) -> bool:
    return record_id in project.tables.get(record_id.partition(":")[0], ())


def _rows(type_: Type, records: list[Record]) -> list[Value]:
    """A row per record, for `_maker`. They are made by column, and money takes two flat places: both are faster."""
    columns: list[list[Value]] = []
    told = [record.values for record in records]
    for part in ordered_fields(type_):
        parsed = parse_type(part.type)
        values = [each.get(part.name) for each in told]
        if parsed.kind == "Money":
            columns.append([value.amount if isinstance(value, Money) else None for value in values])
            columns.append([value.currency if isinstance(value, Money) else None for value in values])
        elif parsed.kind == "list":
            blank = None if parsed.optional else ()
            columns.append([_plain(blank if value is None else value) for value in values])
        else:
            columns.append(values)  # type: ignore[arg-type]  # only the two above are not as the sandbox takes them
    columns.append([record.id for record in records])
    return [[*row] for row in zip(*columns, strict=True)]


def _plain(value: Typed) -> Value:
    if isinstance(value, Money):
        return [value.amount, value.currency]
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _maker(type_: Type) -> str:
    """The expression that makes an object of a row `r`."""
    arguments: list[str] = []
    place = 0
    for part in ordered_fields(type_):
        parsed = parse_type(part.type)
        if parsed.kind == "Money":
            arguments.append(f"None if r[{place}] is None else Money(r[{place}], r[{place + 1}])")
            place += 1
        elif parsed.item is not None and parsed.item.kind == "Money":
            arguments.append(f"[Money(m[0], m[1]) for m in r[{place}] or []]")
        else:
            arguments.append(f"r[{place}]")
        place += 1
    return f"uac_named({_class_name(type_)}({', '.join(arguments)}), r[{place}])"


def _class_name(type_: Type) -> str:
    """One flat name per type, because two domains may each have a Trip."""
    return f"{type_.domain}__{type_.name}"


def _is_single(type_: Type, name: str) -> bool:
    return type_.cardinality == "one" and name == type_.collected_as


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
