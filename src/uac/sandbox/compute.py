"""Runs Python over the project, in the sandbox, on objects that stay loaded between calls.

No query can change what another one sees. One that changes nothing shares the loaded objects; one that changes
containers gets copies of them; any other gets a session of its own (the query's `effect` decides).
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite

from uac.errors import CodeError, Refused, RunError
from uac.project.project import Project
from uac.project.records import record_type
from uac.project.unplaced import UnplacedFact, unplaced_state
from uac.sandbox.auto import sandbox_for_many_records
from uac.sandbox.copies import copy_domains
from uac.sandbox.error_hints import error_with_hint, loaded_names, name_unknown_yet, with_type_names
from uac.sandbox.loaded_project import PRELUDE, QUERY_PRELUDE, LoadedProject
from uac.sandbox.loading import LOADED, bind_loaded_domains, load_past, load_tables, load_types
from uac.sandbox.port import Instance, Limits, RunOutcome, Sandbox, SandboxSession, Value
from uac.sandbox.row_code import ID
from uac.schema.queries import FUNCTION, Query, read_query
from uac.schema.types import Json, Type
from uac.schema.values import dump_value

__all__ = [
    "PRELUDE",
    "QUERY_PRELUDE",
    "CollectionRead",
    "Computer",
    "Result",
    "computed_json",
    "computed_text",
    "value_with_type_names",
]

MANY_RECORDS = 5_000
"""Code that reads this many records runs in the engine that is faster for them, though it takes longer to start.
`uac-bench project` prints the times of both."""


@dataclass(frozen=True, slots=True)
class CollectionRead:
    """A collection that a query read, and what it may lack of all that was said."""

    collection: str
    records: int
    waiting: int = 0
    """Facts that are in no record yet and may belong here."""
    stuck: int = 0
    """Facts and texts that no model could process and that may belong here."""
    aside: int = 0
    """Facts that were set aside though they may belong here."""
    incomplete: int = 0
    """Records that code does not see, because a field that their type requires has no value."""
    conflicts: int = 0
    """Records with a field that the query reads and on which sources disagree."""
    facts: tuple[int, ...] = ()
    """The positions of the facts that may belong here."""

    @property
    def is_complete(self) -> bool:
        return not (self.waiting or self.stuck or self.aside or self.incomplete or self.conflicts)

    @property
    def lacks(self) -> str:
        """What may be missing, in words; "" if it is complete."""
        counts = (
            (self.waiting, "1 fact waits", "{} facts wait"),
            (self.stuck, "1 fact is stuck", "{} facts are stuck"),
            (self.aside, "1 fact was set aside", "{} facts were set aside"),
            (
                self.incomplete,
                "1 record is left out, as a required field was not understood",
                "{} records are left out, as a required field was not understood",
            ),
            (self.conflicts, "1 record has an open conflict", "{} records have open conflicts"),
        )
        return ", ".join((one if count == 1 else many.format(count)) for count, one, many in counts if count)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a query, and how complete the data was."""

    value: Value
    printed: str
    position: int
    reads: tuple[CollectionRead, ...]
    seconds: float
    engine: str

    @property
    def is_complete(self) -> bool:
        return all(read.is_complete for read in self.reads)


@dataclass(frozen=True, slots=True)
class _Names:
    """The names that follow from a project's types."""

    types: Mapping[str, Type]
    collections: Mapping[str, Sequence[str]]
    """Of each domain."""
    owners: Mapping[str, str]
    loaded: Mapping[str, str]


def _names_of(project: Project) -> _Names:
    collections = {
        domain: [name for type_ in project.types_of(domain) for name in (type_.collected_as, type_.former)]
        for domain in project.domains
    }
    return _Names(project.types, collections, project.owners(), loaded_names(project))


