"""Values on their way out of a sandbox: each kind has its tag, and nothing passes the limits."""

import collections
import dataclasses
import enum
import itertools
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest

from uac.sandbox.pack_value import uac_pack_maker

pack = uac_pack_maker()


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Trip:
    city: str
    days: int = 3


@pytest.mark.parametrize(
    ("value", "tree"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        ("a", "a"),
        ([1, "a", None], [1, "a", None]),
        ((1, (2,)), {"t": [1, {"t": [2]}]}),
        ({1}, {"s": [1]}),
        (frozenset(), {"s": []}),
        ({"a": [1]}, {"m": [["a", [1]]]}),
        (collections.Counter("a"), {"m": [["a", 1]]}),
        (date(2026, 5, 1), {"d": "2026-05-01"}),
        (datetime(2026, 5, 1, 9, tzinfo=UTC), {"dt": "2026-05-01T09:00:00+00:00"}),
        (time(9, 30), {"tm": "09:30:00"}),
        (timedelta(days=-1, microseconds=5), {"td": [-1, 0, 5]}),
        (Decimal("1.50"), {"n": "1.50"}),
        (Trip("Oslo"), {"x": ["Trip", [["city", "Oslo"], ["days", 3]]]}),
        (Colour.RED, "red"),
        (range(3), [0, 1, 2]),
        (iter([1]), [1]),
        (itertools.chain([1], [2]), [1, 2]),
    ],
)
def test_a_value_has_this_tree(value: Any, tree: Any) -> None:
    assert pack(value, 100, 10, 100) == {"value": tree}


def test_a_number_of_an_own_class_is_a_number() -> None:
    class Metres(int):
        pass

    assert pack(Metres(5), 100, 10, 100) == {"value": 5}


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        ([0] * 11, "size"),
        ({n: n for n in range(6)}, "size"),
        ("x" * 21, "size"),
        (["x" * 11, "x" * 11], "size"),
        (itertools.count(), "size"),
        ([[[[[1]]]]], "depth"),
    ],
)
def test_a_value_beyond_a_limit_is_reported_with_the_limit(value: Any, limit: str) -> None:
    assert pack(value, 10, 4, 20) == {"limit": limit}


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (len, "The result is a function."),
        (Trip, "The result is a class."),
        ([enum], "The result contains a module."),
        (object(), "The result is a object."),
    ],
)
def test_a_result_that_is_not_data_is_refused(value: Any, what: str) -> None:
    with pytest.raises(TypeError) as refused:
        pack(value, 100, 10, 100)
    assert str(refused.value) == f"{what} Return data."


def test_a_result_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(TypeError, match=r"The result contains itself\. Return data that ends\."):
        pack(endless, 100, 10, 100)


def test_an_overflow_of_the_result_itself_is_not_taken_for_a_limit() -> None:
    def overflow(_item: int) -> Any:
        raise OverflowError("too large")

    with pytest.raises(OverflowError, match="too large"):
        pack(map(overflow, [1]), 100, 10, 100)
