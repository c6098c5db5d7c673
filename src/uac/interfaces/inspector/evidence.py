"""The sentences behind something: what was said, by whom, and which words of it count. Each is quoted once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from uac.log.log import Log
from uac.project.explain import Evidence
from uac.schema.entries import Fact, Observation

__all__ = ["QuotedText", "group_by_observation", "quoted_texts"]


@dataclass(frozen=True, slots=True)
class QuotedText:
    """What was said in one place, with the parts that count; `words` is None once they were erased."""

    observation: int
    words: str | None
    quotes: tuple[str, ...]
    facts: tuple[tuple[int, str], ...]
    """The facts that were taken from it: where they stand, and what they say."""
    speaker: str
    said: datetime | None


def quoted_texts(log: Log, cites: Iterable[int], *, most: int) -> tuple[QuotedText, ...]:
    """The words that facts and observations rest on."""
    return tuple(islice(group_by_observation(_evidence(log, cites)), most))


def group_by_observation(evidence: Iterable[Evidence]) -> tuple[QuotedText, ...]:
    """Evidence by the place where it was said, in the order in which it came."""
    places: dict[int, list[Evidence]] = {}
    for one in evidence:
        places.setdefault(one.observation, []).append(one)
    return tuple(
        QuotedText(
            position,
            found[0].words,
            tuple(dict.fromkeys(one.quote for one in found if one.quote)),
            tuple(dict.fromkeys((one.fact, one.fact_text or "") for one in found if one.fact is not None)),
            found[0].speaker,
            found[0].said,
        )
        for position, found in places.items()
    )


def _evidence(log: Log, cites: Iterable[int]) -> Iterator[Evidence]:
    for position in sorted(set(cites)):
        entry = _entry(log, position)
        quoted = [(one.position, one.quote) for one in entry.cites] if isinstance(entry, Fact) else [(position, None)]
        fact, told = (position, entry.text) if isinstance(entry, Fact) else (None, None)
        for observed, quote in quoted:
            words = _entry(log, observed)
            if isinstance(words, Observation):
                yield Evidence(fact, told, observed, quote, words.text, words.speaker or words.role, words.said)
            elif words is None:
                yield Evidence(fact, told, observed, quote, None, "", None)


def _entry(log: Log, position: int) -> object:
    stored = next(log.read(position, position + 1), None)
    return stored.entry if stored else None
