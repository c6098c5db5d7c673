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

from uac.conversation.checks.field_names import Place, is_beside_name, is_current_alone, is_named_alone
from uac.conversation.checks.field_roles import (
    IS_ONE_OF_SEVERAL,
    Role,
    is_over_field,
    is_past_field,
    prefers_date,
    role_of,
)
from uac.conversation.checks.readings import ReadDate, Readings
from uac.conversation.checks.stated_years import has_unread_year, worked_out_years
from uac.conversation.checks.unread_words import (
    days_counted_from_dates,
    days_counted_from_today,
    days_moved_by_length,
    has_unread_anaphora,
    has_unread_date,
    has_unread_day,
    is_weekday_near_date,
    whole_units,
)
from uac.conversation.checks.weekdays import weekday_of
from uac.errors import Refused
from uac.schema.periods import Period
from uac.text.dates.cycles import Duration
from uac.text.dates.mentions import Mention, shifted
from uac.text.dates.tense import is_move
from uac.text.lazy_pattern import lazy_pattern

__all__ = [
    "FOLLOWS",
    "Json",
    "Verdict",
    "best",
    "date_verdict",
    "is_real_date",
    "meanings_text",
    "worst",
    "worst_of_parts",
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


def worst_of_parts(verdicts: Sequence[Verdict]) -> Verdict:
    """The worst verdict on the parts of one value, with what code read for each part that is as bad."""
    answer = worst(verdicts).answer
    read = dict.fromkeys(each.read for each in verdicts if each.answer == answer and each.read)
    return Verdict(answer, "; ".join(read))


def best(verdicts: Iterable[Verdict]) -> Verdict:
    return min(verdicts, key=_badness, default=FOLLOWS)


def _badness(verdict: Verdict) -> int:
    return ("follows", "unsure", "contradicts").index(verdict.answer)


# --- dates ------------------------------------------------------------------------------------------------------------

Fit = Literal["yes", "maybe", "no"]


def date_verdict(name: str, raw: str, readings: Readings) -> Verdict:
    """The verdict on a day, month or year."""
    if not is_real_date(raw):
        return Verdict("contradicts", "no such day")
    role = role_of(name)
    read = _dates_text(readings)
    fits: dict[int, Fit] = {}
    others: list[int] = []
    for at, seen in enumerate(readings.dates):
        fits[at] = _date_fit(raw, role, seen) if not _is_moved_range(seen) else _moved_fit(name, raw, seen)
        moved = days_moved_by_length(seen, readings)
        if moved and (fits[at] == "yes" or any(day.startswith(raw) for day in moved)):
            fits[at] = "maybe"
        is_out = seen.is_denied or seen.is_ruled_out
        if fits[at] != "yes" and not is_out and not seen.is_anchor and not _contains(seen, raw):
            others.append(at)
    derived = _derived_fit(raw, readings)
    good = [at for at, fit in fits.items() if fit == "yes" and not readings.dates[at].is_denied]
    is_end = any(_ends_then(seen) for seen in readings.dates if not seen.is_denied)
    if derived == "yes" and role == "end":
        return FOLLOWS if not is_end and not any(map(is_move, readings.texts)) else Verdict("unsure", read)
    if good and (is_end or not (derived == "rival" and role == "end")):
        found = _among_rivals(name, readings, good, others, read)
        is_open = found.answer == "follows" and _may_mean_other(name, raw, readings, good)
        return Verdict("unsure", read) if is_open else found
    if (derived in ("yes", "maybe") and role != "start") or "maybe" in fits.values():
        return Verdict("unsure", read)
    if good:  # the start of a stay whose length is said, for the field of its end
        return Verdict("contradicts", read)
    denied = [at for at, fit in fits.items() if fit == "yes"]
    if (denied and not others) or _is_counted_in_years(name, raw, readings):
        return Verdict("unsure", read)
    if has_unread_date(raw, readings) or (len(raw) == _YEAR_DIGITS and _is_worked_out_year(name, int(raw), readings)):
        return Verdict("unsure", read)
    if _is_named_day_of_short_year(raw, readings) or _is_put_together(role, raw, readings):
        return Verdict("unsure", read)
    return Verdict("contradicts", read)


_YEAR_DIGITS = 4


def _is_worked_out_year(name: str, year: int, readings: Readings) -> bool:
    """Whether a year follows from a number and the day of saying, or is said with two digits: "ten years in", "'87"."""
    stated = {value for number in readings.numbers for value in number.values | number.also}
    away = {Decimal(abs(said.year - year) + more) for said in readings.said for more in (-1, 0)} - {Decimal(0)}
    if year in worked_out_years(readings) or _is_years_from_stated(year, readings):
        return True
    is_free = not readings.dates or re.search("born|birth", name) is not None  # an age with a birthday
    return is_free and (not stated.isdisjoint(away) or Decimal(year % 100) in stated)


def _is_years_from_stated(year: int, readings: Readings) -> bool:
    """Whether a stated number of years lies between it and a stated year: "every 3 years, last in 2024"."""
    years = {int(m.start[:4]) for seen in readings.dates for m in seen.mention.meanings if m.start}
    spans = {int(months) // 12 for each in readings.lengths for months, _ in each.length.sure if months % 12 == 0}
    return any(abs(year - other) in spans - {0} for other in years)


def _is_named_day_of_short_year(raw: str, readings: Readings) -> bool:
    """Whether the day and month are named, and the year with its last two digits: "29 February, in 92"."""
    return len(raw) == len("1992-02-29") and any(
        re.search(rf"(?<![\d:.,/-]){raw[2:4]}(?![\w:/-]|[.,]\d| ?[%€£$])", seen.words)
        and any(meaning.start[4:] == raw[4:] for meaning in seen.mention.meanings)
        for seen in readings.dates
    )


def _is_put_together(role: Role, raw: str, readings: Readings) -> bool:
    """Whether two parts of the words may mean the day together: a date and a duration, or a date and a weekday."""
    days = days_counted_from_dates(readings, is_back=True) | days_counted_from_today(readings)
    if role != "start":
        days |= days_counted_from_dates(readings, is_back=False)
    if role == "end":  # twelve months from 1 February end on 31 January
        days |= {_day_before(day) for day in days if len(day) == len("2026-02-01")}
    return is_weekday_near_date(raw, readings) or any(day.startswith(raw) for day in days)


def _day_before(day: str) -> str:
    return (date.fromisoformat(day) - timedelta(days=1)).isoformat()


def is_real_date(raw: str) -> bool:
    try:
        return Period.on(raw).first is not None
    except ValueError:
        return False


def _among_rivals(name: str, readings: Readings, good: Sequence[int], others: Sequence[int], read: str) -> Verdict:
    """The value is one certain reading; other dates of the words may be meant for the field instead."""
    anchors = [at for at, seen in enumerate(readings.dates) if seen.is_anchor and at not in good]
    if all(readings.dates[at].is_anchor for at in good) or (IS_ONE_OF_SEVERAL.search(name) and (others or anchors)):
        return Verdict("unsure", read)
    if anchors and prefers_date(name, readings, [*good, *anchors]) in anchors:
        return Verdict("unsure", read)
    if not others:
        # "The party is on the 18th, dinner the evening after"
        here = {readings.dates[at].quote for at in good}
        is_open = any(readings.dates[at].quote in here for at in anchors)
        return FOLLOWS if not is_open else Verdict("unsure", read)
    chosen = prefers_date(name, readings, [*good, *others])
    if chosen is None:
        mine, theirs = _places(readings, good), _places(readings, others)
        is_meant = is_named_alone(name, mine, theirs) or is_current_alone(name, mine, theirs)
        return FOLLOWS if is_meant and not anchors else Verdict("unsure", read)
    rest = [at for at in (*good, *others) if (at in good) != (chosen in good)]
    if any(is_beside_name(name, place) for place in _places(readings, rest)):  # "the tenancy is up on 28 February"
        return Verdict("unsure", read)
    return (
        FOLLOWS if chosen in good else Verdict("contradicts" if role_of(name) in ("start", "end") else "unsure", read)
    )


def _places(readings: Readings, among: Sequence[int]) -> list[Place]:
    seen = [readings.dates[at] for at in among]
    return [Place(each.words, each.mention.start, each.mention.end) for each in seen]


def _may_mean_other(name: str, raw: str, readings: Readings, good: Sequence[int]) -> bool:
    """Whether the words rule the date out, say that it is not known, or have another one that code does not read."""
    texts = {readings.dates[at].words for at in good}
    if all(readings.dates[at].is_ruled_out for at in good) or any(map(_NOT_KNOWN.search, texts)):
        return True
    if len(raw) == _YEAR_DIGITS and (has_unread_year(readings) or _has_other_year_number(int(raw), readings)):
        return True
    if len(raw) == len("2026-09-15") and has_unread_day(raw, readings):
        return True
    if is_past_field(name) and any(map(_NOT_YET.search, texts)):
        return True
    if is_over_field(name) and _is_to_come(raw, readings):
        return True
    if "next" in name.split("_") and _is_past(raw, readings):
        return True
    return any(has_unread_anaphora(text, readings) for text in texts)


def _has_other_year_number(year: int, readings: Readings) -> bool:
    """Whether a number that was not read as a date may be another year: "the car's a 2016"."""
    return any(
        not number.is_dated and any(1900 <= one <= 2099 and one != year for one in number.values)
        for number in readings.numbers
    )


def _is_to_come(raw: str, readings: Readings) -> bool:
    first = Period.on(raw).first
    return first is not None and all(first > said.date() for said in readings.said)


def _is_past(raw: str, readings: Readings) -> bool:
    last = Period.on(raw).last
    return last is not None and all(last < said.date() for said in readings.said)


_NOT_YET = lazy_pattern(
    r"\b(?:(?:haven|hasn|hadn)['’]?t|not yet|still (?:not|have to|need to)|noch nicht|todavía no|aún no|pas encore"
    r"|non ancora|ainda não|nog niet|jeszcze nie)\b",
    re.IGNORECASE,
)
_NOT_KNOWN = lazy_pattern(
    r"\b(?:(?:don['’]?t|do not) know when|no idea when|(?:haven['’]?t|hasn['’]?t) (?:told|said|heard|confirmed)"
    r"|weiß (?:noch )?nicht,? wann|keine ahnung,? wann|no sé cuándo|sais pas quand|non so quando|não sei quando"
    r"|weet (?:nog )?niet wanneer|nie wiem,? kiedy)\b",
    re.IGNORECASE,
)


def _contains(seen: ReadDate, raw: str) -> bool:
    """Whether the words name a longer time around the value, which so is no other date: "this year"."""
    value = Period.on(raw)
    return not seen.mention.rules & _FROM_TO and any(
        meaning.first is not None and meaning.last is not None and value.first is not None and value.last is not None
        and meaning.first <= value.first and value.last <= meaning.last
        for meaning in seen.mention.meanings
    )  # fmt: skip


def _date_fit(raw: str, role: Role, seen: ReadDate) -> Fit:
    best: Fit = "no"
    if (expiry := _card_expiry(seen)) is not None:
        return "yes" if raw[:7] == expiry else "maybe" if raw[5:7] == expiry[5:] else "no"
    for at, meaning in enumerate(seen.mention.meanings):
        # "One year from 1 April" starts then; it is also the day a year later.
        if "span_from" in seen.mention.rules and role != "end" and (meaning.start == meaning.end) == (role == "start"):
            continue
        fit = _period_fit(raw, role, meaning)
        if fit == "maybe" and role != "any" and _is_between(raw, seen, meaning):
            continue
        is_start = role == "end" and _FROM.search(seen.words[: seen.mention.start]) is not None
        if fit == "yes" and at < seen.mention.sure and not is_start and not _is_some_day_of_year(raw, meaning, seen):
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


def _is_moved_range(seen: ReadDate) -> bool:
    """Whether "from 9 June to 11 June" says from where to where something was moved."""
    return bool(seen.mention.rules & _FROM_TO) and is_move(seen.words)


def _moved_fit(name: str, raw: str, seen: ReadDate) -> Fit:
    role: Role = "start" if re.search(r"(?:^|_)(?:old|original|previous|from)(?:_|$)", name) else "end"
    fit = _date_fit(raw, role, seen)
    return "maybe" if fit == "no" and (_date_fit(raw, "any", seen) != "no" or _is_named_in(raw, seen)) else fit


def _is_named_in(raw: str, seen: ReadDate) -> bool:
    """Whether the phrase has the weekday or the number of a near day: what is moved back is no range that was read."""
    if len(raw) < len("2026-03-20"):
        return False
    day, words = date.fromisoformat(raw), re.findall(r"\d+|[^\W\d_]+", seen.mention.phrase)
    is_named = str(day.day) in words or any(weekday_of(word) == day.weekday() for word in words)
    return is_named and abs((day - seen.said.date()).days) <= _WEEKS_BACK


_FROM_TO = frozenset({"between", "between_day", "between_plain", "weekday_range", "days_of_month"})


def _is_between(raw: str, seen: ReadDate, meaning: Period) -> bool:
    """Whether it is a day after the first and before the last day of "3 to 7 May", and so neither start nor end."""
    days = meaning.start[:10], meaning.end[:10]
    return bool(seen.mention.rules & _FROM_TO) and {len(raw), *map(len, days)} == {10} and days[0] < raw < days[1]


def _is_some_day_of_year(raw: str, meaning: Period, seen: ReadDate) -> bool:
    """Whether "since 2023" says only that it was a day of a year that has begun."""
    year = meaning.start or meaning.end
    return len(raw) > len(year) == _YEAR_DIGITS and int(year) <= seen.said.year


def _card_expiry(seen: ReadDate) -> str | None:
    """The month of "expires 09/28", if that is how the words are meant."""
    written = _MONTH_AND_YEAR.search(seen.mention.phrase)
    if written is None or int(written[2]) + 2000 < seen.said.year or not _EXPIRES.search(seen.words):
        return None
    return f"20{written[2]}-{written[1]}"


_MONTH_AND_YEAR = lazy_pattern(r"(?<![\d/])(0[1-9]|1[0-2])/(\d\d)$")
_EXPIRES = lazy_pattern(
    r"\b(?:expir\w+|exp|runs? out|valid|good (?:until|thru|through)|gültig|läuft ab|abläuft|caduca|vence|vencimiento"
    r"|valable|scade\w*|scadenza|valida|validade|válid[oa]|geldig|verloopt|ważn[ay])\b",
    re.IGNORECASE,
)


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
_THAT = lazy_pattern(
    r"\b(?:that|the|same|an jenem|jenen|dem|ese|esa|aquel|ce|cet|quel|quella|aquela|aquele|nessa|die|tamt\w+|ten) \w+$",
    re.IGNORECASE,
)
_FROM = lazy_pattern(r"\b(?:from|ab|desde|dès|vanaf|od)(?: (?:the|dem|den|el|le))?\s*$", re.IGNORECASE)
_BEFORE = lazy_pattern(
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
        if role != "any" and start != end and start[: len(raw)] != end[: len(raw)]:
            wanted, other = (start, end) if role == "start" else (end, start)
            return "yes" if wanted.startswith(raw) else "maybe" if is_inside and not other.startswith(raw) else "no"
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
        if not each.is_dated and not each.is_denied and not each.is_rate and not each.is_cycle
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
    named = {seen.mention.meanings[0] for seen in readings.dates if not seen.is_denied}
    is_only = len(spans) == 1 and len(named) == 1
    for each, (months, minutes) in spans:
        words = each.words[each.length.start : each.length.end].casefold()
        reach = _reach(
            months, minutes, is_days=bool(re.search(r"\b(?:day|tag|día|dia|jour|giorn|dag|dni|dzie)", words))
        )
        for first, is_sure in days:
            for counted, many in enumerate(reach):
                try:
                    end = shifted(first, many)
                except Refused:  # outside of the calendar
                    continue
                if end.isoformat() == raw or (len(raw) < 10 and end.isoformat().startswith(raw)):
                    # a stay of ten days may count its first day
                    found = "yes" if is_sure and not counted and found != "maybe" and is_only else "maybe"
                elif is_sure and found == "none" and is_only:
                    found = "rival"
    return found


def _reach(months: Decimal, minutes: Decimal, *, is_days: bool) -> list[Duration]:
    """How far an end may be from the start; then how far if the first day counts."""
    reach = whole_units(months, minutes)
    if reach is None:
        return []
    is_inclusive = is_days and reach.unit == "day" and reach.number > 1
    return [reach, *([Duration(reach.number - 1, "day")] if is_inclusive else [])]


def _ends_then(seen: ReadDate) -> bool:
    """Whether the words say that something ends on the date itself: "expires on 30 June, six years after"."""
    return _ENDS_ON.search(seen.words[: seen.mention.start] + seen.mention.phrase.split(" ")[0] + " ") is not None


_ENDS_ON = lazy_pattern(
    r"\b(?:until|till?|ends?|expires?|due|by|bis|endet|läuft|hasta|vence|termina|jusqu\w*|expire|finit|fino|scade|entro"
    r"|até|tot|eindigt|verloopt|kończy)(?: \S+){0,2} $",
    re.IGNORECASE,
)


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


def _dates_text(readings: Readings) -> str:
    said: dict[str, None] = {}
    for seen in readings.dates:
        day = f"{seen.said:%A} {seen.said.date().isoformat()}"
        said[f"'{seen.mention.phrase}', said on {day}, {meanings_text(seen.mention)}"] = None
    return "; ".join([*said][:3]) or "no date"


def meanings_text(mention: Mention) -> str:
    """What a date is, or what it can be if code knows of several meanings."""
    written: dict[str, str] = {}
    for one in mention.meanings:
        text = "…".join(dict.fromkeys((one.start, one.end)))
        written.setdefault(text.strip("…"), text)
    return ("is " if len(written) == 1 else "can be ") + " or ".join([*written.values()][:2])
