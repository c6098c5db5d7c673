"""Keeps a search index in step with a log and its project.

The index is a cache: it can be rebuilt from the log at any time, with the same result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from immutables import Map

from uac.errors import Moved
from uac.log.index import NO_INDEX, IndexHead, IndexRows, NewPassage, Passage, PassageFilter, head_after
from uac.log.log import Log, Prefix
from uac.models.embedder import Embedder
from uac.project.project import Project, Record
from uac.recall.passages import passages_of, record_passage, record_text
from uac.schema.entries import Erasure, Fact, Observation
from uac.text.search_terms import language_of, terms_of

__all__ = ["FORM", "IndexProgress", "Indexer", "OnProgress", "embed_missing", "index_progress", "record_text"]

FORM = 1
"""Version of how passages and terms are made. An index of another form is rebuilt."""
ENTRIES_PER_STEP = 500  # entries indexed in one step
EMBEDDING_STEP = 512  # passages embedded in one step
MAX_UNEMBEDDED = 10_000  # passages listed at once; the list skips all passages with a vector, which takes time
MAX_ATTEMPTS = 20  # against concurrent changes of the index

OnProgress = Callable[[int], None]
"""Called with the position that has been indexed."""


class Indexer:
    """Brings one index up to date, repeatedly. Records are compared by identity, so that few are inspected."""

    def __init__(self, index: IndexRows) -> None:
        self.index = index
        self.dropped: list[int] = []
        """Slots of removed records. The caller that tracks slots empties this list."""
        self._tables: Mapping[str, Map[str, Record]] | None = None

    def follow(
        self, log: Log | Prefix, project: Project, *, on_progress: OnProgress = lambda _position: None
    ) -> IndexHead:
        """Index everything new up to the project's position. Returns the head of the index.

        An index that does not belong to this log, or has another form, is emptied first.
        """
        for _try in range(MAX_ATTEMPTS):
            head = self.index.head()
            if head.form != FORM or not log.contains(head.position, head.digest):
                if head != NO_INDEX:
                    self.index.clear()
                head, self._tables = NO_INDEX, None
            said = self._follow_log(head, log, project, on_progress)
            if said and (done := self._follow_records(said, project)):
                return done
        raise Moved(project.position, self.index.head().position)

    def _follow_log(
        self, head: IndexHead, log: Log | Prefix, project: Project, on_progress: OnProgress
    ) -> IndexHead | None:
        while head.position < project.position:
            stop = min(head.position + ENTRIES_PER_STEP, project.position) + 1
            add: list[NewPassage] = []
            position, digest = head.position, head.digest
            for stored in log.read(head.position + 1, stop):
                position, digest = stored.position, stored.digest
                if isinstance(stored.entry, Erasure):  # all records left the index: they may contain erased text
                    self._tables = None
                if isinstance(stored.entry, Observation | Fact):
                    add += [_new_passage(*found) for found in passages_of(stored.position, stored.entry, project)]
            if position != stop - 1:  # the user was erased in the meantime
                return None
            after = head_after(head, add=[entered.passage for entered in add], position=position, digest=digest)
            after = msgspec.structs.replace(after, form=FORM)
            if not self.index.change(head, after, add=add, remove=()):
                return None
            head = after
            on_progress(head.position)
        return head

    def _follow_records(self, head: IndexHead, project: Project) -> IndexHead | None:
        """Index records whose text has changed. A record that is still the same object is skipped."""
        if head.position > project.position:  # another process is ahead, with newer records
            return head
        changed = {record.id: record for record in _records_to_index(project.tables, self._tables or {})}
        gone = {record.id for record in _records_to_index(self._tables or {}, project.tables)} - changed.keys()
        if self._tables is None:
            known = {passage.record: passage for passage in self.index.select(PassageFilter(kinds=("record",)))}
            gone = known.keys() - changed.keys()
        elif changed or gone:
            listed = self.index.select(PassageFilter(kinds=("record",), records=(*changed, *gone)))
            known = {passage.record: passage for passage in listed}
        else:
            return head
        new = [passage for record in changed.values() if _is_new_passage(passage := record_passage(record), known)]
        remove = [known[id_] for id_ in (*sorted(gone), *(passage.record for passage in new)) if id_ in known]
        if new or remove:
            add = [_new_passage(passage, "\n".join(record_text(changed[passage.record]))) for passage in new]
            after = head_after(head, add=[entered.passage for entered in add], remove=remove)
            if not self.index.change(head, after, add=add, remove=[passage.slot for passage in remove]):
                return None
            self.dropped += [passage.slot for passage in remove]
            head = after
        self._tables = dict(project.tables)
        return head


class IndexProgress(NamedTuple):
    """How far an index has come: entries indexed, passages, and passages with a vector."""

    entries: int
    passages: int
    vectors: int


def index_progress(log: Log, embedder: Embedder | None) -> IndexProgress:
    """How far the index of a log has come, with vectors of this embedder. Changes nothing."""
    index = log.index()
    head = index.head()
    if head.form != FORM:  # the next search rebuilds it
        return IndexProgress(0, 0, 0)
    return IndexProgress(head.position, head.total, index.embedded(embedder.name) if embedder is not None else 0)


def embed_missing(
    index: IndexRows, embedder: Embedder, text: Callable[[Sequence[Passage]], Sequence[str]], *, most: int
) -> int:
    """Embed at most `most` passages that have no vector of this embedder, newest first. Returns how many."""
    slots = index.unembedded(embedder.name, min(most, MAX_UNEMBEDDED))
    for start in range(0, len(slots), EMBEDDING_STEP):
        passages = index.select(PassageFilter(slots=tuple(slots[start : start + EMBEDDING_STEP])))
        index.keep(embedder.name, [passage.slot for passage in passages], embedder.embed(text(passages)))
    return len(slots)


def _records_to_index(
    tables: Mapping[str, Map[str, Record]], others: Mapping[str, Map[str, Record]]
) -> Iterator[Record]:
    """The records that are not the same objects in the other tables."""
    for name in sorted(tables):
        table, other = tables[name], others.get(name)
        if table is not other:
            yield from (record for id_, record in table.items() if other is None or other.get(id_) is not record)


def _is_new_passage(passage: Passage, known: Mapping[str, Passage]) -> bool:
    return passage.record not in known or known[passage.record].stamp != passage.stamp


def _new_passage(passage: Passage, words: str) -> NewPassage:
    terms = terms_of(words)
    return NewPassage(passage._replace(language=language_of(words), size=len(terms)), tuple(dict.fromkeys(terms)))
