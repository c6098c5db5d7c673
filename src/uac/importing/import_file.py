"""Imports a file in batches: each line becomes an observation, appended together with its records.

A batch is in the log as a whole or not at all, and every line has its own idempotency key. So an interrupted run is
continued by running it again. Memory holds only one batch, however long the file.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple

import msgspec

from uac.errors import Moved, Refused, Rejected
from uac.importing.earlier_files import columns_session
from uac.importing.files import BadLine, RecordFile, Skipped, SourceLine
from uac.importing.plan import ImportPlan
from uac.log.log import Log, Stored
from uac.memory.memory import Memory
from uac.project.apply_patches import Accepted, Refusal, check_patches
from uac.project.fold import fold_entries
from uac.schema.entries import Checkpoint, Entry, Observation, encode, with_fixed_offsets
from uac.schema.entries import check as check_entry
from uac.schema.patches import Define, Patch, Put
from uac.schema.types import Json, Type, parse_type

__all__ = [
    "ReadyLine",
    "RecordCounts",
    "RecordTarget",
    "RecordWriter",
    "import_records",
    "ready_batches",
    "record_target",
]

BATCH = 1000  # lines in one append
BATCH_SIZE = 1 << 20  # characters in one append, so that its checkpoint stays below the size limit of an entry


class RecordCounts(NamedTuple):
    """The results for some lines: `records` were put, `already` existed from an earlier run."""

    lines: int
    records: int
    already: int


class RecordTarget(msgspec.Struct, frozen=True, kw_only=True):
    """What all lines of a file have in common."""

    type: Type
    source: str
    said: datetime
    session: str


class ReadyLine(NamedTuple):
    """A line that is ready to be written."""

    number: int
    text: str
    key: str
    fields: dict[str, Json]


def import_records(
    memory: Memory, plan: ImportPlan, source: RecordFile, *, said: datetime, is_dry: bool = False
) -> Iterator[RecordCounts | BadLine | Skipped]:
    """Write all lines; yields the counts after each batch, and each line that is broken or skipped."""
    writer = RecordWriter(memory, record_target(plan, source, said), is_dry=is_dry)
    for batch in ready_batches(plan, source):
        yield from writer.write_batch(batch)


def record_target(plan: ImportPlan, source: RecordFile, said: datetime) -> RecordTarget:
    session = plan.digest and columns_session(plan.digest)
    target = RecordTarget(type=plan.type, source=f"import:{source.path.name}", said=said, session=session)
    sample = with_fixed_offsets(_line_observation(target, "a line", ""))
    check_entry(sample, position=1, at=datetime.now(UTC))
    encode(sample)  # a file's name may not be valid text
    return target


def ready_batches(plan: ImportPlan, source: RecordFile) -> Iterator[list[ReadyLine | BadLine | Skipped]]:
    """All lines in order, as many at a time as fit into one append; the reason stands in the place of a broken one."""
    names = sum(len(column.field) + 8 for column in plan.columns)
    batch: list[ReadyLine | BadLine | Skipped] = []
    size = 0
    for line in _ready_lines(plan, source):
        length = len(line.text) + names if isinstance(line, ReadyLine) else 0
        if len(batch) == BATCH or (batch and size + length > BATCH_SIZE):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += length
    yield batch


def _ready_lines(plan: ImportPlan, source: RecordFile) -> Iterator[ReadyLine | BadLine | Skipped]:
    single = 0  # the line that gives the record of a type with one record
    for item in source.read(lambda _size: None):
        if not isinstance(item, SourceLine):
            yield item
            continue
        try:
            line = ReadyLine(item.number, item.text, _line_key(source, item), plan.fields(item))
        except ValueError as error:
            yield BadLine(item.number, str(error))
            continue
        yield from (Skipped(item.number, what) for what in item.left)
        if single and plan.type.cardinality == "one":
            why = f"{plan.type.full_name} can have only one record, and line {single} gave it. Keep one of the lines."
            yield BadLine(item.number, why)
            continue
        single = item.number
        yield line


def _line_key(source: RecordFile, line: SourceLine) -> str:
    """The idempotency key of a line: its text, its number and the file's name, which stay the same in the next run."""
    words = f"{source.path.name}\0{line.text}".encode()
    return f"import:{sha256(words).hexdigest()}:{line.number}"


