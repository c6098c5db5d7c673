"""The interface of mem0: the same verbs, arguments and results over a log. One script is run against both."""

import asyncio
import json
import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from teaching import TUESDAY, Said, Scripted, allergy, fact, facts, put_allergy

import uac
from uac.compat.mem0 import AsyncMemory, Invalid, Item, Memory
from uac.compat.mem0_arguments import fits, place_of
from uac.compat.mem0_kept import Note
from uac.errors import Refused, Unreachable
from uac.models import OneModel
from uac.store import Store
from uac.stores.memory import MemoryStore

AT = "2024-05-07T18:30:00+00:00"
UPDATED = {"message": "Memory updated successfully!"}
DELETED = {"message": "Memory deleted successfully!"}
ALL_DELETED = {"message": "Memories deleted successfully!"}


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("UAC_")]:
        monkeypatch.delenv(name)


def new(*said: Said, store: Store | None = None) -> Memory:
    """A memory on a Tuesday, with a model if it has something to say."""
    models = OneModel(Scripted(*said)) if said else None
    there = MemoryStore(clock=lambda: TUESDAY) if store is None else store
    return Memory(store=there, models=models, embedder=None, clock=lambda: TUESDAY)


def texts(found: Any) -> list[str]:
    return [item["memory"] for item in found["results"]]


def text_of(item: Item | None) -> str | None:
    return None if item is None else item["memory"]


def one(found: Any) -> str:
    (item,) = found["results"]
    memory_id: str = item["id"]
    return memory_id


# --- add, get, search -------------------------------------------------------------------------------------------------


