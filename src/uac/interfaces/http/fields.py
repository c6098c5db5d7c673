"""What requests and answers are made of: shapes, numbers, times and cursors that many routes share."""

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
    "cursor",
    "project_at",
    "read_cursor",
]

MOST = 2**53
"""The largest whole number that every client reads as it is written."""


T = TypeVar("T", bound=tuple[object, ...])


class Input(BaseModel):
    """What a client sends: nothing but what is named."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Output(BaseModel):
    """What a client is told, read from the library's own values."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


def _written_out(raw: Any) -> Any:
    """Only days and times that are written out: a number would be taken for seconds since 1970."""
    if not isinstance(raw, str) or not re.match(r"\d{4}-\d\d-\d\d", raw, re.ASCII):
        raise ValueError("needs a day, or a time with its zone, as ISO 8601 writes them")
    return raw


Flag = Annotated[bool, Field(strict=True)]
Position = Annotated[int, Field(strict=True, ge=1, le=MOST)]
Moment = Annotated[AwareDatetime, BeforeValidator(_written_out), Field(examples=["2026-03-02T09:00:00+01:00"])]
Day = Annotated[date, BeforeValidator(_written_out), Field(examples=["2026-03-02"])]

When = Annotated[int, Field(ge=0, le=MOST)] | Moment
"""A position of the log, or a time."""

AsOf = Annotated[
    When | None,
    Field(union_mode="left_to_right"),
    Query(
        description="What was known then: a position of the log, or a time with its zone.",
        examples=[12, "2026-03-02T09:00:00Z"],
    ),
]


def project_at(memory: Memory, as_of: AsOf) -> Project:
    """The project as it stands, or as it stood then."""
    return memory.project() if as_of is None else memory.project_as_of(as_of)


def cursor(end: tuple[object, ...]) -> str:
    """Where a page ended, as text that means nothing to a client."""
    return base64.urlsafe_b64encode(msgspec.json.encode(end)).decode().rstrip("=")


def read_cursor(text: str, kind: type[T]) -> T:
    """Where the page before ended, as a value of that kind; Refused if the text is no cursor of ours."""
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=kind)
    except (binascii.Error, msgspec.MsgspecError, ValueError):
        raise Refused("after is no cursor, needs what `next` said on the page before") from None
