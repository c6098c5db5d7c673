"""Scores passages against a question: a sum over channels, each a share times its weight.

words     the share of the question's words in the passage, rare words counting more (BM25); the words of neighbouring
          turns count too, for less: "yes, in June" answers a question; and so does a match of the assistant's answer
meaning   how close its vector is to the question's, and to those of the best matches
session   how well the best passages of its conversation match
person    whether the speaker is a person named in the question; if nobody is named, the user
time      how well its days fit the days that the question asks about, if it matches in another way too
facts     how well a fact that cites it matches
recent    how lately it was said, if that is asked for

All of it is arithmetic on the arrays of `passage_arrays`, for all rows or all candidates at once.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from uac.log.index import KINDS, Passage, RecallKind, Vectors
from uac.recall.growing_array import distinct
from uac.recall.matches import CHANNELS, WEIGHTS, Channel, PassageMatch
from uac.recall.passage_arrays import NONE, Mask, PassageArrays, PassageTable, Rows, Scores
from uac.recall.search_scope import SearchScope
from uac.recall.search_settings import ALL_IDEAS, SearchSettings
from uac.recall.vector_table import Compared
from uac.schema.periods import Period
from uac.text.search_terms import group_terms, query_terms, terms_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from uac.text.dates.questions import AskedTime

__all__ = [
    "CHANNELS",
    "KIND_SHIFT",
    "WEIGHTS",
    "Channel",
    "PassageMatches",
    "RankedPassages",
    "SearchQuestion",
    "parse_question",
    "rank_passages",
]

SCORED: tuple[Channel, ...] = ("words", "around", *(name for name in WEIGHTS if name != "words"))
EVIDENCE: tuple[Channel, ...] = ("words", "around", "meaning", "time", "facts")
SESSION_SAMPLE = 3  # best passages of a conversation that decide how well it matches
KIND_SHIFT = 48  # bits for the row in a passage's key
BESIDE_WEIGHT = 0.15  # of the meaning of the turn before or after, relative to the turn's own
INFERRED_WEIGHT = 0.5  # of indirect evidence, relative to direct evidence
FEEDBACK_SAMPLE = 5  # best turns whose vectors are added to the question's
FEEDBACK_WEIGHT = 0.45  # of their vectors, relative to the question's own
SURE_MATCH = 0.3  # of the best turn, by words and meaning; below it, such vectors count less
ANSWER_WEIGHT = 0.4  # of a match of the assistant's answer, relative to one of the turn itself
RELATED = 0.4  # share of the best match at which the time of a turn counts in full
ANY_MATCH = 0.04  # a match that says nothing: what is about as weak is not told apart by it
HALF_LIFE_DAYS = 30  # after which what was said lately counts half as much
SECONDS_OF_A_DAY = 86_400
MIN_EVENT_MATCH = 0.25  # share of an event's words that a passage must have


class SearchQuestion(NamedTuple):
    """A question, parsed for the search."""

    groups: tuple[tuple[str, ...], ...]
    """For each word, its possible forms."""
    weights: tuple[float, ...]
    """How much each word counts."""
    speakers: frozenset[str]
    """Speakers of the log who are named in the question."""
    names: frozenset[str]
    """The words of their names."""
    times: "tuple[AskedTime, ...]"
    vector: "Vectors | None"
    is_about_assistant: bool = False
    """Whether what the assistant said counts as much as what the user said."""
    is_recent: bool = False
    """Whether what was said lately counts more."""


class PassageMatches(NamedTuple):
    """The best matches, best first, and how many passages of each kind matched in total."""

    ranked: "RankedPassages"
    matched: Mapping[RecallKind, int]


def parse_question(
    query: str,
    searched: SearchScope,
    *,
    now: datetime | None,
    vector: "Vectors | None",
    terms: Mapping[str, tuple[str, ...]],
    sentences: Sequence[tuple[str, float]],
) -> SearchQuestion:
    """Separates words, people and times. Without `now`, times are not looked for.

    `terms` are those of each word of the query (`query_word_terms`), `sentences` its sentences with their weights.
    """
    from uac.text.dates.questions import asked_times  # its vocabulary takes 30 ms

    head = searched.head
    groups = group_terms(terms)
    words = {form for group in groups for form in group}
    speakers = {speaker: frozenset(terms_of(speaker)) for speaker in head.speakers}
    named = frozenset(speaker for speaker, names in speakers.items() if names & words)
    names = frozenset(name for speaker in named for name in speakers[speaker])
    # A speaker's name says whose words are meant; others only say it to address them.
    telling = [group for group in groups if names.isdisjoint(group)] or groups
    names = names.union(*(group for group in groups if not names.isdisjoint(group)))  # in every language's form
    return SearchQuestion(
        groups=tuple(telling),
        weights=tuple(_word_weights(sentences, telling, head.languages)),
        speakers=named,
        names=names,
        times=(asked_times(query, now) or tuple(_event_times(query, searched))) if now is not None else (),
        vector=vector,
    )


def _word_weights(
    sentences: Sequence[tuple[str, float]], groups: "Sequence[tuple[str, ...]]", languages: Collection[str]
) -> Iterator[float]:
    """How much each word counts: as much as the sentence of the query that asks most."""
    if len(sentences) == 1:
        yield from (1.0 for _group in groups)
        return
    known: dict[str, float] = {}
    for sentence, weight in sentences:
        for form in (form for group in query_terms(sentence, languages) for form in group):
            known[form] = max(weight, known.get(form, 0.0))
    yield from (max((known.get(form, 0.0) for form in group), default=0.0) or 1.0 for group in groups)


def rank_passages(
    question: SearchQuestion,
    searched: SearchScope,
    *,
    kinds: Collection[RecallKind] = KINDS,
    allowed: Mapping[RecallKind, Mask] | None = None,
    is_wanted_fact: Callable[[int], bool] = lambda _position: True,
    without: Collection[Channel] = (),
    depth: int = 200,
    settings: SearchSettings = ALL_IDEAS,
) -> PassageMatches:
    """The matching passages, best first: of these kinds, among the allowed rows (if given), and wanted.

    `depth` is how many candidates of each kind each channel may contribute.
    """
    ranking = _Ranking(question, searched, frozenset(without), depth, settings)
    candidates = ranking.score_candidates(frozenset(kinds), allowed)
    matched = {kind: ranking.found[kind] for kind in kinds}
    chosen: list[_Matches] = []
    for found in candidates:
        if found.kind not in kinds:
            continue
        is_match = found.is_evidence()
        if allowed is not None:
            is_match &= allowed[found.kind][found.rows]
        if found.kind == "fact":
            positions = searched.arrays.tables["fact"].column("position")[found.rows]
            is_wanted = np.array([is_wanted_fact(position) for position in positions.tolist()], bool)
            matched["fact"][found.rows[~is_wanted]] = False
            is_match &= is_wanted
        matched[found.kind][found.rows[is_match]] = True
        chosen.append(found.only(is_match))
    return PassageMatches(
        RankedPassages(searched.arrays, chosen), {kind: int(np.count_nonzero(rows)) for kind, rows in matched.items()}
    )


class _Candidates(NamedTuple):
    """Rows of a kind, and their score in each channel."""

    kind: RecallKind
    rows: Rows
    channels: dict[Channel, Scores]

    def is_evidence(self) -> Mask:
        """Which rows match by more than the person and the conversation."""
        is_any: Mask = np.maximum.reduce([self.channels[name] for name in EVIDENCE]) > 0
        return is_any

    def only(self, chosen: Mask) -> "_Matches":
        return _Matches(self.kind, self.rows[chosen], np.array([self.channels[name] for name in SCORED])[:, chosen])


class _Matches(NamedTuple):
    """Rows of a kind, and their scores: a line for each of SCORED."""

    kind: RecallKind
    rows: Rows
    scores: Scores


class RankedPassages(Sequence[PassageMatch]):
    """Matches in order. Each is made when it is looked at: a search looks at few of them."""

    def __init__(self, arrays: PassageArrays, found: Sequence[_Matches]) -> None:
        found = [matches for matches in found if len(matches.rows)]
        self._tables = [arrays.tables[matches.kind] for matches in found]
        self._sources = np.repeat(np.arange(len(found)), [len(matches.rows) for matches in found])
        self._rows = _joined([matches.rows for matches in found]).astype(np.int64)
        self._scores = np.concatenate([np.zeros((len(SCORED), 0)), *(matches.scores for matches in found)], axis=1)
        scores = np.maximum(self._scores, 0.0).sum(axis=0)
        parts = list(zip(self._tables, (matches.rows for matches in found), strict=True))
        starts = _joined([table.column("start")[rows] for table, rows in parts])
        positions = _joined([table.column("position")[rows] for table, rows in parts])
        names = _joined([_record_order(table, rows) for table, rows in parts])
        self._order = np.lexsort((starts, names, positions, -scores))

    def __len__(self) -> int:
        return len(self._order)

    def of_kind(self, kind: RecallKind) -> "RankedPassages":
        """Those of one kind, in the same order."""
        part = copy(self)
        is_kind = np.array([table.kind == kind for table in self._tables], bool)
        part._order = self._order[is_kind[self._sources[self._order]]]  # noqa: SLF001 - its own copy
        return part

    @overload
    def __getitem__(self, place: int) -> PassageMatch: ...
    @overload
    def __getitem__(self, place: slice) -> list[PassageMatch]: ...
    def __getitem__(self, place: int | slice) -> PassageMatch | list[PassageMatch]:
        if isinstance(place, slice):
            return self._matches(self._order[place])
        return self._matches(self._order[[place]])[0]

    def keys(self) -> Rows:
        """A number for each passage in order, the same in every ranking of one index."""
        kinds = np.array([KINDS.index(table.kind) for table in self._tables], np.int64)
        found: Rows = (kinds[self._sources] << KIND_SHIFT | self._rows)[self._order]
        return found

    def _matches(self, numbers: Rows) -> list[PassageMatch]:
        passages: dict[int, Passage] = {}
        sources = self._sources[numbers]
        for source, table in enumerate(self._tables):
            own = numbers[sources == source]
            passages |= zip(own.tolist(), table.passages(self._rows[own]), strict=True)
        scores = self._scores[:, numbers].T.tolist()
        return [
            PassageMatch(passages[number], {name: score for name, score in zip(SCORED, each, strict=True) if score > 0})
            for number, each in zip(numbers.tolist(), scores, strict=True)
        ]


def _record_order(table: PassageTable, rows: Rows) -> Rows:
    """The rank of each row's record by name, from 1; 0 for other kinds."""
    if table.kind != "record":
        return np.zeros(len(rows), np.int64)
    names = [table.records[row] for row in rows.tolist()]
    places = {name: place for place, name in enumerate(sorted(set(names)), 1)}
    return np.array([places[name] for name in names], np.int64)


