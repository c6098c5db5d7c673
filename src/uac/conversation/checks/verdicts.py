"""Whether a value follows from quoted words: it does, it contradicts them, or code cannot decide.

Code reads every date, time, duration and number of the words with what is certain about it. A value that is a certain
reading, and no other reading of the words could be meant for the field, follows. A value that is no reading at all
contradicts them. Everything between is unsure: it is taken, and kept together with what code read.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeAlias

from uac.conversation.checks.field_roles import Role, prefers_date, role_of
from uac.conversation.checks.readings import ReadDate, Readings, ReadLength, ReadNumber
from uac.conversation.checks.weekdays import weekday_of, weekdays_in
from uac.errors import Refused
from uac.schema.periods import Period
from uac.text.dates.cycles import Duration
from uac.text.dates.mentions import Mention, shifted
from uac.text.lengths import iso_length

__all__ = [
    "FOLLOWS",
    "Json",
    "Verdict",
    "best",
    "date_verdict",
    "length_verdict",
    "meanings_text",
    "moment_verdict",
    "time_verdict",
    "worst",
]

Json: TypeAlias = Any  # as in `schema.types`
Answer = Literal["follows", "unsure", "contradicts"]


class Verdict(NamedTuple):
    answer: Answer
    read: str = ""
    """What code read in the words."""


FOLLOWS = Verdict("follows")


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    return max(verdicts, key=_badness, default=FOLLOWS)


def best(verdicts: Iterable[Verdict]) -> Verdict:
    return min(verdicts, key=_badness, default=FOLLOWS)


def _badness(verdict: Verdict) -> int:
    return ("follows", "unsure", "contradicts").index(verdict.answer)


# --- dates ------------------------------------------------------------------------------------------------------------

Fit = Literal["yes", "maybe", "no"]


def date_verdict(name: str, raw: str, readings: Readings) -> Verdict:
    """The verdict on a day, month or year."""
    if not _is_real_date(raw):
        return Verdict("contradicts", "no such day")
    role = role_of(name)
    read = _dates_text(readings)
    fits: dict[int, Fit] = {}
    others: list[int] = []
    for at, seen in enumerate(readings.dates):
        fits[at] = _date_fit(raw, role, seen)
        if fits[at] != "yes" and not seen.is_denied and not seen.is_anchor and not _contains(seen, raw):
            others.append(at)
    derived = _derived_fit(raw, readings)
    good = [at for at, fit in fits.items() if fit == "yes" and not readings.dates[at].is_denied]
    if derived == "yes" and role == "end":
        return FOLLOWS
    if good and not (derived == "rival" and role == "end"):
        return _among_rivals(name, readings, good, others, read)
    if (derived in ("yes", "maybe") and role != "start") or "maybe" in fits.values():
        return Verdict("unsure", read)
    if good:  # the start of a stay whose length is said, for the field of its end
        return Verdict("contradicts", read)
    denied = [at for at, fit in fits.items() if fit == "yes"]
    if (denied and not others) or _is_counted_in_years(name, raw, readings):
        return Verdict("unsure", read)
    if _has_unread_date(raw, readings) or (len(raw) == _YEAR_DIGITS and _is_worked_out_year(int(raw), readings)):
        return Verdict("unsure", read)
    return Verdict("contradicts", read)


_YEAR_DIGITS = 4


def _is_worked_out_year(year: int, readings: Readings) -> bool:
    """Whether a year follows from a number and the day of saying, or is said with two digits: "ten years in", "'87"."""
    stated = {value for number in readings.numbers for value in number.values | number.also}
    away = {Decimal(abs(said.year - year) + more) for said in readings.said for more in (-1, 0)} - {Decimal(0)}
    return not readings.dates and (not stated.isdisjoint(away) or Decimal(year % 100) in stated)


def _is_real_date(raw: str) -> bool:
    try:
        return Period.on(raw).first is not None
    except ValueError:
        return False


def _among_rivals(name: str, readings: Readings, good: Sequence[int], others: Sequence[int], read: str) -> Verdict:
    """The value is one certain reading; other dates of the words may be meant for the field instead."""
    if all(readings.dates[at].is_anchor for at in good):
        return Verdict("unsure", read)
    if not others:
        return FOLLOWS
    chosen = prefers_date(name, readings, [*good, *others])
    if chosen is None:
        return Verdict("unsure", read)
    return (
        FOLLOWS if chosen in good else Verdict("contradicts" if role_of(name) in ("start", "end") else "unsure", read)
    )


def _contains(seen: ReadDate, raw: str) -> bool:
    """Whether the words name a longer time around the value, which so is no other date: "this year"."""
    value = Period.on(raw)
    return any(
        meaning.first is not None and meaning.last is not None and value.first is not None and value.last is not None
        and meaning.first <= value.first and value.last <= meaning.last
        for meaning in seen.mention.meanings
    )  # fmt: skip


def _date_fit(raw: str, role: Role, seen: ReadDate) -> Fit:
    best: Fit = "no"
    for at, meaning in enumerate(seen.mention.meanings):
        # "One year from 1 April" starts then; it is also the day a year later.
        if "span_from" in seen.mention.rules and role != "end" and (meaning.start == meaning.end) == (role == "start"):
            continue
        fit = _period_fit(raw, role, meaning)
        if fit == "yes" and at < seen.mention.sure:
            return "yes"
        if fit != "no":
            best = "maybe"
    if best == "no" and _may_be_another(raw, seen):
        return "maybe"
    if role == "end" and best == "no" and _BEFORE.search(seen.words[: seen.mention.start]):
        # "Before the 9th" may be the 8th.
        lasts = [m.last - timedelta(days=1) for m in seen.mention.sure_meanings if m.last]
        return "yes" if raw in [day.isoformat() for day in lasts] else best
    return best


def _may_be_another(raw: str, seen: ReadDate) -> bool:
    """Whether the words leave open which one they mean: "the 25th" of a month named earlier, "that Thursday"."""
    if len(raw) < 10 or not seen.mention.rules & _WITHOUT_MONTH:
        return False
    day = date.fromisoformat(raw)
    today = seen.said.date()
    away = abs((day - today).days)
    sure = [m.first for m in seen.mention.sure_meanings if m.first]
    is_day = not seen.mention.rules & _WEEKDAYS
    if sure and all((first <= today) != (day <= today) or (is_day and first <= today) for first in sure):
        return False  # the tense says whether it is over, and then it is the last one
    named = [edge for m in seen.mention.meanings for edge in (m.first, m.last) if edge]
    if seen.mention.rules & _WEEKDAYS:
        before = seen.words[: seen.mention.end]
        return away <= _WEEKS_BACK and bool(_THAT.search(before)) and any(d.weekday() == day.weekday() for d in named)
    is_bare = _ARTICLES.issuperset(word.casefold() for word in re.findall(r"[^\W\d]{3,}", seen.mention.phrase))
    return (
        away <= _MONTHS_AWAY and (is_bare or "weekday_day" in seen.mention.rules) and day.day in {d.day for d in named}
    )


_WEEKDAYS = frozenset({"bare_weekday", "weekday"})
_WITHOUT_MONTH = _WEEKDAYS | {"bare_day", "between_day", "weekday_day", "between"}
_WEEKS_BACK, _MONTHS_AWAY = 31, 200
_ARTICLES = frozenset(
    "the from until till back home and between through vom von bis zum zur und del das den dem dal dia día van tot"
    " één der ten am ao".split()
)
_THAT = re.compile(
    r"\b(?:that|the|same|an jenem|jenen|dem|ese|esa|aquel|ce|cet|quel|quella|aquela|aquele|nessa|die|tamt\w+|ten) \w+$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:before|vor|antes|avant|prima|voor|vóór|przed)(?: (?:the|dem|den|de|del|do|di|le|el|o|il))?\s*$",
    re.IGNORECASE,
)


def _period_fit(raw: str, role: Role, meaning: Period) -> Fit:
    start, end = meaning.start[:10], meaning.end[:10]
    if not start or not end:
        said = start or end
        edges = Period.on(said)
        edge = edges.first if start else edges.last
        if said.startswith(raw) or (
            edge is not None and edge.isoformat() == raw and role == ("start" if start else "end")
        ):
            return "yes" if role == "any" or (role == "end") == bool(end) else "maybe"
        return "maybe" if len(said) < len(raw) and raw.startswith(said) else "no"
    if start == end and len(start) >= len(raw):
        return "yes" if start.startswith(raw) else "no"
    first, last = meaning.first, meaning.last
    if first is None or last is None:
        return "no"
    if len(raw) < 10:
        inside = Period.on(raw)
        is_inside = bool(inside.first and inside.last and first <= inside.last and inside.first <= last)
        return "yes" if is_inside and (last - first).days < 200 else "maybe" if is_inside else "no"
    day = date.fromisoformat(raw)
    if not first <= day <= last:
        return "no"
    if (last - first).days == 1:
        return "yes" if role == "any" or day == (first if role == "start" else last) else "no"
    if role == "start":
        return "yes" if day == first else "no" if day == last else "maybe"
    if role == "end":
        is_month = start == end
        return "yes" if day == last else "no" if day == first and not is_month else "maybe"
    return "maybe"


def _derived_fit(raw: str, readings: Readings) -> str:
    """Whether the value is a stated duration after a stated day: "17 May for five nights"."""
    spans = [
        (each, value)
        for each in readings.lengths
        if not each.is_dated and not each.is_denied and not each.is_rate
        for value in each.length.sure
    ]
    days = {
        (m.first, at < seen.mention.sure and seen.mention.meanings[0].end == m.end)
        for seen in readings.dates
        if not seen.is_denied
        for at, m in enumerate(seen.mention.meanings)
        if m.first is not None and len(m.start) >= 10 and m.end in ("", m.start)
    }
    found = "none"
    for each, (months, minutes) in spans:
        words = each.words[each.length.start : each.length.end].casefold()
        reach = _reach(
            months, minutes, is_days=bool(re.search(r"\b(?:day|tag|día|dia|jour|giorn|dag|dni|dzie)", words))
        )
        for first, is_sure in days:
            for many in reach:
                try:
                    end = shifted(first, many)
                except Refused:  # outside of the calendar
                    continue
                if end.isoformat() == raw or (len(raw) < 10 and end.isoformat().startswith(raw)):
                    found = "yes" if is_sure and found != "maybe" and len(spans) == 1 else "maybe"
                elif is_sure and found == "none" and reach:
                    found = "rival"
    return found


def _reach(months: Decimal, minutes: Decimal, *, is_days: bool) -> list[Duration]:
    """How far an end may be from the start; a stay of ten days may count its first day."""
    days = minutes / 1440
    if months and months == int(months) and not minutes:
        return [Duration(months, "month")]
    if days >= 1 and days == int(days) and not months:
        return [Duration(days, "day"), *([Duration(days - 1, "day")] if is_days and days > 1 else [])]
    return []


def _is_counted_in_years(name: str, raw: str, readings: Readings) -> bool:
    """Whether it is a named day of another year: the birth of somebody who turns seven, the next yearly renewal; or a
    stated duration before the day of saying: "off coffee for two weeks"."""
    if len(raw) < 10:
        return False
    day = date.fromisoformat(raw)
    numbers = {int(value) for number in readings.numbers for value in number.values if value == int(value)}
    years = {
        m.first.year - day.year
        for seen in readings.dates
        for m in seen.mention.sure_meanings or seen.mention.meanings
        if m.first is not None and m.start == m.end and (m.first.month, m.first.day) == (day.month, day.day)
    }
    if years and (("born" in name or "birth" in name) and years & numbers):
        return True
    if -1 in years and re.search(r"renew|next|expir|due|until", name):
        return True
    spans = [
        value
        for each in readings.lengths
        if not (each.is_dated or each.is_denied or each.is_rate)
        for value in each.length.sure
    ]
    ends = [_back(said.date(), months, minutes) for said in readings.said for months, minutes in spans]
    return role_of(name) == "start" and not readings.dates and day in ends


def _back(day: date, months: Decimal, minutes: Decimal) -> date | None:
    reach = _reach(months, minutes, is_days=False)
    try:
        return shifted(day, reach[0], back=True) if reach else None
    except Refused:  # outside of the calendar
        return None


def _has_unread_date(raw: str, readings: Readings) -> bool:
    """Whether the words have a date that code does not understand, which may be the value."""
    for text in readings.texts:
        spans = [(d.mention.start, d.mention.end) for d in readings.dates if d.words == text]
        spans += [(t.time.start, t.time.end) for t in readings.times if t.words == text]
        measured = [(n.length.start, n.length.end) for n in readings.lengths if n.words == text]
        spans += measured if not spans else []
        rest = "".join(" " if any(a <= at < b for a, b in spans) else char for at, char in enumerate(text.casefold()))
        if _ANAPHORA.search(rest) or (spans == measured and _TRACE.search(rest)):
            return True
        if len(raw) == 10 and _is_day_in_rest(raw, rest, readings, text):
            return True
    return False


def _is_day_in_rest(raw: str, rest: str, readings: Readings, text: str) -> bool:
    """Whether words that were not read as a date have the number of the day, or its weekday."""
    day = date.fromisoformat(raw)
    measured = [(n.length.start, n.length.end) for n in readings.lengths if n.words == text]
    numbers = {
        value
        for number in readings.numbers
        if number.words == text
        and not number.is_dated
        and not any(a < number.end and number.start < b for a, b in measured)
        for value in number.values | number.also
        if value > 1
    }
    near = any(abs((day - said.date()).days) <= 15 for said in readings.said)
    return Decimal(day.day) in numbers or (
        near
        and (
            any(weekday_of(word) == day.weekday() for word in re.findall(r"\w+", rest))
            or any(weekday == day.weekday() for weekday, is_recurring in weekdays_in(rest) if is_recurring)
        )
    )


_ANAPHORA = re.compile(
    r"\b(?:the (?:day|week|night|morning|evening|weekend|month|year|\w+day) (?:before|after)|(?:days?|weeks?"
    r"|months?) (?:before|after|later|earlier)"
    r"|(?:tage?|wochen?|monate?) (?:vorher|später|danach|davor|nach|vor)|(?:días|semanas|meses) (?:después|antes)"
    r"|(?:jours|semaines|mois) (?:après|avant|plus tard)"
    r"|(?:giorni|settimane|mesi) (?:dopo|prima)|(?:dias|semanas|meses) (?:depois|antes)|(?:dagen|weken"
    r"|maanden) (?:later|erna|ervoor|na|voor)"
    r"|(?:dni|tygodnie|miesiące) (?:później|wcześniej|po|przed)|lendemain|surlendemain|veille|víspera|véspera"
    r"|vigilia|tags (?:drauf|darauf|zuvor)"
    r"|following|previous|siguiente|suivante?|seguinte|seguente|successiv[oa]|folgende\w?|volgende|następn\w+"
    r"|kolejn\w+)\b"
)
_TRACE = re.compile(
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


def _dates_text(readings: Readings) -> str:
    said = []
    for seen in readings.dates[:3]:
        day = f"{seen.said:%A} {seen.said.date().isoformat()}"
        said.append(f"'{seen.mention.phrase}', said on {day}, {meanings_text(seen.mention)}")
    return "; ".join(said) or "no date"


def meanings_text(mention: Mention) -> str:
    """What a date is, or what it can be if code knows of several meanings."""
    written: dict[str, str] = {}
    for one in mention.meanings:
        text = "…".join(dict.fromkeys((one.start, one.end)))
        written.setdefault(text.strip("…"), text)
    return ("is " if len(written) == 1 else "can be ") + " or ".join([*written.values()][:2])


# --- times and durations ----------------------------------------------------------------------------------------------


def time_verdict(name: str, raw: str, readings: Readings) -> Verdict:
    """The verdict on a time of day, HH:MM."""
    wanted = (int(raw[:2]) % 24, int(raw[3:5]))
    stated = [each for each in readings.times if not each.is_denied]
    role = role_of(name)
    read = _times_text(readings)
    shifted_times = _shifted_times(readings)
    sure = [at for at, each in enumerate(stated) if wanted in each.time.sure]
    others = [at for at, each in enumerate(stated) if wanted not in each.time.possible]
    if sure:
        if shifted_times and (role == "end" or _is_relative_time(readings)):
            return Verdict(
                "contradicts" if role == "end" and not others and not _is_relative_time(readings) else "unsure", read
            )
        if not others:
            return FOLLOWS
        if len(stated) == 2 and role in ("start", "end"):
            return FOLLOWS if sure == [0 if role == "start" else 1] else Verdict("contradicts", read)
        return FOLLOWS if sure == [0] and role == "start" else Verdict("unsure", read)
    if wanted in shifted_times:
        return (
            FOLLOWS
            if role == "end" and len(stated) == 1 and not _is_relative_time(readings)
            else Verdict("unsure", read)
        )
    if any(wanted in each.time.possible for each in stated):
        at = next(at for at, each in enumerate(stated) if wanted in each.time.possible)
        if others and len(stated) == 2 and role in ("start", "end") and at != (0 if role == "start" else 1):
            return Verdict("contradicts", read)
        # "9 to 5": the one that fits a day of work.
        if len(stated) == 2 and role == "start" and at == 0 and wanted[0] < 12:
            return FOLLOWS
        return Verdict("unsure", read)
    if (
        _is_bare_old_hour(wanted, readings)
        or any(map(_SAME_TIME.search, readings.texts))
        or (not stated and _number_as_hour(wanted, readings))
    ):
        return Verdict("unsure", read)
    return Verdict("contradicts", read)


def _shifted_times(readings: Readings) -> set[tuple[int, int]]:
    """Times a stated duration after a stated one, or before it if the words say so."""
    found = set()
    for each in readings.times:
        for hour, minute in each.time.sure:
            for length in readings.lengths:
                for months, minutes in length.length.sure:
                    if months or not 0 < minutes < 1440:
                        continue
                    signs = (-1,) if _EARLIER.search(length.words) else (1,)
                    for sign in signs:
                        moved = (hour * 60 + minute + sign * int(minutes)) % 1440
                        found.add((moved // 60, moved % 60))
    return found


def _is_relative_time(readings: Readings) -> bool:
    return any(_EARLIER.search(text) or _LATER.search(text) for text in readings.texts)


_EARLIER = re.compile(
    r"\b(?:hours?|minutes?|mins?) (?:before|earlier|beforehand)\b|\b(?:stunden?|minuten) (?:vorher|davor|früher)\b"
    r"|\b(?:horas?|minutos) antes\b|\b(?:heures?|minutes) (?:avant|plus tôt)\b|\b(?:ora|ore|minuti) prima\b"
    r"|\b(?:uur|minuten) (?:eerder|ervoor|van tevoren)\b|\b(?:godzinę|godziny|minut) wcześniej\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:hours?|minutes?|mins?) (?:later|after)\b|\b(?:stunden?|minuten) (?:später|danach)\b|\b(?:horas?"
    r"|minutos) después\b"
    r"|\b(?:heures?|minutes) (?:après|plus tard)\b|\b(?:ora|ore|minuti) dopo\b|\b(?:horas?|minutos) depois\b"
    r"|\b(?:uur|minuten) (?:later|erna)\b|\b(?:godzinę|godziny|minut) później\b",
    re.IGNORECASE,
)


_SAME_TIME = re.compile(
    r"\b(?:same (?:time|hour)|usual time|gleiche[rn]? (?:zeit|uhrzeit)|misma hora|même heure|stessa ora|mesma hora"
    r"|zelfde tijd|o tej samej (?:porze|godzinie))\b",
    re.IGNORECASE,
)


def _is_bare_old_hour(wanted: tuple[int, int], readings: Readings) -> bool:
    """Whether an hour that no longer holds is said without a word for time: "half past one rather than one"."""
    hours = {Decimal(wanted[0]), Decimal(wanted[0] % 12 or 12)}
    return wanted[1] == 0 and any(
        number.is_denied and not number.is_dated and (number.values | number.also) & hours
        for number in readings.numbers
    )


def _number_as_hour(wanted: tuple[int, int], readings: Readings) -> bool:
    stated = {value for number in readings.numbers for value in (*number.values, *number.also)}
    hours = {Decimal(wanted[0]), Decimal(wanted[0] % 12), Decimal(wanted[0] % 12 or 12)}
    return bool(stated & hours) and (
        wanted[1] == 0 or Decimal(wanted[1]) in stated or Decimal(wanted[1]) in (15, 30, 45)
    )


def _times_text(readings: Readings) -> str:
    said = []
    for each in readings.times[:3]:
        written = " or ".join(f"{hour:02}:{minute:02}" for hour, minute in sorted(each.time.sure or each.time.possible))
        said.append(f"'{each.words[each.time.start : each.time.end].strip()}' is {written}")
    return "; ".join(said) or "no time of day"


def moment_verdict(name: str, day: str, time: str, readings: Readings) -> Verdict:
    """The verdict on a day with a time. Midnight may mean that the time is not known, or the end of the day before."""
    if time == "00:00" and role_of(name) == "end" and not readings.times and _is_real_date(day):
        before = date_verdict(name, (date.fromisoformat(day) - timedelta(days=1)).isoformat(), readings)
        return best([date_verdict(name, day, readings), before])
    verdicts = [date_verdict(name, day, readings)]
    if time != "00:00" or any((0, 0) in each.time.possible for each in readings.times):
        verdicts.append(time_verdict(name, time, readings))
    elif readings.times:
        verdicts.append(Verdict("unsure", _times_text(readings)))
    return worst(verdicts)


def length_verdict(raw: str, readings: Readings) -> Verdict:
    """The verdict on an ISO duration."""
    wanted = iso_length(raw)
    stated = [each for each in readings.lengths if not each.is_denied]
    read = _lengths_text(readings)
    same = [each for each in stated if any(_is_same_length(wanted, length) for length in each.length.sure)]
    others = [each for each in stated if each not in same and not each.is_dated]
    if same:
        return FOLLOWS if not others else Verdict("unsure", read)
    if _is_counted(wanted, readings) or (not stated and any(number.values for number in readings.numbers)):
        return Verdict("unsure", read)
    return Verdict("contradicts", read)


def _is_same_length(wanted: tuple[Decimal, Decimal], stated: tuple[Decimal, Decimal]) -> bool:
    rounding = Decimal("0.51") if stated[1] < 10080 or stated[1] % 1440 == 0 else Decimal(1440)
    if stated[0] % 1:  # a month and a half
        half = stated[0] % 1 * 30 * 1440
        return wanted in ((stated[0] // 1, half), (Decimal(0), stated[0] * 30 * 1440), stated)
    return wanted == stated or (wanted[0] == stated[0] and abs(wanted[1] - stated[1]) < rounding)


def _is_counted(wanted: tuple[Decimal, Decimal], readings: Readings) -> bool:
    """Whether the number is said without its unit ("it was only two"), or the duration is between two stated times."""
    months, minutes = wanted
    bare = {
        value
        for number in readings.numbers
        if not number.is_dated and not number.is_denied and not any(_covers(each, number) for each in readings.lengths)
        for value in number.values | number.also
        if value > 1
    }
    units = {length for each in readings.lengths for length in each.length.sure}
    for each_months, each_minutes in units:
        # the unit of another duration: "three hours, no, two"
        if any((months, minutes) == (value * _unit(each_months), value * _unit(each_minutes)) for value in bare):
            return True
    sums = _sums_of_lengths(readings)
    if wanted in sums:
        return True
    ends = sorted({time for each in readings.times for time in each.time.sure})
    gaps = {(b[0] * 60 + b[1]) - (a[0] * 60 + a[1]) for a in ends for b in ends if b > a}
    firsts = sorted({m.first for seen in readings.dates for m in seen.mention.sure_meanings if m.first})
    lasts = sorted({m.last for seen in readings.dates for m in seen.mention.sure_meanings if m.last})
    days = {(last - first).days + more for first in firsts for last in lasts if last > first for more in (0, 1)}
    return not months and (minutes in gaps or (minutes / 1440 in days and minutes > 0))


def _sums_of_lengths(readings: Readings) -> set[tuple[Decimal, Decimal]]:
    """Two stated durations together, or one several times: "two 45-minute halves"."""
    stated = [next(iter(each.length.sure)) for each in readings.lengths[:8] if len(each.length.sure) == 1]
    times = {value for number in readings.numbers[:16] for value in number.values if 1 < value < 50}
    found = {(a[0] + b[0], a[1] + b[1]) for at, a in enumerate(stated) for b in stated[at + 1 :]}
    return found | {(one[0] * many, one[1] * many) for one in stated for many in times}


def _covers(length: ReadLength, number: ReadNumber) -> bool:
    return length.words == number.words and length.length.start < number.end and number.start < length.length.end


def _unit(size: Decimal) -> Decimal:
    """The plain unit of a size: 180 minutes are counted in hours."""
    for unit in (Decimal(12), Decimal(1)) if size < 1000 and size % 60 else ():
        if size and size % unit == 0:
            return unit
    for unit in (Decimal(10080), Decimal(1440), Decimal(60), Decimal(12), Decimal(1)):
        if size and size % unit == 0:
            return unit
    return Decimal(0)


def _lengths_text(readings: Readings) -> str:
    said = [f"'{each.words[each.length.start : each.length.end]}'" for each in readings.lengths[:3]]
    return "; ".join(said) or "no duration"
