"""A call of a model as an entry of the log, and what its parts are called."""

from datetime import UTC
from typing import Any

from uac.errors import Refused
from uac.log.log import Log
from uac.models.requests import Reply, Request, json_object
from uac.schema.entries import Finding, ModelCall

__all__ = ["call_of", "part_named", "signed", "today"]

MOST_REPLY = 1_000_000  # characters of a reply that are kept: with all of them escaped, the entry still fits


def call_of(reply: Reply, request: Request, **came_of_it: Any) -> ModelCall:
    """The entry that says what was asked, what was said and what it cost; `came_of_it` are its other fields."""
    return ModelCall(
        model=reply.model,
        prompt_hash=request.prompt_hash,
        request_hash=request.hash,
        reply=reply.text[:MOST_REPLY].encode(errors="replace").decode(),
        read=request.read,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost=reply.cost,
        step=request.step,
        answers=request.answers,
        **came_of_it,
    )


def part_named(finding: Finding, request: Request, reply: Reply) -> str:
    """Which part of the reply a finding is about: the reply as a whole, 'fact 2', 'patch 1' or 'constraint 1'."""
    if not finding.part:
        return "the reply"
    if request.step == "extract":
        return f"fact {finding.part}"
    try:
        patches = json_object(reply.text).get("patches")
    except Refused:
        patches = None
    before = len(patches) if isinstance(patches, list) else 0
    return f"patch {finding.part}" if finding.part <= before else f"constraint {finding.part - before}"


def signed(reply: Reply, request: Request) -> str:
    """Who made an entry: the model, and the prompt it was given."""
    return f"{reply.model}, prompt {request.prompt_hash[:12]}"


def today(log: Log) -> str:
    """The day on which the next entry will be stamped, as budgets count days."""
    return log.now().astimezone(UTC).date().isoformat()
