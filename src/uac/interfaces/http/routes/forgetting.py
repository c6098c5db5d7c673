"""Forgetting: entries that are retracted, words that are erased, and users who are removed."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from uac.errors import Refused
from uac.interfaces.http.auth import Eraser, Writer
from uac.interfaces.http.fields import Flag, Input, Position
from uac.interfaces.http.routes.records import record_or_not_found
from uac.interfaces.http.user_context import UserContext
from uac.interfaces.http.write_responses import hide_unreadable, request_text, write_once
from uac.interfaces.views.changes import WriteView, changes_between
from uac.interfaces.views.log import EntryTextView, ForgottenView, entry_text_view
from uac.log.staging import remove_staged_files
from uac.memory.groups import group_name
from uac.memory.memory import Memory
from uac.project.forgetting import positions_behind_record, project_without
from uac.project.project import Project

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["forgetting"])

MOST_ENTRIES = 100  # listed at most

Why = Annotated[str, Field(min_length=1, max_length=1000, examples=["asked by Ana"])]


class ForgetInput(Input):
    """The words to forget: entries of the log, or those that a record depends on."""

    positions: list[Position] = Field(default=[], max_length=1000, examples=[[1]])
    record: str = Field(default="", max_length=1000, description="Instead of positions.", examples=[""])
    why: Why = Field(description="The reason, kept in the log.")
    dry_run: Flag = Field(default=False, description="Only report what would be forgotten and what would change.")


@router.post("/retractions")
def retract(context: Writer, body: ForgetInput) -> WriteView:
    """Retract entries: they and all that depends on them no longer count. Retracting the retraction undoes it."""
    if body.dry_run:
        with context.memory() as memory:
            before = memory.project()
            after = _project_after_forgetting(memory, _positions_to_forget(memory, body), body.why)
            preview = WriteView(first=0, last=before.position, changes=changes_between(before, after), alerts=())
            return hide_unreadable(context, preview)
    is_reviewed = "admin" in context.caller.rights
    return write_once(
        context,
        request_text("retract", body),
        lambda memory: memory.retract(_positions_to_forget(memory, body), why=body.why, reviewed=is_reviewed),
        create=False,
    )


@router.post("/erasures")
def erase(context: Eraser, body: ForgetInput) -> ForgottenView:
    """Erase words for good, here and wherever they were repeated. The chain still verifies.

    A repeated request finds nothing to erase, so it needs no Idempotency-Key.
    """
    with context.memory() as memory:
        context.expected_position()
        before, chosen = memory.project(), _positions_to_forget(memory, body)
        reached = memory.log.reach(chosen)
        touched = tuple(_forgotten_entry_view(context, memory, position) for position in reached[:MOST_ENTRIES])
        after = _project_after_forgetting(memory, chosen, body.why)
        if not body.dry_run:
            memory.erase(chosen, why=body.why)
            after = memory.project()
        return ForgottenView(
            is_done=not body.dry_run,
            entries=touched,
            left_out=len(reached) - len(touched),
            changes=changes_between(before, after) if context.may_read else (),
            last=memory.log.head().position,
        )


@router.delete("", name="leave", status_code=204)
def erase_user(context: Eraser) -> None:
    """Erase the user's whole log, and what the user shared with groups or said in them. Nothing is left."""
    context.expected_position()
    groups = context.service.groups(context.caller.tenant)
    # First, so that it can be repeated. A member of groups may have no memory of their own, nor one with waiting files.
    has_files = remove_staged_files(context.service.store, context.store_user_id) > 0
    if (group_name(context.user) or not groups.erase_member(context.user)) and not has_files:
        context.check_has_memory()
    context.service.store.erase(context.store_user_id)
    context.service.memories.drop_user(context.store_user_id)
    context.service.notifier.notify_user_changed(context.store_user_id)


def _positions_to_forget(memory: Memory, body: ForgetInput) -> list[int]:
    project = memory.project()
    if bool(body.positions) == bool(body.record):
        raise Refused("Both or neither of positions and record are given. Give one of them.")
    if body.record:
        return positions_behind_record(memory.log, project, record_or_not_found(project, body.record).id)
    chosen = sorted(set(body.positions))
    if chosen[-1] > project.position:
        raise Refused(f"No entry {chosen[-1]}. Give positions from 1 to {project.position}.")
    return chosen


def _project_after_forgetting(memory: Memory, chosen: list[int], why: str) -> Project:
    return project_without(memory.project(), chosen, why=why, now=memory.log.now())


def _forgotten_entry_view(context: UserContext, memory: Memory, position: int) -> EntryTextView:
    view = entry_text_view(next(memory.log.read(position, position + 1)))
    return view if context.may_read else replace(view, text="")
