"""Whether a number, an amount, a currency or a weekday follows from quoted words."""

import re
from collections.abc import Sequence
from decimal import Decimal

from uac.conversation.checks.daily_times import times_a_day
from uac.conversation.checks.field_names import Place, is_current_alone
from uac.conversation.checks.field_roles import IS_ONE_OF_SEVERAL
from uac.conversation.checks.number_rivals import (
    has_money_beside,
    is_amount_field,
    is_only_number,
    is_worked_out_number,
)
from uac.conversation.checks.readings import Readings, ReadNumber
from uac.conversation.checks.spoken_prices import spoken_prices
from uac.conversation.checks.verdicts import FOLLOWS, Verdict
from uac.conversation.checks.weekdays import (
    WEEKDAYS,
    has_weekdays_apart,
    is_moved_between_weekdays,
    weekday_places,
    weekdays_beside,
    weekdays_in,
    weekdays_left_out,
)
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import unaccented

__all__ = [
    "counted_times",
    "currency_verdict",
    "number_verdict",
    "weekday_verdict",
]


def number_verdict(name: str, value: Decimal, readings: Readings, *, is_amount: bool = False) -> Verdict:
    """The verdict on a number or an amount of money."""
    value = abs(value)
    plain = [number for number in readings.numbers if not number.is_denied]
    free = [number for number in plain if not number.is_dated]
    read = _numbers_text(free)
    if is_amount or is_amount_field(name) or _HEIGHT_FIELD.search(name):
        prices = spoken_prices(readings)
        if value in prices:  # the rent is hardly 9.50
            return Verdict("unsure", read) if _LARGE_FIELD.search(name) or len(prices) > 1 else FOLLOWS
        if prices and any(value in number.values for number in free):
            return Verdict("unsure", f"{min(prices)}")
    if "per_day" in name and times_a_day(readings.texts) == {value}:
        return FOLLOWS
    if (of_rate := _rate_verdict(name, value, free, read)) is not None:
        return of_rate
    converted = _converted(name, readings)
    if converted:
        return FOLLOWS if value in converted else Verdict("contradicts", read)
    same = [number for number in free if _is_among(value, number.values)]
    # "3.50" may be read as a time of day
    others = [number for number in free if number.values and value not in number.values and not _is_often(number)]
    others += [number for number in plain if number.is_dated and _may_be_no_time(number, readings)]
    if _UNIT_OF_TIME.search(name):  # "married for 12 years, together 15"
        others += [number for number in plain if number.is_dated and readings.is_in_length(number)]
    if same:
        is_only = is_only_number(name, same, others, readings, is_amount=is_amount)
        return FOLLOWS if is_only else Verdict("unsure", read)
    if value in spoken_prices(readings):
        return Verdict("unsure", read)
    if any(value in number.also for number in free) and not (others or _has_other_values(free, value)):
        return FOLLOWS if _has_strong_weak_number(value, free) else Verdict("unsure", read)
    if "per_day" in name and counted_times(value, " a day", readings):
        return Verdict("unsure", read)
    if is_worked_out_number(name, value, readings, plain) or any(value in n.values for n in plain if n.is_dated):
        return Verdict("unsure", read)
    return Verdict("contradicts", read)


def _may_be_no_time(number: ReadNumber, readings: Readings) -> bool:
    """Whether a number that was read as a time of day may be another one: "20 mg in the morning and 10 at night"."""
    return any(one % 1 for one in number.values) or any(
        each.words == number.words
        and each.time.start <= number.start
        and number.end == len(each.words[: each.time.end].rstrip())
        and _AT_HOUR.match(each.words[each.time.start : each.time.end]) is None
        for each in readings.times
    )


_UNIT_OF_TIME = lazy_pattern(r"year|month|week|day|hour|minute|night|age")
_AT_HOUR = lazy_pattern(r"(?:at|@|um|a las?|à|alle|às|om|o|by|until|from)\b", re.IGNORECASE)
_LARGE_FIELD = lazy_pattern(r"rent|deposit|salary|budget|wage|loan")
_HEIGHT_FIELD = lazy_pattern(r"height|tall|(?:^|_)m$")
"""A height is said like a price: "one eighty-two"."""


