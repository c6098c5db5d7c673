"""The sentences behind something: what was said, by whom, and which words of it count."""

from collections.abc import Iterable, Iterator
from itertools import islice

from uac.entries import Fact, Observation
from uac.explain import Evidence
from uac.log import Log

__all__ = ["sentences"]


def sentences(log: Log, cites: Iterable[int], *, most: int) -> tuple[Evidence, ...]:
    """The words that facts and observations rest on, each place once."""
    return tuple(islice(_sentences(log, cites), most))


def _sentences(log: Log, cites: Iterable[int]) -> Iterator[Evidence]:
    seen: set[tuple[int, str | None]] = set()
    for position in sorted(set(cites)):
        entry = _entry(log, position)
        quoted = [(one.position, one.quote) for one in entry.cites] if isinstance(entry, Fact) else [(position, None)]
        fact, told = (position, entry.text) if isinstance(entry, Fact) else (None, None)
        for observed, quote in quoted:
            if (observed, quote) in seen:
                continue
            seen.add((observed, quote))
            words = _entry(log, observed)
            if isinstance(words, Observation):
                yield Evidence(fact, told, observed, quote, words.text, words.speaker or words.role, words.said)
            elif words is None:
                yield Evidence(fact, told, observed, quote, None, "", None)


def _entry(log: Log, position: int) -> object:
    stored = next(log.read(position, position + 1), None)
    return stored.entry if stored else None
