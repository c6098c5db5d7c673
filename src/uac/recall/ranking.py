"""How well passages match a question: a sum of a few channels, each a share times a weight, so that it can be read.

words     the share of the question's words that it has, rare ones counting more (BM25); a turn also has, for less,
          the words of the turns around it: "yes, in June" answers a question
meaning   how close its vector is to the question's
session   how well the best passages of its conversation match
person    whether it is the word of whom the question names; if it names nobody, of the user
time      how well its days fit those that the question asks about
facts     how well a fact matches that was taken from it
"""

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple, get_args

from uac.log.index import KINDS, IndexHead, IndexRows, Passage, RecallKind, Vectors, Where
from uac.recall.turn_layout import Layout
from uac.schema.periods import Period
from uac.text.dates.questions import AskedTime, around_event, asked_events, asked_times, overlap
from uac.text.stems import query_terms, terms_of

__all__ = ["CHANNELS", "WEIGHTS", "Channel", "Match", "Matches", "Question", "Searched", "match", "read_question"]

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
COMPARED = 20_000  # passages that a filter lets through, of which all are compared by meaning
SPEAKS_FOR = 3  # best passages that tell how well a conversation matches
HALF = 0.5  # what is only inferred, against what is said
SURE = 0.25  # words that a passage must share with an event to be it
LOOKED_AT = 2000  # characters of a question in which words to the assistant are looked for
SECOND_PERSON = frozenset(
    "you your yours du dich dir dein deine tu te toi ton ta tes vous votre vos tú ti usted"
    " 你 您 ты тебя тебе вы вас вам твой ваш أنت あなた".split()
)


class Question(NamedTuple):
    """What is looked for."""

    groups: tuple[tuple[str, ...], ...]
    """For each word, the forms it may have."""
    speakers: frozenset[str]
    """Those who take part and are named."""
    names: frozenset[str]
    """The words of their names."""
    is_to_assistant: bool
    times: tuple[AskedTime, ...]
    vector: "Vectors | None"
    embedder: str


class Match(NamedTuple):
    """A passage, and what each channel gives it."""

    passage: Passage
    channels: dict[Channel, float]

    @property
    def score(self) -> float:
        return sum(self.channels.values())


class Matches(NamedTuple):
    """The best, best first, and how many passages matched in all."""

    ranked: list[Match]
    matched: int


@dataclass(frozen=True, slots=True)
class Searched:
    """What is searched: an index, how far it has come, and what of it does not count and lends nothing to others."""

    index: IndexRows
    head: IndexHead
    layout: Layout
    gone: Collection[int]
    visible: Collection[int] | None = None
    """The slots that count; None: all that are not gone."""


def read_question(
    query: str, searched: Searched, *, now: datetime | None, vector: "Vectors | None", embedder: str = ""
) -> Question:
    """Tell words, people and times apart. Without `now`, times are not looked for."""
    head = searched.head
    groups = query_terms(query, head.languages)
    words = {form for group in groups for form in group}
    speakers = {speaker: frozenset(terms_of(speaker)) for speaker in head.speakers}
    named = frozenset(speaker for speaker, names in speakers.items() if names & words)
    names = frozenset(name for speaker in named for name in speakers[speaker])
    # The name of somebody who takes part tells whose words are meant; others say it to address them.
    telling = [group for group in groups if names.isdisjoint(group)] or groups
    names = names.union(*(group for group in groups if not names.isdisjoint(group)))  # as texts of any language have it
    return Question(
        groups=tuple(telling),
        speakers=named,
        names=names,
        is_to_assistant=not SECOND_PERSON.isdisjoint(query[:LOOKED_AT].casefold().split()),
        times=(asked_times(query, now) or tuple(_event_times(query, searched))) if now is not None else (),
        vector=vector,
        embedder=embedder,
    )


