"""Retries of failed calls, and error messages without the key or the user's text.

Shared by models, embedders and rerankers. Needs no HTTP client, so it can be imported where none is installed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

from uac.errors import ModelError, NoModel, Unreachable
from uac.schema.safe_text import shorten

__all__ = [
    "PASSING_STATUS",
    "REMEDIES",
    "TIMEOUT",
    "TRIES",
    "CallFailure",
    "call_with_retries",
    "is_http_address",
    "redacted_message",
    "replace_lone_surrogates",
]

TIMEOUT = 120.0
TRIES = 4

MAX_WAIT = 60.0
"""Maximum seconds between two attempts, whatever the server asks for."""

SHORTEST_ECHO = 8
"""A run of this many characters that was also sent is taken for user text."""

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


def redacted_message(said: str, texts: Sequence[str], key: str) -> str:
    """A server's error message, after a colon: without the key, and without the `texts` that were sent."""
    # Shortened twice: text redacted only partly at the first cut is beyond the second.
    words = _redact_key(" ".join(replace_lone_surrogates(said[:2000]).split()), key)
    words = _redact_sent_text(words, "\n".join(" ".join(text.split()) for text in texts))
    if not words:
        return ""
    return ": " + shorten(words, 300)


def _redact_key(words: str, key: str) -> str:
    if len(key) >= 4:
        words = words.replace(key, "[key]")
    return re.sub(r"\b(?:sk|pk|key|gsk|xai|AIza)[-_]?[A-Za-z0-9_*-]*[*0-9][A-Za-z0-9_*-]{5,}", "[key]", words)


def _redact_sent_text(words: str, sent: str) -> str:
    kept: list[str] = []
    at = 0
    while at < len(words):
        end = at + SHORTEST_ECHO
        if end > len(words) or words[at:end] not in sent:
            kept.append(words[at])
            at += 1
            continue
        while end < len(words) and words[at : end + 1] in sent:
            end += 1
        kept.append("…")
        at = end
    return "".join(kept)


def replace_lone_surrogates(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot encode, replaced by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def is_http_address(url: str) -> bool:
    """Whether it is an HTTP address without a password: addresses appear in messages."""
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
    return is_whole and parts.username is None
