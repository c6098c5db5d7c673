"""Errors carry the values that a caller needs, besides their message."""

import pytest

from uac import errors
from uac.errors import (
    AlreadyErased,
    CodeError,
    LimitError,
    Moved,
    Refused,
    Rejected,
    Repeated,
    RunError,
    UacError,
    Unanswered,
)


def test_every_error_is_an_error_of_this_package() -> None:
    assert [name for name in errors.__all__ if not issubclass(getattr(errors, name), UacError)] == []


@pytest.mark.parametrize(
    ("error", "parent", "values"),
    [
        (Moved(3, 5), Refused, {"expected": 3, "found": 5}),
        (Repeated(3, 5), Refused, {"first": 3, "last": 5}),
        (Unanswered("cut", reason="cut", text="{"), errors.ModelError, {"reason": "cut", "text": "{"}),
        (CodeError("KeyError", "x", line=2, printed="a"), RunError, {"kind": "KeyError", "line": 2, "printed": "a"}),
        (LimitError("time", "too slow"), RunError, {"limit": "time", "printed": ""}),
    ],
)
def test_an_error_has_these_values(error: UacError, parent: type[UacError], values: dict[str, object]) -> None:
    assert isinstance(error, parent)
    assert vars(error) == values


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (CodeError("KeyError", "x", line=2), "line 2: KeyError: x"),
        (CodeError("KeyError", ""), "KeyError"),
        (Rejected(("one",)), "one"),
        (Rejected(("one", "two")), "the checkpoint was refused\n  one\n  two"),
        (AlreadyErased("Use another key."), "Use another key."),
    ],
)
def test_an_error_has_this_message(error: UacError, message: str) -> None:
    assert str(error) == message


def test_an_erased_request_says_what_to_do() -> None:
    assert str(AlreadyErased()).endswith("send it with a new key.")
