"""Values that follow from quoted words together with a record, or from two numbers of the words.

"It is at eleven now, same day" takes its day from the record that it changes; "another 400" is added to what the record
has; "12 kids at £15 each" cost 180. Which numbers belong together, and how, the words beside the number say.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from uac.conversation.checks.field_roles import role_of
from uac.conversation.checks.number_verdicts import currency_verdict
from uac.conversation.checks.readings import Readings, ReadNumber
from uac.conversation.checks.time_verdicts import time_verdict
from uac.conversation.checks.verdicts import FOLLOWS, Verdict, best, date_verdict, is_real_date, worst
from uac.conversation.checks.weekdays import weekday_of
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["WorkedOut", "worked_out"]

Json: TypeAlias = Any  # as in `schema.types`


class WorkedOut(NamedTuple):
    """A verdict that needs values of a record, and the names of the fields that have them."""

    verdict: Verdict
    used: tuple[str, ...] = ()


def worked_out(
    name: str,
    fields: Mapping[str, Json],
    readings: Readings,
    changed: Mapping[str, Json],
    cited: Sequence[Json] = (),
    *,
    usual_currency: str = "",
) -> WorkedOut | None:
    """The verdict on one of the `fields` with the help of the record that they change, and values of `cited` records;
    None if those do not help."""
    raw = fields[name]
    moment = _MOMENT.fullmatch(raw) if isinstance(raw, str) else None
    if moment is not None:
        known = _known_moments(name, changed, cited)
        partly = _partly_known(name, moment, known, readings)
        moved = _day_of_known_week(name, moment[1], readings, changed) if is_real_date(moment[1]) else None
        is_same_time = not readings.times and any(one.is_own and one.time == moment[2] for one in known)
        if moved is not None and not is_same_time:
            moved = moved._replace(verdict=worst([moved.verdict, time_verdict(name, moment[2], readings)]))
        return _best(partly, moved, _moved_along(name, fields, changed, readings, known))
    if isinstance(raw, str) and _DAY.fullmatch(raw) and is_real_date(raw):
        return _best(_day_before_change(name, raw, readings, changed), _day_of_known_week(name, raw, readings, changed))
    amount = _amount_of(raw)
    return None if amount is None else _best(*_ways(name, amount, readings, changed, cited, usual_currency))


def _best(*ways: WorkedOut | None) -> WorkedOut | None:
    found = [way for way in ways if way is not None]
    if not found:
        return None
    good = best(way.verdict for way in found)
    return min((way for way in found if way.verdict.answer == good.answer), key=lambda way: len(way.used))


# --- moments ----------------------------------------------------------------------------------------------------------


class _KnownMoment(NamedTuple):
    day: str
    time: str
    field: str
    """The field of the changed record; empty for another record."""
    is_own: bool
    """Of the field that is asked about."""


def _known_moments(name: str, changed: Mapping[str, Json], cited: Sequence[Json]) -> list[_KnownMoment]:
    """The moments of the records, that of the same field first."""
    values = [(changed[name], name)] if name in changed else []
    values += [(value, field) for field, value in changed.items() if field != name]
    values += [(value, "") for value in cited]
    found: list[_KnownMoment] = []
    for value, field in values:
        text = value if isinstance(value, str) else ""
        if moment := _MOMENT.fullmatch(text):
            found.append(_KnownMoment(moment[1], moment[2], field, field == name))
        elif _DAY.fullmatch(text):
            found.append(_KnownMoment(text, "", field, field == name))
        elif _CLOCK.fullmatch(text):
            found.append(_KnownMoment("", text[:5], field, field == name))
    return found


def _partly_known(
    name: str, moment: re.Match[str], known: Sequence[_KnownMoment], readings: Readings
) -> WorkedOut | None:
    """A day of the record with an hour that the words state, or the other way round. Words that state another day, or
    another hour, are not overruled."""
    day, time = moment[1], moment[2]
    days, times = [one for one in known if one.day == day], [one for one in known if one.time == time]
    if days and not readings.dates and any(not each.is_denied for each in readings.times):
        other_days = {one.day for one in known if one.day} - {day}
        of_day = date_verdict(name, day, readings)
        is_sure = of_day.answer == "contradicts" or _SAME_DAY.search(" ".join(readings.texts)) is not None
        sure = is_sure and (days[0].is_own or not other_days)
        part = FOLLOWS if sure else Verdict("unsure", f"the day of a record, {day}")
        return WorkedOut(worst([part, time_verdict(name, time, readings)]), _used(days[:1]))
    if times and readings.dates and not readings.times:
        other_times = {one.time for one in known if one.time} - {time}
        sure = times[0].is_own or not other_times
        part = FOLLOWS if sure else Verdict("unsure", f"the time of a record, {time}")
        return WorkedOut(worst([part, date_verdict(name, day, readings)]), _used(times[:1]))
    return None


def _used(known: Sequence[_KnownMoment]) -> tuple[str, ...]:
    return tuple(one.field for one in known if one.field)


def _moved_along(
    name: str,
    fields: Mapping[str, Json],
    changed: Mapping[str, Json],
    readings: Readings,
    known: Sequence[_KnownMoment],
) -> WorkedOut | None:
    """An end that keeps its distance from a start that moves."""
    if role_of(name) != "end" or not any(one.is_own for one in known):
        return None
    for other, raw in fields.items():
        if other == name or other not in changed or not isinstance(raw, str) or not _MOMENT.fullmatch(raw):
            continue
        distance = _distance(changed, name, other)
        if role_of(other) == "end" or distance is None or _distance(fields, name, other) != distance:
            continue
        of_start = _start_verdict(other, fields, readings, changed)
        if of_start is None or of_start.verdict.answer == "contradicts":
            return None
        is_plain = len(readings.dates) <= 1 and len(readings.times) <= 1 and not readings.lengths
        rest = FOLLOWS if is_plain else Verdict("unsure", "the length that the record has")
        return WorkedOut(worst([of_start.verdict, rest]), tuple(dict.fromkeys((*of_start.used, name, other))))
    return None


def _day_before_change(name: str, raw: str, readings: Readings, changed: Mapping[str, Json]) -> WorkedOut | None:
    """The last day of what a record has, if the words say from when on something else is the case: "from September we
    sing on Tuesdays instead"."""
    if role_of(name) != "end" or not changed:
        return None
    for seen in readings.dates:
        is_from = _FROM.search(seen.words[: seen.mention.start]) or _FROM.match(seen.mention.phrase)
        if seen.is_denied or not is_from or not _IS_OTHER_THEN.search(seen.words):
            continue
        firsts = [meaning.first for meaning in seen.mention.meanings]
        lasts = [first and (first - timedelta(days=1)).isoformat() for first in firsts]
        if raw in lasts:
            is_sure = raw in lasts[: seen.mention.sure]
            return WorkedOut(FOLLOWS if is_sure else Verdict("unsure", f"the day before '{seen.mention.phrase}'"))
    return None


