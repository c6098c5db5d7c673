"""Turns in few words: all of them for questions that need every mention, and the weaker matches for the others."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from uac.recall.hits import Hit
from uac.recall.matches import CHANNELS, WEIGHTS, PassageMatch
from uac.recall.passages import Span
from uac.text.lazy_pattern import lazy_pattern
from uac.text.sentences import sentence_spans

if TYPE_CHECKING:
    from uac.recall.passage_arrays import Mask
    from uac.recall.search_scope import SearchScope

__all__ = ["TurnShortener", "first_turns"]

SHORT_TEXT = 80  # characters that are never cut
MATCH_WEIGHT = 20  # of a word of the question in a sentence, relative to a name or a number
MIN_STEM = 4  # letters of a stem that a word must begin with

# Numbers, names and long words.
_TELLING = lazy_pattern(r"\d+|(?<=[\w,;:] )[^\W\d_a-z]\w+|\w{7,}")


class TurnShortener:
    """Cuts turns to the half that says most: where the question's words, numbers, names and long words are densest."""

    def __init__(self, words: Collection[str], halves: "dict[Span, Span]") -> None:
        """`words` are the terms of the question. `halves` keeps where the half is that depends on the text alone."""
        self._words, self._halves = _words_pattern(words), halves

    def outlined(self, hits: Iterator[Hit], *, with_assistant: bool) -> Iterator[Hit]:
        """The turns of people, shortened; the assistant's too, if they are wanted."""
        for hit in hits:
            if hit.kind == "observation" and (with_assistant or hit.role != "assistant"):
                yield self._shortened(hit)

    def best_whole(self, hits: Iterator[Hit], tokens: int, tokens_of: Callable[[Hit], int]) -> Iterator[Hit]:
        """The hits: the first of them whole, as many as have `tokens` in all, and the other turns shortened."""
        for hit in hits:
            tokens -= tokens_of(hit) if tokens > 0 else 0
            yield hit if tokens > 0 or hit.kind != "observation" else self._shortened(hit)

    def _shortened(self, hit: Hit) -> Hit:
        if len(hit.text) <= SHORT_TEXT:
            return hit
        span = (hit.position, hit.start, hit.stop)
        # With several queries, the channels do not say whether a word is shared.
        may_share = "words" in hit.channels or hit.channels.keys().isdisjoint(CHANNELS)
        matched = [found.start() for found in self._words.finditer(hit.text)] if may_share and self._words else []
        if matched:
            start, stop = _telling_half(hit.text, matched)
        else:
            if span not in self._halves:
                start, stop = _telling_half(hit.text)
                self._halves[span] = (hit.position, hit.start + start, hit.start + stop)
            start, stop = (place - hit.start for place in self._halves[span][1:])
        return msgspec.structs.replace(hit, text=hit.text[start:stop], start=hit.start + start, stop=hit.start + stop)


def first_turns(
    searched: "SearchScope", among: "Mask", most: int, *, with_assistant: bool
) -> tuple[list[PassageMatch], int]:
    """For a question that names no topic, the turns of people: the first of each conversation, the newest conversation
    first, then the second of each, and so on. At most `most`, and how many there are."""
    import numpy as np  # takes longer to import than most commands need

    table = searched.arrays.tables["observation"]
    if not with_assistant:
        among = among & (table.column("role") != table.text_number("assistant"))
    rows = np.flatnonzero(among)
    sessions = table.column("session")[rows]
    order = np.argsort(sessions, kind="stable")
    places = np.empty(len(rows), np.int64)
    places[order] = np.arange(len(rows)) - sessions[order].searchsorted(sessions[order])
    chosen = rows[np.lexsort((-rows, places))[:most]]
    score = {"person": WEIGHTS["person"]}
    return [PassageMatch(passage, score) for passage in table.passages(chosen)], len(rows)


def _words_pattern(words: Collection[str]) -> re.Pattern[str] | None:
    """What begins like one of the terms, which are stems; in scripts without spaces, anywhere."""
    stems = sorted({re.escape(word[: max(MIN_STEM, len(word) - 1)]) for word in words if word.isascii()})
    others = sorted(re.escape(word) for word in words if not word.isascii())
    parts = [rf"\b(?:{'|'.join(stems)})"] if stems else []
    return re.compile("|".join([*parts, *others]), re.IGNORECASE) if words else None


def _telling_half(text: str, matched: Sequence[int] = ()) -> tuple[int, int]:
    """Where the sentences in a row start and stop that make up at least half of the text and say most.

    `matched` is where the question's words are.
    """
    spans = list(sentence_spans(text))
    weights = [
        len(_TELLING.findall(text, start, stop)) + MATCH_WEIGHT * sum(start <= place < stop for place in matched)
        for start, stop in spans
    ]
    best, chosen = -1.0, (0, len(text))
    for first, (start, _stop) in enumerate(spans):
        last = first
        while last + 1 < len(spans) and 2 * (spans[last][1] - start) < len(text):
            last += 1
        stop = spans[last][1]
        value = sum(weights[first : last + 1]) / (stop - start)
        if 2 * (stop - start) >= len(text) and value > best:
            best, chosen = value, (start, stop)
    return chosen
