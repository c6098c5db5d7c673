"""An agent file of Letta (`.af`), or its archival passages: memories as documents, and messages as they were said."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from uac.importing.files import BadLine, ByteSource, Progress, Skipped
from uac.importing.json_places import PlacedItem, exported_list, exported_text, read_placed_items
from uac.importing.message_files import MessageItem, MessageOptions, ReadMessage, digest_key, time_from_iso
from uac.schema.entries import Observation, Role

__all__ = ["read_letta"]

_MESSAGES = ("messages[]", "agents[].messages[]")
_BLOCKS = ("blocks[]", "core_memory[]")
_PASSAGES = ("[]", "passages[]", "archival_memory[]")
_OPENED = frozenset(
    ("", "agents", "agents[]", *(place.removesuffix("[]") for place in (*_MESSAGES, *_BLOCKS, *_PASSAGES)))
)
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}


def read_letta(path: ByteSource, options: MessageOptions, progress: Progress) -> Iterator[MessageItem]:
    """Messages in the order of the file, then blocks, which have no time of their own: the file's is at its end."""
    blocks: list[PlacedItem] = []
    exported = ""
    for item in read_placed_items(path, progress, _OPENED.__contains__):
        if not isinstance(item, PlacedItem):
            yield item
        elif item.place == "created_at":
            exported = item.value if isinstance(item.value, str) else ""
        elif item.place in _BLOCKS:
            blocks.append(item)
        elif item.place in _MESSAGES:
            yield _read_message(item)
        elif item.place in _PASSAGES:
            yield _read_memory(item, "archival", exported_text(_object(item.value), "text"), "", options)
        elif item.number:
            yield Skipped(item.number, "unknown item")
    for item in blocks:
        block = _object(item.value)
        label = exported_text(block, "label")
        if label == "persona":
            yield Skipped(item.number, "persona block")
        else:
            yield _read_memory(item, label, exported_text(block, "value"), exported, options)


def _read_memory(item: PlacedItem, label: str, text: str, exported: str, options: MessageOptions) -> MessageItem:
    if not text.strip():
        return Skipped(item.number, "empty memory")
    try:
        own = exported_text(_object(item.value), "updated_at", "created_at")
        said = time_from_iso(own or exported) or options.written
    except ValueError as error:
        return BadLine(item.number, str(error))
    if said is None:
        return BadLine(item.number, "has no time, and the file has none. Use --written.")
    return ReadMessage(item.number, _observation(text, said, "document", f"letta/{label}"))


def _read_message(item: PlacedItem) -> MessageItem:
    message = _object(item.value)
    role = exported_text(message, "role")
    if role not in ROLES:
        return Skipped(item.number, f"{role or 'nameless'} message")
    try:
        text = _user_words(message) if role == "user" else _agent_words(message)
        said = time_from_iso(exported_text(message, "created_at"))
    except ValueError as error:
        return BadLine(item.number, str(error))
    if not text.strip():
        return Skipped(item.number, "wordless message")
    if said is None:
        return BadLine(item.number, "has no created_at. Export it again.")
    return ReadMessage(item.number, _observation(text, said, ROLES[role], exported_text(message, "name")))


def _user_words(message: dict[str, Any]) -> str:
    """What the user wrote; Letta may wrap it in JSON, as it does with its own alarms, which are nobody's words."""
    text = _content_text(message)
    try:
        wrapped = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        return text
    if not isinstance(wrapped, dict) or not isinstance(wrapped.get("type"), str):
        return text
    return exported_text(wrapped, "message") if wrapped["type"] == "user_message" else ""


def _agent_words(message: dict[str, Any]) -> str:
    """What the agent said; beside a tool call, the text of a message is its thoughts."""
    calls = [_object(_object(call).get("function")) for call in exported_list(message, "tool_calls")]
    if not calls:
        return _content_text(message)
    sent = [exported_text(call, "arguments") for call in calls if call.get("name") == "send_message"]
    try:
        return "\n".join(exported_text(_object(json.loads(text)), "message") for text in sent)
    except (ValueError, RecursionError):
        raise ValueError("has a send_message that is not JSON. Export it again.") from None


def _content_text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = (_object(part) for part in exported_list(message, "content"))
    return "\n".join(exported_text(part, "text") for part in parts if part.get("type") == "text")


def _observation(text: str, said: datetime, role: Role, speaker: str) -> Observation:
    # Ids such as message-0 are only unique inside one file.
    key = digest_key("letta", role, speaker, said.isoformat(), text)
    return Observation(
        text=text, said=said, role=role, speaker=speaker, session="letta", source="import:letta", key=key
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
