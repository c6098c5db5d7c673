"""Types that many routes share: inputs, numbers, times and cursors."""

import base64
import binascii
import re
from datetime import date
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Query
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from uac.errors import Refused
from uac.memory.memory import Memory
from uac.project.project import Project

__all__ = [
    "MOST",
    "AsOf",
    "Day",
    "Flag",
    "Input",
    "Moment",
    "Output",
    "Position",
    "When",
    "project_at",
    "read_cursor",
    "write_cursor",
]

MOST = 2**53
"""The largest integer that every JSON client reads exactly."""


T = TypeVar("T", bound=tuple[object, ...])


class Input(BaseModel):
    """The body of a request. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Output(BaseModel):
    """An answer of an API that is not ours, read from the library's own values."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


def _require_iso_text(raw: Any) -> Any:
    """Only ISO dates and times: pydantic would read a number as seconds since 1970."""
    if not isinstance(raw, str) or not re.match(r"\d{4}-\d\d-\d\d", raw, re.ASCII):
        raise ValueError("This is not a date or time. Use a day, or a time with its zone, in ISO 8601.")
    return raw


Flag = Annotated[bool, Field(strict=True)]
Position = Annotated[int, Field(strict=True, ge=1, le=MOST)]
Moment = Annotated[AwareDatetime, BeforeValidator(_require_iso_text), Field(examples=["2026-03-02T09:00:00+01:00"])]
Day = Annotated[date, BeforeValidator(_require_iso_text), Field(examples=["2026-03-02"])]

When = Annotated[int, Field(ge=0, le=MOST)] | Moment
"""A position of the log, or a time."""

AsOf = Annotated[
    When | None,
    Field(union_mode="left_to_right"),
    Query(
        description="The state as of then: a position of the log, or a time with its zone.",
        examples=[12, "2026-03-02T09:00:00Z"],
    ),
]


def project_at(memory: Memory, as_of: AsOf) -> Project:
    """The current project, or the one as of then."""
    return memory.project() if as_of is None else memory.project_as_of(as_of)


def write_cursor(end: tuple[object, ...]) -> str:
    """The end of a page, as opaque text."""
    return base64.urlsafe_b64encode(msgspec.json.encode(end)).decode().rstrip("=")


def read_cursor(text: str, kind: type[T]) -> T:
    """The end of the previous page; Refused if the text is not a cursor."""
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=kind)
    except (binascii.Error, msgspec.MsgspecError, ValueError):
        raise Refused("after is not a cursor. Send the `next` of the previous page.") from None
