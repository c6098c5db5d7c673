"""Requests and replies as plain data, so that a vendor's model, an agent and a file of recorded replies can all answer
the same request."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import msgspec

from uac.errors import Refused
from uac.schema.safe_text import shorten
from uac.text.token_count import count_tokens

__all__ = [
    "STEPS",
    "Reply",
    "Request",
    "Step",
    "check_reply_json",
    "has_free_form_objects",
    "parse_reply_json",
    "without_trailing_commas",
]

Step = Literal["extract", "checkpoint", "ask", "judge"]
STEPS: tuple[Step, ...] = ("extract", "checkpoint", "ask", "judge")

MAX_DEPTH = 40  # levels of lists and objects in a reply


class Request(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One request to a model. `prompt` has the instructions, the same for all users; `content` is the data, as JSON."""

    step: Step
    prompt: str
    content: str
    schema: dict[str, Any]
    """The JSON schema of the reply."""
    position: int = 0
    """The log's last position when the request was made."""
    answers: tuple[int, ...] = ()
    """The entries that the reply must cover."""
    read: tuple[int, ...] = ()
    """All entries that the request quotes."""
    reply_tokens: int = 4000
    """Maximum length of the reply."""

    def __repr__(self) -> str:
        return f"<Request {self.id}: {self.step}, {len(self.answers)} entries, {self.tokens} tokens>"

    @cached_property
    def hash(self) -> str:
        """Identifies the request independently of place and time: recorded replies are looked up by it."""
        return sha256(json.dumps([self.step, self.prompt, self.content], ensure_ascii=False).encode()).hexdigest()

    @cached_property
    def prompt_hash(self) -> str:
        return sha256(self.prompt.encode()).hexdigest()

    @property
    def id(self) -> str:
        """The id by which an answer refers to it: the log position and part of the hash."""
        return f"{self.position}-{self.hash[:16]}"

    @cached_property
    def tokens(self) -> int:
        """Estimated input tokens."""
        return count_tokens(self.prompt) + count_tokens(self.content)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A model's reply, verbatim, and its cost; `cost` is None if the price is unknown."""

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None


def parse_reply_json(text: str) -> dict[str, Any]:
    """The JSON object of a reply: alone, in a code block, or between words; or Refused. Line breaks in texts and commas
    after a last item are accepted."""
    opening = _OPENING.search(text)
    start = text.find("{") if opening is None else opening.start()
    if start < 0:
        said = shorten(text.strip(), 80)
        raise Refused(f"The reply has no JSON object: {said!r}. Answer with one." if said else "The reply is empty.")
    decoder = json.JSONDecoder(parse_constant=_refuse_reply_constant, strict=False)
    found: dict[str, Any]  # the text starts with a brace
    try:
        found, _end = decoder.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        try:
            found, _end = decoder.raw_decode(without_trailing_commas(text[start:]))
        except (ValueError, RecursionError):
            raise Refused(f"The reply is not JSON: {error}. Answer with a JSON object.") from None
    check_reply_json(found)
    return found


def without_trailing_commas(text: str) -> str:
    """JSON without the commas that have no item after them."""
    return _STRING_OR_COMMA.sub(lambda found: found[1] or "", text)


_OPENING = re.compile(r'\{\s*"')
_STRING_OR_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[\]}])', re.DOTALL)


def check_reply_json(value: Any) -> None:
    """Refuse JSON that is nested too deeply, or has a lone surrogate or a number that is too large."""
    level = [value]
    for _depth in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                below += item
            elif isinstance(item, float) and not math.isfinite(item):
                raise Refused("The reply has a number that is too large. Use a smaller one.")
            elif isinstance(item, str):
                _check_reply_text(item)
        if not below:
            return
        level = below
    raise Refused(f"The reply is nested too deeply. Use at most {MAX_DEPTH} levels.")


def _check_reply_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Refused(f"The reply has the lone surrogate {text[error.start]!r}. Use whole characters.") from None


def _refuse_reply_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def has_free_form_objects(schema: object) -> bool:
    """Whether a reply may have objects with any fields, or values of any kind."""
    return any(_is_free_form_reply(node) for node in _reply_schema_nodes(schema))


def _reply_schema_nodes(schema: object) -> Iterator[Mapping[str, object]]:
    """A schema and all schemas inside it."""
    if not isinstance(schema, dict):
        return
    yield schema
    for word in ("properties", "$defs", "definitions"):
        for inner in (schema.get(word) or {}).values():
            yield from _reply_schema_nodes(inner)
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for inner in schema.get(word) or ():
            yield from _reply_schema_nodes(inner)
    yield from _reply_schema_nodes(schema.get("items"))


def _is_free_form_reply(node: Mapping[str, object]) -> bool:
    """True for an object with any fields, and for a value of any kind."""
    kinds = node.get("type")
    if kinds == "object" or (isinstance(kinds, list) and "object" in kinds):
        return "properties" not in node or node.get("additionalProperties", False) is not False
    return not node.keys() & {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"}
