"""A model call as an entry of the log, and labels for the parts of its reply."""

from typing import Any

from uac.errors import Refused
from uac.models.requests_and_replies import Reply, Request, parse_reply_json
from uac.schema.entries import Finding, ModelCall

__all__ = ["call_author", "call_part_label", "model_call_of"]

MAX_REPLY_CHARACTERS = 1_000_000  # of a reply that are stored: even if all of them are escaped, the entry fits


def model_call_of(reply: Reply, request: Request, **fields: Any) -> ModelCall:
    """The entry for a request, its reply and cost; `fields` are its other fields."""
    return ModelCall(
        model=reply.model,
        prompt_hash=request.prompt_hash,
        request_hash=request.hash,
        reply=reply.text[:MAX_REPLY_CHARACTERS].encode(errors="replace").decode(),
        read=request.read,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost=reply.cost,
        step=request.step,
        answers=request.answers,
        **fields,
    )


def call_part_label(finding: Finding, request: Request, reply: Reply) -> str:
    """The part of the reply that a finding is about: the whole reply, 'fact 2', 'patch 1' or 'constraint 1'."""
    if not finding.part:
        return "the reply"
    if request.step == "extract":
        return f"fact {finding.part}"
    try:
        patches = parse_reply_json(reply.text).get("patches")
    except Refused:
        patches = None
    before = len(patches) if isinstance(patches, list) else finding.part
    return f"patch {finding.part}" if finding.part <= before else f"constraint {finding.part - before}"


def call_author(reply: Reply, request: Request) -> str:
    """The author of an entry: the model, and the hash of its prompt."""
    return f"{reply.model}, prompt {request.prompt_hash[:12]}"
