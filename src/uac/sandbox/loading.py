"""Loads a project into a session: classes as code, records as rows."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from uac.project.effects import effects_since
from uac.project.project import Project, Record
from uac.project.records import record_type
from uac.project.render import render_bare_class, rendered_fields
from uac.project.value_history import value_history
from uac.sandbox.port import SandboxSession, Value
from uac.schema.periods import Period
from uac.schema.queries import Query
from uac.schema.types import Type, parse_type
from uac.schema.values import Money, Typed

__all__ = [
    "LOADED",
    "LoadedType",
    "ReloadPlan",
    "bind_loaded_domains",
    "classes_to_load",
    "is_loaded_single",
    "load_domains",
    "load_past",
    "load_record_code",
    "load_records",
    "load_tables",
    "load_types",
    "loaded_arguments",
    "loaded_class_name",
    "loaded_counts",
    "record_rows",
    "records_to_load",
    "reload_plan",
    "run_code",
    "send_records",
]

RECORDS_PER_RUN = 10_000  # records sent in one run
MAX_LINES = 1000  # of code in one run
MAX_CODE_CHARACTERS = 100_000  # characters of code in one run
MAX_ARGUMENTS = 200  # of one call

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


def load_types(session: SandboxSession, project: Project, types: Collection[str]) -> dict[str, LoadedType]:
    """Load the records of these types, or load them again.

    Records and lines are sent in batches, so that no run is long and none has too much code.
    """
    loading = _Loading(session)
    loaded: dict[str, LoadedType] = {}
    for type_ in (project.types[name] for name in sorted(types)):
        collections = records_to_load(project, type_)
        for name, chosen in collections:
            target = f"{LOADED}{type_.domain}.{name}"
            single = is_loaded_single(type_, name)
            loading.add(f"{target} = {None if single else []}")
            for start in range(0, len(chosen), RECORDS_PER_RUN):
                made = f"{load_record_code(type_)} for r in "
                code = f"{target} = [{made}%s][0]" if single else f"{target}.extend([{made}%s])"
                loading.add_rows(code, type_, chosen[start : start + RECORDS_PER_RUN])
        (_, current), (_, former) = collections
        loaded[type_.full_name] = LoadedType({record.id: index for index, record in enumerate(current)}, len(former))
    loading.run()
    return loaded


def send_records(
    session: SandboxSession, project: Project, records: Iterable[str], loaded: Mapping[str, LoadedType]
) -> None:
    """Put new or changed records into the loaded lists."""
    loading = _Loading(session)
    for record in sorted(map(project.record, records), key=lambda record: record.order):
        type_ = project.types[record.type]
        indexes = loaded[record.type].indexes
        target = f"{LOADED}{type_.domain}.{type_.collected_as}"
        made = f"[{load_record_code(type_)} for r in %s]"
        if is_loaded_single(type_, type_.collected_as):
            indexes.clear()
            indexes[record.id] = 0
            loading.add_rows(f"{target} = {made}[0]", type_, [record])
        elif record.id in indexes:
            loading.add_rows(f"{target}[{indexes[record.id]}] = {made}[0]", type_, [record])
        else:
            indexes[record.id] = len(indexes)
            loading.add_rows(f"{target} += {made}", type_, [record])
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

    def add_rows(self, code: str, type_: Type, records: list[Record]) -> None:
        """Send the records with the code, in which %s is replaced by their rows."""
        if (
            self._count + len(records) > RECORDS_PER_RUN
            or len(self._code) >= MAX_LINES
            or self._size + len(code) > MAX_CODE_CHARACTERS
        ):
            self.run()
        name = f"rows__{len(self._inputs)}"
        self._inputs[name] = record_rows(type_, records)
        self._count += len(records)
        self.add(code % name)

    def run(self) -> None:
        if self._code:
            self._session.run("\n".join(self._code), self._inputs)
        self._code, self._size, self._inputs, self._count = [], 0, {}, 0


def records_to_load(project: Project, type_: Type) -> tuple[tuple[str, list[Record]], tuple[str, list[Record]]]:
    records = project.complete_records(type_.full_name)
    standing = [record for record in records if record.ended is None]
    return (type_.collected_as, standing), (type_.former, [record for record in records if record.ended is not None])


def record_rows(type_: Type, records: list[Record]) -> list[Value]:
    """A row per record, for `load_record_code`. Built by column, with money in two flat places: both are faster."""
    columns: list[list[Value]] = []
    record_values = [record.values for record in records]
    for part in rendered_fields(type_):
        parsed = parse_type(part.type)
        values = [each.get(part.name) for each in record_values]
        if parsed.kind == "Money":
            columns.append([value.amount if isinstance(value, Money) else None for value in values])
            columns.append([value.currency if isinstance(value, Money) else None for value in values])
        elif parsed.kind == "list":
            blank = None if parsed.optional else ()
            filled = [blank if value is None else value for value in values]
            is_flat = parsed.item is not None and parsed.item.kind not in ("Money", "list")
            columns.append([*map(_flat_list if is_flat else _loadable_value, filled)])
        else:
            columns.append(values)  # type: ignore[arg-type]  # only the two kinds above need conversion
    columns.append([record.id for record in records])
    return [[*row] for row in zip(*columns, strict=True)]


def _flat_list(value: Typed) -> Value:
    """A list of values that need no conversion."""
    return [*value] if isinstance(value, tuple) else value  # type: ignore[list-item, return-value]  # see `is_flat`


def _loadable_value(value: Typed) -> Value:
    if isinstance(value, Money):
        return [value.amount, value.currency]
    return [_loadable_value(item) for item in value] if isinstance(value, tuple) else value


def _past_value(value: Typed) -> Value:
    """A value for `history`, which has money as a tuple."""
    if isinstance(value, Money):
        return (value.amount, value.currency)
    return [_past_value(item) for item in value] if isinstance(value, tuple) else value


def load_record_code(type_: Type) -> str:
    """The expression that creates an object from a row `r`."""
    arguments: list[str] = []
    place = 0
    for part in rendered_fields(type_):
        parsed = parse_type(part.type)
        if parsed.kind == "Money":
            arguments.append(f"None if r[{place}] is None else Money(r[{place}], r[{place + 1}])")
            place += 1
        elif parsed.item is not None and parsed.item.kind == "Money":
            arguments.append(f"[Money(m[0], m[1]) for m in r[{place}] or []]")
        else:
            arguments.append(f"r[{place}]")
        place += 1
    return f"uac_named({loaded_class_name(type_)}({loaded_arguments(arguments)}), r[{place}])"


def loaded_arguments(arguments: list[str]) -> str:
    """The arguments of a call; more than 255 are passed as a list, because an engine may take no more."""
    listed = ", ".join(arguments)
    return listed if len(arguments) <= MAX_ARGUMENTS else f"*[{listed}]"


def loaded_class_name(type_: Type) -> str:
    """One flat name per type, because two domains may each have a Trip."""
    return f"{type_.domain}__{type_.name}"


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
