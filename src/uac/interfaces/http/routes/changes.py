"""Changes of the project: checkpoints, types, corrections and ends."""

from dataclasses import replace
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter
from pydantic import Field, WithJsonSchema

from uac.interfaces.http.auth import Writer
from uac.interfaces.http.fields import Input, Moment, Position
from uac.interfaces.http.openapi import inlined_schema
from uac.interfaces.http.routes.records import record_or_not_found
from uac.interfaces.http.user_context import UserContext
from uac.interfaces.http.write_responses import hide_unreadable, request_text, write_once
from uac.interfaces.views.changes import WriteView, changes_between
from uac.memory.memory import Memory
from uac.schema.patches import Define, Patch
from uac.schema.types import Type

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["changes"])


Patches = Annotated[
    list[Any],
    WithJsonSchema({**inlined_schema(tuple[Patch, ...]), "minItems": 1, "maxItems": 1000}),
    Field(
        min_length=1,
        max_length=1000,
        examples=[[{"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [1]}]],
    ),
]


class CheckpointInput(Input):
    """Patches that are accepted together, or refused with reasons."""

    patches: Patches
    facts: list[Position] = Field(
        default=[], max_length=1000, description="Facts that must all be in a record or set aside.", examples=[[4, 5]]
    )
    by: str = Field(default="", max_length=200, description="Who proposes them.", examples=["support bot"])
    dry_run: Annotated[bool, Field(strict=True)] = Field(
        default=False, description="Only report what would change; constraints are not run."
    )


class TypeInput(Input):
    """A new type."""

    type: Annotated[
        dict[str, Any],
        WithJsonSchema(inlined_schema(Type)),
        Field(
            examples=[
                {
                    "domain": "reading",
                    "name": "Book",
                    "key": ["title"],
                    "fields": [{"name": "title", "type": "str"}, {"name": "pages", "type": "int | None"}],
                }
            ]
        ),
    ]
    by: str = Field(default="", max_length=200, description="Who defines it.", examples=["Ana"])


class CorrectionInput(Input):
    """The user's own correction of a field. It overrides all claims until the user says something newer."""

    record: str = Field(max_length=1000, examples=["health.Allergy:penicillin"])
    field: str = Field(max_length=200, examples=["reaction"])
    value: Any = Field(examples=["rash"])
    why: str = Field(default="", max_length=1000, examples=["it was never hives"])


class EndInput(Input):
    """A record is no longer true from a date on."""

    record: str = Field(max_length=1000, examples=["household.Lease:elm street 4"])
    when: str = Field(max_length=10, description="YYYY, YYYY-MM or YYYY-MM-DD.", examples=["2026-02-28"])
    why: str = Field(default="", max_length=1000, examples=["moved out"])
    said: Moment | None = Field(default=None, description="When it was said; default: now.")
    by: str = Field(default="", max_length=200, description="Who states it.", examples=["Ana"])


@router.post("/checkpoints")
def checkpoint(context: Writer, body: CheckpointInput) -> WriteView:
    """Submit patches: all are accepted, or 422 gives one reason for each patch to correct.

    Constraints count as written by a model, until a key with the right admin approves them or submits them itself.
    """
    patches = msgspec.convert(body.patches, tuple[Patch, ...])
    is_reviewed = "admin" in context.caller.rights
    if body.dry_run:
        return _preview_patches(context, patches)
    return write_once(
        context,
        request_text("checkpoint", body),
        lambda memory: memory.checkpoint(patches, facts=body.facts, by=body.by, reviewed=is_reviewed),
    )


@router.post("/types", status_code=201)
def define(context: Writer, body: TypeInput) -> WriteView:
    """Define a type. Existing types are changed by checkpoints (add_field, rename_field, …)."""
    patch = Define(type=msgspec.convert(body.type, Type))
    shadowed: list[str] = []

    def act(memory: Memory) -> None:
        memory.checkpoint([patch], by=body.by)
        shadowed.append(memory.shadowed(patch.type.full_name))

    written = write_once(context, request_text("define", body), act)
    return replace(written, notes=tuple(note for note in shadowed if note))


@router.post("/corrections")
def correct(context: Writer, body: CorrectionInput) -> WriteView:
    """Correct a field of a record in the user's name."""

    def act(memory: Memory) -> None:
        memory.correct(record_or_not_found(memory.project(), body.record).id, body.field, body.value, why=body.why)

    return write_once(context, request_text("correct", body), act, create=False)


@router.post("/ends")
def end(context: Writer, body: EndInput) -> WriteView:
    """End a record from a date on: a lease ended, a trip was cancelled."""

    def act(memory: Memory) -> None:
        memory.end(
            record_or_not_found(memory.project(), body.record).id, body.when, why=body.why, said=body.said, by=body.by
        )

    return write_once(context, request_text("end", body), act, create=False)


def _preview_patches(context: UserContext, patches: tuple[Patch, ...]) -> WriteView:
    with context.memory(create=True) as memory:
        before = memory.project()
        after, _changes = memory.preview(patches)
    changes = changes_between(before, after)
    return hide_unreadable(context, WriteView(first=0, last=before.position, changes=changes, alerts=()))
