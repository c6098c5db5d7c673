"""Facts to patches: the request for a batch of facts. `proposed_patches.py` reads the reply.

The size of the request depends on the new facts, not on the history: the manifest has a fixed size, and only types and
records that the facts may touch are included.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from uac.conversation.json_lines import json_lines
from uac.conversation.prompts import prompt_text
from uac.conversation.relevant_constraints import relevant_constraints
from uac.conversation.relevant_records import RecordLookup, relevant_records
from uac.conversation.relevant_types import relevant_types, type_line, type_names
from uac.models.requests_and_replies import Request
from uac.packs import Pack
from uac.project.claims import Claim
from uac.project.project import Project, Record
from uac.schema.entries import Fact
from uac.schema.periods import Period
from uac.schema.safe_text import shorten
from uac.schema.types import Type
from uac.schema.values import Typed, dump_value, fold_key

__all__ = ["OPS", "PATCHES_SCHEMA", "FactInBatch", "checkpoint_request", "shown_records"]


MAX_CLAIMED = 4
MAX_CONFLICTS = 10
MAX_VALUE_CHARACTERS = 600
MAX_UNSURE_CHARACTERS = 120
MAX_EARLIER = 2  # values of a field
MAX_EARLIER_CHARACTERS = 60

OPS = (
    *("put", "amend", "end", "drop", "merge", "set_aside", "retire"),
    *("define", "add_field", "rename_field", "retype_field", "retire_field", "change_key"),
)
"""The operations on types, records and rules that a model may use."""

PATCHES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["patches"],
    "properties": {
        "patches": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["op"],
                "properties": {
                    "op": {
                        "type": "string",
                        "enum": list(OPS),
                    },
                    "cites": {"type": "array", "items": {"type": ["integer", "string"]}},
                },
            },
        },
        "constraints": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "file", "cites"],
                "properties": {
                    "name": {"type": "string"},
                    "file": {"type": "string"},
                    "cites": {"type": "array", "items": {"type": "integer"}},
                },
            },
        },
    },
}


class FactInBatch(NamedTuple):
    """A fact of a batch, its position, and when it was said."""

    position: int
    fact: Fact
    said: datetime


def checkpoint_request(
    batch: Sequence[FactInBatch],
    *,
    project: Project,
    packs: Sequence[Pack],
    lookup: RecordLookup,
    stated: Callable[[int], Fact | None] = lambda _position: None,
    position: int = 0,
    refused: Sequence[tuple[Any, str]] = (),
    problem: str = "",
) -> Request:
    """The request for a batch of facts. `lookup` finds the records that a fact may be about, `stated` the facts that
    state a constraint."""
    made = [project.record(name) for item in batch for name in project.used.get(item.position, ())]
    likely = relevant_records([(item.fact, item.said) for item in batch], project, lookup)
    records = list({record.id: record for record in [*made, *likely]}.values())
    wanted = {record.type for record in records} | {_proposed_type_name(item) for item, _why in refused}
    facts = [item.fact for item in batch]
    relevant = relevant_types(facts, project, packs, wanted=wanted, only_wanted=bool(refused))
    records = _with_single_records(records, relevant.types, project)
    now = max(item.said for item in batch)
    content: dict[str, Any] = {"now": now.isoformat(timespec="minutes")}
    lines = {each.full_name: type_line(each, with_docs=each.full_name in relevant.described) for each in relevant.types}
    content["types"] = [line for name, line in lines.items() if name in project.types]
    content["offered"] = [line for name, line in lines.items() if name not in project.types]
    if relevant.named:
        content["more_types"] = type_names(relevant.named, brief=relevant.brief)
    is_asked = any(map(_is_constraint, refused))
    constraints = relevant_constraints(facts, relevant.types, project, packs, stated=stated, is_asked=is_asked)
    content["constraints"] = list(constraints.lines)
    content["records"] = {record.id: _record_json(record, project.types[record.type]) for record in records}
    if conflicts := project.conflicts[:MAX_CONFLICTS]:
        content["conflicts"] = [
            f"{each.record}.{each.field}: {', '.join(_claimed_values(each.claims))}" for each in conflicts
        ]
    content["facts"] = [_fact_json(item, now) for item in batch]
    if refused:
        content["refused"] = [{"patch": patch, "why": why} for patch, why in refused]
    if problem:
        content["problem"] = problem
    return Request(
        step="checkpoint",
        prompt=prompt_text("checkpoint") + ("\n" + prompt_text("constraint") if constraints.may_need_code else ""),
        content=json_lines(content),
        schema=PATCHES_SCHEMA,
        position=position,
        answers=tuple(item.position for item in batch),
        read=tuple(item.position for item in batch),
        reply_tokens=8000,
    )


def shown_records(request: Request, project: Project) -> list[Record] | None:
    """The records that a checkpoint request shows, as they are now; None if nobody looked for any."""
    ids = json.loads(request.content).get("records") if request.content else None
    if ids is None:
        return None
    tables = (project.tables.get(record_id.partition(":")[0], {}).get(record_id) for record_id in ids)
    return [record for record in tables if record is not None]


def _is_constraint(refused: tuple[Any, str]) -> bool:
    """Whether a refused item of a reply is a constraint."""
    item, _why = refused
    return isinstance(item, dict) and "op" not in item and "name" in item


def _fact_json(item: FactInBatch, now: datetime) -> dict[str, Any]:
    fact = item.fact
    content: dict[str, Any] = {"fact": item.position}
    if fold_key(fact.about) != "user":
        content["about"] = fact.about
    content["text"] = fact.text
    if (said := _said_text(item.said, now)) is not None:
        content["said"] = said
    if fact.authority != "user":
        content["authority"] = fact.authority
    if fact.according_to:
        content["according_to"] = fact.according_to
    if fact.held != Period():
        content["held"] = _fact_period_text(fact.held)
    if fact.unsure:
        content["unsure"] = fact.unsure
    content["quote"] = " … ".join(citation.quote for citation in fact.cites)
    return content


def _said_text(said: datetime, now: datetime) -> str | None:
    """When a fact was said: the time if it was on the same day as `now`; None if at the same minute."""
    day, minute = said.isoformat(timespec="minutes"), now.isoformat(timespec="minutes")
    if day == minute:
        return None
    return day[11:16] if (day[:10], day[16:]) == (minute[:10], minute[16:]) else day


def _fact_period_text(held: Period) -> str:
    if held.start == held.end:
        return held.start
    parts = (f"from {held.start}" if held.start else "", f"until {held.end}" if held.end else "")
    return " ".join(part for part in parts if part)


def _with_single_records(records: list[Record], types: Iterable[Type], project: Project) -> list[Record]:
    """The records, and those of types with a single record, which new facts would change."""
    single = [
        record
        for type_ in types
        if type_.cardinality == "one"
        for record in project.records(type_.full_name)
        if record.ended is None
    ]
    seen = {record.id for record in records}
    return [*records, *(record for record in single if record.id not in seen)]


def _record_json(record: Record, type_: Type) -> dict[str, Any]:
    """The values of a record, without those that its id repeats; in brackets, what is not a field."""
    content: dict[str, Any] = {}
    in_id = record.id.partition(":")[2].split("|")
    for name, value in record.values.items():
        dumped = dump_value(value)
        if value not in (None, ()) and not (name in type_.key and dumped in in_id):
            content[name] = shorten(dumped, MAX_VALUE_CHARACTERS) if isinstance(dumped, str) else dumped
    if record.ended is not None:
        content[f"({record.ended.reason})"] = record.ended.when
    if record.unsure:
        reasons: dict[str, list[str]] = {}
        for each in record.unsure:
            reasons.setdefault(shorten(each.why, MAX_UNSURE_CHARACTERS), []).append(each.field)
        content["(unsure)"] = {", ".join(names): why for why, names in reasons.items()}
    for name, claims in record.claims.items():
        if name in record.conflicts:
            content.setdefault("(disagree)", {})[name] = _claimed_values(claims)
        elif earlier := _earlier_values(claims, record.values.get(name)):
            content.setdefault("(earlier)", {})[name] = earlier
    return content


def _claimed_values(claims: Sequence[Claim]) -> list[str]:
    """The last few different values claimed for a field, each with its authority and date."""
    valued = (claim for claim in claims if not claim.is_open)
    values = {f"{dump_value(claim.value)}": f"{claim.attribution}, {claim.said:%Y-%m-%d}" for claim in valued}
    return [f"{value} ({whose})" for value, whose in values.items()][-MAX_CLAIMED:]


def _earlier_values(claims: Sequence[Claim], current: Typed) -> str:
    """The last few values that a field had before its current one."""
    earlier = (claim.value for claim in claims if not claim.is_open and claim.value != current)
    values = dict.fromkeys(f"{dump_value(value)}" for value in earlier)  # as text: a list is not hashable
    return " / ".join(shorten(value, MAX_EARLIER_CHARACTERS) for value in [*values][-MAX_EARLIER:])


def _proposed_type_name(item: Any) -> str:
    """The type that a refused patch names."""
    named = item.get("type") if isinstance(item, dict) else None
    return f"{named.get('domain')}.{named.get('name')}" if isinstance(named, dict) else str(named)
