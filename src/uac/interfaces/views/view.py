"""What every view has in common: how it is built from a value of the library, documented, and written as JSON."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal, TypeVar

import msgspec

__all__ = ["Doc", "View", "build_view", "view_json"]

V = TypeVar("V", bound="View")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An answer, or a part of one. Only the classes that inherit from it describe answers, for all interfaces alike."""


@dataclass(frozen=True, slots=True)
class Doc:
    """The description and the example of a field in the OpenAPI document. Other readers of the annotation ignore it."""

    text: str = ""
    example: Any = ...

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        schema: dict[str, Any] = dict(handler(core_schema))
        if self.text:
            schema["description"] = self.text
        if self.example is not ...:
            schema["examples"] = [self.example]
        return schema


def build_view(kind: type[V], source: object, **given: Any) -> V:
    """A view of `source`: each field is taken from `given`, or else from the attribute of the same name."""
    names = _FIELD_NAMES.get(kind)
    if names is None:
        names = _FIELD_NAMES[kind] = tuple(each.name for each in fields(kind))
    return kind(**{name: given[name] if name in given else getattr(source, name) for name in names})


_FIELD_NAMES: dict[type[View], tuple[str, ...]] = {}


def view_json(view: View, *, omit_defaults: bool = False, utc: Literal["Z", "+00:00"] = "Z") -> dict[str, Any]:
    """The fields as `json.dumps` takes them; `omit_defaults` drops those at their default, `utc` ends times in UTC."""
    values = {each.name: getattr(view, each.name) for each in fields(view)}
    if omit_defaults:
        values = {each.name: values[each.name] for each in fields(view) if values[each.name] != each.default}
    times = (datetime,) if utc != "Z" else ()
    plain: dict[str, Any] = msgspec.to_builtins(values, builtin_types=times, str_keys=True)
    return plain if utc == "Z" else _view_times_as_text(plain)


def _view_times_as_text(value: Any) -> Any:
    match value:
        case datetime():
            return value.isoformat()
        case dict():
            return {key: _view_times_as_text(item) for key, item in value.items()}
        case list() | tuple():
            return [_view_times_as_text(item) for item in value]
    return value
