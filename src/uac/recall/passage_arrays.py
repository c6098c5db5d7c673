"""The passages of an index in memory, as arrays: a search reads no row of the store.

A passage is a row of the table of its kind. Rows are never moved within a generation of the index, so that following
the index only means to read the blocks that are new.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from uac.log.block_parts import BlockBytes, BlockGone, WholeBlock
from uac.log.index import KINDS, BlockName, IndexBlocks, IndexHead, Passage, RecallKind
from uac.log.index_blocks import Integers, PassageBlock, VectorBlock, decode_rows
from uac.recall.growing_array import GrowingArray, distinct
from uac.recall.passages import MAX_SPAN_DAYS
from uac.recall.vector_table import VectorTable

__all__ = [
    "NEIGHBOUR_WEIGHTS",
    "NONE",
    "Mask",
    "PassageArrays",
    "PassageTable",
    "Rows",
    "Scores",
    "vector_sequence",
]

Mask: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.int64]
Scores: TypeAlias = NDArray[np.float64]

NEIGHBOUR_WEIGHTS: Mapping[int, float] = {-1: 0.8, 1: 0.56, -2: 0.3, 2: 0.3}
"""Weight of a word in a neighbouring turn, by distance, relative to a word in the turn itself."""
NEIGHBOURHOOD_WEIGHT = 1 + sum(NEIGHBOUR_WEIGHTS.values())
LONG_PASSAGE = 60  # words; a longer passage gets nothing from its neighbours
K1, B = 1.2, 0.75  # BM25: saturation of a term's count, and penalty for long texts
MAX_FOUND = 32  # words whose rows are kept: those of one question
MAX_MADE = 2048  # passages that are kept as objects
NONE = -1  # in place of a neighbour

_NUMBER_COLUMNS = ("position", "said", "start", "stop", "since", "until", "size")
_TEXT_COLUMNS = ("session", "speaker", "role", "authority", "source", "language")


class PassageTable:
    """The passages of one kind: columns, words, and for turns the neighbours in their session."""

    def __init__(self, kind: RecallKind) -> None:
        self.kind: RecallKind = kind
        self.count = 0
        self.records: list[str] = []
        self.stamps: list[str] = []
        self.row_of: dict[str, int] = {}
        """The row of each record that is valid."""
        self._columns = {name: GrowingArray("i1", widens=True) for name in (*_NUMBER_COLUMNS, *_TEXT_COLUMNS)}
        self._texts, self._text_numbers = [""], {"": 0}
        self._cites, self._cite_starts = GrowingArray("i8"), GrowingArray("i1", widens=True)
        self._cite_starts.grow(1)
        self._is_valid = GrowingArray("?")
        self._before, self._after = GrowingArray("i4"), GrowingArray("i4")
        self._lengths = GrowingArray("f8")
        self._session_ends: dict[int, int] = {}
        self._words: list[tuple[int, PassageBlock]] = []
        self._removed = 0
        self._found: dict[str, Rows] = {}
        """The rows of words that were looked for lately."""
        self._made: dict[int, Passage] = {}
        """Passages of rows, which never change."""
        self._reached = GrowingArray("i1", widens=True)
        """The highest position up to each row: the position of a row that is not blank."""

    def column(self, name: str) -> Integers:
        """Numbers of the rows, in as few bytes as hold them; for a text, its number: see `text_number`."""
        return self._columns[name].values

    @property
    def is_valid(self) -> Mask:
        return self._is_valid.values

    @property
    def sizes(self) -> Integers:
        return self._columns["size"].values

    def text_number(self, text: str) -> int:
        """The number of a text in columns; -1 if no row has it."""
        return self._text_numbers.get(text, NONE)

    def last_said(self) -> int:
        """The row of the turn that was said last."""
        return int(self.column("said").argmax())

    def passages(self, rows: "Sequence[int] | Rows") -> list[Passage]:
        """The passages of these rows, in their order."""
        made, wanted = self._made, rows if isinstance(rows, list) else np.asarray(rows).tolist()
        if missing := [row for row in wanted if row not in made]:
            if len(made) > MAX_MADE:
                made.clear()
                missing = wanted
            made |= zip(missing, self._make_passages(missing), strict=True)
        return [made[row] for row in wanted]

    def _make_passages(self, rows: Sequence[int]) -> list[Passage]:
        chosen = np.asarray(rows, np.int64)
        columns: dict[str, list[Any]] = {name: self.column(name)[chosen].tolist() for name in _NUMBER_COLUMNS}
        for name in _TEXT_COLUMNS:
            columns[name] = [self._texts[number] for number in self.column(name)[chosen].tolist()]
        starts, places = self._cite_starts.values, chosen.tolist()
        spans = zip(starts[chosen].tolist(), starts[chosen + 1].tolist(), strict=True)
        columns["kind"] = [self.kind] * len(places)
        columns["cites"] = [
            tuple(self._cites.values[first:last].tolist()) if last > first else () for first, last in spans
        ]
        columns["record"] = [self.records[row] for row in places] if self.records else [""] * len(places)
        columns["stamp"] = [self.stamps[row] for row in places] if self.stamps else [""] * len(places)
        return list(map(Passage._make, zip(*(columns[name] for name in Passage._fields), strict=True)))

    def passage(self, row: int) -> Passage:
        return self.passages([row])[0]

    def cites(self, rows: "Sequence[int] | Rows") -> Rows:
        """The positions that these rows cite, one after the other."""
        chosen = np.asarray(rows, np.int64)
        starts = self._cite_starts.values
        return self._cites.values[_span_members(*(starts[each].astype(np.int64) for each in (chosen, chosen + 1)))]

    def cite_counts(self, rows: Rows) -> Rows:
        starts = self._cite_starts.values
        counts: Rows = starts[rows + 1].astype(np.int64) - starts[rows]
        return counts

    def rows_at(self, positions: Iterable[int]) -> Rows:
        """The rows of turns or facts at these positions. Rows are in the log's order; blank ones have no position."""
        wanted = distinct(np.fromiter(positions, np.int64))
        rows = _span_members(self._places(wanted, "left"), self._places(wanted, "right"))
        return rows[self.column("position")[rows] > 0]

    def _places(self, positions: Integers, side: Literal["left", "right"]) -> Rows:
        """Where positions would be inserted among the rows."""
        reached = self._reached.values
        limits = np.iinfo(reached.dtype)  # in another form, all rows would be copied
        places: Rows = reached.searchsorted(positions.clip(limits.min, limits.max).astype(reached.dtype), side)
        return places

    def rows_with(self, terms: Iterable[str]) -> Rows:
        """The rows that have one of these words, in order."""
        lists = [rows for term in dict.fromkeys(terms) if len(rows := self._rows_with_term(term))]
        if len(lists) < 2:
            return lists[0] if lists else np.zeros(0, np.int64)
        return distinct(np.concatenate(lists))

    def _rows_with_term(self, term: str) -> Rows:
        if (known := self._found.get(term)) is None:
            if len(self._found) >= MAX_FOUND:
                self._found.clear()
            known = self._found[term] = self._find_term(term)
        return known

    def _find_term(self, term: str) -> Rows:
        wanted = term.encode()
        for _start, block in self._words:
            block.expect_words()
        parts = [found + np.int64(start) for start, block in self._words if len(found := block.rows_with(wanted))]
        if len(parts) < 2:
            return parts[0] if parts else np.zeros(0, np.int64)
        return np.concatenate(parts)

    def records_on(self, day: date) -> list[str]:
        """The records whose first or last day is this one, and those of at most a month that it lies in."""
        number = day.toordinal()
        since, until = self.column("since"), self.column("until")
        is_short = (since <= number) & (number <= until) & (until - since <= MAX_SPAN_DAYS)
        is_on = self.is_valid & ((since == number) | (until == number) | is_short)
        return sorted(self.records[row] for row in np.flatnonzero(is_on))

    def neighbours(self, row: int, before: int, after: int) -> list[int]:
        """The rows around one in its session, in order."""
        found: list[int] = []
        for links, limit in ((self._before.values, before), (self._after.values, after)):
            here = row
            for _step in range(limit):
                here = int(links[here])
                if here == NONE:
                    break
                found.append(here)
        return sorted(found)

    def beside(self, rows: Rows) -> Rows:
        """The row before and the row after each: two lists. NONE if there is none, or if the row is long."""
        found = np.array([self._before.values[rows], self._after.values[rows]], np.int64)
        found[:, self.sizes[rows] > LONG_PASSAGE] = NONE
        return found

    def turns_before(self, rows: Rows) -> Rows:
        """For each row, the last row of the turn before its own in its session; NONE if there is none."""
        first = self._places(self.column("position")[rows], "left")
        before: Rows = self._before.values[first].astype(np.int64)
        return before

    def rows_beside(self, positions: Sequence[int]) -> list[int]:
        """The rows before and after the turns at these positions, in their order, each once."""
        found: dict[int, None] = {}
        own: dict[int, list[int]] = {}
        for row in self.rows_at(positions).tolist():
            own.setdefault(int(self.column("position")[row]), []).append(row)
        for position in positions:
            rows = own.get(position, [])
            beside = [int(self._before.values[rows[0]]), int(self._after.values[rows[-1]])] if rows else []
            found |= dict.fromkeys(row for row in beside if row != NONE)
        return list(found)

    def bm25_scores(
        self, groups: Iterable[tuple[float, Rows]], average_size: float, *, with_neighbours: bool
    ) -> Scores:
        """BM25 of each row: positive for those that have one of the words, or are neighbours of one that has.

        `groups` are the words: how rare each is, and the rows that have it. `average_size` is in words per passage.
        """
        lengths = self._lengths.values if with_neighbours else self.sizes
        least, per_word = K1 * (1 - B), K1 * B / (average_size * (NEIGHBOURHOOD_WEIGHT if with_neighbours else 1))
        scores, counts = np.zeros(self.count), np.zeros(self.count)
        for rarity, rows in groups:
            touched = self._count_term(counts, rows, with_neighbours=with_neighbours)
            found = counts[touched]
            # A row may be touched several times: it gets the same score each time.
            scores[touched] = scores[touched] + rarity * found / (found + least + per_word * lengths[touched])
            counts[touched] = 0.0
        return scores

    def _count_term(self, counts: Scores, rows: Rows, *, with_neighbours: bool) -> Rows:
        """Count a word in the rows that have it; for less, in their neighbours. Returns the rows that were touched."""
        counts[rows] = 1.0
        if not with_neighbours:
            return rows
        touched = [rows]
        for links, one, two in (
            (self._before.values, NEIGHBOUR_WEIGHTS[1], NEIGHBOUR_WEIGHTS[2]),  # the turn before sees it one turn later
            (self._after.values, NEIGHBOUR_WEIGHTS[-1], NEIGHBOUR_WEIGHTS[-2]),
        ):
            near = rows
            for weight in (one, two):
                near = links[near]
                near = near[near != NONE]
                short = near[self.sizes[near] <= LONG_PASSAGE]
                counts[short] += weight
                touched.append(short)
        return np.concatenate(touched)

    def make_room(self, count: int) -> None:
        """Make room for this many rows, so that adding blocks copies nothing."""
        links = (self._before, self._after, self._lengths, self._is_valid, self._reached, self._cite_starts)
        for array in (*self._columns.values(), *links):
            array.make_room(count + 1)

    def add_block(self, name: BlockName, block: PassageBlock) -> None:
        """Add the rows of a block that are new; it may be one that earlier blocks were merged into."""
        first, skip = self.count, self.count - name.start
        columns = block.columns()
        for column in _NUMBER_COLUMNS:
            self._columns[column].extend(columns[column][skip:])
        numbers = np.array([self._text_numbers.setdefault(text, len(self._text_numbers)) for text in block.texts])
        self._texts = [*self._text_numbers] if len(self._text_numbers) > len(self._texts) else self._texts
        for column in _TEXT_COLUMNS:
            self._columns[column].extend(numbers[columns[column][skip:]])
        starts = columns["cite_starts"][skip:].astype(np.int64)
        self._cite_starts.extend(starts[1:] - starts[0] + len(self._cites.values))
        self._cites.extend(columns["cites"][starts[0] :])
        self._is_valid.extend(~block.is_blank(columns["position"])[skip:])
        before = self._reached.values[-1:]
        self._reached.extend(np.maximum.accumulate(np.append(before, columns["position"][skip:]))[len(before) :])
        self.records += block.records[skip:]
        self.stamps += block.stamps[skip:]
        self.row_of |= {record: first + row for row, record in enumerate(block.records[skip:]) if record}
        self.count = name.stop
        self._found.clear()
        self._words = [known for known in self._words if known[0] < name.start] + [(name.start, block)]
        for links in (self._before, self._after):
            links.extend(np.full(self.count - first, NONE))
        self._lengths.extend(columns["size"][skip:].astype(float))
        self._link_sessions(first)

    def remove_rows(self, stop: int, rows: Integers) -> Integers:
        """Rows `… to stop` of the sequence of removed rows: those that are new, which are no longer valid."""
        new = rows[len(rows) - (stop - self._removed) :]
        self._is_valid.values[new] = False
        for row in new.tolist():
            if self.row_of.get(self.records[row]) == row:
                del self.row_of[self.records[row]]
        self._removed = stop
        return new

    @property
    def removed(self) -> int:
        """How many rows were removed."""
        return self._removed

    def _link_sessions(self, first: int) -> None:
        """Link each new row with the one before it in its session."""
        sessions = self.column("session")
        rows = first + np.flatnonzero(sessions[first:])
        if not len(rows):
            return
        before, after = self._before.values, self._after.values
        rows = rows[np.argsort(sessions[rows], kind="stable")]
        is_same = sessions[rows[1:]] == sessions[rows[:-1]]
        before[rows[1:][is_same]], after[rows[:-1][is_same]] = rows[:-1][is_same], rows[1:][is_same]
        changed = [rows]
        starts, ends = rows[np.append(True, ~is_same)], rows[np.append(~is_same, True)]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            session = int(sessions[start])
            last = self._session_ends.get(session)
            if last is not None:
                before[start], after[last] = last, start
                changed.append(np.array([row for row in (last, int(before[last])) if row != NONE]))
            self._session_ends[session] = end
        self._weigh_lengths(np.concatenate(changed))

    def _weigh_lengths(self, rows: Rows) -> None:
        """The length of each row: its size plus its neighbours', which count for less; long ones stay as they are."""
        rows = rows[self.sizes[rows] <= LONG_PASSAGE]
        lengths = self.sizes[rows].astype(float)
        for links, one, two in (
            (self._before.values, NEIGHBOUR_WEIGHTS[-1], NEIGHBOUR_WEIGHTS[-2]),
            (self._after.values, NEIGHBOUR_WEIGHTS[1], NEIGHBOUR_WEIGHTS[2]),
        ):
            near = rows
            for weight in (one, two):
                near = np.where(near == NONE, NONE, links[near])
                lengths += np.where(near == NONE, 0.0, weight * self.sizes[near])
        self._lengths.values[rows] = lengths


