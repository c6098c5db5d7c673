"""The phrases of dates in each language: a tree of words and slots, built from the language's vocabulary.

The trees ship, because building one takes longer than a search.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import msgspec

from uac.text.dates.vocabulary import LANGUAGES
from uac.text.languages import FUNCTION_WORDS
from uac.text.lazy_pattern import lazy_pattern

__all__ = [
    "AFTER_DIGITS",
    "DIGIT_SLOTS",
    "NESTED_SLOTS",
    "SHIPPED_DATE_GRAMMARS",
    "SLOT_TABLES",
    "WIDE",
    "WIDE_DIGITS",
    "WIDE_NUMBER",
    "DateGrammar",
    "PhraseNode",
    "PhraseSlot",
    "PhraseTree",
    "build_date_grammar",
    "date_grammar",
    "fold_token",
    "has_wide",
    "shipped_grammar_line",
    "token_pattern",
    "token_word",
    "word_meanings",
    "words_of_dates",
]


class PhraseSlot(NamedTuple):
    field: str
    table: str


class PhraseNode:
    """The possible continuations of a part of a phrase; phrases with the same beginning share it.

    Each continuation is decoded when a text goes on with it: of the thousands that a grammar has, few texts need more
    than some dozens.
    """

    __slots__ = ("_after_slots", "_after_words", "ends", "slots")

    def __init__(self, stored: msgspec.Raw) -> None:
        words, slots, self.ends = _NODE.decode(stored)
        self.slots = tuple(slot for slot, _after in slots)
        self._after_words: dict[str, PhraseNode | msgspec.Raw] = dict(words)
        self._after_slots: list[PhraseNode | msgspec.Raw] = [after for _slot, after in slots]

    @property
    def words(self) -> Collection[str]:
        return self._after_words.keys()

    def after_word(self, word: str) -> "PhraseNode | None":
        after = self._after_words.get(word)
        if isinstance(after, msgspec.Raw):
            after = self._after_words[word] = PhraseNode(after)
        return after

    def after_slot(self, number: int) -> "PhraseNode":
        """The continuation behind the slot with this number in `slots`."""
        after = self._after_slots[number]
        if isinstance(after, msgspec.Raw):
            after = self._after_slots[number] = PhraseNode(after)
        return after


_StoredNode = tuple[dict[str, msgspec.Raw], list[tuple[PhraseSlot, msgspec.Raw]], tuple[tuple[str, bool], ...]]
_Meanings = Sequence[tuple[tuple[str, ...], str]]
"""Of the words that begin with the same token: their other tokens, and what each means."""
_Table = Mapping[str, str | list[tuple[tuple[str, ...], str]]]
"""Meanings by the first token; only the text for a token that is the whole word, as most are."""


class DateGrammar(NamedTuple):
    """What is compiled from the tables of a language. Phrases are in order of their levels."""

    tables: dict[str, _Table]
    gate: frozenset[str]
    roots: tuple[PhraseNode, ...]
    starts: tuple[frozenset[str], ...]


def word_meanings(table: _Table, first: str) -> _Meanings:
    """The words of a table that begin with this token."""
    found = table.get(first, ())
    return (((), found),) if isinstance(found, str) else found


SHIPPED_DATE_GRAMMARS = Path(__file__).with_name("shipped_date_grammars.txt")
"""What `build_date_grammar` gives for each language, a line each: to build one takes several times as long."""


@cache
def date_grammar(language: str) -> DateGrammar:
    """Loaded when a text that may be in the language is first read."""
    name = f"{language}: ".encode()
    with SHIPPED_DATE_GRAMMARS.open("rb") as lines:
        stored = _GRAMMAR.decode(next(line for line in lines if line.startswith(name)).removeprefix(name))
    return DateGrammar(stored.tables, stored.gate, tuple(map(PhraseNode, stored.roots)), stored.starts)


def shipped_grammar_line(language: str) -> str:
    """The line of a language."""
    grammar = build_date_grammar(language)
    return f"{language}: {msgspec.json.encode(grammar, order='deterministic').decode()}\n"


class PhraseTree(msgspec.Struct, eq=False, array_like=True):
    """What a `PhraseNode` is made from: a node with all that is below it."""

    words: dict[str, "PhraseTree"] = {}
    slots: tuple[tuple[PhraseSlot, "PhraseTree"], ...] = ()
    ends: tuple[tuple[str, bool], ...] = ()
    """Rules, and whether the phrase needs a word of the gate before it."""

    def after(self, element: str | PhraseSlot) -> "PhraseTree":
        """The continuation behind a word or slot; a new one if there is none."""
        if isinstance(element, str):
            return self.words.setdefault(element, PhraseTree())
        known = next((node for slot, node in self.slots if slot == element), None)
        if known is None:
            known = PhraseTree()
            self.slots = (*self.slots, (element, known))
        return known


class _BuiltGrammar(NamedTuple):
    """A `DateGrammar` before its phrases are stored."""

    tables: Mapping[str, _Table]
    gate: frozenset[str]
    roots: tuple[PhraseTree, ...]
    starts: tuple[frozenset[str], ...]


def build_date_grammar(language: str) -> _BuiltGrammar:
    tables = _compiled_tables(language)
    roots = tuple(_phrase_root(language, level) for level in range(4))
    starts = tuple(_first_words(language, root) for root in roots)
    plain = {name: dict(map(_plain_meanings, words.items())) for name, words in tables.items()}
    return _BuiltGrammar(plain, frozenset(tables.get("gate", ())), roots, starts)


def _plain_meanings(
    word: tuple[str, list[tuple[tuple[str, ...], str]]],
) -> tuple[str, str | list[tuple[tuple[str, ...], str]]]:
    first, meanings = word
    is_whole = len(meanings) == 1 and not meanings[0][0]
    return first, meanings[0][1] if is_whole else meanings


@cache
def _compiled_tables(language: str) -> dict[str, dict[str, list[tuple[tuple[str, ...], str]]]]:
    """For each slot, by the first token of its words: the other tokens and the meaning of the word."""
    tables = _read_tables(language)
    _add_compound_words(tables, language)
    compiled: dict[str, dict[str, list[tuple[tuple[str, ...], str]]]] = {}
    for name, words in tables.items():
        by_first = compiled.setdefault(name, {})
        for word, meaning in words.items():
            first, *rest = _table_key(word)
            by_first.setdefault(first, []).append((tuple(rest), meaning))
    return compiled


def _read_tables(language: str) -> dict[str, dict[str, str]]:
    """For each slot, the meaning of each of its words."""
    tables: dict[str, dict[str, str]] = {}
    for name, written in _vocabulary_lines(language, " = "):
        words = tables.setdefault(name, {})
        start, row, rest = written.partition("..")
        if row:
            first, _, step = start.partition("/")
            for at, group in enumerate(rest.split("|")):
                words.update(dict.fromkeys(group.split(), str(int(first) + at * int(step or 1))))
        else:
            for part in written.split(";"):
                group, _, meaning = part.rpartition(":")
                words.update(dict.fromkeys(group.split(), meaning.strip()))
    return tables


@lru_cache(maxsize=32)
def _vocabulary_lines(language: str, sign: str) -> list[tuple[str, str]]:
    """The lines of one kind, each with its name."""
    lines = LANGUAGES[language].replace("\n    ", " ").replace(" // ", "\n").splitlines()
    parts = [re.split(" = |: ", line, maxsplit=1) for line in lines if line]
    return [
        (name, rest)
        for line, (name, rest) in zip(filter(None, lines), parts, strict=True)
        if line[len(name) :].startswith(sign)
    ]


def _add_compound_words(tables: dict[str, dict[str, str]], language: str) -> None:
    """Add compound words: twenty-one, einundzwanzig, twenty-first, 星期五."""
    number = tables.get("number", {})
    tens = {
        word: int(value) for word, value in number.items() if value in ("20", "30", "40", "50", "60", "70", "80", "90")
    }
    ones = {word: int(value) for word, value in number.items() if value.isdecimal() and 0 < int(value) < 10}
    for (ten, high), (one, low) in product(tens.items(), ones.items()):
        if language == "de":
            number[one + "und" + ten] = str(high + low)
        elif language == "en" and one not in ("a", "an"):
            number[f"{ten}_{one}"] = number[f"{ten}-{one}"] = str(high + low)
    if language == "en":
        firsts = [(word, int(value)) for word, value in tables["day_word"].items() if int(value) < 10]
        for (ten, high), (one, low) in product((("twenty", 20), ("thirty", 30)), firsts):
            tables["day_word"][f"{ten}_{one}"] = tables["day_word"][f"{ten}-{one}"] = str(high + low)
        tables["Month"] = {
            "^" + word if word in ("may", "march", "mar") else word: at for word, at in tables["month"].items()
        }
    if language == "de":
        parts = "abend morgen nachmittag mittag vormittag früh nacht".split()
        for (word, day), part in product(list(tables["weekday"].items()), parts):
            tables["weekday"][word + part] = day
    if language == "zh":
        for week, (at, day) in product(("周", "週", "星期", "礼拜", "禮拜"), enumerate("一二三四五六日")):
            tables["bare_weekday"][week + day] = str(at)


def _table_key(word: str) -> tuple[str, ...]:
    """A table's word as tokens; the mark for a capital letter stays with the first."""
    first, *rest = _literal_tokens(word.removeprefix("^").replace("_", " "))
    return ("^" + first if word.startswith("^") else first, *rest)


