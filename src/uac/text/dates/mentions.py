"""Dates in words: which days a text means, computed from the moment the words were said.

Weeks start on Monday, seasons are northern and made of whole months. A phrase that may mean several dates has several
meanings: nothing is guessed. "A few" is two to five. A time of day is not read.
"""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from uac.errors import Refused
from uac.schema.periods import Period, check_period
from uac.text.dates.cycles import Duration, duration_of, shifted
from uac.text.dates.grammar import DateReader, Match, date_reader, languages_with_dates
from uac.text.dates.occurrences import ranked_by_tense, since_or_from
from uac.text.dates.resolve import ANCHORED, anchored_days, is_relative, periods_of
from uac.text.dates.tense import has_known_language, likely_languages, spoken_language, tense_near

__all__ = ["Duration", "Mention", "durations", "means", "mentions", "resolve", "shifted"]


class Mention(NamedTuple):
    phrase: str
    start: int
    end: int
    meanings: tuple[Period, ...]
    """All reasonable meanings, the likeliest first; never empty."""
    is_relative: bool
    """Depends on when it was said, as does a date without its year."""
    sure: int = 1
    """How many of the first meanings are certain: each of them may be meant, and none of the others is likelier."""
    rules: frozenset[str] = frozenset()
    """The kinds of phrase that it was read as."""

    @property
    def sure_meanings(self) -> tuple[Period, ...]:
        return self.meanings[: self.sure]


def mentions(text: str, said: datetime, *, before: Sequence[Mention] = ()) -> list[Mention]:
    """The dates of a text, in order, without overlaps; of several readings at one position the longest.

    `before` are the dates that were named just before: "two days later" is counted from the last of them.
    """
    languages = languages_with_dates(text, likely_languages(text))
    if not languages:
        return []
    reader = date_reader(text, languages)
    found: list[Mention] = []
    at = 0
    while at < len(reader.tokens):
        match = reader.longest(at)
        if match is None or not is_credible(reader, match):
            at = _end_of_name(reader, match) if match is not None and _is_a_name(reader, match) else at + 1
            continue
        # A date that does not exist is skipped as a whole: "February 30" is not "February".
        meanings, sure = _ranked_meanings(reader, match, said, [*before[-3:], *found[-3:]])
        if not meanings and any(reading.rule in _RANGES for reading in match.readings):
            # "Moved from 18 June to 17 June" has two dates, and no range.
            match = reader.longest(at, level=1)
            if match is None:
                at += 1
                continue
            meanings, sure = _ranked_meanings(reader, match, said, [*before[-3:], *found[-3:]])
        if meanings:
            start, end = reader.tokens[match.start].start, reader.tokens[match.end - 1].end
            rules = frozenset(reading.rule for reading in match.readings)
            found.append(Mention(text[start:end], start, end, meanings, is_relative(match), sure, rules))
        at = match.end
    return found


_RANGES = frozenset({"between", "between_day", "between_plain"})


