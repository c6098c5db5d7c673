"""An immutable map whose items lie in blocks of bytes: an item is decoded when it is read, and changes lie on top.

A project that was opened from a snapshot has such maps where one that was folded has `immutables.Map`, and both are
used alike.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from enum import Enum
from typing import Final, Generic, Literal, TypeAlias, TypeVar, cast, overload

import msgspec

from uac.errors import Damaged
from uac.project.claims import Shape
from uac.schema.persistent_map import Map, MapMutation

__all__ = ["AnyMap", "AnyMutation", "StoredMap", "StoredMapMutation", "StoredRows", "encode_map", "items_after"]

K = TypeVar("K", bound=int | str)
V = TypeVar("V")
D = TypeVar("D")

ROWS = 1000
"""Rows of a block: a change of one row writes this many again."""

DAMAGED = "The snapshot of the project is damaged. Run the same again: it is read from the log from now on."


class _Mark(Enum):
    """What a key has instead of a value among the changes."""

    REMOVED = 0
    UNCHANGED = 1


_REMOVED: Final = _Mark.REMOVED
_UNCHANGED: Final = _Mark.UNCHANGED


class _Block(msgspec.Struct, frozen=True, array_like=True):
    """Keys, where each row starts (and the last one ends), and the rows one behind the other."""

    keys: memoryview
    starts: memoryview
    rows: memoryview


_WRONG_BYTES = (msgspec.MsgspecError, ValueError, ArithmeticError, LookupError, TypeError)
"""What decoding bytes that are not what they should be can raise."""

_ARRAY_OF = b"\xdd"
"""How an array in MessagePack starts; its length follows in four bytes."""

_BLOCK = msgspec.msgpack.Decoder(_Block)
_NAMES = msgspec.msgpack.Decoder(list[str])


class StoredRows(Generic[K, V]):
    """The rows of a map as they are stored, in blocks. `read` decodes the row of a key.

    The keys of `kind` int are in order. With `is_cached` a row is decoded once, so that it stays the same object.
    `shapes` are names of fields that rows share.
    """

    def __init__(
        self,
        blocks: Sequence[bytes],
        kind: type[K],
        read: Callable[[K, memoryview], V],
        *,
        is_cached: bool = False,
        shapes: Sequence[Shape] = (),
    ) -> None:
        self.blocks = tuple(blocks)
        self.shapes = shapes
        self.kind = kind
        self.is_damaged = False
        self._read = read
        self._is_cached = is_cached
        try:
            self._parts = [_BLOCK.decode(block) for block in blocks]
            self._row_starts = [part.starts.cast("I") for part in self._parts]
        except _WRONG_BYTES as error:
            raise Damaged(DAMAGED) from error
        self.bounds = [0]
        """The number of the first row of each block, and of the row behind the last one."""
        for starts in self._row_starts:
            self.bounds.append(self.bounds[-1] + max(len(starts) - 1, 0))
        self._decoded: list[V | None] = [None] * len(self) if is_cached else []  # half the memory of a dict
        self._keys: Sequence[K] | None = None
        self._numbers: dict[K, int] | None = None

    def __len__(self) -> int:
        return self.bounds[-1]

    @property
    def keys(self) -> Sequence[K]:
        """The keys of all rows, in the order of the rows."""
        if self._keys is None:
            try:
                keys = self._read_keys()
            except _WRONG_BYTES as error:
                raise self._damaged() from error
            if len(keys) != len(self):
                raise self._damaged()
            self._keys = keys
        return self._keys

    def _damaged(self) -> Damaged:
        self.is_damaged = True
        return Damaged(DAMAGED)

    def _read_keys(self) -> Sequence[K]:
        if self.kind is int:
            numbers = array("q")
            for part in self._parts:
                numbers.frombytes(part.keys)
            return cast("Sequence[K]", numbers)
        return cast("Sequence[K]", [name for part in self._parts for name in _NAMES.decode(part.keys)])

    def find(self, key: K) -> int:
        """The number of the row of a key; -1 if there is none."""
        keys = self.keys
        if self.kind is int:
            row = bisect_left(keys, key)
            return row if row < len(keys) and keys[row] == key else -1
        if self._numbers is None:
            self._numbers = {name: row for row, name in enumerate(keys)}
        return self._numbers.get(key, -1)

    def block_of(self, row: int) -> int:
        return bisect_right(self.bounds, row) - 1

    def row_bytes(self, row: int) -> memoryview:
        block = self.block_of(row)
        starts, place = self._row_starts[block], row - self.bounds[block]
        return self._parts[block].rows[starts[place] : starts[place + 1]]

    def value(self, row: int) -> V:
        if self._is_cached and (known := self._decoded[row]) is not None:
            return known
        try:
            value = self._read(self.keys[row], self.row_bytes(row))
        except _WRONG_BYTES as error:
            raise self._damaged() from error
        if self._is_cached:
            self._decoded[row] = value
        return value

    def read_blocks(self, read: Callable[[Sequence[K], bytes], D]) -> Iterator[D]:
        """What `read` makes of each block: of its keys, and of its rows as one MessagePack array."""
        for part, first, last in zip(self._parts, self.bounds, self.bounds[1:], strict=False):
            rows = b"".join((_ARRAY_OF, (last - first).to_bytes(4, "big"), part.rows))
            try:
                made = read(self.keys[first:last], rows)
            except _WRONG_BYTES as error:
                raise self._damaged() from error
            yield made


class StoredMap(Mapping[K, V]):
    """Rows of a snapshot with changes on top. It is not changed itself: `mutate()` and `update()` give another one."""

    __slots__ = ("_changed", "_count", "rows")

    def __init__(
        self, rows: StoredRows[K, V], changed: "Map[K, V | Literal[_Mark.REMOVED]] | None" = None, count: int = -1
    ) -> None:
        self.rows = rows
        self._changed: Map[K, V | Literal[_Mark.REMOVED]] = Map() if changed is None else changed
        self._count = len(rows) if count < 0 else count

    def __getitem__(self, key: K) -> V:
        changed = self._changed.get(key, _UNCHANGED)
        if changed is _UNCHANGED and (row := self.rows.find(key)) >= 0:
            return self.rows.value(row)
        if isinstance(changed, _Mark):
            raise KeyError(key)
        return changed

    def __contains__(self, key: object) -> bool:
        changed = self._changed.get(key, _UNCHANGED)  # type: ignore[call-overload]  # any object may be asked for
        if changed is _UNCHANGED:
            return isinstance(key, self.rows.kind) and self.rows.find(key) >= 0
        return changed is not _REMOVED

    def __iter__(self) -> Iterator[K]:
        changed = self._changed
        for key in self.rows.keys:
            if key not in changed:
                yield key
        for key, value in changed.items():
            if value is not _REMOVED:
                yield key

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)}, {len(self._changed)} changed>"

    def items(self) -> ItemsView[K, V]:
        return _StoredItems(self)

    def values(self) -> ValuesView[V]:
        return _StoredValues(self)

    def pairs(self) -> Iterator[tuple[K, V]]:
        """Keys and values: first those of the rows, in their order, then the changed ones."""
        rows, changed = self.rows, self._changed
        for row, key in enumerate(rows.keys):
            if not changed or key not in changed:
                yield key, rows.value(row)
        for key, value in changed.items():
            if not isinstance(value, _Mark):
                yield key, value

    def changes(self) -> "Map[K, V | Literal[_Mark.REMOVED]]":
        return self._changed

    def mutate(self) -> "StoredMapMutation[K, V]":
        return StoredMapMutation(self.rows, self._changed.mutate(), self._count)

    def update(self, changed: Mapping[K, V]) -> "StoredMap[K, V]":
        mutation = self.mutate()
        mutation.update(changed.items())
        return mutation.finish()


class _StoredItems(ItemsView[K, V]):
    _mapping: StoredMap[K, V]

    def __iter__(self) -> Iterator[tuple[K, V]]:
        return self._mapping.pairs()


class _StoredValues(ValuesView[V]):
    _mapping: StoredMap[str, V]  # or of another key

    def __iter__(self) -> Iterator[V]:
        return (value for _key, value in self._mapping.pairs())


class StoredMapMutation(Generic[K, V]):
    """A map that is being changed, as `MapMutation` is."""

    __slots__ = ("_changed", "_count", "_rows")

    def __init__(
        self, rows: StoredRows[K, V], changed: "MapMutation[K, V | Literal[_Mark.REMOVED]]", count: int
    ) -> None:
        self._rows = rows
        self._changed = changed
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: K) -> bool:
        changed = self._changed.get(key, _UNCHANGED)
        return self._rows.find(key) >= 0 if changed is _UNCHANGED else changed is not _REMOVED

    def __getitem__(self, key: K) -> V:
        found = self._find(key)
        if isinstance(found, _Mark):
            raise KeyError(key)
        return found

    @overload
    def get(self, key: K) -> V | None: ...
    @overload
    def get(self, key: K, default: V | D) -> V | D: ...
    def get(self, key: K, default: object = None) -> object:
        found = self._find(key)
        return default if isinstance(found, _Mark) else found

    def _find(self, key: K) -> V | _Mark:
        changed = self._changed.get(key, _UNCHANGED)
        if changed is not _UNCHANGED:
            return changed
        row = self._rows.find(key)
        return self._rows.value(row) if row >= 0 else _REMOVED

    def __setitem__(self, key: K, value: V) -> None:
        if key not in self:
            self._count += 1
        self._changed[key] = value

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self._count -= 1
        if self._rows.find(key) >= 0:
            self._changed[key] = _REMOVED
        else:
            del self._changed[key]

    def pop(self, key: K, default: V | None) -> V | None:
        if key not in self:
            return default
        value = self[key]
        del self[key]
        return value

    def update(self, pairs: Iterable[tuple[K, V]]) -> None:
        for key, value in pairs:
            self[key] = value

    def finish(self) -> StoredMap[K, V]:
        return StoredMap(self._rows, self._changed.finish(), self._count)


AnyMap: TypeAlias = Map[K, V] | StoredMap[K, V]
AnyMutation: TypeAlias = MapMutation[K, V] | StoredMapMutation[K, V]


def items_after(items: AnyMap[int, V], position: int) -> Iterator[tuple[int, V]]:
    """The items whose keys are higher than a position; no other row is decoded."""
    if not isinstance(items, StoredMap):
        yield from ((key, value) for key, value in items.items() if key > position)
        return
    rows, changes = items.rows, items.changes()
    for row in range(bisect_right(rows.keys, position), len(rows)):
        if (key := rows.keys[row]) not in changes:
            yield key, rows.value(row)
    for key, value in changes.items():
        if key > position and not isinstance(value, _Mark):
            yield key, value


def encode_map(
    items: AnyMap[K, V], kind: type[K], write: Callable[[V], bytes], order: Callable[[tuple[K, V]], object]
) -> list[bytes]:
    """The map as blocks. Those of a stored map that are unchanged are taken as they are; new rows come in `order`."""
    if not isinstance(items, StoredMap):
        return _encode_blocks(kind, [(key, write(value)) for key, value in sorted(items.items(), key=order)])  # type: ignore[arg-type]  # any key that can be compared
    rows = items.rows
    fresh: list[tuple[K, V]] = []
    changed: set[int] = set()
    for key, value in items.changes().items():
        if (row := rows.find(key)) >= 0:
            changed.add(rows.block_of(row))
        elif not isinstance(value, _Mark):
            fresh.append((key, value))
    fresh.sort(key=order)  # type: ignore[arg-type]  # as above
    if fresh and kind is int and bisect_left(rows.keys, fresh[0][0]) < len(rows):  # between others: keys stay in order
        pairs = _left_rows(items, range(len(rows.blocks)), write)
        return _encode_blocks(kind, sorted([*pairs, *((key, write(value)) for key, value in fresh)]))
    blocks: list[bytes] = []
    loose: list[tuple[K, bytes]] = []
    last = len(rows.blocks) - 1
    for number, block in enumerate(rows.blocks):
        is_open = number == last and bool(fresh) and rows.bounds[number + 1] - rows.bounds[number] < ROWS
        if number in changed or is_open:
            loose += _left_rows(items, [number], write)
        else:
            blocks += _encode_blocks(kind, loose)
            blocks.append(block)
            loose = []
    return [*blocks, *_encode_blocks(kind, [*loose, *((key, write(value)) for key, value in fresh)])]


def _left_rows(items: StoredMap[K, V], blocks: Iterable[int], write: Callable[[V], bytes]) -> Iterator[tuple[K, bytes]]:
    """The rows of some blocks as they are now: copied, written again, or left out."""
    rows, changes = items.rows, items.changes()
    for block in blocks:
        for row in range(rows.bounds[block], rows.bounds[block + 1]):
            changed = changes.get(key := rows.keys[row], _UNCHANGED)
            if changed is _UNCHANGED:
                yield key, bytes(rows.row_bytes(row))
            elif not isinstance(changed, _Mark):
                yield key, write(changed)


def _encode_blocks(kind: type[K], pairs: Sequence[tuple[K, bytes]]) -> list[bytes]:
    blocks: list[bytes] = []
    for first in range(0, len(pairs), ROWS):
        some = pairs[first : first + ROWS]
        starts = array("I", [0])
        for _key, row in some:
            starts.append(starts[-1] + len(row))
        keys = [key for key, _row in some]
        packed = array("q", cast("list[int]", keys)).tobytes() if kind is int else msgspec.msgpack.encode(keys)
        blocks.append(msgspec.msgpack.encode((packed, starts.tobytes(), b"".join([row for _key, row in some]))))
    return blocks
