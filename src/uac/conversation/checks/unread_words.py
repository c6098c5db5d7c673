"""What the words say about time beside the dates, times and durations that code read in them.

A reading is certain only if nothing beside it is left that may change it, or that may be meant instead of it. A value
contradicts the words only if nothing is left that may be that value.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import cache

from uac.conversation.checks.readings import ReadDate, Readings, ReadLength, ReadNumber
from uac.conversation.checks.weekdays import weekday_of, weekdays_in
from uac.errors import Refused
from uac.text.dates.cycles import Duration
from uac.text.dates.mentions import shifted
from uac.text.dates.vocabulary import LANGUAGES
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import unaccented

__all__ = [
    "days_counted_from_dates",
    "days_counted_from_today",
    "days_moved_by_length",
    "has_unread_anaphora",
    "has_unread_date",
    "has_unread_day",
    "is_weekday_near_date",
    "unread_hours",
    "unread_numbers",
    "whole_units",
]


def has_unread_anaphora(text: str, readings: Readings) -> bool:
    """Whether words that were not read count from another day: "the day before"."""
    return _ANAPHORA.search(_unread_text(text, readings)) is not None


def _unread_text(text: str, readings: Readings) -> str:
    """The text without letter case, and without the words of its dates and times."""
    spans = [(d.mention.start, d.mention.end) for d in readings.dates if d.words == text]
    spans += [(t.time.start, t.time.end) for t in readings.times if t.words == text]
    return _without(text, spans)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    folded = text.casefold()
    if len(folded) != len(text):  # "ß" becomes two letters
        folded = text.lower()
    return "".join(" " if any(a <= at < b for a, b in spans) else char for at, char in enumerate(folded))


# --- dates that another part of the words moves -----------------------------------------------------------------------


def days_moved_by_length(seen: ReadDate, readings: Readings) -> list[str]:
    """The days that a duration directly beside the date may move it to: "5 a week on Saturday" if only the Saturday was
    read. None if there is no such duration: the date is what was read."""
    found: list[str] = []
    for each in readings.lengths:
        start, end = each.length.start, each.length.end
        if each.words != seen.words or _is_rate(each, readings) or _NIGHTS.search(each.words[start:end].casefold()):
            continue
        if start < seen.mention.end and seen.mention.start < end:
            if not seen.mention.start <= start < end <= seen.mention.end:  # "2 ans" of "depuis 2 ans et 3 mois"
                found += _days_at_distance([seen.said.date().isoformat()], each, (1, -1))
            continue
        between = (end, seen.mention.start) if start < seen.mention.start else (seen.mention.end, start)
        if _MOVES.fullmatch(each.words, *between):
            found += _days_at_distance(_days_of(seen), each, (1, -1))
    return found


def _is_rate(each: ReadLength, readings: Readings) -> bool:
    """Whether it says what a number is for: "two a day yesterday"."""
    start = each.length.start
    return each.is_rate or any(
        number.values and number.words == each.words and not each.words[number.end : start].strip()
        for number in readings.numbers
        if number.end <= start
    )


_NIGHTS = lazy_pattern(r"\bnight|nacht|nächt|noche|nuit|nott|noite|noc[ey]?\b")
_MOVES = lazy_pattern(
    r"\s*(?:(?:and|und|y|et|e|i|come|been|be|makes|sind|wir|zijn|we|fait|fera|faz|hace|minie|mija|on|from|this|past|after|before|ago|old|to|since|later|earlier|in|nach|vor|ab|auf|her|seit|alt|en|dans"
    r"|après|avant|depuis|desde|después|antes|de|del|hace|fra|tra|dopo|prima|fa|dal|depois|a|seguir|há|over|na|voor|op"
    r"|geleden|oud|za|po|przed|temu|od)\s+){0,2}",
    re.IGNORECASE,
)


def days_counted_from_dates(readings: Readings, *, is_back: bool) -> set[str]:
    """The days a stated duration after or before a stated day: "the invoice of 12 March is payable within 30 days"."""
    return {
        day
        for each in readings.lengths
        if not each.is_denied and (each.is_cycle or not _is_rate(each, readings))
        for seen in readings.dates
        if not (seen.words == each.words and seen.mention.start <= each.length.start < seen.mention.end)
        for day in _days_at_distance(_days_of(seen), each, (-1,) if is_back else (1,))
    }


def days_counted_from_today(readings: Readings) -> set[str]:
    """The days a stated duration before or after the words were said, if it was not read as a date: "de aquí a quince
    días"."""
    said = [said.date().isoformat() for said in readings.said]
    lengths = [each for each in readings.lengths if not (each.is_denied or each.is_dated or _is_rate(each, readings))]
    return {day for each in lengths for day in _days_at_distance(said, each, (1, -1))}