def _ranked_meanings(
    reader: DateReader, match: Match, said: datetime, before: Sequence[Mention]
) -> tuple[tuple[Period, ...], int]:
    """The meanings, and how many of them are sure."""
    if any(reading.rule in ANCHORED for reading in match.readings):
        return _anchored_meanings(match, before)
    rules = {reading.rule for reading in match.readings}
    if rules & {"weekday_on", "ahead_exact"} and "span_from" in rules:
        match = match._replace(readings=tuple(r for r in match.readings if r.rule != "span_from"))
        rules.discard("span_from")
    meanings = list(periods_of(match, said))
    if rules & {"bare_day"} and before:
        close = list(_days_after_mention(before[-1], match, said.date()))
        if close:
            return tuple(dict.fromkeys([*close, *meanings])), before[-1].sure and 1
    if "near" in rules and said.hour < _MORNING and any((m.first or said.date()) > said.date() for m in meanings):
        return (*meanings, Period.on(said.date().isoformat())), 0  # "tomorrow", said after midnight
    if len(meanings) < 2:
        return tuple(meanings), len(meanings)
    if _inner_rules(match) & _BOTH_ORDERS and len({(meaning.start or meaning.end)[5:] for meaning in meanings}) > 1:
        if not has_known_language(reader.text) or spoken_language(reader.text) == "en":
            return tuple(meanings), 0
        return _day_before_month(reader, match, meanings)
    if "night" in rules:  # it has two dates; the first is likelier
        return tuple(meanings), 1
    if rules & {"ago_exact", "ahead_exact"}:
        return tuple(meanings), len(meanings)
    if rules & {"ago", "ahead", "ago_one", "ahead_one", "ago_plus_half", "ahead_plus_half"}:
        return tuple(meanings), 2 if len({len(meaning.start) for meaning in meanings}) == 1 and not _has_range(
            meanings
        ) else 1
    if not _recurs(match):
        return tuple(meanings), len(meanings)
    start, end = reader.tokens[match.start].start, reader.tokens[match.end - 1].end
    tense, is_certain = tense_near(reader.text, start, end)
    if rules == {"since"} or "by" in rules:
        tense, is_certain = ("future" if "by" in rules else "past"), True
    if rules == {"since", "onwards"}:  # the Italian "da", the Polish "od"
        return since_or_from(meanings, said.date())
    is_over = tense == "past" and is_certain
    if (rules & {"until", "onwards"} and not is_over) or (not tense and _is_this_one(match)):
        tense, is_certain = "future", True
    named = before[-1] if before and rules & _BY_WEEK else None
    ordered, sure = ranked_by_tense(
        meanings,
        said.date(),
        tense,
        is_weekday=bool(rules & _BY_WEEK),
        is_certain=is_certain,
        named_before=named.meanings[0] if named is not None and named.sure == 1 else None,
    )
    return ordered, 0 if _is_any_one(reader, match, rules) or _may_be_a_name(reader, match) else sure


_MORNING = 4


def _is_any_one(reader: DateReader, match: Match, rules: set[str]) -> bool:
    """Whether it is any Friday ("a Friday"), or no month at all ("an august institution")."""
    word = reader.tokens[match.start - 1].word if match.start else ""
    return (word in ("a", "an") and bool(rules & _BY_WEEK)) or (word == "an" and "bare_month" in rules)


def _is_this_one(match: Match) -> bool:
    """Whether "this" stands before a weekday or a weekend: unless the words say that it is over, it is to come."""
    return any(reading.fields.get("which") == "0" for reading in match.readings if reading.rule in _BY_WEEK)


def _inner_rules(match: Match) -> set[str]:
    """The rules of the phrase and of the dates in it."""
    found = {reading.rule for reading in match.readings}
    return found.union(*(_inner_rules(inner) for reading in match.readings for inner in reading.inner))


def _day_before_month(reader: DateReader, match: Match, meanings: Sequence[Period]) -> tuple[tuple[Period, ...], int]:
    """Outside of English, the day is written before the month. If the year is not written, nothing is sure."""
    words = [token.word.zfill(2) for token in reader.tokens[match.start : match.end] if token.word.isdecimal()]
    day, month = (*words, "", "")[:2]
    first = [m for m in meanings if (m.start or m.end)[5:10] == f"{month}-{day}"]
    return (*first, *(m for m in meanings if m not in first)), 1 if len(first) == 1 and len(words) > 2 else 0


def _has_range(meanings: Sequence[Period]) -> bool:
    return any(meaning.start != meaning.end for meaning in meanings)


def _anchored_meanings(match: Match, before: Sequence[Mention]) -> tuple[tuple[Period, ...], int]:
    for anchor in reversed(before):
        days = [m.last or m.first for m in anchor.meanings if len(m.end or m.start) >= 10]
        found = [Period.on(moved.isoformat()) for day in days if day for moved in anchored_days(match, day)]
        if found:
            return tuple(dict.fromkeys(found)), min(anchor.sure, 1)
    return (), 0


def _recurs(match: Match) -> bool:
    """Whether the phrase, or the date inside it, recurs each week, month or year without saying which one."""
    return any(
        any(map(_recurs, reading.inner))
        if reading.inner
        else reading.rule in _RECURRING and reading.fields.get("which", "0") == "0" and "year" not in reading.fields
        for reading in match.readings
    )


_BOTH_ORDERS = frozenset({"either_order", "short"})
_BY_WEEK = frozenset("bare_weekday weekday weekday_pair weekday_range bare_weekend weekend".split())
_RECURRING = _BY_WEEK | frozenset(
    "bare_day day_of_month days_of_month bare_month month bare_season season bare_quarter bare_holiday holiday"
    " day_first_short short between_day advent weekday_day".split()
)


