"""The folded result: types, records with their claims, and what is waiting. Immutable, and cheap to carry on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from operator import attrgetter
from typing import Literal, NamedTuple

from uac.errors import Refused
from uac.project.alerts import Alert, Alerts, sort_alerts
from uac.project.claims import Claim, Source
from uac.project.digest_cache import DigestCache
from uac.project.history import History
from uac.project.progress import NO_PROGRESS, Progress
from uac.project.records import Ended, Record, disputed_claims, supplemented_fields
from uac.project.stored_map import AnyMap
from uac.project.type_suggestions import similar_record_ids
from uac.project.valid_days import over_by_own_end, records_on_day, states_own_end
from uac.schema.constraint_code import Reading, read_constraint
from uac.schema.constraints import Constraint, Knowledge
from uac.schema.entries import Receipt
from uac.schema.persistent_map import Map
from uac.schema.types import Type
from uac.schema.values import fold_key

__all__ = [
    "EMPTY_PROJECT",
    "Adopted",
    "Conflict",
    "Coverage",
    "Ended",
    "Orphan",
    "Project",
    "Record",
    "SetAsideFact",
    "Signature",
]


class Conflict(NamedTuple):
    """A field on which sources disagree so that a person has to decide, and the claims that do.

    With policy `ask` these are all claims of the field, with `latest` the current one and those of weaker sources
    that were made later.
    """

    record: str
    field: str
    claims: tuple[Claim, ...]


class SetAsideFact(NamedTuple):
    """Why a fact is in no record, and in which domain it would have been."""

    why: str
    domain: str
    outcome: Literal["set aside", "refused", "dropped", "constraint"] = "set aside"
    """What became of it: no patch was proposed, or none was accepted; or its record was dropped; or it is a rule."""


class Orphan(NamedTuple):
    """A patch of an accepted checkpoint that no longer applies, because an entry it depends on was removed."""

    position: int
    patch: int
    why: str


class Adopted(NamedTuple):
    """A constraint of the project, at which position it was adopted, and whether it runs."""

    constraint: Constraint
    position: int
    is_on: bool = True
    is_reviewed: bool = True
    cites: tuple[int, ...] = ()
    """The facts that state it."""

    @property
    def reading(self) -> Reading:
        return read_constraint(self.constraint.name, self.constraint.code)


class Coverage(NamedTuple):
    """How many facts of a domain are in records, and how many were set aside."""

    structured: int
    aside: int


class Signature(NamedTuple):
    """A person who answers for a table with this digest, and the entry that says so."""

    digest: str
    who: str
    why: str
    position: int
    at: datetime


@dataclass(frozen=True, slots=True, repr=False)
class Project:
    """The state of the log at `position`."""

    position: int = 0
    digest: bytes = b""
    """The digest of the last entry: it identifies the log and the position."""
    now: datetime | None = None
    types: Mapping[str, Type] = field(default_factory=dict)
    tables: Mapping[str, AnyMap[str, Record]] = field(default_factory=dict)
    sources: AnyMap[int, Source] = field(default_factory=Map)
    used: AnyMap[int, tuple[str, ...]] = field(default_factory=Map)
    waiting: AnyMap[int, None] = field(default_factory=Map)
    aside: AnyMap[int, SetAsideFact] = field(default_factory=Map)
    coverage: Mapping[str, Coverage] = field(default_factory=dict)
    disputed: Map[str, None] = field(default_factory=Map)
    unsure: Map[str, None] = field(default_factory=Map)
    """The records with values that are not certain."""
    supplemented: Map[str, None] = field(default_factory=Map)
    """The records of the user to which weaker sources added values of their own."""
    constraints: Mapping[str, Adopted] = field(default_factory=dict)
    retired: frozenset[str] = frozenset()
    """Constraints that were retired: no pack adopts them again automatically."""
    knowledge: Mapping[str, Knowledge] = field(default_factory=dict)
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    """Who signed a table, by its name, as it is now."""
    alerts: Alerts = field(default_factory=Map)
    failures: Mapping[str, str] = field(default_factory=dict)
    """Constraints that gave no result in their last run, for some records or for all, and why."""
    looks: Mapping[str, datetime] = field(default_factory=dict)
    """When each constraint must run again though nothing changed; those not listed run on every tick."""
    unwatched: frozenset[str] = frozenset()
    """Constraints that have not been run since records changed, as after an import."""
    rechecks: frozenset[str] = frozenset()
    """Constraints that cleared an alert; the next tick runs them again, so that a mistake clears none for good."""
    delivered: Mapping[str, int] = field(default_factory=dict)
    """The position up to which alert changes were delivered, for each recipient."""
    receipts: tuple[Receipt, ...] = ()
    """The newest requests that were carried out, so that a retry is recognized."""
    progress: Progress = NO_PROGRESS
    """Which entries models have processed."""
    orphans: tuple[Orphan, ...] = ()
    gone: frozenset[int] = frozenset()
    """Positions that an active retraction removed, directly or through an entry that they cite."""
    history: History = field(default=None, compare=False, repr=False)
    checked_cases: DigestCache | None = field(default=None, compare=False, repr=False)
    """Cases of constraints that are known to fit their types. All later projects of the log share it, so that folding
    the log again does not check them again."""

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}: {len(table)}" for name, table in sorted(self.tables.items()))
        return f"<Project at {self.position}: {counts or 'no types'}>"

    @property
    def domains(self) -> list[str]:
        return sorted({type_.domain for type_ in self.types.values()})

    def types_of(self, domain: str) -> list[Type]:
        return [self.types[name] for name in sorted(self.types) if self.types[name].domain == domain]

    def count(self, type_name: str) -> int:
        return len(self.tables.get(type_name, ()))

    def records(self, type_name: str) -> list[Record]:
        """All records of a type, ended ones included, in the order they came."""
        records = [*self.tables.get(type_name, Map()).values()]
        for number in ("patch", "position"):  # one after the other: pairs would take memory, and many are sorted
            records.sort(key=attrgetter(number))
        return records

    def complete_records(self, type_name: str) -> list[Record]:
        """Without records that lack a field which the type requires: code may rely on it."""
        return [record for record in self.records(type_name) if not record.is_incomplete]

    def owners(self) -> dict[str, str]:
        """The type of each collection: {'travel.trips': 'travel.Trip', 'travel.former_trips': 'travel.Trip', …}."""
        return {
            f"{type_.domain}.{collection}": name
            for name, type_ in self.types.items()
            for collection in (type_.collected_as, type_.former)
        }

    def collected(self, collection: str) -> list[Record]:
        """The records that `domain.collection` lists, current or former ones."""
        name = self.owners().get(collection)
        if name is None:
            return []
        is_former = collection.endswith(f".{self.types[name].former}")
        return [record for record in self.records(name) if (record.ended is not None) == is_former]

    def types_named(self, name: str) -> list[Type]:
        """The types that a name means: a type (travel.Trip), its collections (travel.trips), or a domain (travel)."""
        type_ = self.types.get(self.owners().get(name, name))
        return self.types_of(name) if type_ is None else [type_]

    def records_named(self, name: str) -> list[Record]:
        """The records of a type or a domain, ended ones included, or just those of a collection; empty if unknown."""
        if name in self.owners():
            return self.collected(name)
        return [record for type_ in self.types_named(name) for record in self.records(type_.full_name)]

    def record(self, record_id: str) -> Record:
        """The record of that id; letter case of the key does not matter."""
        type_name, _colon, key = record_id.partition(":")
        table = self.tables.get(type_name, Map())
        found = table.get(record_id) or table.get(f"{type_name}:{fold_key(key)}")
        if found is None:
            why = f": it was dropped ({dropped})" if (dropped := self.why_dropped(record_id)) else ""
            near = [] if dropped else similar_record_ids(record_id, self.tables)
            remedy = f"Did you mean {' or '.join(near)}?" if near else "Use an id from 'uac records'."
            raise Refused(f"No record {record_id!r}{why}. {remedy}")
        return found

    def why_dropped(self, record_id: str) -> str:
        """Why the record of that id was dropped; "" if it was not."""
        dropped = f"{record_id} was dropped: "
        return next(
            (each.why.removeprefix(dropped) for each in self.aside.values() if each.why.startswith(dropped)), ""
        )

    def standing(self) -> list[Alert]:
        """The active alerts, the most severe first."""
        return sort_alerts(self.alerts)

    @property
    def conflicts(self) -> list[Conflict]:
        disputed = sorted((self.record(record_id) for record_id in self.disputed), key=lambda record: record.order)
        return [
            Conflict(record.id, name, disputed_claims(record, self.types[record.type], name))
            for record in disputed
            for name in record.conflicts
        ]

    def is_superseded(self, position: int) -> bool:
        """Whether the fact at a position is used in records, but none of its values is current any more.

        Key fields are ignored: they only identify the record, and never change.
        """
        if position not in self.used:
            return False
        claims = [
            (record, name, claim)
            for record in map(self.record, self.used[position])
            for name, claims in record.claims.items()
            for claim in claims
            if position in claim.cites and name not in self.types[record.type].key
        ]
        return bool(claims) and not any(
            claim.value == record.values.get(name)
            or name in record.conflicts
            or (isinstance(standing := record.values.get(name), tuple) and claim.value in standing)
            for record, name, claim in claims
        )

    def changed_since(self, position: int) -> list[tuple[Record, str]]:
        """The records and fields for which the fact at a position stated a value that another one has replaced."""
        return [
            (record, name)
            for record in map(self.record, self.used.get(position, ()))
            for name, claims in record.claims.items()
            if name not in record.conflicts
            and name not in self.types[record.type].key
            and (stated := [claim.value for claim in claims if position in claim.cites])
            and (value := record.values.get(name)) is not None
            and not isinstance(value, tuple)
            and value not in stated
        ]

    def at(self, *, valid: date) -> "Project":
        """The state on that day: without claims and records that began later; ended ones are former."""
        tables: dict[str, AnyMap[str, Record]] = {}
        for name, table in self.tables.items():
            type_ = self.types[name]
            tables[name] = Map((record.id, record) for record in records_on_day(table.values(), type_, valid))
        records = [record for table in tables.values() for record in table.values()]
        # Without a history it cannot be mistaken for a later state of the project.
        return replace(
            self,
            tables=tables,
            disputed=Map(dict.fromkeys(record.id for record in records if record.conflicts)),
            unsure=Map(dict.fromkeys(record.id for record in records if record.unsure)),
            supplemented=Map(
                dict.fromkeys(each.id for each in records if supplemented_fields(each, self.types[each.type]))
            ),
            history=None,
        )

    def with_own_ends(self, day: date) -> "Project":
        """The same state, with the records ended whose own last day (`ends`, `ended`, `until`) was before that day."""
        tables: dict[str, AnyMap[str, Record]] = {}
        for name, table in self.tables.items():
            if states_own_end(type_ := self.types[name]):
                ended = ((record, over_by_own_end(record, type_, day)) for record in table.values())
                over = {record.id: after for record, after in ended if after is not record}
                if over:
                    tables[name] = table.update(over)
        return replace(self, tables={**self.tables, **tables}, history=None) if tables else self


EMPTY_PROJECT = Project()