class Computer:
    """Runs queries for one user. The project stays loaded; only changes are sent, and results are never stale.

    Code gets copies of tables, unless it is `trusted`: reviewed by a person. Only the types that code reads are loaded,
    and code that reads many records runs in the engine that is faster for them.
    """

    def __init__(self, sandbox: Sandbox, *, limits: Limits | None = None, trusted: bool = False) -> None:
        self._sandbox = sandbox
        self._limits = limits or Limits()
        self._names: _Names | None = None
        self._few = LoadedProject(lambda: sandbox, self._limits, trusted=trusted)
        self._many = LoadedProject(lambda: sandbox_for_many_records(sandbox), self._limits, trusted=trusted)

    def run(
        self,
        project: Project,
        code: str,
        *,
        now: datetime | None = None,
        later: Collection[str] = (),
        unplaced: Callable[[Project], Sequence[UnplacedFact]] | None = None,
        offered: Callable[[], Collection[str]] = tuple,
    ) -> Result:
        """The value of the code's last expression. CodeError, LimitError or SandboxError if there is none.

        `later` are the collections that exist by now: code over an earlier project that reads one is refused.
        `unplaced` finds the facts in no record, with the types to which they may belong; without it, each may belong
        to any. `offered` gives the domains of packs, for the hint of an error.
        """
        if self._names is None or self._names.types is not project.types:
            self._names = _names_of(project)
        names = self._names
        query = read_query(code, names.collections)
        moment = now or project.now or datetime.now(UTC).replace(second=0, microsecond=0)
        try:
            outcome, counts = self._run_with_retry(project, query, names.owners, moment)
        except CodeError as error:
            if name := name_unknown_yet(str(error), project, later):
                raise Refused(
                    f"Nothing about {name} was known at position {project.position}. Ask for a later time or position."
                ) from None
            raise error_with_hint(error, query, project, offered) from None
        value = value_with_type_names(outcome.value, names.loaded)
        listed_types = _instance_types(value) if not outcome.printed else frozenset(project.types)
        facts = (unplaced or _facts_of_any_type)(project) if query.reads else ()
        return Result(
            value,
            with_type_names(outcome.printed, names.loaded),
            project.position,
            tuple(
                _collection_read(project, name, names.owners[name], counts[name], query, listed_types, facts)
                for name in query.reads
            ),
            outcome.seconds,
            self._sandbox.name,
        )

    def _run_with_retry(
        self, project: Project, query: Query, owners: Mapping[str, str], now: datetime
    ) -> tuple[RunOutcome, Mapping[str, int]]:
        """The query's outcome, and the number of records in each collection.

        A query that fails is run again without the guard, because not every engine reports the line of an error that
        passed through a guard. It does the same again: nothing it sees has changed.
        """
        try:
            return self._run_query(project, query, owners, now, guarded=True)
        except CodeError as error:
            if cut := _CUT.search(str(error)):
                raise CodeError(cut[1], cut[2], printed=error.printed) from None
        return self._run_query(project, query, owners, now, guarded=False)

    def _run_query(
        self, project: Project, query: Query, owners: Mapping[str, str], now: datetime, *, guarded: bool
    ) -> tuple[RunOutcome, Mapping[str, int]]:
        if query.effect.change == "anything":
            with self.alone(project, now) as session:
                session.run(bind_loaded_domains(project))
                load_tables(session, project, query.knows & {*project.knowledge})
                load_past(session, project, query)
                counts = {name: sum(not each.is_incomplete for each in project.collected(name)) for name in query.reads}
                return session.run(_call_on_loaded(query, project, guarded=guarded)), counts
        types = {owners[collection] for collection in query.reads}
        loaded = self.loaded(sum(map(project.count, types)))
        try:
            return self._run_shared(loaded, project, query, types, now, guarded=guarded)
        except RunError as error:
            if not loaded.may_have_spoiled(error):
                raise
        return self._run_shared(loaded, project, query, types, now, guarded=guarded)

    def _run_shared(
        self, loaded: LoadedProject, project: Project, query: Query, types: set[str], now: datetime, *, guarded: bool
    ) -> tuple[RunOutcome, Mapping[str, int]]:
        """The query's outcome on objects that may lack attributes; if it fails on those, on whole ones."""
        named = _named_attributes(project, query, types)
        try:
            return self._run_loaded(loaded, project, query, types, now, named, guarded=guarded)
        except CodeError:
            if loaded.has_all_names(types):
                raise
        return self._run_loaded(loaded, project, query, types, now, {}, guarded=guarded)

    def _run_loaded(
        self,
        loaded: LoadedProject,
        project: Project,
        query: Query,
        types: set[str],
        now: datetime,
        names: Mapping[str, frozenset[str]],
        *,
        guarded: bool,
    ) -> tuple[RunOutcome, Mapping[str, int]]:
        session = loaded.ready(project, now, types, asks_clock=query.asks_clock, names=names)
        called = _call_on_loaded if query.effect.change == "nothing" else _call_on_copies
        try:
            load_tables(session, project, query.knows & {*project.knowledge})
            load_past(session, project, query)
            return session.run(called(query, project, guarded=guarded)), loaded.counts(project)
        finally:
            loaded.done()

    @property
    def sessions(self) -> list[SandboxSession]:
        """The open sessions: one for each engine in use."""
        return [loaded.session for loaded in (self._few, self._many) if loaded.session is not None]

    def loaded(self, records: int) -> LoadedProject:
        """The project as it is loaded for code that reads this many records."""
        return self._few if records < MANY_RECORDS else self._many

    @contextmanager
    def alone(self, project: Project, now: datetime) -> Iterator[SandboxSession]:
        """A session with this project for one use; its changes are discarded."""
        session = self.loaded(sum(map(project.count, project.types))).open(project, now)
        try:
            load_types(session, project, project.types)
            yield session
        finally:
            session.close()

    def follow(self, expected: Project, project: Project) -> None:
        """Treat the loaded project `expected` as `project`, which has the same values."""
        for loaded in (self._few, self._many):
            loaded.follow(expected, project)

    def park(self) -> None:
        """Release the processes and keep the loaded state as a signed snapshot, if the engine has snapshots."""
        for loaded in (self._few, self._many):
            loaded.park()

    def close(self) -> None:
        for loaded in (self._few, self._many):
            loaded.drop()


