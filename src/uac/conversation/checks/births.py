"""Whether a day or year of birth follows from an age: "Oscar turns 10 on the 9th of August", "she is 43"."""

import re
from collections.abc import Iterator
from datetime import timedelta

from uac.conversation.checks.readings import Readings, ReadNumber
from uac.conversation.checks.unread_words import whole_units
from uac.conversation.checks.verdicts import FOLLOWS, Verdict
from uac.schema.periods import Period
from uac.text.dates.mentions import shifted
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["birth_verdict", "is_birth_field"]


def is_birth_field(name: str) -> bool:
    return re.search(r"born|birth", name.casefold()) is not None


def birth_verdict(raw: str, readings: Readings) -> Verdict | None:
    """The verdict on a day, month or year of birth; None if the words state no age, or the year itself."""
    if any(raw[:4] in text or re.search(rf"(?<!\w){raw[2:4]}(?![\w:])", text) for text in readings.texts):
        return None
    ages = [
        (number.words, int(value))
        for number in readings.numbers
        if not number.is_dated and not number.is_denied and _is_age(number)
        for value in number.values
        if value == int(value) and value <= _OLDEST
    ]
    if not ages:
        return _verdict_by_weeks(raw, readings)
    births = [birth for words, age in ages for birth in _births(words, age, readings)]
    certain = [born for born, is_certain in births if is_certain]
    if any(born.startswith(raw) for born in certain):
        return FOLLOWS
    is_possible = not certain and any(born.startswith(raw) or raw.startswith(born) for born, _ in births)
    read = ", ".join(dict.fromkeys(f"an age of {age}" for _words, age in ages))
    return Verdict("unsure" if is_possible else "contradicts", read)


_OLDEST = 120


def _verdict_by_weeks(raw: str, readings: Readings) -> Verdict | None:
    """The verdict on the birth of somebody whose age is a number of days, weeks or months: "she is 8 months old"."""
    for each in readings.lengths:
        if each.is_dated or each.is_denied or each.is_rate:
            continue
        for months, minutes in each.length.sure:
            reach = whole_units(months, minutes)
            if reach is None or months >= _MONTHS_COUNTED:
                continue
            slack = timedelta(days=31 if months else 7)
            for said in readings.said:
                day = shifted(said.date(), reach, back=True)
                wanted = Period.on(raw)
                if wanted.first and wanted.last and wanted.first <= day + slack and wanted.last >= day - slack:
                    return Verdict("unsure", f"an age of {each.words[each.length.start : each.length.end]}")
    return None


_MONTHS_COUNTED = 48


def _is_age(number: ReadNumber) -> bool:
    before, after = number.words[: number.start][-24:], number.words[number.end : number.end + 16]
    return _YEARS_OLD.match(after) is not None or (_IS.search(before) is not None and _THING.match(after) is None)


def _births(words: str, age: int, readings: Readings) -> Iterator[tuple[str, bool]]:
    """The days or years of a birth that many years ago, each with whether it is certain."""
    birthdays = [
        (meaning.start, at < seen.mention.sure)
        for seen in readings.dates
        if seen.words == words and not seen.is_denied
        for at, meaning in enumerate(seen.mention.meanings)
        if meaning.start == meaning.end and len(meaning.start) == len("2026-08-09")
    ]
    if birthdays and _TURNS.search(words):
        yield from ((f"{int(day[:4]) - age:04}{day[4:]}", is_sure) for day, is_sure in birthdays)
        return
    for year in (said.year - age - past for said in readings.said for past in (0, 1)):
        yield from ((f"{year:04}{end}", False) for end in {day[4:]: 0 for day, _ in birthdays} or [""])


_TURNS = lazy_pattern(
    r"\b(?:turn(?:s|ed|ing)?|will be|wird|wurde|cumpl\w+|aura|fête\w*|compi\w+|faz|faço|word|wordt|kończ\w+"
    r"|skończy)\b",
    re.IGNORECASE,
)
_IS = lazy_pattern(
    r"(?:\b(?:turn(?:s|ed|ing)?|aged?|is|am|was|be|wird|ist|bin|wurde|cumpl\w+|tiene|tengo|aura|compi\w+|faz|faço"
    r"|tem|word(?:t|en)?(?: ik| je| we)?"
    r"|kończ\w+|skończy)|['’][sm])(?: (?:just|now|already|only|about|nearly|schon|jetzt|gerade|erst|bald|ya|già|já"
    r"|al))?"
    r"(?: [ae]m \S+ \S+)? $",
    re.IGNORECASE,
)
_YEARS_OLD = lazy_pattern(
    r"[- ]?(?:geworden|years?[- ]old|yo\b|jahre? alt|jährig|años|ans\b|anni\b|anos\b|jaar oud|lat\b)"
    r"(?! (?:older|younger|älter|jünger|mayor|menor|más joven|plus (?:âgé|jeune)|più (?:grand|piccol|giovan)"
    r"|mais (?:nov|velh)"
    r"|ouder|jonger|starsz|młodsz)\w*| (?:later|after|on|später|danach|después|más tarde|plus tard|après|dopo|depois"
    r"|mais tarde|później|potem)\b)",
    re.IGNORECASE,
)
_THING = lazy_pattern(
    r" ?(?:[%€£$:]|[ap]m\b|uhr\b|km\b|kg\b|euros?\b|pounds\b|(?:minute|hour|week|month|day|stunde|woche|monat|tag"
    r"|seman|semai|mes|mois|jour|día|dia|settiman|giorn|mês|wek|maand|dag|tygod|miesi|dni)\w*)",
    re.IGNORECASE,
)
