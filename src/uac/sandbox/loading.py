"""Loads a project into a session: classes as code, records as rows."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from uac.project.columns import RecordColumns, record_columns
from uac.project.effects import effects_since
from uac.project.project import Project
from uac.project.records import record_type
from uac.project.render import render_bare_class
from uac.project.value_history import value_history
from uac.sandbox.port import SandboxSession, Value
from uac.sandbox.row_code import ID, RowCode, loaded_class_name
from uac.schema.periods import Period
from uac.schema.persistent_map import Map
from uac.schema.queries import Query
from uac.schema.types import Type
from uac.schema.values import Money, Typed

__all__ = [
    "LOADED",
    "LoadedType",
    "ReloadPlan",
    "bind_loaded_domains",
    "classes_to_load",
    "is_loaded_single",
    "load_domains",
    "load_names",
    "load_past",
    "load_records",
    "load_tables",
    "load_types",
    "loaded_counts",
    "reload_plan",
    "run_code",
    "send_records",
]

RECORDS_PER_RUN = 10_000  # records sent in one run
MAX_LINES = 1000  # of code in one run
MAX_CODE_CHARACTERS = 100_000  # characters of code in one run

LOADED = "loaded__"
"""Prefix of the loaded domains and the user: code gets these, or copies of them, as arguments."""


def classes_to_load(project: Project) -> list[str]:
    """The code of the classes of all types, one piece each."""
    types = [project.types[name] for name in sorted(project.types)]
    holders = [f"class {domain}__domain:\n    pass" for domain in project.domains]
    return [
        "class user__all:\n    pass",
        *holders,
        *(render_bare_class(type_, loaded_class_name(type_)) for type_ in types),
    ]


@dataclass(slots=True)
class LoadedType:
    """What a session holds of one type: the index of each current record in its list, and the number of former ones."""

    indexes: dict[str, int]
    former: int
    names: frozenset[str] | None = None
    """The attributes that the objects have, if not all of them: reading another one is an error."""

    def lacks(self, names: frozenset[str] | None) -> bool:
        return self.names is not None and (names is None or not names <= self.names)


def load_records(session: SandboxSession, project: Project, code: Iterable[str] = ()) -> None:
    """Run the pieces of code, then create the domains with all their records."""
    load_domains(session, project, code)
    load_types(session, project, project.types)


def load_domains(session: SandboxSession, project: Project, code: Iterable[str] | None = None) -> None:
    """Create the classes (or run the pieces of code) and the domains, under names that foreign code cannot use.

    A domain has no collection before `load_types` loads it: code that reached one otherwise would not see it empty.
    """
    loading = _Loading(session)
    for piece in classes_to_load(project) if code is None else code:
        loading.add(piece)
    loading.add(f"{LOADED}user = user__all()")
    for domain in project.domains:
        here = f"{LOADED}{domain}"
        loading.add(f"{here} = {domain}__domain()\n{LOADED}user.{domain} = {here}")
        for type_ in project.types_of(domain):
            loading.add(f"{here}.{type_.name} = {loaded_class_name(type_)}")
    loading.run()


def load_types(
    session: SandboxSession,
    project: Project,
    types: Collection[str],
    names: Mapping[str, frozenset[str] | None] | None = None,
) -> dict[str, LoadedType]:
    """Load the records of these types, or load them again; those of a type in `names` with just these attributes.

    Records and lines are sent in batches, so that no run is long and none has too much code.
    """
    loading = _Loading(session)
    loaded: dict[str, LoadedType] = {}
    for type_ in (project.types[name] for name in sorted(types)):
        chosen = (names or {}).get(type_.full_name)
        maker = RowCode(type_, chosen)
        current, former = _columns_to_load(project, maker)
        for name, columns in ((type_.collected_as, current), (type_.former, former)):
            target = f"{LOADED}{type_.domain}.{name}"
            single = is_loaded_single(type_, name)
            loading.add(f"{target} = {None if single else []}")
            for start in range(0, len(columns.ids), RECORDS_PER_RUN):
                code = f"{target} = {maker.objects}[0]" if single else f"{target}.extend({maker.objects})"
                loading.add_rows(code, maker, columns.part(start, start + RECORDS_PER_RUN))
        indexes = {record: index for index, record in enumerate(current.ids)}
        loaded[type_.full_name] = LoadedType(indexes, len(former.ids), chosen)
    loading.run()
    return loaded


def load_names(
    session: SandboxSession, project: Project, type_: Type, loaded: LoadedType, names: frozenset[str] | None
) -> LoadedType:
    """Give the loaded objects of a type the attributes of these names, or all, as far as they lack them."""
    have = loaded.names or frozenset()
    wanted = _all_names(type_) if names is None else names | have
    maker = RowCode(type_, wanted - have)
    current, former = _columns_to_load(project, maker)
    if [*loaded.indexes] != [*current.ids] or loaded.former != len(former.ids):  # records were added in another order
        return load_types(session, project, [type_.full_name], {type_.full_name: wanted})[type_.full_name]
    loading = _Loading(session)
    for name, columns in ((type_.collected_as, current), (type_.former, former)):
        for start in range(0, len(columns.ids), RECORDS_PER_RUN):
            end = start + RECORDS_PER_RUN
            code = f"uac_fill({LOADED}{type_.domain}.{name}[{start}:{end}], %s)"
            loading.add_rows(code, maker, columns.part(start, end))
    loading.run()
    return LoadedType(loaded.indexes, loaded.former, None if wanted == _all_names(type_) else wanted)


def _columns_to_load(project: Project, maker: RowCode) -> tuple[RecordColumns, RecordColumns]:
    table = project.tables.get(maker.type.full_name, Map())
    return record_columns(table, [part.name for part in maker.parts])


def _all_names(type_: Type) -> frozenset[str]:
    return frozenset({ID, *(part.name for part in type_.fields)})


def send_records(
    session: SandboxSession, project: Project, records: Iterable[str], loaded: Mapping[str, LoadedType]
) -> None:
    """Put new or changed records into the loaded lists."""
    loading = _Loading(session)
    for record in sorted(map(project.record, records), key=lambda record: record.order):
        type_ = project.types[record.type]
        indexes = loaded[record.type].indexes
        maker = RowCode(type_, loaded[record.type].names)
        columns = RecordColumns([record.id], {name: [value] for name, value in record.values.items()})
        target = f"{LOADED}{type_.domain}.{type_.collected_as}"
        if is_loaded_single(type_, type_.collected_as):
            indexes.clear()
            indexes[record.id] = 0
            loading.add_rows(f"{target} = {maker.objects}[0]", maker, columns)
        elif record.id in indexes:
            loading.add_rows(f"{target}[{indexes[record.id]}] = {maker.objects}[0]", maker, columns)
        else:
            indexes[record.id] = len(indexes)
            loading.add_rows(f"{target} += {maker.objects}", maker, columns)
    loading.run()


def run_code(session: SandboxSession, code: Iterable[str]) -> None:
    """Run the pieces of code, in as few runs as the limits allow."""
    loading = _Loading(session)
    for piece in code:
        loading.add(piece)
    loading.run()


def load_tables(session: SandboxSession, project: Project, names: Iterable[str]) -> None:
    """Load the tables of these names, for `knowledge`."""
    tables: dict[Value, Value] = {name: project.knowledge[name].table for name in names}
    if tables:
        session.run("uac_tables.update(tables__0)", {"tables__0": tables})


def load_past(session: SandboxSession, project: Project, query: Query) -> None:
    """Load what the query asks about the past of the records that it reads: their ends, and the values of fields."""
    if not query.asks_ends and not query.asks_history:
        return
    owners = project.owners()
    ends: dict[Value, Value] = {}
    histories: dict[Value, Value] = {}
    for collection in query.reads:
        type_ = project.types[owners[collection]]
        names = [
            part.name for part in type_.fields if query.history_fields is None or part.name in query.history_fields
        ]
        for record in project.collected(collection):
            if record.ended is not None and query.asks_ends:
                ends[record.id] = [Period(record.ended.when).first, record.ended.reason, record.ended.why]
            for name in names if query.asks_history else ():
                rows = value_history(record, type_, name)
                histories[record.id, name] = [[_past_value(row.value), *row[1:]] for row in rows]
    session.run(
        "uac_ends.clear()\nuac_ends.update(ends__0)\nuac_histories.clear()\nuac_histories.update(histories__0)\nNone",
        {"ends__0": ends, "histories__0": histories},
    )


class _Loading:
    """Collects code and rows, and sends them to a session in batches."""

    def __init__(self, session: SandboxSession) -> None:
        self._session = session
        self._code: list[str] = []
        self._size = 0
        self._inputs: dict[str, Value] = {}
        self._count = 0

    def add(self, code: str) -> None:
        if len(self._code) >= MAX_LINES or self._size + len(code) > MAX_CODE_CHARACTERS:
            self.run()
        self._code.append(code)
        self._size += len(code) + 1

    def add_rows(self, code: str, maker: RowCode, columns: RecordColumns) -> None:
        """Send the records with the code, in which %s is replaced by their rows."""
        code = f"{maker.definition}{code}"
        if (
            self._count + len(columns.ids) > RECORDS_PER_RUN
            or len(self._code) >= MAX_LINES
            or self._size + len(code) > MAX_CODE_CHARACTERS
        ):
            self.run()
        name = f"rows__{len(self._inputs)}"
        self._inputs[name] = maker.rows(columns)
        self._count += len(columns.ids)
        self.add(code.replace("%s", name))

    def run(self) -> None:
        if self._code:
            self._session.run("\n".join([*self._code, "None"]), self._inputs)  # no object is sent back
        self._code, self._size, self._inputs, self._count = [], 0, {}, 0


def _past_value(value: Typed) -> Value:
    """A value for `history`, which has money as a tuple."""
    if isinstance(value, Money):
        return (value.amount, value.currency)
    return [_past_value(item) for item in value] if isinstance(value, tuple) else value


def is_loaded_single(type_: Type, name: str) -> bool:
    return type_.cardinality == "one" and name == type_.collected_as


def bind_loaded_domains(project: Project) -> str:
    """Code that binds the loaded domains to their usual names: in a session of its own, code may use them freely."""
    return "\n".join(f"{name} = {LOADED}{name}" for name in (*project.domains, "user"))


def loaded_counts(project: Project, loaded: Mapping[str, LoadedType]) -> dict[str, int]:
    """The number of records in each loaded collection."""
    counts: dict[str, int] = {}
    for name, each in loaded.items():
        type_ = project.types[name]
        counts[f"{type_.domain}.{type_.collected_as}"] = len(each.indexes)
        counts[f"{type_.domain}.{type_.former}"] = each.former
    return counts


class ReloadPlan(NamedTuple):
    """The records to send to a session so that it holds a later project, and the types to load again."""

    records: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()


def reload_plan(before: Project, after: Project, loaded: Collection[str]) -> ReloadPlan | None:
    """How a session that holds these types of `before` gets those of `after`; None if it must be loaded again."""
    if before is not after and any(project.history is None and project.position for project in (before, after)):
        return None  # one of them may be as it was on another clock
    changed = effects_since(before, after)
    if changed is None:
        return None
    written = {record for record in changed.written if record_type(record) in loaded}
    sent = frozenset(record for record in written if _can_be_sent(before, after, record))
    removed = {record for record in changed.removed if record_type(record) in loaded}
    types = frozenset(map(record_type, (written | removed) - sent))
    return ReloadPlan(frozenset(record for record in sent if record_type(record) not in types), types)


def _can_be_sent(before: Project, after: Project, record_id: str) -> bool:
    """Whether the record was and is a current and complete one, or is new."""
    name = record_type(record_id)
    new, old = after.tables[name].get(record_id), before.tables[name].get(record_id)
    if new is None or new.is_incomplete or new.ended is not None:
        return False
    return old is None or not (old.is_incomplete or old.ended is not None)
