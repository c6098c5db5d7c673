"""Exports that become observations: which one a JSON file is, and the reader of each."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from uac.errors import Refused
from uac.importing.archives import list_archive, title_of
from uac.importing.chat_exports import Service
from uac.importing.files import ByteSource, Progress
from uac.importing.json_places import PlacedItem, exported_text, read_placed_items
from uac.importing.letta import read_letta
from uac.importing.markdown_notes import read_markdown
from uac.importing.memory_exports import read_memories
from uac.importing.message_files import MessageItem, MessageOptions
from uac.importing.message_lines import read_plain_messages
from uac.importing.telegram import read_telegram
from uac.importing.whatsapp import is_whatsapp_chat, read_whatsapp

__all__ = ["MESSAGE_FORMATS", "MessageFormat", "MessageNouns", "json_export_of", "message_nouns", "read_message_file"]

MessageFormat: TypeAlias = Literal["messages", "whatsapp", "telegram", "mem0", "zep", "letta", "langmem", "markdown"]
MESSAGE_FORMATS: tuple[MessageFormat, ...] = get_args(MessageFormat)


class MessageNouns(NamedTuple):
    """What messages call the numbered parts of a file, and what is stored of them."""

    part: str
    stored: str


def message_nouns(path: Path, format_: MessageFormat) -> MessageNouns:
    match format_:
        case "markdown":
            return MessageNouns("note", "note")
        case "whatsapp":
            return MessageNouns("line", "message")
        case "telegram":
            return MessageNouns("message", "message")
        case "letta":
            return MessageNouns("item", "entry")
    is_lines = path.suffix.lower() in (".jsonl", ".ndjson")
    return MessageNouns("line" if is_lines else "item", "message" if format_ == "messages" else "memory")


def read_message_file(
    path: Path, format_: MessageFormat, options: MessageOptions, progress: Progress
) -> Iterator[MessageItem]:
    """The messages, memories or notes of a file. Raises Refused if the file as a whole cannot be read."""
    match format_:
        case "whatsapp":
            source, title = _whatsapp_source(path)
            return read_whatsapp(source, title, options, progress)
        case "telegram":
            return read_telegram(path, options, progress)
        case "letta":
            return read_letta(path, options, progress)
        case "markdown":
            return read_markdown(path, options, progress)
        case "messages":
            return read_plain_messages(path, options, progress)
        case "mem0" | "zep" | "langmem":
            return read_memories(path, format_, options, progress)


def json_export_of(path: ByteSource) -> MessageFormat | Service | None:
    """The program whose export a JSON file is, by its first item; None if it is something else."""
    has_about = False
    for item in read_placed_items(path, lambda _size: None, _is_near_the_top):
        if not isinstance(item, PlacedItem):
            return None
        has_about = has_about or item.place == "about"
        if item.place == "chats.list[]{" or (has_about and item.place == "personal_information{"):
            return "telegram"
        if item.number:
            return _export_of_item(item.place, item.value) if isinstance(item.value, dict) else None
    return None


def _is_near_the_top(place: str) -> bool:
    return place == "chats.list[]" or ("[]" not in place and place.count(".") < 2)


def _export_of_item(place: str, item: dict[str, Any]) -> MessageFormat | Service | None:
    names = item.keys()
    if isinstance(item.get("mapping"), dict):
        return "chatgpt"
    if isinstance(item.get("chat_messages"), list):
        return "claude"
    if {"id", "memory"} <= names:
        return "mem0"
    if {"namespace", "key", "value"} <= names:
        return "langmem"
    if {"uuid", "fact"} <= names or (place == "episodes[]" and {"uuid", "content"} <= names):
        return "zep"
    if place == "messages[]" and {"id", "type", "date"} <= names:
        return "telegram"
    if (
        (place == "agents[]" and names & {"block_ids", "memory_blocks", "messages"})
        or (place == "core_memory[]" and {"label", "value"} <= names)
        or ("text" in names and exported_text(item, "id").startswith("passage-"))
    ):
        return "letta"
    if place in ("[]", "messages[]") and isinstance(item.get("role"), str) and "content" in names:
        return "messages"
    return None


def _whatsapp_source(path: Path) -> tuple[ByteSource, str]:
    """The chat in a file, a folder or a zip archive, and its title: an iPhone names every chat `_chat.txt`."""
    if not path.is_dir() and path.suffix.lower() != ".zip":
        return path, title_of(path.absolute().parent if path.name == "_chat.txt" else path)
    chats = [file for file in list_archive(path) if file.name.lower().endswith(".txt") and is_whatsapp_chat(file)]
    if len(chats) != 1:
        found = ", ".join(file.name for file in chats) or "none"
        raise Refused(f"{path.name} must have one chat of WhatsApp, and has {found}. Name a file in it.")
    name = Path(chats[0].name)
    return chats[0], title_of(path if name.name == "_chat.txt" else name)