def _may_be_a_name(reader: DateReader, match: Match) -> bool:
    """Whether the month may be a person: June, April."""
    token = reader.tokens[match.start]
    return (
        match.end == match.start + 1
        and token.is_capital
        and token.word in _NAMES
        and (match.start == 0 or reader.tokens[match.start - 1].word not in match.gate | _BEFORE_A_MONTH)
    )


_NAMES = frozenset("april may march june august avril mai maggio mei julio".split())
_BEFORE_A_MONTH = frozenset("in this last next until since by from of early late mid im en nel em".split())


def _days_after_mention(before: Mention, match: Match, today: date) -> Iterator[Period]:
    """A bare day after a date may be in the same month, or in the one after: 'January 15 … and back on the 25th'."""
    days = [int(reading.fields["ordinal"]) for reading in match.readings if reading.fields.get("ordinal")]
    is_series = bool(before.rules & {"bare_day", "day_of_month", "days_of_month", "dated_weekday", "iso"})
    firsts = [meaning.first for meaning in before.sure_meanings if len(meaning.start) >= 10]
    for first in firsts if is_series else ():
        for day in days:
            if first is None:
                continue
            if first.day <= day <= monthrange(first.year, first.month)[1]:
                yield Period.on(first.replace(day=day).isoformat())
            elif day < first.day and first > today:
                after = first.replace(day=1) + timedelta(days=32)
                yield Period.on(after.replace(day=day).isoformat())


def resolve(phrase: str, said: datetime, languages: frozenset[str] = frozenset()) -> tuple[Period, ...]:
    """The meanings of the whole phrase, apart from small words around it; () if it is not a known date.

    It is read in the given languages; in all if there are none.
    """
    reader = date_reader(phrase, languages)
    words = [token.word for token in reader.tokens]
    last = len(words)
    ends = {last}
    while last and words[last - 1] in _SMALL:
        last -= 1
        ends.add(last)
    for at, word in enumerate(words):
        match = reader.longest(at)
        if match is not None and match.end in ends:
            is_time = at > 0 and _is_clock_time(reader, match, words[at - 1])
            return () if is_time else periods_of(match, said)
        if word not in _SMALL:
            break
    return ()


def durations(text: str) -> list[Duration]:
    """The durations that a text states with their numbers, in order: "ten days", "half a year"."""
    reader = date_reader(text)
    found: list[Duration] = []
    at = 0
    while at < len(reader.tokens):
        match = reader.longest(at, level=0)
        if match is None or _is_rate(reader, match):
            at += 1
            continue
        fields = match.readings[0].fields
        duration = duration_of(fields.get("n", "1.5"), fields["unit"])
        # 2023年 is a date.
        if duration.unit != "year" or duration.number < 1000:
            found.append(duration)
        at = match.end
    return found


def means(period: Period, meanings: Sequence[Period]) -> bool:
    """Whether a period states one of the meanings: the same days, or the same more vaguely, but never more precisely.

    A single date may also be stated as "since then" or "until then". The time of day of an instant is ignored.
    """
    try:
        check_period(period)
    except Refused:
        return False
    start, end = period.start.partition("T")[0], period.end.partition("T")[0]
    return bool(start or end) and any(_states_meaning(start, end, meaning) for meaning in meanings)


def _states_meaning(start: str, end: str, meaning: Period) -> bool:
    if meaning.start == meaning.end and not (start and end):
        return _is_vaguer(start or end, meaning.start)
    if _is_vaguer(start, meaning.start) and _is_vaguer(end, meaning.end):
        return True
    stated = Period(start, end)
    return (stated.first, stated.last) == (meaning.first, meaning.last)


def _is_vaguer(stated: str, meant: str) -> bool:
    return stated == meant or (stated != "" and meant.startswith(stated + "-"))


_SMALL = frozenset(
    "on in at the of about around circa during over back only just am im an den dem der das el la "
    "los en le les du de il lo i nel a o no na em do da"
    " for , . ; : ! ? ( ) \" ' ‘ ’ “ ” « » „ - – — … 在 は に の".split()
)
"""Words around a date that do not change its meaning."""

_OTHERWISE = {
    "hier": frozenset(
        "ich ist bin sind war waren wir er sie und der die das den dem ein eine nicht ja mein "
        "wohne bleibe auch von zu".split()
    ),
    "natale": frozenset("citta casa paese".split()),
    "silvester": frozenset("stallone".split()),
}
"""Words that are not a date if one of these is near: "hier" is "here" in German."""