def match(
    question: Question,
    searched: Searched,
    *,
    kinds: Collection[RecallKind] = KINDS,
    allowed: Collection[int] | None = None,
    is_wanted: Callable[[Passage], bool] = lambda _passage: True,
    without: Collection[Channel] = (),
    depth: int = 200,
) -> Matches:
    """The passages that match, best first: of these kinds, among the allowed slots if they are given, and wanted.

    `depth` is how many of each kind each channel may bring in for a close look.
    """
    matching = _Matching(question, searched, frozenset(without), depth)
    found = matching.gather(frozenset(kinds), allowed)
    unwanted = {slot for slot, passage in matching.passages.items() if not is_wanted(passage)}
    ranked = [
        match
        for match in matching.scored()
        if match.passage.kind in kinds
        and (allowed is None or match.passage.slot in allowed)
        and not match.channels.keys() <= {"person", "session"}
        and match.passage.slot not in unwanted
    ]
    ranked.sort(key=lambda match: (-match.score, match.passage.position, match.passage.record, match.passage.start))
    found.update(match.passage.slot for match in ranked)
    return Matches(ranked, len(found - unwanted))


class _Matching:
    """One question to one index: what is looked at closely, and what each channel gives it."""

    def __init__(self, question: Question, searched: Searched, without: frozenset[Channel], depth: int) -> None:
        self.question, self.searched, self.without, self.depth = question, searched, without, depth
        self.index, self.head = searched.index, searched.head
        self.words: dict[int, float] = {}
        self.named: frozenset[int] = frozenset()
        self.passages: dict[int, Passage] = {}

    def gather(self, kinds: frozenset[RecallKind], allowed: Collection[int] | None) -> set[int]:
        """Find what is worth a close look; all passages that may be found and have a word, or days, of the question."""
        found: set[int] = set()
        # Facts are looked at even where only turns are wanted: they speak for the turns they were taken from.
        keys = {"fact"} if "observation" in kinds and "facts" not in self.without else set()
        for kind in KINDS:
            if kind in kinds or kind in keys:
                among = allowed if kind in kinds else None
                having, scores = self._worded(kind)
                found.update(having if kind in kinds and among is None else having & set(among or ()))
                best = _best(scores if among is None else {s: scores[s] for s in scores.keys() & among}, self.depth)
                self._take(Where(slots=tuple({*best, *self._meant(kind, among)} - self.passages.keys())))
        if "time" not in self.without:
            for time in self.question.times:
                dated = self._counting(self.index.slots(Where(kinds=tuple(kinds), since=time.start, until=time.end)))
                dated = dated if allowed is None else dated.intersection(allowed)
                found.update(dated)
                self._take(Where(slots=tuple(dated - self.passages.keys()), newest=self.depth))
        cited = {position for passage in self.passages.values() if passage.kind == "fact" for position in passage.cites}
        if cited and keys:
            self._take(Where(kinds=("observation",), positions=tuple(cited)))
        return found

    def _worded(self, kind: RecallKind) -> tuple[set[int], dict[int, float]]:
        """The passages of a kind that have words of the question, and how much all have with what is around them."""
        if "words" in self.without:
            return set(), {}
        having = self.index.having(kind, [form for group in self.question.groups for form in group])
        count = self.head.passages.get(kind, 0)
        groups: list[tuple[float, set[int]]] = []
        for group in self.question.groups:
            slots = self._counting(slot for form in group for slot in having.get(form, ()))
            others = max(count - len(slots), 0)  # the index may be ahead of the head, in which passages are counted
            groups.append((math.log(1 + (others + 0.5) / (len(slots) + 0.5)), slots))
        total = sum(rarity for rarity, _slots in groups) or 1.0
        usual = max(self.head.words.get(kind, 0) / max(count, 1), 1.0)
        uses_around = kind == "observation" and "around" not in self.without
        scores = self.searched.layout.worded(groups, usual, uses_around=uses_around)
        for slot, score in scores.items():
            self.words[slot] = score / total
        if self.question.names and kind != "observation":
            self.named = self.named.union(*self.index.having(kind, self.question.names).values())
        return set().union(*(slots for _rarity, slots in groups)), scores

    def scored(self) -> list[Match]:
        slots = tuple(self.passages)
        close: Mapping[int, float] = {}
        if self.question.vector is not None and "meaning" not in self.without:
            close = self.index.closeness(self.question.embedder, self.question.vector, slots)
        found: list[Match] = []
        for slot, passage in self.passages.items():
            values: dict[Channel, float] = {
                "words": self.words.get(slot, 0.0),
                "meaning": close.get(slot, 0.0),
                "person": self._person(passage) if "person" not in self.without else 0.0,
                "time": self._time(passage) if "time" not in self.without else 0.0,
            }
            found.append(Match(passage, {name: WEIGHTS[name] * value for name, value in values.items() if value > 0}))
        if "facts" not in self.without:
            _add_facts(found)
        if "session" not in self.without:
            _add_sessions(found)
        return found

    def _counting(self, slots: Iterable[int]) -> set[int]:
        """Those that count."""
        counting = {*slots}.difference(self.searched.gone)
        return counting if self.searched.visible is None else counting.intersection(self.searched.visible)

    def _take(self, where: Where) -> None:
        found = {passage.slot: passage for passage in self.index.select(where)}
        self.passages.update((slot, found[slot]) for slot in self._counting(found))

    def _meant(self, kind: RecallKind, allowed: Collection[int] | None) -> Sequence[int]:
        """Those whose vectors are closest."""
        embedder, vector = self.question.embedder, self.question.vector
        if vector is None or "meaning" in self.without:
            return ()
        if allowed is None:
            return self.index.nearest(kind, embedder, vector, self.depth)
        if len(allowed) <= self.depth:
            return tuple(allowed)
        if len(allowed) <= COMPARED:
            return _best(self.index.closeness(embedder, vector, tuple(allowed)), self.depth)
        near = self.index.nearest(kind, embedder, vector, COMPARED)
        return [slot for slot in near if slot in allowed][: self.depth]

    def _person(self, passage: Passage) -> float:
        if self.question.speakers:
            is_meant = passage.speaker in self.question.speakers if passage.speaker else passage.slot in self.named
        elif passage.kind == "observation":
            is_meant = passage.role == "user" or (passage.role == "assistant" and self.question.is_to_assistant)
        else:
            is_meant = passage.kind == "record" or passage.authority in ("user", "correction")
        return 1.0 if is_meant else 0.0

    def _time(self, passage: Passage) -> float:
        if not self.question.times or not passage.since:
            return 0.0
        first, last = date.fromisoformat(passage.since), date.fromisoformat(passage.until)
        return max(time.weight * overlap(time, first, last) for time in self.question.times)