def test_without_a_model_each_turn_is_a_memory_and_is_got_by_its_id() -> None:
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
    first, second = (item["id"] for item in added["results"])
    assert added == {
        "results": [
            {"id": first, "memory": "I am allergic to peanuts", "event": "ADD", "actor_id": "Ana", "role": "user"},
            {"id": second, "memory": "Noted.", "event": "ADD", "actor_id": None, "role": "assistant"},
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


# --- update, delete, history ------------------------------------------------------------------------------------------


def change(memory_id: str, old: str | None, text: str | None, event: str, **more: Any) -> dict[str, Any]:
    return {
        "memory_id": memory_id,
        "old_memory": old,
        "new_memory": text,
        "event": event,
        "created_at": AT,
        "updated_at": AT,
        "is_deleted": event == "DELETE",
        "actor_id": None,
        "role": "user",
        **more,
    }


def told(memory: Memory, memory_id: str) -> list[dict[str, Any]]:
    changes = memory.history(memory_id)
    assert len({item["id"] for item in changes}) == len(changes)
    return [{name: value for name, value in item.items() if name != "id"} for item in changes]


def test_an_update_keeps_the_id_and_the_history_shows_both_texts() -> None:
    memory = new()
    memory_id = one(memory.add("I live in Rome", user_id="ana", run_id="r", metadata={"a": 1, "b": 1}))
    assert memory.update(memory_id, "I live in Oslo", metadata={"b": 2}) == UPDATED
    assert memory.update(memory_id, data="I live in Bergen", expiration_date="2031-01-01") == UPDATED
    item = memory.get(memory_id)
    assert item is not None
    assert (item["memory"], item["metadata"], item["run_id"], item["expiration_date"]) == (
        "I live in Bergen",
        {"a": 1, "b": 2},
        "r",
        "2031-01-01",
    )
    assert texts(memory.get_all(user_id="ana")) == ["I live in Bergen"]
    assert texts(memory.search("live", user_id="ana")) == ["I live in Bergen"]
    assert told(memory, memory_id) == [
        change(memory_id, None, "I live in Rome", "ADD"),
        change(memory_id, "I live in Rome", "I live in Oslo", "UPDATE"),
        change(memory_id, "I live in Oslo", "I live in Bergen", "UPDATE"),
    ]
    memory.update(memory_id, expiration_date=None)
    assert "expiration_date" not in (memory.get(memory_id) or {"expiration_date": "?"})


def test_a_fact_that_is_updated_is_retracted_and_its_record_goes_with_it() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    memory = new(facts(allergy(1)), put_allergy(2), store=store)
    memory_id = one(memory.add("I'm allergic to penicillin.", user_id="ana", metadata={"a": 1}))
    ana = uac.Memory(store.log("ana"), embedder=None)
    assert [record.id for record in ana.project().records("health.Allergy")] == ["health.Allergy:penicillin"]
    memory.update(memory_id, "The user is allergic to amoxicillin.")
    assert ana.project().records("health.Allergy") == []
    assert texts(memory.get_all(user_id="ana")) == ["The user is allergic to amoxicillin."]
    item = memory.get(memory_id)
    assert item is not None
    assert (item["id"], item["metadata"], item["role"]) == (memory_id, {"a": 1}, "user")


def test_newer_words_count_though_the_process_ended_before_the_old_ones_were_retracted() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    memory = new(store=store)
    memory_id = one(memory.add("I live in Rome", user_id="ana"))
    source = Note(raw=True, of=1).source
    store.log("ana").append([uac.Observation(text="I live in Oslo", said=TUESDAY, source=source)])
    assert text_of(memory.get(memory_id)) == "I live in Oslo"
    assert texts(memory.get_all(user_id="ana")) == ["I live in Oslo"]
    assert texts(memory.search("live", user_id="ana")) == ["I live in Oslo"]
    memory.delete(memory_id)
    assert memory.get_all(user_id="ana") == {"results": []}


@given(st.text(max_size=30) | st.builds("mem0 {}".format, st.text(max_size=30)))
def test_any_source_of_others_is_no_note(source: str) -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    try:
        store.log("ana").append([uac.Observation(text="hello", said=TUESDAY, source=source)])
    except Refused:  # a lone surrogate
        return
    assert texts(new(store=store).get_all(user_id="ana")) == ["hello"]


def test_the_words_of_an_assistant_stay_its_words_when_they_are_updated() -> None:
    memory = new()
    memory_id = one(memory.add({"role": "assistant", "content": "You like tea"}, user_id="ana"))
    memory.update(memory_id, "You like coffee")
    item = memory.get(memory_id)
    assert item is not None
    assert (item["memory"], item["role"]) == ("You like coffee", "assistant")


def test_a_deleted_memory_is_not_found_and_its_history_stays_until_it_is_erased() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    memory = new(store=store)
    memory_id = one(memory.add("I live in Rome", user_id="ana"))
    memory.update(memory_id, "I live in Oslo")
    assert memory.delete(memory_id) == DELETED
    assert memory.get(memory_id) is None
    assert memory.get_all(user_id="ana") == memory.search("live", user_id="ana") == {"results": []}
    assert told(memory, memory_id) == [
        change(memory_id, None, "I live in Rome", "ADD"),
        change(memory_id, "I live in Rome", "I live in Oslo", "UPDATE"),
        change(memory_id, "I live in Oslo", None, "DELETE"),
    ]
    with pytest.raises(Invalid, match="there is no memory"):
        memory.delete(memory_id)
    with pytest.raises(Invalid, match="there is no memory"):
        memory.update(memory_id, "back")
    assert memory.delete(memory_id, erase=True) == DELETED
    assert memory.history(memory_id) == []
    log = store.log("ana")
    assert [stored.kind for stored in log.read() if stored.entry is not None] == ["retraction", "retraction", "erasure"]
    assert log.verify() is None


def test_a_retraction_that_is_undone_brings_the_memory_back() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    memory = new(store=store)
    memory_id = one(memory.add("I live in Rome", user_id="ana"))
    memory.delete(memory_id)
    ana = uac.Memory(store.log("ana"), embedder=None)
    ana.retract([2], why="a mistake")
    assert texts(memory.get_all(user_id="ana")) == ["I live in Rome"]
    assert told(memory, memory_id) == [change(memory_id, None, "I live in Rome", "ADD")]


def test_erasing_a_fact_destroys_the_words_it_quotes_and_deleting_it_does_not() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    memory = new(facts(allergy(1)), put_allergy(2), store=store)
    memory_id = one(memory.add("I'm allergic to penicillin.", user_id="ana"))
    memory.delete(memory_id)
    assert memory.get_all(user_id="ana") == {"results": []}
    assert "penicillin" in str([stored.entry for stored in store.log("ana").read(1, 2)])
    assert [entry["event"] for entry in memory.history(memory_id)] == ["ADD", "DELETE"]
    memory.delete(memory_id, erase=True)
    assert [stored.entry for stored in store.log("ana").read(1, 3)] == [None, None]


def test_delete_all_retracts_what_is_meant_and_leaves_records_that_were_put() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    ana = uac.Memory(store.log("ana"), embedder=None, clock=lambda: TUESDAY)
    ana.put("health.Allergy", {"substance": "Penicillin"})
    memory = new(store=store)
    memory.add("one", user_id="ana", run_id="1")
    memory.add("two", user_id="ana", run_id="2")
    memory.add("three", user_id="ben")
    assert memory.delete_all(user_id="ana", run_id="1") == ALL_DELETED
    assert texts(memory.get_all(user_id="ana")) == ["two"]
    assert memory.delete_all(user_id="ana") == memory.delete_all(user_id="ana") == ALL_DELETED
    assert memory.get_all(user_id="ana") == {"results": []}
    assert [record.id for record in ana.project().records("health.Allergy")] == ["health.Allergy:penicillin"]
    assert texts(memory.get_all(user_id="ben")) == ["three"]


def test_delete_all_with_erase_leaves_nothing_of_a_user_or_of_a_run() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    memory = new(store=store)
    memory.add("one", user_id="ana", run_id="1")
    memory.add("two", user_id="ana", run_id="2")
    memory.delete_all(user_id="ana", run_id="1", erase=True)
    assert [stored.entry is None for stored in store.log("ana").read()] == [True, False, False]
    old = one(memory.get_all(user_id="ana"))
    memory.delete_all("ana", erase=True)
    assert store.users() == ()
    memory.add("once more", user_id="ana")
    memory.add("again", user_id="ana")
    assert texts(memory.get_all(user_id="ana")) == ["once more", "again"]
    assert memory.get(old) is None


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
    monkeypatch.setattr("uac.compat.mem0.OPEN", 2)
    memory = new()
    ids = [one(memory.add(f"I am {number}", user_id=number)) for number in range(5)]
    assert [text_of(memory.get(memory_id)) for memory_id in ids] == [f"I am {n}" for n in range(5)]


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda m: m.add("x"), "whose memories? Needs a user_id, agent_id or run_id"),
        (lambda m: m.search("x"), "whose memories?"),
        (lambda m: m.get_all(filters={"topic": "food"}), "whose memories?"),
        (lambda m: m.delete_all(), "whose memories?"),
        (lambda m: m.add("x", user_id=" "), "user_id is ' ', needs an id without spaces"),
        (lambda m: m.add("x", user_id="a b"), "user_id is 'a b', needs an id without spaces"),
        (lambda m: m.add("x", user_id="e\u0301"), "Unicode normal form C"),
        (lambda m: m.search("x", user_id="*"), "logs are not searched across users"),
        (lambda m: m.search("x", filters={"user_id": {"in": ["a", "b"]}}), "logs are not searched across users"),
        (lambda m: m.search("x", user_id="a", filters={"user_id": "b"}), "user_id is 'a' and in filters 'b'"),
        (lambda m: m.search(" ", user_id="a"), "query is ' ', needs words"),
        (lambda m: m.search("x", user_id="a", top_k=-1), "top_k is -1, needs a whole number from 0 on"),
        (lambda m: m.search("x", user_id="a", threshold=2), "threshold is 2, needs a number from 0 to 1"),
        (lambda m: m.search("x", user_id="a", reference_date="2024-01-01"), "reference_date is not taken"),
        (lambda m: m.search("x", filters={"user_id": "a", "n": {"near": 1}}), "'near' is no comparison"),
        (lambda m: m.search("x", filters={"user_id": "a", "OR": {}}), "OR is {}, needs a list of conditions"),
        (lambda m: m.add(7, user_id="a"), "messages is int, needs text, a message or a list of messages"),
        (lambda m: m.add([{"role": "king", "content": "x"}], user_id="a"), "message 1 has role 'king'"),
        (lambda m: m.add(["x"], user_id="a"), "message 1 is 'x', needs an object"),
        (lambda m: m.add("x", user_id="a", metadata={"at": TUESDAY}), "metadata cannot be kept as JSON"),
        (lambda m: m.add("x", user_id="a", metadata=[1]), "metadata is [1], needs a dict"),
        (lambda m: m.add("x", user_id="a", expiration_date="soon"), "expiration_date is 'soon', needs a day"),
        (lambda m: m.add("x", user_id="a", timestamp=1), "timestamp is not taken"),
        (lambda m: m.add("x", user_id="a", memory_type="procedural_memory"), "procedural memories are not made here"),
        (lambda m: m.update("x"), "nothing to change"),
        (lambda m: m.update("x", " "), "text is ' ', needs words"),
        (lambda m: m.update("x", "y"), "there is no memory 'x'"),
        (lambda m: m.delete("x"), "there is no memory 'x'"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(call: Any, why: str) -> None:
    store = MemoryStore()
    with pytest.raises(ValueError, match=re.escape(why)) as caught:
        call(new(store=store))
    assert isinstance(caught.value, Refused)
    assert store.users() == ()


def test_words_without_text_add_nothing(caplog: pytest.LogCaptureFixture) -> None:
    memory = new()
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    assert memory.add([{"role": "user", "content": [image]}], user_id="ana") == {"results": []}
    assert texts(
        memory.add([{"role": "user", "content": [image, {"type": "text", "text": "my cat"}]}], user_id="ana")
    ) == ["my cat"]
    assert [record.getMessage() for record in caplog.records] == [
        "add: 1 parts of messages are not text, and are not kept"
    ] * 2


# --- configuration ----------------------------------------------------------------------------------------------------


def test_the_place_of_a_local_vector_store_is_the_place_of_the_memory(tmp_path: Path) -> None:
    config = {
        "vector_store": {"provider": "qdrant", "config": {"path": str(tmp_path / "q"), "embedding_model_dims": 64}}
    }
    with Memory.from_config(config) as memory:
        memory.add("one", user_id="ana")
    assert [path.name for path in (tmp_path / "q").iterdir() if path.suffix == ".db"] == ["memory.db"]


def test_a_server_that_would_not_be_asked_is_refused_unless_the_store_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"vector_store": {"provider": "qdrant", "config": {"host": "example.org", "port": 6333}}}
    with pytest.raises(Invalid, match="the vector store's host, port would not be used"):
        place_of(config)
    assert place_of({**config, "store": "here.db"}).address == "here.db"
    monkeypatch.setenv("UAC_STORE", "there.db")
    assert place_of(config).address == "there.db"


def test_models_of_a_configuration_are_left_to_the_settings_and_that_is_said(caplog: pytest.LogCaptureFixture) -> None:
    config = {"llm": {"provider": "openai"}, "embedder": {}, "custom_instructions": "Be brief.", "version": "v1.1"}
    Memory({**config, "store": "memory:"}).close()
    assert [record.getMessage() for record in caplog.records] == [
        "config: custom_instructions is not used",
        "config: embedder is not used: set UAC_EMBEDDER",
        "config: llm is not used: set UAC_MODEL",
    ]
    with pytest.raises(Invalid, match="config is int, needs a dict"):
        Memory(7)  # type: ignore[arg-type]  # what callers may send


# --- filters ----------------------------------------------------------------------------------------------------------

PAYLOAD = {"n": 3, "city": "Rome", "tags": ["a", "b"], "none": None}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, True),
        ({"city": "Rome"}, True),
        ({"city": ["Rome", "Oslo"]}, True),
        ({"city": "*", "unknown": "*"}, True),
        ({"city": "Oslo"}, False),
        ({"tags": "a"}, True),
        ({"n": {"gt": 2, "lte": 3}}, True),
        ({"n": {"gt": 3}}, False),
        ({"n": {"gte": 3, "lt": 3}}, False),
        ({"city": {"gt": 2}}, False),
        ({"unknown": {"gt": 2}}, False),
        ({"city": {"ne": "Oslo"}}, True),
        ({"unknown": {"ne": "Oslo"}}, True),
        ({"city": {"in": ["Oslo"]}}, False),
        ({"city": {"nin": ["Oslo"]}}, True),
        ({"tags": {"nin": ["b"]}}, False),
        ({"city": {"contains": "om"}}, True),
        ({"city": {"contains": "OM"}}, False),
        ({"city": {"icontains": "OM"}}, True),
        ({"none": {"contains": "None"}}, False),
        ({"AND": [{"n": 3}, {"city": "Rome"}]}, True),
        ({"OR": [{"n": 4}, {"city": "Rome"}]}, True),
        ({"OR": []}, False),
        ({"NOT": [{"n": 4}, {"city": "Rome"}]}, False),
        ({"NOT": [{"AND": [{"n": 3}, {"city": "Oslo"}]}]}, True),
    ],
)
def test_a_filter_says_which_memories_are_meant(filters: dict[str, Any], expected: bool) -> None:
    assert fits(PAYLOAD, filters) is expected


