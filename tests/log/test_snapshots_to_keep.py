"""Which snapshots stay: few, spread over the log, and together no larger than the latest."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from uac.log.snapshots import (
    MAX_SNAPSHOTS,
    pack_part_list,
    position_key,
    snapshots_to_keep,
    unpack_part_list,
)

SIZES = st.dictionaries(
    st.integers(1, 10_000),
    st.dictionaries(st.binary(min_size=32, max_size=32), st.integers(0, 1000), max_size=4),
    min_size=1,
    max_size=30,
)


@given(SIZES)
def test_few_snapshots_stay_and_the_latest_is_one_of_them(sizes: dict[int, dict[bytes, int]]) -> None:
    kept = snapshots_to_keep(sizes)
    assert max(sizes) in kept
    assert kept <= sizes.keys()
    assert len(kept) <= MAX_SNAPSHOTS
    latest = sizes[max(sizes)]
    older = {name: size for position in kept for name, size in sizes[position].items() if name not in latest}
    assert sum(older.values()) <= sum(latest.values())
    assert snapshots_to_keep({position: sizes[position] for position in kept}) == kept


def test_they_are_spread_so_that_no_earlier_time_is_far_from_one() -> None:
    """A log grows as `uac.memory.snapshots` follows it: a snapshot after 500 entries and a 32nd part of the log."""
    kept: frozenset[int] = frozenset()
    end = 0
    while end < 2_000_000:
        end += max(500, end // 32)
        kept = snapshots_to_keep({key: {b"a" * 32: 1} for key in [*kept, end]})
        ordered = [0, *sorted(kept)]
        widest = max(after - before for before, after in itertools.pairwise(ordered))
        assert widest <= max(1000, end / 5)


def test_snapshots_that_have_nothing_in_common_are_not_all_kept() -> None:
    sizes = {position: {bytes([position]) * 32: 100} for position in range(1, 9)}
    assert snapshots_to_keep(sizes) == {4, 8}


@given(st.binary(max_size=100), st.sets(st.binary(min_size=32, max_size=32)))
def test_a_list_of_parts_is_read_back(head: bytes, names: set[bytes]) -> None:
    assert unpack_part_list(pack_part_list(head, names)) == (head, tuple(sorted(names)))


@given(st.lists(st.integers(0, 2**62)))
def test_the_keys_of_positions_are_in_order(positions: list[int]) -> None:
    assert sorted(map(position_key, positions)) == [*map(position_key, sorted(positions))]