def _days_of(seen: ReadDate) -> list[str]:
    """The days or months that may be meant."""
    return [m.start for m in seen.mention.meanings if m.first and len(m.start) >= len("2026-03")]


def _days_at_distance(firsts: Sequence[str], each: ReadLength, signs: tuple[int, ...]) -> list[str]:
    """The days or months at a stated distance from those."""
    found = []
    for months, minutes in sorted(each.length.sure):
        if (reach := whole_units(months, minutes)) is None:
            continue
        for first in firsts:
            for sign in signs:
                try:
                    moved = shifted(date.fromisoformat(f"{first}-01"[:10]), reach, back=sign < 0)
                    found.append(moved.isoformat()[: len(first)])
                except Refused:  # outside of the calendar
                    continue
    return found


def whole_units(months: Decimal, minutes: Decimal) -> Duration | None:
    """The duration in whole months or whole days; None if it is neither."""
    if months and months == int(months) and not minutes:
        return Duration(months, "month")
    days = minutes / 1440
    return Duration(days, "day") if days >= 1 and days == int(days) and not months else None


def is_weekday_near_date(raw: str, readings: Readings) -> bool:
    """Whether a weekday and another date of the words may mean the value together: "le mercredi d'après Pâques"."""
    if len(raw) < len("2026-03-20"):
        return False
    day = date.fromisoformat(raw)
    weekday = [seen for seen in readings.dates if seen.mention.rules & _WEEKDAYS and _has_weekday(seen, day.weekday())]
    week = timedelta(days=7)
    return any(
        m.first - week <= day <= m.last + week and m.last - m.first <= week
        for each in weekday
        for seen in readings.dates
        if seen not in weekday and (seen.words != each.words or _gap(seen, each) <= _NEAR)
        for m in seen.mention.meanings
        if m.first and m.last
    )


_NEAR = 40


def _gap(one: ReadDate, other: ReadDate) -> int:
    return max(one.mention.start - other.mention.end, other.mention.start - one.mention.end)


def _has_weekday(seen: ReadDate, weekday: int) -> bool:
    return any(m.first is not None and m.first.weekday() == weekday for m in seen.mention.meanings)


_WEEKDAYS = frozenset({"bare_weekday", "weekday", "anchor_weekday_after", "anchor_weekday_before"})


# --- numbers without a word for what they count -----------------------------------------------------------------------


def unread_numbers(readings: Readings) -> Iterator[ReadNumber]:
    """The numbers that no date, time or duration has, and that count nothing that is named: "2 years, 5 if you
    register", "vrijdag tot 3"."""
    for number in readings.numbers:
        if number.is_dated or readings.is_in_length(number):
            continue
        if _ENDS_HERE.match(number.words, number.end) and (number.values or number.also):
            yield number


_ENDS_HERE = lazy_pattern(
    r"\s*(?:$|[,;!?)]|\.(?!\d)|(?:and|but|or|so|instead|not|rather|on|in|at|for|then|if|when|to|till?|until|now|with"
    r"|of (?:them|those|which)|as|und|aber|oder|statt|nicht|wenn|am|mit|für|auf|bei|davon|y|o|pero|si|cuando|con|en"
    r"|los|el|de|para|como|et|ou|mais|avec|le|les|sur|pour|comme|dans|e|ma|se|di|su|per|come|quando|mas|com|em|no|na"
    r"|nos|maar|als|of|met|op|voor|niet|i|ale|lub|jeśli|w|z|nie|przy|jako)\b)",
    re.IGNORECASE,
)


