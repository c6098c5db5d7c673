"""Holidays of a year, from the codes in the tables of words."""

import re
from datetime import date, timedelta

from uac.schema.periods import Period

__all__ = ["holiday_period"]


def holiday_period(code: str, year: int) -> Period:
    """The days of a holiday, or of several in a row: `12-25`, `E+39` (days from Easter), `11/4/3` (the fourth Thursday
    of November), `A1` (the first Sunday of Advent), `E-7~E+0`."""
    first, _, last = code.partition("~")
    return Period(_holiday_date(first, year).isoformat(), _holiday_date(last or first, year).isoformat())


def _holiday_date(code: str, year: int) -> date:
    if code.startswith("E"):
        return _easter_sunday(year) + timedelta(days=int(code[1:]))
    if code.startswith("A"):
        fourth = date(year, 12, 24) - timedelta(days=(date(year, 12, 24).weekday() + 1) % 7)
        return fourth - timedelta(weeks=4 - int(code[1:]))
    if counted := re.fullmatch(r"(\d+)/(-?\d)/(\d)", code):
        month, nth, weekday = map(int, counted.groups())
        edge = date(year, month, 1) if nth > 0 else date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        near = (weekday - edge.weekday()) % 7 if nth > 0 else -((edge.weekday() - weekday) % 7)
        return edge + timedelta(days=near + 7 * (nth - 1 if nth > 0 else 0))
    month, day = map(int, code.split("-"))
    return date(year, month, day)


def _easter_sunday(year: int) -> date:
    """The Sunday after the paschal full moon of the Gregorian calendar."""
    century, moon = year // 100, year % 19
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * moon + 15) % 30
    epact -= 1 if epact == 29 or (epact == 28 and moon > 10) else 0
    full = date(year, 3, 21) + timedelta(days=epact)
    return full + timedelta(days=7 - (full.weekday() + 1) % 7)
