"""A project as bytes, so that opening it need not fold the whole log.

A snapshot is a head and parts that it names by their digests. Most parts are blocks of rows, which are decoded when
they are read; a later snapshot has the blocks that did not change in common with the one before it. Types, constraints
and tables of knowledge are parts of their own: many users have the same ones, and few readers need all of them.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from uac.errors import Damaged
from uac.log.snapshots import Snapshot
from uac.project.alerts import Alert
from uac.project.claims import Shape
from uac.project.history import StoredHistory
from uac.project.progress import Progress, RepeatedRequest, Spending, Spent
from uac.project.project import Adopted, Coverage, Orphan, Project, SetAsideFact, Signature
from uac.project.records import Record
from uac.project.snapshot_rows import RecordRows, read_plain, read_source, write_plain, write_source
from uac.project.stored_map import AnyMap, StoredMap, StoredRows, encode_map
from uac.schema.constraints import Knowledge
from uac.schema.entries import FORM, Receipt
from uac.schema.persistent_map import Map
from uac.schema.shared_values import CONSTRAINT_DECODER, KNOWLEDGE_DECODER, TYPE_DECODER, decode_shared
from uac.schema.types import Type

__all__ = [
    "SNAPSHOT_FORM",
    "SnapshotHead",
    "decode_head",
    "decode_knowledge",
    "decode_project",
    "decode_table",
    "decode_types",
    "encode_project",
    "is_damaged",
    "is_newer_snapshot",
]

K = TypeVar("K")
V = TypeVar("V")
Shared = TypeVar("Shared", Type, Knowledge)

SNAPSHOT_FORM = 4
"""The version of the bytes, and of what the fold makes of a log: raise it when either changes."""


class _MapParts(msgspec.Struct, frozen=True, array_like=True):
    """The digests of the blocks of a map; for records also the shapes that their rows name."""

    blocks: tuple[bytes, ...] = ()
    shapes: tuple[Shape, ...] = ()


class SnapshotHead(msgspec.Struct, frozen=True, array_like=True):
    """What a snapshot belongs to, and its parts."""

    form: str
    position: int
    digest: bytes
    whole: bytes
    tables: dict[str, _MapParts]
    maps: dict[str, _MapParts]
    types: bytes
    constraints: bytes
    knowledge: bytes


class _Whole(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is not rows. Maps are pairs, so that any key can be stored, and in order."""

    now: datetime | None
    coverage: dict[str, Coverage]
    disputed: tuple[tuple[str, None], ...]
    unsure: tuple[tuple[str, None], ...]
    supplemented: tuple[tuple[str, None], ...]
    retired: tuple[str, ...]
    signatures: dict[str, Signature]
    alerts: tuple[tuple[tuple[str, str], Alert], ...]
    failures: dict[str, str]
    looks: dict[str, datetime]
    unwatched: tuple[str, ...]
    rechecks: tuple[str, ...]
    delivered: dict[str, int]
    receipts: tuple[Receipt, ...]
    orphans: tuple[Orphan, ...]
    gone: tuple[int, ...]
    again: tuple[tuple[int, None], ...]
    stuck: tuple[tuple[int, str], ...]
    judged: tuple[tuple[int, None], ...]
    asked: tuple[tuple[tuple[int, ...], RepeatedRequest], ...]
    spent: tuple[tuple[Spending, Spent], ...]
    lacking: tuple[tuple[int, tuple[str, ...]], ...]
    refused: tuple[tuple[int, None], ...]


_MAPS = ("sources", "used", "waiting", "aside")
_PROGRESS_MAPS = ("unread",)
_READERS: Mapping[str, Any] = {
    "sources": read_source,
    "used": read_plain(msgspec.msgpack.Decoder(tuple[str, ...])),
    "waiting": read_plain(msgspec.msgpack.Decoder(None)),
    "aside": read_plain(msgspec.msgpack.Decoder(SetAsideFact)),
    "unread": read_plain(msgspec.msgpack.Decoder(int)),
}

