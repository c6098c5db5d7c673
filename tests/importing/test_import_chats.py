"""uac import: exported conversations become observations."""

import json
from pathlib import Path
from typing import Any

from support.importing import file, memory_at, told, uac
from uac.schema.entries import Observation

# -- conversations --------------------------------------------------------------------------------------------------------


def node(name: str, parent: str | None, role: str, *parts: Any, at: float | None = None) -> dict[str, Any]:
    content = {"content_type": "text", "parts": list(parts)}
    message = {"id": f"m-{name}", "author": {"role": role, "name": None}, "create_time": at, "content": content}
    return {"id": name, "message": message if parts else None, "parent": parent, "children": []}


def chatgpt(*nodes: dict[str, Any], current: str | None, name: str = "c1") -> dict[str, Any]:
    mapping = {node["id"]: node for node in nodes}
    return {"conversation_id": name, "create_time": 1700000000.0, "mapping": mapping, "current_node": current}


def observations(store: Path) -> list[tuple[str, str, str, str]]:
    entries = [stored.entry for stored in memory_at(store).log.read()]
    assert all(isinstance(entry, Observation) for entry in entries)
    return [
        (entry.text, entry.role, entry.session, entry.said.isoformat())
        for entry in entries
        if isinstance(entry, Observation)
    ]


def test_the_current_branch_of_a_chatgpt_conversation_is_kept(store: Path) -> None:
    nodes = [
        node("root", None, "system"),
        node("a", "root", "system", ""),
        node("b", "a", "user", "Where to?", {"content_type": "image_asset_pointer"}, at=1700000001.5),
        node("c", "b", "assistant", "Rome", at=1700000002),
        node("d", "b", "assistant", "Paris"),
        node("e", "d", "user", "Thanks", at=1700000003),
    ]
    broken = chatgpt(node("x", "y", "user", "hi"), current="x", name="c2")
    loop = chatgpt(node("x", "x", "user", "hi"), current="x", name="c3")
    king = chatgpt(node("x", None, "king", "hi"), current="x", name="c4")
    name = file("conversations.json", json.dumps([chatgpt(*nodes, current="e"), broken, loop, king]))
    result = uac("import", "ana", name, "--json")
    assert result.exit_code == 1
    assert told(result) == [
        {
            "conversation": 2,
            "why": "the node 'y' is missing from the mapping, or leads back to itself. Export it again.",
        },
        {
            "conversation": 3,
            "why": "the node 'x' is missing from the mapping, or leads back to itself. Export it again.",
        },
        {"conversation": 4, "why": "a message has the role 'king'. Use one of user, assistant, tool, system."},
        {
            "user": "ana",
            "file": "conversations.json",
            "format": "chatgpt",
            "dry_run": False,
            "conversations": 4,
            "kept": 3,
            "already": 0,
            "left_out": {"message of another branch": 1, "wordless part": 1},
            "broken": 3,
        },
    ]
    first = [
        ("Where to?", "user", "chatgpt:c1", "2023-11-14T22:13:21.500000+00:00"),
        ("Paris", "assistant", "chatgpt:c1", "2023-11-14T22:13:21.500000+00:00"),
        ("Thanks", "user", "chatgpt:c1", "2023-11-14T22:13:23+00:00"),
    ]
    assert observations(store) == first
    later = chatgpt(*nodes, node("f", "e", "assistant", "Welcome", at=1700000004), current="f")
    again = uac("import", "ana", file("newer.json", json.dumps([later])))
    assert again.stdout == "ana: newer.json: 1 message of 1 conversation\n"
    assert observations(store) == [*first, ("Welcome", "assistant", "chatgpt:c1", "2023-11-14T22:13:24+00:00")]


def claude(**message: Any) -> dict[str, Any]:
    common = {"uuid": "m1", "sender": "human", "created_at": "2024-05-01T10:00:00.5Z", "text": "Hello"}
    return {"uuid": "c1", "created_at": "2024-05-01T09:00:00Z", "chat_messages": [{**common, **message}]}


def test_a_claude_conversation_is_kept_with_what_was_attached_to_it(store: Path) -> None:
    attached = [{"file_name": "cv.txt", "extracted_content": "Ana, engineer"}, {"file_name": "empty.txt"}]
    talk = claude(attachments=attached, files=[{"file_name": "photo.jpg"}])
    answer = {"uuid": "m2", "sender": "assistant", "created_at": "2024-05-01T10:00:05Z", "text": ""}
    parts = [{"type": "text", "text": "Hi"}, {"type": "tool_use", "input": {}}, {"type": "text", "text": "Ana"}]
    talk["chat_messages"].append({**answer, "content": parts})
    name = file("conversations.json", json.dumps([talk]))
    dry = told(uac("import", "ana", name, "--json", "--dry-run"))[-1]
    assert (dry["kept"], store.exists()) == (3, False)
    result = told(uac("import", "ana", name, "--json"))[-1]
    assert [result[part] for part in ("kept", "left_out", "broken")] == [3, {"wordless part": 3}, 0]
    assert observations(store) == [
        ("Hello", "user", "claude:c1", "2024-05-01T10:00:00.500000+00:00"),
        ("Ana, engineer", "document", "claude:c1", "2024-05-01T10:00:00.500000+00:00"),
        ("Hi\nAna", "assistant", "claude:c1", "2024-05-01T10:00:05+00:00"),
    ]


def test_a_message_that_was_changed_or_lies_in_the_future_is_told_and_the_others_are_kept(store: Path) -> None:
    uac("import", "ana", file("conversations.json", json.dumps([claude()])))
    talk = claude(text="Other words")
    talk["chat_messages"] += [
        {"uuid": "m2", "sender": "human", "created_at": "2999-01-01T00:00:00Z", "text": "later"},
        {"uuid": "m3", "sender": "human", "created_at": "2024-05-02T00:00:00Z", "text": "and more"},
    ]
    result = uac("import", "ana", file("conversations.json", json.dumps([talk])), "--json")
    future, changed, summary = told(result)
    assert "is in the future" in future["why"]
    assert "was changed since it was imported" in changed["why"]
    assert (summary["kept"], summary["already"], summary["broken"]) == (1, 0, 2)
    assert [words for words, *_rest in observations(store)] == ["Hello", "and more"]


def test_an_export_of_chats_is_no_type(store: Path) -> None:
    name = file("conversations.json", json.dumps([claude()]))
    assert uac("import", "ana", name, "--as", "some.Thing").exit_code == 2
    assert uac("import", "ana", file("f.json", '[{"a": 1}]'), "--format", "claude").exit_code == 3
    assert not store.exists()
