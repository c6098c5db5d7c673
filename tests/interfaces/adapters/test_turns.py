"""The core of all adapters: context before a turn, the words after it, tools in between."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.adapters import new_memory, spoken_words
from support.client import QUICK
from support.http_service import app_over, serving
from uac.errors import Refused
from uac.interfaces.adapters import Message, TurnMemory
from uac.interfaces.client import Client
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory

ASKED = [Message("user", "I get hives from penicillin. What can I take for a sore throat?", id="m1")]
ANSWERED = [*ASKED, Message("assistant", "Lozenges help.", id="m2")]


@pytest.fixture
def memory() -> Iterator[Memory]:
    memory = new_memory()
    yield memory
    memory.close()


def test_what_is_stored_after_a_turn_is_the_context_of_a_later_one(memory: Memory) -> None:
    with TurnMemory(memory) as turns:
        assert turns.after_turn(ANSWERED, session="monday") == 2
        context = turns.before_turn([Message("user", "What do I get from penicillin?")], session="tuesday")
    assert "I get hives from penicillin" in context


def test_alerts_are_the_first_lines_of_the_context(memory: Memory) -> None:
    memory.put("health.Allergy", {"substance": "penicillin"})
    memory.put("health.Medication", {"name": "Amoxicillin"})
    context = TurnMemory(memory).before_turn([Message("user", "Good morning")])
    assert "Amoxicillin is a penicillin" in " ".join(context.splitlines()[:4])


def test_a_conversation_that_is_passed_whole_each_time_is_stored_once(memory: Memory) -> None:
    turns = TurnMemory(memory)
    turns.after_turn(ASKED, session="monday")
    turns.after_turn(ANSWERED, session="monday")
    turns.after_turn(ANSWERED, session="monday")
    assert spoken_words(memory) == [("user", "monday", ASKED[0].text), ("assistant", "monday", "Lozenges help.")]


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.sampled_from(["ok", "yes", "ok."])), max_size=8))
def test_without_ids_a_growing_conversation_is_stored_in_full_and_once(spoken: list[tuple[str, str]]) -> None:
    memory = new_memory()
    turns = TurnMemory(memory)
    messages = [Message("user" if role == "user" else "assistant", text) for role, text in spoken]
    for end in range(len(messages) + 1):
        turns.after_turn(messages[:end], session="s", is_whole=True)
    assert [(role, text) for role, _session, text in spoken_words(memory)] == spoken


def test_new_messages_without_ids_are_all_stored(memory: Memory) -> None:
    turns = TurnMemory(memory)
    turns.after_turn([Message("user", "ok")], session="s")
    turns.after_turn([Message("user", "ok")], session="s")
    assert spoken_words(memory) == [("user", "s", "ok"), ("user", "s", "ok")]


def test_the_same_words_in_another_session_are_stored_again(memory: Memory) -> None:
    turns = TurnMemory(memory)
    turns.after_turn([Message("user", "Hello")], session="monday")
    turns.after_turn([Message("user", "Hello")], session="tuesday")
    assert spoken_words(memory) == [("user", "monday", "Hello"), ("user", "tuesday", "Hello")]


def test_instructions_and_what_memory_itself_produced_are_not_stored(memory: Memory) -> None:
    turns = TurnMemory(memory)
    turns.after_turn([Message("user", "I live in Bergen.")])
    context = turns.before_turn([Message("user", "Where do I live?")])
    turns.after_turn(
        [Message("system", "You are helpful."), Message("user", context), Message("user", f"Hi\n{context}")]
    )
    assert [text for _role, _session, text in spoken_words(memory)] == ["I live in Bergen.", "Hi"]


def test_a_conversation_without_a_word_of_the_user_needs_no_context(memory: Memory) -> None:
    assert TurnMemory(memory).before_turn([Message("assistant", "Hello!")]) == ""


def test_a_user_of_a_service_works_like_a_memory() -> None:
    with (
        serving(app_over(store := MemoryStore())) as service,
        Client(service.address, key=service.key(), patience=QUICK) as client,
    ):
        turns = TurnMemory(client.user("ana"))
        turns.after_turn(ANSWERED, session="monday")
        turns.after_turn(ANSWERED, session="monday")
        assert "hives from penicillin" in turns.before_turn([Message("user", "What do I get from penicillin?")])
        with pytest.raises(Refused, match="no tools here"):
            turns.tools()
        assert len([*store.log("ana").read()]) == 2


def test_an_agent_gets_the_tools_of_the_mcp_server(memory: Memory) -> None:
    recall, compute = TurnMemory(memory).tools(("recall", "compute"))
    memory.put("health.Allergy", {"substance": "penicillin"})
    assert "penicillin" in compute.call({"code": "[a.substance for a in health.allergies]"})
    assert recall.parameters["required"] == ["query"]
    assert "refused" in recall.call({"qurey": "allergy"}).lower()
    with pytest.raises(Refused, match="No tool sing"):
        TurnMemory(memory).tools(("sing",))


def test_with_a_configured_model_what_was_said_is_learned_in_the_background(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UAC_MODEL", "nobody:nothing")
    turns = TurnMemory(memory)
    turns.after_turn(ASKED)
    learner = turns._learner
    assert learner is not None
    assert learner._thread.is_alive()
    turns.close()
    assert not learner._thread.is_alive()
    assert TurnMemory(memory, learns=False).after_turn(ANSWERED) == 2
