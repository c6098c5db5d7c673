"""Search what was said, what was taken from it, and the records; `matching` says how well each matches.

The index is a cache beside the log. `follow` brings it up to date; `find` asks it and shows what was found.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import chain, islice
from typing import NamedTuple, TypeVar

import msgspec

from uac.errors import Full, ModelError, ReadOnly, Refused
from uac.log.index import ANYTHING, KINDS, IndexHead, IndexRows, Passage, RecallKind, Vectors, Where
from uac.log.log import Log, Prefix
from uac.log.stores.sqlite_index import memory_index
from uac.models.embedder import Embedder
from uac.models.reranker import Reranker
from uac.project.claims import AUTHORITIES
from uac.project.project import Project
from uac.recall.hits import Found, Hit, Reader, fitted, is_superseded
from uac.recall.indexer import FORM, Indexer, Told, embed_some
from uac.recall.ranking import CHANNELS, Channel, Match, Question, Searched, match, read_question
from uac.recall.turn_layout import Layout
from uac.schema.entries import Authority
from uac.text.stems import query_terms, terms_of

__all__ = [
    "CHANNELS",
    "Channel",
    "Filter",
    "Found",
    "Hit",
    "Indexed",
    "Rebuilt",
    "Recall",
    "RecallKind",
    "indexed",
    "read_filter",
]

Name = TypeVar("Name", bound=str)

Rebuilt = Callable[[str, int, int], None]
"""Told what is counted ("entries", then "passages"), how many are done, and of how many."""

EMBEDDED_NEAR, EMBEDDED_FAR = 20_000, 64  # passages that a search waits for, by whether the embedder is elsewhere
EMBEDDED = 512  # passages that get vectors between two words on how far it has come
DEPTH = 3  # passages that are looked at closely for each one that is wanted, by each channel
SHALLOWEST = 300  # passages that are always looked at
SHORT_TURN = 8  # tokens of a turn that is rather short
RERANKED = 50  # hits that a reranker is asked about
LONGEST_QUERY = 8000  # characters of a question whose meaning is taken


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What a search may find: that to which all that is given applies; what is empty applies to all."""

    kinds: tuple[RecallKind, ...] = KINDS
    about: str = ""
    """A person or a thing: it is named in the passage, or speaks there."""
    since: date | None = None
    until: date | None = None
    authorities: tuple[Authority, ...] = ()
    sessions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    former: bool = False
    """Also facts that no longer hold, because others took their place."""
    through: int | None = None
    """Nothing behind this position, and no records."""


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
    """What somebody asks for as a filter, or Refused."""
    since, until = map(_day, between)
    if since and until and since > until:
        raise Refused(f"between: {since} to {until} ends before it starts")
    return Filter(
        kinds=_listed("kinds", kinds, KINDS),
        about=about,
        since=since,
        until=until,
        authorities=_listed("authorities", authorities, AUTHORITIES),
        sessions=_listed("sessions", sessions),
        sources=_listed("sources", sources),
        former=former,
    )


def _day(moment: date | None) -> date | None:
    """The day of a date or a moment."""
    return moment.date() if isinstance(moment, datetime) else moment


def _listed(name: str, given: Collection[Name], known: Collection[Name] | None = None) -> tuple[Name, ...]:
    """The values as a tuple, or Refused: a single text is no list of texts."""
    if isinstance(given, str) or (known is not None and not set(given) <= set(known)):
        of = f" of: {', '.join(known)}" if known is not None else f", such as [{given!r}]"
        raise Refused(f"{name} is {given!r}, needs a list{of}")
    return tuple(given)


class Indexed(NamedTuple):
    """How far an index has come: the entries it has seen, its passages, and how many of those have a vector."""

    entries: int
    passages: int
    vectors: int


def indexed(log: Log, embedder: Embedder | None) -> Indexed:
    """How far the index of a log has come, with vectors of this embedder; nothing is indexed."""
    index = log.index()
    head = index.head()
    if head.form != FORM:  # the next search makes it anew
        return Indexed(0, 0, 0)
    return Indexed(head.position, head.total, index.embedded(embedder.name) if embedder is not None else 0)