# JSON, because it keeps the offsets of times, and because the entries of the log are JSON with the same values.
_WHOLE = msgspec.json.Decoder(_Whole)
_ANY_HEAD = msgspec.msgpack.Decoder(list[Any])
_RAW_VALUES = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ADOPTED = msgspec.json.Decoder(dict[str, tuple[msgspec.Raw, int, bool, bool, tuple[int, ...]]])
_HEAD = msgspec.msgpack.Decoder(SnapshotHead)


def encode_project(project: Project) -> Snapshot:
    """The snapshot of a project. The names of its parts are their digests."""
    parts: dict[bytes, bytes] = {}

    def add(data: bytes) -> bytes:
        name = sha256(data).digest()
        parts[name] = data
        return name

    tables = {}
    for name, table in project.tables.items():
        rows = RecordRows(_shapes_of(table))
        blocks = encode_map(table, str, rows.write, lambda item: (item[1].order, item[0]))
        tables[name] = _MapParts(tuple(map(add, blocks)), tuple(rows.shapes))
    maps = {}
    for name in (*_MAPS, *_PROGRESS_MAPS):
        items: AnyMap[int, Any] = getattr(project if name in _MAPS else project.progress, name)
        write = write_source if name == "sources" else write_plain
        maps[name] = _MapParts(tuple(map(add, encode_map(items, int, write, lambda item: item[0]))))
    whole = add(msgspec.json.encode(_whole_of(project)))
    shared = [add(msgspec.json.encode(dict(each))) for each in (project.types, project.constraints, project.knowledge)]
    head = SnapshotHead(snapshot_form(), project.position, project.digest, whole, tables, maps, *shared)
    data = msgspec.msgpack.encode(head)
    return Snapshot(sha256(data).digest() + data, parts)


def decode_head(snapshot: Snapshot) -> SnapshotHead | None:
    """What a snapshot belongs to; None if there is none, or it is damaged or of another form."""
    checksum, data = snapshot.head[:32], snapshot.head[32:]
    if sha256(data).digest() != checksum:
        return None
    try:
        head = _HEAD.decode(data)
    except msgspec.MsgspecError:
        return None
    return head if head.form == snapshot_form() else None


def is_newer_snapshot(snapshot: Snapshot) -> bool:
    """Whether a newer version of this package stored it. Where two versions run beside each other on one store, the
    older one leaves it alone: otherwise each would replace what the other has just stored."""
    try:
        form = _ANY_HEAD.decode(snapshot.head[32:])[0]
        numbers = tuple(int(part) for part in form.split()[:2])
    except (msgspec.MsgspecError, LookupError, AttributeError, ValueError):
        return False
    return numbers > (SNAPSHOT_FORM, FORM)


def decode_project(head: SnapshotHead, snapshot: Snapshot, history: StoredHistory) -> Project:
    """The project of a snapshot, or Damaged. `history` reads the entries that it was folded from."""

    def part(name: bytes) -> bytes:
        return _checked_part(name, snapshot.parts)

    try:
        whole = _WHOLE.decode(part(head.whole))
        constraints = _decode_constraints(part(head.constraints))
    except msgspec.MsgspecError as error:
        raise Damaged("The snapshot cannot be decoded.") from error
    maps: dict[str, StoredMap[int, Any]] = {
        name: StoredMap(StoredRows([*map(part, head.maps[name].blocks)], int, _READERS[name]))
        for name in (*_MAPS, *_PROGRESS_MAPS)
    }
    tables = {name: decode_table(head, name, snapshot.parts) for name in head.tables}
    values: dict[str, Any] = {name: getattr(whole, name) for name in whole.__struct_fields__} | maps
    for name in ("disputed", "unsure", "supplemented", "alerts", "again", "stuck", "judged", "refused"):
        values[name] = Map(values[name])
    for name in ("asked", "spent", "lacking"):
        values[name] = dict(values[name])
    for name in ("retired", "unwatched", "rechecks", "gone"):
        values[name] = frozenset(values[name])
    progress = Progress(**{each.name: values.pop(each.name) for each in fields(Progress)})
    return Project(
        head.position,
        head.digest,
        types=decode_types(part(head.types)),
        tables=tables,
        constraints=constraints,
        knowledge=decode_knowledge(part(head.knowledge)),
        progress=progress,
        history=history,
        **values,
    )


