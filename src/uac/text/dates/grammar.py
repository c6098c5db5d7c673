"""Reads the words of dates: the longest phrase of a language's patterns that begins at a token."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from uac.schema.word_caches import word_cache
from uac.text.dates.phrases import (
    AFTER_DIGITS,
    DIGIT_SLOTS,
    NESTED_SLOTS,
    SLOT_TABLES,
    WIDE_DIGITS,
    DateGrammar,
    PhraseNode,
    date_grammar,
    fold_token,
    has_wide,
    token_pattern,
    token_word,
    word_meanings,
)
from uac.text.dates.vocabulary import FRACTIONS, LANGUAGES, NOT_A_YEAR_BEFORE
from uac.text.lazy_pattern import lazy_pattern

__all__ = [
    "SHIPPED_DATE_WORDS",
    "DateReader",
    "DateReading",
    "Match",
    "date_reader",
    "languages_with_dates",
]


class _Token(NamedTuple):
    word: str
    start: int
    end: int
    is_capital: bool
    is_tight: bool
    """Follows the token before it without a space."""
    is_far: bool
    """Too far from the token before it to belong to one phrase."""


_new_token = tuple.__new__
"""In half the time of `_Token(…)`."""


class DateReading(NamedTuple):
    rule: str
    fields: dict[str, str]
    inner: tuple["Match", ...] = ()


class Match(NamedTuple):
    start: int
    end: int
    readings: tuple[DateReading, ...]
    is_weak: bool
    gate: frozenset[str]


class _State(NamedTuple):
    at: int
    fields: dict[str, str]
    inner: tuple[Match, ...]


_DAY_ENDINGS = frozenset("st nd rd th er º ° ª e ste de".split())
_MAX_GAP = 3
_MAX_DIGITS = 9  # no calendar year has as many; the limit keeps a hostile number small


def _date_tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    end = 0
    lowered = text.lower() if text.isascii() else ""
    for piece in token_pattern(text).finditer(text):
        start, stop = piece.span()
        is_far = start - end > _MAX_GAP or (start - end > 1 and text.count("\n", end, start) > 1)
        is_tight = start == end and start > 0
        word = lowered[start:stop] if lowered else token_word(piece)
        word = word[:_MAX_DIGITS] if word[:1].isdecimal() else word
        found.append(_new_token(_Token, (word, start, stop, text[start].isupper(), is_tight, is_far)))
        end = stop
    return found


def languages_with_dates(text: str, languages: frozenset[str]) -> frozenset[str]:
    """Those of the languages, and of English and Chinese, in which a text may have dates.

    It has none in a language of whose dates it has no word; dates that are digits alone are read in English. Most texts
    have none at all, and this takes a twentieth of the time of reading them.
    """
    read = languages | _ALWAYS_READ
    words = [token.word for token in _date_tokens(text)] if has_wide(text) else _LETTERS.findall(fold_token(text))
    if _DIGIT.search(text):
        with_digits = _date_words()[True]
        return frozenset(one for one in read if one == "en" or not with_digits[one].isdisjoint(words))
    if _date_words_of(read).isdisjoint(words):
        return frozenset()
    return frozenset(one for one in read if not _date_words()[False][one].isdisjoint(words))


_ALWAYS_READ = frozenset(["en", "zh"])
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_DIGIT = lazy_pattern(r"\d")


@lru_cache(maxsize=64)
def _date_words_of(languages: frozenset[str]) -> frozenset[str]:
    return frozenset[str]().union(*(_date_words()[False][language] for language in sorted(languages)))


SHIPPED_DATE_WORDS = Path(__file__).with_name("shipped_date_words.txt")
"""What `words_of_dates` gives for each language, a line each: to compute them takes longer than a search. Then those
that it gives with digits."""


@cache
def _date_words() -> dict[bool, dict[str, frozenset[str]]]:
    lines = [line.partition(": ") for line in SHIPPED_DATE_WORDS.read_text(encoding="utf-8").splitlines()]
    every = [(language, frozenset(words.split())) for language, _, words in lines]
    return {False: dict(every[: len(LANGUAGES)]), True: dict(every[len(LANGUAGES) :])}


def date_reader(text: str, languages: frozenset[str] = frozenset()) -> "DateReader":
    """A reader of the text. A short one is kept: the checks read each sentence about ten times."""
    return _short_reader(text, languages) if len(text) <= 1000 else DateReader(text, languages)


@word_cache(64)
def _short_reader(text: str, languages: frozenset[str]) -> "DateReader":
    return DateReader(text, languages)


class DateReader:
    """One text, with the matches at each of its tokens.

    Patterns are short and do not contain themselves, and each is tried once at each token: the work is linear.
    """

    def __init__(self, text: str, languages: Iterable[str] = ()) -> None:
        """Phrases of the given languages are read; of all if there are none. English always is, and Chinese if a
        character of it is in the text: its grammar takes long to build."""
        self.text = text
        wanted = {"en", *(languages or LANGUAGES)} - {"zh"} | ({"zh"} if has_wide(text) else set())
        self.languages = [one for one in LANGUAGES if one in wanted]
        self.tokens = _date_tokens(text)
        self._starts = _start_words(tuple(self.languages))
        self._known: dict[tuple[str, int, int], Match | None] = {}

    def longest(self, at: int, *, level: int = 3) -> Match | None:
        """The longest match of any language that starts at the token; equally long ones are readings of one match."""
        word = self.tokens[at].word
        if word.isdecimal():
            languages = self.languages
        elif word in self._starts:
            after = self.tokens[at + 1].word if at + 1 < len(self.tokens) else ""
            languages = [language for language in self.languages if _may_start_phrase(language, word, after)]
        else:
            return None
        return _join_matches([self._longest_in_language(language, level, at) for language in languages])

    def _longest_in_language(self, language: str, level: int, at: int) -> Match | None:
        key = (language, level, at)
        if key not in self._known:
            shorter = self._longest_in_language(language, level - 1, at) if level > 1 else None
            found = [self._digit_date(at) if level == 1 else shorter]
            word = self.tokens[at].word
            if word in date_grammar(language).starts[level] or found[0] or word.isdecimal():
                root = _State(at, {}, ())
                found += [
                    self._match_of_phrase(language, at, *end)
                    for end in self._walk_phrases(language, date_grammar(language).roots[level], root)
                ]
            self._known[key] = _join_matches(found)
        return self._known[key]

    def _match_of_phrase(self, language: str, at: int, end: tuple[str, bool], state: _State) -> Match:
        rule, is_weak = end
        starts_weak = any(inner.start == at and inner.is_weak for inner in state.inner)
        return Match(
            at,
            state.at,
            (DateReading(rule, state.fields, state.inner),),
            is_weak or starts_weak,
            date_grammar(language).gate,
        )

    def _walk_phrases(
        self, language: str, node: PhraseNode, state: _State
    ) -> Iterator[tuple[tuple[str, bool], _State]]:
        """Each phrase that can be read from this state."""
        for end in node.ends:
            yield end, state
        at, fields, inner = state
        if at >= len(self.tokens) or (self.tokens[at].is_far and node not in date_grammar(language).roots):
            return
        if (after := node.after_word(self.tokens[at].word)) is not None:
            yield from self._walk_phrases(language, after, _State(at + 1, fields, inner))
        tables, token = date_grammar(language).tables, self.tokens[at]
        for number, slot in enumerate(node.slots):
            words = _NO_WORDS if slot.table in _COMPUTED_SLOTS else tables.get(slot.table, _NO_WORDS)
            if words and token.word not in words and not (token.is_capital and "^" + token.word in words):
                continue  # as most slots, without a call
            if slot.table in NESTED_SLOTS:
                match = self._longest_in_language(language, NESTED_SLOTS[slot.table], at)
                if match is not None and (slot.table != "date" or match.readings[0].rule in _DATED):
                    after = node.after_slot(number)
                    yield from self._walk_phrases(language, after, _State(match.end, fields, (*inner, match)))
                continue
            if self.tokens[at].word.isdecimal() and slot.table not in DIGIT_SLOTS:
                continue
            for length, value in self._slot_values(language, slot.table, at):
                yield from self._walk_phrases(
                    language, node.after_slot(number), _State(at + length, {**fields, slot.field: value}, inner)
                )

    def _slot_values(self, language: str, table: str, at: int) -> Iterator[tuple[int, str]]:
        """The values a slot may take at the token: the number of tokens, and their meaning."""
        match table:
            case "n":
                yield from self._number_tokens(at)
                yield from self._wide_number(at)
                yield from self._table_words(language, "number", at)
            case "year":
                yield from self._year_token(at)
            case "day":
                yield from self._day_token(at, needs_ending=False)
                yield from self._table_words(language, "day_word", at)
            case "ordinal":
                yield from self._day_token(at, needs_ending=True)
            case "year2":
                if self.tokens[at].word.isdecimal() and len(self.tokens[at].word) == 2 and self.tokens[at].is_tight:
                    yield 1, self.tokens[at].word
            case "short_year":
                word = self.tokens[at].word
                goes_on = at + 1 < len(self.tokens) and (
                    self.tokens[at + 1].word in _AFTER_NO_DAY
                    or (self.tokens[at + 1].is_tight and self.tokens[at + 1].word != ",")
                )
                if word.isdecimal() and len(word) == 2 and int(word) > 31 and not goes_on:
                    yield 1, word
            case "dotted" | "plain_day" | "plain_go":
                yield from self._bare_day_token(table, at)
            case "wday" | "wordinal":
                yield from self._day_after_weekday(language, at, "ordinal" if table == "wordinal" else "day")
                yield from self._slot_values(language, "ordinal" if table == "wordinal" else "day", at)
            case "weekday_dotted" | "weekday_day" | "weekday_ordinal" | "weekday_word":
                inner = {"dotted": "dotted", "day": "plain_day", "ordinal": "ordinal", "word": "day_word"}
                yield from self._day_after_weekday(language, at, inner[table.removeprefix("weekday_")])
            case "mon" | "cjk_day":
                if self.tokens[at].word.isdecimal() and len(self.tokens[at].word) <= 2:
                    yield 1, self.tokens[at].word
                yield from self._wide_number(at)
            case "quarter":
                if self.tokens[at].word in ("1", "2", "3", "4") and self.tokens[at].is_tight:
                    yield 1, self.tokens[at].word
            case "decade" | "decade2":
                word = self.tokens[at].word
                if (
                    word.isdecimal()
                    and len(word) == (4 if table == "decade" else 2)
                    and word.endswith("0")
                    and self._is_adjacent(at + 1)
                ):
                    yield 1, word
            case _:
                yield from self._table_words(language, table, at)

    def _table_words(self, language: str, table: str, at: int) -> Iterator[tuple[int, str]]:
        words = date_grammar(language).tables.get(table, {})
        token = self.tokens[at]
        for first in (token.word, "^" + token.word) if token.is_capital else (token.word,):
            for rest, value in word_meanings(words, first):
                taken = self.tokens[at + 1 : at + 1 + len(rest)]
                if tuple(token.word for token in taken) == rest and not any(token.is_far for token in taken):
                    yield 1 + len(rest), value

    def _number_tokens(self, at: int) -> Iterator[tuple[int, str]]:
        """Digits, with a fraction or with thousands."""
        token = self.tokens[at]
        if not token.word.isdecimal() or self._continues_number(at):
            return
        if self._is_adjacent(at + 1, ".,") and self._is_adjacent(at + 2) and self.tokens[at + 2].word.isdecimal():
            rest = self.tokens[at + 2].word
            if len(rest) <= 3:
                yield 3, token.word + ("" if len(rest) == 3 else ".") + rest
            return
        yield 1, token.word

    def _wide_number(self, at: int) -> Iterator[tuple[int, str]]:
        """三, 十二, 二十, 三十一."""
        tens, ones, length = 0, 0, 0
        for token in self.tokens[at : at + 3]:
            if token.word == "十" and tens == 0:
                tens, ones = (ones or 1) * 10, 0
            elif token.word in WIDE_DIGITS and ones == 0 and (length == 0 or tens):
                ones = WIDE_DIGITS[token.word]
            else:
                break
            length += 1
        if length:
            yield length, str(tens + ones)

    def _year_token(self, at: int) -> Iterator[tuple[int, str]]:
        word = self.tokens[at].word
        if not (word.isdecimal() and len(word) == 4 and 1000 <= int(word) <= 2999) or self._continues_number(at):
            return
        if at and self.tokens[at - 1].word in ("$", "€", "£", "¥"):
            return
        if at + 1 < len(self.tokens):
            after = self.tokens[at + 1]
            counts = after.word in NOT_A_YEAR_BEFORE
            goes_on = (
                after.is_tight
                and after.word in (".", ",", ":", "-")
                and self._is_adjacent(at + 2)
                and self.tokens[at + 2].word.isdecimal()
                and (after.word != "-" or len(self.tokens[at + 2].word) == 2)  # a date of its own: 2025-04-20
            )
            glued = after.is_tight and after.word[0].isalpha() and not _is_wide(after.word)
            if counts or goes_on or glued:
                return
        yield 1, str(int(word))

    def _day_token(self, at: int, *, needs_ending: bool) -> Iterator[tuple[int, str]]:
        word = self.tokens[at].word
        if not (word.isdecimal() and len(word) <= 2) or self._continues_number(at):
            return
        if self._is_adjacent(at + 1) and self.tokens[at + 1].word in _DAY_ENDINGS:
            yield 2, word
        elif not needs_ending and not self._is_clock_or_share(at):
            yield 1, word

    def _bare_day_token(self, table: str, at: int) -> Iterator[tuple[int, str]]:
        """A day of a month without its month: with a full stop in German, with -go in Polish, plain after an"
        " article."""
        word = self.tokens[at].word
        if not (word.isdecimal() and len(word) <= 2 and 1 <= int(word) <= 31) or self._continues_number(at):
            return
        after = [token.word for token in self.tokens[at + 1 : at + 3]] + ["", ""]
        if table == "dotted":
            if after[0] == "." and self._is_adjacent(at + 1) and not after[1].isdecimal():
                yield 2, word
        elif table == "plain_go":
            if after[0] == "-" and after[1] in AFTER_DIGITS["plain_go"]:
                yield 3, word
        elif (
            not self._is_clock_or_share(at)
            and after[0] not in _AFTER_NO_DAY
            and not (self._is_adjacent(at + 1) and (after[0] in ("-", "/", "h", "k", "°") or after[0][:1].isalpha()))
        ):
            yield 1, word

    def _day_after_weekday(self, language: str, at: int, table: str) -> Iterator[tuple[int, str]]:
        """A day with its weekday before it: "Friday 24", "Freitag, den 24."."""
        for length, _ in self._table_words(language, "weekday", at):
            place = at + length
            while place < len(self.tokens) and self.tokens[place].word in _BETWEEN_WEEKDAY_AND_DAY:
                place += 1
            if place < len(self.tokens):
                for more, value in self._slot_values(language, table, place):
                    yield place + more - at, value

    def _is_clock_or_share(self, at: int) -> bool:
        if at + 1 == len(self.tokens):
            return False
        after = self.tokens[at + 1]
        if after.word == "%" or after.word in ("am", "pm"):
            return True
        return (
            after.is_tight
            and after.word in (":", ".")
            and self._is_adjacent(at + 2)
            and self.tokens[at + 2].word.isdecimal()
        )

    def _continues_number(self, at: int) -> bool:
        """Whether the digits continue the token before: the 234 of 1,234, the 7 of B7."""
        token = self.tokens[at]
        if not token.is_tight:
            return False
        before = self.tokens[at - 1].word
        if before[0].isalnum():
            return not _is_wide(before)
        return before in (".", ",") and token.start >= 2 and self.text[token.start - 2].isdecimal()

    def _is_adjacent(self, at: int, words: str = "") -> bool:
        return at < len(self.tokens) and self.tokens[at].is_tight and (not words or self.tokens[at].word in words)

    def _digit_date(self, at: int) -> Match | None:
        """Dates written in digits, the same in all languages."""
        if ("", 1, at) not in self._known:
            self._known["", 1, at] = self._match_digit_date(at)
        return self._known["", 1, at]

    def _goes_on(self, written: re.Match[str]) -> bool:
        """Whether the last full stop of "31.12." does not end the sentence, and so belongs to a date."""
        is_full = re.fullmatch(r"\d\d?\.(?:0[1-9]|1[0-2])\.", written[0]) is not None
        return is_full and re.match(r"[,;)]| [^\W\dA-Z_]", self.text[written.end() : written.end() + 2]) is not None

    def _match_digit_date(self, at: int) -> Match | None:
        token = self.tokens[at]
        if not token.word.isdecimal() or self._continues_number(at):
            return None
        before = self.tokens[at - 1].word if at else ""
        if token.is_tight and before in ("-", "/") and token.start >= 2 and self.text[token.start - 2].isalnum():
            return None
        for rule, form in _digit_date_forms():
            written = form.match(self.text, token.start)
            if written is None:
                continue
            if rule == "day_first_short" and at and before not in _BEFORE_A_SHORT_DAY and not self._goes_on(written):
                continue
            if rule == "short" and written[0] in FRACTIONS and before not in _BEFORE_A_SHORT_DAY - {","}:
                return None
            end = at
            while end < len(self.tokens) and self.tokens[end].start < written.end():
                end += 1
            return Match(at, end, (DateReading(rule, written.groupdict()),), False, frozenset())
        return None


