"""Values on the wire between the host and a worker: whatever a worker sends is a value or an error of ours."""

import json
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.sandboxes import QUICK
from uac.errors import CodeError, LimitError, RunError, SandboxError
from uac.sandbox import decode
from uac.sandbox import inputs as run_inputs
from uac.sandbox.port import Instance, Limits, Value

trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["t", "s", "m", "d", "dt", "tm", "td", "n", "x", "?", ""]), inner, max_size=2)
    ),
    max_leaves=20,
)


@given(tree=trees)
def test_whatever_a_worker_sends_is_a_value_or_an_error_of_ours(tree: object) -> None:
    try:
        value = decode.decode_result(json.dumps({"value": tree}).encode(), QUICK)
    except RunError:
        return
    run_inputs.check_input_values({} if _holds_instance(value) else {"x": value})


def _holds_instance(value: Value) -> bool:
    match value:
        case Instance():
            return True
        case dict():
            return any(_holds_instance(item) for item in value.values())
        case list() | tuple():
            return any(_holds_instance(item) for item in value)
    return False


@given(packed=st.binary(max_size=50) | st.text(max_size=50))
def test_bytes_that_are_no_reply_are_an_error_of_ours(packed: bytes | str) -> None:
    with pytest.raises(RunError):
        decode.decode_result(packed, QUICK)


@pytest.mark.parametrize(
    ("tree", "error"),
    [
        ({"d": "2024-13-01"}, SandboxError),
        ({"d": 5}, SandboxError),
        ({"n": "one"}, SandboxError),
        ({"n": "sNaN"}, CodeError),
        ({"n": "1E+999999999"}, CodeError),
        ({"n": "1" * 6000}, CodeError),
        ({"td": [10**12, 0, 0]}, SandboxError),
        ({"td": [1.5, 0, 0]}, SandboxError),
        ({"td": [True, 0, 0]}, SandboxError),
        ({"m": [["a"]]}, SandboxError),
        ({"m": {"a": 1}}, SandboxError),
        ({"m": [[[], 1]]}, CodeError),
        ({"s": [{"x": ["A", []]}]}, CodeError),
        ({"s": [{"t": [[]]}]}, CodeError),
        ({"x": [1, []]}, SandboxError),
        ({"x": ["A", [[1, 2]]]}, SandboxError),
        ({"a": 1, "b": 2}, SandboxError),
        ({}, SandboxError),
        ("\ud800", CodeError),
        ({"x": ["\ud800", []]}, CodeError),
        ([0] * 2000, LimitError),
    ],
)
def test_a_hostile_reply_is_refused(tree: object, error: type[RunError]) -> None:
    with pytest.raises(error):
        decode.decode_result(json.dumps({"value": tree}), Limits(result_items=1000))


def test_nesting_has_an_end() -> None:
    def nested(depth: int) -> str:
        return '{"value": ' + "[" * depth + "]" * depth + "}"

    assert decode.decode_result(nested(100), Limits(depth=500)) is not None
    for depth, limit, most in ((101, 500, 100), (51, 50, 50), (100_000, 500, 100)):
        with pytest.raises(LimitError, match=rf"^The result nests more than {most} deep\. Return flatter data\.$"):
            decode.decode_result(nested(depth), Limits(depth=limit))


def test_a_reply_that_would_fill_the_host_is_not_even_read() -> None:
    with pytest.raises(LimitError, match="more than"):
        decode.decode_result('{"value": [' + "[]," * 1_000_000 + "[]]}", Limits(result_items=1000))


def test_values_are_packed_as_described() -> None:
    inputs: dict[str, Value] = {"x": [1, (2,), {3}, {"a": Decimal("1.50")}, date(2024, 1, 2), timedelta(1, 2, 3)]}
    assert json.loads(run_inputs.encode_inputs(inputs)) == {
        "m": [["x", [1, {"t": [2]}, {"s": [3]}, {"m": [["a", {"n": "1.50"}]]}, {"d": "2024-01-02"}, {"td": [1, 2, 3]}]]]
    }
