"""Keeps a search index in step with a log and its project.

The index is a cache: it can be rebuilt from the log at any time, with the same result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from uac.errors import Moved, NewerFormat
from uac.log.block_parts import BlockGone
from uac.log.index import (
    INDEX_ERRORS,
    KINDS,
    IndexBlocks,
    IndexHead,
    NewPassage,
    Passage,
    RecallKind,
    Vectors,
    is_index_damaged,
)
from uac.log.log import Log, Prefix
from uac.models.embedder import Embedder
from uac.project.project import Project, Record
from uac.project.stored_map import AnyMap
from uac.recall.index_changes import IndexDraft
from uac.recall.matches import IndexProgress, OnProgress
from uac.recall.passage_arrays import PassageArrays
from uac.recall.passages import passages_of, record_passage, record_text
from uac.schema.entries import Erasure, Fact, Observation
from uac.text.search_terms import terms_and_language

__all__ = ["FORM", "Indexer", "read_index_progress"]

FORM = 4
"""Version of how passages, terms and blocks are made. An index of another form is rebuilt."""
ENTRIES_PER_STEP = 2000  # entries indexed in one step
EMBEDDING_STEP = 2048  # passages embedded in one step
MAX_ATTEMPTS = 20  # against concurrent changes of the index


class Indexer:
    """Brings one index, and its arrays in memory, up to date, repeatedly. Unchanged records are the same objects."""

    def __init__(self, index: IndexBlocks, embedder: Embedder | None = None) -> None:
        self.index = index
        self.arrays = PassageArrays(embedder.name if embedder is not None else "")
        self._embedder = embedder
        self._head = IndexHead()
        self._tables: Mapping[str, AnyMap[str, Record]] | None = None
        self._project: Project | None = None
        """The project that the index, at its head, has followed."""

    def follow(
        self,
        log: Log | Prefix,
        project: Project,
        *,
        head: IndexHead | None = None,
        on_progress: OnProgress = lambda _position: None,
    ) -> IndexHead:
        """Index everything new up to the project's position. Returns the head of the index.

        `head` is the head if it was just read. An index that does not belong to this log, or has an older form, is
        emptied first. NewerFormat if a newer version of this package keeps it: two versions beside each other on one
        store would rebuild it in turns.
        """
        for attempt in range(MAX_ATTEMPTS):
            head = head if head is not None and not attempt else self.index.head()
            # A head that was checked before is right, unless the index is not the one that the store keeps.
            is_checked = head == self._head and isinstance(log, Log) and log.index() is self.index
            if is_checked and project is self._project:
                return self._head
            if abs(head.form) > FORM:
                raise NewerFormat("The search index was made by a newer version of this package. Upgrade the package.")
            if not is_checked and _is_used(head) and not (head.form == FORM and _is_in_log(head, log, project)):
                self.index.clear()
                head = self.index.head()
            if head.generation != self._head.generation:
                self._tables = None
            self._project = None
            with suppress(BlockGone):
                self.arrays.follow(self.index, head)
                self._head = head
                if self._follow_log(log, project, on_progress) and self._follow_records(project):
                    self._project = project
                    return self._head
        raise Moved(project.position, self.index.head().position)

    def embed_missing(self, texts: Callable[[Sequence[Passage]], Sequence[str]], *, most: int) -> int:
        """Embed at most `most` passages that have no vector yet, newest first. Returns how many."""
        assert self._embedder is not None
        done = 0
        for kind in KINDS:
            table = self.arrays.tables[kind]
            while done < most and (rows := self.arrays.unembedded(kind, min(most - done, EMBEDDING_STEP))):
                passages = table.passages(rows)
                vectors = self._embedder.embed(texts(passages))
                if not self._keep_vectors(kind, rows, vectors, passages):
                    return done
                done += len(rows)
        return done

    def _keep_vectors(
        self, kind: RecallKind, rows: Sequence[int], vectors: Vectors, passages: Sequence[Passage]
    ) -> bool:
        assert self._embedder is not None
        for _attempt in range(MAX_ATTEMPTS):
            try:
                draft = self._draft()
                draft.add_vectors(kind, self._embedder.name, rows, vectors)
                if self._write(draft, passages):
                    return True
                # Embedding may take seconds, and others write meanwhile: rows keep their numbers in a generation.
                head = self.index.head()
                if head == self._head or head.generation != self._head.generation:
                    return False
                self.arrays.follow(self.index, head)
            except BlockGone:
                return False
            self._head, self._project = head, None
            missing = {*self.arrays.unembedded(kind, self.arrays.tables[kind].count)}
            kept = [place for place, row in enumerate(rows) if row in missing]
            rows, vectors = [rows[place] for place in kept], vectors[kept]
            passages = [passages[place] for place in kept]
            if not kept:
                return True
        return False

    def _draft(self) -> IndexDraft:
        return IndexDraft(self._head, self.index.read)

    def _write(self, draft: IndexDraft, passages: Sequence[Passage]) -> bool:
        """Write a change, unless the index has changed meanwhile or an entry of the passages was erased."""
        change = draft.change()
        sources = {position for passage in passages for position in (passage.position, *passage.cites)}
        if not self.index.change(self._head, change, sources=sources):
            return False
        self.arrays.follow(self.index, change.after, change.add)
        self._head = change.after
        return True

    def _follow_log(self, log: Log | Prefix, project: Project, on_progress: OnProgress) -> bool:
        while self._head.position < project.position:
            stop = min(self._head.position + ENTRIES_PER_STEP, project.position) + 1
            add: list[NewPassage] = []
            position, digest = self._head.position, self._head.digest
            for stored in log.read(self._head.position + 1, stop):
                position, digest = stored.position, stored.digest
                if isinstance(stored.entry, Erasure):  # all records left the index: they may contain erased text
                    self._tables = None
                if isinstance(stored.entry, Observation | Fact):
                    add += [_new_passage(*found) for found in passages_of(stored.position, stored.entry, project)]
            if position != stop - 1:  # the user was erased in the meantime
                return False
            draft = self._draft()
            draft.add_passages(add)
            draft.move(form=FORM, position=position, digest=digest)
            if not self._write(draft, [new.passage for new in add]):
                return False
            on_progress(self._head.position)
        return True

    def _follow_records(self, project: Project) -> bool:
        """Index records whose text has changed. A record that is still the same object is skipped."""
        if self._head.position > project.position:  # another process is ahead, with newer records
            return True
        table = self.arrays.tables["record"]
        changed = {record.id: record for record in _records_to_index(project.tables, self._tables or {})}
        gone = {record.id for record in _records_to_index(self._tables or {}, project.tables)} - changed.keys()
        if self._tables is None:
            gone = table.row_of.keys() - changed.keys()
        passages = [record_passage(record) for record in changed.values()]
        new = [
            passage
            for passage in passages
            if (row := table.row_of.get(passage.record)) is None or table.stamps[row] != passage.stamp
        ]
        removed = [id_ for id_ in (*sorted(gone), *(passage.record for passage in new)) if id_ in table.row_of]
        if new or removed:
            draft = self._draft()
            draft.remove_records(table, removed)
            draft.add_passages(
                [_new_passage(passage, "\n".join(record_text(changed[passage.record]))) for passage in new]
            )
            if not self._write(draft, new):
                return False
        self._tables = dict(project.tables)
        return True


def read_index_progress(log: Log, embedder: Embedder | None) -> IndexProgress:
    """How far the index of a log has come, with vectors of this embedder. Changes nothing."""
    arrays, index = PassageArrays(embedder.name if embedder is not None else ""), log.index()
    for _try in range(MAX_ATTEMPTS):
        head = index.head()
        if head.form != FORM:  # the next search rebuilds it
            break
        try:
            arrays.follow(index, head)
        except BlockGone:
            continue
        except INDEX_ERRORS:
            if is_index_damaged(index):
                break
            raise
        return IndexProgress(head.position, head.total, arrays.embedded())
    return IndexProgress(0, 0, 0)


def _is_in_log(head: IndexHead, log: Log | Prefix, project: Project) -> bool:
    """Whether the log has the entry that the index has reached. That is known if the project ends with the same."""
    is_same = (head.position, head.digest) == (project.position, project.digest)
    return is_same or log.contains(head.position, head.digest)


def _is_used(head: IndexHead) -> bool:
    return head.form != 0 or bool(head.blocks)


def _records_to_index(
    tables: Mapping[str, AnyMap[str, Record]], others: Mapping[str, AnyMap[str, Record]]
) -> Iterator[Record]:
    """The records that are not the same objects in the other tables."""
    for name in sorted(tables):
        table, other = tables[name], others.get(name)
        if table is not other:
            yield from (record for id_, record in table.items() if other is None or other.get(id_) is not record)


def _new_passage(passage: Passage, words: str) -> NewPassage:
    terms, language = terms_and_language(words)
    return NewPassage(passage._replace(language=language, size=len(terms)), tuple(dict.fromkeys(terms)))