@lru_cache(maxsize=1024)
def _literal_tokens(text: str) -> tuple[str, ...]:
    if text.isascii() and text.isalpha():  # one word
        return (text.lower(),)
    return tuple(map(token_word, token_pattern(text).finditer(text)))


def _phrase_root(language: str, level: int) -> PhraseTree:
    """The root of all phrases of a level."""
    root = PhraseTree()
    for rule, phrases in _vocabulary_lines(language, ": "):
        for written in map(str.strip, phrases.split(" ;") if _LEVELS.get(rule, 1) == level else ()):
            for elements in _pattern_sequences(written.removeprefix("?")):
                node = root
                for element in elements:
                    node = node.after(element)
                if (end := (rule, written.startswith("?"))) not in node.ends:
                    node.ends = (*node.ends, end)
    return root


def _pattern_sequences(written: str) -> Iterator[tuple[str | PhraseSlot, ...]]:
    """All sequences of words and slots that a written pattern allows."""
    choices: list[list[tuple[str | PhraseSlot, ...]]] = []
    for piece in _PIECES.finditer(written):
        if piece["slot"]:
            choices.append([(PhraseSlot(piece["slot"], piece["table"] or piece["slot"]),)])
        elif piece["text"]:
            choices.append([_literal_tokens(piece["text"])])
        else:
            options = (piece["option"] or piece["choice"]).split("|")
            choices.append([*([()] if piece["option"] else []), *(_literal_tokens(option) for option in options)])
    for chosen in product(*choices):
        yield tuple(element for part in chosen for element in part)


