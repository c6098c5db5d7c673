"""The words that a record was made from, so that a context need not show their turns as well."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from uac.log.log import Log, Prefix
from uac.project.project import Project, Record
from uac.recall.near_texts import NearTexts
from uac.recall.passages import RecentEntries
from uac.schema.entries import Fact, Observation

__all__ = ["CitedWords", "words_of_records"]

MAX_CITED_TURNS = 6  # of a record, the newest
MAX_CITED_CHARACTERS = 300  # longer words are left to the search


class CitedWords(NamedTuple):
    """Words of a turn that a record cites."""

    position: int
    turn: Observation
    text: str
    is_most: bool
    """Whether they are at least half of their turn."""


def words_of_records(
    records: Sequence[Record], project: Project, log: Log | Prefix, recent: RecentEntries
) -> dict[str, list[CitedWords]]:
    """For each record the words that it cites, in order of time. Words that say the same are listed once."""
    newest = {record.id: sorted(record.cites, reverse=True)[:MAX_CITED_TURNS] for record in records}
    recent.read(log, [position for cites in newest.values() for position in cites])
    quotes = {record: list(_quotes(cites, recent)) for record, cites in newest.items()}
    recent.read(log, [position for found in quotes.values() for position, _quote in found])
    known, distinct = set[tuple[int, str]](), NearTexts()
    found: dict[str, list[CitedWords]] = {}
    for record, cited in quotes.items():
        found[record] = []
        for position, quote in sorted(cited):
            turn = recent.entries.get(position)
            if not isinstance(turn, Observation) or position in project.gone or (position, quote) in known:
                continue
            text = quote or turn.text
            known.add((position, quote))
            if len(text) <= MAX_CITED_CHARACTERS and text in turn.text and distinct.add(text):
                found[record].append(CitedWords(position, turn, text, 2 * len(text) >= len(turn.text)))
    return found


def _quotes(cites: Sequence[int], recent: RecentEntries) -> Iterator[tuple[int, str]]:
    """The observations that these entries cite, each with its quoted words; "" for an observation itself."""
    for position in cites:
        entry = recent.entries.get(position)
        if isinstance(entry, Fact):
            yield from ((cite.position, cite.quote) for cite in entry.cites if cite.quote)
        elif isinstance(entry, Observation):
            yield position, ""