def _is_wide(word: str) -> bool:
    return "\u3005" <= word[0] <= "\u9fff"


def _join_matches(found: Iterable[Match | None]) -> Match | None:
    """The longest match; of several equally long ones the strong ones, each as a reading."""
    matches = [match for match in found if match is not None]
    if not matches:
        return None
    end = max(match.end for match in matches)
    longest = [match for match in matches if match.end == end]
    strong = [match for match in longest if not match.is_weak]
    best = strong or longest
    readings = {
        repr((reading.rule, reading.fields)): reading
        for match in reversed(best)
        for reading in reversed(match.readings)
    }
    gate = frozenset[str]().union(*(match.gate for match in best))
    return Match(best[0].start, end, tuple(reversed(readings.values())), not strong, gate)


_BETWEEN_WEEKDAY_AND_DAY = frozenset("the den dem der le il o dia de , dnia".split())
_AFTER_NO_DAY = frozenset(
    "% € $ £ º ª euros euro libras personas personnes persone pessoas minutos minutes minuti horas heures ore uur hs h"
    " km kg g m cm por per pour años ans anni anos grados grad gradi graus puntos points punti de_mayo x × veces fois"
    " volte vezes mil mille millones degrés kilos chilometri kilómetros kilomètres uhr o'clock".split()
)
"""What is counted, not a day of the month: "el 20 por ciento", "le 20 heures"."""