def unread_hours(readings: Readings) -> set[tuple[int, int]]:
    """The times of day that numbers without a word for what they count may be: the 3 of "9 to 5, vrijdag tot 3"."""
    found: set[tuple[int, int]] = set()
    for number in unread_numbers(readings):
        is_dotted = _DOTTED.fullmatch(number.words, number.start, number.end) is not None
        if not is_dotted and _BEFORE_HOUR.search(number.words[: number.start]) is None:
            continue
        for value in number.values | number.also:
            hour, minute = int(value), int(value % 1 * 100)
            if 1 <= hour <= 24 and minute < 60 and value == hour + Decimal(minute) / 100:
                found |= {(hour % 24, minute), ((hour + 12) % 24, minute)} if hour <= 12 else {(hour % 24, minute)}
    return found


def has_unread_day(raw: str, readings: Readings) -> bool:
    """Whether a number that was not read as a date may be another day of a month: "foi prolongado até 29"."""
    return any(
        _BEFORE_DAY.search(number.words[: number.start]) is not None
        and any(1 <= value <= 31 and value == int(value) != int(raw[8:10]) for value in number.values)
        for number in unread_numbers(readings)
    )


_BEFORE_DAY = lazy_pattern(
    r"\b(?:until|till?|to|the|bis|bis zum|auf den|am|den|hasta(?: el)?|al|el|jusqu['’]au|au|le|fino al|il"
    r"|até(?: ao?)?|dia|ao|tot(?: de)?|op de|do|na)\s*$",
    re.IGNORECASE,
)
_DOTTED = lazy_pattern(r"(?:[01]?\d|2[0-3])\.[0-5]\d")
_BEFORE_HOUR = lazy_pattern(
    r"(?:\b(?:at|by|to|till?|until|for|from|make it|make that|not|or|and|around|about|than|like|it['’]?s|um|bis|von"
    r"|ab|auf|gegen|statt|las?|hasta|à|de|vers|alle|dalle|às|das|até|para|pra|tot|van|om|do|od|o|na|then|then at"
    r"|dann|sondern|luego|puis|poi|depois|dan|potem|of)|[-–/,;])\s*$",
    re.IGNORECASE,
)


# --- dates that were not read -----------------------------------------------------------------------------------------


def has_unread_date(raw: str, readings: Readings) -> bool:
    """Whether the words have a date that code does not understand, which may be the value."""
    for text in readings.texts:
        spans = [(d.mention.start, d.mention.end) for d in readings.dates if d.words == text]
        spans += [(t.time.start, t.time.end) for t in readings.times if t.words == text]
        measured = [(n.length.start, n.length.end) for n in readings.lengths if n.words == text]
        spans += measured if not spans else []
        rest = _without(text, spans)
        if _ANAPHORA.search(rest) or (spans == measured and _TRACE.search(rest)):
            return True
        if len(raw) >= len("2026-03") and spans == measured and _is_month_in_rest(int(raw[5:7]), rest):
            return True
        if len(raw) == 10 and _is_day_in_rest(raw, rest, readings, text):
            return True
    return False


def _is_month_in_rest(month: int, rest: str) -> bool:
    """Whether a word that was not read as a date is the month: "with the march salary"."""
    return any(month in _months().get(unaccented(word), ()) for word in re.findall(r"[^\W\d_]{3,}", rest))


@cache
def _months() -> dict[str, set[int]]:
    """The months that a word names in any language."""
    found: dict[str, set[int]] = {}
    for language in LANGUAGES.values():
        for row in re.findall(r"^month = 1\.\. (.*(?:\n    .*)*)", language, re.MULTILINE):
            for at, words in enumerate(row.split("|")):
                for word in words.split():
                    found.setdefault(unaccented(word.rstrip(".")), set()).add(at + 1)
    return found


