"""How the blocks of an index change: new ones are added at the end of a sequence, and small ones are merged.

A block is merged with those before it as long as they are not much larger, so that there are few blocks, and a passage
is written again only each time its block has doubled.
"""

from collections.abc import Collection, Mapping, Sequence

import msgspec
import numpy as np

from uac.log.index import (
    KINDS,
    BlockContent,
    BlockName,
    IndexChange,
    IndexHead,
    NewPassage,
    RecallKind,
    Vectors,
    block_digest,
)
from uac.log.index_blocks import (
    NO_ROW,
    ReadBlocks,
    decode_passages,
    decode_rows,
    decode_vectors,
    encode_passages,
    encode_rows,
    encode_vectors,
    head_with_passages,
    merge_passages,
    merge_vectors,
    move_vectors,
    read_sequence,
    take_passages,
)
from uac.recall.passage_arrays import PassageTable, vector_sequence

__all__ = ["IndexDraft"]

MAX_ROWS = 32_768  # of a block
MIN_REMOVED = 1000  # rows that may be removed before their room is given back


class IndexDraft:
    """A head that is being changed, with its new blocks. `read` reads the blocks that are merged with others."""

    def __init__(self, head: IndexHead, read: ReadBlocks) -> None:
        self.head = head
        self._before = head
        self._stored = read
        self._added: dict[bytes, bytes] = {}

    def change(self) -> IndexChange:
        kept = {name.digest for name in self.head.blocks}
        added = {digest: data for digest, data in self._added.items() if digest in kept}
        return IndexChange(self.head, added, frozenset({name.digest for name in self._before.blocks} - kept))

    def move(self, *, form: int, position: int, digest: bytes) -> None:
        """Set how far the index has come."""
        self.head = msgspec.structs.replace(self.head, form=form, position=position, digest=digest)

    def add_passages(self, added: Sequence[NewPassage]) -> None:
        self.head = head_with_passages(self.head, add=[new.passage for new in added])
        for kind in KINDS:
            own = [new for new in added if new.passage.kind == kind]
            if own:
                positions = [new.passage.position for new in own]
                self._append("passages", kind, encode_passages(own), len(own), (min(positions), max(positions)))

    def remove_records(self, table: PassageTable, records: Sequence[str]) -> None:
        """Remove the rows of records. If most rows are removed by now, the others get new numbers."""
        rows = [table.row_of[record] for record in records if record in table.row_of]
        if not rows:
            return
        self.head = head_with_passages(self.head, remove=table.passages(rows))
        self._append("removed", table.kind, encode_rows(rows), len(rows))
        removed = self.head.sequence("removed", table.kind)[-1].stop
        if removed > max(MIN_REMOVED, self.head.passages.get(table.kind, 0)):
            self._renumber_rows(table.kind)

    def add_vectors(self, kind: RecallKind, embedder: str, rows: Sequence[int], vectors: Vectors) -> None:
        sequence = vector_sequence(embedder, vectors.shape[1])
        self._append("vectors", kind, encode_vectors(rows, vectors), len(rows), embedder=sequence)

    def _append(
        self,
        content: BlockContent,
        kind: RecallKind,
        data: bytes,
        count: int,
        positions: tuple[int, int] = (0, 0),
        embedder: str = "",
    ) -> None:
        sequence = self.head.sequence(content, kind, embedder)
        start = sequence[-1].stop if sequence else 0
        merged = _blocks_to_merge(sequence, count)
        if merged:
            data = _merge_blocks(content, [*read_sequence(merged, self._read), data])
        new = BlockName(
            block_digest(data),
            content,
            kind,
            merged[0].start if merged else start,
            start + count,
            embedder,
            min([*(name.first for name in merged), positions[0]]),
            max([*(name.last for name in merged), positions[1]]),
        )
        self._added[new.digest] = data
        left = tuple(name for name in self.head.blocks if name not in merged)
        self.head = msgspec.structs.replace(self.head, blocks=(*left, new))

    def _read(self, digests: Collection[bytes]) -> Mapping[bytes, bytes]:
        own = {digest: self._added[digest] for digest in digests if digest in self._added}
        return {**own, **self._stored([digest for digest in digests if digest not in own])}

    def _renumber_rows(self, kind: RecallKind) -> None:
        """Give back the room of rows that were removed."""
        passages, removed = self.head.sequence("passages", kind), self.head.sequence("removed", kind)
        is_valid = np.ones(passages[-1].stop, bool)
        for data in read_sequence(removed, self._read):
            is_valid[decode_rows(data)] = False
        new_rows = np.where(is_valid, np.cumsum(is_valid) - 1, NO_ROW)
        vectors = [name for name in self.head.blocks if name.content == "vectors" and name.kind == kind]
        kept = [name for name in self.head.blocks if name.kind != kind]
        self.head = msgspec.structs.replace(self.head, blocks=tuple(kept), generation=self.head.generation + 1)
        for name, data in zip(passages, read_sequence(passages, self._read), strict=True):
            chosen = is_valid[name.start : name.stop]
            if chosen.any():
                taken = take_passages(decode_passages(data), chosen)
                self._append("passages", kind, taken, int(chosen.sum()), (name.first, name.last))
        for name, data in zip(vectors, read_sequence(vectors, self._read), strict=True):
            moved = move_vectors(decode_vectors(data), new_rows)
            if count := len(decode_vectors(moved).rows):
                self._append("vectors", kind, moved, count, embedder=name.embedder)


def _blocks_to_merge(sequence: Sequence[BlockName], count: int) -> list[BlockName]:
    """The last blocks of a sequence that a new block of so many items is merged with."""
    merged: list[BlockName] = []
    for name in reversed(sequence):
        size = name.stop - name.start
        if size > 2 * count or size + count > MAX_ROWS:
            break
        merged.insert(0, name)
        count += size
    return merged


def _merge_blocks(content: BlockContent, parts: Sequence[bytes]) -> bytes:
    if content == "passages":
        return merge_passages([decode_passages(data) for data in parts])
    if content == "vectors":
        return merge_vectors([decode_vectors(data) for data in parts])
    return b"".join(parts)
