"""What a model is asked, and what it says: plain data, so that a vendor's model, an agent and a file of recorded
replies can all answer the same request."""

import json
import math
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import msgspec

from uac.errors import Refused
from uac.schema.safe_text import shorten
from uac.text.tokens import count_tokens

__all__ = ["STEPS", "Reply", "Request", "Step", "check_plain", "json_object"]

Step = Literal["extract", "checkpoint", "ask", "judge"]
STEPS: tuple[Step, ...] = ("extract", "checkpoint", "ask", "judge")

MOST_DEPTH = 40  # levels of lists and objects in a reply


class Request(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One question to a model. `prompt` instructs and never changes with the user; `content` is the data, as JSON."""

    step: Step
    prompt: str
    content: str
    schema: dict[str, Any]
    """The JSON schema of the reply."""
    position: int = 0
    """The end of the log when the request was made."""
    answers: tuple[int, ...] = ()
    """The entries that the reply answers for."""
    read: tuple[int, ...] = ()
    """All entries whose words the request quotes."""
    reply_tokens: int = 4000
    """How long the reply may be."""

    def __repr__(self) -> str:
        return f"<Request {self.id}: {self.step}, {len(self.answers)} entries, {self.tokens} tokens>"

    @cached_property
    def hash(self) -> str:
        """Which request this is, wherever and whenever it is asked: recorded replies are found by it."""
        return sha256(json.dumps([self.step, self.prompt, self.content], ensure_ascii=False).encode()).hexdigest()

    @cached_property
    def prompt_hash(self) -> str:
        return sha256(self.prompt.encode()).hexdigest()

    @property
    def id(self) -> str:
        """How an answer names it: where in the log it was made, and which it is."""
        return f"{self.position}-{self.hash[:16]}"

    @cached_property
    def tokens(self) -> int:
        """About how many tokens it costs to ask."""
        return count_tokens(self.prompt) + count_tokens(self.content)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a model said, word for word, and what it cost; `cost` is None where no price is known."""

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None


def json_object(text: str) -> dict[str, Any]:
    """The JSON object of a reply: alone, in a code block, or between words; Refused says what was there instead."""
    start = text.find("{")
    if start < 0:
        raise Refused(f"the reply has no JSON object: {shorten(text.strip(), 80)!r}" if text.strip() else "no words")
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    try:
        found, _end = decoder.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise Refused(f"the reply is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise Refused("the reply is no JSON object")
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


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
