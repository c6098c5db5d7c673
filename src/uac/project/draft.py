"""A project that is being changed: its tables, and the small steps that keep counts and references right."""

from collections.abc import Callable, Collection, Mapping
from typing import Literal, NamedTuple, TypeVar

import msgspec

from uac.errors import Refused
from uac.project.claims import (
    NO_SOURCE,
    NO_STAMP,
    Claim,
    Shape,
    Source,
    record_shape,
    shared_source,
    shared_stamp,
)
from uac.project.digest_cache import DigestCache
from uac.project.history import HistoryEntry
from uac.project.progress import ProgressDraft
from uac.project.project import Coverage, Orphan, Project, SetAsideFact
from uac.project.records import Record, supplemented_fields, with_claims
from uac.project.stored_map import AnyMap
from uac.project.table_drafts import TableDrafts
from uac.project.type_suggestions import similar_record_ids, similar_type_names
from uac.schema.types import FieldType, Json, Type, field_types
from uac.schema.values import Typed, check_bounds, fold_key, parse_value, strip_value, value_reader

__all__ = ["Draft"]

MAX_CHECKED_CASES = 4096
_Named = TypeVar("_Named")


class _ParsedType(NamedTuple):
    """A type as patches need it. `readers` are for fields that refer to no other record."""

    type: Type
    fields: dict[str, FieldType]
    names: tuple[str, ...]
    readers: Mapping[str, Callable[[Json], Typed]]
    required: frozenset[str]

    @staticmethod
    def of(type_: Type) -> "_ParsedType":
        fields = field_types(type_)
        readers = {name: value_reader(parsed) for name, parsed in fields.items() if not (parsed.item or parsed).ref}
        required = {name for name, parsed in fields.items() if not parsed.optional and parsed.kind != "list"}
        return _ParsedType(type_, fields, tuple(fields), readers, frozenset(required))