def _named_attributes(project: Project, query: Query, types: Collection[str]) -> dict[str, frozenset[str]]:
    """For types with many records, the attributes that the query names.

    If it reads others, as by printing a record, it fails and is run again with all of them. That is only so if it
    cannot catch the error.
    """
    if query.catches_errors:
        return {}
    named = query.attributes | ({ID} if query.asks_ids else frozenset())
    chosen = {name: named.intersection((ID, *(part.name for part in project.types[name].fields))) for name in types}
    return {name: names for name, names in chosen.items() if project.count(name) >= MANY_RECORDS}


_CUT = re.compile(r"ValueError: uac cut (\w+): (.*)", re.DOTALL)
"""The text of a shortened error; see `uac_guarded`."""


def _call_on_loaded(query: Query, _project: Project, *, guarded: bool) -> str:
    """Code that calls the query with the loaded domains, and clears what helpers noted for an earlier query."""
    arguments = [f"{LOADED}{name}" for name in query.names]
    return f"{query.code}\nuac_looks.clear()\n{_call_code(FUNCTION, arguments, guarded=guarded)}"


def _call_code(function: str, arguments: list[str], *, guarded: bool) -> str:
    return f"uac_guarded({', '.join([function, *arguments])})" if guarded else f"{function}({', '.join(arguments)})"


def _call_on_copies(query: Query, project: Project, *, guarded: bool) -> str:
    """Code that calls the query with copies of its domains, under names with two underscores, which it cannot use."""
    domains = dict.fromkeys(name for name in query.names if name != "user")
    domains |= dict.fromkeys(read.partition(".")[0] for read in query.reads)
    made = copy_domains(project, domains, query.reads, query.effect)
    lines = [f" {line}" for line in made.lines]
    if "user" in query.names:
        lines += [" own__user = user__all()", *(f" own__user.{name} = own__{name}" for name in made.domains)]
    arguments = ", ".join(f"own__{name}" for name in query.names)
    body = "\n".join([*lines, f" return {FUNCTION}({arguments})"])
    return (
        f"{query.code}\ndef uac_called():\n{body}\nuac_looks.clear()\n{_call_code('uac_called', [], guarded=guarded)}"
    )


