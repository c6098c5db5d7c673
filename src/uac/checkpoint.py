"""The door: patches are checked against the project and applied as a whole, or refused with reasons.

The same door serves models, agents, imports and people. Folding accepted checkpoints (`fold.py`) goes through it too,
so what was accepted once is applied in the same way for ever.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec
from immutables import Map

from uac.claims import AUTHORITIES, Claim, Source
from uac.entries import Authority, Correction
from uac.errors import Refused
from uac.patches import (
    AddField,
    Amend,
    Define,
    Drop,
    End,
    Gone,
    MergeTypes,
    Patch,
    Put,
    RenameField,
    RenameType,
    RetireField,
    RetypeField,
    SetAside,
    SplitType,
    op_of,
)
from uac.periods import Period, check_period
from uac.project import Aside, Coverage, Ended, Happened, Orphan, Project, Record, field_types, settle_values
from uac.schema import FieldType, Json, Type, Typed, check_type, dump_value, parse_value

__all__ = ["Accepted", "Draft", "Refusal", "check", "describe", "key_text"]


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one patch was refused: `patch` counts from 1 (0: the checkpoint as a whole)."""

    patch: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"patch {self.patch} ({self.what}): {self.why}" if self.patch else self.why


@dataclass(frozen=True, slots=True)
class Accepted:
    """The project as it will be when these patches are in the log."""

    project: Project


def check(
    project: Project, patches: Sequence[Patch], *, facts: Sequence[int] = (), at: datetime | None = None
) -> Accepted | tuple[Refusal, ...]:
    """All patches applied in order, or every reason why not.

    `facts` are those the checkpoint answers for: each must be cited by a patch or set aside.
    """
    draft = Draft(project)
    refusals: list[Refusal] = []
    stamp = at or project.now or EPOCH
    for number, patch in enumerate(patches, 1):
        try:
            draft.apply(patch, project.position + 1, number - 1, stamp)
        except Refused as error:
            refusals.append(Refusal(number, describe(patch), str(error)))
    if not refusals:
        cited = {position for patch in patches for position in patch.cites}
        forgotten = [position for position in facts if position not in cited]
        if forgotten:
            listed = ", ".join(map(str, forgotten))
            refusals.append(
                Refusal(0, "", f"facts {listed} are neither used nor set aside, needs a patch that cites each")
            )
    return tuple(refusals) if refusals else Accepted(draft.freeze(project.position + 1))


def describe(patch: Patch) -> str:
    op = op_of(patch)
    match patch:
        case Define():
            return f"{op} {patch.type.full_name}"
        case Amend() | End() | Drop():
            return f"{op} {patch.record}"
        case SetAside() | Gone():
            return f"{op} {', '.join(map(str, patch.cites))}"
        case MergeTypes():
            return f"{op} {', '.join(patch.types)}"
        case _:
            return f"{op} {patch.type}"


class _Stamp(NamedTuple):
    """Where a change stands in the log and what it rests on."""

    position: int
    learned: datetime
    cites: tuple[int, ...]
    held: Period


