"""Which passages a search may find."""

from collections.abc import Collection
from datetime import date, datetime
from typing import TypeVar

import msgspec

from uac.errors import Refused
from uac.log.index import KINDS, RecallKind
from uac.project.claims import AUTHORITIES
from uac.schema.entries import Authority

__all__ = ["EVERYTHING", "Filter", "checked_filter_list", "read_filter"]

Name = TypeVar("Name", bound=str)


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Search filter. A passage must satisfy every field that is set; an empty field matches everything."""

    kinds: tuple[RecallKind, ...] = KINDS
    about: str = ""
    """A person or thing that the passage names, or that speaks there."""
    since: date | None = None
    until: date | None = None
    authorities: tuple[Authority, ...] = ()
    sessions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    former: bool = False
    """Include facts that were superseded."""
    through: int | None = None
    """Only positions up to this one, and no records."""


EVERYTHING = Filter()


def read_filter(
    kinds: Collection[RecallKind],
    between: tuple[date | None, date | None],
    *,
    about: str,
    authorities: Collection[Authority],
    sessions: Collection[str],
    sources: Collection[str],
    former: bool,
) -> Filter:
    """The filter for a caller's arguments, or Refused."""
    since, until = map(_filter_day, between)
    if since and until and since > until:
        raise Refused(f"between: {since} to {until} ends before it starts. Swap the two days.")
    return Filter(
        kinds=checked_filter_list("kinds", kinds, KINDS),
        about=about,
        since=since,
        until=until,
        authorities=checked_filter_list("authorities", authorities, AUTHORITIES),
        sessions=checked_filter_list("sessions", sessions),
        sources=checked_filter_list("sources", sources),
        former=former,
    )


def _filter_day(moment: date | None) -> date | None:
    """The day of a date or datetime."""
    return moment.date() if isinstance(moment, datetime) else moment


def checked_filter_list(name: str, given: Collection[Name], known: Collection[Name] | None = None) -> tuple[Name, ...]:
    """The values as a tuple, or Refused: a single string is not a list."""
    if isinstance(given, str) or (known is not None and not set(given) <= set(known)):
        of = f" of: {', '.join(known)}" if known is not None else f", such as [{given!r}]"
        raise Refused(f"{name} is {given!r}. Use a list{of}.")
    return tuple(given)