_FROM = lazy_pattern(
    r"\b(?:from|starting|as of|ab|vom|desde|a partir de|à partir de|dès|dal?|vanaf|od)\b"
    r"(?: (?:the|dem|den|el|le|il|o|de))?(?:\s*$|(?= ))",
    re.IGNORECASE,
)
_IS_OTHER_THEN = lazy_pattern(
    r"\b(?:instead|rather than|no longer|any ?more|stops?|statt(?:dessen)?|anstatt|nicht mehr|keine?n? \w+ mehr"
    r"|en vez de|en lugar de|ya no|au lieu d\w+|n(?:e |['’])\w+ plus|invece|non \w+ più|em vez de|já não|in plaats van"
    r"|niet meer|zamiast|już nie)\b",
    re.IGNORECASE,
)


def _day_of_known_week(name: str, raw: str, readings: Readings, changed: Mapping[str, Json]) -> WorkedOut | None:
    """Another weekday in the week of the record's day: "it's on the Thursday now". Without an article, the words may
    mean the next one."""
    old = changed.get(name)
    if not isinstance(old, str) or not _DAY.match(old) or not readings.dates:
        return None
    day, before = date.fromisoformat(raw), date.fromisoformat(old[:10])
    if day == before or day.isocalendar()[:2] != before.isocalendar()[:2]:
        return None
    for seen in readings.dates:
        is_weekday = seen.mention.rules <= _WEEKDAY_RULES and weekday_of(seen.mention.phrase) == day.weekday()
        if seen.is_denied or not is_weekday:
            return None
    is_named = any(_THE.search(seen.words[: seen.mention.start]) for seen in readings.dates)
    verdict = FOLLOWS if is_named else Verdict("unsure", f"the week of the record's day, {before.isoformat()}")
    return WorkedOut(verdict, (name,))


_WEEKDAY_RULES = frozenset({"bare_weekday", "weekday"})
_THE = lazy_pattern(r"\b(?:the|that|dem|jenem|el|ese|le|ce|il|quel|o|esse|de|die)\s+$", re.IGNORECASE)


