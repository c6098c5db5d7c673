"""Types, constraints and tables of knowledge that many users' logs have in common: in memory, each exists once.

They are frozen and shared by their bytes, so a shared value is exactly what decoding the bytes again would give. The
open projects keep them: when the last of these is closed, the value is gone. Only the last few are kept beyond that,
until words are erased, so that opening one project after another does not decode them again.
"""

from collections import deque
from hashlib import sha256
from typing import TypeVar, cast
from weakref import WeakValueDictionary

import msgspec

from uac.schema.constraints import Constraint, Knowledge
from uac.schema.patches import Adopt, Define, Learn, Patch
from uac.schema.types import Type
from uac.schema.word_caches import on_forget

__all__ = [
    "CONSTRAINT_DECODER",
    "KNOWLEDGE_DECODER",
    "TYPE_DECODER",
    "decode_patch",
    "decode_shared",
    "has_shared_values",
]

T = TypeVar("T", Type, Constraint, Knowledge)

TYPE_DECODER = msgspec.json.Decoder(Type)
CONSTRAINT_DECODER = msgspec.json.Decoder(Constraint)
KNOWLEDGE_DECODER = msgspec.json.Decoder(Knowledge)

MIN_BYTES = 200
"""A shorter text is not worth the search for its value."""

RECENT, MAX_RECENT_BYTES = 256, 64 * 1024
"""How many values are kept though no project has them, and the longest text of such a value."""

_VALUES: WeakValueDictionary[tuple[object, bytes], Type | Constraint | Knowledge] = WeakValueDictionary()
_RECENT: deque[Type | Constraint | Knowledge] = deque(maxlen=RECENT)
on_forget(_RECENT.clear)


def decode_shared(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """The value of this JSON: the same object as before if that still exists."""
    if len(data) < MIN_BYTES:
        return decoder.decode(data)
    key = (decoder.type, sha256(data).digest())
    value = _VALUES.get(key)
    if value is None:
        value = _VALUES.setdefault(key, decoder.decode(data))
        if len(data) <= MAX_RECENT_BYTES:
            _RECENT.append(value)
    return cast("T", value)


# The patches of packs, as they are stored: they cite nothing.
_STARTS = ('{"op":"define","type":', '{"op":"adopt","constraint":', '{"op":"learn","knowledge":')
_DEFINE, _ADOPT, _LEARN = (start.encode() for start in _STARTS)
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_PATCH: msgspec.json.Decoder[Patch] = msgspec.json.Decoder(Patch)


def has_shared_values(body: str) -> bool:
    """Whether the JSON of an entry may have patches with values that other logs have, too."""
    return len(body) >= MIN_BYTES and any(start in body for start in _STARTS)


def decode_patch(raw: msgspec.Raw) -> Patch:
    """The patch; its type, constraint or table is shared if other logs may have it."""
    data = bytes(raw)
    if data.startswith((_DEFINE, _ADOPT, _LEARN)) and len(members := _MEMBERS.decode(data)) == 2:
        _op, value = map(bytes, members.values())
        if data.startswith(_DEFINE):
            return Define(type=decode_shared(value, TYPE_DECODER))
        if data.startswith(_ADOPT):
            return Adopt(constraint=decode_shared(value, CONSTRAINT_DECODER))
        return Learn(knowledge=decode_shared(value, KNOWLEDGE_DECODER))
    return _PATCH.decode(data)