_AFTER_A_DAY = frozenset(
    "and or at in to for from is was will would i we he she they it you because but with when so not "
    "instead through until till if as that by on"
    " before after works then please too already am pm this last next since again there here has had "
    "did does can could should may might my our"
    " doesn didn don couldn were are which who fell got went fits suits isn wasn won looks sounds falls came comes"
    " means turned".split()
)
"""Words that may follow "the 7th"; before any other word it is a day only after a word such as "on"."""

_BEFORE_A_DAY = frozenset(
    "on by until till since from before after for is was s meant through to am vom zum bis seit ab dem op tot"
    " sinds".split()
)
_NOT_A_DAY = frozenset(
    "floor grade grader century birthday bday anniversary time place edition season episode avenue ave street st"
    " amendment hole inning generation round draft row day week weekend month year person chapter wave largest biggest"
    " best most attempt try one go lap mile hour half quarter period percentile amendment step level class form world"
    " geburtstag stock platz mal klasse etage weltkrieg jahrestag hochzeitstag lebensjahr woche monat tag jahrhundert"
    " liga kapitel semester advent weihnachtstag runde versuch halbjahr quartal schuljahr teil gang reihe bezirk stunde"
    " auflage verdieping klas keer verjaardag plaats eeuw rij poging piętro urodziny klasa raz rocznica"
    " étage siècle fois piano secolo volta piso siglo vez andar século aniversario compleanno anniversaire cumpleaños"
    " aniversário kilómetro metros people persons guests kg km minutes minute min mins hours".split()
)
"""What is counted by its order, and is not a day: "the 7th floor"."""

_STREETS = frozenset(
    "calle avenida av avda plaza rua rue via viale corso piazza ulica ul ulicy aleja placu straße strasse mieszkam"
    " boulevard praça largo place platz".split()
)
"""Before what is written like a date, but is a name."""

_NUMBERED = frozenset(
    "room raum zimmer aula sala pokój flat apartment apt unit version chapter bus line linie línea ligne linea platform"
    " gate".split()
)
"""Before what is written like a date, but is a number."""


def is_credible(reader: DateReader, match: Match) -> bool:
    """Whether the words around the match allow a date."""
    before = reader.tokens[match.start - 1].word if match.start else ""
    after = reader.tokens[match.end] if match.end < len(reader.tokens) else None
    rules = {reading.rule for reading in match.readings}
    if match.is_weak and before not in match.gate:
        return False
    if _is_a_name(reader, match) or (
        rules <= {"bare_day", "bare_weekday", "bare_weekend"} and _has_longer_date_inside(reader, match)
    ):
        return False
    if rules == {"year"} and (before in ("to", "for") or _is_clock_time(reader, match, before)):
        return False
    if rules == {"year"} and not _CODES.isdisjoint(
        token.word for token in reader.tokens[max(0, match.start - 4) : match.start]
    ):
        return False
    if rules & _FROM_A_DATE and _follows_amount(reader, match):
        return False
    first = reader.tokens[match.start]
    if rules == {"year"} and first.word == "'" and first.is_tight and before[-1:].isalpha():
        return False  # "l'11 aprile"
    if "ahead" in rules and after is not None and after.word == "ago":
        return False  # "moved in a year ago"
    if "bare_day" in rules and after is not None:
        return _is_credible_day(reader, match, before, after.word)
    if rules & ANCHORED and after is not None:
        last = reader.tokens[match.end - 1].word
        goes_on = last in _PREPOSITIONS and after.word[0].isalnum() and after.word not in _AFTER_A_DAY
        return not goes_on and after.word not in _OF
    final = reader.tokens[match.end - 1]
    if final.word in _MODALS and not final.is_capital and after is not None and after.word in _AFTER_A_MODAL:
        return False
    if match.end == match.start + 1 and (company := _OTHERWISE.get(reader.tokens[match.start].word)):
        near = reader.tokens[max(match.start - 4, 0) : match.end + 4]
        return company.isdisjoint(token.word for token in near)
    return True


_CODES = frozenset(
    "code pin password passcode number ending flight room suite card locker extension kennwort nummer zimmer karte"
    " codigo clave numero code carte codice stanza senha cartao kamer kaart kod numer".split()
)
"""What has four digits, and no year."""


