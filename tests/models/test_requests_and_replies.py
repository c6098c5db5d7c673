"""Requests as values, and the JSON object of a reply."""

import json
from typing import Any

import pytest

from uac.errors import Refused
from uac.models.requests_and_replies import Request, check_reply_json, parse_reply_json

REQUEST = Request(
    step="extract",
    prompt="List the facts.",
    content='{"said": "I take aspirin"}',
    schema={},
    position=7,
    answers=(3, 5),
)


def test_a_request_is_identified_by_step_prompt_and_content() -> None:
    def another(**changes: Any) -> Request:
        fields: dict[str, Any] = {"step": "extract", "prompt": REQUEST.prompt, "content": REQUEST.content, "schema": {}}
        return Request(**{**fields, **changes})

    assert another(position=9, reply_tokens=5).hash == REQUEST.hash
    changed = [another(step="ask"), another(prompt="List all."), another(content="{}")]
    assert len({REQUEST.hash, *(request.hash for request in changed)}) == 4
    assert another(step="ask").prompt_hash == REQUEST.prompt_hash != another(prompt="List all.").prompt_hash


def test_the_id_of_a_request_is_its_log_position_and_part_of_its_hash() -> None:
    assert REQUEST.id == f"7-{REQUEST.hash[:16]}"


def test_the_repr_of_a_request_shows_its_size_and_none_of_its_text() -> None:
    assert repr(REQUEST) == f"<Request {REQUEST.id}: extract, 2 entries, {REQUEST.tokens} tokens>"


@pytest.mark.parametrize(
    "text",
    [
        '{"facts": [1]}',
        '```json\n{"facts": [1]}\n```',
        'Here it is: {"facts": [1]}. Done.',
        '{"facts": [1]} {"facts": 2}',
    ],
)
def test_the_first_object_of_a_reply_is_read_with_any_text_around_it(text: str) -> None:
    assert parse_reply_json(text) == {"facts": [1]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "reply is empty"),
        (" \n", "reply is empty"),
        ("I would rather not.", "no JSON object: 'I would rather not.'"),
        ("[1, 2]", "no JSON object"),
        ('{"facts": [', "JSON"),
        ("{'facts': 1}", "JSON"),
        ('{"amount": NaN}', "NaN"),
        ('{"amount": Infinity}', "Infinity"),
        ('{"a":' * 100_000, "JSON"),
        ('{"amount": 1e999}', "a number that is too large"),
        (r'{"name": "half \ud83d"}', r"'\\ud83d'"),
        (r'{"half \ud83d": 1}', r"'\\ud83d'"),
        (r'{"names": [["ok", "\udc00"]]}', r"'\\udc00'"),
    ],
)
def test_a_reply_without_a_sound_object_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        parse_reply_json(text)


def test_a_reply_may_be_nested_forty_levels_deep_and_no_deeper() -> None:
    def nested(levels: int) -> str:
        return '{"a":' * (levels - 1) + "{}" + "}" * (levels - 1)

    assert parse_reply_json(nested(40)) == json.loads(nested(40))
    with pytest.raises(Refused, match="40 levels"):
        parse_reply_json('{"a":' * 41 + "1" + "}" * 41)


def test_any_json_can_be_checked_not_only_an_object() -> None:
    check_reply_json(["ok", 1.5, None, True, {"a": []}])
    with pytest.raises(Refused, match="too large"):
        check_reply_json([1.0, [float("inf")]])
