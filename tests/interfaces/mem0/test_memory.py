"""The interface of mem0: what was added is listed and found, by the one it is of."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import uac
from support.mem0 import AT, new, no_settings, one, text_of, texts
from support.scripted_model import TUESDAY, allergy, fact, facts, put_allergy
from uac.errors import Unreachable
from uac.interfaces.mem0.memory import Invalid, Item, Memory
from uac.log.stores.in_memory import MemoryStore


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    no_settings(monkeypatch)


# --- add, get, search -------------------------------------------------------------------------------------------------


def test_without_a_model_each_turn_of_the_user_is_a_memory_and_is_got_by_its_id() -> None:
    memory = new()
    added = memory.add(
        [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "I am allergic to peanuts", "name": "Ana"},
            {"role": "assistant", "content": "Noted."},
            {"role": "assistant", "content": None, "tool_calls": []},
        ],
        user_id="ana",
        agent_id="bot",
        run_id="r1",
        metadata={"topic": "food", "user_id": "ben"},
        expiration_date="2030-01-31",
    )
    first = one(added)
    assert added == {
        "results": [
            {"id": first, "memory": "I am allergic to peanuts", "event": "ADD", "actor_id": "Ana", "role": "user"},
        ]
    }
    assert memory.get(first) == {
        "id": first,
        "memory": "I am allergic to peanuts",
        "hash": "ad2bee22f9ad63b91d024b582b383a24",
        "metadata": {"topic": "food"},
        "score": None,
        "created_at": AT,
        "updated_at": AT,
        "user_id": "ana",
        "agent_id": "bot",
        "run_id": "r1",
        "actor_id": "Ana",
        "role": "user",
        "expiration_date": "2030-01-31",
    }


CHAT = [{"role": "user", "content": "I play the violin"}, {"role": "assistant", "content": "Violins are lovely."}]


def test_the_turns_of_an_assistant_are_kept_and_are_not_the_users_memories() -> None:
    memory = new()
    assert texts(memory.add(CHAT, user_id="ana", agent_id="bot")) == ["I play the violin"]
    assert texts(memory.get_all(user_id="ana")) == ["I play the violin"]
    assert texts(memory.search("violins lovely", user_id="ana")) == ["I play the violin"]
    assert texts(memory.add(CHAT, user_id="ben", infer=False)) == ["I play the violin", "Violins are lovely."]
    assert texts(memory.add(CHAT, agent_id="bot")) == ["I play the violin", "Violins are lovely."]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"AND": [{"user_id": "ana"}]}, ["tea", "jazz", "hiking"]),
        ({"AND": [{"user_id": {"eq": "ana"}}, {"topic": "drink"}]}, ["tea"]),
        ({"AND": [{"user_id": {"in": ["ana"]}}, {"agent_id": "bot"}]}, ["jazz"]),
        ({"AND": [{"AND": [{"user_id": "ana"}, {"topic": "music"}]}]}, ["jazz"]),
        ({"AND": [{"user_id": "ana"}, {"OR": [{"topic": "drink"}, {"agent_id": "bot"}]}]}, ["tea", "jazz"]),
        ({"AND": [{"user_id": "ana"}, {"NOT": [{"topic": "drink"}]}]}, ["jazz", "hiking"]),
        ({"AND": [{"user_id": "ana"}, {"agent_id": "*"}]}, ["jazz"]),
        ({"user_id": "ana", "OR": [{"run_id": "r1"}, {"topic": "music"}]}, ["jazz", "hiking"]),
        ({"user_id": "ana", "AND": [{"topic": "drink"}]}, ["tea"]),
        ({"AND": [{"user_id": "ana"}, {"created_at": {"gte": "2024-05-01"}}]}, ["tea", "jazz", "hiking"]),
        ({"AND": [{"user_id": "ana"}, {"created_at": {"gte": "2024-06-01"}}]}, []),
    ],
)
def test_the_user_may_be_inside_of_and_and_the_rest_are_conditions(filters: Any, expected: list[str]) -> None:
    memory = new()
    memory.add("tea", user_id="ana", metadata={"topic": "drink"})
    memory.add("jazz", user_id="ana", agent_id="bot", metadata={"topic": "music"})
    memory.add("hiking", user_id="ana", run_id="r1")
    memory.add("tea", user_id="ben", metadata={"topic": "drink"})
    assert texts(memory.get_all(filters=filters)) == expected
    assert sorted(texts(memory.search("tea jazz hiking", filters=filters))) == sorted(expected)


def test_what_a_model_took_from_the_words_is_the_memory_and_the_words_are_none() -> None:
    memory = new(facts(allergy(1)), put_allergy(2))
    added = memory.add("I'm allergic to penicillin, by the way.", user_id="ana", metadata={"from": "chat"})
    memory_id = one(added)
    text = "The user is allergic to penicillin."
    assert added == {"results": [{"id": memory_id, "memory": text, "event": "ADD"}]}
    item: Item = {
        "id": memory_id,
        "memory": text,
        "hash": "1b268a587aa1bc9c3745eb43a8982f30",
        "metadata": {"from": "chat"},
        "created_at": AT,
        "updated_at": AT,
        "user_id": "ana",
        "attributed_to": "user",
    }
    assert memory.get_all(filters={"user_id": "ana"}) == {"results": [item]}
    assert [{**found, "score": 0} for found in memory.search("penicillin", user_id="ana")["results"]] == [
        {**item, "score": 0}
    ]


def test_turns_that_a_model_could_not_read_are_memories_until_it_has(caplog: pytest.LogCaptureFixture) -> None:
    memory = new(Unreachable("it is busy"), facts(allergy(1)), put_allergy(4), {"facts": []}, {"facts": []})
    added = memory.add("I'm allergic to penicillin.", user_id="ana")
    assert texts(added) == ["I'm allergic to penicillin."]
    assert [record.getMessage() for record in caplog.records] == ["what was said is kept, and not read yet: it is busy"]
    memory.add("Hello!", user_id="ana")
    assert texts(memory.get_all(user_id="ana")) == ["The user is allergic to penicillin."]
    assert memory.get(one(added)) is not None


def test_a_turn_added_without_inference_stays_the_memory_when_a_model_reads_it_later() -> None:
    memory = new(facts(allergy(1)), put_allergy(3), {"facts": []}, {"facts": []})
    added = memory.add("I'm allergic to penicillin.", user_id="ana", infer=False)
    memory.add("Hello!", user_id="ana")
    assert texts(memory.get_all(user_id="ana")) == ["I'm allergic to penicillin."]
    assert texts(added) == ["I'm allergic to penicillin."]


def test_a_fact_that_another_took_the_place_of_is_not_listed() -> None:
    def put(city: str, cites: int) -> dict[str, Any]:
        field = {"name": "city", "type": "str"}
        name = {"name": "name", "type": "str"}
        home = {"domain": "home", "name": "Home", "key": ["name"], "fields": [name, field]}
        define = [{"op": "define", "type": home, "cites": [cites]}] if city == "Rome" else []
        fields = {"name": "main", "city": city}
        return {"patches": [*define, {"op": "put", "type": "home.Home", "fields": fields, "cites": [cites]}]}

    memory = new(
        facts(fact("The user lives in Rome.", 1, "I live in Rome", topic="travel")),
        put("Rome", 2),
        facts(fact("The user lives in Oslo.", 6, "I live in Oslo now", topic="travel")),
        put("Oslo", 7),
    )
    old = one(memory.add("I live in Rome.", user_id="ana"))
    memory.add("I live in Oslo now.", user_id="ana")
    assert texts(memory.get_all(user_id="ana")) == ["The user lives in Oslo."]
    assert texts(memory.search("Where does the user live?", user_id="ana")) == ["The user lives in Oslo."]
    assert memory.get(old) is not None


def test_a_search_gives_the_best_first_with_a_score_and_says_why() -> None:
    memory = new()
    memory.add("I play the violin on Sundays", user_id="ana", run_id="a")
    memory.add("My sister lives in Lisbon", user_id="ana", run_id="b")
    found = memory.search("violin", user_id="ana", top_k=1, explain=True)["results"]
    assert [(item["memory"], round(item["score"] or 0, 3)) for item in found] == [
        ("I play the violin on Sundays", min(1.0, round(sum(found[0]["score_details"].values()), 3)))
    ]
    assert memory.search("violin", user_id="ana", limit=0) == {"results": []}
    assert memory.search("violin", user_id="ana", threshold=1.0) == {"results": []}


def test_a_filter_that_leaves_few_looks_at_all_that_matches() -> None:
    memory = new()
    for number in range(150):
        metadata = {"n": number} if number == 149 else {}
        memory.add(f"Note {number} about the garden", user_id="ana", metadata=metadata, run_id=str(number))
    found = memory.search("notes about the garden", filters={"user_id": "ana", "n": {"gte": 0}})
    assert texts(found) == ["Note 149 about the garden"]
    assert len(memory.get_all(user_id="ana")["results"]) == 150
    assert texts(memory.get_all(user_id="ana", top_k=2)) == ["Note 0 about the garden", "Note 1 about the garden"]


def test_runs_and_agents_narrow_down_what_is_meant() -> None:
    memory = new()
    memory.add("one", user_id="ana", run_id="1", agent_id="x")
    memory.add("two", user_id="ana", run_id="2", agent_id="x")
    memory.add("three", user_id="ana")
    memory.add("four", agent_id="x")
    memory.add("five", run_id="1")
    assert texts(memory.get_all(filters={"user_id": "ana", "run_id": "2"})) == ["two"]
    assert texts(memory.get_all(filters={"user_id": "ana", "agent_id": "x"})) == ["one", "two"]
    assert texts(memory.get_all(filters={"user_id": "ana"})) == ["one", "two", "three"]
    assert texts(memory.get_all(filters={"agent_id": "x"})) == ["four"]
    assert texts(memory.get_all(filters={"run_id": "1"})) == ["five"]


def test_what_has_expired_is_shown_on_request_only() -> None:
    memory = new()
    memory.add("The code is 4711", user_id="ana", expiration_date="2024-05-06")
    memory.add("The code is 4712", user_id="ana", expiration_date=TUESDAY)
    assert texts(memory.get_all(user_id="ana")) == ["The code is 4712"]
    assert texts(memory.search("code 4711", user_id="ana")) == ["The code is 4712"]
    assert texts(memory.get_all(user_id="ana", show_expired=True)) == ["The code is 4711", "The code is 4712"]


def test_what_the_commands_have_kept_is_seen_here_and_the_other_way_round() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    ana = uac.Memory(store.log("ana"), embedder=None, clock=lambda: TUESDAY)
    ana.add("I play chess", source="notes")
    ana.put("health.Allergy", {"substance": "Penicillin"})
    memory = new(store=store)
    memory.add("I sing", user_id="ana", metadata={"a": 1})
    assert texts(memory.get_all(user_id="ana")) == ["I play chess", "I sing"]
    assert [hit.text for hit in ana.recall("sing", k=1)] == ["I sing"]


# --- whose memory it is -----------------------------------------------------------------------------------------------


def test_an_id_cannot_be_made_from_a_user_and_a_position_and_is_of_one_user() -> None:
    memory = new()
    ana = one(memory.add("my secret", user_id="ana"))
    ben = one(memory.add("hello", user_id="ben"))
    token, position, name = ana.split(".")
    forged = [f"{ben.split('.')[0]}.{position}.{name}", f"{'A' * 16}.{position}.{name}", f"{token}.2.{name}"]
    for other in [*forged, f"{token}.{position}.{ben.split('.')[2]}", "", "x", ana[:-1], ana + "\n", None, 7]:
        assert memory.get(other) is None  # type: ignore[arg-type]  # what callers may send
        assert memory.history(other) == []  # type: ignore[arg-type]  # as above
    assert memory.get(ana, user_id="ben") is None
    assert memory.history(ana, user_id="ben") == []
    with pytest.raises(Invalid):
        memory.delete(ana, user_id="ben")
    with pytest.raises(Invalid):
        memory.update(ana, "mine now", user_id="ben")
    assert text_of(memory.get(ana, user_id="ana")) == "my secret"


@given(st.text(max_size=60) | st.from_regex(r"[A-Za-z0-9_-]{16}\.[0-9]{1,3}\.[A-Za-z0-9_-]{1,9}", fullmatch=True))
def test_no_text_is_an_id_by_chance(text: str) -> None:
    memory = new()
    memory.add("hello", user_id="ana")
    assert memory.get(text) is None


def test_collections_have_users_of_their_own() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)

    def of(collection: str) -> Memory:
        config = {"vector_store": {"config": {"collection_name": collection}}}
        return Memory(config, store=store, embedder=None, clock=lambda: TUESDAY)

    plain, other = of("mem0"), of("other")
    first = one(plain.add("plain", user_id="ana"))
    second = one(other.add("other", user_id="ana"))
    other.add("run", run_id="7")
    assert [user.name for user in store.users()] == ["ana", "other: ana", "other: run 7"]
    assert (other.get(first), plain.get(second)) == (None, None)
    item = other.get(second)
    assert item is not None
    assert item["user_id"] == "ana"
    plain.reset(confirm=True)
    assert [user.name for user in store.users()] == ["other: ana", "other: run 7"]
    other.reset(confirm=True)
    assert store.users() == ()


def test_a_store_that_was_there_before_is_reset_only_if_that_is_confirmed(tmp_path: Path) -> None:
    config = {"store": str(tmp_path / "memory.db")}
    with Memory(config, embedder=None) as memory:
        memory.add("one", user_id="ana")
        memory.reset()
        assert memory.get_all(user_id="ana") == {"results": []}
        memory.add("two", user_id="ana")
    with Memory.from_config(config) as memory:
        with pytest.raises(Invalid, match=re.escape("reset(confirm=True) if that is meant")):
            memory.reset()
        assert texts(memory.get_all(user_id="ana")) == ["two"]
        memory.reset(confirm=True)
        assert memory.get_all(user_id="ana") == {"results": []}


def test_more_users_than_are_kept_open_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uac.interfaces.mem0.users.OPEN", 2)
    memory = new()
    ids = [one(memory.add(f"I am {number}", user_id=number)) for number in range(5)]
    assert [text_of(memory.get(memory_id)) for memory_id in ids] == [f"I am {n}" for n in range(5)]
