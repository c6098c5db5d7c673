"""What a model says to the sentences of the README: a server on this machine answers in the vendor's place."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from support.fake_vendor_server import loopback, well

KEY = "sk-not-a-key"


@contextmanager
def model_of_the_readme() -> Iterator[dict[str, str]]:
    """The environment of a person who has a key: the trial of 'uac setup model', then one sentence is learned."""
    trial = {"facts": [_fact("The user is allergic to penicillin.", "I am allergic to penicillin")]}
    facts = [
        _fact("The user gets hives from penicillin.", "I get hives from penicillin"),
        _fact("Dr. Chen gave the user amoxicillin.", "Dr. Chen just gave me amoxicillin"),
    ]
    patches = [
        _put("health.Allergy", 2, substance="penicillin", reaction="hives"),
        _put("health.Medication", 3, name="amoxicillin", prescriber="Dr. Chen"),
    ]
    with loopback() as server:
        server.will(*(well(json.dumps(reply)) for reply in (trial, {"facts": facts}, {"patches": patches})))
        yield {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{server.address}/v1"}
        assert len(server.asked) == 3


def _fact(text: str, quote: str) -> dict[str, Any]:
    return {"text": text, "about": "user", "topic": "health", "cites": [{"turn": 1, "quote": quote}]}


def _put(type_name: str, cited: int, **fields: str) -> dict[str, Any]:
    return {"op": "put", "type": type_name, "fields": fields, "cites": [cited]}
