"""What a sandbox sends is read as hostile input: no result may cost the host much more than its size."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from uac.errors import LimitError
from uac.sandbox import Limits, Sandbox, Value
from uac.sandboxes import open_sandbox
from uac.sandboxes.wire import decode

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PRIME = 2**61 - 1  # two whole numbers have the same hash if this divides their difference
MANY = 20_000


def packed(tree: object) -> str:
    return json.dumps({"value": tree})


COLLIDING: dict[str, list[object]] = {
    "whole numbers of one hash": [PRIME * i for i in range(MANY)],
    "decimals": [{"n": str(PRIME * i)} for i in range(MANY)],
    "tuples of numbers": [{"t": [7, PRIME * i]} for i in range(MANY)],
    "numbers after many that do not collide": [*range(MANY), *(PRIME * i for i in range(MANY))],
}


@pytest.mark.parametrize("keys", COLLIDING.values(), ids=COLLIDING)
@pytest.mark.parametrize("kind", ["dict", "set"])
def test_keys_that_collide_are_refused_before_they_cost_much(keys: list[object], kind: str) -> None:
    tree = {"m": [[key, 0] for key in keys]} if kind == "dict" else {"s": keys}
    with pytest.raises(LimitError, match="hashes collide; return a list of pairs") as refused:
        decode(packed(tree), Limits())
    assert refused.value.limit == "keys"


def test_keys_that_collide_in_many_small_dicts_are_read() -> None:
    small = {"m": [[PRIME * i, 0] for i in range(40)]}
    assert decode(packed([small] * 500), Limits()) == [{PRIME * i: 0 for i in range(40)}] * 500


@pytest.mark.parametrize(
    "keys",
    [
        [*range(MANY)],
        [i << 40 for i in range(MANY)],
        [-i for i in range(1, MANY)],
        [i / 4 for i in range(MANY)],
        [str(i) for i in range(MANY)],
    ],
    ids=["whole numbers", "multiples of a great number", "negative numbers", "floats", "texts"],
)
def test_many_keys_that_do_not_collide_are_read(keys: list[Value]) -> None:
    assert decode(packed({"m": [[key, 1] for key in keys]}), Limits()) == dict.fromkeys(keys, 1)
    assert decode(packed({"s": keys}), Limits()) == set(keys)


@pytest.fixture(scope="module", params=["monty", "process"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    sandbox = open_sandbox(request.param)
    yield sandbox
    sandbox.close()


def test_code_that_returns_colliding_keys_is_told_to_return_pairs(sandbox: Sandbox) -> None:
    session = sandbox.session(now=NOW)
    with pytest.raises(LimitError, match="return a list of pairs"):
        session.run("{(2**61 - 1) * i: 0 for i in range(10_000)}")
    assert not session.alive
    session.close()
