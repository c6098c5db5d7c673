"""Search over one user's turns, facts and records. `ranking` scores the matches.

The index is a cache beside the log. `follow` brings it up to date; `find` searches it and returns hits with their text.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import chain, islice
from typing import TypeVar

import msgspec

from uac.errors import Full, ModelError, ReadOnly, Refused
from uac.log.index import ANYTHING, KINDS, IndexHead, IndexRows, Passage, PassageFilter, RecallKind, Vectors
from uac.log.log import Log, Prefix
from uac.log.stores.sqlite_index import in_memory_index
from uac.models.embedder import Embedder
from uac.models.reranker import Reranker
from uac.project.claims import AUTHORITIES
from uac.project.project import Project
from uac.recall.hits import Found, Hit, HitReader, fit_hits_to_budget
from uac.recall.indexer import Indexer, IndexProgress, OnProgress, embed_missing, index_progress
from uac.recall.passages import PassageTexts
from uac.recall.ranking import (
    CHANNELS,
    Channel,
    PassageMatch,
    SearchQuestion,
    SearchScope,
    parse_question,
    rank_passages,
)
from uac.recall.turn_layout import TurnLayout
from uac.schema.entries import Authority
from uac.text.search_terms import query_terms, terms_of

__all__ = [
    "CHANNELS",
    "MAX_SPAN_DAYS",
    "Channel",
    "Filter",
    "Found",
    "Hit",
    "IndexProgress",
    "OnRebuild",
    "Recall",
    "RecallKind",
    "index_progress",
    "read_filter",
]

Name = TypeVar("Name", bound=str)

OnRebuild = Callable[[str, int, int], None]
"""Called with what is counted ("entries", then "passages"), how many are done, and the total."""

MAX_EMBEDDED_LOCALLY = 20_000  # passages that a search embeds first
MAX_EMBEDDED_REMOTELY = 64
EMBEDDING_STEP = 512  # passages embedded between two progress reports
CANDIDATES_PER_HIT = 3  # candidates of each channel for each hit requested
MIN_CANDIDATES = 300  # of each channel
SHORT_TURN_TOKENS = 8  # of a short turn
MAX_RERANKED = 50  # hits that are passed to the reranker
MAX_SPAN_DAYS = 31  # of a record that is about each day between its first and its last
MAX_QUERY_CHARACTERS = 8000  # of a question that are embedded


def _days_between(since: str, until: str) -> int:
    return (date.fromisoformat(until) - date.fromisoformat(since)).days


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Search filter. A passage must satisfy every field that is set; an empty field matches everything."""

    kinds: tuple[RecallKind, ...] = KINDS
    about: str = ""
    """A person or thing that the passage names, or that speaks there."""
    since: date | None = None
    until: date | None = None
    authorities: tuple[Authority, ...] = ()
    sessions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    former: bool = False
    """Include facts that were superseded."""
    through: int | None = None
    """Only positions up to this one, and no records."""


EVERYTHING = Filter()


def read_filter(
    kinds: Collection[RecallKind],
    between: tuple[date | None, date | None],
    *,
    about: str,
    authorities: Collection[Authority],
    sessions: Collection[str],
    sources: Collection[str],
    former: bool,
) -> Filter:
    """The filter for a caller's arguments, or Refused."""
    since, until = map(_filter_day, between)
    if since and until and since > until:
        raise Refused(f"between: {since} to {until} ends before it starts. Swap the two days.")
    return Filter(
        kinds=_checked_filter_list("kinds", kinds, KINDS),
        about=about,
        since=since,
        until=until,
        authorities=_checked_filter_list("authorities", authorities, AUTHORITIES),
        sessions=_checked_filter_list("sessions", sessions),
        sources=_checked_filter_list("sources", sources),
        former=former,
    )


def _filter_day(moment: date | None) -> date | None:
    """The day of a date or datetime."""
    return moment.date() if isinstance(moment, datetime) else moment


def _checked_filter_list(name: str, given: Collection[Name], known: Collection[Name] | None = None) -> tuple[Name, ...]:
    """The values as a tuple, or Refused: a single string is not a list."""
    if isinstance(given, str) or (known is not None and not set(given) <= set(known)):
        of = f" of: {', '.join(known)}" if known is not None else f", such as [{given!r}]"
        raise Refused(f"{name} is {given!r}. Use a list{of}.")
    return tuple(given)