def _joined(parts: "Sequence[NDArray[Any]]") -> "NDArray[Any]":
    return np.concatenate(parts) if len(parts) else np.zeros(0, np.int64)


class _Ranking:
    """One question against one index: the candidates and their score in each channel."""

    def __init__(
        self,
        question: SearchQuestion,
        searched: SearchScope,
        without: frozenset[Channel],
        depth: int,
        settings: SearchSettings,
    ) -> None:
        self.question, self.searched, self.without, self.depth = question, searched, without, depth
        self.settings = settings
        self.arrays, self.head = searched.arrays, searched.head
        self.found: dict[RecallKind, Mask] = {}
        """The allowed passages that share a word or a day with the question."""
        self._words: dict[RecallKind, Scores] = {}
        self._has_word: dict[RecallKind, Mask] = {}
        """The passages that share a word with the question themselves, and not only through their neighbours."""
        self._compared: dict[RecallKind, Compared] = {}
        """The rows that may be closest in meaning, and how close they are."""

    def score_candidates(
        self, kinds: frozenset[RecallKind], allowed: Mapping[RecallKind, Mask] | None
    ) -> list[_Candidates]:
        # Facts are candidates even if only turns are wanted: they add to the score of the turns they cite.
        lends = "observation" in kinds and "facts" not in self.without and self.arrays.tables["fact"].count > 0
        rows: dict[RecallKind, Rows] = {}
        for kind in KINDS:
            if kind in kinds or (kind == "fact" and lends):
                rows[kind] = self._candidate_rows(kind, allowed[kind] if allowed and kind in kinds else None)
        if lends:
            cited = self.arrays.tables["observation"].rows_at(self.arrays.tables["fact"].cites(rows["fact"]).tolist())
            cited = cited[self.searched.visible["observation"][cited]]
            rows["observation"] = distinct(np.concatenate([rows["observation"], cited]))
        if "observation" in rows and self._adds_answers:
            answered = self._answered_turns(rows["observation"])[1]
            answered = answered[self.searched.visible["observation"][answered]]
            rows["observation"] = distinct(np.concatenate([rows["observation"], answered]))
        found = [_Candidates(kind, rows[kind], self._channels(kind, rows[kind])) for kind in rows]
        by_kind = {candidates.kind: candidates for candidates in found}
        if lends:
            self._add_fact_scores(by_kind["observation"], by_kind["fact"])
        if "observation" in by_kind and len(by_kind["observation"].rows):
            self._add_turn_scores(by_kind["observation"])
        return found

    def _add_turn_scores(self, turns: _Candidates) -> None:
        """Add what depends on how well other turns match."""
        if self.question.vector is not None and "meaning" not in self.without and self.settings.best_turns:
            self._add_feedback(turns, self.question.vector)
        if self._adds_answers:
            self._add_answer_scores(turns)
        if "session" not in self.without:
            self._add_session_scores(turns)
        if "time" not in self.without and self.question.times and self.settings.fading_times:
            self._fade_unrelated_times(turns)

    @property
    def _adds_answers(self) -> bool:
        return "around" not in self.without and self.settings.answers

    def _candidate_rows(self, kind: RecallKind, allowed: Mask | None) -> Rows:
        table, among = self.arrays.tables[kind], self.searched.visible[kind]
        if not table.count:
            self.found[kind], self._words[kind] = np.zeros(0, bool), np.zeros(0)
            return np.zeros(0, np.int64)
        among = among if allowed is None else among & allowed
        found = self.found[kind] = np.zeros(table.count, bool)
        parts: list[Rows] = []
        if "words" not in self.without:
            parts.append(_best_rows(np.where(among, self._word_scores(kind), 0.0), self.depth))
        if self.question.vector is not None and "meaning" not in self.without:
            self._compared[kind] = self.arrays.vectors[kind].compare(
                self.question.vector, among, self.depth, is_centred=self.settings.memory_vectors
            )
            parts.append(self._compared[kind].nearest)
        if "time" not in self.without:
            for time in self.question.times:
                first, last = _asked_days(time)
                dated = np.flatnonzero(among & (table.column("until") >= first) & (table.column("since") <= last))
                found[dated] = True
                newest = np.lexsort((dated, table.column("since")[dated]))[::-1][: self.depth]
                parts.append(dated[newest])
        found &= among
        return _rows_of(parts, table.count)

    def _word_scores(self, kind: RecallKind) -> Scores:
        """BM25 of all rows, neighbours included, as a share of what the question's words can give."""
        table, visible = self.arrays.tables[kind], self.searched.visible[kind]
        count = self.head.passages.get(kind, 0)
        groups: list[tuple[float, Rows]] = []
        for group, weight in zip(self.question.groups, self.question.weights, strict=True):
            rows = table.rows_with(group)
            rows = rows[visible[rows]]
            self.found[kind][rows] = True
            others = max(count - len(rows), 0)
            groups.append((weight * math.log(1 + (others + 0.5) / (len(rows) + 0.5)), rows))
        self._has_word[kind] = self.found[kind].copy()
        total = sum(rarity for rarity, _rows in groups) or 1.0
        usual = max(self.head.words.get(kind, 0) / max(count, 1), 1.0)
        with_neighbours = kind == "observation" and "around" not in self.without
        scores = self._words[kind] = table.bm25_scores(groups, usual, with_neighbours=with_neighbours)
        scores /= total  # in place: these are the largest arrays of a search
        scores[~visible] = 0.0
        return scores

    def _channels(self, kind: RecallKind, rows: Rows) -> dict[Channel, Scores]:
        table, nothing = self.arrays.tables[kind], np.zeros(len(rows))
        channels: dict[Channel, Scores] = dict.fromkeys(SCORED, nothing)
        if not len(rows):
            return channels
        if "words" not in self.without:
            scores, has_word = WEIGHTS["words"] * self._words[kind][rows], self._has_word[kind][rows]
            channels["words"], channels["around"] = np.where(has_word, scores, 0.0), np.where(has_word, 0.0, scores)
        if self.question.vector is not None and "meaning" not in self.without:
            channels["meaning"] = WEIGHTS["meaning"] * self._closeness(kind, rows)
        if "person" not in self.without:
            channels["person"] = WEIGHTS["person"] * self._is_person_meant(table, rows).astype(np.float64)
        if "time" not in self.without and self.question.times:
            channels["time"] = WEIGHTS["time"] * self._time_scores(table, rows)
        if "recent" not in self.without and self.question.is_recent:
            channels["recent"] = WEIGHTS["recent"] * self._recency(table, rows)
        return channels

    def _closeness(self, kind: RecallKind, rows: Rows) -> Scores:
        """How close the vector of each row is; a turn's is closer if those beside it are close."""
        if kind != "observation" or "around" in self.without or not self.settings.memory_vectors:
            return self._own_closeness(kind, rows)
        beside = self.arrays.tables[kind].beside(rows)
        beside[~self.searched.visible[kind][beside]] = NONE
        count = self.arrays.tables[kind].count
        every = _rows_of([rows, beside[beside != NONE]], count)
        close = np.zeros(count + 1)  # the last is that of NONE
        close[every] = self._own_closeness(kind, every)
        around = np.maximum(close[beside], 0.0).sum(axis=0)
        mixed: Scores = close[rows] + BESIDE_WEIGHT * around
        return mixed / (1 + len(beside) * BESIDE_WEIGHT)

    def _own_closeness(self, kind: RecallKind, rows: Rows) -> Scores:
        """How close the vector of each row is; that of the rows that were compared is known."""
        assert self.question.vector is not None
        compared, is_centred = self._compared[kind], self.settings.memory_vectors
        if not len(compared.rows):
            return self.arrays.vectors[kind].closeness(self.question.vector, rows, is_centred=is_centred)
        places = np.minimum(compared.rows.searchsorted(rows), len(compared.rows) - 1)
        close: Scores = compared.close[places]
        others = (compared.rows[places] != rows).nonzero()[0]
        if len(others):
            close[others] = self.arrays.vectors[kind].closeness(
                self.question.vector, rows[others], is_centred=is_centred
            )
        return close

    def _is_person_meant(self, table: PassageTable, rows: Rows) -> Mask:
        """Whether a row is by or about the person that the question names; without a name, the user."""
        if self.question.speakers:
            numbers = [table.text_number(speaker) for speaker in sorted(self.question.speakers)]
            speakers = table.column("speaker")[rows]
            named = table.rows_with(sorted(self.question.names)) if table.kind != "observation" else ()
            return np.where(speakers > 0, _is_one_of(speakers, numbers), np.isin(rows, named))
        if table.kind == "observation":
            roles = ("user", "assistant") if self.question.is_about_assistant else ("user",)
            return _is_one_of(table.column("role")[rows], [table.text_number(role) for role in roles])
        if table.kind == "record":
            return np.ones(len(rows), bool)
        numbers = [table.text_number(authority) for authority in ("user", "correction")]
        return _is_one_of(table.column("authority")[rows], numbers)

    def _time_scores(self, table: PassageTable, rows: Rows) -> Scores:
        from uac.text.dates.questions import overlap

        days = np.stack([table.column("since")[rows], table.column("until")[rows]], axis=1)
        spans, places = np.unique(days, axis=0, return_inverse=True)
        scores = [
            max(time.weight * overlap(time, date.fromordinal(since), date.fromordinal(until)) for time in times)
            if since and (times := self.question.times)
            else 0.0
            for since, until in spans.tolist()
        ]
        every: Scores = np.array(scores, np.float64)[places.reshape(-1)]
        return every

    def _recency(self, table: PassageTable, rows: Rows) -> Scores:
        """1 for what was said last, half of it for each month before; 0 for what nobody said."""
        said = table.column("said")[rows]
        newest = int(self.arrays.tables["observation"].column("said").max(initial=0))
        ages = np.maximum(newest - said.astype(np.int64), 0) / SECONDS_OF_A_DAY
        share: Scores = np.where(said > 0, 0.5 ** (ages / HALF_LIFE_DAYS), 0.0)
        return share

    def _add_fact_scores(self, turns: _Candidates, facts: _Candidates) -> None:
        """Let a matching fact add to the score of the turns it cites: by its words and, half as much, its meaning."""
        table = self.arrays.tables["fact"]
        values = np.repeat(_lent_scores(facts), table.cite_counts(facts.rows))
        turns.channels["facts"] = WEIGHTS["facts"] * self._lent(turns, table.cites(facts.rows), values)

    def _add_answer_scores(self, turns: _Candidates) -> None:
        """Let a matching answer of the assistant add to the score of the turn that it answers."""
        places, answered = self._answered_turns(turns.rows)
        positions: Rows = self.arrays.tables["observation"].column("position")[answered].astype(np.int64)
        lent = self._lent(turns, positions, _lent_scores(turns)[places])
        turns.channels["around"] = np.maximum(turns.channels["around"], ANSWER_WEIGHT * lent)

    def _answered_turns(self, rows: Rows) -> tuple[Rows, Rows]:
        """The places of the rows that answer a turn of somebody else than the assistant, and the last row of each."""
        table = self.arrays.tables["observation"]
        roles, assistant = table.column("role"), table.text_number("assistant")
        places = np.flatnonzero(roles[rows] == assistant)
        before = table.turns_before(rows[places])
        is_answer = (before != NONE) & (roles[before] != assistant)
        return places[is_answer], before[is_answer]

    def _lent(self, turns: _Candidates, positions: Rows, values: Scores) -> Scores:
        """For each turn, the highest of the values for its position; 0 if there is none."""
        known, places = np.unique(positions, return_inverse=True)
        if not len(known):
            return np.zeros(len(turns.rows))
        best = np.zeros(len(known))
        np.maximum.at(best, places, values)
        own = self.arrays.tables["observation"].column("position")[turns.rows]
        place = np.minimum(np.searchsorted(known, own), len(known) - 1)
        lent: Scores = np.where(known[place] == own, best[place], 0.0)
        return lent

    def _add_feedback(self, turns: _Candidates, vector: Vectors) -> None:
        """Search by meaning again, for what the best turns are about: they often name what the question describes."""
        scores = _direct_scores(turns) + turns.channels["facts"]
        best = np.argsort(-(scores + turns.channels["person"]), kind="stable")[:FEEDBACK_SAMPLE]
        vectors, compared = self.arrays.vectors["observation"], self._compared["observation"]
        weight = FEEDBACK_WEIGHT * min(1.0, float(scores[best].max()) / SURE_MATCH)
        moved = vectors.moved_towards(vector, turns.rows[best], scores[best], weight)
        self._compared["observation"] = compared._replace(
            close=vectors.closeness(moved, compared.rows, is_centred=self.settings.memory_vectors)
        )
        self.question = self.question._replace(vector=moved)
        turns.channels["meaning"] = WEIGHTS["meaning"] * self._closeness("observation", turns.rows)

    def _fade_unrelated_times(self, turns: _Candidates) -> None:
        """Let the time of a turn count for less if it matches in no other way: a day has many turns."""
        scores = _direct_scores(turns) + turns.channels["facts"]
        related = max(RELATED * float(scores.max()), ANY_MATCH)
        share = np.minimum((scores + ANY_MATCH) / related, 1.0)
        turns.channels["time"] = turns.channels["time"] * share

    def _add_session_scores(self, turns: _Candidates) -> None:
        """Add to the score of every turn of a conversation in which several turns match."""
        values = _direct_scores(turns)
        sessions = self.arrays.tables["observation"].column("session")[turns.rows]
        order = np.lexsort((-values, sessions))
        grouped = sessions[order]
        rank = np.arange(len(order)) - grouped.searchsorted(grouped)
        best = order[rank < SESSION_SAMPLE]
        means = np.bincount(sessions[best], values[best]) / SESSION_SAMPLE
        turns.channels["session"] = WEIGHTS["session"] * means[sessions]


