"""A map on stored rows behaves like a plain one, whatever was changed since it was stored."""

from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uac.errors import Damaged
from uac.project import stored_map
from uac.project.stored_map import AnyMap, StoredMap, StoredRows, encode_map
from uac.schema.persistent_map import Map

KEYS = st.integers(0, 12)
VALUES = st.integers(-9, 9)
CHANGES = st.lists(st.tuples(KEYS, st.one_of(st.none(), VALUES)), max_size=12)


def read_row(_key: int | str, data: memoryview) -> int:
    return msgspec.msgpack.decode(data, type=int)


def blocks_of(items: AnyMap[int, int]) -> list[bytes]:
    return encode_map(items, int, msgspec.msgpack.encode, lambda item: item[0])


def stored(items: AnyMap[int, int]) -> StoredMap[int, int]:
    return StoredMap(StoredRows(blocks_of(items), int, read_row))


def named_blocks(items: AnyMap[str, int]) -> list[bytes]:
    return encode_map(items, str, msgspec.msgpack.encode, lambda item: item)


def named(items: AnyMap[str, int]) -> StoredMap[str, int]:
    return StoredMap(StoredRows(named_blocks(items), str, read_row))


def check_equal(items: AnyMap[int, int] | AnyMap[str, int], plain: Mapping[int, int] | Mapping[str, int]) -> None:
    assert dict(items.items()) == plain
    assert sorted(items) == sorted(plain)
    assert sorted(items.values()) == sorted(plain.values())
    assert len(items) == len(plain)
    assert items == Map(plain)
    assert Map(plain) == items


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, VALUES), st.lists(CHANGES, min_size=1, max_size=4))
def test_a_stored_map_changes_as_a_dict_does_and_is_stored_again_as_it_is(
    first: dict[int, int], rounds: list[list[tuple[int, int | None]]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_map, "ROWS", 3)
        plain, items = dict(first), stored(Map(first))
        texts = named(Map({f"k{key}": value for key, value in first.items()}))
        for changes in rounds:
            before, known = items, dict(plain)
            mutation, renamed = items.mutate(), texts.mutate()
            for key, value in changes:
                assert (mutation.get(key), key in mutation) == (plain.get(key), key in plain)
                if value is None:
                    assert mutation.pop(key, None) == plain.pop(key, None)
                    renamed.pop(f"k{key}", None)
                else:
                    mutation[key] = renamed[f"k{key}"] = plain[key] = value
                assert len(mutation) == len(renamed) == len(plain)
            items, texts = mutation.finish(), renamed.finish()
            check_equal(items, plain)
            check_equal(texts, {f"k{key}": value for key, value in plain.items()})
            check_equal(before, known)
            items, texts = stored(items), named(texts)
            check_equal(items, plain)
            check_equal(texts, {f"k{key}": value for key, value in plain.items()})


def test_blocks_without_a_change_are_stored_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_map, "ROWS", 10)
    items = stored(Map({number: number for number in range(1, 96)}))
    mutation = items.mutate()
    mutation[25], mutation[200] = 0, 200
    before, after = items.rows.blocks, blocks_of(mutation.finish())
    assert [block in before for block in after] == [True, True, False, *[True] * 6, False]


def test_a_key_that_does_not_exist_is_a_key_error() -> None:
    mutation = stored(Map({1: 1})).mutate()
    for wrong in (lambda: mutation[2], lambda: mutation.finish()[2], lambda: mutation.__delitem__(2)):
        with pytest.raises(KeyError):
            wrong()
    assert 2 not in stored(Map({1: 1}))
    assert "1" not in stored(Map({1: 1}))  # type: ignore[comparison-overlap]  # what a careless caller does


def test_rows_that_cannot_be_decoded_are_damaged_and_say_so() -> None:
    for blocks in ([b"no block"], [msgspec.msgpack.encode((b"", b"123", b""))]):
        with pytest.raises(Damaged, match="snapshot"):
            StoredRows(blocks, int, read_row)
    good = blocks_of(Map({1: 5, 2: 6}))
    keys, starts, _rows = msgspec.msgpack.decode(good[0])
    for block in ((keys, starts, b"\xc1\xc1"), (keys[:8], starts, b"\x05\x06"), (keys[:5], starts, b"\x05\x06")):
        rows = StoredRows([msgspec.msgpack.encode(block)], int, read_row)
        assert not rows.is_damaged
        with pytest.raises(Damaged, match="snapshot"):
            dict(StoredMap(rows).items())
        assert rows.is_damaged
