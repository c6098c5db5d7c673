"""An array that grows copies what is there only seldom, and holds what was added."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from uac.recall.growing_array import GrowingArray


def test_values_added_one_by_one_are_rarely_copied() -> None:
    array = GrowingArray("i4")
    array.make_room(10_000)
    array.extend(np.arange(10_000))
    moves = 0
    for value in range(10_000, 20_000):
        before = array.values
        array.make_room(value + 2)
        array.extend(np.array([value]))
        moves += not np.shares_memory(before, array.values)
    assert moves < 10
    assert array.values.tolist() == [*range(20_000)]


@given(st.lists(st.one_of(st.lists(st.integers(-(2**40), 2**40), max_size=20), st.integers(0, 200))))
def test_an_array_holds_what_was_added_and_zeros_where_it_only_grew(steps: list[list[int] | int]) -> None:
    array, wanted = GrowingArray("i1", widens=True), list[int]()
    for step in steps:
        if isinstance(step, list):
            array.extend(np.array(step, "i8"))
            wanted += step
        else:
            array.grow(step)
            wanted += [0] * (step - len(wanted))
    assert array.values.tolist() == wanted
