"""How people write days, clock times and amounts: several ways for one value, in four languages."""

import random
from datetime import date, time
from decimal import Decimal
from typing import Literal, TypeAlias

__all__ = ["LANGUAGES", "Language", "amount_text", "bare_day", "clock_text", "day_text", "number_text", "today_text"]

Language: TypeAlias = Literal["en", "de", "es", "fr"]
LANGUAGES: tuple[Language, ...] = ("en", "de", "es", "fr")

WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    "fr": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
}
MONTHS: dict[Language, tuple[str, ...]] = {
    "en": tuple("January February March April May June July August September October November December".split()),
    "de": tuple("Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()),
    "es": tuple("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()),
    "fr": tuple("janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()),
}
NEAR: dict[Language, dict[int, str]] = {
    "en": {-1: "yesterday", 0: "today", 1: "tomorrow", -2: "two days ago", -3: "three days ago", 14: "in two weeks"},
    "de": {-1: "gestern", 0: "heute", 1: "morgen", -2: "vorgestern", 2: "übermorgen", 14: "in zwei Wochen"},
    "es": {-1: "ayer", 0: "hoy", 1: "mañana", -2: "anteayer", 2: "pasado mañana", 14: "en dos semanas"},
    "fr": {-1: "hier", 0: "aujourd'hui", 1: "demain", -2: "avant-hier", 2: "après-demain", 14: "dans deux semaines"},
}
PREPOSITIONS: dict[Language, str] = {"en": "on ", "de": "am ", "es": "", "fr": ""}
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
    ways: dict[Language, tuple[str, ...]] = {
        "en": (f"{at:%H:%M}", f"{whole} {'pm' if at.hour >= 12 else 'am'}"),
        "de": (f"{at:%H:%M}", f"{at:%H:%M} Uhr", f"{at.hour} Uhr {at.minute}" if at.minute else f"{at.hour} Uhr"),
        "es": (f"{at:%H:%M}", f"{at:%H:%M} h"),
        "fr": (f"{at:%H:%M}", f"{at.hour}h{at.minute:02}" if at.minute else f"{at.hour}h"),
    }
    return chance.choice(ways[language])


def amount_text(amount: Decimal, language: Language, chance: random.Random) -> str:
    whole, cents = divmod(amount, 1)
    if language == "en":
        return chance.choice((f"£{amount}", f"£{amount}", f"{amount} pounds"))
    written = number_text(amount, language)
    unit = {"de": "Euro", "es": "euros", "fr": "euros"}[language]
    spoken = f"{whole} {unit} {cents * 100:.0f}" if cents and language != "es" else f"{written} {unit}"
    return chance.choice((f"{written} €", f"{written} {unit}", spoken))


def number_text(number: Decimal, language: Language) -> str:
    return str(number) if language == "en" else str(number).replace(".", ",")


def _near_phrases(day: date, said: date, language: Language) -> list[str]:
    away = (day - said).days
    weekday = WEEKDAYS[language][day.weekday()]
    found = [NEAR[language][away]] if away in NEAR[language] else []
    if 1 < away < WEEK:
        found.append({"en": f"on {weekday}", "de": f"am {weekday}", "es": f"el {weekday}", "fr": weekday}[language])
    if -WEEK < away < -1:
        last = {"en": f"last {weekday}", "de": f"letzten {weekday}", "es": f"el {weekday} pasado"}
        found.append(last.get(language, f"{weekday} dernier"))
    return found


def _calendar_phrases(day: date, said: date, language: Language) -> list[str]:
    month = MONTHS[language][day.month - 1]
    year = "" if abs((day - said).days) < 150 else f" {day.year}"
    is_this_month = (day.year, day.month) == (said.year, said.month) and day != said
    match language:
        case "en":
            found = [f"on {day.day} {month}{year}", f"on {month} {day.day}{year and ','}{year}"]
            return [*found, f"on the {day.day}{_ordinal(day.day)}"] if is_this_month else found
        case "de":
            return [f"am {day.day}. {month}{year}", *([f"am {day.day}."] if is_this_month else ())]
        case "es":
            return [f"el {day.day} de {month}{year and ' de'}{year}"]
        case "fr":
            return [f"le {'1er' if day.day == 1 else day.day} {month}{year}"]


def _ordinal(number: int) -> str:
    if number in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