def _is_day_in_rest(raw: str, rest: str, readings: Readings, text: str) -> bool:
    """Whether words that were not read as a date have the number of the day, or its weekday."""
    day = date.fromisoformat(raw)
    measured = [(n.length.start, n.length.end) for n in readings.lengths if n.words == text]
    numbers = {
        value
        for number in readings.numbers
        if number.words == text
        and (not number.is_dated or _is_bare_hour(number, readings))
        and not any(a < number.end and number.start < b for a, b in measured)
        for value in number.values | number.also
        if value > 1
    }
    named = [m.first for seen in readings.dates for m in seen.mention.meanings if m.first and seen.words == text]
    near = any(abs((day - each).days) <= 15 for each in (*(said.date() for said in readings.said), *named))
    return Decimal(day.day) in numbers or (
        near
        and (
            any(weekday_of(word) == day.weekday() for word in re.findall(r"\w+", rest))
            or any(weekday == day.weekday() for weekday, is_recurring in weekdays_in(rest) if is_recurring)
        )
    )


def _is_bare_hour(number: ReadNumber, readings: Readings) -> bool:
    """Whether a number was read as an hour, but may be something else: "do 6"."""
    return any(
        each.words == number.words
        and each.time.start <= number.start
        and number.end == each.time.end
        and number.words[each.time.start : each.time.end].split(" ")[-1].isdecimal()
        for each in readings.times
    )


_ANAPHORA = lazy_pattern(
    r"\b(?:the (?:day|week|night|morning|evening|weekend|month|year|\w+day) (?:before|after)|(?:days?|weeks?"
    r"|months?) (?:before|after|later|earlier)"
    r"|(?:tage?|wochen?|monate?) (?:vorher|später|danach|davor|nach|vor)|(?:días|semanas|meses) (?:después|antes)"
    r"|(?:jours|semaines|mois) (?:après|avant|plus tard)"
    r"|(?:giorni|settimane|mesi) (?:dopo|prima)|(?:dias|semanas|meses) (?:depois|antes)|(?:dagen|weken"
    r"|maanden) (?:later|erna|ervoor|na|voor)"
    r"|(?:dni|tygodnie|miesiące) (?:później|wcześniej|po|przed)|lendemain|surlendemain|veille|víspera|véspera"
    r"|vigilia|tags (?:drauf|darauf|zuvor)"
    r"|following|previous|siguiente|suivante?|seguinte|seguente|successiv[oa]|folgende\w?|volgende|następn\w+"
    r"|kolejn\w+|the (?:one|weekend) (?:after|before)|the other one|(?:der|die|das|den) (?:danach|davor|drauf)|el otro"
    r"|celui d['’](?:après|avant)|quell[oa] (?:dopo|prima)|[ao] outr[oa]|logo a seguir|die (?:erna|ervoor))\b"
)
_TRACE = lazy_pattern(
    r"\b(?:\w*(?:day|days|night|week|weekend|month|year|morning|evening|term|holiday|season|spring|summer|autumn"
    r"|winter|christmas|easter|eve)s?"
    r"|soon|later|yesterday|tomorrow|tonight|\w*(?:tag|tage|tagen|woche|wochen|monat|monate|jahr|jahre|abend|nacht"
    r"|morgen|ferien|fest|frühling|sommer|herbst)s?"
    r"|(?:día|días|semana|mes|año|noche|mañana|fiesta|puente|verano|invierno|otoño|primavera)s?|jour|jours|semaine"
    r"|mois|année|soir|nuit|fête|été|hiver|printemps"
    r"|giorno|giorni|settimana|mese|anno|sera|notte|festa|estate|dia|dias|mês|ano|noite|feriado|verão|inverno|dag"
    r"|dagen|maand|jaar|avond|zomer"
    r"|dzień|dni|tydzień|tygodniu|miesiąc|miesiąca|rok|roku|święt\w+|lato|zim\w+|\d+)\b"
)
