"""Direct statements of a person or a program: a record put or ended, a correction, a retraction."""

from collections.abc import Callable
from typing import NamedTuple

from uac.constraints.acceptance import Plan, plan_patches
from uac.constraints.ahead import AheadStart
from uac.constraints.review import retractions_needing_review
from uac.errors import Refused
from uac.memory.writer import Writer
from uac.schema.entries import Correction, Observation, Retraction
from uac.schema.patches import Patch

__all__ = ["StatedPatch", "plan_correction", "plan_retraction", "state_patch"]


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
