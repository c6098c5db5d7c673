"""The three clocks of a question: what was true on a day, had been said by a day, and was known at a time."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from uac.errors import Refused

__all__ = ["Clocks", "parse_clocks", "parse_known"]


@dataclass(frozen=True, slots=True)
class Clocks:
    """The three clocks. Each may be left open, and they combine: None means the present.

    `valid`: what was true on that day; `told`: what had been said by the end of that day, whenever it was processed;
    `known`: what memory held at that position or time.
    """

    valid: date | None = None
    told: date | None = None
    known: int | datetime | None = None

    @property
    def is_present(self) -> bool:
        return self == Clocks()

    def __str__(self) -> str:
        known = self.known.isoformat() if isinstance(self.known, datetime) else self.known
        named = (("valid", self.valid), ("told", self.told), ("known", known))
        return ", ".join(f"{name} {value}" for name, value in named if value is not None)


def parse_clocks(valid: str | None = None, told: str | None = None, known: str | int | None = None) -> Clocks:
    """The clocks that a caller wrote: two days (YYYY-MM-DD), and a position, a day, or a time with its zone."""
    return Clocks(_parse_day(valid, "valid"), _parse_day(told, "told"), None if known is None else parse_known(known))


def parse_known(text: str | int, what: str = "known") -> int | datetime:
    """A position, a time with its zone, or a day: its end in UTC."""
    if isinstance(text, int) or (text.isdecimal() and text.isascii()):
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(
            f"{what}: {text!r} is not a valid time. Use a position, a day or a time such as 2026-03-01T12:00+01:00."
        ) from None
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        return datetime.combine(moment.date(), time.max, UTC)
    if moment.tzinfo is None:
        raise Refused(f"{what}: {text} has no time zone. Add one such as +02:00 or Z.")
    return moment


def _parse_day(text: str | None, what: str) -> date | None:
    if text is None:
        return None
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass
    raise Refused(f"{what}: {text!r} is not a valid date. Use YYYY-MM-DD.")
