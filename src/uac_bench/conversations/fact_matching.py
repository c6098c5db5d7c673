"""Which sentence of a life a fact is of, and whether it says the same.

A real model quotes other words than a sentence has, and words its facts in its own way. So a fact is matched by the
place of its quote: it has to hold the values of the sentence, in the turn that says it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from uac import Fact
from uac_bench.conversations.generator import OTHERS
from uac_bench.conversations.lives import Life, Sentence, sentences_of
from uac_bench.conversations.spoken_values import days_in, denies, has_denial, mentions, numbers_in, without_days

__all__ = ["FactMatcher", "MatchedFact", "holds_values", "is_said_by"]

MOST = 2 / 3  # of the words of a sentence whose values are not listed
PART = 1 / 2  # of the values of a sentence, that each fact needs if several say it
MEASURES = frozenset({"price", "km", "dose"})
DAYS = frozenset({"day", "day_bare", "end_day", "end_bare", "today", "date", "end", "old_day", "old_date"})


class MatchedFact(NamedTuple):
    """The sentence that a fact is of, and whether the fact says what the sentence says."""

    sentence: Sentence
    is_true: bool


class FactMatcher:
    """Finds the sentence of each fact of one life."""

    def __init__(self, life: Life) -> None:
        self._by_text = {sentence.fact["text"]: sentence for sentence in sentences_of(life)}
        self._by_turn: dict[str, tuple[Sentence, ...]] = {
            turn.text: turn.sentences for session in life.sessions for turn in session
        }

    def match(self, fact: Fact, text_of: Callable[[int], str]) -> MatchedFact | None:
        """By its text; or by the words that it quotes of a turn, whose text `text_of` gives. None if it is of none, or
        of two."""
        if (known := self._by_text.get(fact.text)) is not None:
            return MatchedFact(known, is_true=True)
        quoted = [(text_of(cite.position), cite.quote) for cite in fact.cites]
        found = _distinct(self._sentences(quoted))
        stating = [each for each in found if is_said_by(each, fact.text, fact.about, fact.held.start)]
        if len(stating) == 1:
            return MatchedFact(stating[0], is_true=True)
        found = found or _distinct(self._sentences(quoted, share=PART))
        return MatchedFact(found[0], is_true=False) if len(found) == 1 else None

    def _sentences(self, quoted: Iterable[tuple[str, str]], *, share: float = 1) -> Iterator[Sentence]:
        for text, quote in quoted:
            for sentence in self._by_turn.get(text, ()):
                if holds_values(sentence, _overlap(text, sentence.quote, quote), share=share):
                    yield sentence


def _distinct(sentences: Iterable[Sentence]) -> list[Sentence]:
    return list({sentence.fact["text"]: sentence for sentence in sentences}.values())


def holds_values(sentence: Sentence, words: str, *, share: float = 1) -> bool:
    """Whether words of a sentence hold this share of its values, or, if these are not listed, its numbers and most of
    its words."""
    folded = words.casefold()
    if values := [value.casefold() for slot, value in sentence.values if not slot.startswith("old_")]:
        return sum(value in folded for value in values) >= share * len(values)
    wanted = re.findall(r"\w+", sentence.quote.casefold())
    has = set(re.findall(r"\w+", folded))
    return all(word in has for word in wanted if word.isdigit()) and sum(map(has.__contains__, wanted)) >= MOST * len(
        wanted
    )


def is_said_by(sentence: Sentence, text: str, about: str, start: str) -> bool:
    """Whether a fact in other words says what the sentence says: its names and measures, no other number or day, about
    nobody else, and denied only what the sentence denies."""
    truth = sentence.fact
    quotes = " ".join((sentence.quote, *(sentence.other_quote or ())[1:]))
    if truth.get("start") and start and not truth["start"].startswith(start) and not start.startswith(truth["start"]):
        return False
    if sentence.deed.act.startswith(OTHERS) and about.casefold() == "user":
        return False
    values = [(slot, value) for slot, value in sentence.values if not slot.startswith("old_") and slot not in DAYS]
    if not all(mentions(text, value) and not _is_denied(text, value, quotes) for slot, value in values):
        return False
    said = numbers_in(without_days(text))
    if not all(number in said for slot, value in values if slot in MEASURES for number in numbers_in(value)):
        return False
    known = {*numbers_in(quotes), *numbers_in(truth["text"]), *(n for day in _iso_days(truth) for n in _parts(day))}
    if not known.issuperset(said) or not _days_of(sentence, quotes) >= {day[1:] for day in days_in(text)}:
        return False
    return not _keeps_what_was_denied(sentence, text)


def _is_denied(text: str, value: str, quotes: str) -> bool:
    return denies(text, value) and not has_denial(quotes)


def _keeps_what_was_denied(sentence: Sentence, text: str) -> bool:
    """Whether the text has a value that the truth denies, and denies nothing."""
    denied = [value for slot, value in sentence.values if slot.startswith("old_") and denies(sentence.quote, value)]
    return any(value.casefold() in text.casefold() for value in denied) and not has_denial(text)


def _days_of(sentence: Sentence, quotes: str) -> set[tuple[int, int]]:
    """The months and days that a fact of the sentence may name."""
    named = {day[1:] for text in (sentence.fact["text"], quotes) for day in days_in(text)}
    days = {(day.month, day.day) for day in _iso_days(sentence.fact)}
    said = sentence.deed.on
    bare = {int(found) for found in re.findall(r"\b(\d\d?)(?:st|nd|rd|th|\.)(?!\d)", quotes)}
    return named | days | {(said.month, said.day)} | {(month, day) for day in bare for month, _ in days | named}


def _iso_days(fact: object) -> list[date]:
    return [date.fromisoformat(found) for found in re.findall(r"\d{4}-\d\d-\d\d", str(fact))]


def _parts(day: date) -> Sequence[int]:
    return day.year, day.month, day.day


def _overlap(text: str, sentence: str, quote: str) -> str:
    """The words of the turn that are in both."""
    folded = text.casefold()
    first, second = folded.find(sentence.casefold()), folded.find(quote.casefold())
    if first < 0 or second < 0:
        return ""
    return text[max(first, second) : min(first + len(sentence), second + len(quote))]