def _best(own: Mapping[int, float], most: int) -> list[int]:
    return [slot for _score, slot in heapq.nlargest(most, zip(own.values(), own, strict=True))]


def _add_facts(found: Sequence[Match]) -> None:
    """A fact that matches speaks for the turns it was taken from, by its own words and, half as much, its meaning."""
    lent: dict[int, float] = {}
    for fact in found:
        if fact.passage.kind == "fact":
            value = fact.channels.get("words", 0.0) + HALF * fact.channels.get("meaning", 0.0) / WEIGHTS["meaning"]
            for position in fact.passage.cites:
                lent[position] = max(lent.get(position, 0.0), value)
    for match in found:
        if match.passage.kind == "observation" and (value := lent.get(match.passage.position, 0.0)):
            match.channels["facts"] = WEIGHTS["facts"] * value


def _add_sessions(found: Sequence[Match]) -> None:
    """Where several passages of a conversation match, it was about what is asked."""
    values: dict[str, list[float]] = {}
    for match in found:
        if match.passage.kind == "observation":
            value = match.channels.get("words", 0.0) + match.channels.get("meaning", 0.0)
            values.setdefault(match.passage.session, []).append(value)
    means = {session: sum(heapq.nlargest(SPEAKS_FOR, given)) / SPEAKS_FOR for session, given in values.items()}
    for match in found:
        if match.passage.kind == "observation" and means[match.passage.session] > 0:
            match.channels["session"] = WEIGHTS["session"] * means[match.passage.session]


def _event_times(query: str, searched: Searched) -> Iterator[AskedTime]:
    """The days that "before the wedding" asks about: those of the fact, record or turn that has the words best."""
    for event in asked_events(query):
        groups = tuple(query_terms(event.words, searched.head.languages))
        asked = Question(groups, frozenset(), frozenset(), is_to_assistant=False, times=(), vector=None, embedder="")
        others: tuple[Channel, ...] = ("meaning", "time", "facts", "session")
        for best in match(asked, searched, without=others).ranked[:1]:
            if best.channels.get("words", 0.0) >= SURE and best.passage.since:
                time = around_event(event, Period(best.passage.since, best.passage.until))
                yield time._replace(weight=HALF * time.weight)