def _is_clock_time(reader: DateReader, match: Match, before: str) -> bool:
    """Whether four digits are a time: "at 1230"."""
    word = reader.tokens[match.start].word
    return before in ("at", "@") and word.isdecimal() and match.end == match.start + 1 and word[:2] <= "18"


def _is_a_name(reader: DateReader, match: Match) -> bool:
    """Whether it is the name of a street, or the number of a room."""
    before = [token.word for token in reader.tokens[max(0, match.start - 2) : match.start]]
    after = reader.tokens[match.end : match.end + 1]
    if after and after[0].is_capital and after[0].word in _AFTER_A_NAME:
        return True
    first = reader.tokens[match.start].word
    if first in _BEFORE_A_DAY or first in _BEFORE_A_MONTH or not before:
        return False  # "the flat until the end of February"
    is_numbered = before[-1] in _NUMBERED and first.isdecimal()
    return is_numbered or before[-1] in _STREETS or (before[0] in _STREETS and before[-1] in _ARTICLES)


def _end_of_name(reader: DateReader, match: Match) -> int:
    """The end of the longest date that begins inside: the name of a street may hold all of it."""
    inside = (reader.longest(at) for at in range(match.start, match.end))
    return max(found.end for found in inside if found is not None)


_AFTER_A_NAME = frozenset(
    "road rd street avenue ave lane square hotel fair close drive way court hall place times post mirror strasse allee"
    " platz weg ring".split()
)


def _has_longer_date_inside(reader: DateReader, match: Match) -> bool:
    """Whether a longer date begins after the article: "il 26" in "il 26 ottobre"."""
    inner = (reader.longest(at) for at in range(match.start + 1, match.end))
    return any(found is not None and found.end > match.end for found in inner)


def _is_credible_day(reader: DateReader, match: Match, before: str, after: str) -> bool:
    words = {token.word for token in reader.tokens[match.start : match.end]}
    if after in _NOT_A_DAY:
        near = {token.word for token in reader.tokens[max(0, match.start - 3) : match.start]}
        return after == "geburtstag" and "am" in words and not near.isdisjoint(_HAS)  # "hat am 25. Geburtstag"
    is_english = not words.isdisjoint(("the", "back", "home", "on"))
    return (
        not is_english
        or not after[0].isalnum()
        or after in _AFTER_A_DAY
        or before in _BEFORE_A_DAY
        or (len(after) > 3 and after.endswith("ed"))
    )


_HAS = frozenset("hat habe hab haben hast".split())


def _follows_amount(reader: DateReader, match: Match) -> bool:
    """Whether "a month from" is a rate, as in "980 a month from 1 November", "three times a day yesterday"."""
    if reader.tokens[match.start].word not in _PER:
        return False
    near = reader.tokens[max(match.start - 3, 0) : match.start]
    if any(reading.rule == "weekday_on" for reading in match.readings):  # "he turns 5 a week on Saturday"
        return any(token.word in _MONEY or token.word in _TIMES for token in near)
    return any(token.word.isdecimal() or token.word in _MONEY or token.word in _COUNTS for token in near)


_TIMES = frozenset("once twice times".split())
_PER = frozenset("a an per each every im pro al la il por ao o een pr".split())
_MONEY = frozenset("€ $ £ euro euros eur pounds quid dollars bucks francs chf usd gbp".split())
_FROM_A_DATE = frozenset(
    "shift_on span_from ahead_exact ahead weekday_on shift_back later today_on tomorrow_on yesterday_back".split()
)
_PREPOSITIONS = frozenset("before after antes después prima dopo avant après depois po przed that".split())
_OF = frozenset("de du des di del della do da of van".split())
_ARTICLES = frozenset("de del la el du des della do da na ul".split())
_MODALS = frozenset({"may", "march", "mar"})
_AFTER_A_MODAL = frozenset("be have not also need want well just still even take come go on in to".split())


def _is_rate(reader: DateReader, match: Match) -> bool:
    """Whether "a day" is a rate, as in "two pills a day"."""
    if reader.tokens[match.start].word not in ("a", "an"):
        return False
    near = reader.tokens[max(match.start - 3, 0) : match.start]
    return any(token.word in _COUNTS or token.word.isdecimal() for token in near)


_COUNTS = frozenset("once twice times one two three four five six seven eight nine ten twelve".split())
