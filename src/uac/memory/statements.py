"""Direct statements of a person or a program: a record put or ended, a correction, a retraction."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from uac.constraints.acceptance import Plan, plan_patches
from uac.constraints.ahead import AheadStart
from uac.constraints.review import retractions_needing_review
from uac.errors import Refused
from uac.memory.writer import Writer
from uac.project.project import Project
from uac.schema.entries import Correction, Observation, Retraction
from uac.schema.patches import Patch, Put
from uac.schema.types import Json

__all__ = [
    "StatedPatch",
    "plan_correction",
    "plan_retraction",
    "put_cited_record",
    "record_put_at",
    "state_patch",
    "statement_text",
]


class StatedPatch(NamedTuple):
    """The position of a stated change, and its record."""

    position: int
    record: str


def state_patch(
    writer: Writer, observation: Observation, patch: Callable[[tuple[int, ...]], Patch], *, by: str
) -> StatedPatch:
    """Append a statement as an observation, with the patch that cites it."""

    def prepare(start: AheadStart) -> Plan:
        change = patch((start.project.position + 1,))
        return plan_patches(start, [change], writer.resources, lead=[observation], by=by)

    written = writer.write(prepare)
    assert written.plan.ahead is not None
    return StatedPatch(written.positions[-1], written.plan.ahead.project.used[written.positions[0]][0])


def put_cited_record(writer: Writer, put: Put, *, by: str) -> str:
    """Write a record whose words are in the log already; returns its id."""

    def prepare(start: AheadStart) -> Plan:
        known = start.project.sources
        if unknown := [cited for cited in put.cites if cited not in known]:
            raise Refused(f"Entry {unknown[0]} is not an observation or a fact. Use a position from 'uac log'.")
        return plan_patches(start, [put], writer.resources, by=by)

    written = writer.write(prepare)
    assert written.plan.ahead is not None
    return record_put_at(written.plan.ahead.project, put.cites, written.positions)


def record_put_at(project: Project, cites: Sequence[int], positions: Collection[int]) -> str:
    """The record with a claim made at one of the positions, among those that cite these entries; "" if none is left."""
    for record_id in {record: None for cited in cites for record in project.used.get(cited, ())}:
        claims = project.record(record_id).claims.values()
        if any(claim.position in positions for claimed in claims for claim in claimed):
            return record_id
    return ""


def statement_text(type_name: str, fields: Mapping[str, Json]) -> str:
    """The words of a record that is stated directly: 'health.Allergy: substance = Penicillin, reaction = hives'."""
    return f"{type_name}: {', '.join(f'{name} = {_stated_value(value)}' for name, value in fields.items())}"


def _stated_value(value: Json) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list():
            return " and ".join(map(_stated_value, value)) or "none"
        case _:
            return str(value)


def plan_correction(start: AheadStart, entry: Correction) -> Plan:
    ahead = start.ahead([entry])
    if ahead.refused:
        raise Refused(ahead.refused[0].why)
    return Plan(entries=(entry,), ahead=ahead)


def plan_retraction(start: AheadStart, entry: Retraction, *, reviewed: bool) -> Plan:
    already = [position for position in entry.positions if position in start.project.gone]
    if already:
        raise Refused(f"Entry {already[0]} was retracted before. Leave it out.")
    if not reviewed and (wrong := retractions_needing_review(start.project, entry.positions)):
        raise Refused(f"retraction: {wrong[0]}")
    return Plan(entries=(entry,))
