"""The verdict on one value of a record's field, by the form it has."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation

from uac.conversation.checks.births import birth_verdict, is_birth_field
from uac.conversation.checks.number_rivals import is_amount_field
from uac.conversation.checks.number_verdicts import currency_verdict, number_verdict, weekday_verdict
from uac.conversation.checks.readings import QuotedText, Readings, read_quotes
from uac.conversation.checks.stated_years import worked_out_years
from uac.conversation.checks.time_verdicts import length_verdict, moment_verdict, time_verdict
from uac.conversation.checks.verdicts import (
    FOLLOWS,
    Json,
    Verdict,
    best,
    date_verdict,
    worst,
    worst_of_parts,
)
from uac.conversation.checks.weekdays import weekday_of
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["value_verdict", "verdict_in_readings"]


def value_verdict(name: str, raw: Json, quotes: Sequence[QuotedText], *, usual_currency: str = "") -> Verdict:
    """Whether a value follows from the quotes, contradicts them, or cannot be decided."""
    return verdict_in_readings(name, raw, read_quotes(quotes), usual_currency=usual_currency)


def verdict_in_readings(name: str, raw: Json, readings: Readings, *, usual_currency: str = "") -> Verdict:
    match raw:
        case None | bool():
            return FOLLOWS
        case int() | float() | Decimal():
            return _number_or_year(name, Decimal(str(raw)), readings)
        case {"amount": amount, **rest}:
            verdicts = [verdict_in_readings(name, amount, readings)] if amount is not None else []
            if isinstance(currency := rest.get("currency"), str):
                number = Decimal(str(amount)) if isinstance(amount, int | float | Decimal) else None
                verdicts.append(currency_verdict(currency, readings, usual_currency, number))
            return worst_of_parts(verdicts)
        case str():
            return _text_verdict(name, raw, readings, usual_currency)
        case datetime() | date() | time() | timedelta():
            return verdict_in_readings(name, raw.isoformat() if not isinstance(raw, timedelta) else None, readings)
        case dict() | list() | tuple():
            inner = raw.values() if isinstance(raw, dict) else raw
            return worst([verdict_in_readings(name, value, readings, usual_currency=usual_currency) for value in inner])
    return FOLLOWS


def _number_or_year(name: str, value: Decimal, readings: Readings) -> Verdict:
    if not value.is_finite():
        return Verdict("contradicts", "no such number")
    if is_birth_field(name) and 1000 <= value <= 2999 and value == int(value):
        return birth_verdict(f"{int(value):04}", readings) or date_verdict(name, f"{int(value):04}", readings)
    is_year = value == int(value) and 1000 <= value <= 2999 and not _is_stated(value, readings)
    if (is_year and not is_amount_field(name) and (readings.dates or int(value) in worked_out_years(readings))) or (
        value == int(value) and 1000 <= value <= 2999 and "year" in name.split("_")
    ):
        of_year = date_verdict(name, f"{int(value):04}", readings)
        is_number = of_year.answer == "contradicts" and _is_stated(value, readings)  # "the car's a 2016"
        return Verdict("unsure", of_year.read) if is_number else of_year
    of_number = number_verdict(name, value, readings)
    if of_number.answer == "follows" and not is_amount_field(name) and _is_beside_year(value, readings):
        return Verdict("unsure", of_number.read)
    if is_year and not is_amount_field(name) and of_number.answer == "contradicts":  # "the summer before last"
        return best([of_number, date_verdict(name, f"{int(value):04}", readings)])
    return of_number


def _is_beside_year(value: Decimal, readings: Readings) -> bool:
    """Whether the number may be a year, and the words have another one: "the car's a 2016, we got it two years ago"."""
    years = {m.start for seen in readings.dates for m in seen.mention.meanings if len(m.start) == len("2026")}
    return value == int(value) and 1900 <= value <= 2099 and bool(years - {f"{int(value):04}"})


def _is_stated(value: Decimal, readings: Readings) -> bool:
    return any(value in number.values and not number.is_dated for number in readings.numbers)


def _text_verdict(name: str, raw: str, readings: Readings, usual: str) -> Verdict:
    if moment := _MOMENT.fullmatch(raw):
        return moment_verdict(name, moment[1], moment[2], readings)
    if _DAY.fullmatch(raw):
        is_coming = "birthday" in name and any(abs(int(raw[:4]) - said.year) <= 1 for said in readings.said)
        of_birth = birth_verdict(raw, readings) if is_birth_field(name) and not is_coming else None
        return of_birth or date_verdict(name, raw, readings)
    if _CLOCK.fullmatch(raw):
        return time_verdict(name, raw, readings)
    if _LENGTH.fullmatch(raw):
        return length_verdict(raw, readings)
    if money := _MONEY.fullmatch(raw):
        return worst_of_parts(
            [
                number_verdict(name, Decimal(money[1]), readings, is_amount=True),
                currency_verdict(money[2], readings, usual, Decimal(money[1])),
            ]
        )
    if _NUMBER.fullmatch(raw):
        try:
            return number_verdict(name, Decimal(raw), readings)
        except InvalidOperation:
            return Verdict("contradicts", "no such number")
    if (weekday := weekday_of(raw)) is not None and len(raw) > 3:
        return weekday_verdict(name, weekday, readings)
    return FOLLOWS


_MOMENT = lazy_pattern(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)
_DAY = lazy_pattern(r"\d{4}(?:-\d\d){0,2}", re.ASCII)
_CLOCK = lazy_pattern(r"\d\d:\d\d(?::\d\d)?", re.ASCII)
_LENGTH = lazy_pattern(r"-?P(?=\d|T\d)(?:\d{1,9}[YMWD])*(?:T(?:\d{1,9}(?:\.\d{1,9})?[HMS])+)?", re.ASCII)
_MONEY = lazy_pattern(r"(-?\d+(?:\.\d+)?) ([A-Z]{3})", re.ASCII)
_NUMBER = lazy_pattern(r"-?\d+(?:\.\d+)?", re.ASCII)
