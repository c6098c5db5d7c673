"""mem0's verbs that change memories: update, delete, their history; and what any list of steps leaves."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import uac
from support.mem0 import ALL_DELETED, AT, DELETED, UPDATED, new, no_settings, one, text_of, texts
from support.scripted_model import TUESDAY, allergy, facts, put_allergy
from uac.errors import Refused
from uac.interfaces.mem0.memories import MemoryNote
from uac.interfaces.mem0.memory import Invalid, Memory
from uac.log.stores.in_memory import MemoryStore


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    no_settings(monkeypatch)


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
    source = MemoryNote(raw=True, of=1).as_source
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
    memory_id = one(memory.add({"role": "assistant", "content": "You like tea"}, user_id="ana", infer=False))
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
    with pytest.raises(Invalid, match="No memory"):
        memory.delete(memory_id)
    with pytest.raises(Invalid, match="No memory"):
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
