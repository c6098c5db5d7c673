"""Changes of types: define, add, rename, retype, retire, change the key, split, merge. Old claims are carried over."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

import msgspec

from uac.errors import Refused
from uac.project.claims import Claim
from uac.project.draft import Draft
from uac.project.records import Record, record_key, with_claims
from uac.project.table_drafts import TableDrafts
from uac.schema.patches import (
    AddField,
    ChangeKey,
    Define,
    MergeTypes,
    RenameField,
    RenameType,
    RetireField,
    RetypeField,
    SplitType,
)
from uac.schema.periods import Period
from uac.schema.persistent_map import Map
from uac.schema.types import Json, Type, check_type
from uac.schema.values import Typed, dump_value

__all__ = ["TypeChange", "change_types"]

MAX_FIELDS = 1_000
"""Fields of a new type."""

TypeChange = (
    Define | AddField | RenameField | RetypeField | RetireField | ChangeKey | RenameType | SplitType | MergeTypes
)


def change_types(draft: Draft, patch: TypeChange, position: int, learned: datetime) -> None:
    """Make the change with all records of the type, or raise Refused and leave types and records as they were."""
    types, tables = draft.types.copy(), {name: draft.table(name) for name in draft.tables}
    try:
        match patch:
            case Define():
                _define_type(draft, patch.type)
            case AddField():
                _add_field(draft, patch, position, learned)
            case RenameField() | RetypeField() | RetireField():
                _change_field(draft, patch)
            case ChangeKey():
                _change_key(draft, patch)
            case RenameType():
                _rename_type(draft, patch)
            case SplitType():
                _split_type(draft, patch)
            case MergeTypes():
                _merge_types(draft, patch)
    except Refused:
        draft.types, draft.tables = types, TableDrafts(tables)
        raise
    draft.progress.offer_again(draft.collections)


def _define_type(draft: Draft, type_: Type, *, instead_of: str = "") -> None:
    check_type(type_)
    _check_field_count(draft, type_)
    known = draft.types.get(type_.full_name)
    if known is not None and known != type_:
        raise Refused(
            f"{type_.full_name} exists with other fields. Use add_field, rename_field or retype_field ('uac migrate')."
        )
    for other in draft.types.values():
        if other.domain == type_.domain and other.name != type_.name and other.full_name != instead_of:
            taken = _names_taken_by_type(other) & _names_taken_by_type(type_)
            if taken:
                raise Refused(f"the name {min(taken)} is taken by {other.full_name}. Choose another name.")
    _check_references(draft, type_)
    draft.types[type_.full_name] = type_
    draft.tables.setdefault(type_.full_name, Map[str, Record]().mutate())


def _check_field_count(draft: Draft, type_: Type) -> None:
    """Refuse a new type whose class would be more code than constraints and queries can be given at once."""
    if draft.bounded and len(type_.fields) > MAX_FIELDS:
        raise Refused(
            f"{type_.full_name} has {len(type_.fields):,} fields, and at most {MAX_FIELDS:,} are allowed. Split it."
        )


def _check_references(draft: Draft, type_: Type) -> None:
    for name, parsed in draft.fields(type_).items():
        target = (parsed.item or parsed).ref
        if target and target != type_.full_name and target not in draft.types:
            raise Refused(f"field {name} refers to {target}, which is not defined.{draft.known_types(target)}")
        if target and target in draft.types and not draft.types[target].key:
            raise Refused(f"field {name} refers to {target}, which has no key. Refer to a type with a key.")


def _names_taken_by_type(type_: Type) -> set[str]:
    return {type_.name, type_.collected_as, type_.former}


def _add_field(draft: Draft, patch: AddField, position: int, learned: datetime) -> None:
    type_ = draft.type_named(patch.type)
    known = type_.field(patch.field.name)
    if known is not None:
        is_same = known.type.removesuffix(" | None") == patch.field.type.removesuffix(" | None")
        if is_same and patch.default is None:
            return  # a request does not show the fields of every type
        raise Refused(f"{patch.type} has a field {known.name}: {known.type}. Use it, or choose another name.")
    changed = msgspec.structs.replace(type_, fields=(*type_.fields, patch.field))
    check_type(changed)
    _check_field_count(draft, changed)
    _check_references(draft, changed)
    parsed = draft.fields(changed)[patch.field.name]
    default = None
    if patch.default is not None:
        default = draft.new_values(changed, {patch.field.name: patch.default})[patch.field.name]
    if default is None and not parsed.optional and parsed.kind != "list" and len(draft.tables[patch.type]):
        raise Refused(
            f"field {patch.field.name} is {parsed}, and records exist."
            f" Give it a default, or the type '{parsed} | None'."
        )
    source = Claim(default, "inferred", learned, learned, Period(), position, ())

    def grow(record: Record) -> Mapping[str, tuple[Claim, ...]]:
        return record.claims if default is None else {**record.claims, patch.field.name: (source,)}

    _rebuild_records(draft, type_, changed, grow)


def _change_field(draft: Draft, patch: RenameField | RetypeField | RetireField) -> None:
    type_ = draft.type_named(patch.type)
    old = type_.field(patch.field)
    if old is None:
        raise Refused(f"There is no field {patch.field}. Use one of: {draft.field_names(type_)}.")
    if isinstance(patch, RetireField):
        if patch.field in type_.key:
            raise Refused(f"field {patch.field} is part of the key. Keep it.")
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
    _check_references(draft, changed)
    if isinstance(patch, RetypeField):
        _check_retype(draft, patch, changed)

    def convert(record: Record) -> Mapping[str, tuple[Claim, ...]]:
        claims = dict(record.claims)
        if patch.field not in claims or isinstance(patch, RetireField):
            claims.pop(patch.field, None)
        elif isinstance(patch, RenameField):
            claims = {patch.to if name == patch.field else name: each for name, each in claims.items()}
        else:
            old_claims = claims[patch.field]
            claims[patch.field] = tuple(_convert_claim(draft, claim, patch, changed, record) for claim in old_claims)
        return claims

    _rebuild_records(draft, type_, changed, convert)


def _check_retype(draft: Draft, patch: RetypeField, changed: Type) -> None:
    records = draft.table(patch.type)
    parsed, before = draft.fields(changed)[patch.field], draft.fields(draft.types[patch.type])[patch.field]
    is_other = replace(parsed, optional=before.optional) != before
    if patch.field in changed.key and is_other and records:
        raise Refused(f"field {patch.field} is part of the key, and records exist. Keep its type.")
    for record in records.values():
        if not parsed.optional and parsed.kind != "list" and record.values.get(patch.field) is None:
            raise Refused(f"{record.id} has no {patch.field}. Use the type '{parsed} | None'.")


def _convert_claim(draft: Draft, claim: Claim, patch: RetypeField, type_: Type, record: Record) -> Claim:
    if claim.is_open:
        return claim
    try:
        raw = _convert_value(claim.value, patch.convert)
        # What stays as it is was accepted before; text that becomes a date or a number is a new value.
        is_new = _item_kind(draft, draft.types[patch.type], patch.field) != _item_kind(draft, type_, patch.field)
        read = draft.new_values if is_new else draft.values
        return msgspec.structs.replace(claim, value=read(type_, {patch.field: raw})[patch.field])
    except (Refused, ValueError) as error:
        raise Refused(
            f"{record.id}: {str(error).rstrip('.')}. State another conversion, or correct the record first."
        ) from None


def _item_kind(draft: Draft, type_: Type, name: str) -> str:
    parsed = draft.fields(type_)[name]
    return (parsed.item or parsed).kind


def _change_key(draft: Draft, patch: ChangeKey) -> None:
    type_ = draft.type_named(patch.type)
    for name in patch.key:
        if type_.field(name) is None:
            raise Refused(f"There is no field {name}. Use some of: {draft.field_names(type_)}.")
    changed = msgspec.structs.replace(type_, key=tuple(dict.fromkeys(patch.key)))
    check_type(changed)
    for name in draft.referring(patch.type):
        other = draft.types[name]
        in_key = any(draft.fields(other)[part].ref == patch.type for part in other.key)
        if not changed.key or in_key or name == patch.type:
            raise Refused(f"{name} refers to {patch.type} and needs its key. Retire or retype that field first.")
    moves: dict[str, Record] = {}
    for record in sorted(draft.table(patch.type).values(), key=lambda record: (record.order, record.id)):
        needed = [name for name in changed.key if not draft.fields(changed)[name].optional]
        if missing := [name for name in needed if record.values.get(name) is None]:
            raise Refused(f"{record.id} has no {missing[0]}. Amend it first, or use fields that every record has.")
        record_id = f"{patch.type}:{record_key(changed, record.values) or '#{}.{}'.format(*record.order)}"
        if record_id in moves:
            raise Refused(f"{moves[record_id].id} and {record.id} would have the same key. Add a field, or drop one.")
        moves[record_id] = record
    draft.types[patch.type] = changed
    renamed = {new: record for new, record in moves.items() if new != record.id}
    between = [msgspec.structs.replace(record, id=f"{patch.type}:\0{n}") for n, record in enumerate(renamed.values())]
    for old, record in zip(renamed.values(), between, strict=True):
        draft.move(old, record)  # first to an id of its own: the new one may still be another record's
    for record, new in zip(between, renamed, strict=True):
        draft.move(record, msgspec.structs.replace(record, id=new))


def _rename_type(draft: Draft, patch: RenameType) -> None:
    type_ = draft.type_named(patch.type)
    domain, _dot, name = patch.to.partition(".")
    changed = msgspec.structs.replace(type_, domain=domain, name=name)
    if patch.to in draft.types:
        raise Refused(f"{patch.to} exists already. Use merge_types.")
    _check_unreferenced(draft, patch.type)
    _define_type(draft, changed, instead_of=patch.type)
    _move_records(draft, [type_], lambda _record: patch.to)


def _split_type(draft: Draft, patch: SplitType) -> None:
    type_ = draft.type_named(patch.type)
    if type_.field(patch.by) is None:
        raise Refused(f"There is no field {patch.by}. Use one of: {draft.field_names(type_)}.")
    _check_unreferenced(draft, patch.type)
    for record in draft.table(patch.type).values():
        if str(record.values[patch.by]) not in patch.into:
            raise Refused(f"{record.id} has {patch.by} {record.values[patch.by]!r}. Add an entry for it in `into`.")
    for target in sorted(set(patch.into.values())):
        if target == patch.type:
            raise Refused(f"`into` names {target} itself. Name new types.")
        domain, _dot, name = target.partition(".")
        _define_type(draft, msgspec.structs.replace(type_, domain=domain, name=name, collection=""))
    _move_records(draft, [type_], lambda record: patch.into[str(record.values[patch.by])])


def _merge_types(draft: Draft, patch: MergeTypes) -> None:
    target = draft.type_named(patch.into)
    names = [name for name in dict.fromkeys(patch.types) if name != patch.into]
    for name in names:
        type_ = draft.type_named(name)
        if (type_.fields, type_.key, type_.cardinality) != (target.fields, target.key, target.cardinality):
            raise Refused(f"{name} and {patch.into} differ in fields, key or cardinality. Make them equal first.")
        _check_unreferenced(draft, name)
    standing = [r for name in (*names, patch.into) for r in draft.table(name).values() if r.ended is None]
    if target.cardinality == "one" and len(standing) > 1:
        raise Refused(
            f"{patch.into} can have only one record, but {standing[0].id} and {standing[1].id} are active."
            " End one of them."
        )
    _move_records(draft, [draft.types[name] for name in names], lambda _record: patch.into)


def _rebuild_records(
    draft: Draft, old: Type, changed: Type, convert: Callable[[Record], Mapping[str, tuple[Claim, ...]]]
) -> None:
    """Every record of the type, with its claims as the changed type has them; nothing is stored if one is refused."""
    before = list(draft.table(old.full_name).values())
    rebuilt = [with_claims(record, convert(record), changed) for record in before]
    draft.types[changed.full_name] = changed
    for record, new in zip(before, rebuilt, strict=True):
        draft.store(new)
        for cited in record.cites - new.cites:
            draft.unuse(cited, record.id)


def _move_records(draft: Draft, types: list[Type], target: Callable[[Record], str]) -> None:
    """Records of types that are given up, under the types that follow them; refused if two would become one."""
    records = [record for type_ in types for record in draft.table(type_.full_name).values()]
    moves: dict[str, Record] = {}
    for record in sorted(records, key=lambda record: (record.order, record.id)):
        name = target(record)
        record_id = f"{name}:{record.key}"
        if record_id in moves or record_id in draft.tables[name]:
            raise Refused(
                f"Renaming {record.id} would collide with the existing record {record_id}. Drop one of them first."
            )
        moves[record_id] = record
    for record_id, record in moves.items():
        name = record_id.partition(":")[0]
        moved = msgspec.structs.replace(record, id=record_id)
        draft.move(record, with_claims(moved, moved.claims, draft.types[name]))
    for type_ in types:
        del draft.types[type_.full_name]
        del draft.tables[type_.full_name]


def _check_unreferenced(draft: Draft, type_name: str) -> None:
    others = sorted(draft.referring(type_name))
    if others:
        raise Refused(f"{others[0]} refers to {type_name}. Retire or retype that field first.")


def _convert_value(value: Typed, conversion: str) -> Json:
    raw = dump_value(value, in_seconds=True)
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
        case "first" if not isinstance(raw, list):
            raise ValueError(f"is {raw!r}. Use a list to take the first item of.")
        case "first":
            return raw[0] if raw else None
        case "money":
            return str(raw)
    return raw
