"""Scores passages against a question: a sum over channels, each a share times its weight.

words     the share of the question's words in the passage, rare words counting more (BM25); the words of neighbouring
          turns count too, for less: "yes, in June" answers a question
meaning   how close its vector is to the question's
session   how well the best passages of its conversation match
person    whether the speaker is a person named in the question; if nobody is named, the user
time      how well its days fit the days that the question asks about
facts     how well a fact that cites it matches
"""

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from uac.log.index import KINDS, IndexHead, IndexRows, Passage, PassageFilter, RecallKind, Vectors
from uac.recall.turn_layout import TurnLayout
from uac.schema.periods import Period
from uac.text.search_terms import query_terms, terms_of

if TYPE_CHECKING:
    from uac.text.dates.questions import AskedTime

__all__ = [
    "CHANNELS",
    "WEIGHTS",
    "Channel",
    "PassageMatch",
    "PassageMatches",
    "SearchQuestion",
    "SearchScope",
    "parse_question",
    "rank_passages",
]

Channel = Literal["words", "around", "meaning", "session", "person", "time", "facts"]

CHANNELS: tuple[Channel, ...] = get_args(Channel)
WEIGHTS: Mapping[Channel, float] = {
    "words": 1.0,
    "meaning": 0.4,
    "session": 0.4,
    "person": 0.25,
    "time": 0.4,
    "facts": 0.4,
}
MAX_COMPARED = 20_000  # filtered passages whose vectors are all compared
SESSION_SAMPLE = 3  # best passages of a conversation that decide how well it matches
INFERRED_WEIGHT = 0.5  # of indirect evidence, relative to direct evidence
MIN_EVENT_MATCH = 0.25  # share of an event's words that a passage must have
SCANNED_CHARACTERS = 2000  # of a question, in which words of the second person are looked for
SECOND_PERSON = frozenset(
    "you your yours du dich dir dein deine tu te toi ton ta tes vous votre vos tú ti usted"
    " 你 您 ты тебя тебе вы вас вам твой ваш أنت あなた".split()
)


class SearchQuestion(NamedTuple):
    """A question, parsed for the search."""

    groups: tuple[tuple[str, ...], ...]
    """For each word, its possible forms."""
    speakers: frozenset[str]
    """Speakers of the log who are named in the question."""
    names: frozenset[str]
    """The words of their names."""
    is_to_assistant: bool
    times: "tuple[AskedTime, ...]"
    vector: "Vectors | None"
    embedder: str


class PassageMatch(NamedTuple):
    """A passage, and its score in each channel."""

    passage: Passage
    channels: dict[Channel, float]

    @property
    def score(self) -> float:
        return sum(self.channels.values())


class PassageMatches(NamedTuple):
    """The best matches, best first, and how many passages matched in total."""

    ranked: list[PassageMatch]
    matched: int


@dataclass(frozen=True, slots=True)
class SearchScope:
    """The index that is searched, and the slots that are excluded: they are not found and lend no score."""

    index: IndexRows
    head: IndexHead
    layout: TurnLayout
    gone: Collection[int]
    visible: Collection[int] | None = None
    """The slots that may be found; None: all that are not gone."""


def parse_question(
    query: str, searched: SearchScope, *, now: datetime | None, vector: "Vectors | None", embedder: str = ""
) -> SearchQuestion:
    """Separates words, people and times. Without `now`, times are not looked for."""
    from uac.text.dates.questions import asked_times  # its vocabulary takes 30 ms

    head = searched.head
    groups = query_terms(query, head.languages)
    words = {form for group in groups for form in group}
    speakers = {speaker: frozenset(terms_of(speaker)) for speaker in head.speakers}
    named = frozenset(speaker for speaker, names in speakers.items() if names & words)
    names = frozenset(name for speaker in named for name in speakers[speaker])
    # A speaker's name says whose words are meant; others only say it to address them.
    telling = [group for group in groups if names.isdisjoint(group)] or groups
    names = names.union(*(group for group in groups if not names.isdisjoint(group)))  # in every language's form
    return SearchQuestion(
        groups=tuple(telling),
        speakers=named,
        names=names,
        is_to_assistant=not SECOND_PERSON.isdisjoint(query[:SCANNED_CHARACTERS].casefold().split()),
        times=(asked_times(query, now) or tuple(_event_times(query, searched))) if now is not None else (),
        vector=vector,
        embedder=embedder,
    )


