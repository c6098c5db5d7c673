"""Forgetting: words that no longer count, words that are destroyed, and users who leave."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from uac.errors import Refused
from uac.interfaces.http.auth import Eraser, Place, Writer
from uac.interfaces.http.fields import Asked, Flag, Position, Told
from uac.interfaces.http.routes.records import find_record
from uac.interfaces.http.write_responses import ChangeTold, Written, change, changes_told, request_text, shown_to
from uac.memory.memory import Memory
from uac.project.forgetting import project_without, words_behind
from uac.project.project import Project
from uac.schema.entries import Kind
from uac.schema.entry_text import entry_text

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["forgetting"])

MOST_ENTRIES = 100  # of those that are touched, so many are told

Why = Annotated[str, Field(min_length=1, max_length=1000, examples=["asked by Ana"])]


class ForgetAsked(Asked):
    """Which words are to be forgotten: entries of the log, or those that a record rests on."""

    positions: list[Position] = Field(default=[], max_length=1000, examples=[[1]])
    record: str = Field(default="", max_length=1000, description="In place of positions.", examples=[""])
    why: Why = Field(description="The reason, kept in the log.")
    dry_run: Flag = Field(default=False, description="Only tell what would be forgotten and what would change.")


class EntryTouched(Told):
    """An entry that is touched."""

    position: int = Field(examples=[1])
    kind: Kind = Field(examples=["observation"])
    text: str = Field(description="Told to keys that may read.", examples=["I get hives from penicillin."])


class Forgotten(Told):
    """What was forgotten, or would be, and what is other without it."""

    is_done: bool = Field(description="False if this only tells what would happen.")
    entries: list[EntryTouched] = Field(description="The entries themselves and what rests on them; the first 100.")
    left_out: int = Field(description="How many more there are.", examples=[0])
    changes: list[ChangeTold]
    last: int = Field(description="The end of the log now.", examples=[13])


@router.post("/retractions")
def retract(place: Writer, body: ForgetAsked) -> Written:
    """Take entries back: they and all that rests on them no longer count. Retracting the retraction undoes it."""
    if body.dry_run:
        with place.memory() as memory:
            before = memory.project()
            after = _after(memory, _chosen(memory, body), body.why)
            preview = Written(first=0, last=before.position, changes=changes_told(before, after), alerts=[])
            return shown_to(place, preview)
    is_reviewed = "admin" in place.caller.rights
    return change(
        place,
        request_text("retract", body),
        lambda memory: memory.retract(_chosen(memory, body), why=body.why, reviewed=is_reviewed),
        create=False,
    )


@router.post("/erasures")
def erase(place: Eraser, body: ForgetAsked) -> Forgotten:
    """Destroy words for good, here and wherever they were repeated. The chain still verifies.

    Sent again, it finds nothing to destroy; so it needs no Idempotency-Key.
    """
    with place.memory() as memory:
        place.after()
        before, chosen = memory.project(), _chosen(memory, body)
        reached = memory.log.reach(chosen)
        touched = [_touched(place, memory, position) for position in reached[:MOST_ENTRIES]]
        after = _after(memory, chosen, body.why)
        if not body.dry_run:
            memory.log.erase(chosen, why=body.why)
            memory.look()  # what is left may give other alerts
            after = memory.project()
        return Forgotten(
            is_done=not body.dry_run,
            entries=touched,
            left_out=len(reached) - len(touched),
            changes=changes_told(before, after) if place.may_read else [],
            last=memory.log.head().position,
        )


@router.delete("", status_code=204)
def leave(place: Eraser) -> None:
    """Destroy the user's whole log, with all that is in it. Nothing is left."""
    place.check_known()
    place.after()
    place.service.store.erase(place.name)
    place.service.memories.forget(place.name)
    place.service.news.tell(place.name)


def _chosen(memory: Memory, body: ForgetAsked) -> list[int]:
    project = memory.project()
    if bool(body.positions) == bool(body.record):
        raise Refused("needs positions or a record, one of them")
    if body.record:
        return words_behind(memory.log, project, find_record(project, body.record).id)
    chosen = sorted(set(body.positions))
    if chosen[-1] > project.position:
        raise Refused(f"there is no entry {chosen[-1]}, positions needs numbers from 1 to {project.position}")
    return chosen


def _after(memory: Memory, chosen: list[int], why: str) -> Project:
    return project_without(memory.project(), chosen, why=why, now=memory.log.now())


def _touched(place: Place, memory: Memory, position: int) -> EntryTouched:
    stored = next(memory.log.read(position, position + 1))
    words = entry_text(stored.entry) if place.may_read else ""
    return EntryTouched(position=position, kind=stored.kind, text=words)
