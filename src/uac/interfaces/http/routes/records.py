"""Records: listed, read, explained, put and dropped."""

import heapq
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.convertors import Convertor, register_url_convertor

from uac.errors import Refused
from uac.interfaces.http.auth import Reader, Writer
from uac.interfaces.http.fields import ClocksQuery, Input, Moment, read_cursor, write_cursor
from uac.interfaces.http.problems import NotFound
from uac.interfaces.http.write_responses import request_text, write_once
from uac.interfaces.views.changes import PutView, WriteView
from uac.interfaces.views.records import ExplanationView, RecordPageView, RecordView, explanation_view, record_view
from uac.interfaces.views.view import build_view
from uac.memory.memory import Memory
from uac.memory.statements import record_put_at
from uac.project.explain import explain
from uac.project.project import Project, Record

__all__ = ["record_or_not_found", "router"]


class _RecordIdConvertor(Convertor[str]):
    """A record id in a path. A key may hold slashes, but a path that ends like the address of a field is one."""

    regex = r"(?:(?!/fields/[A-Za-z0-9_]+$).)+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("record_id", _RecordIdConvertor())

router = APIRouter(prefix="/v1/users/{user}", tags=["records"])

RecordId = Annotated[
    str, Path(min_length=1, description="The id of a record: type and key.", examples=["health.Allergy:penicillin"])
]


OF_TYPE = (
    "Only of this type (`health.Allergy`), domain (`health`) or collection: the current records of a type "
    "(`health.allergies`), or those that have ended (`health.former_allergies`)."
)


class PutInput(Input):
    """A record, stated by a person or a program."""

    type: str = Field(max_length=200, examples=["health.Allergy"], description="A type of the project or of a pack.")
    fields: dict[str, Any] = Field(max_length=1000, examples=[{"substance": "Penicillin", "reaction": "hives"}])
    said: Moment | None = Field(default=None, description="When it was stated; default: now.")
    by: str = Field(default="", max_length=200, examples=["intake form"], description="Who states it.")
    words: str = Field(
        default="",
        examples=[""],
        description="The sentence that it comes from; default: the values themselves.",
    )
    cites: list[Annotated[int, Field(ge=1)]] = Field(
        default=[], max_length=1000, examples=[[]], description="Instead of words: the entries that it comes from."
    )


@router.get("/records", name="listed")
def list_records(
    context: Reader,
    clocks: ClocksQuery,
    type: Annotated[str, Query(description=OF_TYPE, examples=["health.Allergy", "health.allergies"])] = "",  # noqa: A002
    after: Annotated[str, Query(max_length=1000, description="The `next` of the previous page.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000, description="At most this many.")] = 100,
    unsure: Annotated[bool, Query(description="Only records with values that are not certain.")] = False,
) -> RecordPageView:
    """Records in the order in which they were made, ended ones included."""
    behind = read_cursor(after, tuple[int, int, str]) if after else (0, -1, "")
    with context.memory() as memory:
        project = memory.project_at(clocks)
    if type and not project.types_named(type):
        raise NotFound(f"No type {type!r}. GET …/types lists the types.")
    listed = project.records_named(type) if type else chain.from_iterable(t.values() for t in project.tables.values())
    found = (each for each in listed if (each.unsure or not unsure) and _record_page_cursor(each) > behind)
    page = heapq.nsmallest(limit + 1, found, key=_record_page_cursor)
    return RecordPageView(
        records=tuple(map(record_view, page[:limit])),
        next=write_cursor(_record_page_cursor(page[limit - 1])) if len(page) > limit else None,
    )


@router.post("/records", name="put", status_code=201)
def put_record(context: Writer, body: PutInput) -> PutView:
    """Store a record: a new one, or further claims for the one with the same key."""
    written = write_once(
        context,
        request_text("put", body),
        lambda memory: memory.put(
            body.type, body.fields, said=body.said, by=body.by, words=body.words, cites=body.cites
        ),
    )
    with context.memory() as memory:
        written_at = range(written.first, written.last + 1)
        record = record_put_at(memory.project(), body.cites or (written.first,), written_at)
    return build_view(PutView, written, record=record)


@router.get("/records/{record:record_id}/fields/{field}", name="explained")
def explain_field(
    context: Reader,
    record: RecordId,
    field: Annotated[str, Path(min_length=1, description="The name of a field.", examples=["reaction"])],
    clocks: ClocksQuery,
) -> ExplanationView:
    """Why a field has its value: all claims, and the sentences they came from."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
        found = record_or_not_found(project, record)
        if project.types[found.type].field(field) is None:
            raise NotFound(f"{found.type} has no field {field!r}. GET …/types lists the fields.")
        return explanation_view(explain(project, memory.log, found.id, field))


@router.get("/records/{record:record_id}", name="one")
def get_record(context: Reader, record: RecordId, clocks: ClocksQuery) -> RecordView:
    """One record."""
    with context.memory() as memory:
        return record_view(record_or_not_found(memory.project_at(clocks), record))


@router.delete("/records/{record:record_id}", name="drop")
def drop_record(
    context: Writer,
    record: RecordId,
    why: Annotated[
        str,
        Query(min_length=1, max_length=1000, description="The reason, kept in the log.", examples=["mentioned twice"]),
    ],
    by: Annotated[str, Query(max_length=200, description="Who states it.")] = "",
) -> WriteView:
    """Drop a record that should never have existed. End one that is no longer true."""

    def act(memory: Memory) -> None:
        memory.drop(record_or_not_found(memory.project(), record).id, why=why, by=by)

    return write_once(context, request_text(f"drop {[record, why, by]!r}"), act, create=False)


def record_or_not_found(project: Project, record: str) -> Record:
    """The record of that id, or NotFound."""
    try:
        return project.record(record)
    except Refused:
        why = f": it was dropped ({dropped})" if (dropped := project.why_dropped(record)) else ""
        raise NotFound(f"No record {record!r}{why}. GET …/records lists the records.") from None


def _record_page_cursor(record: Record) -> tuple[int, int, str]:
    return (*record.order, record.id)
