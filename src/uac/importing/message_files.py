"""Messages, memories and notes of other programs: read with their numbers, checked, and stored under their own keys."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

from uac.errors import KeyReused, Refused
from uac.importing.files import BadLine, Skipped
from uac.log.log import Log
from uac.schema.entries import Observation, encode, with_fixed_offsets
from uac.schema.entries import check as check_entry
from uac.schema.safe_text import one_line, shorten

__all__ = [
    "CONVERSATION",
    "MessageCounts",
    "MessageItem",
    "MessageOptions",
    "ReadMessage",
    "check_me",
    "digest_key",
    "import_messages",
    "message_batches",
    "time_from_iso",
    "time_from_seconds",
    "write_messages",
]

BATCH = 1000
BATCH_SIZE = 1 << 20
SHOWN_NAMES = 20


class MessageCounts(NamedTuple):
    """The results for some messages, and the number of conversations that were completed with them."""

    conversations: int
    kept: int
    already: int


CONVERSATION = MessageCounts(1, 0, 0)
"""Marks the end of a conversation among its messages."""


class ReadMessage(NamedTuple):
    """A message of a file, with the number of its line or item there."""

    number: int
    observation: Observation


MessageItem: TypeAlias = ReadMessage | BadLine | Skipped | MessageCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageOptions:
    """What a file does not say itself."""

    me: str = ""
    """The name of the user among the speakers of a chat, or among the users of an export."""
    zone: ZoneInfo | None = None
    dates: Literal["", "day-first", "month-first"] = ""
    written: datetime | None = None
    """The time of messages and notes that have none."""


def import_messages(
    log: Log, items: Iterable[MessageItem], *, is_dry: bool = False
) -> Iterator[MessageCounts | BadLine | Skipped]:
    """Store every message under its own key, so that a later, longer export adds only the new ones."""
    for batch in message_batches(items):
        yield from write_messages(log, batch, is_dry=is_dry)


def message_batches(items: Iterable[MessageItem]) -> Iterator[list[MessageItem]]:
    """All messages in order, as many at a time as fit into one append; the reason stands for one that is refused."""
    now = datetime.now(UTC)
    batch: list[MessageItem] = []
    size = 0
    for item in items:
        result = _checked_message(item, now) if isinstance(item, ReadMessage) else item
        length = len(result.observation.text) if isinstance(result, ReadMessage) else 0
        if len(batch) == BATCH or (batch and size + length > BATCH_SIZE):
            yield batch
            batch, size = [], 0
        batch.append(result)
        size += length
    yield batch


def write_messages(
    log: Log, batch: Sequence[MessageItem], *, is_dry: bool = False, began: int | None = None
) -> Iterator[MessageCounts | BadLine | Skipped]:
    """Append the messages, and pass on what is none. `began` is the end of the log before the whole import."""
    messages: list[ReadMessage] = []
    for item in batch:
        if isinstance(item, ReadMessage):
            messages.append(item)
        else:
            yield item
    yield from _append_messages(log, messages, is_dry=is_dry, began=began)


def _checked_message(message: ReadMessage, now: datetime) -> ReadMessage | BadLine:
    try:
        observation = with_fixed_offsets(message.observation)
        check_entry(observation, position=1, at=now)
        encode(observation)
    except Refused as error:
        return BadLine(message.number, str(error))
    assert isinstance(observation, Observation)
    return ReadMessage(message.number, observation)


def _append_messages(
    log: Log, batch: list[ReadMessage], *, is_dry: bool, began: int | None
) -> Iterator[MessageCounts | BadLine]:
    if is_dry or not batch:
        yield MessageCounts(0, len(batch), 0)
        return
    head = log.head().position if began is None else began
    try:
        positions = log.append(message.observation for message in batch)
    except KeyReused as error:
        if len(batch) == 1:
            yield BadLine(batch[0].number, f"was changed since it was imported: {error}")
            return
        for message in batch:
            yield from _append_messages(log, [message], is_dry=False, began=began)
    else:
        new = sum(position > head for position in positions)
        yield MessageCounts(0, new, len(batch) - new)


def digest_key(kind: str, *parts: str) -> str:
    """The idempotency key of a message without an id: equal parts give the same key in every run."""
    words = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"import:{kind}:{sha256(words).hexdigest()}"


def check_me(name: str, me: str, names: Iterable[str], what: str) -> None:
    """Raises Refused unless `me` is one of the names in a file: nobody's words are taken for the user's by a guess."""
    known = sorted({each for each in names if each})
    if not known:
        raise Refused(f"{name} has no {what}. Check the file and its format.")
    if me not in known:
        shown = ", ".join(repr(shorten(one_line(each), 40)) for each in known[:SHOWN_NAMES])
        more = f" and {len(known) - SHOWN_NAMES} more" if len(known) > SHOWN_NAMES else ""
        wrong = f"{me!r} is not one of them" if me else "it does not say which one is you"
        raise Refused(f"{name} has the {what} {shown}{more}; {wrong}. Use --me with one of the names.")


def time_from_seconds(value: object) -> datetime | None:
    try:
        return datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) and value else None
    except (OverflowError, OSError, ValueError):
        raise ValueError(f"a message has the time {value!r}. Use seconds since 1970.") from None


def time_from_iso(text: str, zone: tzinfo = UTC) -> datetime | None:
    """The time, in the given zone if it has none of its own."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"a message has the time {text!r}. Use ISO 8601.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)