def rank_passages(
    question: SearchQuestion,
    searched: SearchScope,
    *,
    kinds: Collection[RecallKind] = KINDS,
    allowed: Collection[int] | None = None,
    is_wanted: Callable[[Passage], bool] = lambda _passage: True,
    without: Collection[Channel] = (),
    depth: int = 200,
) -> PassageMatches:
    """The matching passages, best first: of these kinds, among the allowed slots (if given), and wanted.

    `depth` is how many candidates of each kind each channel may contribute.
    """
    ranking = _Ranking(question, searched, frozenset(without), depth)
    found = ranking.gather_candidates(frozenset(kinds), allowed)
    unwanted = {slot for slot, passage in ranking.passages.items() if not is_wanted(passage)}
    ranked = [
        match
        for match in ranking.score_candidates()
        if match.passage.kind in kinds
        and (allowed is None or match.passage.slot in allowed)
        and not match.channels.keys() <= {"person", "session"}
        and match.passage.slot not in unwanted
    ]
    ranked.sort(key=lambda match: (-match.score, match.passage.position, match.passage.record, match.passage.start))
    found.update(match.passage.slot for match in ranked)
    return PassageMatches(ranked, len(found - unwanted))


class _Ranking:
    """One question against one index: the candidates and their score in each channel."""

    def __init__(
        self, question: SearchQuestion, searched: SearchScope, without: frozenset[Channel], depth: int
    ) -> None:
        self.question, self.searched, self.without, self.depth = question, searched, without, depth
        self.index, self.head = searched.index, searched.head
        self.words: dict[int, float] = {}
        self.named: frozenset[int] = frozenset()
        self.passages: dict[int, Passage] = {}

    def gather_candidates(self, kinds: frozenset[RecallKind], allowed: Collection[int] | None) -> set[int]:
        """Load the candidates. Returns all allowed passages that share a word or a day with the question."""
        found: set[int] = set()
        # Facts are candidates even if only turns are wanted: they add to the score of the turns they cite.
        keys = {"fact"} if "observation" in kinds and "facts" not in self.without else set()
        for kind in KINDS:
            if kind in kinds or kind in keys:
                among = allowed if kind in kinds else None
                having, scores = self._word_matches(kind)
                found.update(having if kind in kinds and among is None else having & set(among or ()))
                best = _best_slots(
                    scores if among is None else {s: scores[s] for s in scores.keys() & among}, self.depth
                )
                self._load_passages(
                    PassageFilter(slots=tuple({*best, *self._nearest_slots(kind, among)} - self.passages.keys()))
                )
        if "time" not in self.without:
            for time in self.question.times:
                dated = self._visible_slots(
                    self.index.slots(PassageFilter(kinds=tuple(kinds), since=time.start, until=time.end))
                )
                dated = dated if allowed is None else dated.intersection(allowed)
                found.update(dated)
                self._load_passages(PassageFilter(slots=tuple(dated - self.passages.keys()), newest=self.depth))
        cited = {position for passage in self.passages.values() if passage.kind == "fact" for position in passage.cites}
        if cited and keys:
            self._load_passages(PassageFilter(kinds=("observation",), positions=tuple(cited)))
        return found

    def _word_matches(self, kind: RecallKind) -> tuple[set[int], dict[int, float]]:
        """The passages of a kind with a word of the question, and the BM25 scores, neighbours included."""
        if "words" in self.without:
            return set(), {}
        having = self.index.having(kind, [form for group in self.question.groups for form in group])
        count = self.head.passages.get(kind, 0)
        groups: list[tuple[float, set[int]]] = []
        for group in self.question.groups:
            slots = self._visible_slots(slot for form in group for slot in having.get(form, ()))
            others = max(count - len(slots), 0)  # the index may be ahead of the head, which has the counts
            groups.append((math.log(1 + (others + 0.5) / (len(slots) + 0.5)), slots))
        total = sum(rarity for rarity, _slots in groups) or 1.0
        usual = max(self.head.words.get(kind, 0) / max(count, 1), 1.0)
        with_neighbours = kind == "observation" and "around" not in self.without
        scores = self.searched.layout.bm25_scores(groups, usual, with_neighbours=with_neighbours)
        for slot, score in scores.items():
            self.words[slot] = score / total
        if self.question.names and kind != "observation":
            self.named = self.named.union(*self.index.having(kind, self.question.names).values())
        return set().union(*(slots for _rarity, slots in groups)), scores

    def score_candidates(self) -> list[PassageMatch]:
        slots = tuple(self.passages)
        close: Mapping[int, float] = {}
        if self.question.vector is not None and "meaning" not in self.without:
            close = self.index.closeness(self.question.embedder, self.question.vector, slots)
        found: list[PassageMatch] = []
        for slot, passage in self.passages.items():
            values: dict[Channel, float] = {
                "words": self.words.get(slot, 0.0),
                "meaning": close.get(slot, 0.0),
                "person": self._person_score(passage) if "person" not in self.without else 0.0,
                "time": self._time_score(passage) if "time" not in self.without else 0.0,
            }
            found.append(
                PassageMatch(passage, {name: WEIGHTS[name] * value for name, value in values.items() if value > 0})
            )
        if "facts" not in self.without:
            _add_fact_scores(found)
        if "session" not in self.without:
            _add_session_scores(found)
        return found

    def _visible_slots(self, slots: Iterable[int]) -> set[int]:
        """The slots that are in the scope."""
        counting = {*slots}.difference(self.searched.gone)
        return counting if self.searched.visible is None else counting.intersection(self.searched.visible)

    def _load_passages(self, where: PassageFilter) -> None:
        found = {passage.slot: passage for passage in self.index.select(where)}
        self.passages.update((slot, found[slot]) for slot in self._visible_slots(found))

    def _nearest_slots(self, kind: RecallKind, allowed: Collection[int] | None) -> Sequence[int]:
        """The slots with the closest vectors."""
        embedder, vector = self.question.embedder, self.question.vector
        if vector is None or "meaning" in self.without:
            return ()
        if allowed is None:
            return self.index.nearest(kind, embedder, vector, self.depth)
        if len(allowed) <= self.depth:
            return tuple(allowed)
        if len(allowed) <= MAX_COMPARED:
            return _best_slots(self.index.closeness(embedder, vector, tuple(allowed)), self.depth)
        near = self.index.nearest(kind, embedder, vector, MAX_COMPARED)
        return [slot for slot in near if slot in allowed][: self.depth]

    def _person_score(self, passage: Passage) -> float:
        if self.question.speakers:
            is_meant = passage.speaker in self.question.speakers if passage.speaker else passage.slot in self.named
        elif passage.kind == "observation":
            is_meant = passage.role == "user" or (passage.role == "assistant" and self.question.is_to_assistant)
        else:
            is_meant = passage.kind == "record" or passage.authority in ("user", "correction")
        return 1.0 if is_meant else 0.0

    def _time_score(self, passage: Passage) -> float:
        if not self.question.times or not passage.since:
            return 0.0
        from uac.text.dates.questions import overlap

        first, last = date.fromisoformat(passage.since), date.fromisoformat(passage.until)
        return max(time.weight * overlap(time, first, last) for time in self.question.times)


