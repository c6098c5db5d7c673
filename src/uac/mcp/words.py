"""People's words on their way to an agent: data, which cannot pass for memory's own words or for a heading."""

import json
import unicodedata
from collections.abc import Collection
from typing import Any

from uac.echo import disarmed

__all__ = ["plain", "quoted", "shown"]

UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
KEPT = "\n\t\u200c\u200d"  # joiners shape the letters of some scripts


def quoted(text: str) -> str:
    """The text on one line, in quotes."""
    return json.dumps(shown(text), ensure_ascii=False)


def shown(text: str) -> str:
    """The text with unseen characters as escapes, and a space in all that reads as one of memory's markers."""
    if not text.isprintable():
        text = "".join(char if _is_seen(char) else char.encode("unicode_escape").decode() for char in text)
    return disarmed(text)


def plain(value: Any, *, verbatim: Collection[str] = ()) -> Any:
    """JSON with all its texts shown so. Below the keys `verbatim` only markers change: those words are quoted back."""
    match value:
        case str():
            return shown(value)
        case list() | tuple():
            return [plain(item, verbatim=verbatim) for item in value]
        case dict():
            return {
                shown(key): _disarmed(item) if key in verbatim else plain(item, verbatim=verbatim)
                for key, item in value.items()
            }
    return value


def _disarmed(value: Any) -> Any:
    match value:
        case str():
            return disarmed(value)
        case list():
            return [_disarmed(item) for item in value]
        case dict():
            return {disarmed(key): _disarmed(item) for key, item in value.items()}
    return value


def _is_seen(char: str) -> bool:
    return char in KEPT or unicodedata.category(char) not in UNSEEN
