"""Words, types and replies that several tests of learning share, and a function that answers with them."""

import json
from typing import Any

from support.scripted_model import fact, facts
from support.short_logs import type_of
from uac import Memory
from uac.models.requests_and_replies import Request
from uac.schema.patches import Define

CAT = "I have a cat. I have a dog."
PETS_SAID = facts(fact("The user has a cat.", 1, "I have a cat"), fact("The user has a dog.", 1, "I have a dog"))
LONG = "I have a cat. " + "These are only words. " * 2000
PETS = (
    Define(type=type_of("pets.Pet", key=["name"], name="str", kind="str | None")),
    Define(type=type_of("pets.Visit", cardinality="event", where="str")),
)
JUNK = (
    "",
    "no",
    "{",
    "[]",
    "NaN",
    '{"facts": 3}',
    '{"facts": [3, null, [], {"text": 1}], "patches": [3, null, {"op": []}, {"op": "put"}], "constraints": [3]}',
    '{"facts": [{"text": "a \\ud800", "about": "user", "cites": [{"turn": 1, "quote": "x"}]}], "patches": []}',
    '{"facts": [' + "[" * 900 + "]" * 900 + '], "patches": [' + "[" * 900 + "]" * 900 + "]}",
    '{"facts": [' + "[" * 100_000,
    '{"facts": [{"text": 1e999}], "patches": [{"op": "put", "type": "pets.Pet", "fields": {"name": 1e999}, "cites": [2]}]}',
    '{"facts": [], "more": true}',
    '{"patches": [], "constraints": [{"name": "x", "file": "import os", "cites": [2]}]}',
    "\ud800",
    "x" * 200_000,
)


def answered(memory: Memory, *replies: str | dict[str, Any]) -> Request:
    """Answer the first pending request with each reply in turn; the last request."""
    request: Request | None = None
    for reply in replies:
        request = memory.pending()[0]
        memory.answer(request.id, reply if isinstance(reply, str) else json.dumps(reply))
    assert request is not None
    return request
