"""Refusals of the service for its limits, and bodies of a given size."""

import json
from typing import Any


def problem(answer: Any) -> tuple[int, str]:
    """The status and the detail of a refusal, which is told as every other."""
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert sorted(told) == ["detail", "reasons", "status", "title"]
    assert told["status"] == answer.status_code
    return answer.status_code, told["detail"]


def turns(size: int) -> bytes:
    """The body of a request, of so many bytes."""
    frame = len(json.dumps({"turns": [{"text": ""}]}))
    return json.dumps({"turns": [{"text": "a" * (size - frame)}]}).encode()
