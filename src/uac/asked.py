"""What a question says about time: the days it asks about, and the events it asks before, after or during.

Dates are read by `uac.dates`. Added is what questions need: a date without its year is one of the last years, not one
to come; "before", "after" and "around" a date; weeks and weekends by their number; a bare year among other words.
Of a long question only the first 2,000 and the last 500 characters are looked at, and in each up to some 16 dates
and 24 numbers.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from uac.date_reader import Match, Reader
from uac.date_words import NOT_A_YEAR_BEFORE
from uac.dates import Mention, mentions, resolve
from uac.periods import Period

__all__ = ["AskedEvent", "AskedTime", "Relation", "around_event", "asked_events", "asked_times", "overlap"]

Relation = Literal["before", "after", "during", "since", "until"]


class AskedTime(NamedTuple):
    start: str
    """The first day, as an ISO date; '' if open."""
    end: str
    """The last day, included; '' if open."""
    words: str
    """What of the query it was read from."""
    weight: float = 1.0
    """How surely it is meant: less for a second reading, an earlier year, a number that may be no year, an open end."""


class AskedEvent(NamedTuple):
    relation: Relation
    words: str
    """What the event is called in the query, without its article."""


def asked_times(query: str, now: datetime) -> tuple[AskedTime, ...]:
    """The times that a query names, in its order; of several that may be meant, the likeliest first.

    Only the first 2,000 and the last 500 characters are read, in each up to some 16 dates and 24 numbers. A date
    without its year is one of the last four that had begun by `now`. What no calendar has gives nothing.
    """
    found: dict[tuple[str, str], AskedTime] = {}
    for part in _parts(query):
        for asked in _times(part, now):
            known = found.get(asked[:2])
            if known is None or known.weight < asked.weight:
                found[asked[:2]] = asked
    return tuple(found.values())


def asked_events(query: str) -> tuple[AskedEvent, ...]:
    """The events, other than dates, that a query asks before, after, during, since or until.

    Only the first 2,000 and the last 500 characters are read, and in each up to 16 events.
    """
    return tuple(dict.fromkeys(event for part in _parts(query) for event in islice(_events(part), _MOST)))


def around_event(event: AskedEvent, held: Period) -> AskedTime:
    """The time asked for, given when the event was; of no weight if that is not known.

    An event that goes on, such as living somewhere, is before and after its beginning.
    """
    try:
        first, last = held.first, held.last
    except ValueError:
        first = last = None
    start, end = first or last, last or first
    if start is None or end is None:
        return AskedTime("", "", event.words, 0.0)
    match event.relation:
        case "before":
            return _asked(None, _moved(start, -1), event.words, 1.0)
        case "after":
            return _asked(_moved(end, 1), None, event.words, 1.0)
        case "since":
            return _asked(start, None, event.words, 1.0)
        case "until":
            return _asked(None, end, event.words, 1.0)
        case "during":
            return _asked(first, last, event.words, 1.0)


def overlap(asked: AskedTime, start: date, end: date) -> float:
    """How well a period fits: 1 inside of what was asked, .6 partly inside, .3 a near miss, else 0.

    A near miss is off by no more than what was asked is long, but always by up to a week and never by over a month.
    """
    first, last, near, far = _bounds(asked.start, asked.end)
    if first <= start and end <= last:
        return 1.0
    if start <= last and first <= end:
        return 0.6
    return 0.3 if near <= end and start <= far else 0.0


@lru_cache(64)
def _bounds(start: str, end: str) -> tuple[date, date, date, date]:
    """The first and the last day, and the earliest and the latest that are near."""
    first = date.fromisoformat(start) if start else date.min
    last = date.fromisoformat(end) if end else date.max
    near = min(max((last - first).days + 1, 7), 31) if start and end else 7
    return first, last, _moved(first, -near), _moved(last, near)


_HEAD, _TAIL, _MOST, _NUMBERS = 2000, 500, 16, 24
_RANKED = (1.0, 0.6, 0.4, 0.3)
"""The weights of the likeliest meaning and of those after it."""

_OPEN, _BARE = 0.5, 0.5
"""An open end says little about a day; four digits may be something other than a year."""


def _parts(query: str) -> tuple[str, ...]:
    return (query[:_HEAD], query[max(_HEAD, len(query) - _TAIL) :]) if len(query) > _HEAD else (query,)


def _asked(first: date | None, last: date | None, words: str, weight: float) -> AskedTime:
    is_open = first is None or last is None
    start, end = (day.isoformat() if day else "" for day in (first, last))
    return AskedTime(start, end, words, weight * (_OPEN if is_open else 1))


def _moved(day: date, days: int) -> date:
    """So many days later, as far as the calendar goes."""
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))


# --- times ------------------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """A date of a text, with the words around it that tell which days are asked for."""

    mention: Mention
    start: int
    end: int
    relation: str
    counted: re.Match[str] | None
    certainty: float


def _times(part: str, now: datetime) -> Iterator[AskedTime]:
    read = 0
    for sentence in _SENTENCE.findall(_with_few_numbers(part)):
        text = _plain(sentence)
        places = _places(text.plain, now)
        for place in places[:_MOST]:
            yield from _times_of(place, text.original(place.start, place.end), now)
        read += len(places)
        if read >= _MOST:
            return


def _with_few_numbers(part: str) -> str:
    """Up to the 24th number: each may begin a date in every language, and a question has few."""
    numbers = list(islice(re.finditer(r"\d+", part), _NUMBERS))
    return part[: numbers[-1].end()] if len(numbers) == _NUMBERS else part


# A full stop may stand inside of a date. What has no sentences is cut anywhere.
_SENTENCE = re.compile(r"[^?!。？！；\n]{1,400}")


def _times_of(place: _Place, words: str, now: datetime) -> Iterator[AskedTime]:
    related = [
        (first, last)
        for period in _periods(place.mention, now)
        for first, last in _related(period, place)
        if first is None or last is None or first <= last
    ]
    # Each earlier end of an open time only says the same of more or fewer years.
    kept = related[:1] if related and None in related[0] else list(dict.fromkeys(related))
    for weight, (first, last) in zip(_RANKED, kept, strict=False):
        yield _asked(first, last, words, weight * place.certainty)


def _places(plain: str, now: datetime) -> list[_Place]:
    read = mentions(plain, now)
    read += _bare_years(plain, read)
    read.sort(key=lambda mention: mention.start)
    starts = {mention.start for mention in read}
    counts = {found.end(): found for found in _COUNTED.finditer(plain) if found.end() in starts}
    found: list[_Place] = []
    for mention in read:
        # "last week" in "the last week of May" is no time of its own.
        if any(count.start() < mention.end and mention.start < count.end() for count in counts.values()):
            continue
        count = counts.get(mention.start)
        before = _RELATED.search(plain, max(0, mention.start - 40), mention.start) if count is None else None
        after = _RELATED_AFTER.match(plain, mention.end)
        relation = (before and before.lastgroup) or (after and after.lastgroup) or ""
        start = count.start() if count else before.start() if before else mention.start
        end = after.end() if after and not before else mention.end
        certainty = 1.0 if mention.meanings else _BARE
        found.append(_Place(mention, start, end, relation, count, certainty))
    return found


def _bare_years(plain: str, read: list[Mention]) -> list[Mention]:
    """Four digits that stand for a year with nothing to say so: "2021 or 2022", "Lisbon 2021"."""
    found: list[Mention] = []
    for digits in islice(_YEAR.finditer(plain), _MOST):
        start, end = digits.span()
        is_read = any(mention.start < end and start < mention.end for mention in read)
        if not is_read and not _is_in_a_date(plain, start):
            found.append(Mention(digits[0], start, end, (), is_relative=False))
    return found


def _is_in_a_date(plain: str, start: int) -> bool:
    """Whether the year ends a date that does not exist: "30 February 2023" is not 2023."""
    reader = Reader(plain[max(0, start - 24) : start + 4])
    last = len(reader.tokens)
    return any((match := reader.longest(at)) is not None and match.end == last for at in range(last - 1))


def _periods(mention: Mention, now: datetime) -> list[Period]:
    """What may be asked for, the likeliest first."""
    if not mention.is_relative:
        return list(mention.meanings) or [Period.on(mention.phrase)]
    if _is_yearly(Reader(mention.phrase).longest(0)):
        meanings = {period for years in range(4) for period in resolve(mention.phrase, _years_before(now, years))}
        past = [period for period in meanings if _begins(period) <= now.date()]
        return sorted(past, key=lambda period: (_begins(period), period.end), reverse=True)
    past = [period for period in mention.meanings if _begins(period) <= now.date()]
    return past or list(mention.meanings)


def _is_yearly(match: Match | None) -> bool:
    """Whether it comes each year, and nothing says in which it is meant."""
    return match is not None and any(
        all(map(_is_yearly, reading.inner))
        if reading.inner
        else reading.rule in _YEARLY and not {"year", "which"} & reading.fields.keys()
        for reading in match.readings
    )


_YEARLY = frozenset(
    "bare_month bare_season bare_quarter bare_holiday day_of_month days_of_month short day_first_short".split()
)


def _years_before(now: datetime, years: int) -> datetime:
    day = 28 if (now.month, now.day) == (2, 29) else now.day
    return now.replace(year=max(now.year - years, 1), day=day)


def _begins(period: Period) -> date:
    try:
        return period.first or period.last or date.min
    except ValueError:
        return date.min


def _related(period: Period, place: _Place) -> Iterator[tuple[date | None, date | None]]:
    """The days asked for, given the period that was named."""
    try:
        first, last = period.first, period.last
    except ValueError:  # digits that are no ASCII ones
        return
    if first is None or last is None:
        yield first, last
    elif place.counted:
        yield from _counted(place.counted, first, last)
    elif place.relation == "before":
        yield None, _moved(first, -1)
    elif place.relation == "after":
        yield _moved(last, 1), None
    elif place.relation == "since":
        yield first, None
    elif place.relation == "until":
        yield None, last
    elif place.relation == "around" and first == last:
        yield _moved(first, -3), _moved(last, 3)
    else:
        yield first, last


def _counted(count: re.Match[str], first: date, last: date) -> Iterator[tuple[date, date]]:
    """The week, weekend or weekday: the nth of the period, the one before or after it, or the one that a day is in."""
    weekday, length = _UNITS[count["unit"].casefold()]
    side = count["side"].casefold()
    nth = _NTHS.get((count["nth"] or "").casefold(), 0) if side == "of" else 0
    if side == "of" and not nth and first != last:
        yield first, last
        return
    try:
        if side == "before":
            start = _on_or_before(first - timedelta(days=7 if weekday is None else 1), weekday)
        elif side == "after":
            start = _on_or_before(last + timedelta(days=1 if weekday is None else 7), weekday)
        elif nth > 0:
            start = _on_or_before(first + timedelta(days=7 * nth - (7 if weekday is None else 1)), weekday)
        elif nth < 0:
            start = _on_or_before(last - timedelta(days=6 if weekday is None else 0), weekday)
        else:
            start = first + timedelta(days=(weekday or 0) - first.weekday())
        end = start + timedelta(days=length - 1)
    except OverflowError:
        return
    if first <= start <= last or not nth:
        yield start, end


def _on_or_before(day: date, weekday: int | None) -> date:
    return day if weekday is None else day - timedelta(days=(day.weekday() - weekday) % 7)


_UNITS: dict[str, tuple[int | None, int]] = {
    "weekend": (5, 2),
    "week": (None, 7),
    **{day: (at, 1) for at, day in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())},
}
"""The weekday on which it starts, if it has one, and how many days it has."""

_NTHS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": -1}
_COUNTED = re.compile(
    rf"(?<!\w)(?:the\s)?(?:(?P<nth>{'|'.join(_NTHS)})\s)?(?P<unit>{'|'.join(_UNITS)})\s"
    r"(?P<side>of|before|after)\s(?:the\s)?",
    re.IGNORECASE | re.ASCII,
)

_YEAR = re.compile(
    r"(?<![\w$€£¥#.,:/-])(?:19|20)[0-9]{2}(?![\w%€$£¥]|[.,:/-]\d"
    rf"|\s(?:{'|'.join(word for word in sorted(NOT_A_YEAR_BEFORE) if word.isalpha())})\b)",
    re.IGNORECASE,
)
_ARTICLE = (
    "the|a|an|my|our|your|his|her|their|that|this|"
    "de[rmns]|das|die|ein|eine[rmn]?|(?:mein|unser|sein|ihr)(?:e[rmns]?)?|"
    "le|la|les|un|une|mon|ma|mes|notre|son|sa|el|los|las|una|mi|mis|su|sus|nuestr[oa]|"
    "il|lo|gli|mia|mio|um|uma|minha|meu|nossa|nosso"
)
_RELATED = re.compile(
    r"(?<!\w)(?:"
    r"(?P<before>before|prior\sto|earlier\sthan|vor|avant|antes\sd[aeo]l?|prima\sd[ei]l?(?:la)?)"
    r"|(?P<after>after|later\sthan|nach|apr[eè]s|despu[eé]s\sdel?|dopo|depois\sd[aeo])"
    r"|(?P<since>since|seit|ab|depuis|desde|[aà]\spartir\sd[eu])"
    r"|(?P<until>until|till|bis|jusqu['’](?:à|en)|hasta|fino\sa|at[eé])"
    r"|(?P<around>around|circa|over|etwa|ungef[aä]hr|rund\sum|um|vers|autour\sd[eu]|hacia|alrededor\sdel?|verso)"
    rf")\s(?:(?:{_ARTICLE})\s|l['’])?$",
    re.IGNORECASE,
)
_RELATED_AFTER = re.compile(
    r"\s?(?:の|的)?(?:(?P<before>之前|以前|より前|前)|(?P<after>之后|之後|以后|以後|より後)"
    r"|(?P<since>以来|以來|以降|から|起)|(?P<until>まで|为止|為止)|(?P<around>左右|ごろ|頃|前后|前後))"
)


# --- events -----------------------------------------------------------------------------------------------------------


def _events(text: str) -> Iterator[AskedEvent]:
    starts = [found.start() for found in _EVENT.finditer(text)]
    for at, found in enumerate(_EVENT.finditer(text)):
        until = min([found.end() + 80, *starts[at + 1 : at + 2]])
        words = _event_words(text[found.end() : until], is_first=not text[: found.start()].strip())
        if _is_date(words) or _is_date(found[0] + " " + words):
            continue
        if (words := _undated(words)) and not _NO_EVENT.fullmatch(words):
            yield AskedEvent(_relation(found), words)
    for found in _WIDE_EVENT.finditer(text):
        if not _is_date(found[0]):
            yield AskedEvent(_relation(found), found["words"])


def _relation(found: re.Match[str]) -> Relation:
    return next(name for name in _RELATIONS if found[name])


_RELATIONS: tuple[Relation, ...] = ("before", "after", "during", "since", "until")


def _event_words(rest: str, *, is_first: bool) -> str:
    """What the event is called: up to the end of its clause, without its article."""
    clause = _CLAUSE_END.split(rest, maxsplit=1)[0]
    if is_first:
        clause = _MAIN_CLAUSE.split(clause, maxsplit=1)[0]
    start = found.end() if (found := _ARTICLES.match(clause)) else 0
    return " ".join(clause[start:].split(" ")[:12]).strip()


def _undated(words: str) -> str:
    """Without the date at the end, which is an asked time of its own: "the trip in August 2023"."""
    text = _plain(words)
    last = next(reversed(mentions(text.plain, _ANY_TIME)), None)
    if last is not None and last.start and last.end == len(text.plain):
        words = words[: len(words) - len(text.original(last.start, last.end))]
    return _LOOSE_END.sub("", words).strip()


def _is_date(words: str) -> bool:
    """Whether it is a date or a length of time, with nothing after it that makes it the name of an event."""
    plain = "during " + _plain(words).plain
    reader = Reader(plain)
    if len(reader.tokens) > 1 and reader.longest(1, level=0) is not None:
        return True
    found = mentions(plain, _ANY_TIME)
    if (count := _COUNTED.match(plain, 7)) and any(mention.start == count.end() for mention in found):
        return True
    if not found or not _ARTICLES.fullmatch(plain[7 : found[0].start]):
        return False
    return not found[0].is_relative or _GOES_ON.match(plain, found[0].end) is not None


_ANY_TIME = datetime(2000, 6, 15, tzinfo=UTC)
_CLAUSE_END = re.compile(r"[?!.,;:…\n،؟؛。，？！；]")
_MAIN_CLAUSE = re.compile(r"\s(?=(?:did|do|does|what|who|where|which|how|when|why)\b)", re.IGNORECASE)
_ARTICLES = re.compile(rf"\s*(?:(?:{_ARTICLE})\s+|l['’])*", re.IGNORECASE)
_LOOSE_END = re.compile(
    r"(?:\s+(?:and|or|but|in|on|at|of|from|und|oder|im|am|et|ou|en|y|o|e|de|del|в"
    # what is left of the main clause in German: "vor der Hochzeit gemacht"
    r"|(?:ab|an|auf|aus|ein|mit|um|vor|weg)?ge[a-zäöüß]{3,}(?:t|en)))*\s*$"
)
_GOES_ON = re.compile(
    r"\s*(?:$|[^\w\s]|(?:in|at|on|with|and|or|did|do|does|was|were|is|are|has|had|have)\b|[之以前后後])"
)
_NO_EVENT = re.compile(
    r"(?:|\W+|\d.*|(?:(?:that|this|then|now|all|it|long|when|while|what|which|who|which|dem|das|dass|"
    r"que|quand|cuando|eso|esto|ello|cela|ça|day|days|night|week|time|date|ever)\b\W*)+)",
    re.IGNORECASE,
)
_OF_GERMAN = r"(?=\s+(?:de[rmns]|die|das|(?:mein|dein|sein|ihr|unser|ein)(?:e[rmns]?)?)\s)"
_OF_FRENCH = r"(?=\s+(?:(?:le|la|les|un|une|mon|ma|mes|notre|nos|son|sa|ses)\s|l['’]))"
_EVENT = re.compile(
    r"(?<!\w)(?:"
    rf"(?P<before>before|prior\sto|bevor|vor{_OF_GERMAN}|avant(?:\sque|\squ['’])?|antes\sd(?:e\sque|[aeo]l?)|prima\sd(?:i|el|ella)"
    r"|до\sтого\sкак|перед|до|قبل(?:\sأن)?)"
    rf"|(?P<after>after|nachdem|nach{_OF_GERMAN}|apr[eè]s(?:\sque|\squ['’])?|despu[eé]s\sd(?:e\sque|el?)|dopo|depois\sd(?:e\sque|[aeo])"
    r"|после(?:\sтого\sкак)?|بعد(?:\sأن|\sما)?)"
    rf"|(?P<during>during|while|w[aä]hrend|pendant(?:\sque|\squ['’])?|durant|lors\sd[eu]|durante|mientras"
    r"|во\sвремя|خلال|أثناء)"
    rf"|(?P<since>(?:ever\s)?since|seitdem|seit(?={_OF_GERMAN}|\s(?:ich|wir|er|sie|es)\s)|depuis(?:\sque|\squ['’]|{_OF_FRENCH})"
    r"|desde(?:\sque)?|da\squando|с\sтех\sпор\sкак|منذ(?:\sأن)?)"
    r"|(?P<until>until|till|bis(?:\szu[rm])?|jusqu['’](?:à|au|aux|à\sce\sque)|hasta(?:\sque)?|fino\sa(?:lla|l)?|at[eé]|пока\sне|حتى)"
    r")(?=\s|(?<=['’]))",
    re.IGNORECASE,
)
_WIDE = r"\u3005\u3040-\u30ff\u3400-\u9fff"
_WIDE_EVENT = re.compile(
    rf"(?:在|自从|自從|从|從)?(?P<words>[{_WIDE}]{{2,20}}?)(?:的|の|する|した|た)?"
    r"(?:(?P<before>之前|以前|前に|前は)|(?P<after>之后|之後|以后|以後|後に|後は)"
    r"|(?P<during>期间|期間|的时候|的時候|の間|中に)|(?P<since>以来|以來|てから)|(?P<until>为止|為止|まで))"
)


# --- other words for the same -----------------------------------------------------------------------------------------


class _Plain(NamedTuple):
    """A text in the words that `uac.dates` reads, and which piece of it stands for which piece of the text."""

    text: str
    plain: str
    pieces: tuple[tuple[int, int, int, int], ...]

    def original(self, start: int, end: int) -> str:
        return self.text[self._there(start, is_end=False) : self._there(end, is_end=True)].strip()

    def _there(self, at: int, *, is_end: bool) -> int:
        moved = 0
        for start, end, text_start, text_end in self.pieces:
            if at >= end:
                moved = text_end - end
            elif at > start or (at == start and not is_end):
                return text_end if is_end else text_start
        return at + moved


def _plain(text: str) -> _Plain:
    """Languages and holidays that `uac.dates` has no words for, said in English."""
    signs = text.translate(_SIGNS)
    pieces: list[tuple[int, int, int, int]] = []
    plain, done, length = [], 0, 0
    for found in _OTHER.finditer(signs):
        said = _in_english(found)
        length += found.start() - done
        plain += [signs[done : found.start()], said]
        pieces.append((length, length + len(said), found.start(), found.end()))
        length, done = length + len(said), found.end()
    plain.append(signs[done:])
    return _Plain(text, "".join(plain), tuple(pieces))


def _in_english(found: re.Match[str]) -> str:
    if decade := found["after"] or found["before"]:
        return f"the {decade}s"
    if wide := found["wide"] or found["alone"]:
        year = found["year"] or {"去": "last year", "昨": "last year", "今": "this year"}.get(found["which"] or "", "")
        word = next(said for word, said in _WIDE_WORDS.items() if wide.startswith(word))
        return f"{word} of {year}" if year else f"in {word}"
    if found["comma"]:
        return ", "
    if found["of_year"]:
        return ""
    if found["romance"]:
        return "in " + _ROMANCE_SEASONS.get(found["romance"].casefold(), "")
    # A Turkish dotless i is taken for an i by the pattern, but is not one.
    return _WORDS.get(found["word"].casefold(), found["word"])


_SIGNS = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹’", "01234567890123456789'")


def _table(lines: str) -> dict[str, str]:
    """For each word what it is called in English; a line is 'English: word, word'."""
    rows = [line.partition(":") for line in lines.strip().splitlines()]
    return {word.strip(): english for english, _, words in rows for word in words.split(",")}


_MONTHS = frozenset("January February March April May June July August September October November December".split())
_ROMANCE_SEASONS = _table("""
spring: primavera, printemps
summer: verano, été, estate, verão
autumn: otoño, automne, autunno, outono
winter: invierno, hiver, inverno
""")
_WIDE_SEASONS = _table("""
spring: 春
summer: 夏
autumn: 秋
winter: 冬
""")
_WIDE_HOLIDAYS = _table("""
Christmas: 圣诞, 聖誕, クリスマス
New Year's Day: 元旦, 元日
New Year's Eve: 大晦日
Valentine's Day: 情人, バレンタイン
Halloween: 万圣, 萬聖, ハロウィ
""")
_WIDE_WORDS = {**_WIDE_SEASONS, **_WIDE_HOLIDAYS}
_WORDS = _table("""
Rio: rio de janeiro
during the: over the, throughout the
in the past year: in the last year, over the last year, within the last year
in the past month: in the last month, over the last month, within the last month
in the past week: in the last week, over the last week, within the last week
in the last week of: in the last week of, in the last week in
in the last week before: in the last week before
in the last month of: in the last month of
in the last year of: in the last year of
first weekend of: first weekend in, erste wochenende im, ersten wochenende im
first weekend of: premier week-end de, primer fin de semana de
last weekend of: last weekend in, letzte wochenende im, letzten wochenende im
last weekend of: dernier week-end de, último fin de semana de
first week of: first week in, ersten woche im, première semaine de, primera semana de
last week of: last week in, letzten woche im, dernière semaine de, última semana de
New Year's Day: new year, new year's, new years, neujahr, nouvel an, jour de l'an, año nuevo, capodanno, ano novo
New Year's Day: новый год, нового года, رأس السنة
New Year's Eve: new year's eve, new years eve, saint-sylvestre, réveillon
New Year's Day: new year's day, new years day
Valentine's Day: valentine's day, valentines day, valentine's, valentines, valentinstag, saint-valentin, san valentín
Valentine's Day: san valentino
Christmas: natal
January: января, январе, январь, يناير, كانون الثاني
February: февраля, феврале, февраль, فبراير, شباط
March: марта, марте, март, мартом, مارس, آذار
April: апреля, апреле, апрель, апрелем, أبريل, إبريل, نيسان
May: мая, мае, май, маем, مايو, أيار
June: июня, июне, июнь, июнем, يونيو, حزيران
July: июля, июле, июль, июлем, يوليو, تموز
August: августа, августе, август, августом, أغسطس, آب
September: сентября, сентябре, сентябрь, سبتمبر, أيلول
October: октября, октябре, октябрь, أكتوبر, تشرين الأول
November: ноября, ноябре, ноябрь, نوفمبر, تشرين الثاني
December: декабря, декабре, декабрь, ديسمبر, كانون الأول
in spring: весной, في الربيع
in summer: летом, في الصيف
in autumn: осенью, في الخريف
in winter: зимой, في الشتاء
last spring: прошлой весной, الربيع الماضي
last summer: прошлым летом, الصيف الماضي
last autumn: прошлой осенью, الخريف الماضي
last winter: прошлой зимой, الشتاء الماضي
spring: ربيع
summer of: صيف عام, صيف سنة
summer: صيف
winter: شتاء
last year: в прошлом году, العام الماضي, السنة الماضية
of last year: прошлого года
last month: в прошлом месяце, الشهر الماضي
last week: на прошлой неделе, الأسبوع الماضي
yesterday: вчера, أمس
today: сегодня, اليوم
the year: عام, سنة
two weeks ago: قبل أسبوعين
a week ago: неделю назад, قبل أسبوع
two months ago: قبل شهرين
a month ago: месяц назад, قبل شهر
two years ago: قبل سنتين, قبل عامين
a year ago: год назад, قبل سنة, قبل عام
ago: назад
days: дня, дней
weeks: недели, недель
months: месяца, месяцев
years: года, лет
two: два, две
three: три
in: в, во, في
before: до, قبل
after: после, بعد
since: с, منذ
between: между, بين
and: и
""")
# "and" is written as a part of the next word.
_WORDS |= {"و" + word: f"and {said}" for word, said in _WORDS.items() if said in _MONTHS and word >= "\u0600"}
_OTHER = re.compile(
    # decades: "los años 90", "den 90ern", "90年代"
    r"(?<!\w)(?:(?:les|los|gli|nos|os)\s)?(?:años|années|anni|anos)\s['’]?(?P<after>(?:\d\d)?\d0)(?!\w)"
    r"|(?<!\w)(?:(?:den|die|der)\s)?(?P<before>(?:\d\d)?\d0)(?:ern?(?:\sjahren?)?(?!\w)|-[хе](?!\w)|年代)"
    # "May 1,2023" is no number
    r"|(?P<comma>(?<=\d),(?=(?:19|20)\d\d(?!\d)))"
    # "2023 года" is the year, "два года" are two years
    r"|(?P<of_year>(?<=[12]\d{3})\s(?:года|году|год|г\.))"
    # seasons and holidays after their year
    rf"|(?:(?P<year>[12]\d{{3}})年|(?P<which>[去昨今])年)[的の]?(?P<wide>(?:{'|'.join(_WIDE_WORDS)})[天季节節]?(?:デー|ーン|ン)?)"
    rf"|(?P<alone>[春夏秋冬][天季]|(?:{'|'.join(_WIDE_HOLIDAYS)})[节節]?)"
    rf"|(?<!\w)(?:en(?:\sel|\sla)?|au|à\sl['’]|in|nel|n[ao])\s(?P<romance>{'|'.join(_ROMANCE_SEASONS)})(?!\w)"
    r"(?!\s(?:d|passad|pasad|pass[ée]|proch|pr[oó]xim|prossim|scors|que|\d))"
    rf"|(?<!\w)(?P<word>{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})(?!\w)",
    re.IGNORECASE,
)
