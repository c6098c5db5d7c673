"""Positions and ids as they come in addresses and forms."""

from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from uac.errors import Refused

__all__ = ["read_id", "read_position", "read_positions"]

MOST = 1000  # positions that are read at once
DIGITS = 15


def read_position(text: str) -> int:
    """A position; 0 is before all entries."""
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        raise Refused(f"{text!r} is no position, needs a number such as 7")
    return int(text)


def read_positions(texts: Iterable[str]) -> list[int]:
    """Positions of entries in order, each once; what is blank is passed over."""
    told = {text.strip() for text in texts if text.strip()}
    if len(told) > MOST:
        raise Refused(f"{len(told):,} positions, needs at most {MOST:,}")
    found = sorted(map(read_position, told))
    if found and not found[0]:
        raise Refused("there is no entry 0: positions count from 1")
    return found


def read_id(asked: Mapping[str, str], name: str) -> str:
    """An id as an address has it, or as a form has it: quoted, so that characters that are not seen come through."""
    return asked.get(name) or unquote(asked.get(f"{name}_quoted", ""))