class Recall:
    """Search over one user's log and project. `follow` brings the index up to date and must be called first."""

    def __init__(self, *, embedder: Embedder | None = None, reranker: Reranker | None = None) -> None:
        self._embedder = embedder
        self._reranker = reranker
        self._indexer: Indexer | None = None
        self._memory_index: IndexRows | None = None
        self._checked = 0
        self._head = IndexHead()
        self._layout = TurnLayout()
        self._log: Log | Prefix | None = None
        self._project = Project()
        self._embedding_failure = ""

    def follow(self, log: Log | Prefix, project: Project, *, vectors: int | None = None) -> None:
        """Index everything new up to the project's position, and embed at most `vectors` passages."""
        if vectors is None:
            vectors = (
                MAX_EMBEDDED_LOCALLY if self._embedder is not None and self._embedder.is_near else MAX_EMBEDDED_REMOTELY
            )
        try:
            self._follow_log(log, project, vectors)
        except (ReadOnly, Full):  # use an index in memory for the life of this object
            self._memory_index = self._memory_index or in_memory_index()
            self._follow_log(log, project, vectors)

    def rebuild(self, log: Log, project: Project, *, on_progress: OnRebuild) -> None:
        """Empty the index and rebuild it, with vectors of the current embedder only."""
        self._indexer_for(log).index.clear()
        self._follow_log(
            log, project, 0, on_progress=lambda position: on_progress("entries", position, project.position)
        )
        passages = self._head.total
        left, before = self.embed(EMBEDDING_STEP), passages
        while 0 < left < before:
            on_progress("passages", passages - left, passages)
            left, before = self.embed(EMBEDDING_STEP), left

    def embed(self, most: int) -> int:
        """Embed at most `most` passages that have no vector of the current embedder. Returns how many are left."""
        self._embed_passages(most)
        if self._indexer is None or self._embedder is None:
            return 0
        return self._head.total - self._indexer.index.embedded(self._embedder.name)

    def search(
        self,
        query: str,
        *,
        k: int = 20,
        kinds: Collection[RecallKind] = KINDS,
        before: int | None = None,
        without: Collection[Channel] = (),
    ) -> list[Hit]:
        """The best matches, best first. With `before`, only entries before that position, and no records."""
        through = None if before is None else before - 1
        return self.find(query, Filter(kinds=tuple(kinds), through=through), k=k, without=without).hits

    def find(
        self,
        query: str,
        only: Filter = EVERYTHING,
        *,
        k: int | None = None,
        tokens: int | None = None,
        now: datetime | None = None,
        without: Collection[Channel] = (),
    ) -> Found:
        """The best matches: at most `k`, best first; with `tokens`, as many as fit the budget, in reading order.

        `now` resolves expressions such as "last week"; the default is the later of last tick and last turn.
        `without` disables channels.
        """
        for name, number in (("k", k), ("tokens", tokens)):
            if number is not None and number < 0:
                raise Refused(f"{name} is {number}. Use 0 or more.")
        _checked_filter_list("without", without, CHANNELS)
        if self._indexer is None or not only.kinds:
            return Found([], 0)
        notes: list[str] = []
        searched = self._search_scope(only)
        allowed = _allowed_slots(only, searched)
        matches = rank_passages(
            self._parse_question(query, searched, now, without, notes),
            searched,
            kinds=only.kinds if only.through is None else tuple(kind for kind in only.kinds if kind != "record"),
            allowed=allowed,
            is_wanted=lambda passage: only.former or passage.kind != "fact" or self._is_current_fact(passage.position),
            without=without,
            depth=max(MIN_CANDIDATES, CANDIDATES_PER_HIT * k if k is not None else (tokens or 0) // SHORT_TURN_TOKENS),
        )
        reader = self._hit_reader()
        hits = self._rerank_hits(query, reader.distinct(matches.ranked), notes)
        if tokens is None:
            return Found(reader.with_repeats([*islice(hits, k)]), matches.matched, notes=tuple(notes))
        chosen, cost = fit_hits_to_budget(islice(hits, k), tokens, lambda hit: self._turn_before(hit, allowed))
        return Found(reader.with_repeats(chosen), matches.matched, cost, tuple(notes))

    def neighbours(self, position: int, *, before: int = 1, after: int = 1) -> list[int]:
        """The positions of the turns around an observation in its session, in order, without its own."""
        found = self._select_passages(PassageFilter(kinds=("observation",), positions=(position,)))
        if not found:
            return []
        around = [
            *self._layout.neighbours(found[0].slot, before, 0),
            *self._layout.neighbours(found[-1].slot, 0, after),
        ]
        beside = {passage.position for passage in self._select_passages(PassageFilter(slots=tuple(around)))}
        return sorted(beside - {position} - self._project.gone)

    def records_on(self, day: date) -> list[str]:
        """The records whose first or last day is this one, and those of at most a month that it lies in."""
        text = day.isoformat()
        found = self._select_passages(PassageFilter(kinds=("record",), since=text, until=text))
        return sorted(
            passage.record
            for passage in found
            if text in (passage.since, passage.until) or _days_between(passage.since, passage.until) <= MAX_SPAN_DAYS
        )

    def hit(self, position: int) -> Hit | None:
        """The turn or fact at a position, with no score; None if it is not in the index."""
        return self._first_hit(self._select_passages(PassageFilter(positions=(position,)))[:1])

    def _turn_before(self, hit: Hit, allowed: Collection[int] | None) -> Hit | None:
        """The turn right before a hit, if the filter allows it."""
        for position in self.neighbours(hit.position, before=1, after=0):
            said = self._select_passages(PassageFilter(kinds=("observation",), positions=(position,)))[-1:]
            if allowed is None or all(passage.slot in allowed for passage in said):
                return self._first_hit(said)
        return None

    def _first_hit(self, passages: Sequence[Passage]) -> Hit | None:
        """The first of these passages that has text, with no score."""
        return (
            next(self._hit_reader().hits(PassageMatch(passage, {}) for passage in passages), None) if passages else None
        )

    def _follow_log(
        self, log: Log | Prefix, project: Project, vectors: int, *, on_progress: OnProgress = lambda _position: None
    ) -> None:
        self._log, self._project, self._embedding_failure = log, project, ""
        indexer = self._indexer_for(log)
        if indexer.index.head() != self._head and not log.contains(self._head.position, self._head.digest):
            # The user was erased and came back: nothing known about the old index applies to the new one.
            self._indexer = indexer = Indexer(indexer.index)
            self._layout = TurnLayout()
        self._head = indexer.follow(log, project, on_progress=on_progress)
        self._layout.drop(indexer.dropped)
        indexer.dropped.clear()
        self._layout.follow(indexer.index, self._head)
        try:
            self._embed_passages(vectors)
        except ModelError as error:  # words, people and times are searched anyway
            self._embedding_failure = f" ({error})"

    def _hit_reader(self) -> HitReader:
        assert self._log is not None
        return HitReader(self._log, self._project)

    def _select_passages(self, where: PassageFilter) -> Sequence[Passage]:
        return self._indexer.index.select(where) if self._indexer is not None else ()

    def _indexer_for(self, log: Log | Prefix) -> Indexer:
        """The indexer for this log. A prefix, or a log that cannot be written, has an index in memory."""
        whole = log.log if isinstance(log, Prefix) else log
        if self._memory_index is not None or isinstance(log, Prefix):
            end = whole.head().position
            erased = any(stored.kind == "erasure" for stored in whole.read(self._checked + 1, end + 1))
            if self._memory_index is None or erased:  # a store removes erased text from its own index only
                self._memory_index = in_memory_index()
            self._checked = end
        index = self._memory_index or whole.index()
        if self._indexer is None or self._indexer.index is not index:
            self._indexer, self._layout = Indexer(index), TurnLayout()
        return self._indexer

    def _embed_passages(self, most: int) -> None:
        assert self._indexer is not None
        if self._embedder is None or not self._indexer.index.can_compare():
            return
        assert self._log is not None
        texts = PassageTexts(self._log, self._project).texts
        while most > 0 and self._indexer.index.embedded(self._embedder.name) < self._head.total:
            done = embed_missing(self._indexer.index, self._embedder, texts, most=most)
            if not done:
                return
            most -= done

    def _question_time(self) -> datetime:
        newest = self._select_passages(PassageFilter(kinds=("observation",), newest=1))
        moments = [datetime.fromisoformat(passage.said) for passage in newest]
        moments += [self._project.now] if self._project.now else []
        return max(moments, default=datetime(2000, 1, 1, tzinfo=UTC))

    def _parse_question(
        self,
        query: str,
        searched: SearchScope,
        now: datetime | None,
        without: Collection[Channel],
        notes: list[str],
    ) -> SearchQuestion:
        """Parse the query. `notes` gets how its dates were read, and what cannot be searched."""
        moment = None if "time" in without else now or self._question_time()
        vector = self._query_vector(query, notes) if "meaning" not in without else None
        name = self._embedder.name if self._embedder else ""
        question = parse_question(query, searched, now=moment, vector=vector, embedder=name)
        notes += [f"read {time.words!r} as {time.start or '…'} to {time.end or '…'}" for time in question.times[:4]]
        return question

    def _is_current_fact(self, fact: int) -> bool:
        return not self._project.is_superseded(fact)

    def _search_scope(self, only: Filter) -> SearchScope:
        assert self._indexer is not None
        index, gone = self._indexer.index, self._project.gone
        return SearchScope(
            index,
            self._head,
            self._layout,
            gone=index.slots(PassageFilter(positions=tuple(gone))) if gone else (),
            visible=None if only.through is None else index.slots(PassageFilter(through=only.through)),
        )

    def _query_vector(self, query: str, notes: list[str]) -> "Vectors | None":
        """The question's vector, if there are vectors to compare it with."""
        assert self._indexer is not None
        if self._embedder is None or not self._indexer.index.can_compare() or not query.strip():
            return None
        if (known := self._indexer.index.embedded(self._embedder.name)) < self._head.total:
            notes.append(f"meaning: {known} of {self._head.total} passages have a vector yet{self._embedding_failure}")
        if not known:
            return None
        try:
            return self._embedder.embed([query[:MAX_QUERY_CHARACTERS]], query=True)
        except ModelError as error:
            notes.append(f"meaning: not searched, {error}")
            return None

    def _rerank_hits(self, query: str, hits: Iterator[Hit], notes: list[str]) -> Iterator[Hit]:
        """The first hits in the reranker's order, then the others."""
        first = list(islice(hits, MAX_RERANKED)) if self._reranker is not None else []
        if self._reranker is not None and len(first) > 1:
            try:
                scores = self._reranker.scores(query[:MAX_QUERY_CHARACTERS], [hit.text for hit in first])
                first = [first[place] for place in sorted(range(len(first)), key=lambda place: -scores[place])]
            except ModelError as error:
                notes.append(f"reranker: not asked, {error}")
        return chain(first, hits)


def _allowed_slots(only: Filter, searched: SearchScope) -> Collection[int] | None:
    """The slots that may be found; None if only the kind is restricted."""
    where = PassageFilter(
        sessions=only.sessions or None,
        sources=only.sources or None,
        authorities=only.authorities or None,
        # If either bound is given, passages without any date do not match.
        since=(only.since or date.min).isoformat() if only.since or only.until else "",
        until=only.until.isoformat() if only.until else "",
    )
    if where == ANYTHING and len(only.kinds) == 1 and only.kinds != ("observation",):
        where = PassageFilter(kinds=only.kinds)
    index, head = searched.index, searched.head
    slots = searched.visible if where == ANYTHING else set(index.slots(where))
    if not only.about:
        return slots
    terms = set(terms_of(only.about))
    groups = query_terms(only.about, head.languages)
    named: set[int] = set()
    for kind in only.kinds:
        having = index.having(kind, [form for group in groups for form in group])
        each = [{slot for form in group for slot in having.get(form, ())} for group in groups]
        named.update(set.intersection(*each) if each else ())
    speaking = tuple(speaker for speaker in head.speakers if terms and terms <= set(terms_of(speaker)))
    about = named | set(index.slots(PassageFilter(speakers=speaking)) if speaking else ())
    return about if slots is None else about.intersection(slots)