_COMPUTED_SLOTS = frozenset(
    "n year day ordinal year2 short_year dotted plain_day plain_go wday wordinal weekday_dotted weekday_day"
    " weekday_ordinal weekday_word mon cjk_day quarter decade decade2".split()
)
"""Slots whose values are not all in a table of their name."""
_NO_WORDS: dict[str, list[tuple[tuple[str, ...], str]]] = {}
_DATED = frozenset(["day_of_month", "bare_day", "iso", "day_first", "either_order", "short", "day_first_short"])

_BEFORE_A_SHORT_DAY = frozenset(
    "am vom zum bis den ab seit dem , : mo di mi do fr sa so einschliesslich on by until since from before after"
    " of".split()
)
_Y, _M, _D = r"(?P<year>\d{4})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"


@cache
def _digit_date_forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (rule, re.compile(form))
        for rule, form in (
            ("iso", rf"{_Y}(?P<sign>[-/.]){_M}(?P=sign){_D}(?!\d|[-/.]\d|[A-SU-Za-z])"),
            ("years", r"(?P<year>(?:19|20)\d\d) ?[-–—/] ?(?P<until>(?:19|20)\d\d)(?![\w]|[-/.]\d)"),
            ("iso_month", rf"{_Y}-(?P<month>\d\d)(?!\w|[-/.]\d)"),
            ("day_first", r"(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\. ?(?P<year>\d{4})(?!\w|\.\d)"),
            ("day_first", r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d\d)(?!\w|\.\d|:)"),
            ("either_order", r"(?P<one>\d{1,2})(?P<sign>[/-])(?P<two>\d{1,2})(?P=sign)(?P<year>\d{4})(?!\w|[-/.]\d)"),
            ("either_order", r"(?P<one>\d{1,2})/(?P<two>\d{1,2})/(?P<year>\d\d)(?!\w|[-/.]\d)"),
            ("short", r"(?P<one>\d{1,2})/(?P<two>\d{1,2})(?!\w|[-/.]\d|/)"),
            ("day_first_short", r"(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\.(?!\w)"),
        )
    )


