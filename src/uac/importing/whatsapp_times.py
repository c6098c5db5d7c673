"""The first words of a WhatsApp line: its time, as phones of several languages write it, and the order of its date."""

import re
from collections.abc import Iterable
from datetime import date, time
from typing import Literal, NamedTuple, TypeAlias

from uac.errors import Refused

__all__ = ["DateOrder", "LineStart", "WrittenDate", "find_date_order", "match_line_start"]

DateOrder: TypeAlias = Literal["day-first", "month-first"]

_MORNING = ("am", "上午", "午前", "오전", "ص", "πμ", "ка")
_AFTERNOON = ("pm", "下午", "午後", "오후", "م", "μμ", "кк")
_OTHER_HALVES = "|".join((*_MORNING[1:], *_AFTERNOON[1:]))
_HALF = rf"[AaPp]\.?\s?[Mm]\.?|{_OTHER_HALVES}"

# Android: `31/12/2024, 17:03 - Ana: Hello`. iOS: `[31.12.24, 17:03:22] Ana: Hello`, perhaps after an invisible mark.
_START = re.compile(
    rf"""[\u200e\u200f]*(?P<bracket>\[)?
    (?P<a>\d{{1,4}})(?P<separator>[./-])\s?(?P<b>\d{{1,2}})[./-]\s?(?P<c>\d{{1,4}})\.?
    (?:,|،|、)?(?:\s(?:à|um|at|kl\.?|в|о))?\s{{0,2}}
    (?P<before>{_HALF})?\s?
    (?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?
    (?:\s?(?P<after>{_HALF}))?
    (?(bracket)\]\s?|\s[-\u2013]\s)""",
    re.VERBOSE,
)


class WrittenDate(NamedTuple):
    """The three numbers of a date in the order of the file, and what is between them."""

    a: int
    b: int
    c: int
    separator: str
    has_year_first: bool

    def in_order(self, order: DateOrder) -> date:
        """Raises ValueError if there is no such day."""
        if self.has_year_first:
            return date(self.a, self.b, self.c)
        return date(self.c, self.b, self.a) if order == "day-first" else date(self.c, self.a, self.b)


class LineStart(NamedTuple):
    """The date and the time that a line starts with, as written, and where its words begin."""

    date: WrittenDate
    hour: int
    minute: int
    second: int
    half: str
    end: int

    def clock(self) -> time:
        """Raises ValueError if there is no such time."""
        hour = self.hour
        if self.half and hour > 12:
            raise ValueError(f"hour {hour} is not one of a 12-hour clock")
        if self.half:
            hour = hour % 12 + (12 if self.half in _AFTERNOON else 0)
        return time(hour, self.minute, self.second)


def match_line_start(line: str) -> LineStart | None:
    """The start of a message; None for a line that continues the message before it."""
    found = _START.match(line)
    if found is None:
        return None
    half = re.sub(r"[.\s]", "", (found["before"] or found["after"] or "").lower())
    year = int(found["c"]) + (2000 if len(found["c"]) < 3 and len(found["a"]) < 3 else 0)
    written = WrittenDate(int(found["a"]), int(found["b"]), year, found["separator"], len(found["a"]) > 2)
    return LineStart(written, int(found["hour"]), int(found["minute"]), int(found["second"] or 0), half, found.end())


def find_date_order(name: str, dates: Iterable[WrittenDate], given: DateOrder | Literal[""] = "") -> DateOrder:
    """The given order, or the only one in which all dates exist or follow each other; Refused if both do, or none."""
    orders: tuple[DateOrder, DateOrder] = ("day-first", "month-first")
    latest = dict.fromkeys(orders, date.min)
    has_dates, is_sorted = dict.fromkeys(orders, True), dict.fromkeys(orders, True)
    is_ambiguous = has_dots = False
    for written in dates:
        if written.has_year_first:
            continue
        has_dots = has_dots or written.separator == "."
        days = {order: _day_or_none(written, order) for order in orders}
        if not any(days.values()):
            continue  # the line is reported as broken
        is_ambiguous = is_ambiguous or days["day-first"] != days["month-first"]
        for order, day in days.items():
            has_dates[order] = has_dates[order] and day is not None
            is_sorted[order] = is_sorted[order] and day is not None and day >= latest[order]
            latest[order] = day or latest[order]
    if given or has_dots:
        return given or "day-first"
    for candidates in (has_dates, is_sorted):
        possible = [order for order in orders if candidates[order]]
        if len(possible) == 1:
            return possible[0]
    if is_ambiguous:
        raise Refused(f"{name}: day and month are ambiguous in its dates. Use --dates day-first or month-first.")
    return "day-first"


def _day_or_none(written: WrittenDate, order: DateOrder) -> date | None:
    try:
        return written.in_order(order)
    except ValueError:
        return None
