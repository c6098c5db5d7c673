"""Whether a number, an amount, a currency or a weekday follows from quoted words."""

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from uac.conversation.checks.currencies import currencies_in
from uac.conversation.checks.daily_times import times_a_day
from uac.conversation.checks.field_roles import IS_ONE_OF_SEVERAL
from uac.conversation.checks.readings import Readings, ReadNumber
from uac.conversation.checks.verdicts import FOLLOWS, Verdict
from uac.conversation.checks.weekdays import (
    WEEKDAYS,
    has_weekdays_apart,
    is_moved_between_weekdays,
    weekdays_beside,
    weekdays_in,
    weekdays_left_out,
)
from uac.text.numerals import numbers, unaccented

__all__ = [
    "counted_times",
    "currency_verdict",
    "is_amount_field",
    "number_verdict",
    "spoken_prices",
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
            return Verdict("unsure", read) if _LARGE_FIELD.search(name) else FOLLOWS
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
    others = [number for number in free if number.values and value not in number.values]
    others += [number for number in plain if number.is_dated and any(one % 1 for one in number.values)]
    if same:
        return FOLLOWS if _is_only_one(name, same, others, is_amount=is_amount) else Verdict("unsure", read)
    if value in spoken_prices(readings):
        return Verdict("unsure", read)
    if any(value in number.also for number in free) and not (others or _has_other_values(free, value)):
        return FOLLOWS if _has_strong_weak_number(value, free) else Verdict("unsure", read)
    if "per_day" in name and counted_times(value, " a day", readings):
        return Verdict("unsure", read)
    if _is_worked_out(name, value, readings, plain) or any(value in n.values for n in plain if n.is_dated):
        return Verdict("unsure", read)
    return Verdict("contradicts", read)


_LARGE_FIELD = re.compile(r"rent|deposit|salary|budget|wage|loan")
_HEIGHT_FIELD = re.compile(r"height|tall|(?:^|_)m$")
"""A height is said like a price: "one eighty-two"."""


def is_amount_field(name: str) -> bool:
    return re.search(r"amount|price|cost|fee|rent|deposit|paid|total|salary|budget", name) is not None


def _rate_verdict(name: str, value: Decimal, numbers: Sequence[ReadNumber], read: str) -> Verdict | None:
    """The verdict on a price per month, year or the like, if the words have prices for several of them."""
    wanted = [span for span, (field, _words) in _RATES.items() if field.search(name)]
    rates = {number: _rate_of(number) for number in numbers if number.values}
    if not wanted or len(set(rates.values()) - {""}) == 0 or len(rates) < 2:
        return None
    if not any(value in number.values for number in rates):
        return None
    if len(wanted) > 1 or wanted[0] not in rates.values():
        return Verdict("unsure", read)
    is_stated = any(value in number.values and rate == wanted[0] for number, rate in rates.items())
    return FOLLOWS if is_stated else Verdict("unsure" if "" in rates.values() else "contradicts", read)


def _rate_of(number: ReadNumber) -> str:
    """What the price is for: "month" for "9.90 im Monat"."""
    after = _PRICE_WORDS.sub("", number.words[number.end : number.end + 40].casefold(), count=1)
    return next((span for span, (_field, words) in _RATES.items() if words.match(after)), "")


_PRICE_WORDS = re.compile(r"^ ?(?:[€£$]|euros?|eur|pounds|quid|dollars|bucks|zł|franken|chf|reais|libras)(?!\w)")
_RATES = {
    span: (
        re.compile(rf"(?:^|_)(?:{field})(?:_|$)"),
        re.compile(
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
    if any(value in number.also and value > 1 and _has_money_beside(number) for number in numbers):
        return True
    return any(
        value in number.also
        and _SAYS_NUMBER.match(number.words, number.start) is not None
        and value == max(number.also)
        for number in numbers
    )


_SAYS_NUMBER = re.compile(
    r"(?:pair|couple|both|twins|triplets|twice|thrice|double|once|third|second|first|fourth|half|(?:one|two|three"
    r"|\d+) and a half"
    r"|dritte\w*|zweite\w*|erste\w*|terz[oa]|second[oa]|terceir[oa]|tercer[oa]?|troisième|deuxième|premi\w+|derde"
    r"|tweede|eerste|drugi\w*|trzeci\w*)\b",
    re.IGNORECASE,
)


def _is_only_one(name: str, same: Sequence[ReadNumber], others: Sequence[ReadNumber], *, is_amount: bool) -> bool:
    """Whether no other number of the words could be meant for the field."""
    rivals = [number for number in others if number.values]
    if not rivals:
        return True
    if all(map(_is_whole_of_part, same)):
        return False
    if is_amount or is_amount_field(name):
        if any(_has_money_beside(number) for number in same):
            return not any(_has_money_beside(number) for number in rivals)
        return False
    named = [word[:4] for word in re.findall(r"[a-z]{3,}", name.casefold())]
    return any(_is_beside(number, named) for number in same) and not any(_is_beside(number, named) for number in rivals)


def _is_whole_of_part(number: ReadNumber) -> bool:
    """Whether it is what another number is a part of: "3 out of 20"."""
    return _OUT_OF.search(number.words[: number.start]) is not None


_OUT_OF = re.compile(
    r"\w (?:out of|of the|von(?: den)?|der|de(?: los| las)?|sur|su|dos|das|van de|z)(?: the| total)? $", re.IGNORECASE
)


def _is_beside(number: ReadNumber, stems: Sequence[str]) -> bool:
    after = number.words[number.end : number.end + 16].casefold()
    before = number.words[max(0, number.start - 16) : number.start].casefold()
    return any(
        re.search(rf"\b{re.escape(stem)}", after) or re.search(rf"\b{re.escape(stem)}", before) for stem in stems
    )


def _has_money_beside(number: ReadNumber) -> bool:
    near = number.words[max(0, number.start - 4) : number.start] + " " + number.words[number.end : number.end + 14]
    return (
        bool(currencies_in(near))
        or re.search(r"\b(?:a month|per month|im monat|al mes|par mois|al mese|por mês|per maand)\b", near) is not None
    )


def spoken_prices(readings: Readings) -> set[Decimal]:
    """ "Four fifty" is 4.50, "uno treinta" 1.30, "99p" 0.99, "deux euros cinquante" 2.50."""
    found = set()
    for text in readings.texts:
        plain = unaccented(text)
        for match in _PRICE.finditer(plain):
            whole, part = _SMALL.get(match[1]), _TENS.get(match[2])
            if whole is not None and part is not None:
                found.add(Decimal(whole) + Decimal(part + _SMALL.get(match[3] or "", 0)) / 100)
        cents = (_price_part(match[1]) for match in _CENTS.finditer(plain))
        found |= {part / 100 for part in cents if part is not None and part < 100}
        for match in _WITH_CENTS.finditer(plain):
            euros, rest = _price_part(match[1]), _price_part(match[2])
            if euros is not None and rest is not None and rest < 100:
                found.add(euros + rest / 100)
        for match in _MILLIONS.finditer(text):
            found.add(Decimal((match[1] or match[2]).replace(",", ".")) * 10**6)
        if (german := _GERMAN_PRICE.search(plain)) is not None:
            found.add(Decimal(_GERMAN_ONES[german[1]]) + Decimal(_GERMAN_TENS[german[2]]) / 100)
    return found


def _price_part(word: str) -> Decimal | None:
    if word.isdecimal():
        return Decimal(word)
    values = numbers(word)
    return next(iter(values)) if len(values) == 1 else None


_CENTS = re.compile(
    r"\b(\d{1,2}|[a-z]+(?:-[a-z]+)?) ?(?:p|pence|cents?|centimes?|centimos|centesimi|centavos|groszy)\b"
)
_WITH_CENTS = re.compile(
    r"\b(\w+(?:-\w+)?) ?(?:euros?|€|quid|pounds?|francs?|franken|zlotych|zl|libras|reais|(?= con )) ?(?:y |e |et "
    r"|und |con "
    r"|and )?(\d\d|[a-z]+(?:-[a-z]+)*)\b"
    r"(?! (?:im|al|par|per|pro|each|people))"
)
_MILLIONS = re.compile(r"(?:[£€$] ?(\d+(?:[.,]\d+)?) ?(?:m|mil|mill|million)\b)|(?<=for )(\d+(?:[.,]\d+)?) mil\b")
_GERMAN_ONES = {
    word: at + 1 for at, word in enumerate("eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf".split())
}
_GERMAN_TENS = dict(
    zip(
        "zehn zwanzig dreissig vierzig funfzig fuffzig sechzig siebzig achtzig neunzig".split(),
        (10, 20, 30, 40, 50, 50, 60, 70, 80, 90),
        strict=True,
    )
)
_GERMAN_TENS |= {
    f"{'ein' if one == 'eins' else one}und{ten}": tens + at
    for ten, tens in list(_GERMAN_TENS.items())
    if tens > 10
    for one, at in list(_GERMAN_ONES.items())[:9]
}
_GERMAN_PRICE = re.compile(
    rf"\b({'|'.join(_GERMAN_ONES)}) ?(?:euro |meter )?({'|'.join(sorted(_GERMAN_TENS, key=len, reverse=True))})\b"
)
_SMALL = {
    word: at + 1
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "uno due tre quattro cinque sei sette otto nove dieci undici dodici",
        "um dois tres quatro cinco seis sete oito nove dez onze doze",
        "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
        "jeden dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec jedenascie dwanascie",
    )
    for at, word in enumerate(words.split())
}
_SMALL |= dict(
    zip(
        "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty".split(),
        (13, 14, 15, 16, 17, 18, 19, 20, 30, 40, 50),
        strict=True,
    )
)
_TENS = {
    **dict(zip("ten twenty thirty forty fifty sixty seventy eighty ninety".split(), range(10, 100, 10), strict=True)),
    **dict(
        zip(
            "diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(),
            range(10, 100, 10),
            strict=True,
        )
    ),
    **dict(
        zip(
            "dieci venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split(),
            range(10, 100, 10),
            strict=True,
        )
    ),
    **dict(
        zip(
            "dez vinte trinta quarenta cinquenta sessenta setenta oitenta noventa".split(),
            range(10, 100, 10),
            strict=True,
        )
    ),
}
_TENS |= dict(
    zip("tien twintig dertig veertig vijftig zestig zeventig tachtig negentig".split(), range(10, 100, 10), strict=True)
)
_TENS |= dict(
    zip(
        "dziesiec dwadziescia trzydziesci czterdziesci piecdziesiat szescdziesiat".split(),
        range(10, 70, 10),
        strict=True,
    )
)
_PRICE = re.compile(
    rf"\b({'|'.join(_SMALL)}) (?:e |y |con )?({'|'.join(_TENS)})(?:[- ]({'|'.join(_SMALL)}))?\b(?! (?:people"
    rf"|percent|minutes|euros?|pounds|personas))"
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


def _is_worked_out(name: str, value: Decimal, readings: Readings, numbers: Sequence[ReadNumber]) -> bool:
    """Whether the number may be worked out: a sum, hours of a duration, a number of a date or without its word."""
    values = [one for number in numbers for one in number.values if not number.is_dated]
    sums = {a + b for at, a in enumerate(values) for b in values[at + 1 :] if a != b}
    sums |= {abs(a - b) for at, a in enumerate(values) for b in values[at + 1 :]} - {Decimal(0)}
    sums |= {
        a * b for one, other in pairwise(numbers) if _is_times(one, other) for a in one.values for b in other.values
    }
    if re.search(r"hour|minute|duration|time|day|night|week|month", name):
        for each in readings.lengths:
            for months, minutes in each.length.sure:
                if not months and any(abs(minutes / size - value) < Decimal("0.006") for size in (1, 60, 1440, 10080)):
                    return True
    also = any(value in number.also for number in numbers if not number.values)
    return value in sums or also


def _is_times(one: ReadNumber, other: ReadNumber) -> bool:
    """Whether one number counts the other: "3 packs of 12"."""
    if one.words != other.words:
        return False
    per = _PER.match(one.words, one.end)  # "45 per les, 10 lessen"
    is_per = per is not None and one.words[other.end + 1 :].casefold().startswith(per[1].casefold())
    return is_per or _TIMES.fullmatch(one.words[one.end : other.start]) is not None


_PER = re.compile(
    r" ?(?:[€£$]|euros?|quid|pounds|dollars|zł)? ?(?:per|pro|por|par|a|an|al|je|za|cada) (\w{3})\w*[,;:]? ",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r" ?(?:x|×|\*|(?:\w+ ){0,2}(?:times|of|at|de|à|di|da|von|zu|a|van|po|mal|fois|veces|volte|vezes|keer|razy))"
    r" ?(?:[€£$] ?)?",
    re.IGNORECASE,
)


def counted_times(value: Decimal, after: str, readings: Readings) -> bool:
    """Whether a number counts what the words list: "twice a day" for "mornings and evenings", "three days a week" for
    "Tuesday, Wednesday and Thursday"."""
    if _A_DAY.match(after):
        return value == len({part for text in readings.texts for part, words in _PARTS.items() if words.search(text)})
    if _DAYS_COUNTED.match(after):
        return value == len({day for text in readings.texts for day, _ in weekdays_in(text)})
    return False


_A_DAY = re.compile(
    r" ?(?:times )?(?:a|per|am|pro|al|par|por|ao|per) (?:day|tag|día|jour|giorno|dia|dag)\b| ?täglich", re.IGNORECASE
)
_DAYS_COUNTED = re.compile(r" ?(?:days|tage|días|jours|giorni|dias|dagen|dni)\b", re.IGNORECASE)
_PARTS = {
    part: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
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


def currency_verdict(code: str, readings: Readings, usual: str = "") -> Verdict:
    """The verdict on a currency. If the words name none, the usual one may be assumed; another one is invented."""
    stated = readings.currencies
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


_DOLLARS = frozenset("USD CAD AUD NZD SGD HKD".split())
_SLANG = re.compile(
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


def _names_days(readings: Readings) -> bool:
    """Whether the words speak of days of the week in a way that code does not understand."""
    return any(
        re.search(
            r"day|week|tag\b|woche|día|semana|jour|semaine|giorn|settiman|dia|dag|dzień|tydzień|feira", text.casefold()
        )
        for text in readings.texts
    )