@lru_cache(maxsize=64)
def _start_words(languages: tuple[str, ...]) -> frozenset[str]:
    """The words, other than digits, that a phrase of any level and of one of these languages may start with."""
    return frozenset[str]().union(*(words for language in languages for words in date_grammar(language).starts))


def _may_start_phrase(language: str, word: str, after: str) -> bool:
    """Whether a phrase may start with a word, other than digits, and the one after it: few of those with "the" do."""
    following = _following_words(language, word)
    return following is None or after in following or after.isdecimal()


@lru_cache(maxsize=4096)
def _following_words(language: str, word: str) -> frozenset[str] | None:
    """The words, other than digits, that may follow the first word of a phrase; None if it may be a whole phrase."""
    grammar, found = date_grammar(language), set[str]()
    if language == "zh":  # its numbers are in no table
        return None
    for root in grammar.roots:
        whole = root.after_word(word)
        parts: list[tuple[tuple[str, ...], PhraseNode]] = [] if whole is None else [((), whole)]
        for number, slot in enumerate(root.slots):
            for table in SLOT_TABLES.get(slot.table, (slot.table,)):
                words = grammar.tables.get(table, {})
                own = [rest for first in (word, "^" + word) for rest, _meaning in word_meanings(words, first)]
                if own and table == "weekday" and slot.table != "weekday":  # with the day behind it in the same slot
                    return None
                parts += [(rest, root.after_slot(number)) for rest in own]
        for rest, after in parts:
            if not rest and after.ends:
                return None
            found |= {rest[0]} if rest else _words_at(grammar, after)
    return frozenset(found)


def _words_at(grammar: "DateGrammar", node: PhraseNode) -> set[str]:
    """The words, other than digits, with which the rest of a phrase may go on."""
    found = set(node.words)
    for slot in node.slots:
        if slot.table in NESTED_SLOTS:
            found.update(*grammar.starts[: NESTED_SLOTS[slot.table] + 1])
        for table in SLOT_TABLES.get(slot.table, (slot.table,)):
            found |= {word.removeprefix("^") for word in grammar.tables.get(table, ())}
    return found
