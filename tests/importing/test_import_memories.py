"""uac import: memories of mem0, Zep, Letta and LangMem are documents, never words of the user."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.importing import file, told, uac
from support.samples import sample, stored_observations, stored_words

OSLO = "Ana lives in Oslo\n(valid from 2024-05-01T00:00:00Z until 2025-01-01T00:00:00Z)"


@pytest.mark.parametrize(
    ("name", "bad", "words"),
    [
        (
            "mem0.json",
            {"item": 2, "why": "a message has the time 'yesterday'. Use ISO 8601."},
            [
                ("2024-07-21T01:30:36-07:00", "document", "mem0", "Likes window seats"),
                ("2024-08-01T00:00:00+00:00", "document", "mem0", "Works as a nurse"),
            ],
        ),
        (
            "zep.json",
            {"item": 2, "why": "is not a memory: it has no uuid. Export it again."},
            [
                ("2024-05-02T10:00:00+00:00", "document", "zep", OSLO),
                ("2024-05-03T10:00:00+00:00", "document", "zep", "Ana knows Carla"),
            ],
        ),
        (
            "langmem.jsonl",
            {"line": 2, "why": "is not JSON: Expecting value (character 1). Correct it."},
            [
                ("2025-02-02T10:00:00+00:00", "document", "langmem", "Prefers tea"),
                ("2025-02-01T10:00:00+00:00", "document", "langmem", "Has a dog"),
                ("2025-02-01T10:00:00+00:00", "document", "langmem", '{"name": "Ana", "age": 41}'),
            ],
        ),
        (
            "helper.af",
            {"item": 5, "why": "a message has the time 'soon'. Use ISO 8601."},
            [
                ("2025-10-31T22:51:00+00:00", "user", "", "I moved to Oslo"),
                ("2025-10-31T22:53:00+00:00", "assistant", "", "How nice!"),
                ("2025-11-01T00:00:00+00:00", "document", "letta/human", "Name: Ana\nLives in Oslo"),
            ],
        ),
    ],
)
def test_a_sample_is_stored_with_its_own_times_and_a_broken_item_does_not_stop_the_others(
    name: str, bad: dict[str, Any], words: list[tuple[str, str, str, str]], store: Path
) -> None:
    result = uac("import", "ana", sample(name), "--json")
    assert result.exit_code == 1
    reported, summary = told(result)
    assert reported == bad
    assert (summary["kept"], summary["already"], summary["broken"]) == (len(words), 0, 1)
    assert stored_words(store) == words
    again = told(uac("import", "ana", name, "--json"))[-1]
    assert (again["kept"], again["already"], again["broken"]) == (0, len(words), 1)
    assert stored_words(store) == words


def test_a_memory_that_was_changed_is_stored_beside_the_old_one(store: Path) -> None:
    memory = {"id": "m", "memory": "Likes tea", "created_at": "2024-05-01T10:00:00Z"}
    uac("import", "ana", file("a.json", json.dumps([memory])))
    uac("import", "ana", file("b.json", json.dumps([{**memory, "memory": "Likes coffee"}])))
    assert [words for *_rest, words in stored_words(store)] == ["Likes tea", "Likes coffee"]
    assert {entry.source for entry in stored_observations(store)} == {"import:mem0"}


def memories(*users: str) -> str:
    items = [
        {"id": f"m-{user}", "memory": f"About {user}", "user_id": user, "created_at": "2024-05-01T10:00:00Z"}
        for user in users
    ]
    items.append({"id": "m-bot", "memory": "About nobody", "agent_id": "bot", "created_at": "2024-05-01T10:00:00Z"})
    return json.dumps({"results": items, "relations": []})


def test_memories_of_several_users_are_refused_until_one_is_chosen(store: Path) -> None:
    name = file("all.json", memories("ana", "ben"))
    refused = uac("import", "ana", name)
    assert (refused.exit_code, store.exists()) == (3, False)
    assert "has the users 'ana', 'ben'; it does not say which one is you." in refused.stderr
    assert uac("import", "ana", name, "--me", "carla").exit_code == 3
    summary = told(uac("import", "ana", name, "--me", "ana", "--json"))[-1]
    assert (summary["kept"], summary["left_out"]) == (1, {"other user's memory": 2})
    assert [words for *_rest, words in stored_words(store)] == ["About ana"]


def test_a_number_names_a_user_too(store: Path) -> None:
    items = [{"id": n, "memory": f"About {n}", "user_id": n, "created_at": "2024-05-01T10:00:00Z"} for n in (1, 2)]
    name = file("all.json", json.dumps(items))
    assert uac("import", "ana", name).exit_code == 3
    assert uac("import", "ana", name, "--me", "2").stdout == "ana: all.json: 1 memory\n"
    assert [words for *_rest, words in stored_words(store)] == ["About 2"]


def test_a_namespace_of_langmem_names_its_user(store: Path) -> None:
    items = [
        {"namespace": ["memories", user], "key": "k", "value": {"content": user}, "created_at": "2024-05-01T10:00:00Z"}
        for user in ("ana", "ben")
    ]
    name = file("items.json", json.dumps({"items": items}))
    assert uac("import", "ana", name).exit_code == 3
    uac("import", "ana", name, "--me", "ben")
    assert [words for *_rest, words in stored_words(store)] == ["ben"]


def test_memories_without_a_time_need_one_and_never_take_the_clocks(store: Path) -> None:
    name = file("a.json", json.dumps([{"id": "m", "memory": "Likes tea"}, {"id": "n", "memory": " "}]))
    first, second, summary = told(uac("import", "ana", name, "--json"))
    assert first == {"item": 1, "why": "has no time. Add created_at, or use --written."}
    assert second == {"item": 2, "why": "has no words. Export it again."}
    assert summary["kept"] == 0
    uac("import", "ana", name, "--written", "2024-05-01T10:00:00Z")
    assert stored_words(store) == [("2024-05-01T10:00:00+00:00", "document", "mem0", "Likes tea")]


def test_a_file_with_a_type_is_a_table_as_before(store: Path) -> None:
    items = [{"id": "m", "memory": "Likes tea"}]
    result = uac("import", "ana", file("a.json", json.dumps(items)), "--as", "some.Memory", "--yes")
    assert "1 record of some.Memory" in result.stdout
    assert uac("import", "ana", "a.json", "--format", "mem0", "--as", "some.Memory").exit_code == 2
    assert [entry.role for entry in stored_observations(store)] == ["document"]


def test_episodes_of_zep_and_passages_of_letta_are_documents(store: Path) -> None:
    episode = {"uuid": "e", "content": "Ana: I moved", "role": "Ana", "created_at": "2024-05-01T10:00:00Z"}
    passage = {"id": "passage-1", "text": "Ana has a boat", "created_at": "2024-05-02T10:00:00Z"}
    uac("import", "ana", file("episodes.json", json.dumps({"episodes": [episode]})))
    uac("import", "ana", file("passages.json", json.dumps([passage])))
    assert stored_words(store) == [
        ("2024-05-01T10:00:00+00:00", "document", "zep", "Ana: I moved"),
        ("2024-05-02T10:00:00+00:00", "document", "letta/archival", "Ana has a boat"),
    ]


def letta_message(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": text, "created_at": "2024-05-01T10:00:00Z", **more}


def test_thoughts_and_alarms_of_a_letta_agent_are_nobodys_words(store: Path) -> None:
    bad_call = [{"function": {"name": "send_message", "arguments": "{"}}]
    messages = [
        letta_message("assistant", "Let me search", tool_calls=[{"function": {"name": "search", "arguments": "{}"}}]),
        letta_message("assistant", "", tool_calls=bad_call),
        letta_message("user", '{"type": "login", "last_login": "never"}'),
        letta_message("user", "{not JSON"),
        letta_message("assistant", "Hello"),
        {"role": "user", "content": "no time"},
        {"content": "no role"},
    ]
    old = {"agent_type": "memgpt_agent", "core_memory": [{"label": "human", "value": "Ana"}], "messages": messages}
    *bad, summary = told(uac("import", "ana", file("old.af", json.dumps(old)), "--json"))
    assert bad == [
        {"item": 3, "why": "has a send_message that is not JSON. Export it again."},
        {"item": 7, "why": "has no created_at. Export it again."},
        {"item": 1, "why": "has no time, and the file has none. Use --written."},
    ]
    assert summary["left_out"] == {"wordless message": 2, "nameless message": 1}
    assert [(role, words) for _said, role, _speaker, words in stored_words(store)] == [
        ("user", "{not JSON"),
        ("assistant", "Hello"),
    ]
