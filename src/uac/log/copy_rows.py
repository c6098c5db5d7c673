"""Copies the rows of one log into another store, unchanged: with their positions, times, salts, keys and digests."""

from collections.abc import Collection, Iterable, Iterator

from uac.errors import Damaged, Refused
from uac.log.chain import ChainCheck
from uac.log.rows import Blank, Head, Row, Rows, Writing
from uac.log.snapshots import SnapshotWriting

__all__ = ["check_rows", "copy_rows"]

BATCH = 500


def copy_rows(target: Rows, rows: Iterable[Row], head: Head) -> int:
    """See `Log.copy_rows`."""
    if _has_all_entries(target, head, target.head()):
        return 0
    with target.writing() as writing:
        present = writing.head
        if _has_all_entries(target, head, present):  # another process has copied the same rows
            return 0
        cut: list[Row] = []
        for batch in _batches(_rows_after(present, check_rows(rows, head), cut)):
            writing.insert(batch)
        is_scrub_due = _blank_rows(target, writing, cut)
    if is_scrub_due:
        target.scrub()
    return head.position - present.position


def check_rows(rows: Iterable[Row], head: Head, *, label: str = "") -> Iterator[Row]:
    """These rows; Damaged as soon as they are not those of a whole log with this head. `label` begins its message."""
    check = ChainCheck()
    for row in rows:
        if chain_break := check.add_row(row):
            raise Damaged(label + chain_break.problem)
        yield row
    if check.head != head:
        raise Damaged(
            f"{label}the rows end at entry {check.head.position}, and not at the head of the log, {head.position}"
        )
    if chain_break := check.check_erasures():
        raise Damaged(label + chain_break.problem)


DIFFERENT = (
    "The log that exists has another entry at {} than the copy. Use another store, or erase the user there first."
)


def _has_all_entries(target: Rows, head: Head, present: Head) -> bool:
    """Whether a log that ends at `present` has all entries up to `head`. Refused if it has another one there."""
    if head.position > present.position:
        return False
    last = next(target.read(head.position, head.position + 1), None) if head.position else None
    if last is not None and last.digest != head.digest:
        raise Refused(DIFFERENT.format(head.position))
    return True


def _rows_after(present: Head, rows: Iterable[Row], cut: list[Row]) -> Iterator[Row]:
    """The rows that are new; earlier ones whose words were erased are collected in `cut`."""
    for row in rows:
        if row.position > present.position:
            yield row
            continue
        if row.position == present.position and row.digest != present.digest:
            raise Refused(DIFFERENT.format(row.position))
        if row.commitment is not None:
            cut.append(row)


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _blank_rows(target: Rows, writing: Writing, cut: Collection[Row]) -> bool:
    """Erase what the copy has erased since this log was as long as it is; whether there was anything."""
    present = {row.position: row for row in target.read_at([row.position for row in cut])} if cut else {}
    blanks = [
        Blank(row.position, row.body, row.salt, row.commitment)
        for row in cut
        if row.commitment is not None and present[row.position].salt != row.salt
    ]
    if blanks:
        writing.blank(blanks)
        if isinstance(writing, SnapshotWriting):
            writing.drop_snapshot()
    return bool(blanks)
