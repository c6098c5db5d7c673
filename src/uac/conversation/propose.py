"""Facts to patches: the request for a batch of facts. `proposed_patches.py` reads the reply.

The size of the request depends on the new facts, not on the history: the manifest has a fixed size, and only types and
records that the facts may touch are included.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from uac.conversation.prompts import prompt_text
from uac.conversation.relevant_constraints import constraint_lines
from uac.conversation.relevant_records import RecordLookup, relevant_records
from uac.conversation.relevant_types import relevant_types, type_line, type_names
from uac.models.requests_and_replies import Request
from uac.packs import Pack
from uac.project.claims import Claim
from uac.project.project import Project, Record
from uac.schema.entries import Fact
from uac.schema.periods import Period
from uac.schema.safe_text import shorten
from uac.schema.types import Json, Type
from uac.schema.values import dump_value

__all__ = ["OPS", "PATCHES_SCHEMA", "FactInBatch", "checkpoint_request", "shown_records"]


MAX_CLAIMED = 4
MAX_CONFLICTS = 10
MAX_VALUE_CHARACTERS = 600
MAX_UNSURE_CHARACTERS = 120

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
    shown = relevant_types([item.fact for item in batch], project, packs, wanted=wanted, only_wanted=bool(refused))
    records = _with_single_records(records, shown.types, project)
    content: dict[str, Any] = {"now": max(item.said for item in batch).isoformat(timespec="minutes")}
    lines = {each.full_name: type_line(each, with_docs=each.full_name in shown.described) for each in shown.types}
    content["types"] = [line for name, line in lines.items() if name in project.types]
    content["offered"] = [line for name, line in lines.items() if name not in project.types]
    if shown.named:
        content["more_types"] = type_names(shown.named, brief=shown.brief)
    if not refused:
        content["constraints"] = constraint_lines(
            [item.fact for item in batch], shown.types, project, packs, stated=stated
        )
    content["records"] = [_record_json(record) for record in records]
    if conflicts := project.conflicts[:MAX_CONFLICTS]:
        content["conflicts"] = [
            f"{each.record}.{each.field}: {', '.join(_claimed_values(each.claims))}" for each in conflicts
        ]
    content["facts"] = [_fact_json(item) for item in batch]
    if refused:
        content["refused"] = [{"patch": patch, "why": why} for patch, why in refused]
    if problem:
        content["problem"] = problem
    return Request(
        step="checkpoint",
        prompt=prompt_text("checkpoint"),
        content=_json_lines(content),
        schema=PATCHES_SCHEMA,
        position=position,
        answers=tuple(item.position for item in batch),
        read=tuple(item.position for item in batch),
        reply_tokens=8000,
    )


def shown_records(request: Request, project: Project) -> list[Record]:
    """The records that a checkpoint request shows, as they are now."""
    shown = json.loads(request.content).get("records", ()) if request.content else ()
    tables = (project.tables.get(item["record"].partition(":")[0], {}).get(item["record"]) for item in shown)
    return [record for record in tables if record is not None]


def _fact_json(item: FactInBatch) -> dict[str, Any]:
    fact = item.fact
    shown: dict[str, Any] = {
        "fact": item.position,
        "about": fact.about,
        "text": fact.text,
        "said": item.said.isoformat(timespec="minutes"),
    }
    if fact.authority != "user":
        shown["authority"] = fact.authority
    if fact.according_to:
        shown["according_to"] = fact.according_to
    if fact.held != Period():
        shown["held"] = _fact_period_text(fact.held)
    if fact.unsure:
        shown["unsure"] = fact.unsure
    shown["quote"] = " … ".join(citation.quote for citation in fact.cites)
    return shown


def _json_lines(content: Mapping[str, Any]) -> str:
    """JSON with one line for each item of a list: readable, without the tokens of indentation."""
    lines = []
    for name, value in content.items():
        if isinstance(value, list):
            items = ",\n".join(json.dumps(item, ensure_ascii=False) for item in value)
            lines.append(f"{json.dumps(name)}: [\n{items}\n]" if value else f"{json.dumps(name)}: []")
        else:
            lines.append(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}")
    return "{" + ",\n".join(lines) + "}"


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


def _record_json(record: Record) -> dict[str, Any]:
    fields: dict[str, Json] = {}
    for name, value in record.values.items():
        if value is not None and value != ():
            dumped = dump_value(value)
            fields[name] = shorten(dumped, MAX_VALUE_CHARACTERS) if isinstance(dumped, str) else dumped
    shown: dict[str, Any] = {"record": record.id, "fields": fields}
    if record.ended is not None:
        shown[record.ended.reason] = record.ended.when
    if record.unsure:
        shown["unsure"] = {each.field: shorten(each.why, MAX_UNSURE_CHARACTERS) for each in record.unsure}
    claimed = {name: _claimed_values(claims) for name, claims in record.claims.items() if len(claims) > 1}
    if told := {name: values for name, values in claimed.items() if len(values) > 1}:
        shown["claims_disagree" if record.conflicts else "claimed"] = told
    return shown


def _claimed_values(claims: Sequence[Claim]) -> list[str]:
    """The last few different values claimed for a field, each with its authority and date."""
    valued = (claim for claim in claims if not claim.is_open)
    values = {f"{dump_value(claim.value)}": f"{claim.attribution}, {claim.said:%Y-%m-%d}" for claim in valued}
    return [f"{value} ({whose})" for value, whose in values.items()][-MAX_CLAIMED:]


def _proposed_type_name(item: Any) -> str:
    """The type that a refused patch names."""
    named = item.get("type") if isinstance(item, dict) else None
    return f"{named.get('domain')}.{named.get('name')}" if isinstance(named, dict) else str(named)
