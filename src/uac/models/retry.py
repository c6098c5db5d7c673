"""Retries of failed calls.

Shared by models, embedders and rerankers. Needs no HTTP client, so it can be imported where none is installed.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from uac.errors import ModelError, NoModel, Unreachable

__all__ = [
    "PASSING_STATUS",
    "REMEDIES",
    "TIMEOUT",
    "TRIES",
    "CallFailure",
    "call_with_retries",
    "retry_after_seconds",
]

TIMEOUT = 120.0
TRIES = 4

MAX_WAIT = 60.0
"""Maximum seconds between two attempts, whatever the server asks for."""


PASSING_STATUS = frozenset({408, 409, 425})

REMEDIES: Mapping[type[ModelError], str] = {
    ModelError: "Check the limits of the server.",
    NoModel: "Check the settings of the model.",
    Unreachable: "Try again later.",
}
"""The second sentence of a failure's message."""

T = TypeVar("T")


class CallFailure(NamedTuple):
    """One failed attempt. `message` has no full stop; `retry_after` is in seconds."""

    kind: type[ModelError]
    message: str
    is_temporary: bool = False
    retry_after: float | None = None


def call_with_retries(attempt: "Callable[[], T | CallFailure]", tries: int, sleep: Callable[[float], None]) -> T:
    """The result of `attempt`, retried while its failure is temporary; the last failure is raised."""
    tried = 1
    while isinstance(outcome := attempt(), CallFailure):
        if tried >= tries or not outcome.is_temporary:
            times = f"; tried {tried} times" if tried > 1 else ""
            # Raised here and not where it was caught, so that the client's error, with key and text, is not chained.
            raise outcome.kind(f"{outcome.message}{times}. {REMEDIES[outcome.kind]}")
        sleep(min(MAX_WAIT, 2.0 ** (tried - 1) if outcome.retry_after is None else max(0.0, outcome.retry_after)))
        tried += 1
    return outcome


def retry_after_seconds(text: str) -> float | None:
    """The seconds of Retry-After; None for a date, so that the usual wait applies."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if seconds >= 0 else None