def _best_slots(own: Mapping[int, float], most: int) -> list[int]:
    return [slot for _score, slot in heapq.nlargest(most, zip(own.values(), own, strict=True))]


def _add_fact_scores(found: Sequence[PassageMatch]) -> None:
    """Let a matching fact add to the score of the turns it cites: by its words and, half as much, its meaning."""
    lent: dict[int, float] = {}
    for fact in found:
        if fact.passage.kind == "fact":
            value = (
                fact.channels.get("words", 0.0)
                + INFERRED_WEIGHT * fact.channels.get("meaning", 0.0) / WEIGHTS["meaning"]
            )
            for position in fact.passage.cites:
                lent[position] = max(lent.get(position, 0.0), value)
    for match in found:
        if match.passage.kind == "observation" and (value := lent.get(match.passage.position, 0.0)):
            match.channels["facts"] = WEIGHTS["facts"] * value


def _add_session_scores(found: Sequence[PassageMatch]) -> None:
    """Add to the score of every turn of a conversation in which several turns match."""
    values: dict[str, list[float]] = {}
    for match in found:
        if match.passage.kind == "observation":
            value = match.channels.get("words", 0.0) + match.channels.get("meaning", 0.0)
            values.setdefault(match.passage.session, []).append(value)
    means = {session: sum(heapq.nlargest(SESSION_SAMPLE, given)) / SESSION_SAMPLE for session, given in values.items()}
    for match in found:
        if match.passage.kind == "observation" and means[match.passage.session] > 0:
            match.channels["session"] = WEIGHTS["session"] * means[match.passage.session]


def _event_times(query: str, searched: SearchScope) -> "Iterator[AskedTime]":
    """The days that "before the wedding" asks about: those of the fact, record or turn that best matches the event."""
    from uac.text.dates.questions import around_event, asked_events

    for event in asked_events(query):
        groups = tuple(query_terms(event.words, searched.head.languages))
        asked = SearchQuestion(
            groups, frozenset(), frozenset(), is_to_assistant=False, times=(), vector=None, embedder=""
        )
        others: tuple[Channel, ...] = ("meaning", "time", "facts", "session")
        for best in rank_passages(asked, searched, without=others).ranked[:1]:
            if best.channels.get("words", 0.0) >= MIN_EVENT_MATCH and best.passage.since:
                time = around_event(event, Period(best.passage.since, best.passage.until))
                yield time._replace(weight=INFERRED_WEIGHT * time.weight)
