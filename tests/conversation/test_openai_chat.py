"""Conversations in the shape of the OpenAI API become observations, in order."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.conversation.openai_chat import ROLES, Chat, read_chat
from uac.errors import Refused
from uac.schema.entries import Observation

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
HELLO = {"role": "user", "content": "Hello"}


def read(messages: Any, **more: str) -> Chat:
    return read_chat(json.dumps(messages), said=MONDAY, **more)


def test_a_message_is_an_observation_with_all_that_is_known_of_it() -> None:
    assert read([{**HELLO, "name": "Ana"}], session="s1", source="chat", zone="Europe/Paris", key="k") == Chat(
        (
            Observation(
                text="Hello", said=MONDAY, zone="Europe/Paris", speaker="Ana", session="s1", source="chat", key="k/1"
            ),
        ),
        0,
    )


@given(st.lists(st.tuples(st.sampled_from(sorted(ROLES)), st.text("abc ", min_size=1).filter(str.strip)), max_size=5))
def test_messages_keep_their_order_and_their_roles(messages: list[tuple[str, str]]) -> None:
    chat = read({"messages": [{"role": role, "content": text} for role, text in messages]})
    assert [(each.role, each.text) for each in chat.observations] == [(ROLES[role], text) for role, text in messages]
    assert chat.left_out == 0


def test_parts_that_are_not_text_are_counted() -> None:
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "there"},
    ]
    chat = read(
        [{"role": "user", "content": parts}, {"role": "user", "content": parts[1:2]}, {"role": "user", "content": " "}]
    )
    assert ([each.text for each in chat.observations], chat.left_out) == (["Look:\nthere"], 3)


def test_the_calls_of_tools_are_kept_as_json() -> None:
    calls = [{"function": {"name": "größe"}}]
    (call,) = read([{"role": "assistant", "content": None, "tool_calls": calls}]).observations
    assert (call.role, json.loads(call.text)) == ("assistant", calls)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timestamp", "2026-03-02T10:00:00+01:00"),
        ("created_at", "2026-03-02T09:00:00Z"),
        ("create_time", MONDAY.timestamp()),
    ],
)
def test_a_message_may_say_when_it_was_written(name: str, value: object) -> None:
    later = MONDAY.replace(year=2030)
    (said,) = read_chat(json.dumps([{**HELLO, name: value}]), said=later).observations
    assert said.said == MONDAY


@pytest.mark.parametrize(
    ("messages", "named"),
    [
        ("hello", "messages"),
        ({"messages": None}, "messages"),
        ([HELLO, "hello"], "message 2"),
        ([{**HELLO, "role": "robot"}], "robot"),
        ([{**HELLO, "role": None}], "message 1"),
        ([{**HELLO, "name": 7}], "name of message 1"),
        ([{**HELLO, "content": 7}], "content of message 1"),
        ([{**HELLO, "timestamp": "soon"}], "timestamp of message 1"),
        ([{**HELLO, "timestamp": "2026-03-02T10:00:00"}], "timestamp of message 1"),
        ([{**HELLO, "created": 1e99}], "created of message 1"),
        ([{**HELLO, "created": True}], "created of message 1"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_number(messages: Any, named: str) -> None:
    with pytest.raises(Refused, match=named):
        read(messages)


def test_text_that_is_not_json_is_refused() -> None:
    with pytest.raises(Refused, match="JSON"):
        read_chat("[", said=MONDAY)
