"""An outline: the turns of people in few words each, for questions that need every mention."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from uac.recall.hits import Hit
from uac.recall.matches import WEIGHTS, PassageMatch
from uac.text.lazy_pattern import lazy_pattern
from uac.text.search_terms import terms_of

if TYPE_CHECKING:
    from uac.recall.passage_arrays import Mask
    from uac.recall.search_scope import SearchScope

__all__ = ["first_turns", "shortened_turns"]

SHORT_TEXT = 80  # characters that are never cut
_SENTENCE = lazy_pattern(r"[^.!?。！？؟\n]+[.!?。！？؟\n]*[\"'”’)\]]*\s*")


def shortened_turns(hits: Iterator[Hit], searched: "SearchScope", *, with_assistant: bool) -> Iterator[Hit]:
    """The turns of people, each cut to the half that says most: the one with the rarest words."""
    rarities = _Rarities(searched)
    for hit in hits:
        if hit.kind == "observation" and (with_assistant or hit.role != "assistant"):
            yield _shortened(hit, rarities)


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


class _Rarities:
    """How rare words are among the turns of a memory."""

    def __init__(self, searched: "SearchScope") -> None:
        self._table = searched.arrays.tables["observation"]
        self._known: dict[str, float] = {}

    def weight(self, text: str) -> float:
        return math.fsum(map(self._rarity, terms_of(text)))

    def _rarity(self, term: str) -> float:
        if term not in self._known:
            self._known[term] = math.log(1 + self._table.count / (1 + len(self._table.rows_with((term,)))))
        return self._known[term]


def _shortened(hit: Hit, rarities: _Rarities) -> Hit:
    """The hit with the sentences in a row that make up at least half of it and have the rarest words."""
    spans = [(found.start(), found.start() + len(found[0].rstrip())) for found in _SENTENCE.finditer(hit.text)]
    if len(hit.text) <= SHORT_TEXT or len(spans) < 2:
        return hit
    weights = [rarities.weight(hit.text[start:stop]) for start, stop in spans]
    best, chosen = -1.0, (0, len(hit.text))
    for first, (start, _stop) in enumerate(spans):
        last = first
        while last + 1 < len(spans) and 2 * (spans[last][1] - start) < len(hit.text):
            last += 1
        stop = spans[last][1]
        value = math.fsum(weights[first : last + 1]) / (stop - start)
        if 2 * (stop - start) >= len(hit.text) and value > best:
            best, chosen = value, (start, stop)
    start, stop = chosen
    return msgspec.structs.replace(hit, text=hit.text[start:stop], start=hit.start + start, stop=hit.start + stop)
