"""A call of a model as an entry of the log."""

import math
from datetime import UTC
from typing import Any

from uac.entries import ModelCall
from uac.errors import Refused
from uac.log import Log
from uac.requests import Reply, Request, json_object

__all__ = ["call_of", "check_plain", "reply_object", "signed", "today"]

MOST_REPLY = 1_000_000  # characters of a reply that are kept: with all of them escaped, the entry still fits
MOST_DEPTH = 40  # levels of lists and objects in a reply


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


def signed(reply: Reply, request: Request) -> str:
    """Who made an entry: the model, and the prompt it was given."""
    return f"{reply.model}, prompt {request.prompt_hash[:12]}"


def today(log: Log) -> str:
    """The day on which the next entry will be stamped, as budgets count days."""
    return log.now().astimezone(UTC).date().isoformat()


def reply_object(text: str) -> dict[str, Any]:
    """The JSON object of a reply, if what it holds can be written down and shown again; else Refused."""
    found = json_object(text)
    check_plain(found)
    return found


def check_plain(value: Any) -> None:
    """Refuse JSON that is nested too deeply, or has half a character or a number that JSON cannot hold."""
    level = [value]
    for _depth in range(MOST_DEPTH + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                below += item
            elif isinstance(item, float) and not math.isfinite(item):
                raise Refused("the reply has a number that is too large")
            elif isinstance(item, str):
                _check_text(item)
        if not below:
            return
        level = below
    raise Refused(f"the reply is nested more than {MOST_DEPTH} levels deep")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Refused(f"the reply has half a character: {text[error.start]!r} stands alone") from None