def _rate_verdict(name: str, value: Decimal, numbers: Sequence[ReadNumber], read: str) -> Verdict | None:
    """The verdict on a price per month, year or the like, if the words have prices for several of them."""
    wanted = [span for span, (field, _words) in _RATES.items() if field.search(name)]
    rates = {number: _rate_of(number) for number in numbers if number.values and not _is_often(number)}
    if not wanted or len(set(rates.values()) - {""}) == 0 or len(rates) < 2:
        return None
    if not any(value in number.values for number in rates):
        return None
    if len(wanted) > 1 or wanted[0] not in rates.values():
        return Verdict("unsure", read)
    plain = [one for number, rate in rates.items() if not rate for one in number.values]
    if any(_BY.search(number.words[: number.start]) for number in rates if value in number.values):
        return Verdict("unsure", read)  # "goes up by £8.40 a week"
    has_price = any(has_money_beside(number) for number in numbers if value in number.values)
    if value < max(plain, default=value) and value <= _FEW and not has_price:  # "four a month make 80"
        return Verdict("unsure", read)
    is_stated = any(value in number.values and rate == wanted[0] for number, rate in rates.items())
    return FOLLOWS if is_stated else Verdict("unsure" if "" in rates.values() else "contradicts", read)


_FEW = 12
_BY = lazy_pattern(r"\b(?:by|um|en|de|di|met|o) ?[€£$]? ?$", re.IGNORECASE)


def _is_often(number: ReadNumber) -> bool:
    return re.match(r"(?:once|twice|thrice|\w+mal)\b", number.words[number.start :], re.IGNORECASE) is not None


def _rate_of(number: ReadNumber) -> str:
    """What the price is for: "month" for "9.90 im Monat"."""
    after = _PRICE_WORDS.sub("", number.words[number.end : number.end + 40].casefold(), count=1)
    return next((span for span, (_field, words) in _RATES.items() if words.match(after)), "")


_PRICE_WORDS = lazy_pattern(r"^ ?(?:[€£$]|euros?|eur|pounds|quid|dollars|bucks|zł|franken|chf|reais|libras)(?!\w)")
_RATES = {
    span: (
        lazy_pattern(rf"(?:^|_)(?:{field})(?:_|$)"),
        lazy_pattern(
            rf" ?(?:/|(?:a|an|per|each|for the|im|pro|die|al|el|par|le|la|por|ao|à l['’]|all['’]|de|na"
            rf"|za)? ?)(?:{words})\b"
        ),
    )
    for span, field, words in (
        (
            "month",
            "monthly|month",
            "month|monthly|monat|monatlich|mes|mensual\\w*|mois|mensuel\\w*|mese|mensil\\w+|mês|maand|miesiąc|miesięcznie",
        ),
        (
            "year",
            "yearly|annual|year|annually",
            "year|yearly|annually|jahr|jährlich|año|anual\\w*|an|année|anno|annual\\w*|ano|jaar|rok|rocznie",
        ),
        (
            "week",
            "weekly|week",
            "week|weekly|woche|wöchentlich|semana|semanal\\w*|semaine|settimana|tydzień|tygodniowo",
        ),
        (
            "night",
            "nightly|night|daily|day",
            "night|day|nacht|tag|noche|día|nuit|jour|notte|giorno|noite|dia|dag|noc|dzień|dziennie",
        ),
        ("hour", "hourly|hour", "hour|stunde|hora|heure|ora|uur|godzinę"),
    )
}


def _is_among(value: Decimal, values: frozenset[Decimal]) -> bool:
    """Whether it is one of the values; a third may be written with more or fewer digits."""
    is_whole = value == value.to_integral_value()
    return value in values or (
        not is_whole and any(0 < one < 1 and abs(one - value) < Decimal("0.006") for one in values)
    )


def _has_other_values(numbers: Sequence[ReadNumber], value: Decimal) -> bool:
    """Whether another, better reading of the same words exists: the 4 of "four-oh" is not 4."""
    return any(number.values and value not in number.values for number in numbers)


def _has_strong_weak_number(value: Decimal, numbers: Sequence[ReadNumber]) -> bool:
    """Whether the number is said with a word that is one in this place: "a pair of robins", "one and a half"."""
    if any(value in number.also and value > 1 and has_money_beside(number) for number in numbers):
        return True
    return any(
        value in number.also
        and _SAYS_NUMBER.match(number.words, number.start) is not None
        and value == max(number.also)
        for number in numbers
    )


