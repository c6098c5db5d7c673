"""A call to a server that failed: whether and when it is tried again, and what is told of it: no key, no user's words.

Models, embedders and rerankers share this. Nothing here needs a client, so it can be imported where none is installed.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

from uac.errors import ModelError
from uac.schema.safe_text import shorten

__all__ = ["PASSING_STATUS", "TIMEOUT", "TRIES", "Failure", "is_address", "told", "until_answered", "whole_characters"]

TIMEOUT = 120.0
TRIES = 4

LONGEST_WAIT = 60.0
"""Seconds between two tries, whatever the server asks for."""

SHORTEST_ECHO = 8
"""So many characters in a row that also stand in what was sent are taken for the user's words."""

PASSING_STATUS = frozenset({408, 409, 425})

T = TypeVar("T")


class Failure(NamedTuple):
    """One try that gave no answer. `after` is how many seconds the server asks to wait."""

    kind: type[ModelError]
    words: str
    may_pass: bool = False
    after: float | None = None


def until_answered(attempt: "Callable[[], T | Failure]", tries: int, sleep: Callable[[float], None]) -> T:
    """What `attempt` gives. It is made again while its failure may pass; the last one is raised."""
    tried = 1
    while isinstance(outcome := attempt(), Failure):
        if tried >= tries or not outcome.may_pass:
            times = f"; tried {tried} times" if tried > 1 else ""
            # Raised here and not where it was caught: the client's own error, which holds key and words, stays behind.
            raise outcome.kind(outcome.words + times)
        sleep(min(LONGEST_WAIT, 2.0 ** (tried - 1) if outcome.after is None else max(0.0, outcome.after)))
        tried += 1
    return outcome


def told(said: str, texts: Sequence[str], key: str) -> str:
    """What a server says of an error, after a colon: without the key, and without the `texts` that were sent."""
    # Cut twice: what is left out at the end of the first cut cannot be seen after the second.
    words = _without_key(" ".join(whole_characters(said[:2000]).split()), key)
    words = _without_echo(words, "\n".join(" ".join(text.split()) for text in texts))
    if not words:
        return ""
    return ": " + shorten(words, 300)


def _without_key(words: str, key: str) -> str:
    if len(key) >= 4:
        words = words.replace(key, "[key]")
    return re.sub(r"\b(?:sk|pk|key|gsk|xai|AIza)[-_]?[A-Za-z0-9_*-]*[*0-9][A-Za-z0-9_*-]{5,}", "[key]", words)


def _without_echo(words: str, sent: str) -> str:
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


def whole_characters(text: str) -> str:
    """Halves of characters, which JSON can carry and UTF-8 cannot, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def is_address(url: str) -> bool:
    """Whether it names a server over HTTP; one with a password in it does not, as addresses are told."""
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
    return is_whole and parts.username is None
