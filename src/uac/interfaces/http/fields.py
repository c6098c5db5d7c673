"""Types that many routes share: inputs, numbers, times and cursors."""

import base64
import binascii
import re
from datetime import date, datetime
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Depends, Query
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from uac.errors import Refused
from uac.project.clocks import Clocks

__all__ = [
    "MOST",
    "ClocksQuery",
    "Day",
    "Flag",
    "Input",
    "Moment",
    "Output",
    "Position",
    "When",
    "read_clocks",
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

ClockTime = Annotated[When | None, Field(union_mode="left_to_right")]


async def _read_clocks_query(
    valid: Annotated[Day | None, Query(description="What was true on that day.", examples=["2026-03-02"])] = None,
    told: Annotated[
        Day | None, Query(description="What had been said by the end of that day.", examples=["2026-03-02"])
    ] = None,
    known: Annotated[
        ClockTime,
        Query(
            description="What memory knew then: a position of the log, or a time with its zone.",
            examples=[12, "2026-03-02T09:00:00Z"],
        ),
    ] = None,
    as_of: Annotated[ClockTime, Query(description="The former name of `known`.", examples=[12])] = None,
) -> Clocks:
    return read_clocks(valid, told, known, as_of)


def read_clocks(
    valid: date | None, told: date | None, known: int | datetime | None, as_of: int | datetime | None
) -> Clocks:
    """The clocks of a request."""
    if known is not None and as_of is not None:
        raise Refused("known and as_of are both given. Give one of them.")
    return Clocks(valid, told, as_of if known is None else known)


ClocksQuery = Annotated[Clocks, Depends(_read_clocks_query)]


def write_cursor(end: tuple[object, ...]) -> str:
    """The end of a page, as opaque text."""
    return base64.urlsafe_b64encode(msgspec.json.encode(end)).decode().rstrip("=")


def read_cursor(text: str, kind: type[T]) -> T:
    """The end of the previous page; Refused if the text is not a cursor."""
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=kind)
    except (binascii.Error, msgspec.MsgspecError, ValueError):
        raise Refused("after is not a cursor. Send the `next` of the previous page.") from None