def _first_words(language: str, root: PhraseTree) -> frozenset[str]:
    """The words, other than digits, that a phrase may start with."""
    tables = [table for slot, _after in root.slots for table in SLOT_TABLES.get(slot.table, (slot.table,))]
    words = [word.removeprefix("^") for table in tables for word in _compiled_tables(language).get(table, ())]
    return frozenset([*root.words, *words, *(WIDE_NUMBER if language == "zh" else ())])


def words_of_dates(language: str, *, with_digits: bool) -> frozenset[str]:
    """For each phrase of a date, the words of that part of it which other texts have least.

    `with_digits`: of a text with digits. A phrase may be digits alone. English has it as well, unless it is one that
    needs a word of the language before it.
    """
    found: set[str] = set()
    for root in build_date_grammar(language).roots[1:]:
        _add_date_words(found, root, language, None, with_digits=with_digits)
    return frozenset(found)


_DateWords = tuple[int, int, frozenset[str]]
"""How many of the words other texts have, too; how many there are; and the words."""


def _add_date_words(
    found: set[str], node: PhraseTree, language: str, least: _DateWords | None, *, with_digits: bool
) -> None:
    """Add the words of all phrases below a node. `least` are those of the best part so far."""
    if node.ends and least is not None:
        found |= least[2]
    elif with_digits and any(is_weak for _rule, is_weak in node.ends):
        found.update(_compiled_tables(language).get("gate", ()))
    parts = [
        (_counted_words(language, [word]) if word.isalpha() else None, after) for word, after in node.words.items()
    ]
    for slot, after in node.slots:
        if slot.table in NESTED_SLOTS:  # a date inside has words of its own, or digits
            parts += [(None, after)] if with_digits else []
        elif with_digits and slot.table in DIGIT_SLOTS:
            parts.append(
                (_counted_words(language, following) if (following := AFTER_DIGITS.get(slot.table)) else None, after)
            )
        else:
            parts.append((_slot_words(language, slot.table), after))
    for words, after in parts:
        is_better = words is not None and (least is None or words[:2] < least[:2])
        _add_date_words(found, after, language, words if is_better else least, with_digits=with_digits)


def _counted_words(language: str, words: Iterable[str]) -> _DateWords:
    every = frozenset(words)
    return len(every & _common_words(language)), len(every), every