_SAYS_NUMBER = lazy_pattern(
    r"(?:pair|couple|both|twins|triplets|twice|thrice|double|once|third|second|first|fourth|half|(?:one|two|three"
    r"|\d+) and a half"
    r"|dritte\w*|zweite\w*|erste\w*|terz[oa]|second[oa]|terceir[oa]|tercer[oa]?|troisième|deuxième|premi\w+|derde"
    r"|tweede|eerste|drugi\w*|trzeci\w*)\b",
    re.IGNORECASE,
)


def _converted(name: str, readings: Readings) -> set[Decimal]:
    """Values in the unit of the field, if the words use another one: a Dutch pond is half a kilo."""
    found: set[Decimal] = set()
    if re.search(r"(?:^|_)(?:km|distance)", name):
        found |= {Decimal(match[1]) for text in readings.texts for match in re.finditer(r"\b(\d+)k\b", text)}
    for suffix, units in _CONVERSIONS.items():
        if re.search(rf"(?:^|_){suffix}$", name.casefold()):
            for number in readings.numbers:
                after = unaccented(number.words[number.end : number.end + 16])
                for unit, size in units.items():
                    if re.match(rf" ?{unit}\b", after) and not number.is_denied:
                        values = number.values or number.also
                        found |= {value * Decimal(size) for value in values}
    return found


_CONVERSIONS = {
    "kg": {
        "pond": "0.5",
        "livres?": "0.5",
        "pfund": "0.5",
        "deko": "0.01",
        "dag": "0.01",
        "g": "0.001",
        "gr": "0.001",
        "gramm?e?s?": "0.001",
        "gramos": "0.001",
        "gramas": "0.001",
        "grammi": "0.001",
        "ons": "0.1",
        "etti": "0.1",
        "etto": "0.1",
        "gram\\w*": "0.001",
        "tonn?es?": "1000",
    },
    "g": {"kg": "1000", "kilos?": "1000"},
    "km": {"m": "0.001", "metres?": "0.001", "meters?": "0.001"},
    "cm": {"m": "100", "mm": "0.1"},
    "m": {"km": "1000", "cm": "0.01"},
}


def counted_times(value: Decimal, after: str, readings: Readings) -> bool:
    """Whether a number counts what the words list: "twice a day" for "mornings and evenings", "three days a week" for
    "Tuesday, Wednesday and Thursday"."""
    if _A_DAY.match(after):
        return value == len({part for text in readings.texts for part, words in _PARTS.items() if words.search(text)})
    if _DAYS_COUNTED.match(after):
        return value == len({day for text in readings.texts for day, _ in weekdays_in(text)})
    return False


_A_DAY = lazy_pattern(
    r" ?(?:times )?(?:a|per|am|pro|al|par|por|ao|per) (?:day|tag|día|jour|giorno|dia|dag)\b| ?täglich", re.IGNORECASE
)
_DAYS_COUNTED = lazy_pattern(r" ?(?:days|tage|días|jours|giorni|dias|dagen|dni)\b", re.IGNORECASE)
_PARTS = {
    part: lazy_pattern(rf"\b(?:{words})\b", re.IGNORECASE)
    for part, words in (
        ("morning", "mornings?|morgens|früh|mañanas?|matins?|mattin[ao]|manhã|ochtends?|rano|breakfast"),
        ("noon", "noon|midday|lunch(?:time)?|mittags|mediodía|midi|mezzogiorno|meio-dia"),
        ("evening", "evenings?|abends|tardes?|soirs?|sera|avonds?|wieczorem|dinner|supper"),
        ("night", "nights?|nachts|noches?|nuits?|notte|noite|bed(?:time)?"),
    )
}


def _numbers_text(numbers: Sequence[ReadNumber]) -> str:
    said = [number.words[number.start : number.end] for number in numbers if number.values]
    return ", ".join(dict.fromkeys(said[:5])) or "no number"


# --- currencies -------------------------------------------------------------------------------------------------------


