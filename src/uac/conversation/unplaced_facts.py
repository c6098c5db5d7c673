"""Which facts in no record may belong to which types, so that an answer says what it may lack, and nothing else.

A fact that waits or is stuck may belong to the types that its words fit. A fact that was set aside is settled, unless a
patch for it was refused, or it states a number or a day that no record of such a type has.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache

from uac.conversation.extract import TOPICS
from uac.conversation.relevant_types import TOPIC_SCORE, TypeScores
from uac.log.log import Log, Prefix
from uac.packs import Pack
from uac.project.project import Project, Record
from uac.project.unplaced import UnplacedFact, unplaced_state
from uac.schema.entries import Fact, Observation
from uac.schema.values import dump_value
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import numerals

__all__ = ["unplaced_facts"]

MAX_TYPES = 6  # to which one fact may belong
MAX_ASIDE_TYPES = 2  # to which one that was set aside may belong: few would have been overlooked
LEAST_SHARE = 0.6  # of the best type's score, that a further one needs
MAX_RANKED = 200  # facts whose words are compared with types; further ones may belong to any type
MAX_RECORDS = 20_000  # of a type, whose numbers and days are compared with those of facts that were set aside
_SETTLED = frozenset({"dropped", "constraint"})
_DAY = lazy_pattern(r"\d{4}-\d\d-\d\d")
_NUMBER = lazy_pattern(r"\d+(?:\.\d+)?")
_TIME_OF_DAY = lazy_pattern(r"\d{1,2}:\d\d")


def unplaced_facts(project: Project, log: Log | Prefix, packs: Sequence[Pack]) -> tuple[UnplacedFact, ...]:
    """The facts in no record, each with the types that it may belong to; without those that are settled."""
    aside = [position for position, each in project.aside.items() if each.outcome not in _SETTLED]
    positions = sorted(p for p in {*project.waiting, *project.progress.stuck, *aside} if p not in project.used)
    if not positions:
        return ()
    possible_types, has_news = _TypeFinder(project, packs), _news_finder(project)
    any_type = frozenset(project.types)
    found = [UnplacedFact(p, unplaced_state(project, p), any_type) for p in positions[:-MAX_RANKED]]
    for position in positions[-MAX_RANKED:]:
        entry = next(iter(log.read(position, position + 1))).entry
        if not isinstance(entry, Fact | Observation):  # erased meanwhile
            continue
        state = unplaced_state(project, position)
        if state != "aside":
            found.append(UnplacedFact(position, state, possible_types(entry, MAX_TYPES)))
            continue
        reason = project.aside[position]
        types = possible_types(entry, MAX_ASIDE_TYPES, reason.domain)
        if reason.outcome == "refused" or has_news(entry.text, project.sources[position].said, types):
            found.append(UnplacedFact(position, state, types))
    return tuple(found)


class _TypeFinder:
    """Finds the types of the project that an entry's words may be about."""

    def __init__(self, project: Project, packs: Sequence[Pack]) -> None:
        self._types = project.types
        self._scores = TypeScores(project, packs)

    def __call__(self, entry: Fact | Observation, limit: int, domain: str = "") -> frozenset[str]:
        """At most `limit` types, only of one domain if that is given and has any."""
        quotes = [citation.quote for citation in entry.cites] if isinstance(entry, Fact) else []
        topic = entry.topic if isinstance(entry, Fact) else ""
        scores = self._scores.scores_for(" ".join([entry.text, *quotes]), topic)
        if topic == "other":  # a reader can name only some topics: what is about any other domain is `other`
            scores |= {
                name: scores[name] + TOPIC_SCORE for name, type_ in self._types.items() if type_.domain not in TOPICS
            }
        names = [name for name, type_ in self._types.items() if type_.domain == domain] or list(self._types)
        best = sorted(names, key=lambda name: (-scores[name], name))[:limit]
        return frozenset(name for name in best if scores[name] >= LEAST_SHARE * scores[best[0]])


def _news_finder(project: Project) -> Callable[[str, datetime, Iterable[str]], bool]:
    """Finds out whether a text states a number, or a day other than that of the text, that no record of some types
    has or had."""

    @cache
    def figures(type_name: str) -> tuple[frozenset[str], frozenset[Decimal]]:
        texts = [_claimed_values(record) for record in project.records(type_name)]
        days = frozenset(day for text in texts for day in _DAY.findall(text))
        return days, frozenset(Decimal(number) for text in texts for number in _NUMBER.findall(_DAY.sub(" ", text)))

    def has_news(text: str, said: datetime, types: Iterable[str]) -> bool:
        known = [figures(name) for name in types if project.count(name) <= MAX_RECORDS]
        days = frozenset[str]().union(*(own_days for own_days, _amounts in known))
        amounts = frozenset[Decimal]().union(*(own_amounts for _days, own_amounts in known))
        stated = numerals(_TIME_OF_DAY.sub(" ", _DAY.sub(" ", text)))
        return not {*days, said.date().isoformat()}.issuperset(_DAY.findall(text)) or any(
            amounts.isdisjoint(number.readings) and not (number.parts and amounts.issuperset(number.parts))
            for number in stated
            if not number.is_weak
        )

    return has_news


def _claimed_values(record: Record) -> str:
    """All values that a record has or had."""
    return " ".join(str(dump_value(claim.value)) for claims in record.claims.values() for claim in claims)