VALUES = st.none() | st.integers(-3, 3) | st.sampled_from(["", "a", "Rome"])
PAYLOADS = st.dictionaries(st.sampled_from(["x", "y"]), VALUES)


@given(PAYLOADS, VALUES)
def test_equal_and_not_equal_divide_all_memories(payload: dict[str, Any], value: Any) -> None:
    assert fits(payload, {"x": {"eq": value}}) is not fits(payload, {"x": {"ne": value}})
    assert fits(payload, {"NOT": [{"x": value}]}) is not fits(payload, {"x": {"eq": value}})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=50)
@given(st.dictionaries(st.text(), JSON, max_size=3))
def test_metadata_comes_back_as_it_was_given(metadata: dict[str, Any]) -> None:
    memory = new()
    try:
        memory_id = one(memory.add("hello", user_id="ana", metadata=metadata))
    except Refused:  # a lone surrogate, which no store can hold
        assert "\\ud" in json.dumps(metadata)
        return
    item = memory.get(memory_id)
    assert item is not None
    ids = ("user_id", "agent_id", "run_id", "actor_id")  # whose it is, metadata cannot say
    assert item["metadata"] == ({name: value for name, value in metadata.items() if name not in ids} or None)


WORDS = st.text("abc ", min_size=1, max_size=6).filter(str.strip)
STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "update", "delete"]), st.integers(0, 3), WORDS), min_size=1, max_size=8
)


