"""What a sandbox sends is read as hostile input: no result may cost the host much more than its size."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from uac.errors import CodeError, LimitError
from uac.sandbox import open_sandbox
from uac.sandbox.decode import decode_result
from uac.sandbox.port import Limits, Sandbox, Value

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
    with pytest.raises(LimitError, match=r"hashes collide\. Return a list of pairs") as refused:
        decode_result(packed(tree), Limits())
    assert refused.value.limit == "keys"


def test_keys_that_collide_in_many_small_dicts_are_read() -> None:
    small = {"m": [[PRIME * i, 0] for i in range(40)]}
    assert decode_result(packed([small] * 500), Limits()) == [{PRIME * i: 0 for i in range(40)}] * 500


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
    assert decode_result(packed({"m": [[key, 1] for key in keys]}), Limits()) == dict.fromkeys(keys, 1)
    assert decode_result(packed({"s": keys}), Limits()) == set(keys)


@pytest.fixture(scope="module", params=["monty", "process"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    sandbox = open_sandbox(request.param)
    yield sandbox
    sandbox.close()


def test_code_that_returns_colliding_keys_is_told_to_return_pairs(sandbox: Sandbox) -> None:
    session = sandbox.session(now=NOW)
    with pytest.raises(LimitError, match="Return a list of pairs"):
        session.run("{(2**61 - 1) * i: 0 for i in range(10_000)}")
    assert not session.alive
    session.close()


# --- errors -----------------------------------------------------------------------------------------------------------

LONG_ERRORS = {
    "raise": "raise ValueError('x' * 200_000_000)",
    "an error made before": "error = ValueError('x' * 200_000_000)\nif error:\n    raise error from None",
    "assert": "assert False, 'x' * 200_000_000",
    "a list": "assert False, ['x' * 50_000_000]",
}
MEASURE = """
import resource, sys
from datetime import UTC, datetime
from uac.errors import RunError
from uac.sandbox import open_sandbox

sandbox = open_sandbox(sys.argv[1])
session = sandbox.session(now=datetime(2026, 3, 1, tzinfo=UTC))
session.run("1")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    session.run(sys.argv[2])
except RunError as error:
    print(len(str(error)), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
sandbox.close()
"""


@pytest.mark.parametrize("code", LONG_ERRORS.values(), ids=LONG_ERRORS)
@pytest.mark.parametrize("engine", ["monty", "process"])
def test_the_text_of_an_error_is_cut_before_the_host_is_given_it(engine: str, code: str) -> None:
    command = [sys.executable, "-c", MEASURE, engine, code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    characters, megabytes = map(int, done.stdout.split())
    assert characters < 3000
    assert megabytes < 20


def test_errors_keep_their_kind_their_text_and_their_line(sandbox: Sandbox) -> None:
    session = sandbox.session(now=NOW)
    for code, expected in (
        ("x = 1\nraise ValueError('é' + str(x))", "line 2: ValueError: é1"),
        ("def f(n):\n    assert n, f'{n} is\\nbad'\n\nf(0)", "line 2: AssertionError: 0 is\nbad"),
        ("if True: raise (KeyError(\n    'a'\n)) from None", "line 1: KeyError: 'a'"),
        ("raise ValueError", "line 1: ValueError"),
        ("é = 'é'; raise ValueError(é); é", "line 1: ValueError: é"),
    ):
        with pytest.raises(CodeError) as failed:
            session.run(code)
        assert str(failed.value) == expected
    session.close()