def _start_verdict(
    name: str, fields: Mapping[str, Json], readings: Readings, changed: Mapping[str, Json]
) -> WorkedOut | None:
    moment = _MOMENT.fullmatch(fields[name])
    assert moment is not None
    plain = worst([date_verdict(name, moment[1], readings), time_verdict(name, moment[2], readings)])
    if plain.answer != "contradicts":
        return WorkedOut(plain)
    return _partly_known(name, moment, _known_moments(name, changed, ()), readings)


def _distance(fields: Mapping[str, Json], end: str, start: str) -> timedelta | None:
    try:
        return datetime.fromisoformat(fields[end]) - datetime.fromisoformat(fields[start])
    except (TypeError, ValueError):  # one with a zone, one without; a day that is not a moment
        return None


_MOMENT = lazy_pattern(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII)
_DAY = lazy_pattern(r"\d{4}-\d\d-\d\d", re.ASCII)
_CLOCK = lazy_pattern(r"\d\d:\d\d(?::\d\d)?", re.ASCII)
_SAME_DAY = lazy_pattern(
    r"\b(?:same (?:day|date)|selben? tag|gleichen? tag|mismo día|même jour|stesso giorno|mesmo dia|zelfde dag"
    r"|t(?:en|ego) sam\w* d\w+)\b",
    re.IGNORECASE,
)


# --- numbers ----------------------------------------------------------------------------------------------------------


class _Amount(NamedTuple):
    number: Decimal
    currency: str


def _amount_of(raw: Json) -> _Amount | None:
    """The number of a value, with its currency if it has one."""
    match raw:
        case bool():
            return None
        case int() | float() | Decimal():
            number = Decimal(str(raw))
            return _Amount(number, "") if number.is_finite() else None
        case str() if found := _AMOUNT.fullmatch(raw):
            return _Amount(Decimal(found[1]), found[2] or "")
        case {"amount": int() | float() | Decimal() | str() as amount, **rest}:
            inner = _amount_of(amount)
            return inner and _Amount(inner.number, str(rest.get("currency") or inner.currency))
    return None


_AMOUNT = lazy_pattern(r"(-?\d+(?:\.\d+)?)(?: ([A-Z]{3}))?", re.ASCII)


def _ways(
    name: str, wanted: _Amount, readings: Readings, changed: Mapping[str, Json], cited: Sequence[Json], usual: str
) -> Iterator[WorkedOut]:
    """The ways in which the number can be computed."""
    stated = [each for each in readings.numbers if each.values and not each.is_denied and not each.is_dated][:40]
    for verdict in (*_from_two_stated(wanted, stated), *_shared(wanted, stated, readings)):
        of_money = currency_verdict(wanted.currency, readings, usual) if wanted.currency else FOLLOWS
        yield WorkedOut(worst([verdict, of_money]))
    if readings.currencies - {"$"} and wanted.currency and wanted.currency not in readings.currencies:
        return
    for field, value in [*changed.items(), *(("", value) for value in cited)]:
        known = _amount_of(value)
        if known is None or known.currency != wanted.currency or known.number == 0:
            continue
        used = (field,) if field else ()
        if wanted.number * 2 == known.number and any(map(_HALF.search, readings.texts)):
            yield WorkedOut(Verdict("unsure", f"half of {known.number}") if stated else FOLLOWS, used)
        for each in stated:
            for number in sorted(each.values):
                way = _with_known(wanted.number, known.number, number, each, is_own=field == name)
                if way is not None:
                    yield WorkedOut(way, used)


def _with_known(wanted: Decimal, known: Decimal, stated: Decimal, each: ReadNumber, *, is_own: bool) -> Verdict | None:
    """Whether a number is what the record has and a stated one more or less, and whether the words say so."""
    near = _clause_around(each)
    is_more, is_less, is_left = (bool(cue.search(near)) for cue in (_MORE, _LESS, _LEFT))
    if wanted == known + stated and is_own and not (is_less or is_left):
        return FOLLOWS if is_more else Verdict("unsure", f"{known} and {stated}")
    if wanted == known - stated >= 0 and not is_more and (is_less if is_own else is_left):
        return FOLLOWS
    return None


def _from_two_stated(wanted: _Amount, stated: Sequence[ReadNumber]) -> Iterator[Verdict]:
    """Whether the words state two numbers to be multiplied, added or taken from each other."""
    for at, one in enumerate(stated):
        for other in stated[at + 1 :]:
            if one.words != other.words:
                continue
            between = one.words[one.end : other.start]
            if len(between) > _FAR or _SENTENCE.search(between):
                continue
            near = _clause_around(other)
            for a in sorted(one.values):
                for b in sorted(other.values):
                    is_product = wanted.number == a * b and (_EACH.search(near) or _EACH.search(_clause_around(one)))
                    is_sum = wanted.number == a + b and _MORE.search(near)
                    is_rest = wanted.number == a - b and (_LESS.search(near) or _LEFT.search(near))
                    if is_product or is_sum or is_rest:
                        yield FOLLOWS


