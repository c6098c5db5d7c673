"""A second opinion on facts: a model sees each fact with its quotes, and decides whether they support it.

Code has checked that nothing was invented; only a reader can decide whether a sentence was meant (a joke, a wish, a
question). A rejected fact is set aside with the reason, never deleted.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from uac.conversation.prompts import prompt_text
from uac.conversation.propose import FactInBatch
from uac.errors import Refused
from uac.models.requests_and_replies import Request, parse_reply_json
from uac.project.project import Project
from uac.schema.patches import SetAside

__all__ = ["VERDICTS_SCHEMA", "judge_request", "read_verdicts", "unjudged_facts"]

VERDICTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["verdicts"],
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["fact", "holds"],
                "properties": {
                    "fact": {"type": "integer"},
                    "holds": {"type": "boolean"},
                    "why": {"type": "string"},
                },
            },
        }
    },
}


class Verdict(msgspec.Struct, frozen=True):
    """A model's verdict on a fact."""

    fact: int
    holds: bool
    why: str | None = ""


def judge_request(batch: Sequence[FactInBatch], *, position: int) -> Request:
    """The request for a verdict on new facts."""
    content = [
        {
            "fact": item.position,
            "text": item.fact.text,
            "about": item.fact.about,
            "quotes": [citation.quote for citation in item.fact.cites],
            "said": item.said.date().isoformat(),
            "authority": item.fact.authority,
        }
        for item in batch
    ]
    return Request(
        step="judge",
        prompt=prompt_text("judge"),
        content=json.dumps({"facts": content}, ensure_ascii=False, indent=1),
        schema=VERDICTS_SCHEMA,
        position=position,
        read=tuple(item.position for item in batch),
        reply_tokens=2000,
    )


def read_verdicts(reply: str, batch: Sequence[FactInBatch]) -> list[SetAside]:
    """Patches that set the rejected facts aside; Refused if the reply cannot be read."""
    try:
        verdicts = msgspec.convert(parse_reply_json(reply).get("verdicts"), list[Verdict])
    except msgspec.ValidationError as error:
        raise Refused(f"The verdicts cannot be read: {error}. Give a list of fact, holds and why.") from None
    known = {item.position: item for item in batch}
    return [
        SetAside(
            cites=(verdict.fact,),
            why=f"it does not hold, says a second reader: {(verdict.why or 'no reason given').strip()[:300]}",
            domain="" if known[verdict.fact].fact.topic == "other" else known[verdict.fact].fact.topic,
        )
        for verdict in verdicts
        if not verdict.holds and verdict.fact in known
    ]


def unjudged_facts(batch: Sequence[FactInBatch], project: Project) -> list[FactInBatch]:
    return [item for item in batch if item.position not in project.progress.judged]
