"""The records that a member shares, as the group may see them: only granted fields, and marked with the member."""

from collections.abc import Collection, Iterator
from hashlib import sha256
from typing import NamedTuple

import msgspec

from uac.errors import Refused
from uac.project.project import Project, Record
from uac.project.records import OWNER_FIELDS, is_required, record_type
from uac.schema.patches import AddField, ChangeKey, Define, Patch
from uac.schema.types import Field, Json, Type, parse_type
from uac.schema.values import dump_value

__all__ = ["MARK", "SharedRecord", "check_share", "cited_by_shares", "shared_records", "type_patches"]

MARK = "shared_by"
"""The field that names the member whose record it is. It is added to the types that are shared."""

ME = ("", "me", "myself", "i")


class SharedRecord(NamedTuple):
    """A record as the group may see it."""

    type: Type
    """As the member has it, with the fields that the group may see: the group may not know it yet."""
    fields: dict[str, Json]

    @property
    def digest(self) -> str:
        return sha256(msgspec.json.encode((self.type.full_name, self.fields), order="sorted")).hexdigest()


def shared_records(project: Project, shares: Collection[str], name: str) -> dict[str, SharedRecord]:
    """What a member called `name` shares, by the id of the record in the member's own memory."""
    found: dict[str, SharedRecord] = {}
    wanted = set(shares)
    for type_ in project.types.values():
        whole = type_.full_name in wanted
        fields = {part.name for part in type_.fields if whole or f"{type_.full_name}.{part.name}" in wanted}
        single = {share for share in wanted if share.startswith(f"{type_.full_name}:")}
        if type_.cardinality == "one" or not (fields or single):
            continue
        for record in project.complete_records(type_.full_name):
            if record.ended is not None:
                continue
            granted = {part.name for part in type_.fields} if record.id in single else fields
            if granted and (shared := _shared_record(record, type_, granted, name)) is not None:
                found[record.id] = shared
    return found


def _shared_record(record: Record, type_: Type, granted: Collection[str], name: str) -> SharedRecord | None:
    """None if it says whose it is, and that is somebody else's affair: the field is not granted."""
    fields: dict[str, Json] = {}
    for part in type_.fields:
        value = record.values.get(part.name)
        if _is_owner_field(part):
            if str(value or "").strip().casefold() in ME:
                fields[part.name] = name
                continue
            if part.name not in granted:
                return None
        if part.name in granted and value is not None and not _is_reference(part):
            fields[part.name] = dump_value(value)
    if any(part.name not in fields and is_required(part) for part in type_.fields):
        return None
    visible = tuple(part for part in type_.fields if part.name in granted or part.name in fields)
    own = tuple(part for part in visible if not _is_reference(part))
    # Its description may say more than the granted fields do.
    limited = msgspec.structs.replace(type_, fields=own, doc="", key=_key_within(type_, own))
    return SharedRecord(limited, {**fields, MARK: name})


def _key_within(type_: Type, fields: Collection[Field]) -> tuple[str, ...]:
    names = {part.name for part in fields}
    return tuple(name for name in type_.key if name in names)


def check_share(project: Project, share: str) -> None:
    """Refuse what cannot be shared: an unknown type, field or record, or fields that do not make a record."""
    if ":" in share:
        type_ = project.types.get(project.record(share).type)
    else:
        domain, _, rest = share.partition(".")
        name, _, field = rest.partition(".")
        type_ = project.types.get(f"{domain}.{name}")
        if type_ is None or (field and type_.field(field) is None):
            raise Refused(
                f"share: {share!r} is not a type, a field or a record of this memory."
                " Use one such as health.Allergy or health.Allergy.substance."
            )
    assert type_ is not None
    if type_.cardinality == "one":
        raise Refused(f"share: a memory has only one {type_.full_name}, and a group has several members. Put it there.")
    if any(is_required(part) and _is_reference(part) for part in type_.fields):
        raise Refused(f"share: {type_.full_name} refers to other records, which are not shared. Share another type.")


def cited_by_shares(project: Project, shares: Collection[str]) -> tuple[int, ...]:
    """The entries that single shared records cite."""
    cited: set[int] = set()
    for share in shares:
        table = project.tables.get(record_type(share))
        record = None if table is None else table.get(share)
        cited |= record.cites if record is not None else set()
    return tuple(sorted(cited))


def type_patches(group: Project, records: Collection[SharedRecord], offered: Collection[str]) -> Iterator[Patch]:
    """The patches that the group's types need before these records fit: the mark, as the last field of the key."""
    for name, type_ in {record.type.full_name: record.type for record in records if MARK in record.fields}.items():
        known = group.types.get(name)
        mark = Field(name=MARK, type="str | None", doc="The member of the group whose record this is.")
        if known is None and name not in offered:
            yield Define(type=msgspec.structs.replace(type_, fields=(*type_.fields, mark), key=_marked_key(type_)))
            continue
        if known is None or known.field(MARK) is None:
            yield AddField(type=name, field=mark)
            if key := _marked_key(known or type_):
                yield ChangeKey(type=name, key=key)
        if known is not None and name not in offered:  # more fields are shared than before
            yield from (AddField(type=name, field=part) for part in type_.fields if known.field(part.name) is None)


def _marked_key(type_: Type) -> tuple[str, ...]:
    return (*type_.key, MARK) if type_.key else ()


def _is_owner_field(part: Field) -> bool:
    return part.name in OWNER_FIELDS and parse_type(part.type).kind == "str"


def _is_reference(part: Field) -> bool:
    parsed = parse_type(part.type)
    return parsed.kind == "ref" or (parsed.item is not None and parsed.item.kind == "ref")