class RecordWriter:
    """Writes batches to the log, which others may write to at the same time.

    Lines are checked against the project at the start. Only if records of the type depend on each other is the project
    extended with the file. `began` is the end of the log before the import, if an earlier writer has begun it.
    """

    def __init__(self, memory: Memory, target: RecordTarget, *, is_dry: bool = False, began: int | None = None) -> None:
        self._memory = memory
        self._target = target
        self._is_dry = is_dry
        self._began = began
        self._known = _ImportedLines(memory.log, target.source)
        self._base = memory.project()
        self._position = 0
        self._defines = False
        self._catch_up()

    def write_batch(self, batch: Sequence[ReadyLine | BadLine | Skipped]) -> Iterator[RecordCounts | BadLine | Skipped]:
        """Append the lines and their records, and pass on what is none."""
        lines: list[ReadyLine] = []
        for item in batch:
            if isinstance(item, ReadyLine):
                lines.append(item)
            else:
                yield item
        yield from self._write_lines(lines)

    def _earlier_result(self, line: ReadyLine) -> RecordCounts | Skipped | None:
        """The result for the line if it is in the log; None if its record is still to be put."""
        position = self._known.positions.get(line.key, 0)
        if not position:
            return None
        if position in self._base.gone:
            return Skipped(line.number, "line that was retracted")
        if position in self._base.aside:
            return Skipped(line.number, "line that was set aside")
        mine = f"{self._target.type.full_name}:"
        if not any(record.startswith(mine) for record in self._base.used.get(position, ())):
            return None
        is_new = self._began is not None and position > self._began
        return RecordCounts(1, is_new, not is_new)

    def _write_lines(self, batch: list[ReadyLine]) -> Iterator[RecordCounts | BadLine | Skipped]:
        """Append the lines and their records; a refused line is reported and does not stop the others."""
        while True:
            # Checked again, because another process may have imported the same lines meanwhile.
            yield from filter(None, map(self._earlier_result, batch))
            batch = [line for line in batch if self._earlier_result(line) is None]
            if not batch:
                return
            entries, result = self._check_batch(batch)
            if not isinstance(result, Accepted):
                broken = self._bad_lines(batch, result)
                yield from broken.values()
                batch = [line for line in batch if line.number not in broken]
                continue
            try:
                self._append_batch(entries, result)
            except Moved:
                self._catch_up()
            except Refused:
                # The log refuses an append as a whole: halve it until the faulty line is alone.
                if len(batch) == 1:
                    yield self._refused_line(batch[0], entries)
                else:
                    yield from self._write_lines(batch[: len(batch) // 2])
                    yield from self._write_lines(batch[len(batch) // 2 :])
                return
            else:
                yield RecordCounts(len(batch), len(batch), 0)
                return

    def _check_batch(self, batch: list[ReadyLine]) -> tuple[list[Entry], Accepted | tuple[Refusal, ...]]:
        """The entries for the lines in the current state, and the validation of their records."""
        now = datetime.now(UTC)
        observations: list[Entry] = []
        patches: list[Patch] = [Define(type=self._target.type)] if self._defines else []
        for line in batch:
            position = self._known.positions.get(line.key, 0)  # text in the log, but no record of this type
            if not position:
                observations.append(with_fixed_offsets(_line_observation(self._target, line.text, line.key)))
                position = self._position + len(observations)
            patches.append(Put(type=self._target.type.full_name, fields=line.fields, cites=(position,)))
        places = enumerate(observations, self._position + 1)
        seen = fold_entries((Stored(place, now, "observation", entry, b"") for place, entry in places), self._base)
        checkpoint = Checkpoint(patches=tuple(patches), by=self._target.source, is_unwatched=True)
        return [*observations, checkpoint], check_patches(seen, patches, at=now)

    def _bad_lines(self, batch: list[ReadyLine], refusals: tuple[Refusal, ...]) -> dict[int, BadLine]:
        first = 2 if self._defines else 1
        if refusals[0].patch < first:
            raise Rejected(tuple(map(str, refusals)))
        refused = [(batch[refusal.patch - first].number, refusal.why) for refusal in refusals]
        return {number: BadLine(number, why) for number, why in refused}

    def _append_batch(self, entries: list[Entry], accepted: Accepted) -> None:
        if not self._is_dry:
            self._position = self._memory.log.append(entries, after=self._position)[-1]
            self._known.position = self._position
        if _do_imported_records_interact(self._target.type):
            self._base = accepted.project
        elif self._defines:
            defined = check_patches(self._base, [Define(type=self._target.type)])
            assert isinstance(defined, Accepted)
            self._base = defined.project
        self._defines = False

    def _catch_up(self) -> None:
        """Read the entries that others have written, perhaps the same lines."""
        self._base = self._memory.project()
        self._position = self._base.position
        self._known.follow(self._position)
        existing = self._base.types.get(self._target.type.full_name)
        if existing not in (None, self._target.type):
            raise Refused(f"{self._target.type.full_name} was changed meanwhile. Run the import again.")
        self._defines = existing is None

    def _refused_line(self, line: ReadyLine, entries: list[Entry]) -> BadLine | Skipped:
        try:
            for entry in entries:
                encode(entry)
        except Refused as error:
            return BadLine(line.number, str(error))
        return Skipped(line.number, "line whose words were erased before, and stay so")


def _line_observation(target: RecordTarget, text: str, key: str) -> Observation:
    return Observation(
        text=text, said=target.said, role="document", source=target.source, key=key, session=target.session
    )


class _ImportedLines:
    """The positions of lines that an earlier or concurrent run has imported, by their keys."""

    def __init__(self, log: Log, source: str) -> None:
        self._log = log
        self._source = source
        self.position = 0
        self.positions: dict[str, int] = {}

    def follow(self, position: int) -> None:
        for stored in self._log.read(self.position + 1, position + 1):
            if isinstance(stored.entry, Observation) and stored.entry.source == self._source:
                self.positions[stored.entry.key] = stored.position
        self.position = position


def _do_imported_records_interact(type_: Type) -> bool:
    """Whether a record can be refused, or accepted, because of another record in the same file."""
    parsed = (parse_type(part.type) for part in type_.fields)
    return type_.cardinality == "one" or any((kind.item or kind).ref == type_.full_name for kind in parsed)