def _facts_of_any_type(project: Project) -> list[UnplacedFact]:
    """The facts that wait or are stuck, where their words are not known: each may belong to any type."""
    positions = sorted({*project.waiting, *project.progress.stuck})
    return [
        UnplacedFact(position, unplaced_state(project, position), frozenset(project.types)) for position in positions
    ]


def _collection_read(
    project: Project,
    name: str,
    type_name: str,
    records: int,
    query: Query,
    listed_types: frozenset[str],
    facts: Sequence[UnplacedFact],
) -> CollectionRead:
    """What a collection may lack. `shown` are the types of which the result has whole records."""
    mine = [fact for fact in facts if type_name in fact.types]
    states = Counter(fact.state for fact in mine)
    doubtful = [
        record
        for each in {*project.unsure, *project.disputed}
        if record_type(each) == type_name and (record := project.tables[type_name].get(each)) is not None
    ]
    is_former = name.endswith(f".{project.types[type_name].former}")
    collected = [record for record in doubtful if (record.ended is not None) == is_former]
    return CollectionRead(
        name,
        records,
        states["waiting"],
        states["stuck"],
        states["aside"],
        sum(record.is_incomplete for record in collected),
        sum(
            type_name in listed_types or not query.attributes.isdisjoint(record.conflicts)
            for record in collected
            if record.conflicts
        ),
        tuple(fact.position for fact in mine),
    )


def _instance_types(value: Value) -> frozenset[str]:
    """The types of the records that are anywhere in a value."""
    match value:
        case Instance():
            return frozenset({value.type}).union(*map(_instance_types, value.fields.values()))
        case list() | tuple() | set():
            return frozenset().union(*map(_instance_types, value))
        case dict():
            return frozenset().union(*map(_instance_types, (*value.keys(), *value.values())))
    return frozenset()


def value_with_type_names(value: Value, names: Mapping[str, str]) -> Value:
    """The value with its records and classes under their full names: travel.Trip."""
    match value:
        case str():
            return with_type_names(value, names)
        case Instance():
            fields = {name: value_with_type_names(item, names) for name, item in value.fields.items()}
            return Instance(names.get(value.type, value.type), fields)
        case list():
            return [value_with_type_names(item, names) for item in value]
        case tuple():
            return tuple(value_with_type_names(item, names) for item in value)
        case dict():
            named = {value_with_type_names(k, names): value_with_type_names(v, names) for k, v in value.items()}
            return named if len(named) == len(value) else value
    return value


def computed_text(value: Value) -> str:
    """A value for people: as Python prints it, records by their fields, money as an amount."""
    match value:
        case Instance("Money", {"amount": amount, "currency": currency, **rest}) if not rest:
            return f"{amount} {currency}"
        case Instance():
            fields = ", ".join(f"{name}={computed_text(item)}" for name, item in value.fields.items())
            return f"{value.type}({fields})"
        case list():
            return f"[{', '.join(map(computed_text, value))}]"
        case tuple():
            return f"({', '.join(map(computed_text, value))}{',' if len(value) == 1 else ''})"
        case dict():
            return f"{{{', '.join(f'{computed_text(key)}: {computed_text(item)}' for key, item in value.items())}}}"
        case set():
            return f"{{{', '.join(sorted(map(computed_text, value)))}}}" if value else "set()"
    return repr(value)


def computed_json(value: Value) -> Json:
    """A value as JSON: records as objects, keys as text; dates, money and durations as in records."""
    match value:
        case Instance("Money", {"amount": _, "currency": _, **rest}) if not rest:
            return computed_text(value)
        case Instance():
            return {name: computed_json(item) for name, item in value.fields.items()}
        case list() | tuple():
            return [computed_json(item) for item in value]
        case set():
            return sorted((computed_json(item) for item in value), key=str)
        case dict():
            return {
                key if isinstance(key, str) else str(computed_json(key)): computed_json(item)
                for key, item in value.items()
            }
        case float() if not isfinite(value):
            return str(value)
        case date() | time() | timedelta() | Decimal():
            return dump_value(value)
    return value