class Draft:
    """A project that is being changed. `apply_patches.py` applies patches to it.

    `bounded` is for new changes: their values must be within the bounds of `schema/types.py`. Replayed changes were
    accepted before, perhaps without bounds.
    """

    def __init__(self, project: Project, *, bounded: bool = False) -> None:
        self.bounded = bounded
        self._onto = project
        self.digest = project.digest
        self.now = project.now
        self.types = dict(project.types)
        self.tables = TableDrafts(project.tables)
        self.sources = project.sources.mutate()
        self.used = project.used.mutate()
        self.waiting = project.waiting.mutate()
        self.aside = project.aside.mutate()
        self.coverage = dict(project.coverage)
        self.disputed = project.disputed.mutate()
        self.unsure = project.unsure.mutate()
        self.supplemented = project.supplemented.mutate()
        self.constraints = dict(project.constraints)
        self.retired = set(project.retired)
        self.knowledge = dict(project.knowledge)
        self.signatures = dict(project.signatures)
        self.alerts = project.alerts
        self.failures = dict(project.failures)
        self.looks = dict(project.looks)
        self.unwatched = set(project.unwatched)
        self.rechecks = set(project.rechecks)
        self.delivered = dict(project.delivered)
        self.receipts = project.receipts
        self.progress = ProgressDraft(project.progress)
        self.orphans = list(project.orphans)
        self.gone = set(project.gone)
        self.history = project.history
        self.keeps_history = True
        known = project.checked_cases
        self.checked_cases = DigestCache(MAX_CHECKED_CASES) if known is None else known
        self.offered: Callable[[], Collection[str]] | None = None
        """The types that packs offer, used only to suggest one for a mistyped name."""
        self._parsed: dict[int, _ParsedType] = {}
        self._last_source = NO_SOURCE
        self._last_stamp = NO_STAMP

    def freeze(self, position: int) -> Project:
        return Project(
            position=position,
            digest=self.digest,
            now=self.now,
            types=_same_if_equal(self._onto.types, self.types),
            tables=self.tables.finish(),
            sources=self.sources.finish(),
            used=self.used.finish(),
            waiting=self.waiting.finish(),
            aside=self.aside.finish(),
            coverage=self.coverage,
            disputed=self.disputed.finish(),
            unsure=self.unsure.finish(),
            supplemented=self.supplemented.finish(),
            constraints=_same_if_equal(self._onto.constraints, self.constraints),
            retired=frozenset(self.retired),
            knowledge=self.knowledge,
            signatures=self.signatures,
            alerts=self.alerts,
            failures=self.failures,
            looks=self.looks,
            unwatched=frozenset(self.unwatched),
            rechecks=frozenset(self.rechecks),
            delivered=self.delivered,
            receipts=self.receipts,
            progress=self.progress.freeze(),
            orphans=tuple(self.orphans),
            gone=frozenset(self.gone),
            history=self.history,
            checked_cases=self.checked_cases,
        )

    def learn(self, position: int, source: Source) -> None:
        """A fact or an observation that records may cite from now on."""
        self._last_source = shared_source(source, self._last_source)
        self.sources[position] = self._last_source
        if not self.gone.isdisjoint(source.cites):
            self.gone.add(position)
        elif source.is_fact:
            self.waiting[position] = None
        elif source.authority != "inferred":  # instructions to an agent say nothing about the user
            self.progress.unread[position] = 0

    def stands(self, position: int) -> bool:
        """Whether a fact or an observation exists and is neither erased nor retracted."""
        return position in self.sources and position not in self.gone

    def remember(self, happened: HistoryEntry) -> None:
        if self.keeps_history:
            self.history = (happened, self.history)

    def orphan(self, position: int, index: int, why: str) -> None:
        self.orphans.append(Orphan(position, index, why))

    def table(self, name: str) -> AnyMap[str, Record]:
        """The current records of a type, to iterate over."""
        return self.tables.current(name)

    def type_named(self, name: str) -> Type:
        if name not in self.types:
            raise Refused(f"There is no type {name}.{self.known_types(name)}")
        return self.types[name]

    def record(self, record_id: str) -> Record:
        type_name = record_id.partition(":")[0]
        table = self.tables.get(type_name)
        found = table.get(record_id) if table is not None else None
        if found is None:
            is_proposed = table is not None and self.offered is not None
            near = similar_record_ids(record_id, {type_name: self.table(type_name)}) if is_proposed else []
            remedy = f"Did you mean {' or '.join(near)}?" if near else "Use the id of an existing record."
            raise Refused(f"No record {record_id!r}. {remedy} A new one is created with `put`.")
        return found

    def values(self, type_: Type, fields: Mapping[str, Json]) -> dict[str, Typed]:
        parsed = self._parsed_type(type_)
        values: dict[str, Typed] = {}
        for name, raw in fields.items():
            try:
                values[name] = parsed.readers[name](raw)
            except (KeyError, ValueError):  # a reference, or a value that does not fit
                values[name] = self.value(name, raw, parsed.fields.get(name), type_)
        return values

    def new_values(self, type_: Type, fields: Mapping[str, Json]) -> dict[str, Typed]:
        """The values of a change, which must be within the bounds unless it is replayed."""
        values = self.values(type_, fields)
        if self.bounded:
            known = self.fields(type_)
            for name, value in values.items():
                try:
                    check_bounds(value, known[name])
                except ValueError as error:
                    raise Refused(f"{name} {error}") from None
        return values

    def check_case_values(self, type_: Type, fields: Mapping[str, Json]) -> None:
        """Refuse values that do not fit their fields. What they refer to is a record of the case, not of the user."""
        known = self.fields(type_)
        for name, raw in fields.items():
            self._parse_field(name, raw, known.get(name), type_)

    def _parse_field(self, name: str, raw: Json, parsed: FieldType | None, type_: Type) -> tuple[Typed, FieldType]:
        if parsed is None:
            raise Refused(f"{type_.full_name} has no field {name}. Use one of: {self.field_names(type_)}.")
        try:
            return parse_value(raw, parsed), parsed
        except ValueError as error:
            raise Refused(f"{name} {error}") from None

    def value(self, name: str, raw: Json, field: FieldType | None, type_: Type) -> Typed:
        value, parsed = self._parse_field(name, raw, field, type_)
        if (parsed.item or parsed).kind == "str":
            return strip_value(value)
        target = (parsed.item or parsed).ref
        if not target or value is None:
            return value
        if isinstance(value, tuple):
            return tuple(self._resolve_reference(name, key, target) for key in value)
        return self._resolve_reference(name, value, target)

    def _resolve_reference(self, name: str, key: Typed, target: str) -> str:
        """The key of an existing record, given as people write it: in any letter case, or as the record's whole id."""
        given = str(key).removeprefix(f"{target}:")
        for candidate in (given, fold_key(given)):
            if target in self.tables and f"{target}:{candidate}" in self.tables[target]:
                return candidate
        raise Refused(f"{name} is {key!r}. Use the key of an existing {target}.")

    def fields(self, type_: Type) -> dict[str, FieldType]:
        return self._parsed_type(type_).fields

    def shape(self, type_: Type, stated: tuple[str, ...]) -> Shape:
        """The shape of a record of which a patch states these fields."""
        return record_shape(stated, self._parsed_type(type_).names)

    def shared_stamp(self, stamp: Claim) -> Claim:
        """The stamp of the record before it, if it is the same."""
        self._last_stamp = shared_stamp(stamp, self._last_stamp)
        return self._last_stamp

    def required(self, type_: Type) -> frozenset[str]:
        """The fields that a new record of the type must have."""
        return self._parsed_type(type_).required

    def _parsed_type(self, type_: Type) -> _ParsedType:
        known = self._parsed.get(id(type_))
        if known is None:  # the type is stored with its fields, so that no other type can get its id
            known = self._parsed[id(type_)] = _ParsedType.of(type_)
        return known

    @staticmethod
    def field_names(type_: Type) -> str:
        return ", ".join(field.name for field in type_.fields)

    def known_types(self, meant: str = "") -> str:
        if self.offered is not None and (close := similar_type_names(meant, {*self.types, *self.offered()} - {meant})):
            return f" Did you mean {' or '.join(close)}?"
        return f" Use one of: {', '.join(sorted(self.types))}." if self.types else " Define it first."

    def check_cites(self, cites: tuple[int, ...]) -> None:
        for cited in cites:
            if cited not in self.sources or cited in self.gone:
                raise Refused(
                    f"cites {cited}, which is not an active fact or observation. Cite one that was not retracted."
                )

    def need_cites(self, cites: tuple[int, ...]) -> None:
        if not cites:
            raise Refused("cites nothing. Cite the facts that it depends on.")

    def referring(self, type_name: str) -> list[str]:
        return [
            name
            for name, type_ in self.types.items()
            if any((parsed.item or parsed).ref == type_name for parsed in self.fields(type_).values())
        ]

    def refers(self, other: Record, record: Record, *, standing: bool = False) -> bool:
        """Whether a claim of `other` (with `standing`: its current value) names the record."""
        for name, parsed in self.fields(self.types[other.type]).items():
            if (parsed.item or parsed).ref == record.type:
                values = [other.values.get(name)] if standing else [claim.value for claim in other.claims.get(name, ())]
                if any(record.key in value if isinstance(value, tuple) else record.key == value for value in values):
                    return True
        return False

    def has_key_reference(self, record: Record, type_name: str) -> bool:
        type_ = self.types[record.type]
        return any(self.fields(type_)[name].ref == type_name for name in type_.key)

    def store(self, record: Record) -> None:
        self.tables[record.type][record.id] = record
        supplemented = supplemented_fields(record, self.types[record.type])
        for is_marked, marked in (
            (record.conflicts, self.disputed),
            (record.unsure, self.unsure),
            (supplemented, self.supplemented),
        ):
            if is_marked:
                marked[record.id] = None
            elif marked:
                marked.pop(record.id, None)

    def remove(self, record: Record) -> None:
        del self.tables[record.type][record.id]
        self.disputed.pop(record.id, None)
        self.unsure.pop(record.id, None)
        self.supplemented.pop(record.id, None)

    def move(self, old: Record, new: Record) -> None:
        """Store the record under another id; its citations and the references to it follow."""
        for name in self.referring(old.type):
            for other in self.table(name).values():
                if other.id != old.id and old.key != new.key and self.refers(other, old):
                    self.store(self._point_references(other, old, new))
        self.remove(old)
        self.store(new)
        for cited in old.cites:
            self.unuse(cited, old.id)
            self.use(cited, new.id)

    def _point_references(self, other: Record, old: Record, new: Record) -> Record:
        claims = dict(other.claims)
        for name, parsed in self.fields(self.types[other.type]).items():
            if (parsed.item or parsed).ref == old.type and name in claims:
                claims[name] = tuple(
                    msgspec.structs.replace(claim, value=self._replace_key(claim.value, old.key, new.key))
                    for claim in claims[name]
                )
        return with_claims(other, claims, self.types[other.type])

    @staticmethod
    def _replace_key(value: Typed, old: str, new: str) -> Typed:
        if isinstance(value, tuple):
            if new in value:  # the two were merged
                return tuple(item for item in value if item != old)
            return tuple(new if item == old else item for item in value)
        return new if value == old else value

    def use(self, cited: int, record_id: str) -> None:
        used = self.used.get(cited, ())
        if record_id in used:
            return
        self.used[cited] = (*used, record_id)
        self.progress.settle(cited)
        self.progress.refused.pop(cited, None)
        if (old := self.aside.get(cited)) is not None:
            del self.aside[cited]
            self.cover(old.domain, aside=-1)
        if self.sources[cited].is_fact:
            self.waiting.pop(cited, None)
            self.cover(record_id.partition(".")[0], structured=1)

    def unuse(self, cited: int, record_id: str) -> None:
        used = self.used.get(cited, ())
        if record_id not in used:
            return
        left = tuple(other for other in used if other != record_id)
        if left:
            self.used[cited] = left
        else:
            del self.used[cited]
        if self.sources[cited].is_fact:
            self.cover(record_id.partition(".")[0], structured=-1)
            if not left:
                self.waiting[cited] = None

    def set_aside(
        self, cites: tuple[int, ...], why: str, domain: str, *, outcome: Literal["dropped", "constraint"] | None = None
    ) -> None:
        """Record why facts are in no record."""
        self.need_cites(cites)
        if not why.strip():
            raise Refused("why is empty. Give a reason.")
        for cited in cites:
            if not self.used.get(cited):
                if (old := self.aside.get(cited)) is not None:
                    self.cover(old.domain, aside=-1)
                is_refused = cited in self.progress.refused
                self.aside[cited] = SetAsideFact(why, domain, outcome or ("refused" if is_refused else "set aside"))
                self.cover(domain, aside=1)
                self.waiting.pop(cited, None)
                self.progress.settle(cited)

    def type_collected(self, collection: str) -> Type:
        """The type whose records `domain.collection` lists, current or former."""
        domain, _dot, name = collection.partition(".")
        for type_ in self.types.values():
            if type_.domain == domain and name in (type_.collected_as, type_.former):
                return type_
        known = sorted(name for name in self.collections() if ".former_" not in name)
        raise Refused(
            f"reads user.{collection}, which does not exist. Use one of: {', '.join(known) or 'no types yet'}."
        )

    def collections(self) -> set[str]:
        """The collections of all types: 'travel.trips', 'travel.former_trips', …"""
        return {f"{t.domain}.{name}" for t in self.types.values() for name in (t.collected_as, t.former)}

    def cover(self, domain: str, *, structured: int = 0, aside: int = 0) -> None:
        old = self.coverage.get(domain, Coverage(0, 0))
        new = Coverage(old.structured + structured, old.aside + aside)
        if new == Coverage(0, 0):
            self.coverage.pop(domain, None)
        else:
            self.coverage[domain] = new


def _same_if_equal(before: Mapping[str, _Named], after: Mapping[str, _Named]) -> Mapping[str, _Named]:
    """The mapping from before if nothing in it has changed: results that depend on it stay valid."""
    return before if before == after else after
