"""Error messages of servers without the key or the user's text."""

import re
from collections.abc import Sequence

from uac.schema.safe_text import replace_lone_surrogates, shorten

__all__ = ["redacted_message"]

SHORTEST_ECHO = 8
"""A run of this many characters that was also sent is taken for user text."""


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
    words_left: list[str] = []
    at = 0
    while at < len(words):
        end = at + SHORTEST_ECHO
        if end > len(words) or words[at:end] not in sent:
            words_left.append(words[at])
            at += 1
            continue
        while end < len(words) and words[at : end + 1] in sent:
            end += 1
        words_left.append("…")
        at = end
    return "".join(words_left)