def currency_verdict(code: str, readings: Readings, usual: str = "", number: Decimal | None = None) -> Verdict:
    """The verdict on a currency. If the words name none, the usual one may be assumed; another one is invented. A
    currency beside another number need not be that of this `number`."""
    stated = readings.currencies
    if stated and code == usual and code not in stated and _is_without_currency(number, readings):
        return Verdict("unsure", "no currency, so that the usual one is assumed")
    if code in stated:
        return FOLLOWS if len(stated - {"$"}) == 1 else Verdict("unsure", ", ".join(sorted(stated)))
    if "$" in stated and code in _DOLLARS:
        return Verdict("unsure", "$")
    if stated - {"$"} or "$" in stated:
        return Verdict("contradicts", ", ".join(sorted(stated - {"$"})) or "$")
    if any(_SLANG.search(text) for text in readings.texts):
        return Verdict("unsure", "no currency")
    return (
        Verdict("unsure", "no currency, so that the usual one is assumed")
        if usual in (code, "*")
        else Verdict("contradicts", "no currency")
    )


def _is_without_currency(value: Decimal | None, readings: Readings) -> bool:
    """Whether the number is stated without a currency, and each one of the words is beside another number."""
    own = [number for number in readings.numbers if value is not None and value in number.values]
    others = [number for number in readings.numbers if number not in own and has_money_beside(number)]
    return bool(own and others) and not any(map(has_money_beside, own))


_DOLLARS = frozenset("USD CAD AUD NZD SGD HKD".split())
_SLANG = lazy_pattern(
    r"\b(?:balles|paus|pavos|piepen|mäuse|sacchi|kröten|pounds?|pesos|crowns?|kronor|kroner|koron)\b", re.IGNORECASE
)


# --- weekdays ---------------------------------------------------------------------------------------------------------


def weekday_verdict(name: str, index: int, readings: Readings) -> Verdict:
    """The verdict on a day of the week."""
    days = [found for text in readings.texts for found in weekdays_in(text)]
    left_out = {day for text in readings.texts for day in weekdays_left_out(text)}
    recurring = {day for day, is_recurring in days if is_recurring}
    single = {day for day, is_recurring in days if not is_recurring} - recurring
    read = ", ".join(WEEKDAYS[day] for day in sorted(recurring or single)) or "no weekday"
    is_open = any(has_weekdays_apart(text) or is_moved_between_weekdays(text) for text in readings.texts)
    places = [(at, Place(text, *span)) for text in readings.texts for at, span in weekday_places(text)]
    mine, theirs = [one for at, one in places if at == index], [one for at, one in places if at != index]
    if mine and is_current_alone(name, mine, theirs):
        return FOLLOWS
    if any(map(_THE_REST.search, readings.texts)):
        return Verdict("unsure", read)
    if index in left_out or (left_out and index in recurring | single):  # "every day but Wednesday": which is asked?
        return Verdict("unsure", read)
    if index in recurring | single and (is_open or (IS_ONE_OF_SEVERAL.search(name) and len(recurring | single) > 1)):
        return Verdict("unsure", read)
    beside = {day for text in readings.texts for day in weekdays_beside(text, name)}
    if beside and index not in beside:
        return Verdict("unsure" if index in recurring | single else "contradicts", read)
    if index in recurring or (not recurring and single == {index}):
        return FOLLOWS
    if index in single and not recurring:
        return Verdict("unsure", read)
    sure = [m for seen in readings.dates for m in seen.mention.sure_meanings]
    if not days and (any(m.first is not None and m.first.weekday() == index for m in sure) or _names_days(readings)):
        return Verdict("unsure", read)
    return Verdict("contradicts", read)


_THE_REST = lazy_pattern(
    r"\b(?:the rest|the others?|other days|otherwise|sonst|die anderen|restlichen|los demás|el resto|le reste"
    r"|les autres|il resto|gli altri|os outros|o resto|de rest|andere dagen|reszt\w+|pozostał\w+)\b",
    re.IGNORECASE,
)


def _names_days(readings: Readings) -> bool:
    """Whether the words speak of days of the week in a way that code does not understand."""
    return any(
        re.search(
            r"day|week|tag\b|woche|día|semana|jour|semaine|giorn|settiman|dia|dag|dzień|tydzień|feira", text.casefold()
        )
        for text in readings.texts
    )