_FAR = 60


def _shared(wanted: _Amount, stated: Sequence[ReadNumber], readings: Readings) -> Iterator[Verdict]:
    """Half of a stated number, or a number for each of those whom the words count, or name without a count."""
    values = {value for each in stated for value in each.values}
    if wanted.number * 2 in values and any(map(_HALF.search, readings.texts)):
        yield FOLLOWS if len(values) == 1 else Verdict("unsure", f"half of {wanted.number * 2}")
    counts = {value for each in readings.numbers if _PEOPLE.match(each.words, each.end) for value in each.also}
    counts |= {Decimal(2) for text in readings.texts if _BOTH.search(text)}
    for each in stated:
        for value in each.values if _EACH.search(_clause_around(each)) else ():
            many = wanted.number / value if value else Decimal(0)
            if len(values) > 1 or (counts and counts != {many}):
                continue
            if counts:
                yield FOLLOWS
            elif many == int(many) and 2 <= many <= _MANY:
                yield Verdict("unsure", f"{value} each")


_MANY = 12
_HALF = lazy_pattern(
    r"\b(?:half(?: of)?|50 ?%|hälfte|mitad|moitié|metà|metade|helft|połow[ęay]|fifty-fifty|50/50)(?!\w)", re.IGNORECASE
)
_BOTH = lazy_pattern(
    r"\b(?:both|the two of us|for two|wir beide[n]?|zu zweit|für zwei|los dos|las dos|para dos|tous les deux|pour deux"
    r"|tutti e due|per due|os dois|as duas|para dois|allebei|voor twee|oboje|dla dwojga)\b",
    re.IGNORECASE,
)
_PEOPLE = lazy_pattern(
    r"(?: of us| of them| people| adults| kids| tickets| persons)?(?: for| total)?\s*(?:$|[,.;!?])| of (?:us|them)\b",
    re.IGNORECASE,
)


def _clause_around(each: ReadNumber) -> str:
    before = _STOP.split(each.words[max(0, each.start - 40) : each.start])[-1]
    after = _STOP.split(each.words[each.end : each.end + 40])[0]
    return f"{before} {after}"


_STOP = lazy_pattern(r"[,;.!?:](?=\s|$)|\b(?:and|und|y|et|but|aber|pero|mais il|maar|ale)\b", re.IGNORECASE)
_SENTENCE = lazy_pattern(r"[;.!?](?=\s|$)")
_MORE = lazy_pattern(
    r"\b(?:another|more|further|additional|extra|again|plus|on top|nochmals?|noch ?(?:ein)?mal|weitere\w*|zusätzlich"
    r"|erneut|obendrauf|otr[oa]s?|más|adicional\w*|de nouveau|encore|supplémentaires?|autres?|altr[iaeo]|ancora"
    r"|outr[oa]s?|mais|nog (?:eens?|een keer)|erbij|kolejn\w+|dodatkow\w+)\b",
    re.IGNORECASE,
)
_LEFT = lazy_pattern(
    r"\b(?:left|remain\w*|still|outstanding|owes?|owing|short|to go|fehl(?:en|t)|bleib\w*|übrig|offen|restlich\w*"
    r"|schuld\w*|qued\w+|falt\w+|rest(?:e|ent|ant|ano|a|am)|manqu\w+|manca(?:no)?|openstaand\w*|nog te|zosta\w+"
    r"|brakuje)\b",
    re.IGNORECASE,
)
_LESS = lazy_pattern(
    r"\b(?:off|less|fewer|cheaper|knocked|discount|down by|minus|weniger|billiger|günstiger|rabatt|nachlass"
    r"|nachgelassen|erlassen|abgezogen|menos|descuento|rebaja\w*|moins|remise|rabais|meno|sconto|desconto|minder"
    r"|korting|mniej|rabat\w*|zniżk\w+)\b",
    re.IGNORECASE,
)
_EACH = lazy_pattern(
    r"\b(?:each|apiece|(?:a|per) (?:head|person|piece|kid|child|ticket|night|unit)|pro (?:person|kopf|kind|stück|nase"
    r"|nacht)|je|jeweils|cada un[oa]?|por (?:persona|cabeza|noche|pessoa|noite)|chacune?|par (?:personne|tête|nuit)"
    r"|a (?:testa|persona|notte)|ciascun[oa]|cada uma?|per (?:stuk|persoon|nacht)|(?:za|od|na) osob[ęy])\b",
    re.IGNORECASE,
)
