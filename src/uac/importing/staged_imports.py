"""Files that a worker imports later: staged in the parts that one append takes each, and written part by part.

The file is read and planned when it is staged, so a file that cannot be imported is refused at once. A part holds the
lines as they will be written; every line has its idempotency key, so a part that is written twice is written once.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from uac.errors import Damaged
from uac.importing.files import BadLine, RecordFile, Skipped
from uac.importing.import_file import ReadyLine, RecordCounts, RecordTarget, RecordWriter, ready_batches, record_target
from uac.importing.message_files import MessageCounts, MessageItem, ReadMessage, message_batches, write_messages
from uac.importing.plan import ImportPlan
from uac.log.staging import PartResult, StagedFile, Staging
from uac.memory.memory import Memory
from uac.schema.patches import Define

__all__ = ["StagedImport", "stage_messages", "stage_records"]


class _Header(msgspec.Struct, frozen=True, kw_only=True):
    """What the parts of a file have in common."""

    kind: Literal["records", "messages"]
    target: RecordTarget | None = None


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Lines of a file, in order by kind."""

    lines: tuple[ReadyLine, ...] = ()
    messages: tuple[ReadMessage, ...] = ()
    broken: tuple[BadLine, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    @property
    def size(self) -> int:
        return len(self.lines) + len(self.messages) + len(self.broken)


def stage_records(
    memory: Memory, staging: Staging, user: str, plan: ImportPlan, source: RecordFile, said: datetime
) -> StagedFile:
    """Stage the lines of a file, as `import_records` would write them. A new type is defined at once.

    So another file of the same type can be staged before this one is written.
    """
    target = record_target(plan, source, said)
    if plan.type.full_name not in memory.project().types and plan.is_new:
        memory.checkpoint([Define(type=plan.type)], by=target.source, watched=False)
    header = _Header(kind="records", target=target)
    return _stage(staging, user, source.path.name, header, ready_batches(plan, source))


def stage_messages(staging: Staging, user: str, name: str, items: Iterable[MessageItem]) -> StagedFile:
    """Stage the messages of a file, as `import_messages` would write them."""
    return _stage(staging, user, name, _Header(kind="messages"), message_batches(items))


def _stage(
    staging: Staging,
    user: str,
    name: str,
    header: _Header,
    batches: Iterator[list[ReadyLine | BadLine | Skipped]] | Iterator[list[MessageItem]],
) -> StagedFile:
    parts = (_part(batch) for batch in batches)
    encoded = ((part.size, _encode(part)) for part in parts)
    return staging.add(user, name, _encode(header), encoded)


def _part(batch: Sequence[ReadyLine | MessageItem]) -> _Part:
    return _Part(
        lines=tuple(item for item in batch if isinstance(item, ReadyLine)),
        messages=tuple(item for item in batch if isinstance(item, ReadMessage)),
        broken=tuple(item for item in batch if isinstance(item, BadLine)),
        skipped=tuple(item for item in batch if isinstance(item, Skipped)),
    )


def _encode(value: _Header | _Part) -> bytes:
    """As JSON of the standard library: it takes the text and the numbers of any file, which are checked later."""
    return json.dumps(msgspec.to_builtins(value)).encode()


class StagedImport:
    """Writes the parts of a staged file to a user's memory. `began` is the end of the log before its first part."""

    def __init__(self, memory: Memory, staging: Staging, id_: str, *, began: int) -> None:
        self._memory = memory
        self._staging = staging
        self._id = id_
        self._began = began
        self._writer: RecordWriter | None = None

    def write_part(self, number: int) -> bool:
        """Write a part once, whoever else has tried; False if the user was erased."""
        return self._staging.write_part(self._id, number, self._write)

    def _write(self, encoded: bytes) -> PartResult:
        part = msgspec.convert(json.loads(encoded), _Part)
        result = PartResult(lines=part.size)
        for item in (*part.broken, *part.skipped, *self._results(part)):
            result += _counted(item)
        return result

    def _results(self, part: _Part) -> Iterator[RecordCounts | MessageCounts | BadLine | Skipped]:
        if part.messages:
            yield from write_messages(self._memory.log, part.messages, began=self._began)
        if part.lines:
            yield from self._record_writer().write_batch(part.lines)

    def _record_writer(self) -> RecordWriter:
        """Made once: it reads the whole log."""
        if self._writer is None:
            encoded = self._staging.header(self._id)
            header = msgspec.convert(json.loads(encoded), _Header) if encoded else None
            if header is None or header.target is None:
                raise Damaged("a staged file has lines, but no type. Import it again.")
            self._writer = RecordWriter(self._memory, header.target, began=self._began)
        return self._writer


def _counted(item: RecordCounts | MessageCounts | BadLine | Skipped) -> PartResult:
    match item:
        case RecordCounts():
            return PartResult(stored=item.records, already=item.already)
        case MessageCounts():
            return PartResult(stored=item.kept, already=item.already)
        case Skipped():
            return PartResult(left_out={item.what: 1})
        case BadLine():
            return PartResult(broken=((item.number, item.why),), broken_lines=1)
