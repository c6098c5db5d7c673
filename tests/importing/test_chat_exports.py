"""Chat exports: messages in unusual shapes, and conversations that cannot be stored."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from uac.importing import BadLine, MessageCounts, Service, Skipped, chat_service_of, import_chats
from uac.importing import message_files as message_files_module
from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore
from uac.schema.entries import Observation

MOMENT = datetime(2024, 5, 1, 10, tzinfo=UTC)


def export(path: Path, conversations: Any) -> Path:
    path.write_text(json.dumps(conversations))
    return path


def chatgpt(content: Any, **conversation: Any) -> dict[str, Any]:
    """A conversation of one message."""
    message = {"id": "m", "author": {"role": "user"}, "create_time": MOMENT.timestamp(), "content": content}
    mapping = {"a": {"id": "a", "message": message, "parent": None}}
    return {"conversation_id": "c", "mapping": mapping, "current_node": "a", **conversation}


def claude(*messages: Any, **conversation: Any) -> dict[str, Any]:
    return {"uuid": "c", "created_at": MOMENT.isoformat(), "chat_messages": list(messages), **conversation}


def imported(path: Path, service: Service, log: Log | None = None) -> list[MessageCounts | BadLine | Skipped]:
    return list(import_chats(log or MemoryStore().log("ana"), path, service, lambda _size: None))


def stored_texts(log: Log) -> list[str]:
    return [stored.entry.text for stored in log.read() if isinstance(stored.entry, Observation)]


@pytest.mark.parametrize(
    ("content", "service"),
    [
        ([{"mapping": {}}], "chatgpt"),
        ([{"chat_messages": []}], "claude"),
        ({"version": 2, "conversations": [{"chat_messages": []}]}, "claude"),
        ([{"mapping": [], "chat_messages": {}}], None),
        ([5], None),
        ([], None),
    ],
)
def test_the_first_item_of_a_file_shows_whose_export_it_is(
    content: Any, service: Service | None, tmp_path: Path
) -> None:
    assert chat_service_of(export(tmp_path / "a.json", content)) == service


@pytest.mark.parametrize(
    ("content", "texts", "skipped"),
    [
        ({"content_type": "code", "text": "print(1)"}, ["print(1)"], 0),
        ({"user_profile": "A nurse", "user_instructions": "Be brief"}, ["A nurse\nBe brief"], 0),
        ({"content_type": "thoughts", "thoughts": [{"summary": "hm"}, {}], "content": "So:"}, ["So:"], 2),
        ({"parts": ["one", {"text": "two"}, {"asset": 1}, 5]}, ["one\ntwo"], 2),
        ({"parts": ["  "]}, [], 0),
        ("no object", [], 0),
    ],
)
def test_the_text_of_a_chatgpt_message_comes_from_its_parts_or_its_text_fields(
    content: Any, texts: list[str], skipped: int, tmp_path: Path
) -> None:
    log = MemoryStore().log("ana")
    results = imported(export(tmp_path / "a.json", [chatgpt(content)]), "chatgpt", log)
    assert results[:skipped] == [Skipped(1, "wordless part")] * skipped
    assert results[skipped:] == [MessageCounts(1, 0, 0), MessageCounts(0, len(texts), 0)]
    assert stored_texts(log) == texts


def test_a_branch_without_text_is_not_reported(tmp_path: Path) -> None:
    talk = chatgpt({"parts": ["hi"]})
    talk["mapping"] |= {"b": {"id": "b", "message": None}, "c": {"message": {"content": {"parts": [""]}}}, "d": 5}
    talk["mapping"]["e"] = {"id": "e", "message": {"content": {"parts": ["or else"]}}, "parent": "a"}
    assert imported(export(tmp_path / "a.json", [talk]), "chatgpt") == [
        Skipped(1, "message of another branch"),
        MessageCounts(1, 0, 0),
        MessageCounts(0, 1, 0),
    ]


@pytest.mark.parametrize(
    ("service", "conversation", "reason"),
    [
        ("chatgpt", 5, "mapping"),
        ("chatgpt", chatgpt({"parts": ["hi"]}, conversation_id=""), "conversation_id"),
        ("chatgpt", chatgpt({"parts": ["hi"]}, current_node=None), "current_node"),
        ("chatgpt", chatgpt({"parts": ["hi"]}, create_time=1e300), "1e+300"),
        ("claude", {"uuid": "c"}, "chat_messages"),
        ("claude", claude(uuid=""), "uuid"),
        ("claude", claude("hi"), "message 1"),
        ("claude", claude({"text": "hi", "sender": "human"}, created_at=""), "message 1"),
        ("claude", claude({"text": "hi", "sender": "human", "created_at": "soon"}), "'soon'"),
        ("claude", claude({"text": "hi", "sender": "ghost"}), "'ghost'"),
    ],
)
def test_a_conversation_that_cannot_be_understood_is_a_bad_line_with_the_reason(
    service: Service, conversation: Any, reason: str, tmp_path: Path
) -> None:
    bad, *rest = imported(export(tmp_path / "a.json", [conversation]), service)
    assert rest == [MessageCounts(1, 0, 0), MessageCounts(0, 0, 0)]
    assert isinstance(bad, BadLine)
    assert bad.number == 1
    assert reason in bad.why


def test_a_claude_message_without_an_id_or_a_time_takes_its_number_and_the_conversations_time(tmp_path: Path) -> None:
    log = MemoryStore().log("ana")
    attached = {"file_name": "cv.txt", "extracted_content": "Ana, engineer"}
    talk = claude({"text": "hi", "sender": "human"}, {"text": " ", "attachments": [attached, "x"]})
    assert imported(export(tmp_path / "a.json", [talk]), "claude", log) == [
        Skipped(1, "wordless part"),
        MessageCounts(1, 0, 0),
        MessageCounts(0, 2, 0),
    ]
    entries = [stored.entry for stored in log.read()]
    common: dict[str, Any] = {"said": MOMENT, "session": "claude:c", "source": "import:claude"}
    assert entries == [
        Observation(text="hi", role="user", key="import:claude:c:1", **common),
        Observation(text="Ana, engineer", role="document", speaker="cv.txt", key="import:claude:c:2/1", **common),
    ]


def test_values_beside_the_list_of_conversations_are_reported_as_skipped(tmp_path: Path) -> None:
    path = export(tmp_path / "a.json", {"version": 2, "conversations": [claude({"text": "hi", "sender": "human"})]})
    assert imported(path, "claude") == [
        Skipped(1, "value 'version' beside the list"),
        MessageCounts(1, 0, 0),
        MessageCounts(0, 1, 0),
    ]


@pytest.mark.parametrize(("name", "limit"), [("BATCH", 2), ("BATCH_SIZE", 5)])
def test_many_messages_are_stored_in_batches(
    name: str, limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_files_module, name, limit)
    log = MemoryStore().log("ana")
    talk = claude(*({"text": f"m{number}", "sender": "human"} for number in range(5)))
    counts = [MessageCounts(0, 2, 0), MessageCounts(0, 2, 0), MessageCounts(1, 0, 0), MessageCounts(0, 1, 0)]
    assert imported(export(tmp_path / "a.json", [talk]), "claude", log) == counts
    assert stored_texts(log) == ["m0", "m1", "m2", "m3", "m4"]
