"""Evidence as quotes: the text, its speaker, and the quoted parts. Each observation appears once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from uac.log.log import Log
from uac.project.explain import Evidence
from uac.schema.entries import Fact, Observation

__all__ = ["EvidenceQuote", "quote_cited_entries", "quotes_by_observation"]


@dataclass(frozen=True, slots=True)
class EvidenceQuote:
    """The text of an observation with its quoted parts; `words` is None if it was erased."""

    observation: int
    words: str | None
    quotes: tuple[str, ...]
    facts: tuple[tuple[int, str], ...]
    """The facts extracted from it: their positions and texts."""
    speaker: str
    said: datetime | None


def quote_cited_entries(log: Log, cites: Iterable[int], *, most: int) -> tuple[EvidenceQuote, ...]:
    """The observations that facts cite, or that are cited themselves."""
    return tuple(islice(quotes_by_observation(_evidence_to_quote(log, cites)), most))


def quotes_by_observation(evidence: Iterable[Evidence]) -> tuple[EvidenceQuote, ...]:
    """Evidence by observation, in order of first appearance."""
    places: dict[int, list[Evidence]] = {}
    for one in evidence:
        places.setdefault(one.observation, []).append(one)
    return tuple(
        EvidenceQuote(
            position,
            cited[0].words,
            tuple(dict.fromkeys(one.quote for one in cited if one.quote)),
            tuple(dict.fromkeys((one.fact, one.fact_text or "") for one in cited if one.fact is not None)),
            cited[0].speaker,
            cited[0].said,
        )
        for position, cited in places.items()
    )


def _evidence_to_quote(log: Log, cites: Iterable[int]) -> Iterator[Evidence]:
    for position in sorted(set(cites)):
        entry = _quoted_entry(log, position)
        quoted = [(one.position, one.quote) for one in entry.cites] if isinstance(entry, Fact) else [(position, None)]
        fact, fact_text = (position, entry.text) if isinstance(entry, Fact) else (None, None)
        for observed, quote in quoted:
            words = _quoted_entry(log, observed)
            if isinstance(words, Observation):
                yield Evidence(fact, fact_text, observed, quote, words.text, words.speaker or words.role, words.said)
            elif words is None:
                yield Evidence(fact, fact_text, observed, quote, None, "", None)


def _quoted_entry(log: Log, position: int) -> object:
    stored = next(log.read(position, position + 1), None)
    return stored.entry if stored else None