@settings(max_examples=40)
@given(STEPS)
def test_a_list_of_steps_leaves_what_a_dict_would_hold(steps: list[tuple[str, int, str]]) -> None:
    memory, expected = new(), dict[str, str]()
    for verb, place, words in steps:
        chosen = [*expected][place] if place < len(expected) else None
        if verb == "add":
            expected[one(memory.add(words, user_id="ana", infer=False))] = words
        elif verb == "update" and chosen:
            memory.update(chosen, words)
            expected[chosen] = words
        elif chosen:
            memory.delete(chosen)
            del expected[chosen]
    assert {item["id"]: item["memory"] for item in memory.get_all(user_id="ana")["results"]} == expected
    assert {name: text_of(memory.get(name)) for name in expected} == expected


# --- in an event loop -------------------------------------------------------------------------------------------------


def test_in_an_event_loop_every_verb_does_the_same_and_none_blocks_the_others(tmp_path: Path) -> None:
    async def main() -> list[Any]:
        async with AsyncMemory.from_config({"store": str(tmp_path / "memory.db")}) as memory:
            await asyncio.gather(*(memory.add(f"note {n}", user_id="ana") for n in range(20)))
            everything = (await memory.get_all(user_id="ana"))["results"]
            memory_id = next(item["id"] for item in everything if item["memory"] == "note 7")
            results: list[Any] = [sorted(item["memory"] for item in everything)]
            results.append(await memory.update(memory_id, "a trombone"))
            results.append(texts(await memory.search("trombone", filters={"user_id": "ana"}, top_k=1)))
            results.append(text_of(await memory.get(memory_id)))
            results.append(await memory.delete(memory_id))
            results.append([item["event"] for item in await memory.history(memory_id)])
            results.append(await memory.delete_all(user_id="ana"))
            results.append(await memory.get_all(user_id="ana"))
            await memory.reset()
            return results

    assert asyncio.run(main()) == [
        sorted(f"note {n}" for n in range(20)),
        UPDATED,
        ["a trombone"],
        "a trombone",
        DELETED,
        ["ADD", "UPDATE", "DELETE"],
        ALL_DELETED,
        {"results": []},
    ]


