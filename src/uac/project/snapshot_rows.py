"""How the rows of a snapshot are written and read: records, and the sources that they cite.

Each value is stored with its kind, so that a row is read without its type: the type may have changed since. A record
that one patch states is a row of values with one stamp; any other record is stored with all of its claims.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Raw
from msgspec.msgpack import Ext

from uac.project.claims import (
    AUTHORITIES,
    NO_STAMP,
    Claim,
    Shape,
    Source,
    Statement,
    record_shape,
    shared_stamp,
)
from uac.project.records import Ended, Pause, Record, SettledClaims, UnsureField
from uac.schema.periods import Period
from uac.schema.values import Money, Typed, read_day, shared_text

__all__ = ["ColumnReader", "RecordRows", "RowColumns", "read_plain", "read_source", "write_plain", "write_source"]

Plain = TypeVar("Plain")

_AUTHORITY_NUMBERS = {authority: number for number, authority in enumerate(AUTHORITIES)}
_UNDATED = Period()


class _StampedRow(msgspec.Struct, frozen=True, array_like=True, tag=0, gc=False):
    """A record with one claim for each of its fields, all with the same stamp."""

    position: int
    patch: int
    shape: int
    values: tuple[Any, ...]
    authority: int
    said: datetime
    learned: datetime
    claimed: int
    cites: tuple[int, ...]
    start: str = ""
    end: str = ""
    according_to: str = ""
    is_planned: bool = False
    ended: Ended | None = None
    pauses: tuple[Pause, ...] = ()


class _ClaimRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    value: Any
    authority: int
    said: datetime
    learned: datetime
    start: str
    end: str
    position: int
    cites: tuple[int, ...]
    according_to: str
    unsure: str
    is_planned: bool


class _WholeRow(msgspec.Struct, frozen=True, array_like=True, tag=1, gc=False):
    """Any record, with all of its claims."""

    position: int
    patch: int
    claims: tuple[tuple[str, tuple[_ClaimRow, ...]], ...]
    values: tuple[tuple[str, Any], ...]
    conflicts: tuple[str, ...]
    ended: Ended | None
    pauses: tuple[Pause, ...]
    unsure: tuple[UnsureField, ...]
    is_incomplete: bool


class _RawStampedRow(msgspec.Struct, frozen=True, array_like=True, tag=0, gc=False):
    """A `_StampedRow` whose values are not decoded."""

    position: int
    patch: int
    shape: int
    values: tuple[Raw, ...]
    authority: Raw
    said: Raw
    learned: Raw
    claimed: Raw
    cites: Raw
    start: str = ""
    end: str = ""
    according_to: str = ""
    is_planned: bool = False
    ended: Any = None


class _RawWholeRow(msgspec.Struct, frozen=True, array_like=True, tag=1, gc=False):
    """A `_WholeRow` whose values are not decoded."""

    position: int
    patch: int
    claims: Raw
    values: tuple[tuple[str, Raw], ...]
    conflicts: Raw
    ended: Any
    pauses: Raw
    unsure: Raw
    is_incomplete: bool


class _SourceRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    authority: int
    said: datetime
    is_fact: bool
    cites: tuple[int, ...] = ()
    start: str = ""
    end: str = ""
    according_to: str = ""


class RecordRows:
    """Writes and reads the records of one type. `shapes` grows while records are written; rows name them by number."""

    def __init__(self, shapes: Sequence[Shape] = ()) -> None:
        self.shapes = [record_shape(*shape) for shape in shapes]
        self._numbers = {shape: number for number, shape in enumerate(self.shapes)}
        self._last = NO_STAMP
        """The stamp that was read last: rows that follow each other often share it."""

    def write(self, record: Record) -> bytes:
        if isinstance(record.content, Statement):
            return _encode(self._stamped_row(record, record.content))
        return _encode(_whole_row(record, record.content))

    def _stamped_row(self, record: Record, statement: Statement) -> Sequence[object]:
        shape, stamp = statement.shape, statement.stamp
        number = self._numbers.get(shape)
        if number is None:
            number = self._numbers[shape] = len(self.shapes)
            self.shapes.append(shape)
        row = (
            *(0, *record.order, number, [_pack(value) for value in statement.stated]),
            *(_AUTHORITY_NUMBERS[stamp.authority], _pack_time(stamp.said), _pack_time(stamp.learned)),
            *(stamp.position, statement.cites, stamp.held.start, stamp.held.end, stamp.according_to, stamp.is_planned),
            *(record.ended, record.pauses),
        )
        return _without_defaults(row, _STAMPED_DEFAULTS)

    def read(self, record_id: str, data: memoryview) -> Record:
        row = _RECORD.decode(data)
        content = self._read_statement(row) if isinstance(row, _StampedRow) else _read_settled(row)
        position = self._last.position if self._last.position == row.position else row.position
        return Record(record_id, position, row.patch, content, row.ended, row.pauses)

    def _read_statement(self, row: _StampedRow) -> Statement:
        last = self._last
        stamp = Claim(
            None,
            AUTHORITIES[row.authority],
            _shared_time(row.said, last.said),
            _shared_time(row.learned, last.learned),
            _period(row.start, row.end),
            row.claimed,
            (),
            row.according_to,
            "",
            row.is_planned,
        )
        self._last = shared_stamp(stamp, last)
        stated = tuple([_unpack(value) for value in row.values])
        return Statement(self.shapes[row.shape], stated, self._last, row.cites)


class RowColumns(NamedTuple):
    """Complete records by column: their ids and orders, whether they ended, and the values of some fields."""

    ids: Sequence[str]
    orders: Sequence[tuple[int, int]]
    ended: Sequence[bool]
    values: Sequence[Sequence[Typed]]


class ColumnReader:
    """Reads some fields from blocks of records, and decodes no others. Records in `without` are left out."""

    def __init__(self, shapes: Sequence[Shape], names: Sequence[str], without: Container[str]) -> None:
        self._names = names
        self._without = without
        self._places = [
            [stated.index(name) if name in stated and name in held else -1 for stated, held in shapes] for name in names
        ]

    def read(self, ids: Sequence[str], data: bytes) -> RowColumns:
        pairs = [
            (key, row)
            for key, row in zip(ids, _RAW_RECORDS.decode(data), strict=True)
            if key not in self._without and (isinstance(row, _RawStampedRow) or not row.is_incomplete)
        ]
        rows = [row for _key, row in pairs]
        return RowColumns(
            [key for key, _row in pairs],
            [(row.position, row.patch) for row in rows],
            [row.ended is not None for row in rows],
            [self._column(rows, name, places) for name, places in zip(self._names, self._places, strict=True)],
        )

    def _column(
        self, rows: Sequence[_RawStampedRow | _RawWholeRow], name: str, places: Sequence[int]
    ) -> Sequence[Typed]:
        if max(places, default=-1) < 0 and _RawWholeRow not in map(type, rows):  # no record states this field
            return [None] * len(rows)
        raw = [
            (_NIL if (place := places[row.shape]) < 0 else row.values[place])
            if isinstance(row, _RawStampedRow)
            else dict(row.values).get(name, _NIL)
            for row in rows
        ]
        values = _VALUES.decode(b"".join((b"\xdd", len(raw).to_bytes(4, "big"), *raw)))
        return [_unpack(value) for value in values] if list in map(type, values) else values


def _whole_row(record: Record, settled: SettledClaims) -> Sequence[object]:
    return (
        *(1, *record.order),
        [(name, [_claim_row(claim) for claim in claims]) for name, claims in settled.claims.items()],
        [(name, _pack(value)) for name, value in settled.values.items()],
        *(settled.conflicts, record.ended, record.pauses, settled.unsure, settled.is_incomplete),
    )


def _read_settled(row: _WholeRow) -> SettledClaims:
    claims = {name: tuple(map(_read_claim, claims)) for name, claims in row.claims}
    values = {name: _unpack(value) for name, value in row.values}
    return SettledClaims(claims, values, row.conflicts, row.unsure, row.is_incomplete)


def _claim_row(claim: Claim) -> Sequence[object]:
    return (
        *(_pack(claim.value), _AUTHORITY_NUMBERS[claim.authority], _pack_time(claim.said), _pack_time(claim.learned)),
        *(claim.held.start, claim.held.end, claim.position, claim.cites),
        *(claim.according_to, claim.unsure, claim.is_planned),
    )


def _read_claim(row: _ClaimRow) -> Claim:
    return Claim(
        _unpack(row.value),
        AUTHORITIES[row.authority],
        row.said,
        row.learned,
        _period(row.start, row.end),
        row.position,
        row.cites,
        row.according_to,
        row.unsure,
        row.is_planned,
    )


def write_source(source: Source) -> bytes:
    row = (
        *(_AUTHORITY_NUMBERS[source.authority], _pack_time(source.said), source.is_fact),
        *(source.cites, source.held.start, source.held.end, source.according_to),
    )
    return _encode(_without_defaults(row, _SOURCE_DEFAULTS))


def read_source(_position: int, data: memoryview) -> Source:
    row = _SOURCE.decode(data)
    return Source(
        AUTHORITIES[row.authority],
        row.said,
        _period(row.start, row.end),
        row.cites,
        is_fact=row.is_fact,
        according_to=row.according_to,
    )


def write_plain(value: object) -> bytes:
    """A value of texts, numbers and tuples."""
    return _encode(value)


def read_plain(decoder: msgspec.msgpack.Decoder[Plain]) -> Callable[[int, memoryview], Plain]:
    return lambda _position, data: decoder.decode(data)


def _period(start: str, end: str) -> Period:
    return Period(start, end) if start or end else _UNDATED


def _pack_time(moment: datetime) -> datetime | str:
    """MessagePack has times in UTC; one with another offset is written out, so that the offset stays."""
    return moment if moment.tzinfo is UTC else moment.isoformat()


def _without_defaults(row: Sequence[object], defaults: Sequence[object]) -> Sequence[object]:
    """The row without the defaults at its end."""
    count = len(row)
    for default in reversed(defaults):
        if row[count - 1] != default:
            break
        count -= 1
    return row[:count]


_STAMPED_DEFAULTS = ("", "", "", False, None, ())
_SOURCE_DEFAULTS = ((), "", "", "")


def _pack(value: Typed) -> object:
    pack = _PACKERS.get(type(value))
    return value if pack is None else pack(value)


def _shared_time(moment: datetime, last: datetime) -> datetime:
    """The last time, if the next one is the same in the same zone."""
    return last if moment == last and moment.tzinfo == last.tzinfo else moment


def _unpack(value: Any) -> Typed:
    if type(value) is str:
        return shared_text(value)
    return tuple(map(_unpack, value)) if type(value) is list else value


def _packer(code: int, write: Callable[[Any], str]) -> Callable[[Any], object]:
    return lambda value: Ext(code, write(value).encode())


def _read_money(text: str) -> Money:
    amount, _space, currency = text.partition(" ")
    return Money(Decimal(amount), shared_text(currency))


def _read_duration(text: str) -> timedelta:
    days, seconds, microseconds = map(int, text.split())
    return timedelta(days, seconds, microseconds)


_PACKERS: Mapping[type, Callable[[Any], object]] = {
    Decimal: _packer(1, str),
    Money: _packer(2, lambda money: f"{money.amount} {money.currency}"),
    date: _packer(3, date.isoformat),
    datetime: _packer(4, datetime.isoformat),
    time: _packer(5, time.isoformat),
    timedelta: _packer(6, lambda length: f"{length.days} {length.seconds} {length.microseconds}"),
    tuple: lambda items: [_pack(item) for item in items],
}
_UNPACKERS: Mapping[int, Callable[[str], Typed]] = {
    1: Decimal,
    2: _read_money,
    3: read_day,
    4: datetime.fromisoformat,
    5: time.fromisoformat,
    6: _read_duration,
}
"""By the number of the kind. Another meaning of a number needs another form of the snapshot."""


def _unpack_extension(code: int, data: memoryview) -> Typed:
    return _UNPACKERS[code](str(data, "ascii"))


_encode = msgspec.msgpack.Encoder().encode
_RECORD = msgspec.msgpack.Decoder(_StampedRow | _WholeRow, ext_hook=_unpack_extension)
_RAW_RECORDS = msgspec.msgpack.Decoder(list[_RawStampedRow | _RawWholeRow], ext_hook=_unpack_extension)
_VALUES = msgspec.msgpack.Decoder(list[Any], ext_hook=_unpack_extension)
_NIL = Raw(_encode(None))
_SOURCE = msgspec.msgpack.Decoder(_SourceRow)