@cache
def _common_words(language: str) -> frozenset[str]:
    return frozenset(map(fold_token, FUNCTION_WORDS.get(language, ())))


@cache
def _slot_words(language: str, table: str) -> _DateWords:
    """A word of each value that a slot may have, other than digits."""
    common = _common_words(language)
    tables = SLOT_TABLES.get(table, (table,))
    values = [
        [first.removeprefix("^"), *rest]
        for name in tables
        for first, others in _compiled_tables(language).get(name, {}).items()
        for rest, _meaning in others
    ]
    words = [min(value, key=lambda word: (not word.isalpha(), word in common)) for value in values]
    return _counted_words(language, [*words, *(WIDE_NUMBER if language == "zh" else ())])


def has_wide(text: str) -> bool:
    """Whether a text has characters that are words without spaces between them."""
    return not text.isascii() and max(text) >= "\u3005" and _HAS_WIDE.search(text) is not None


def token_pattern(text: str) -> re.Pattern[str]:
    """The pattern of the tokens of a text. The large class of wide characters takes longer to compile than a question
    takes to answer."""
    return _WIDE_TOKENS if has_wide(text) else _TOKENS


def token_word(piece: re.Match[str]) -> str:
    return piece[0] if piece.lastgroup in ("wide", "digits") else fold_token(piece[0])


def fold_token(word: str) -> str:
    """The word without letter case and accents, with plain apostrophes and hyphens."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    bare = "".join(mark for mark in unicodedata.normalize("NFD", folded) if not "\u0300" <= mark <= "\u036f")
    return unicodedata.normalize("NFC", bare).translate(_SIGNS)


WIDE = r"\u3005\u3040-\u30ff\u3400-\u9fff"
_HAS_WIDE = lazy_pattern(f"[{WIDE}]")
_WIDE_TOKENS = lazy_pattern(rf"(?P<wide>[{WIDE}])|(?P<word>(?:[^\W\d_{WIDE}][\u0300-\u036f]*)+)|(?P<digits>\d+)|\S")
_TOKENS = lazy_pattern(r"(?P<word>(?:[^\W\d_][\u0300-\u036f]*)+)|(?P<digits>\d+)|\S")


_PIECES = lazy_pattern(
    r"\{(?P<slot>\w+)(?::(?P<table>\w+))?\}|\[(?P<option>[^\]]+)\]|\((?P<choice>[^)]+)\)|(?P<text>[^\s{\[(]+)"
)


WIDE_DIGITS = {**{digit: at for at, digit in enumerate("〇一二三四五六七八九")}, "零": 0, "两": 2, "兩": 2}


WIDE_NUMBER = frozenset([*WIDE_DIGITS, "十"])


_SIGNS = str.maketrans({"’": "'", "‘": "'", "‑": "-", "‐": "-"})


NESTED_SLOTS = {"atom": 1, "date": 1, "part": 2}


DIGIT_SLOTS = frozenset(
    "n year year2 short_year day ordinal wday wordinal dotted plain_day plain_go mon cjk_day quarter decade decade2"
    " nth".split()
)


AFTER_DIGITS = {"plain_go": ("go", "ego")}
"""Words that follow the digits in a slot."""


SLOT_TABLES = {
    "n": ("number",),
    "day": ("day_word",),
    **dict.fromkeys("wday wordinal".split(), ("weekday", "day_word")),
    **dict.fromkeys("weekday_dotted weekday_day weekday_ordinal weekday_word".split(), ("weekday",)),
}


_LEVELS = {
    **dict.fromkeys(["duration", "duration_and_a_half"], 0),
    **dict.fromkeys(
        "coarse coarse_span first_day first_day_of_span last_day last_day_of_span"
        " nth_weekday shift_back shift_on dated_weekday week_of weekday_before weekday_after nth_weekend weekend_of"
        " weekend_before weekend_after".split(),
        2,
    ),
    **dict.fromkeys(["since", "onwards", "until", "by", "between", "between_day", "between_plain", "span_from"], 3),
}
"""Durations 0; dates 1, unless they contain another date: parts of dates 2, ranges 3."""


class _StoredGrammar(NamedTuple):
    tables: dict[str, _Table]
    gate: frozenset[str]
    roots: tuple[msgspec.Raw, ...]
    starts: tuple[frozenset[str], ...]


_GRAMMAR = msgspec.json.Decoder(_StoredGrammar)
_NODE = msgspec.json.Decoder(_StoredNode)