def decode_types(data: bytes) -> dict[str, Type]:
    """The types of a snapshot, from their part alone."""
    return _decode_values(data, TYPE_DECODER)


def decode_knowledge(data: bytes) -> dict[str, Knowledge]:
    """The tables of knowledge of a snapshot, from their part alone."""
    return _decode_values(data, KNOWLEDGE_DECODER)


def _decode_values(data: bytes, decoder: msgspec.json.Decoder[Shared]) -> dict[str, Shared]:
    try:
        return {name: decode_shared(bytes(raw), decoder) for name, raw in _RAW_VALUES.decode(data).items()}
    except msgspec.MsgspecError as error:
        raise Damaged("The snapshot cannot be decoded.") from error


def _decode_constraints(data: bytes) -> dict[str, Adopted]:
    adopted = _ADOPTED.decode(data)
    return {
        name: Adopted(decode_shared(bytes(constraint), CONSTRAINT_DECODER), position, is_on, is_reviewed, cites)
        for name, (constraint, position, is_on, is_reviewed, cites) in adopted.items()
    }


def decode_table(head: SnapshotHead, name: str, parts: Mapping[bytes, bytes]) -> StoredMap[str, Record]:
    """The records of one type, from the parts that hold them. Damaged if one of these is missing."""
    stored = head.tables[name]
    blocks = [_checked_part(block, parts) for block in stored.blocks]
    rows = RecordRows(stored.shapes)
    return StoredMap(StoredRows(blocks, str, rows.read, is_cached=True, shapes=stored.shapes))


def _checked_part(name: bytes, parts: Mapping[bytes, bytes]) -> bytes:
    data = parts.get(name, b"")
    if sha256(data).digest() != name:
        raise Damaged("A part of the snapshot is missing or damaged.")
    return data


def is_damaged(project: Project) -> bool:
    """Whether a row that was read from the snapshot could not be decoded."""
    if not isinstance(project.sources, StoredMap):  # it was folded
        return False
    others = (project.sources, project.used, project.waiting, project.aside, project.progress.unread)
    # On the way of every request: `isinstance` of a Mapping takes ten times longer.
    return any(type(each) is StoredMap and each.rows.is_damaged for each in (*project.tables.values(), *others))


def snapshot_form() -> str:
    """Numbers are stored as this machine has them; on another kind of machine the log is folded."""
    return f"{SNAPSHOT_FORM} {FORM} {sys.byteorder}"


def _whole_of(project: Project) -> _Whole:
    progress = project.progress
    return _Whole(
        now=project.now,
        coverage=dict(project.coverage),
        disputed=_pairs(project.disputed),
        unsure=_pairs(project.unsure),
        supplemented=_pairs(project.supplemented),
        retired=tuple(sorted(project.retired)),
        signatures=dict(project.signatures),
        alerts=_pairs(project.alerts),
        failures=dict(project.failures),
        looks=dict(project.looks),
        unwatched=tuple(sorted(project.unwatched)),
        rechecks=tuple(sorted(project.rechecks)),
        delivered=dict(project.delivered),
        receipts=project.receipts,
        orphans=project.orphans,
        gone=tuple(sorted(project.gone)),
        again=_pairs(progress.again),
        stuck=_pairs(progress.stuck),
        judged=_pairs(progress.judged),
        asked=tuple(progress.asked.items()),
        spent=tuple(progress.spent.items()),
        lacking=tuple(progress.lacking.items()),
        refused=_pairs(progress.refused),
    )


def _pairs(items: Map[K, V]) -> tuple[tuple[K, V], ...]:
    """The items in the order of their keys: that of a map depends on the process."""
    return tuple(sorted(items.items(), key=_first))


def _first(pair: tuple[Any, object]) -> Any:
    return pair[0]


def _shapes_of(table: AnyMap[str, Any]) -> Sequence[Shape]:
    """The shapes that the rows of a stored table name; its unchanged blocks are stored as they are."""
    return table.rows.shapes if isinstance(table, StoredMap) else ()
