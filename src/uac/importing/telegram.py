"""Chats exported from Telegram (`result.json`): one chat, or all chats of an account."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from uac.importing.files import BadLine, ByteSource, Progress, Skipped
from uac.importing.json_files import read_members
from uac.importing.message_files import (
    CONVERSATION,
    MessageItem,
    MessageOptions,
    ReadMessage,
    check_me,
    time_from_iso,
)
from uac.schema.entries import Observation

__all__ = ["read_telegram"]

_CHATS = ("", "chats.list[]", "left_chats.list[]")
_MESSAGES = ("messages", "chats.list[].messages", "left_chats.list[].messages")
_OPENED = frozenset(
    (*_CHATS, *_MESSAGES, "chats", "chats.list", "left_chats", "left_chats.list", "personal_information")
)
_MEDIA = ("photo", "file", "media_type", "location_information", "contact_information", "poll")


def read_telegram(path: ByteSource, options: MessageOptions, progress: Progress) -> Iterator[MessageItem]:
    """The messages of all chats. An export of an account says who the user is; for that of one chat, `me` does."""
    own, names = _read_people(path)
    if not own:
        check_me(path.name, options.me, names.values(), "speakers")
        own = frozenset(sender for sender, name in names.items() if name == options.me)
    return _read_chats(path, own, options, progress)


def _read_people(path: ByteSource) -> tuple[frozenset[str], dict[str, str]]:
    """The ids of the owner of the account, and the names of all senders by their ids."""
    own: set[str] = set()
    names: dict[str, str] = {}
    for place, value in read_members(path, lambda _size: None, _OPENED.__contains__):
        if place == "personal_information.user_id" and isinstance(value, int | str):
            own |= {f"user{value}", str(value)}
        elif place.endswith("messages[]") and isinstance(value, dict) and value.get("type") == "message":
            names[_sender(value)] = _text_of(value.get("from"))
    return frozenset(own), names


def _read_chats(
    path: ByteSource, own: frozenset[str], options: MessageOptions, progress: Progress
) -> Iterator[MessageItem]:
    number = 0
    chat: dict[str, Any] = {}
    for place, value in read_members(path, progress, _OPENED.__contains__):
        if place.endswith("{") and place.removesuffix("{") in _CHATS:
            if "messages" in chat:
                yield CONVERSATION
            chat = {}
        elif place.endswith("messages[]"):
            number += 1
            chat["messages"] = True
            yield from _read_message(value, number, chat, own, options)
        elif place.rpartition(".")[0] in _CHATS:
            chat[place.rpartition(".")[2]] = value
    if "messages" in chat:
        yield CONVERSATION


def _read_message(
    item: Any, number: int, chat: dict[str, Any], own: frozenset[str], options: MessageOptions
) -> Iterator[MessageItem]:
    try:
        if not isinstance(item, dict) or not isinstance(item.get("id"), int):
            raise ValueError("is not a message with an id. Export the chat again.")  # noqa: TRY301, TRY004 - a value of the file
        if item.get("type") != "message":
            yield Skipped(number, "system line")
            return
        if any(name in item for name in _MEDIA):
            yield Skipped(number, "attached file")
        text = _text_of(item.get("text"))
        if not text.strip():
            return
        if not isinstance(chat.get("id"), int):
            raise ValueError("belongs to a chat without an id. Export the chat again.")  # noqa: TRY301, TRY004 - a value of the file
        is_forwarded = "forwarded_from" in item  # words of somebody else, whoever sent them on
        yield ReadMessage(
            number,
            Observation(
                text=text,
                said=_time_of(item, options),
                role="user" if _sender(item) in own and not is_forwarded else "person",
                speaker=_text_of(item.get("forwarded_from" if is_forwarded else "from")),
                session=f"telegram:{chat['id']}",
                source="import:telegram",
                key=f"import:telegram:{chat['id']}:{item['id']}",
            ),
        )
    except ValueError as error:
        yield BadLine(number, str(error))


def _sender(item: dict[str, Any]) -> str:
    value = item.get("from_id")
    return str(value) if isinstance(value, int | str) else _text_of(item.get("from"))


def _time_of(item: dict[str, Any], options: MessageOptions) -> datetime:
    """Seconds since 1970; older exports have only a local time."""
    seconds = item.get("date_unixtime")
    try:
        if isinstance(seconds, str | int) and not isinstance(seconds, bool):
            return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"has the time {seconds!r}. Export the chat again.") from None
    text = _text_of(item.get("date"))
    if options.zone is None:
        raise ValueError(f"has the time {text!r} without a zone. Use --zone with the computer's.")
    moment = time_from_iso(text, options.zone)
    if moment is None:
        raise ValueError("has no date. Export the chat again.")
    return moment


def _text_of(value: object) -> str:
    """A text, or its parts: plain ones, and links, mentions and bold words with a type."""
    if isinstance(value, list):
        return "".join(_text_of(part.get("text") if isinstance(part, dict) else part) for part in value)
    return value if isinstance(value, str) else ""
