"""How people write days, clock times and amounts: several ways for one value, in three languages."""

import random
from datetime import date, time
from decimal import Decimal
from typing import Literal, TypeAlias

__all__ = ["Language", "amount_text", "bare_day", "clock_text", "day_text", "today_text"]

Language: TypeAlias = Literal["en", "de", "es"]

WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
}
MONTHS: dict[Language, tuple[str, ...]] = {
    "en": tuple("January February March April May June July August September October November December".split()),
    "de": tuple("Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()),
    "es": tuple("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()),
}
NEAR: dict[Language, dict[int, str]] = {
    "en": {-1: "yesterday", 0: "today", 1: "tomorrow", -2: "two days ago", -3: "three days ago", 14: "in two weeks"},
    "de": {-1: "gestern", 0: "heute", 1: "morgen", -2: "vorgestern", 2: "übermorgen", 14: "in zwei Wochen"},
    "es": {-1: "ayer", 0: "hoy", 1: "mañana", -2: "anteayer", 2: "pasado mañana", 14: "en dos semanas"},
}
PREPOSITIONS: dict[Language, str] = {"en": "on ", "de": "am ", "es": ""}
WEEK = 7


def day_text(day: date, said: date, language: Language, chance: random.Random) -> str:
    """A phrase for a day that somebody who reads it on the day it was said cannot mistake."""
    return chance.choice([*_near_phrases(day, said, language), *_calendar_phrases(day, said, language)])


def today_text(day: date, said: date, language: Language) -> str:
    """The word for today or yesterday."""
    return NEAR[language][(day - said).days]


def bare_day(phrase: str, language: Language) -> str:
    """The phrase without its preposition: 'on Friday' is 'Friday'."""
    return phrase.removeprefix(PREPOSITIONS[language])


def clock_text(at: time, language: Language, chance: random.Random) -> str:
    hour = at.hour % 12 or 12
    whole = f"{hour}" if at.minute == 0 else f"{hour}:{at.minute:02}"
    if language != "en":
        return f"{at:%H:%M}"
    return chance.choice([f"{at:%H:%M}", f"{whole} {'pm' if at.hour >= 12 else 'am'}"])


def amount_text(amount: Decimal, language: Language) -> str:
    return f"£{amount}" if language == "en" else f"{amount} €".replace(".", ",")


def _near_phrases(day: date, said: date, language: Language) -> list[str]:
    away = (day - said).days
    weekday = WEEKDAYS[language][day.weekday()]
    found = [NEAR[language][away]] if away in NEAR[language] else []
    if 1 < away < WEEK:
        found.append({"en": f"on {weekday}", "de": f"am {weekday}", "es": f"el {weekday}"}[language])
    if -WEEK < away < -1:
        found.append({"en": f"last {weekday}", "de": f"letzten {weekday}", "es": f"el {weekday} pasado"}[language])
    return found


def _calendar_phrases(day: date, said: date, language: Language) -> list[str]:
    month = MONTHS[language][day.month - 1]
    year = "" if abs((day - said).days) < 150 else f" {day.year}"
    match language:
        case "en":
            found = [f"on {day.day} {month}{year}", f"on {month} {day.day}{year and ','}{year}"]
            if (day.year, day.month) == (said.year, said.month) and day != said:
                found.append(f"on the {day.day}{_ordinal(day.day)}")
        case "de":
            found = [f"am {day.day}. {month}{year}"]
            if (day.year, day.month) == (said.year, said.month) and day != said:
                found.append(f"am {day.day}.")
        case "es":
            found = [f"el {day.day} de {month}{year and ' de'}{year}"]
    return found


def _ordinal(number: int) -> str:
    if number in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