class Recall:
    """A search over one user's log and project. `follow` brings its index up to date; nothing is found before."""

    def __init__(self, *, embedder: Embedder | None = None, reranker: Reranker | None = None) -> None:
        self._embedder = embedder
        self._reranker = reranker
        self._indexer: Indexer | None = None
        self._private: IndexRows | None = None
        self._checked = 0
        self._head = IndexHead()
        self._layout = Layout()
        self._log: Log | Prefix | None = None
        self._project = Project()
        self._failed = ""

    def follow(self, log: Log | Prefix, project: Project, *, vectors: int | None = None) -> None:
        """Index what is new up to the project's position, and give vectors to at most so many passages."""
        if vectors is None:
            vectors = EMBEDDED_NEAR if self._embedder is not None and self._embedder.is_near else EMBEDDED_FAR
        try:
            self._follow(log, project, vectors)
        except (ReadOnly, Full):  # an index in memory, for as long as this search lives
            self._private = self._private or memory_index()
            self._follow(log, project, vectors)

    def rebuild(self, log: Log, project: Project, *, told: Rebuilt) -> None:
        """Empty the index and make it anew, with vectors of the present embedder and no others."""
        self._indexing(log).index.clear()
        self._follow(log, project, 0, told=lambda position: told("entries", position, project.position))
        passages = self._head.total
        left, before = self.embed(EMBEDDED), passages
        while 0 < left < before:
            told("passages", passages - left, passages)
            left, before = self.embed(EMBEDDED), left

    def embed(self, most: int) -> int:
        """Give vectors to passages that have none of the present embedder, at most so many; how many are left."""
        self._embed(most)
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
        """The best matches, best first. With `before`, only what stands before that position, and no records."""
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
        """The best matches: at most `k`, best first; or with `tokens`, as many as fit into so many, in reading order.

        `now` is the time that words such as "last week" are read by: by default the last tick, or the last word.
        `without` leaves channels out.
        """
        for name, number in (("k", k), ("tokens", tokens)):
            if number is not None and number < 0:
                raise Refused(f"{name} is {number}, needs 0 or more")
        _listed("without", without, CHANNELS)
        if self._indexer is None or not only.kinds:
            return Found([], 0)
        notes: list[str] = []
        searched = self._searched(only)
        allowed = _allowed(only, searched)
        matches = match(
            self._read(query, searched, now, without, notes),
            searched,
            kinds=only.kinds if only.through is None else tuple(kind for kind in only.kinds if kind != "record"),
            allowed=allowed,
            is_wanted=lambda passage: only.former or passage.kind != "fact" or self._stands(passage.position),
            without=without,
            depth=max(SHALLOWEST, DEPTH * k if k is not None else (tokens or 0) // SHORT_TURN),
        )
        reader = self._reader()
        hits = self._reranked(query, reader.distinct(matches.ranked), notes)
        if tokens is None:
            return Found(reader.told([*islice(hits, k)]), matches.matched, notes=tuple(notes))
        chosen, cost = fitted(islice(hits, k), tokens, lambda hit: self._before(hit, allowed))
        return Found(reader.told(chosen), matches.matched, cost, tuple(notes))

    def neighbours(self, position: int, *, before: int = 1, after: int = 1) -> list[int]:
        """The positions of the turns around an observation in its session, in order, without its own."""
        found = self._select(Where(kinds=("observation",), positions=(position,)))
        if not found:
            return []
        around = [
            *self._layout.neighbours(found[0].slot, before, 0),
            *self._layout.neighbours(found[-1].slot, 0, after),
        ]
        beside = {passage.position for passage in self._select(Where(slots=tuple(around)))}
        return sorted(beside - {position} - self._project.gone)

    def hit(self, position: int) -> Hit | None:
        """The turn or fact at a position, with no score; None if it is not in the index."""
        return self._shown(self._select(Where(positions=(position,)))[:1])

    def _before(self, hit: Hit, allowed: Collection[int] | None) -> Hit | None:
        """What was said right before a hit, if it may be found."""
        for position in self.neighbours(hit.position, before=1, after=0):
            said = self._select(Where(kinds=("observation",), positions=(position,)))[-1:]
            if allowed is None or all(passage.slot in allowed for passage in said):
                return self._shown(said)
        return None

    def _shown(self, passages: Sequence[Passage]) -> Hit | None:
        """The first of these that has words, with no score."""
        return next(self._reader().hits(Match(passage, {}) for passage in passages), None) if passages else None

    def _follow(
        self, log: Log | Prefix, project: Project, vectors: int, *, told: Told = lambda _position: None
    ) -> None:
        self._log, self._project, self._failed = log, project, ""
        indexer = self._indexing(log)
        if indexer.index.head() != self._head and not log.contains(self._head.position, self._head.digest):
            # The user was erased and came back: nothing that is known of the old index applies to the new one.
            self._indexer = indexer = Indexer(indexer.index)
            self._layout = Layout()
        self._head = indexer.follow(log, project, told=told)
        self._layout.drop(indexer.dropped)
        indexer.dropped.clear()
        self._layout.follow(indexer.index, self._head)
        try:
            self._embed(vectors)
        except ModelError as error:  # words, people and times are searched all the same
            self._failed = f" ({error})"

    def _reader(self) -> Reader:
        assert self._log is not None
        return Reader(self._log, self._project)

    def _select(self, where: Where) -> Sequence[Passage]:
        return self._indexer.index.select(where) if self._indexer is not None else ()

    def _indexing(self, log: Log | Prefix) -> Indexer:
        """The one that follows this log's index; a prefix, or a log that cannot be written, has one in memory."""
        whole = log.log if isinstance(log, Prefix) else log
        if self._private is not None or isinstance(log, Prefix):
            end = whole.head().position
            erased = any(stored.kind == "erasure" for stored in whole.read(self._checked + 1, end + 1))
            if self._private is None or erased:  # a store takes erased words out of its own index only
                self._private = memory_index()
            self._checked = end
        index = self._private or whole.index()
        if self._indexer is None or self._indexer.index is not index:
            self._indexer, self._layout = Indexer(index), Layout()
        return self._indexer

    def _embed(self, most: int) -> None:
        assert self._indexer is not None
        if self._embedder is None or not self._indexer.index.can_compare():
            return
        reader = self._reader()
        while most > 0 and self._indexer.index.embedded(self._embedder.name) < self._head.total:
            done = embed_some(self._indexer.index, self._embedder, reader.texts, most=most)
            if not done:
                return
            most -= done

    def _now(self) -> datetime:
        newest = self._select(Where(kinds=("observation",), newest=1))
        moments = [datetime.fromisoformat(passage.said) for passage in newest]
        moments += [self._project.now] if self._project.now else []
        return max(moments, default=datetime(2000, 1, 1, tzinfo=UTC))

    def _read(
        self,
        query: str,
        searched: Searched,
        now: datetime | None,
        without: Collection[Channel],
        notes: list[str],
    ) -> Question:
        """What is asked for; the notes say which days that is, and what cannot be searched."""
        moment = None if "time" in without else now or self._now()
        vector = self._vector(query, notes) if "meaning" not in without else None
        name = self._embedder.name if self._embedder else ""
        question = read_question(query, searched, now=moment, vector=vector, embedder=name)
        notes += [f"read {time.words!r} as {time.start or '…'} to {time.end or '…'}" for time in question.times[:4]]
        return question

    def _stands(self, fact: int) -> bool:
        return not is_superseded(fact, self._project)

    def _searched(self, only: Filter) -> Searched:
        assert self._indexer is not None
        index, gone = self._indexer.index, self._project.gone
        return Searched(
            index,
            self._head,
            self._layout,
            gone=index.slots(Where(positions=tuple(gone))) if gone else (),
            visible=None if only.through is None else index.slots(Where(through=only.through)),
        )

    def _vector(self, query: str, notes: list[str]) -> "Vectors | None":
        """The question's vector, if there is something to compare it with."""
        assert self._indexer is not None
        if self._embedder is None or not self._indexer.index.can_compare() or not query.strip():
            return None
        if (known := self._indexer.index.embedded(self._embedder.name)) < self._head.total:
            notes.append(f"meaning: {known} of {self._head.total} passages have a vector yet{self._failed}")
        if not known:
            return None
        try:
            return self._embedder.embed([query[:LONGEST_QUERY]], query=True)
        except ModelError as error:
            notes.append(f"meaning: not searched, {error}")
            return None

    def _reranked(self, query: str, hits: Iterator[Hit], notes: list[str]) -> Iterator[Hit]:
        """The first ones in the order that the reranker gives them, then the others."""
        first = list(islice(hits, RERANKED)) if self._reranker is not None else []
        if self._reranker is not None and len(first) > 1:
            try:
                scores = self._reranker.scores(query[:LONGEST_QUERY], [hit.text for hit in first])
                first = [first[place] for place in sorted(range(len(first)), key=lambda place: -scores[place])]
            except ModelError as error:
                notes.append(f"reranker: not asked, {error}")
        return chain(first, hits)


def _allowed(only: Filter, searched: Searched) -> Collection[int] | None:
    """The slots that may be found; None if that is all, but for their kind."""
    where = Where(
        sessions=only.sessions or None,
        sources=only.sources or None,
        authorities=only.authorities or None,
        # With either end given, what is about no days at all is not meant.
        since=(only.since or date.min).isoformat() if only.since or only.until else "",
        until=only.until.isoformat() if only.until else "",
    )
    if where == ANYTHING and len(only.kinds) == 1 and only.kinds != ("observation",):
        where = Where(kinds=only.kinds)
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
    about = named | set(index.slots(Where(speakers=speaking)) if speaking else ())
    return about if slots is None else about.intersection(slots)