def _span_members(starts: Rows, stops: Rows) -> Rows:
    """The numbers from each start up to its stop, one span after the other."""
    counts = stops - starts
    members: Rows = np.arange(int(counts.sum())) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    return members


def vector_sequence(embedder: str, dimension: int) -> str:
    """The name of a sequence of vectors: vectors of different lengths are never in one."""
    return f"{embedder} {dimension}"


def _embedder_of(sequence: str) -> str:
    return sequence.rpartition(" ")[0]


def _opened_blocks(
    index: IndexBlocks, names: Sequence[BlockName], known: Mapping[bytes, bytes]
) -> Mapping[bytes, BlockBytes]:
    """The blocks of passages and vectors: those that are not known are opened at once, in one round trip."""
    wanted = [name.digest for name in names if name.content != "removed"]
    far = [digest for digest in wanted if digest not in known]
    near = {digest: WholeBlock(known[digest]) for digest in wanted if digest in known}
    return {**(index.open_blocks(far) if far else {}), **near}


class PassageArrays:
    """All passages of an index, and their vectors of one embedder."""

    def __init__(self, embedder: str = "") -> None:
        self._embedder = embedder
        self._forget()

    def _forget(self) -> None:
        self.tables: dict[RecallKind, PassageTable] = {kind: PassageTable(kind) for kind in KINDS}
        self.vectors: dict[RecallKind, VectorTable] = {}
        """Empty as long as there is no vector."""
        self._sequence = ""
        self._generation: int | None = None
        self._followed: IndexHead | None = None
        self._counts: tuple[int, int] | None = None
        """How many passages there are, and how many have a vector; None: to be counted."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; 0 as long as there is none."""
        return next((table.dimension for table in self.vectors.values()), 0)

    def follow(self, index: IndexBlocks, head: IndexHead, known: Mapping[bytes, bytes] | None = None) -> None:
        """Read the blocks that are new; `known` has the bytes of some. BlockGone if one was replaced meanwhile."""
        if head is self._followed:
            return
        if head.generation != self._generation:
            self._forget()
        self._choose_vectors(head)
        needed = sorted(filter(self._is_new, head.blocks), key=lambda name: (name.content, name.start))
        self._followed = self._counts = None
        for kind, table in self.tables.items():
            table.make_room(max((name.stop for name in head.sequence("passages", kind)), default=0))
        opened = _opened_blocks(index, needed, known or {})
        passages = {name.digest: PassageBlock(opened[name.digest]) for name in needed if name.content == "passages"}
        vector_blocks = {name.digest: VectorBlock(opened[name.digest]) for name in needed if name.content == "vectors"}
        for block in passages.values():
            block.expect_columns()
        for vectors in vector_blocks.values():
            vectors.expect_outlines()
        for name in needed:
            if name.content == "removed":
                data = (known or {}).get(name.digest) or index.read([name.digest]).get(name.digest)
                if data is None:
                    raise BlockGone
                removed = self.tables[name.kind].remove_rows(name.stop, decode_rows(data))
                if self.vectors:
                    self.vectors[name.kind].remove_rows(removed.astype(np.int64))
                continue
            if name.content == "passages":
                self.tables[name.kind].add_block(name, passages[name.digest])
            else:
                table, known_vectors = self.tables[name.kind], self.vectors[name.kind]
                known_vectors.has_vectors(table.count)  # makes room for all at once
                rows = known_vectors.add_block(name, vector_blocks[name.digest])
                known_vectors.remove_rows(rows[~table.is_valid[rows]].astype(np.int64))
        self._generation = head.generation
        self._followed = head

    def _is_new(self, name: BlockName) -> bool:
        if name.content == "passages":
            return name.stop > self.tables[name.kind].count
        if name.content == "removed":
            return name.stop > self.tables[name.kind].removed
        return bool(self.vectors) and name.embedder == self._sequence and name.stop > self.vectors[name.kind].read

    def _choose_vectors(self, head: IndexHead) -> None:
        """Choose the newest vectors of the embedder: those of another length are in another sequence."""
        own = [name.embedder for name in head.blocks if name.embedder and _embedder_of(name.embedder) == self._embedder]
        if own and own[-1] != self._sequence:
            self._sequence = own[-1]
            self.vectors = {kind: VectorTable(int(self._sequence.rpartition(" ")[2])) for kind in KINDS}

    def embedded(self) -> int:
        """How many passages have a vector."""
        return self._count_passages()[1]

    def _count_passages(self) -> tuple[int, int]:
        if self._counts is None:
            valid = {kind: table.is_valid for kind, table in self.tables.items()}
            embedded = [vectors.has_vectors(len(valid[kind])) & valid[kind] for kind, vectors in self.vectors.items()]
            self._counts = sum(map(np.count_nonzero, valid.values())), sum(map(np.count_nonzero, embedded))
        return self._counts

    def unembedded(self, kind: RecallKind, most: int) -> list[int]:
        """Rows of a kind that have no vector, the newest first."""
        every, embedded = self._count_passages()
        if every == embedded:
            return []
        table = self.tables[kind]
        missing = np.flatnonzero(
            table.is_valid & ~self.vectors[kind].has_vectors(table.count) if self.vectors else table.is_valid
        )
        return [int(row) for row in missing[::-1][:most]]