class Attentive:
    """Takes every turn that it is to answer for as a fact, word for word."""

    name = "attentive"

    def ask(self, request: uac.Request) -> uac.Reply:
        turns = [turn for turn in json.loads(request.content)["turns"] if not turn.get("context")]
        said = facts(*(fact(turn["text"], turn["turn"], turn["text"]) for turn in turns))
        return uac.Reply(text=json.dumps(said), model=self.name)


def test_adds_at_the_same_time_each_give_what_was_taken_from_their_own_words() -> None:
    words = [f"I have {number} blue pencils." for number in range(2, 10)]

    async def main() -> list[list[str]]:
        memory = AsyncMemory(store=MemoryStore(), models=OneModel(Attentive()), embedder=None)
        adding = [memory.add(text, user_id="ana") for text in words]
        results = [*await asyncio.gather(*adding), await memory.get_all(user_id="ana")]
        memory.close()
        return [sorted(texts(result)) for result in results]

    assert asyncio.run(main()) == [*([text] for text in words), sorted(words)]


def test_a_search_does_not_wait_for_a_model_that_reads_the_same_users_words() -> None:
    asked, answered = threading.Event(), threading.Event()

    class Slow(Scripted):
        def ask(self, request: uac.Request) -> uac.Reply:
            asked.set()
            assert answered.wait(60)
            return super().ask(request)

    async def main() -> list[Any]:
        models = OneModel(Slow({"facts": []}, {"facts": []}))
        memory = AsyncMemory(store=MemoryStore(), models=models, embedder=None)
        adding = asyncio.create_task(memory.add("I play the violin", user_id="ana"))
        await asyncio.to_thread(asked.wait, 60)
        found = texts(await memory.search("violin", user_id="ana"))
        answered.set()
        return [found, await adding, await memory.get_all(user_id="ana")]

    assert asyncio.run(main()) == [["I play the violin"], {"results": []}, {"results": []}]
