"""What mem0's verbs take and refuse: arguments, configuration, filters, metadata."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.mem0 import new, no_settings, one, texts
from support.scripted_model import TUESDAY
from uac.errors import Refused
from uac.interfaces.mem0.arguments import store_location
from uac.interfaces.mem0.filters import matches_filters
from uac.interfaces.mem0.memory import Invalid, Memory
from uac.log.stores.in_memory import MemoryStore


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    no_settings(monkeypatch)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda m: m.add("x"), "whose memories? Needs a user_id, agent_id or run_id"),
        (lambda m: m.search("x"), "whose memories?"),
        (lambda m: m.get_all(filters={"topic": "food"}), "whose memories?"),
        (lambda m: m.delete_all(), "whose memories?"),
        (lambda m: m.add("x", user_id=" "), "user_id is ' '. Use an id without spaces."),
        (lambda m: m.add("x", user_id="a b"), "user_id is 'a b'. Use an id without spaces."),
        (lambda m: m.add("x", user_id="e\u0301"), "Unicode normal form C"),
        (lambda m: m.search("x", user_id="*"), "logs are not searched across users"),
        (lambda m: m.search("x", filters={"user_id": {"in": ["a", "b"]}}), "logs are not searched across users"),
        (lambda m: m.search("x", user_id="a", filters={"user_id": "b"}), "user_id is 'a' and in filters 'b'"),
        (lambda m: m.search("x", filters={"AND": [{"user_id": "a"}, {"user_id": "b"}]}), "user_id is 'a' and 'b'"),
        (lambda m: m.search("x", filters={"OR": [{"user_id": "a"}, {"user_id": "b"}]}), "whose memories?"),
        (lambda m: m.search("x", filters={"user_id": "*"}), "logs are not searched across users"),
        (lambda m: m.search("x", filters={"AND": {"user_id": "a"}}), "whose memories?"),
        (lambda m: m.search(" ", user_id="a"), "query is ' '. Use text"),
        (lambda m: m.search("x", user_id="a", top_k=-1), "top_k is -1. Use a whole number from 0."),
        (lambda m: m.search("x", user_id="a", threshold=2), "threshold is 2. Use a number from 0 to 1"),
        (lambda m: m.search("x", user_id="a", reference_date="2024-01-01"), "reference_date is not supported"),
        (lambda m: m.search("x", filters={"user_id": "a", "n": {"near": 1}}), "'near' is not a comparison"),
        (lambda m: m.search("x", filters={"user_id": "a", "OR": {}}), "OR is {}. Use a list of conditions."),
        (lambda m: m.add(7, user_id="a"), "messages is int. Use text, a message or a list of messages."),
        (lambda m: m.add([{"role": "king", "content": "x"}], user_id="a"), "message 1 has role 'king'"),
        (lambda m: m.add(["x"], user_id="a"), "message 1 is 'x'. Use an object"),
        (lambda m: m.add("x", user_id="a", metadata={"at": TUESDAY}), "metadata cannot be kept as JSON"),
        (lambda m: m.add("x", user_id="a", metadata=[1]), "metadata is [1]. Use a dict"),
        (lambda m: m.add("x", user_id="a", expiration_date="soon"), "expiration_date is 'soon'. Use a day"),
        (lambda m: m.add("x", user_id="a", timestamp=1), "timestamp is not supported"),
        (lambda m: m.add("x", user_id="a", memory_type="procedural_memory"), "procedural memories are not supported"),
        (lambda m: m.update("x"), "nothing to change"),
        (lambda m: m.update("x", " "), "text is ' '. Use text"),
        (lambda m: m.update("x", "y"), "No memory 'x'"),
        (lambda m: m.delete("x"), "No memory 'x'"),
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
        store_location(config)
    assert store_location({**config, "store": "here.db"}).address == "here.db"
    monkeypatch.setenv("UAC_STORE", "there.db")
    assert store_location(config).address == "there.db"


def test_models_of_a_configuration_are_left_to_the_settings_and_that_is_said(caplog: pytest.LogCaptureFixture) -> None:
    config = {"llm": {"provider": "openai"}, "embedder": {}, "custom_instructions": "Be brief.", "version": "v1.1"}
    Memory({**config, "store": "memory:"}).close()
    assert [record.getMessage() for record in caplog.records] == [
        "config: custom_instructions is not used",
        "config: embedder is not used: set UAC_EMBEDDER",
        "config: llm is not used: set UAC_MODEL",
    ]
    with pytest.raises(Invalid, match=r"config is int\. Use a dict"):
        Memory(7)  # type: ignore[arg-type]  # what callers may send


# --- filters ----------------------------------------------------------------------------------------------------------

PAYLOAD = {"n": 3, "city": "Rome", "tags": ["a", "b"], "none": None}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, True),
        ({"city": "Rome"}, True),
        ({"city": ["Rome", "Oslo"]}, True),
        ({"city": "*"}, True),
        ({"unknown": "*"}, False),
        ({"none": "*"}, False),
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
        ({"NOT": {"city": "Rome"}}, False),
        ({"NOT": [{"AND": [{"n": 3}, {"city": "Oslo"}]}]}, True),
    ],
)
def test_a_filter_says_which_memories_are_meant(filters: dict[str, Any], expected: bool) -> None:
    assert matches_filters(PAYLOAD, filters) is expected


VALUES = st.none() | st.integers(-3, 3) | st.sampled_from(["", "a", "Rome"])
PAYLOADS = st.dictionaries(st.sampled_from(["x", "y"]), VALUES)


@given(PAYLOADS, VALUES)
def test_equal_and_not_equal_divide_all_memories(payload: dict[str, Any], value: Any) -> None:
    assert matches_filters(payload, {"x": {"eq": value}}) is not matches_filters(payload, {"x": {"ne": value}})
    assert matches_filters(payload, {"NOT": [{"x": value}]}) is not matches_filters(payload, {"x": {"eq": value}})


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
