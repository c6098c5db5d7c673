"""Patches that call the user "user", as facts do, say whose a record is in the way that constraints read it."""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from uac.project.records import OWNER_FIELDS
from uac.schema.patches import Amend, Patch, Put
from uac.schema.types import Json, Type, parse_type

__all__ = ["name_the_user"]

_FIELDS = (*OWNER_FIELDS, "holder")
_USER = ("me", "user", "the user", "i", "myself", "self")


def name_the_user(patches: Sequence[Patch], offered: Callable[[], Mapping[str, Type]]) -> tuple[Patch, ...]:
    """The patches with 'me' for the user in the types of packs, or no value where that means the user: then an allergy
    of "user" and one of nobody in particular are one record, and every rule finds both. `offered` are those types."""
    if not any(map(_names_user, patches)):
        return tuple(patches)
    types = offered()
    return tuple(_with_user(patch, types) if _names_user(patch) else patch for patch in patches)


def _is_user(value: Json) -> bool:
    return isinstance(value, str) and value.strip().casefold() in _USER


def _names_user(patch: Patch) -> bool:
    return isinstance(patch, Put | Amend) and any(_is_user(patch.fields.get(name)) for name in _FIELDS)


def _with_user(patch: Patch, types: Mapping[str, Type]) -> Patch:
    assert isinstance(patch, Put | Amend)
    type_ = types.get(patch.type if isinstance(patch, Put) else patch.record.partition(":")[0])
    parts = [] if type_ is None else [part for part in type_.fields if part.name in _FIELDS]
    named = {part.name: parse_type(part.type) for part in parts if _is_user(patch.fields.get(part.name))}
    fields = patch.fields | {
        name: None if kind.optional else "me" for name, kind in named.items() if kind.kind == "str"
    }
    return replace(patch, fields=fields)
