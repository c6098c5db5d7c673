"""Search over one user's turns, facts and records. `ranking` scores the matches.

The index is a cache beside the log. `follow` brings it up to date; `find` searches it and returns hits with their text.
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from uac.errors import Full, ModelError, Moved, NewerFormat, ReadOnly, Refused, Unavailable
from uac.log.block_parts import BlockGone
from uac.log.index import INDEX_ERRORS, KINDS, IndexBlocks, IndexHead, RecallKind, Vectors, is_index_damaged
from uac.log.log import Log, Prefix
from uac.log.stores.in_memory import MemoryIndex
from uac.models.embedder import Embedder
from uac.models.reranker import Reranker
from uac.project.project import Project
from uac.recall.filters import EVERYTHING, Filter, checked_filter_list, read_filter
from uac.recall.hits import PAGE, Found, Hit, HitReader, fit_hits_to_budget
from uac.recall.matches import CHANNELS, Channel, IndexProgress, OnProgress, PassageMatch
from uac.recall.outline import TurnShortener, first_turns
from uac.recall.passages import PassageTexts, RecentEntries
from uac.recall.question_kinds import has_topic, has_you, is_about_assistant, question_weights
from uac.recall.question_options import ONE_QUESTION, QuestionOptions
from uac.recall.search_settings import ALL_IDEAS, SearchSettings
from uac.schema.entries import Observation
from uac.schema.word_caches import forget_cached_words
from uac.text.search_terms import query_terms, query_word_terms

if TYPE_CHECKING:  # with numpy, which takes longer to import than most commands need: on first use
    from uac.recall.fusion import FusedPassages
    from uac.recall.indexer import Indexer
    from uac.recall.passage_arrays import Mask, PassageTable
    from uac.recall.ranking import RankedPassages, SearchQuestion
    from uac.recall.search_scope import SearchScope

__all__ = [
    "CHANNELS",
    "ONE_QUESTION",
    "Channel",
    "Filter",
    "Found",
    "Hit",
    "IndexProgress",
    "KindMatches",
    "OnRebuild",
    "QuestionOptions",
    "Recall",
    "RecallKind",
    "index_progress",
    "read_filter",
]

OnRebuild = Callable[[str, int, int], None]
"""Called with what is counted ("entries", then "passages"), how many are done, and the total."""

Result = TypeVar("Result")

MAX_EMBEDDED_FAST = 20_000  # passages that a search embeds first
MAX_EMBEDDED_SLOWLY = 64  # on a server, or by a model that reads sentences
EMBEDDING_STEP = 512  # passages embedded between two progress reports
CANDIDATES_PER_HIT = 3  # candidates of each channel for each hit requested
MIN_CANDIDATES = 300  # of each channel
SHORT_TURN_TOKENS = 8  # of a short turn
MAX_RERANKED = 50  # hits that are passed to the reranker
THREAD_WEIGHT = 1.0  # of the running conversation, relative to a query
MAX_RUNNING_TURNS = 3  # last passages of the running conversation that count
WHOLE_SHARE = 0.7  # of a budget, for the best matches; weaker ones are shortened
CONTEXT_WHOLE_SHARE = 0.5  # of a context's budget, whose frame and longer lines leave less
MAX_WHOLE_ANSWERS = 3  # turns of the assistant that are shown whole if the question is about its words
MAX_QUERY_CHARACTERS = 8000  # of a question that are embedded
MAX_ATTEMPTS = 5  # against concurrent changes of the index

_WORD = re.compile(r"\w+")


class KindMatches(NamedTuple):
    """The hits of one kind, best first, and how many passages of it matched."""

    hits: Iterator[Hit]
    matched: int
    best: float = 0.0
    """The best score of all kinds."""


class _Search(NamedTuple):
    """What all queries of one search have in common."""

    searched: "SearchScope"
    allowed: "Mapping[RecallKind, Mask] | None"
    only: Filter
    without: frozenset[Channel]
    now: datetime | None
    depth: int
    is_about_assistant: bool
    settings: SearchSettings


class Recall:
    """Search over one user's log and project. `follow` brings the index up to date and must be called first."""

    def __init__(self, *, embedder: Embedder | None = None, reranker: Reranker | None = None) -> None:
        self._embedder = embedder
        self._reranker = reranker
        self._indexer: Indexer | None = None
        self._memory_index: IndexBlocks | None = None
        self._checked = 0
        self._head = IndexHead()
        self._log: Log | Prefix | None = None
        self._project = Project()
        self._embedding_failure = ""
        self.recent = RecentEntries()
        """What the last searches read. It has no words that were erased before the last `follow`."""
        self._recent_of: tuple[Indexer, int] | None = None

    def follow(self, log: Log | Prefix, project: Project, *, vectors: int | None = None) -> None:
        """Index everything new up to the project's position, and embed at most `vectors` passages."""
        if vectors is None:
            is_fast = self._embedder is not None and self._embedder.is_near
            vectors = MAX_EMBEDDED_FAST if is_fast else MAX_EMBEDDED_SLOWLY
        try:
            try:
                self._follow_log(log, project, vectors)
            except (*INDEX_ERRORS, Moved) as error:
                self._clear_if_damaged(error)
                self._follow_log(log, project, vectors)
        except (ReadOnly, Full, NewerFormat):  # use an index in memory for the life of this object
            self._memory_index = self._memory_index or MemoryIndex()
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
        return self._head.total - self._indexer.arrays.embedded()

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

    @property
    def speakers(self) -> Collection[str]:
        """The names of those who speak in the log."""
        return self._head.speakers.keys()

    def find(
        self,
        query: str,
        only: Filter = EVERYTHING,
        *,
        k: int | None = None,
        tokens: int | None = None,
        now: datetime | None = None,
        without: Collection[Channel] = (),
        options: QuestionOptions = ONE_QUESTION,
        settings: SearchSettings = ALL_IDEAS,
    ) -> Found:
        """The best matches: at most `k`, best first; with `tokens`, as many as fit the budget, in reading order.

        `now` resolves expressions such as "last week"; the default is the later of last tick and last turn.
        `without` disables channels, `settings` ideas. `options` has more queries for the same question, and the running
        conversation.
        """
        for name, number in (("k", k), ("tokens", tokens)):
            if number is not None and number < 0:
                raise Refused(f"{name} is {number}. Use 0 or more.")
        checked_filter_list("without", without, CHANNELS)
        if self._indexer is None or not only.kinds:
            return Found([], 0)
        return self.retried(lambda: self._find(query, only, k, tokens, now, frozenset(without), options, settings))

    def retried(self, search: Callable[[], Result]) -> Result:
        """Run a search, and again if another process replaced a block of the index that it needs, or one is damaged."""
        try:
            return self._retried(search)
        except (*INDEX_ERRORS, Unavailable) as error:
            self._clear_if_damaged(error)
        assert self._log is not None
        self.follow(self._log, self._project, vectors=0)
        return self._retried(search)

    def _clear_if_damaged(self, error: Exception) -> None:
        """Clear the index, so that it is built again, if that explains the error; else raise the error."""
        if self._indexer is None or not is_index_damaged(self._indexer.index):
            raise error
        self._indexer.index.clear()

    def _retried(self, search: Callable[[], Result]) -> Result:
        for _attempt in range(MAX_ATTEMPTS):
            try:
                return search()
            except BlockGone:
                assert self._log is not None
                self._follow_log(self._log, self._project, 0)
        raise Unavailable("The search index keeps changing while it is read. Try again.")

    def _find(
        self,
        query: str,
        only: Filter,
        k: int | None,
        tokens: int | None,
        now: datetime | None,
        without: frozenset[Channel],
        options: QuestionOptions,
        settings: SearchSettings,
    ) -> Found:
        assert self._indexer is not None
        from uac.recall.search_scope import allowed_rows, search_scope

        notes: list[str] = []
        searched = search_scope(self._indexer.arrays, self._head, self._project.gone, through=only.through)
        allowed = allowed_rows(only, searched)
        depth = max(MIN_CANDIDATES, CANDIDATES_PER_HIT * k if k is not None else (tokens or 0) // SHORT_TURN_TOKENS)
        search = _Search(searched, allowed, only, without, now, depth, _is_about(query, settings), settings)
        ranked, by_kind = self._ranked(query, search, options, notes)
        reader, matched = self._hit_reader(), max(sum(by_kind.values()), len(ranked))
        hits = self._rerank_hits(query, reader.distinct(ranked, k), notes)
        if tokens is None:
            return Found(reader.with_repeats([*islice(hits, k)]), matched, notes=tuple(notes))
        if "observation" in only.kinds and options.needs_outline(query, settings):
            whose = "" if search.is_about_assistant else " that is not the assistant's"
            if self._names_no_topic(query, options):
                notes.append(f"outline: the question names no topic, so every turn{whose}, shortened, in order of time")
                first, matched = self._first_turns(search)
                hits = reader.distinct(first)
            else:
                notes.append(f"outline: every matching turn{whose}, shortened, in order of time")
            hits = self._shortener(query, options).outlined(hits, with_assistant=search.is_about_assistant)
        else:
            whole = int(WHOLE_SHARE * tokens)
            hits = self._best_whole(hits, search, whole, reader, self._shortener(query, options))
        chosen, cost = fit_hits_to_budget(
            islice(hits, k), tokens, tokens_of=reader.tokens, before=lambda hit: self._turn_before(hit, allowed)
        )
        return Found(reader.with_repeats(chosen), matched, cost, tuple(notes))

    def find_by_kind(
        self, query: str, tokens: int, options: QuestionOptions = ONE_QUESTION
    ) -> "Mapping[RecallKind, KindMatches]":
        """What `find` gives within a budget, for each kind on its own: one search. Hits are read when they are used.

        Use both inside `retried`.
        """
        from uac.recall.search_scope import search_scope

        if self._indexer is None:
            return {kind: KindMatches(iter(()), 0) for kind in KINDS}
        searched = search_scope(self._indexer.arrays, self._head, self._project.gone)
        depth = max(MIN_CANDIDATES, tokens // SHORT_TURN_TOKENS)
        search = _Search(searched, None, EVERYTHING, frozenset(), None, depth, is_about_assistant(query), ALL_IDEAS)
        notes: list[str] = []
        ranked, matched = self._ranked(query, search, options, notes)
        best = ranked[0].score if len(ranked) else 0.0
        found: dict[RecallKind, KindMatches] = {}
        for kind in KINDS:
            part, count = ranked.of_kind(kind), matched[kind]
            reader = self._hit_reader()
            hits = self._rerank_hits(query, reader.distinct(part), notes)
            if kind == "observation" and options.needs_outline(query):
                if self._names_no_topic(query, options):
                    first, count = self._first_turns(search)
                    hits = reader.distinct(first)
                hits = self._shortener(query, options).outlined(hits, with_assistant=search.is_about_assistant)
            elif kind == "observation":
                whole = int(CONTEXT_WHOLE_SHARE * tokens)
                hits = self._best_whole(hits, search, whole, reader, self._shortener(query, options))
            found[kind] = KindMatches(hits, max(count, len(part)), best)
        return found

    def _names_no_topic(self, query: str, options: QuestionOptions) -> bool:
        return not options.queries and not has_topic(query_word_terms(query, self._head.languages))

    def _first_turns(self, search: "_Search") -> tuple[list[PassageMatch], int]:
        allowed = search.searched.visible if search.allowed is None else search.allowed
        with_assistant = search.is_about_assistant
        return first_turns(search.searched, allowed["observation"], search.depth, with_assistant=with_assistant)

    def _ranked(
        self, query: str, search: "_Search", options: QuestionOptions, notes: list[str]
    ) -> "tuple[RankedPassages | FusedPassages, Mapping[RecallKind, int]]":
        """The matching passages for all queries, best first, and for each kind how many matched one of them."""
        from uac.recall.fusion import FusedPassages
        from uac.recall.ranking import rank_passages

        queries = {f"query {number + 1}": (text, 1.0) for number, text in enumerate(options.all_queries(query))}
        if search.settings.thread and (thread := self._running_words(options)):
            queries["thread"] = (thread, THREAD_WEIGHT)
        only = search.only
        rankings = [
            rank_passages(
                self._parse_question(text, search, notes, is_asked=name != "thread")._replace(
                    is_about_assistant=search.is_about_assistant, is_recent=options.recent
                ),
                search.searched,
                kinds=tuple(kind for kind in only.kinds if kind != "record" or only.through is None),
                allowed=search.allowed,
                is_wanted_fact=lambda fact: only.former or not self._project.is_superseded(fact),
                without=search.without,
                depth=search.depth,
                settings=search.settings,
            )
            for name, (text, _weight) in queries.items()
        ]
        matched = {kind: max(ranking.matched[kind] for ranking in rankings) for kind in rankings[0].matched}
        if len(rankings) == 1:
            return rankings[0].ranked, matched
        weights = [weight for _text, weight in queries.values()]
        return FusedPassages([ranking.ranked for ranking in rankings], list(queries), weights), matched

    def _running_words(self, options: QuestionOptions) -> str:
        """What people said last in the running conversation; what the assistant said, if nobody else did."""
        table = self._table("observation")
        if table is None or not (options.within or options.after is not None):
            return ""
        rows = table.is_valid & (
            table.column("session") == table.text_number(options.within) if options.within else True
        )
        if options.after is not None:
            rows &= table.column("position") > options.after
        by_people = rows & (table.column("role") != table.text_number("assistant"))
        last = [int(row) for row in (by_people if by_people.any() else rows).nonzero()[0][-MAX_RUNNING_TURNS:]]
        hits = self._hit_reader().hits([PassageMatch(passage, {}) for passage in table.passages(last)])
        return "\n".join(hit.text for hit in hits if hit.position not in self._project.gone)

    def neighbours(self, position: int, *, before: int = 1, after: int = 1) -> list[int]:
        """The positions of the turns around an observation in its session, in order, without its own."""
        table = self._table("observation")
        if table is None or not len(rows := table.rows_at([position])):
            return []
        around = [*table.neighbours(int(rows[0]), before, 0), *table.neighbours(int(rows[-1]), 0, after)]
        beside = {int(found) for found in table.column("position")[around]} if around else set()
        return sorted(beside - {position} - self._project.gone)

    def hits_around(self, turns: Sequence[Hit]) -> Iterator[Hit]:
        """The turns beside these in their sessions, which may show what was meant: no matches themselves."""
        table = self._table("observation")
        for start in range(0, len(turns) if table is not None else 0, PAGE):
            assert table is not None
            near = table.rows_beside([hit.position for hit in turns[start : start + PAGE]])
            passages = [passage for passage in table.passages(near) if passage.position not in self._project.gone]
            yield from self._hit_reader().hits([PassageMatch(passage, {}) for passage in passages])

    def records_on(self, day: date) -> list[str]:
        """The records whose first or last day is this one, and those of at most a month that it lies in."""
        table = self._table("record")
        return table.records_on(day) if table is not None else []

    def hit(self, position: int) -> Hit | None:
        """The turn or fact at a position, with no score; None if it is not in the index."""
        for kind in ("observation", "fact"):
            table = self._table(kind)
            for row in table.rows_at([position])[:1] if table is not None else ():
                return self._first_hit(table, int(row))
        return None

    def _best_whole(
        self, hits: Iterator[Hit], search: _Search, whole: int, reader: HitReader, shortener: TurnShortener
    ) -> Iterator[Hit]:
        """The hits for a budget: the best whole, in `whole` tokens; the others shortened, so that more of them fit."""
        if search.is_about_assistant:
            hits = self._with_whole_answers(hits, search.allowed)
        return shortener.best_whole(hits, whole, reader.tokens) if search.settings.short_tail else hits

    def _shortener(self, query: str, options: QuestionOptions) -> TurnShortener:
        languages = self._head.languages
        words = {
            word for text in options.all_queries(query) for group in query_terms(text, languages) for word in group
        }
        return TurnShortener(words, self.recent.halves)

    def _with_whole_answers(self, hits: Iterator[Hit], allowed: "Mapping[RecallKind, Mask] | None") -> Iterator[Hit]:
        """The hits; the best of the assistant's turns with their other passages, if the question is about its words."""
        table, whole = self._table("observation"), set[int]()
        for hit in hits:
            yield hit
            is_answer = hit.kind == "observation" and hit.role == "assistant" and hit.position not in whole
            if table is None or not is_answer or len(whole) >= MAX_WHOLE_ANSWERS:
                continue
            whole.add(hit.position)
            rows = [int(row) for row in table.rows_at([hit.position])]
            others = [row for row in rows if allowed is None or allowed["observation"][row]]
            beside = self._hit_reader().hits([PassageMatch(passage, {}) for passage in table.passages(others)])
            yield from (other for other in beside if other.start != hit.start)

    def _turn_before(self, hit: Hit, allowed: "Mapping[RecallKind, Mask] | None") -> Hit | None:
        """The turn right before a hit, if the filter allows it."""
        table = self._table("observation")
        if table is None:
            return None
        for first in table.rows_at([hit.position])[:1].tolist():
            for row in table.neighbours(first, 1, 0):
                is_allowed = allowed is None or allowed["observation"][row]
                if is_allowed and int(table.column("position")[row]) not in self._project.gone:
                    return self._first_hit(table, row)
        return None

    def _first_hit(self, table: "PassageTable | None", row: int) -> Hit | None:
        """The hit of a row, with no score; None if it has no text."""
        if table is None:
            return None
        return next(self._hit_reader().hits([PassageMatch(table.passage(row), {})]), None)

    def _table(self, kind: RecallKind) -> "PassageTable | None":
        return self._indexer.arrays.tables[kind] if self._indexer is not None else None

    def _follow_log(
        self, log: Log | Prefix, project: Project, vectors: int, *, on_progress: OnProgress = lambda _position: None
    ) -> None:
        self._log, self._project, self._embedding_failure = log, project, ""
        indexer = self._indexer_for(log)
        head = indexer.index.head()
        if head != self._head and not log.contains(self._head.position, self._head.digest):
            # The user was erased and came back: nothing known about the old index applies to the new one.
            self._indexer = indexer = self._new_indexer(indexer.index)
        self._head = indexer.follow(log, project, head=head, on_progress=on_progress)
        if self._recent_of != (indexer, self._head.generation):  # words may have been erased
            self.recent.forget()
            if self._recent_of is not None:
                forget_cached_words()
            self._recent_of = (indexer, self._head.generation)
        self.recent.make_room()
        try:
            self._embed_passages(vectors)
        except ModelError as error:  # words, people and times are searched anyway
            self._embedding_failure = f" ({error})"

    def _hit_reader(self) -> HitReader:
        assert self._log is not None
        return HitReader(self._log, self._project, self.recent)

    def _new_indexer(self, index: IndexBlocks) -> "Indexer":
        from uac.recall.indexer import Indexer

        return Indexer(index, self._embedder)

    def _indexer_for(self, log: Log | Prefix) -> "Indexer":
        """The indexer for this log. A prefix, or a log that cannot be written, has an index in memory."""
        whole = log.log if isinstance(log, Prefix) else log
        if self._memory_index is not None or isinstance(log, Prefix):
            end = whole.head().position
            erased = any(stored.kind == "erasure" for stored in whole.read(self._checked + 1, end + 1))
            if self._memory_index is None or erased:  # a store removes erased text from its own index only
                self._memory_index = MemoryIndex()
            self._checked = end
        index = self._memory_index or whole.index()
        if self._indexer is None or self._indexer.index is not index:
            self._indexer = self._new_indexer(index)
        return self._indexer

    def _embed_passages(self, most: int) -> None:
        assert self._indexer is not None
        if self._embedder is not None and most > 0:
            assert self._log is not None
            self._indexer.embed_missing(PassageTexts(self._log, self._project).texts, most=most)

    def _question_time(self) -> datetime:
        moments: list[datetime] = []
        table = self._table("observation")
        if table is not None and table.count and self._log is not None:
            last = PassageTexts(self._log, self._project, self.recent).entry(table.passage(table.last_said()))
            moments += [last.said] if isinstance(last, Observation) else []
        moments += [self._project.now] if self._project.now else []
        return max(moments, default=datetime(2000, 1, 1, tzinfo=UTC))

    def _parse_question(
        self, query: str, search: _Search, notes: list[str], *, is_asked: bool = True
    ) -> "SearchQuestion":
        """Parse the query. `notes` gets how its dates were read, and what cannot be searched.

        Words that were said before (not `is_asked`) tell what they are about, and ask for no time.
        """
        from uac.recall.ranking import parse_question

        moment = search.now or self._question_time() if is_asked and "time" not in search.without else None
        terms = query_word_terms(query, self._head.languages)
        vector = self._query_vector(query, terms, search.settings, notes) if "meaning" not in search.without else None
        sentences = _sentences(query, search.settings)
        question = parse_question(query, search.searched, now=moment, vector=vector, terms=terms, sentences=sentences)
        notes += [f"read {time.words!r} as {time.start or '…'} to {time.end or '…'}" for time in question.times[:4]]
        return question

    def _query_vector(
        self, query: str, terms: Mapping[str, tuple[str, ...]], settings: SearchSettings, notes: list[str]
    ) -> "Vectors | None":
        """The question's vector, if there are vectors to compare it with."""
        assert self._indexer is not None
        if self._embedder is None or not query.strip():
            return None
        if (known := self._indexer.arrays.embedded()) < self._head.total:
            notes.append(f"meaning: {known} of {self._head.total} passages have a vector yet{self._embedding_failure}")
        if not known:
            return None
        try:
            if len(query) > MAX_QUERY_CHARACTERS:
                query = query[:MAX_QUERY_CHARACTERS]
                terms = query_word_terms(query, self._head.languages)
            vector = self._embed_query(query, self._embedder, terms, settings)
        except ModelError as error:
            notes.append(f"meaning: not searched, {error}")
            return None
        return vector if vector.size == self._indexer.arrays.dimension else None

    def _embed_query(
        self, query: str, embedder: Embedder, terms: Mapping[str, tuple[str, ...]], settings: SearchSettings
    ) -> "Vectors":
        """The vector of a query. Sentences that ask nothing count for less, words that are rare in this memory more."""
        parts: dict[float, str] = {}
        for sentence, weight in _sentences(query, settings):
            parts[weight] = parts.get(weight, "") + sentence
        rarities = self._word_rarities(query, terms) if settings.memory_vectors else {}
        vectors = embedder.embed([*parts.values(), *rarities], query=True)
        if len(vectors) == 1:
            return vectors
        shares = [
            *(weight / sum(parts) for weight in parts),
            *(rare / sum(rarities.values()) for rare in rarities.values()),
        ]
        mixed = sum(share * vector for share, vector in zip(shares, vectors, strict=True))
        length = float((mixed * mixed).sum()) ** 0.5
        scaled: Vectors = (mixed / (length or 1.0)).reshape(1, -1).astype(vectors.dtype)
        return scaled

    def _word_rarities(self, query: str, terms: Mapping[str, tuple[str, ...]]) -> Mapping[str, float]:
        """How rare each content word of a query is among the turns: from 1, for a word that nobody said, down to 0."""
        table, count = self._table("observation"), self._head.passages.get("observation", 0)
        if table is None or not count:
            return {}
        written = {word: terms[word.lower()] for word in _WORD.findall(query) if word.lower() in terms}
        most = math.log1p(count)
        return {word: math.log1p(count / (1 + len(table.rows_with(each)))) / most for word, each in written.items()}

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


def _is_about(query: str, settings: SearchSettings) -> bool:
    """Whether the question is about the assistant's words."""
    return is_about_assistant(query) if settings.addressed else has_you(query)


def _sentences(query: str, settings: SearchSettings) -> list[tuple[str, float]]:
    """The sentences of a query, and how much each counts."""
    return question_weights(query) if settings.asides else [(query, 1.0)]


def index_progress(log: Log, embedder: Embedder | None) -> IndexProgress:
    """How far the index of a log has come, with vectors of this embedder. Changes nothing."""
    from uac.recall.indexer import read_index_progress

    return read_index_progress(log, embedder)
