"""Exports of ChatGPT and Claude as observations: one session per conversation, with times and roles."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from uac.errors import Refused
from uac.importing.files import BadLine, Progress, Skipped
from uac.importing.json_files import read_items
from uac.importing.json_places import exported_list, exported_text
from uac.importing.message_files import (
    CONVERSATION,
    MessageCounts,
    MessageItem,
    ReadMessage,
    import_messages,
    time_from_iso,
    time_from_seconds,
)
from uac.log.log import Log
from uac.schema.entries import Observation, Role

__all__ = ["Service", "chat_service_of", "import_chats", "read_chats"]

Service: TypeAlias = Literal["chatgpt", "claude"]

CHATGPT_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}
CLAUDE_ROLES: dict[str, Role] = {"human": "user", "assistant": "assistant"}


def chat_service_of(path: Path) -> Service | None:
    """The service whose export a JSON file is; None if it is something else."""
    first = next((item for item in read_items(path, lambda _size: None) if not isinstance(item, Skipped)), None)
    if isinstance(first, dict):
        if isinstance(first.get("mapping"), dict):
            return "chatgpt"
        if isinstance(first.get("chat_messages"), list):
            return "claude"
    return None


def import_chats(
    log: Log, path: Path, service: Service, progress: Progress, *, is_dry: bool = False
) -> Iterator[MessageCounts | BadLine | Skipped]:
    """Store every message under its own key, so that a later, longer export adds only the new ones."""
    return import_messages(log, read_chats(path, service, progress), is_dry=is_dry)


def read_chats(path: Path, service: Service, progress: Progress) -> Iterator[MessageItem]:
    """The messages of all conversations, in the order of the file."""
    number = 0
    for item in read_items(path, progress):
        if isinstance(item, Skipped):
            yield item
            continue
        number += 1
        yield from _read_conversation(item, number, service)
        yield CONVERSATION


def _read_conversation(item: Any, number: int, service: Service) -> Iterator[MessageItem]:
    try:
        parts = list((_chatgpt_messages if service == "chatgpt" else _claude_messages)(item))
    except (Refused, ValueError) as error:
        yield BadLine(number, str(error))
        return
    for part in parts:
        yield Skipped(number, part) if isinstance(part, str) else ReadMessage(number, part)


def _chatgpt_messages(item: Any) -> Iterator[Observation | str]:
    """The messages from the root to the current node; messages of other branches are reported, not stored."""
    mapping = _required_chat_member(item, "mapping", dict)
    name = exported_text(item, "conversation_id") or exported_text(item, "id")
    if not name:
        raise ValueError("the conversation has no conversation_id. Export it again.")
    branch: list[dict[str, Any]] = []
    at, passed = item.get("current_node"), set()
    while at is not None:
        node = mapping.get(at) if isinstance(at, str) else None
        if not isinstance(node, dict) or at in passed:
            raise ValueError(f"the node {at!r} is missing from the mapping, or leads back to itself. Export it again.")
        passed.add(at)
        branch.append(node)
        at = node.get("parent")
    if not branch:
        raise ValueError("the conversation has no current_node. Export it again.")
    others = (node for key, node in mapping.items() if key not in passed)
    for node in others:
        if isinstance(node, dict) and isinstance(node.get("message"), dict) and _chatgpt_text(node["message"])[0]:
            yield "message of another branch"
    said = time_from_seconds(item.get("create_time"))
    for node in reversed(branch):
        message = node.get("message")
        if not isinstance(message, dict):
            continue
        words, other = _chatgpt_text(message)
        yield from ["wordless part"] * other
        said = time_from_seconds(message.get("create_time")) or said
        if not words.strip():
            continue
        author = message["author"] if isinstance(message.get("author"), dict) else {}
        yield Observation(
            text=words,
            said=_required_message_time(said, "message"),
            role=_exported_role(author.get("role"), CHATGPT_ROLES),
            speaker=exported_text(author, "name"),
            session=f"chatgpt:{name}",
            source="import:chatgpt",
            key=f"import:chatgpt:{name}:{exported_text(message, 'id') or exported_text(node, 'id')}",
        )


def _chatgpt_text(message: dict[str, Any]) -> tuple[str, int]:
    """The text of a message, and the number of its other parts."""
    content = message.get("content")
    if not isinstance(content, dict):
        return "", 0
    parts = content.get("parts")
    if not isinstance(parts, list):
        known = ("text", "result", "content", "user_profile", "user_instructions")
        texts = [content[name] for name in known if isinstance(content.get(name), str)]
        thoughts = content.get("thoughts")
        return "\n".join(texts), len(thoughts) if isinstance(thoughts, list) else 0
    words = [part.get("text") if isinstance(part, dict) else part for part in parts]
    texts = [text for text in words if isinstance(text, str)]
    return "\n".join(texts), len(parts) - len(texts)


def _claude_messages(item: Any) -> Iterator[Observation | str]:
    messages, name = _required_chat_member(item, "chat_messages", list), exported_text(item, "uuid")
    if not name:
        raise ValueError("the conversation has no uuid. Export it again.")
    said = exported_text(item, "created_at")
    for place, message in enumerate(messages, 1):
        if not isinstance(message, dict):
            raise ValueError(f"message {place} is not an object. Export it again.")  # noqa: TRY004 - a value of the file, not an argument
        said = exported_text(message, "created_at") or said
        key = f"import:claude:{name}:{exported_text(message, 'uuid') or place}"
        moment = _required_message_time(time_from_iso(said), f"message {place}")
        words, other = _claude_text(message)
        yield from ["wordless part"] * (other + len(exported_list(message, "files")))
        keep = partial(Observation, said=moment, session=f"claude:{name}", source="import:claude")
        if words.strip():
            yield keep(text=words, role=_exported_role(message.get("sender"), CLAUDE_ROLES), key=key)
        for index, attached in enumerate(exported_list(message, "attachments"), 1):
            text = exported_text(attached, "extracted_content") if isinstance(attached, dict) else ""
            if not text.strip():
                yield "wordless part"
                continue
            speaker = exported_text(attached, "file_name")
            yield keep(text=text, role="document", speaker=speaker, key=f"{key}/{index}")


def _claude_text(message: dict[str, Any]) -> tuple[str, int]:
    parts = exported_list(message, "content")
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return exported_text(message, "text") or "\n".join(texts), len(parts) - len(texts)


def _exported_role(name: object, roles: dict[str, Role]) -> Role:
    if not isinstance(name, str) or name not in roles:
        raise ValueError(f"a message has the role {name!r}. Use one of {', '.join(roles)}.")
    return roles[name]


def _required_message_time(moment: datetime | None, what: str) -> datetime:
    if moment is None:
        raise ValueError(f"neither a {what} nor the conversation has a time. Export it again.")
    return moment


def _required_chat_member(item: Any, name: str, kind: type) -> Any:
    value = item.get(name) if isinstance(item, dict) else None
    if not isinstance(value, kind):
        raise ValueError(f"is not a conversation: it has no {name}. Export it again.")  # noqa: TRY004 - a value of the file, not an argument
    return value
