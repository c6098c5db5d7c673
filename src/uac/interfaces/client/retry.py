"""When the client tries again: the statuses that pass, and the waits between attempts."""

import random
import re
from typing import NamedTuple

from uac.interfaces.client.calls import Got

__all__ = ["PASSING", "Patience", "Pause", "attempts_text", "backoff_seconds", "retry_after_seconds"]

PASSING = frozenset({408, 425, 429, 502, 503, 504})
"""Statuses that are retried."""
LONGEST_WAIT = 30.0


class Patience(NamedTuple):
    """The timeout of a request, and the number of attempts with the first wait between them."""

    timeout: float = 60.0
    tries: int = 4
    first_wait: float = 0.25


class Pause(NamedTuple):
    """Wait this many seconds."""

    seconds: float


def backoff_seconds(tried: int, patience: Patience) -> float:
    """Exponential backoff with jitter."""
    longest = min(patience.first_wait * 2.0 ** (tried - 1), LONGEST_WAIT)
    return longest * (0.5 + random.random() / 2)  # noqa: S311 - spreads tries, guards nothing


def retry_after_seconds(got: Got) -> float:
    text = got.headers.get("retry-after", "")
    return min(float(text), LONGEST_WAIT) if re.fullmatch(r"\d{1,6}", text, re.ASCII) else 0.0


def attempts_text(tried: int) -> str:
    return f"; tried {tried} times" if tried > 1 else ""
