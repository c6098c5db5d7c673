"""When something held: dates known to the day, the month or the year, and open ends."""

import calendar
import re
from datetime import date, datetime

import msgspec

from uac.errors import Refused

__all__ = ["Period", "check_period"]


class Period(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """From `start` to `end`, both included; an empty end is open.

    Each end is written as precisely as it is known: '2024', '2024-03', '2024-03-07' or an instant
    with its zone, '2024-03-07T09:30:00+01:00'.
    """

    start: str = ""
    end: str = ""

    @staticmethod
    def on(when: str) -> "Period":
        """The one year, month, day or instant."""
        return Period(when, when)

    @property
    def first(self) -> date | None:
        """The earliest day it may cover; None if open."""
        return _period_date_days(self.start)[0] if self.start else None

    @property
    def last(self) -> date | None:
        """The latest day it may cover; None if open."""
        return _period_date_days(self.end)[1] if self.end else None

    def covers(self, day: date) -> bool:
        """Whether the day may lie inside."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)


def check_period(period: Period) -> None:
    """Refuse a period whose ends do not exist or are in the wrong order."""
    try:
        first, last = period.first, period.last
    except ValueError as error:
        raise Refused(f"period {period.start or '…'} to {period.end or '…'}: {error}. {_FORMS}") from None
    if first is None or last is None:
        return
    if _INSTANT.match(period.start) and _INSTANT.match(period.end):
        is_reversed = datetime.fromisoformat(period.start) > datetime.fromisoformat(period.end)
    else:
        is_reversed = first > last
    if is_reversed:
        raise Refused(f"period {period.start} to {period.end} ends before it starts. Swap the two dates.")


_FORMS = "Use YYYY, YYYY-MM, YYYY-MM-DD or a time with its zone."
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T", re.ASCII)
_REDUCED = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


def _period_date_days(when: str) -> tuple[date, date]:
    """The first and the last day that a date of reduced precision may mean."""
    reduced = _REDUCED.fullmatch(when)
    if reduced is None:
        moment = datetime.fromisoformat(when) if _INSTANT.match(when) else None
        if moment is None or moment.tzinfo is None:
            raise ValueError(f"{when!r} is not a valid date")
        return moment.date(), moment.date()
    year, month, day = (int(part) if part else None for part in reduced.groups())
    assert year is not None
    if month is None:
        return date(year, 1, 1), date(year, 12, 31)
    if day is None:
        first = date(year, month, 1)
        return first, first.replace(day=calendar.monthrange(year, month)[1])
    return date(year, month, day), date(year, month, day)
