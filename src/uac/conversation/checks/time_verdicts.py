"""Whether a time of day, a moment or a duration follows from quoted words."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

from uac.conversation.checks.field_names import Place, is_current_alone, is_named_alone
from uac.conversation.checks.field_roles import IS_ONE_OF_SEVERAL, Role, role_of
from uac.conversation.checks.readings import Readings, ReadLength, ReadTime
from uac.conversation.checks.unread_words import unread_hours, unread_numbers
from uac.conversation.checks.verdicts import FOLLOWS, Verdict, best, date_verdict, is_real_date, worst
from uac.conversation.checks.weekdays import weekday_of
from uac.text.lazy_pattern import lazy_pattern
from uac.text.lengths import iso_length

__all__ = ["length_verdict", "moment_verdict", "time_verdict"]


def time_verdict(name: str, raw: str, readings: Readings) -> Verdict:
    """The verdict on a time of day, HH:MM."""
    wanted = (int(raw[:2]) % 24, int(raw[3:5]))
    # A fact and the words that it quotes often name the same time.
    stated = list({each.time[2:]: each for each in reversed(readings.times) if not each.is_denied}.values())[::-1]
    role = role_of(name)
    read = _times_text(readings)
    shifted_times = _shifted_times(readings)
    sure = [at for at, each in enumerate(stated) if wanted in each.time.sure]
    others = [at for at, each in enumerate(stated) if wanted not in each.time.possible]
    hours = unread_hours(readings)
    if sure:
        if shifted_times and (role == "end" or _is_relative_time(readings)):
            return Verdict("unsure", read)
        if not others:
            return FOLLOWS if hours <= {wanted, _other_half(wanted)} else Verdict("unsure", read)
        chosen = _time_of_role(name, stated)
        if chosen is not None:
            is_range = len(stated) == 2 and chosen == (0 if role == "start" else 1)
            if sure == [chosen]:
                return FOLLOWS if hours <= {wanted, _other_half(wanted)} else Verdict("unsure", read)
            return Verdict("contradicts" if is_range else "unsure", read)
        mine, theirs = _places(stated, sure), _places(stated, others)
        is_named = is_named_alone(name, mine, theirs) or is_current_alone(name, mine, theirs)
        return FOLLOWS if is_named and not hours - {wanted, _other_half(wanted)} else Verdict("unsure", read)
    if wanted in shifted_times:
        return (
            FOLLOWS
            if role == "end" and len(stated) == 1 and not _is_relative_time(readings)
            else Verdict("unsure", read)
        )
    if any(wanted in each.time.possible for each in stated):
        at = next(at for at, each in enumerate(stated) if wanted in each.time.possible)
        if others and _time_of_role(name, stated) not in (None, at):
            return Verdict("contradicts", read)
        # "9 to 5": the one that fits a day of work.
        if len(stated) == 2 and _time_of_role(name, stated) == at == 0 and wanted[0] < 12:
            return FOLLOWS
        return Verdict("unsure", read)
    if (
        _is_bare_old_hour(wanted, readings)
        or any(map(_SAME_TIME.search, readings.texts))
        or wanted in hours
        or (not stated and _number_as_hour(wanted, readings))
        or wanted in _times_from_now(readings)
        or wanted in _shifted_times(readings, signs=(1, -1))
        or _is_spelled_apart(wanted, readings)
        or wanted in _times_with_bare_minutes(readings)
    ):
        return Verdict("unsure", read)
    return Verdict("contradicts", read)


def _places(stated: Sequence[ReadTime], among: Sequence[int]) -> list[Place]:
    return [Place(stated[at].words, stated[at].time.start, stated[at].time.end) for at in among]


def _other_half(time: tuple[int, int]) -> tuple[int, int]:
    return (time[0] + 12) % 24, time[1]


def _time_of_role(name: str, stated: Sequence[ReadTime]) -> int | None:
    """Which of several times is the start or the end: if they are a range; None if not clear."""
    role = role_of(name)
    if role == "any" or IS_ONE_OF_SEVERAL.search(name) or any(weekday_of(word) is not None for word in name.split("_")):
        return None
    if len(stated) == 2 and stated[0].words == stated[1].words:
        words, place = stated[0].words, stated[1].time.start
        inside = _RANGE_WORDS.match(words[place : stated[1].time.end])  # "until eight"
        if _RANGE_WORDS.fullmatch(words[stated[0].time.end : place] + (inside[0] if inside else "")):
            return 0 if role == "start" else 1
    roles = [_said_role(each) for each in stated]
    is_told_apart = roles.count(role) == 1 and "any" not in roles
    return roles.index(role) if is_told_apart else None


def _said_role(each: ReadTime) -> Role:
    """Whether the verb of its clause says that something starts then, or ends."""
    before = _CLAUSE.split(each.words[: each.time.start])[-1]
    clause = f"{before} {_CLAUSE.split(each.words[each.time.end :])[0]}"
    is_start, is_end = _STARTS.search(clause) is not None, _ENDS.search(clause) is not None
    return "any" if is_start == is_end else "start" if is_start else "end"


_CLAUSE = lazy_pattern(r"[,;!?]|\.(?=\s|$)|\b(?:and|but|und|y|et|e|en|i|a)\b", re.IGNORECASE)
_STARTS = lazy_pattern(
    r"\b(?:opens?|starts?|begins?|öffnet|macht auf|beginnt|fängt an|abre[nm]?|empiez\w+|empieza\w*|entro|ouvre\w*"
    r"|commence\w*|apre|inizi\w+|começ\w+|gaat open|open|begint|otwiera\w*|zaczyna\w*)\b",
    re.IGNORECASE,
)
_ENDS = lazy_pattern(
    r"\b(?:closes?|shuts?|ends?|finish\w*|schließt|macht zu|endet|aufhör\w*|cierran?|acab\w+|termin\w+|salgo|saio|esco"
    r"|ferme\w*|fini\w*|chiude|fecha\w*|dicht|sluit|eindigt|zamyka\w*|kończy\w*)\b",
    re.IGNORECASE,
)
_RANGE_WORDS = lazy_pattern(
    r"\s*(?:uhr|h|am|pm|uur|godz\.?)?\s*(?:to|till?|until|through|and|-|–|—|bis|und|a|al|y|à|au|et|alle|e|às|até|tot|en|do"
    r"|i)\s*(?:um|las?|les|le|às|om)?\s*",
    re.IGNORECASE,
)


def _times_from_now(readings: Readings) -> set[tuple[int, int]]:
    """Times a stated duration after the words were said: "in 45 minutes"."""
    found = set()
    for each in readings.lengths:
        if _IN.search(each.words[: each.length.start]) is None:
            continue
        for said in readings.said:
            for months, minutes in each.length.sure:
                if not months and 0 < minutes < 1440:
                    then = said + timedelta(minutes=int(minutes))
                    found.add((then.hour, then.minute))
    return found


_IN = lazy_pattern(
    r"\b(?:in|within|en|dentro de|dans|tra|fra|em|daqui a|over|za)(?: (?:about|etwa|unos|circa|ca\.?))? $",
    re.IGNORECASE,
)


def _shifted_times(readings: Readings, signs: tuple[int, ...] = ()) -> set[tuple[int, int]]:
    """Times a stated duration after a stated one, or before it if the words say so; or in the directions of `signs`."""
    found = set()
    for each in readings.times:
        for hour, minute in each.time.possible if signs else each.time.sure:
            for length in readings.lengths:
                if _is_part_of(length, each):  # "six heures et demie"
                    continue
                for months, minutes in length.length.sure:
                    if months or not 0 < minutes < 1440:
                        continue
                    for sign in signs or ((-1,) if _EARLIER.search(length.words) else (1,)):
                        moved = (hour * 60 + minute + sign * int(minutes)) % 1440
                        found.add((moved // 60, moved % 60))
    return found


def _times_with_bare_minutes(readings: Readings) -> set[tuple[int, int]]:
    """Times with minutes that are said without their hour: "at 6? no, make it quarter to"."""
    minutes = {
        _BARE[found[1].casefold()] * (1 if found[2].casefold() in ("past", "nach") else -1)
        for text in readings.texts
        for found in _BARE_MINUTES.finditer(text)
    }
    hours = {hour for each in readings.times for hour, _ in each.time.possible}
    return {divmod((hour * 60 + more) % 1440, 60) for hour in hours for more in minutes}


_BARE = {
    "quarter": 15,
    "viertel": 15,
    "five": 5,
    "fünf": 5,
    "ten": 10,
    "zehn": 10,
    "twenty": 20,
    "zwanzig": 20,
    "half": 30,
}
_BARE_MINUTES = lazy_pattern(rf"\b({'|'.join(_BARE)}) (to|past|vor|nach)(?=\s*(?:[,.;!?]|$))", re.IGNORECASE)


def _is_part_of(length: ReadLength, time: ReadTime) -> bool:
    return length.words == time.words and length.length.start < time.time.end and time.time.start < length.length.end


def _is_relative_time(readings: Readings) -> bool:
    return any(_EARLIER.search(text) or _LATER.search(text) for text in readings.texts)


_EARLIER = lazy_pattern(
    r"\b(?:hours?|minutes?|mins?) (?:before|earlier|beforehand)\b|\b(?:stunden?|minuten) (?:vorher|davor|früher)\b"
    r"|\b(?:horas?|minutos) antes\b|\b(?:heures?|minutes) (?:avant|plus tôt)\b|\b(?:ora|ore|minuti) prima\b"
    r"|\b(?:uur|minuten) (?:eerder|ervoor|van tevoren)\b|\b(?:godzinę|godziny|minut) wcześniej\b",
    re.IGNORECASE,
)
_LATER = lazy_pattern(
    r"\b(?:hours?|minutes?|mins?) (?:later|after)\b|\b(?:stunden?|minuten) (?:später|danach)\b|\b(?:horas?"
    r"|minutos) después\b"
    r"|\b(?:heures?|minutes) (?:après|plus tard)\b|\b(?:ora|ore|minuti) dopo\b|\b(?:horas?|minutos) depois\b"
    r"|\b(?:uur|minuten) (?:later|erna)\b|\b(?:godzinę|godziny|minut) później\b",
    re.IGNORECASE,
)


_SAME_TIME = lazy_pattern(
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


def _is_spelled_apart(wanted: tuple[int, int], readings: Readings) -> bool:
    """Whether a time is said in a way that has a second reading: "ten to eleven" as a range, "ten to midnight"."""
    hours = {Decimal(wanted[0]), Decimal(wanted[0] % 12 or 12)}
    is_end = wanted[1] == 0 and any(
        (number.is_dated and number.values & hours and _TO.search(number.words[number.end :]))
        or (number.is_dated and number.values & hours and _TO.search(number.words[: number.start][-5:]))
        for number in readings.numbers
    )
    before_midnight = any(
        number.values == {Decimal(60 - wanted[1])}
        for number in readings.numbers
        if _TO_MIDNIGHT.match(number.words, number.end)
    )
    return is_end or (wanted[0] == 23 and before_midnight)


_TO = lazy_pattern(r"^ to | to $")
_TO_MIDNIGHT = lazy_pattern(
    r" (?:to|before|vor|voor|przed) (?:midnight|mitternacht|middernacht|północą)", re.IGNORECASE
)


def _number_as_hour(wanted: tuple[int, int], readings: Readings) -> bool:
    stated = {value for number in readings.numbers for value in (*number.values, *number.also)}
    hours = {Decimal(wanted[0]), Decimal(wanted[0] % 12), Decimal(wanted[0] % 12 or 12)}
    return bool(stated & hours) and (
        wanted[1] == 0 or Decimal(wanted[1]) in stated or Decimal(wanted[1]) in (15, 30, 45)
    )


def _times_text(readings: Readings) -> str:
    said: dict[str, None] = {}
    for each in readings.times:
        written = " or ".join(f"{hour:02}:{minute:02}" for hour, minute in sorted(each.time.sure or each.time.possible))
        said[f"'{each.words[each.time.start : each.time.end].strip()}' is {written}"] = None
    return "; ".join([*said][:3]) or "no time of day"


def moment_verdict(name: str, day: str, time: str, readings: Readings) -> Verdict:
    """The verdict on a day with a time. Midnight may mean that the time is not known, or the end of the day before."""
    if time == "00:00" and role_of(name) == "end" and not readings.times and is_real_date(day):
        before = date_verdict(name, (date.fromisoformat(day) - timedelta(days=1)).isoformat(), readings)
        return best([date_verdict(name, day, readings), before])
    verdicts = [date_verdict(name, day, readings)]
    if _is_beside_another_day(day, time, readings):
        verdicts.append(Verdict("unsure", _times_text(readings)))
    if time != "00:00" or any((0, 0) in each.time.possible for each in readings.times):
        verdicts.append(time_verdict(name, time, readings))
    elif readings.times:
        verdicts.append(Verdict("unsure", _times_text(readings)))
    return worst(verdicts)


def _is_beside_another_day(day: str, time: str, readings: Readings) -> bool:
    """Whether the time directly follows or precedes another day: "at 00:35 on Sunday, so we leave on Saturday"."""
    wanted = (int(time[:2]) % 24, int(time[3:5]))
    for each in readings.times:
        for seen in readings.dates if wanted in each.time.possible else ():
            gap = max(seen.mention.start - each.time.end, each.time.start - seen.mention.end)
            is_day = any(day in (meaning.start, meaning.end) for meaning in seen.mention.meanings)
            if seen.words == each.words and 0 <= gap <= len(" on ") and not is_day:
                return True
    return False


def length_verdict(raw: str, readings: Readings) -> Verdict:
    """The verdict on an ISO duration."""
    wanted = iso_length(raw)
    stated = [each for each in readings.lengths if not each.is_denied]
    read = _lengths_text(readings)
    same = [each for each in stated if any(_is_same_length(wanted, length) for length in each.length.sure)]
    others = [each for each in stated if each not in same and (not each.is_dated or any(s.is_dated for s in same))]
    written = _written_lengths(readings)
    if same:
        is_only = not (others or written or _has_number_without_unit(readings))
        return FOLLOWS if is_only else Verdict("unsure", read)
    if (
        wanted in written
        or _is_counted(wanted, readings)
        or (not stated and any(number.values for number in readings.numbers))
    ):
        return Verdict("unsure", read)
    return Verdict("contradicts", read)


def _written_lengths(readings: Readings) -> set[tuple[Decimal, Decimal]]:
    """What digits with colons are if they are no time of day: "a half marathon in 1:52:30", "5k in 24:10"."""
    found = set()
    for text in readings.texts:
        for match in _COLONS.finditer(text):
            first, second, third = Decimal(match[1]), Decimal(match[2]), Decimal(match[3] or 0)
            found.add((Decimal(0), first * 60 + second + third / 60))
            if match[3] is None:
                found.add((Decimal(0), first + second / 60))
    return found


_COLONS = lazy_pattern(
    r"(?:\b(?:in|of|en|time|zeit|tempo|czas)\W{1,2}|(?=\d+:\d\d:\d))(\d{1,3}):([0-5]\d)(?::([0-5]\d))?\b", re.IGNORECASE
)


def _has_number_without_unit(readings: Readings) -> bool:
    """Whether a number may share the unit of the duration: "24 months on the frame, 12 on the battery"."""
    return any(
        max(number.values | number.also) > 1
        for number in unread_numbers(readings)
        if not number.is_denied and (number.values or _LAST_OF.search(number.words[: number.start]))
    )


_LAST_OF = lazy_pattern(r"(?:[,;(–-] ?|\b(?:and|then|und|dann|y|et|puis|e|en|dan|i|dont|davon|waarvan|di cui|w tym) )$")


def _is_same_length(wanted: tuple[Decimal, Decimal], stated: tuple[Decimal, Decimal]) -> bool:
    rounding = Decimal("0.51") if stated[1] < 10080 or stated[1] % 1440 == 0 else Decimal(1440)
    if 0 < stated[1] < 10:  # seconds count
        rounding = Decimal("0.01")
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
        if not number.is_dated and not number.is_denied and not readings.is_in_length(number)
        for value in number.values | number.also
        if value > 1
    }
    units = {length for each in readings.lengths for length in each.length.sure}
    for each_months, each_minutes in units:
        # the unit of another duration: "three hours, no, two"
        if any(wanted in {(value * a, value * b) for a, b in _units(each_months, each_minutes)} for value in bare):
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


def _units(months: Decimal, minutes: Decimal) -> list[tuple[Decimal, Decimal]]:
    """The plain units of a duration: 180 minutes are counted in hours, 24 months in months or years."""
    if months:
        return [(unit, Decimal(0)) for unit in (Decimal(12), Decimal(1)) if months % unit == 0]
    units = (Decimal(10080), Decimal(1440), Decimal(60), Decimal(1))
    whole = [(Decimal(0), unit) for unit in units if minutes and minutes % unit == 0][:1]
    halves = [(Decimal(0), unit) for unit in units if minutes > unit and minutes % unit == unit / 2][:1]
    return whole + halves  # an hour and a half is counted in hours


def _lengths_text(readings: Readings) -> str:
    said = dict.fromkeys(f"'{each.words[each.length.start : each.length.end]}'" for each in readings.lengths)
    return "; ".join([*said][:3]) or "no duration"
