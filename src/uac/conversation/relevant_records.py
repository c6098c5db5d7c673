"""Which records a request shows: those that its facts may be about, the likeliest first.

A model without memory can correct, end or complete only a record that it sees. A date and a name together point at one
record, even if the same restaurant was visited fifty times; so records are looked up by day before they are looked up
by words, and every fact gets its best record before any fact gets its second. A record may have none of the words: the
knee that is fine again is in the facts behind "IT band syndrome". So it is also looked up by the facts that it cites.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from datetime import date, datetime
from decimal import Decimal
from itertools import zip_longest
from typing import NamedTuple

from uac.conversation.checks.wording import content_stems
from uac.project.project import Project, Record
from uac.recall.passages import MAX_SPAN_DAYS
from uac.recall.search import Channel, Filter, Recall
from uac.schema.entries import Fact
from uac.schema.types import Type
from uac.schema.values import Money, Typed, fold_key
from uac.text.dates.mentions import mentions
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import numbers

__all__ = ["UNSURE", "RecordLookup", "relevant_records"]

MAX_RECORDS = 24
MAX_DAYS = 4  # of one fact that records are looked up by
FOUND_BY_WORDS = 24  # records found by words that are compared with a fact
FOUND_BY_FACTS = 16  # earlier facts with such words
MAX_PER_FACT = 4
LEAST_SHARE = 0.3  # of the best record's score, that a further one needs
NEAR_DAYS = 14  # an event is often moved by no more
SMALL_TYPE = 4  # records of a type that are compared with every fact
MAX_KEY_WORDS = 4  # a key with more words is not looked for in a text
UNSURE: tuple[Channel, ...] = ("meaning", "time")
"""Channels that a request must not depend on: vectors differ between platforms, and times are looked up by day here."""


class RecordLookup(NamedTuple):
    """How candidates are found: by words, by day, and by the positions of earlier facts with such words."""

    by_words: Callable[[str], Sequence[str]]
    by_day: Callable[[date], Sequence[str]]
    by_facts: Callable[[str], Sequence[int]]

    @classmethod
    def over(cls, recall: Recall) -> "RecordLookup":
        def by_words(text: str) -> list[str]:
            hits = recall.find(text, Filter(kinds=("record",)), k=FOUND_BY_WORDS, without=UNSURE).hits
            return [hit.record for hit in hits]

        def by_facts(text: str) -> list[int]:
            hits = recall.find(text, Filter(kinds=("fact",)), k=FOUND_BY_FACTS, without=UNSURE).hits
            return [position for hit in hits for position in (hit.position, *hit.also)]

        return cls(by_words, recall.records_on, by_facts)


def relevant_records(facts: Sequence[tuple[Fact, datetime]], project: Project, lookup: RecordLookup) -> list[Record]:
    """The records that the facts may be about: the best of every fact, then the second best, …"""
    ranked = [_ranked_for(fact, said, project, lookup) for fact, said in facts]
    chosen: dict[str, Record] = {}
    for rank in zip_longest(*ranked):
        for record in rank:
            if record is not None and len(chosen) < MAX_RECORDS:
                chosen.setdefault(record.id, record)
    return list(chosen.values())


def _ranked_for(fact: Fact, said: datetime, project: Project, lookup: RecordLookup) -> list[Record]:
    """The records that one fact may be about, best first."""
    text = f"{fact.about} {fact.text}"
    quotes = " ".join(citation.quote for citation in fact.cites)
    days = _days_of(fact, said)
    ids: dict[str, None] = dict.fromkeys([*_records_by_key(text, project), *_records_of_small_types(project)])
    for day in sorted(days, reverse=True)[:MAX_DAYS]:
        ids.update(dict.fromkeys(lookup.by_day(day)))
    # Numbers are in many records, and may hide the one that the words name; or they are all that tells it from others.
    for query in (_NUMBER.sub(" ", text), _NUMBER.sub(" ", quotes), text):
        ids.update(dict.fromkeys(lookup.by_words(query)))
    by_fact = _records_of_facts(lookup.by_facts(_NUMBER.sub(" ", f"{text} {quotes}")), project)
    ids.update(dict.fromkeys(by_fact))
    mine = _stems(f"{text} {quotes}")
    amounts = frozenset(numbers(text))
    records = [project.record(record_id) for record_id in ids]
    scores = {
        record.id: _score(record, project.types[record.type], mine, days, amounts) + by_fact.get(record.id, 0.0)
        for record in records
    }
    best = sorted((record for record in records if scores[record.id]), key=lambda each: (-scores[each.id], each.id))
    return [record for record in best[:MAX_PER_FACT] if scores[record.id] >= LEAST_SHARE * scores[best[0].id]]


def _score(record: Record, type_: Type, mine: Set[str], days: Set[date], amounts: Set[Decimal]) -> float:
    """How well a record fits the words and the days of a fact.

    Words count by the share of a value's words that the fact has, so that a whole name counts more than a part of a
    long note; those of the key count most. The names of the type and of its fields count a little: a passport says
    nowhere that it is one. An event of another day counts half, but more if it is near and may have been moved. A
    record that has ended counts half, unless each part of its key is named.
    """
    named = {name: _share_named(value, mine) for name, value in record.values.items()}
    in_key = [named[name] for name in type_.key if isinstance(record.values.get(name), str)] or [0.0]
    anywhere = max(named.values(), default=0.0)
    score = 2 * max(in_key) + 2 * sum(in_key) / len(in_key) + 2 * anywhere
    score += min(3, sum(share > 0 for share in named.values()))
    labels = _stems(" ".join([_WORD_START.sub(" ", type_.name), *record.values]).replace("_", " "))
    score += min(2, len(labels & mine))
    score += 3 * (not amounts.isdisjoint(_amounts_in(record)))
    own_days = _days_in(record)
    if days & own_days or any(_is_within(day, own_days) for day in days):
        score += 6 if anywhere else 2
    elif days and own_days and type_.cardinality == "event":
        score *= 0.8 if _is_near(days, own_days) else 0.5
    return score / 2 if record.ended is not None and not all(in_key) else score


def _records_of_facts(positions: Sequence[int], project: Project) -> dict[str, float]:
    """The records that cite these facts, with what that adds to their score: most for the best match."""
    found: dict[str, float] = {}
    used = [records for position in positions if (records := project.used.get(position))]
    for rank, records in enumerate(used):
        for record_id in records:
            found.setdefault(record_id, 6 / (2 + rank))
    return found


def _share_named(value: Typed, mine: Set[str]) -> float:
    """The share of the words of a text value that the fact has."""
    if isinstance(value, tuple):
        return max((_share_named(item, mine) for item in value), default=0.0)
    if not isinstance(value, str):
        return 0.0
    stems = _stems(value)
    return len(stems & mine) / len(stems) if stems else 0.0


def _stems(text: str) -> set[str]:
    """The stems of the words, cut to four letters, so that marking the mocks is about a mock that is to be marked."""
    return {stem[:4] for stem in content_stems(text)}


def _days_of(fact: Fact, said: datetime) -> set[date]:
    """The days that a fact names, and the ends of ranges that it names. A month or a year is no day."""
    periods = [fact.held, *(meaning for mention in mentions(fact.text, said) for meaning in mention.meanings)]
    ends = (end for period in periods for end in (period.start, period.end))
    return {date.fromisoformat(end[:10]) for end in ends if len(end) >= len("2026-01-01")}


def _is_within(day: date, own_days: Set[date]) -> bool:
    """Whether a day lies between the first and the last day of something that takes at most a month, as a trip does."""
    if len(own_days) < 2:
        return False
    first, last = min(own_days), max(own_days)
    return first <= day <= last and (last - first).days <= MAX_SPAN_DAYS


def _is_near(days: Set[date], others: Set[date]) -> bool:
    return any(abs((day - other).days) <= NEAR_DAYS for day in days for other in others)


def _days_in(record: Record) -> set[date]:
    return {
        value.date() if isinstance(value, datetime) else value
        for value in record.values.values()
        if isinstance(value, date)
    }


def _amounts_in(record: Record) -> Iterator[Decimal]:
    for value in record.values.values():
        match value:
            case Money(amount=amount):
                yield amount
            case Decimal() | float():
                yield Decimal(str(value))


def _records_of_small_types(project: Project) -> Iterator[str]:
    """The records of types that have few: a profile, a passport, a limit. The cost depends on the number of types."""
    for name in project.types:
        if project.count(name) <= SMALL_TYPE:
            yield from (record.id for record in project.records(name))


def _records_by_key(text: str, project: Project) -> Iterator[str]:
    """The records whose key appears in a text. The cost does not depend on the number of records."""
    words = [word.strip(".,;:!?()\"'“”") for word in fold_key(text).split()]
    runs = {" ".join(words[at : at + length]) for at in range(len(words)) for length in range(1, MAX_KEY_WORDS + 1)}
    for name, type_ in project.types.items():
        if len(type_.key) == 1:
            yield from sorted(f"{name}:{run}" for run in runs if f"{name}:{run}" in project.tables[name])


_WORD_START = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")
_NUMBER = lazy_pattern(r"\b\d+([-:.,/]\d+)*\b")