def _direct_scores(found: _Candidates) -> Scores:
    """What words and meaning say."""
    scores: Scores = found.channels["words"] + found.channels["around"] + np.maximum(found.channels["meaning"], 0.0)
    return scores


def _lent_scores(found: _Candidates) -> Scores:
    """What a passage adds to others: by its words and, half as much, its meaning."""
    closeness = np.maximum(found.channels["meaning"], 0.0) / WEIGHTS["meaning"]
    scores: Scores = found.channels["words"] + INFERRED_WEIGHT * closeness
    return scores


def _rows_of(parts: Sequence[Rows], count: int) -> Rows:
    """The rows of all parts, in order, each once. There are `count` rows in all."""
    is_in = np.zeros(count, bool)
    for part in parts:
        is_in[part] = True
    return is_in.nonzero()[0]


def _is_one_of(values: "NDArray[Any]", numbers: Sequence[int]) -> Mask:
    """What `np.isin` gives, faster for few numbers."""
    is_one: Mask = values == numbers[0]
    for number in numbers[1:]:
        is_one |= values == number
    return is_one


def _best_rows(scores: Scores, most: int) -> Rows:
    rows = np.flatnonzero(scores)
    return rows if len(rows) <= most else rows[np.argpartition(-scores[rows], most)[:most]]


def _asked_days(time: "AskedTime") -> tuple[int, int]:
    """The first and the last day that are asked about; a passage without a day has 0."""
    first = date.fromisoformat(time.start).toordinal() if time.start else 0
    return first, (date.fromisoformat(time.end) if time.end else date.max).toordinal()


def _event_times(query: str, searched: SearchScope) -> "Iterator[AskedTime]":
    """The days that "before the wedding" asks about: those of the fact, record or turn that best matches the event."""
    from uac.text.dates.questions import around_event, asked_events

    for event in asked_events(query):
        groups = tuple(query_terms(event.words, searched.head.languages))
        event_question = SearchQuestion(groups, (1.0,) * len(groups), frozenset(), frozenset(), (), None)
        others: tuple[Channel, ...] = ("meaning", "time", "facts", "session")
        for best in rank_passages(event_question, searched, without=others).ranked[:1]:
            if best.channels.get("words", 0.0) >= MIN_EVENT_MATCH and best.passage.since:
                days = (date.fromordinal(day).isoformat() for day in (best.passage.since, best.passage.until))
                time = around_event(event, Period(*days))
                yield time._replace(weight=INFERRED_WEIGHT * time.weight)