class Draft:
    """A project that is being changed. A patch that is refused leaves it as it was."""

    def __init__(self, project: Project) -> None:
        self._base = project
        self.now = project.now
        self.types = dict(project.types)
        self._tables = {name: table.mutate() for name, table in project.tables.items()}
        self.sources = project.sources.mutate()
        self.used = project.used.mutate()
        self.waiting = project.waiting.mutate()
        self.aside = project.aside.mutate()
        self.coverage = dict(project.coverage)
        self.disputed = project.disputed.mutate()
        self.orphans = list(project.orphans)
        self.gone = set(project.gone)
        self.history = project.history
        self._parsed: dict[int, tuple[Type, dict[str, FieldType]]] = {}

    def freeze(self, position: int) -> Project:
        return Project(
            position=position,
            now=self.now,
            types=self.types,
            tables={name: table.finish() for name, table in self._tables.items()},
            sources=self.sources.finish(),
            used=self.used.finish(),
            waiting=self.waiting.finish(),
            aside=self.aside.finish(),
            coverage=self.coverage,
            disputed=self.disputed.finish(),
            orphans=tuple(self.orphans),
            gone=frozenset(self.gone),
            history=self.history,
        )

    def learn(self, position: int, source: Source) -> None:
        """A fact or an observation that records may cite from now on."""
        self.sources[position] = source
        if not self.gone.isdisjoint(source.cites):
            self.gone.add(position)
        elif source.is_fact:
            self.waiting[position] = None

    def remember(self, happened: Happened) -> None:
        self.history = (happened, self.history)

    def orphan(self, position: int, index: int, why: str) -> None:
        self.orphans.append(Orphan(position, index, why))

    def apply(self, patch: Patch, position: int, index: int, learned: datetime) -> None:
        """Make the change, or raise Refused and leave everything as it was."""
        self._check_cites(patch.cites)
        match patch:
            case Put():
                self._put(patch, index, _Stamp(position, learned, patch.cites, patch.held))
            case Amend():
                self._need_cites(patch.cites)
                record = self._record(patch.record)
                values = self._values(self._type(record.type), patch.fields)
                self._claim(record, values, _Stamp(position, learned, patch.cites, patch.held))
            case End():
                self._end(patch, position)
            case Drop():
                self._drop(patch)
            case SetAside():
                self._set_aside(patch.cites, patch.why, patch.domain)
            case Gone():
                pass
            case _:
                self._change_types(patch, position, learned)

    def _change_types(
        self,
        patch: Define | AddField | RenameField | RetypeField | RetireField | RenameType | SplitType | MergeTypes,
        position: int,
        learned: datetime,
    ) -> None:
        types, tables = self.types.copy(), {name: self._table(name) for name in self._tables}
        try:
            match patch:
                case Define():
                    self._define(patch.type)
                case AddField():
                    self._add_field(patch, position, learned)
                case RenameField() | RetypeField() | RetireField():
                    self._change_field(patch)
                case RenameType():
                    self._rename_type(patch)
                case SplitType():
                    self._split_type(patch)
                case MergeTypes():
                    self._merge_types(patch)
        except Refused:
            self.types, self._tables = types, {name: table.mutate() for name, table in tables.items()}
            raise

    def correct(self, correction: Correction, position: int, learned: datetime) -> None:
        """The user's own word on one field."""
        self._check_cites(correction.cites)
        record = self._record(correction.record)
        values = self._values(self._type(record.type), {correction.field: correction.value})
        self._claim(record, values, _Stamp(position, learned, correction.cites, Period()), authority="correction")

    # -- records ------------------------------------------------------------------------------------------------

    def _put(self, patch: Put, index: int, stamp: "_Stamp") -> None:
        type_ = self._type(patch.type)
        self._need_cites(patch.cites)
        values = self._values(type_, patch.fields)
        for name in type_.key:
            if name not in values:
                raise Refused(f"key field {name} is missing, needs {self._fields(type_)[name]}")
        record_id = f"{patch.type}:{key_text(type_, values) or f'#{stamp.position}.{index}'}"
        record = self._tables[patch.type].get(record_id)
        if record is None:
            for name, parsed in self._fields(type_).items():
                if name not in values and not parsed.optional and parsed.kind != "list":
                    raise Refused(f"field {name} is missing, needs {parsed}")
            self._check_single(type_, record_id)
            record = Record(record_id, patch.type, (stamp.position, index), {}, {})
        elif record.ended is not None:
            record = msgspec.structs.replace(record, ended=None)
        self._claim(record, values, stamp)

    def _check_single(self, type_: Type, record_id: str) -> None:
        if type_.cardinality != "one":
            return
        standing = (record for record in self._table(type_.full_name).values() if record.ended is None)
        other = next((record for record in standing if record.id != record_id), None)
        if other is not None:
            raise Refused(f"{type_.full_name} is one and {other.id} is there, needs amend, or end of the old one first")

    def _claim(
        self, record: Record, values: Mapping[str, Typed], stamp: "_Stamp", *, authority: Authority | None = None
    ) -> None:
        """Add one claim per field and store the record with its standing values."""
        type_ = self._type(record.type)
        if not values:
            raise Refused("names no fields, needs at least one")
        check_period(stamp.held)
        sources = [self.sources[cited] for cited in stamp.cites]
        strongest = max(sources, key=_strength, default=None)
        held = strongest.held if stamp.held == Period() and strongest is not None else stamp.held
        whose = authority or (strongest.authority if strongest else "correction")
        said = max((source.said for source in sources), default=stamp.learned)
        claims = dict(record.claims)
        for name, value in values.items():
            claim = Claim(value, whose, said, stamp.learned, held, stamp.position, stamp.cites)
            claims[name] = (*claims.get(name, ()), claim)
        changed = settle_values(msgspec.structs.replace(record, claims=claims), type_)
        if record.claims and any(name in values for name in type_.key):
            changed = self._rekey(record, changed, type_)
        self._store(changed)
        for cited in stamp.cites:
            self._use(cited, changed.id)

    def _rekey(self, old: Record, changed: Record, type_: Type) -> Record:
        """The record under the key that its values now have; those who refer to it follow."""
        record_id = f"{changed.type}:{key_text(type_, changed.values)}"
        if record_id == old.id:
            return changed
        if record_id in self._tables[changed.type]:
            raise Refused(f"the new key makes it the same as {record_id}, needs drop of one of the two")
        self._move(old, msgspec.structs.replace(old, id=record_id))
        return msgspec.structs.replace(changed, id=record_id)

    def _end(self, patch: End, position: int) -> None:
        record = self._record(patch.record)
        self._need_cites(patch.cites)
        check_period(Period(patch.when, ""))
        if not patch.when:
            raise Refused("when is empty, needs a date such as 2026-03-01, 2026-03 or 2026")
        self._store(msgspec.structs.replace(record, ended=Ended(patch.when, patch.why, position)))
        for cited in patch.cites:
            self._use(cited, record.id)

    def _drop(self, patch: Drop) -> None:
        record = self._record(patch.record)
        if not patch.why.strip():
            raise Refused("why is empty, needs a reason")
        for name in self._referring(record.type):
            for other in self._table(name).values():
                if other.id != record.id and record.key in self._keys_named(other, record.type):
                    raise Refused(f"{other.id} refers to it, needs amend or drop of that first")
        self._remove(record)
        domain = self._type(record.type).domain
        for cited in {*record.cites, *patch.cites}:
            left = tuple(used for used in self.used.get(cited, ()) if used != record.id)
            self._unuse(cited, record.id)
            if not left:
                self._set_aside((cited,), f"{record.id} was dropped: {patch.why}", domain)

    def _set_aside(self, cites: tuple[int, ...], why: str, domain: str) -> None:
        self._need_cites(cites)
        if not why.strip():
            raise Refused("why is empty, needs a reason")
        for cited in cites:
            if not self.used.get(cited):
                if (old := self.aside.get(cited)) is not None:
                    self._cover(old.domain, aside=-1)
                self.aside[cited] = Aside(why, domain)
                self._cover(domain, aside=1)
                self.waiting.pop(cited, None)

    # -- types --------------------------------------------------------------------------------------------------

    def _define(self, type_: Type) -> None:
        check_type(type_)
        known = self.types.get(type_.full_name)
        if known is not None and known != type_:
            raise Refused(
                f"{type_.full_name} is there with other fields, needs add_field, rename_field or retype_field"
            )
        for other in self.types.values():
            if other.domain == type_.domain and other.name != type_.name:
                taken = {other.name, other.collected_as} & {type_.name, type_.collected_as}
                if taken:
                    raise Refused(f"the name {taken.pop()} is taken by {other.full_name}, needs another one")
        for name, parsed in self._fields(type_).items():
            target = (parsed.item or parsed).ref
            if target and target != type_.full_name and target not in self.types:
                raise Refused(f"field {name} refers to {target}, which is not defined{self._known_types()}")
            if target and target in self.types and not self.types[target].key:
                raise Refused(f"field {name} refers to {target}, which has no key, needs a type with a key")
        self.types[type_.full_name] = type_
        self._tables.setdefault(type_.full_name, Map[str, Record]().mutate())

    def _add_field(self, patch: AddField, position: int, learned: datetime) -> None:
        type_ = self._type(patch.type)
        changed = msgspec.structs.replace(type_, fields=(*type_.fields, patch.field))
        check_type(changed)
        parsed = self._fields(changed)[patch.field.name]
        default = None
        if patch.default is not None:
            default = self._value(patch.field.name, patch.default, parsed, changed)
        if default is None and not parsed.optional and parsed.kind != "list" and len(self._tables[patch.type]):
            raise Refused(
                f"field {patch.field.name} is {parsed} and records are there, needs a default or '{parsed} | None'"
            )
        source = Claim(default, "inferred", learned, learned, Period(), position, ())

        def grow(record: Record) -> Record:
            claims = record.claims if default is None else {**record.claims, patch.field.name: (source,)}
            return msgspec.structs.replace(record, claims=claims)

        self._rebuild(type_, changed, grow)

    def _change_field(self, patch: RenameField | RetypeField | RetireField) -> None:
        type_ = self._type(patch.type)
        old = type_.field(patch.field)
        if old is None:
            raise Refused(f"field {patch.field} is not there, needs one of {_names(type_)}")
        if isinstance(patch, RetireField):
            if patch.field in type_.key:
                raise Refused(f"field {patch.field} is part of the key, needs to stay")
            fields = tuple(f for f in type_.fields if f.name != patch.field)
        else:
            new = (
                msgspec.structs.replace(old, name=patch.to)
                if isinstance(patch, RenameField)
                else msgspec.structs.replace(old, type=patch.to)
            )
            fields = tuple(new if f.name == patch.field else f for f in type_.fields)
        key = tuple(patch.to if isinstance(patch, RenameField) and k == patch.field else k for k in type_.key)
        changed = msgspec.structs.replace(type_, fields=fields, key=key)
        check_type(changed)

        def convert(record: Record) -> Record:
            claims = dict(record.claims)
            told = claims.pop(patch.field, ())
            if isinstance(patch, RenameField) and told:
                claims[patch.to] = told
            elif isinstance(patch, RetypeField) and told:
                claims[patch.field] = tuple(self._converted(claim, patch, changed, record) for claim in told)
            return msgspec.structs.replace(record, claims=claims)

        self._rebuild(type_, changed, convert)

    def _converted(self, claim: Claim, patch: RetypeField, type_: Type, record: Record) -> Claim:
        try:
            raw = _convert(claim.value, patch.convert)
            return msgspec.structs.replace(claim, value=self._values(type_, {patch.field: raw})[patch.field])
        except (Refused, ValueError) as error:
            raise Refused(f"{record.id}: {error}; state another conversion or correct the record first") from None

    def _rename_type(self, patch: RenameType) -> None:
        type_ = self._type(patch.type)
        domain, _dot, name = patch.to.partition(".")
        changed = msgspec.structs.replace(type_, domain=domain, name=name)
        if patch.to in self.types:
            raise Refused(f"{patch.to} is there already, needs merge_types")
        self._unreferenced(patch.type)
        self._define(changed)
        self._transfer(type_, lambda _record: patch.to)

    def _split_type(self, patch: SplitType) -> None:
        type_ = self._type(patch.type)
        if type_.field(patch.by) is None:
            raise Refused(f"field {patch.by} is not there, needs one of {_names(type_)}")
        self._unreferenced(patch.type)
        for record in self._table(patch.type).values():
            if str(record.values[patch.by]) not in patch.into:
                raise Refused(f"{record.id} has {patch.by} {record.values[patch.by]!r}, needs an entry in into for it")
        for target in sorted(set(patch.into.values())):
            if target == patch.type:
                raise Refused(f"into names {target} itself, needs new types")
            domain, _dot, name = target.partition(".")
            self._define(msgspec.structs.replace(type_, domain=domain, name=name, collection=""))
        self._transfer(type_, lambda record: patch.into[str(record.values[patch.by])])

    def _merge_types(self, patch: MergeTypes) -> None:
        target = self._type(patch.into)
        for name in patch.types:
            type_ = self._type(name)
            if name != patch.into:
                if (type_.fields, type_.key) != (target.fields, target.key):
                    raise Refused(f"{name} and {patch.into} differ in fields or key, needs them equal first")
                self._unreferenced(name)
                for record in self._table(name).values():
                    if f"{patch.into}:{record.key}" in self._tables[patch.into]:
                        raise Refused(f"{record.id} is in {patch.into} too, needs drop of one of the two")
        for name in patch.types:
            if name != patch.into:
                self._transfer(self.types[name], lambda _record: patch.into)

    def _rebuild(self, old: Type, changed: Type, convert: Callable[[Record], Record]) -> None:
        """Every record of the type as the changed type has it; nothing is stored if one is refused."""
        rebuilt = [settle_values(convert(record), changed) for record in self._table(old.full_name).values()]
        self.types[changed.full_name] = changed
        for record in rebuilt:
            self._store(record)

    def _transfer(self, type_: Type, target: Callable[[Record], str]) -> None:
        for record in sorted(self._table(type_.full_name).values(), key=lambda record: record.order):
            name = target(record)
            moved = msgspec.structs.replace(record, id=f"{name}:{record.key}", type=name)
            self._move(record, settle_values(moved, self.types[name]))
        del self.types[type_.full_name]
        del self._tables[type_.full_name]

    # -- small steps --------------------------------------------------------------------------------------------

    def _table(self, name: str) -> Map[str, Record]:
        """The records of a type as they are now, to go through."""
        table = self._tables[name].finish()
        self._tables[name] = table.mutate()
        return table

    def _type(self, name: str) -> Type:
        if name not in self.types:
            raise Refused(f"there is no type {name}{self._known_types()}")
        return self.types[name]

    def _known_types(self) -> str:
        return f", needs one of {', '.join(sorted(self.types))}" if self.types else ", needs define first"

    def _record(self, record_id: str) -> Record:
        table = self._tables.get(record_id.partition(":")[0])
        found = table.get(record_id) if table is not None else None
        if found is None:
            raise Refused(f"there is no record {record_id!r}, needs one that is there, or put")
        return found

    def _values(self, type_: Type, fields: Mapping[str, Json]) -> dict[str, Typed]:
        known = self._fields(type_)
        return {name: self._value(name, raw, known.get(name), type_) for name, raw in fields.items()}

    def _value(self, name: str, raw: Json, parsed: FieldType | None, type_: Type) -> Typed:
        if parsed is None:
            raise Refused(f"field {name} is not in {type_.full_name}, needs one of {_names(type_)}")
        try:
            value = parse_value(raw, parsed)
        except ValueError as error:
            raise Refused(f"{name} {error}") from None
        target = (parsed.item or parsed).ref
        if target:
            for key in value if isinstance(value, tuple) else (value,):
                if key is not None and (target not in self._tables or f"{target}:{key}" not in self._tables[target]):
                    raise Refused(f"{name} is {key!r}, needs the key of a {target} that is there")
        return value

    def _fields(self, type_: Type) -> dict[str, FieldType]:
        known = self._parsed.get(id(type_))
        if known is None:  # it is kept with its fields, so that no other type can get its id
            known = self._parsed[id(type_)] = (type_, field_types(type_))
        return known[1]

    def _check_cites(self, cites: tuple[int, ...]) -> None:
        for cited in cites:
            if cited not in self.sources or cited in self.gone:
                raise Refused(f"cites {cited}, which is no standing fact or observation (it may have been retracted)")

    def _need_cites(self, cites: tuple[int, ...]) -> None:
        if not cites:
            raise Refused("cites nothing, needs the facts it rests on")

    def _referring(self, type_name: str) -> list[str]:
        return [
            name
            for name, type_ in self.types.items()
            if any((parsed.item or parsed).ref == type_name for parsed in self._fields(type_).values())
        ]

    def _unreferenced(self, type_name: str) -> None:
        others = [name for name in self._referring(type_name) if name != type_name]
        if others:
            raise Refused(f"{others[0]} refers to {type_name}, needs that field retired or retyped first")

    def _keys_named(self, record: Record, type_name: str) -> set[Typed]:
        named: set[Typed] = set()
        for name, parsed in self._fields(self.types[record.type]).items():
            if (parsed.item or parsed).ref == type_name:
                value = record.values.get(name)
                named |= set(value) if isinstance(value, tuple) else {value}
        return named

    def _store(self, record: Record) -> None:
        self._tables[record.type][record.id] = record
        if record.conflicts:
            self.disputed[record.id] = None
        else:
            self.disputed.pop(record.id, None)

    def _remove(self, record: Record) -> None:
        del self._tables[record.type][record.id]
        self.disputed.pop(record.id, None)

    def _move(self, old: Record, new: Record) -> None:
        """The record under another id; what it used, and who refers to it, follow."""
        for name in self._referring(old.type):
            for other in self._table(name).values():
                if other.id != old.id and old.key != new.key and old.key in self._keys_named(other, old.type):
                    self._store(self._pointed(other, old, new))
        self._remove(old)
        self._store(new)
        for cited in old.cites:
            self._unuse(cited, old.id)
            self._use(cited, new.id)

    def _pointed(self, other: Record, old: Record, new: Record) -> Record:
        claims = dict(other.claims)
        for name, parsed in self._fields(self.types[other.type]).items():
            if (parsed.item or parsed).ref == old.type and name in claims:
                claims[name] = tuple(
                    msgspec.structs.replace(claim, value=_swapped(claim.value, old.key, new.key))
                    for claim in claims[name]
                )
        return settle_values(msgspec.structs.replace(other, claims=claims), self.types[other.type])

    def _use(self, cited: int, record_id: str) -> None:
        used = self.used.get(cited, ())
        if record_id in used:
            return
        self.used[cited] = (*used, record_id)
        if self.sources[cited].is_fact:
            self.waiting.pop(cited, None)
            self._cover(record_id.partition(".")[0], structured=1)
            if (old := self.aside.get(cited)) is not None:
                del self.aside[cited]
                self._cover(old.domain, aside=-1)

    def _unuse(self, cited: int, record_id: str) -> None:
        used = self.used.get(cited, ())
        if record_id not in used:
            return
        left = tuple(other for other in used if other != record_id)
        if left:
            self.used[cited] = left
        else:
            del self.used[cited]
        if self.sources[cited].is_fact:
            self._cover(record_id.partition(".")[0], structured=-1)
            if not left:
                self.waiting[cited] = None

    def _cover(self, domain: str, *, structured: int = 0, aside: int = 0) -> None:
        old = self.coverage.get(domain, Coverage(0, 0))
        new = Coverage(old.structured + structured, old.aside + aside)
        if new == Coverage(0, 0):
            self.coverage.pop(domain, None)
        else:
            self.coverage[domain] = new


def _strength(source: Source) -> int:
    return AUTHORITIES.index(source.authority)


def key_text(type_: Type, values: Mapping[str, Typed]) -> str:
    """The key as text. Letter case and extra spaces do not tell records apart."""
    parts = []
    for name in type_.key:
        text = str(dump_value(values[name]))
        parts.append(" ".join(text.casefold().split()).replace("\\", "\\\\").replace("|", "\\|"))
    return "|".join(parts)


def _convert(value: Typed, conversion: str) -> Json:
    raw = dump_value(value)
    if value is None:
        return None
    match conversion:
        case "text":
            return raw if isinstance(raw, str) else str(raw)
        case "number":
            return float(str(raw)) if "." in str(raw) else int(str(raw))
        case "date":
            return str(raw)[:10]
        case "wrap":
            return [raw]
        case "first":
            return raw[0] if raw else None
        case "money":
            return str(raw)
    return raw


def _swapped(value: Typed, old: str, new: str) -> Typed:
    if isinstance(value, tuple):
        return tuple(new if item == old else item for item in value)
    return new if value == old else value


def _names(type_: Type) -> str:
    return ", ".join(field.name for field in type_.fields)
