"""Texts that many users' logs have in common: the types, tables and constraints of packs, as patches of checkpoints.

A store may keep each of them once, compressed, under its SHA-256, and only the rest of a body per user. Nothing but the
store knows: a body is joined before a row leaves it, so that digests, exports and erasures see the whole entry.
"""

import re
import zlib
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from uac.schema.entries import MAX_BYTES
from uac.schema.word_caches import word_cache

__all__ = ["DAMAGED_BODY", "SharedText", "join_body", "pack_text", "split_body", "unpack_text"]

DAMAGED_BODY = "\0"
"""Stands for a body with a shared text that is damaged or missing. No entry has this body."""

MIN_CHARACTERS = 200
"""A shorter text is not worth a row of its own."""

MAX_CACHED = 64 * 1024
"""The longest text that is cached, in bytes. A service opens many memories with the same packs."""


_DICTIONARY = Path(__file__).with_name("shared_dictionary.txt").read_bytes()
"""What many of these texts have in common, such as the helpers that each constraint has a copy of.

Never change it: texts that were packed with it cannot be read without it. Older texts have none and still unpack."""


class SharedText(NamedTuple):
    """A text that was cut out of a body, and its place: the number of characters of the rest before it."""

    place: int
    digest: bytes
    text: str


class _RawCheckpoint(msgspec.Struct):
    patches: tuple[msgspec.Raw, ...] = ()


_CHECKPOINT = msgspec.json.Decoder(_RawCheckpoint)
_BODY = '{"kind":"checkpoint","patches":['
# The patches of packs cite no facts: what a user said is never looked for in other users' logs.
_OF_A_PACK = re.compile(r'\{"op":"(?:define","type|learn","knowledge|adopt","constraint)":')


def split_body(body: str) -> tuple[str, tuple[SharedText, ...]]:
    """The body without the texts that other logs may hold too, and these texts in order."""
    if len(body) < MIN_CHARACTERS or not body.startswith(_BODY) or _OF_A_PACK.search(body) is None:
        return body, ()
    shared: list[SharedText] = []
    rest: list[str] = []
    start, place = 0, 0
    end = 0
    for raw in _CHECKPOINT.decode(body).patches:
        text = str(raw, "utf-8")
        begin = body.index(text, end)
        end = begin + len(text)
        if _is_shareable(text):
            rest.append(body[start:begin])
            place += begin - start
            start = end
            shared.append(SharedText(place, sha256(text.encode()).digest(), text))
    return "".join((*rest, body[start:])), tuple(shared)


def _is_shareable(text: str) -> bool:
    if len(text) < MIN_CHARACTERS or _OF_A_PACK.match(text) is None:
        return False
    return not text.startswith('{"op":"adopt"') or '"origin":"pack"' in text


def join_body(rest: str, texts: Iterable[tuple[int, str | None]]) -> str:
    """The body with its shared texts, given in order with their places. None stands for a damaged text."""
    parts: list[str] = []
    start = 0
    for place, text in texts:
        if text is None:
            return DAMAGED_BODY
        parts += (rest[start:place], text)
        start = place
    return "".join((*parts, rest[start:]))


def pack_text(text: str) -> bytes:
    pack = zlib.compressobj(9, zdict=_DICTIONARY)
    return pack.compress(text.encode()) + pack.flush()


def unpack_text(digest: bytes, packed: bytes) -> str | None:
    """The packed text, or None if it is not the one with this digest."""
    if len(packed) <= MAX_CACHED and (text := _unpack_short_text(digest, packed)) is not _LONG:
        return text
    return _unpack_text(digest, packed, MAX_BYTES)


@word_cache(256)
def _unpack_short_text(digest: bytes, packed: bytes) -> str | None:
    return _unpack_text(digest, packed, MAX_CACHED)


def _unpack_text(digest: bytes, packed: bytes, limit: int) -> str | None:
    unzip = zlib.decompressobj(zdict=_DICTIONARY)
    try:
        text = unzip.decompress(packed, limit)
    except zlib.error:
        return None
    if not unzip.eof:
        return _LONG if unzip.unconsumed_tail and limit < MAX_BYTES else None
    return text.decode() if sha256(text).digest() == digest else None


_LONG = ""
"""Stands for a text that is longer than the limit; no shared text is empty."""
