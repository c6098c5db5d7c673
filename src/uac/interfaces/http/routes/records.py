"""Records: listed, read, explained, put and dropped."""

import heapq
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.convertors import Convertor, register_url_convertor

from uac.errors import Refused
from uac.interfaces.http.auth import Reader, Writer
from uac.interfaces.http.fields import Asked, AsOf, Moment, Told, cursor, known_at, place_behind
from uac.interfaces.http.problems import NotFound
from uac.interfaces.http.routes.project import ClaimTold, claim_told
from uac.interfaces.http.write_responses import Written, change, request_text
from uac.memory.memory import Memory
from uac.project.explain import Evidence, Explained, explain
from uac.project.project import Project, Record
from uac.schema.types import Json, Policy, dump_value

__all__ = ["RecordTold", "find_record", "router"]


class _RecordId(Convertor[str]):
    """An id in a path. A key may hold slashes, but what ends like the address of a field is one."""

    regex = r"(?:(?!/fields/[A-Za-z0-9_]+$).)+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("record_id", _RecordId())

router = APIRouter(prefix="/v1/users/{user}", tags=["records"])

RecordId = Annotated[
    str, Path(min_length=1, description="The id of a record: type and key.", examples=["health.Allergy:penicillin"])
]


class EndTold(Told):
    """From when on a record no longer holds, and why."""

    when: str = Field(examples=["2026-02"])
    why: str = Field(examples=["moved out"])


class RecordTold(Told):
    """An object of a type, with its standing values."""

    record: str = Field(examples=["health.Allergy:penicillin"])
    type: str = Field(examples=["health.Allergy"])
    values: dict[str, Any] = Field(examples=[{"substance": "Penicillin", "reaction": "hives"}])
    ended: EndTold | None = Field(description="If it no longer holds.")
    conflicts: list[str] = Field(description="Fields whose claims disagree and wait for a correction.", examples=[[]])
    cites: list[int] = Field(description="The entries that it rests on.", examples=[[1, 4]])


class RecordPage(Told):
    """Records in the order they came."""

    records: list[RecordTold]
    next: str | None = Field(description="What `after` must be to read on; null at the end.", examples=[None])


class EvidenceTold(Told):
    """The words that a claim rests on; null once they were erased."""

    position: int = Field(description="The observation.", examples=[1])
    words: str | None = Field(description="The whole text.", examples=["I get hives from penicillin."])
    quote: str | None = Field(description="What a fact quotes of it.", examples=["hives from penicillin"])
    speaker: str = Field(examples=["user"])
    said: datetime | None
    fact: int | None = Field(description="The fact between the words and the claim, if there is one.", examples=[4])
    fact_text: str | None = Field(examples=["The user is allergic to penicillin."])


class ClaimExplained(ClaimTold):
    """One claim, and what it rests on."""

    stands: bool = Field(description="Whether it gives the standing value.")
    evidence: list[EvidenceTold]


class ExplanationTold(Told):
    """Why a field has its value."""

    record: str = Field(examples=["health.Allergy:penicillin"])
    field: str = Field(examples=["reaction"])
    value: Any = Field(examples=["hives"])
    policy: Policy = Field(description="How claims that disagree are decided.", examples=["latest"])
    is_disputed: bool
    claims: list[ClaimExplained]


class PutAsked(Asked):
    """A record as a person or a program states it."""

    type: str = Field(max_length=200, examples=["health.Allergy"], description="A type of the project or of a pack.")
    fields: dict[str, Any] = Field(max_length=1000, examples=[{"substance": "Penicillin", "reaction": "hives"}])
    said: Moment | None = Field(default=None, description="When it was stated; now, if this is left out.")
    by: str = Field(default="", max_length=200, examples=["intake form"], description="Who states it.")


class PutWritten(Written):
    """The record, and what putting it changed."""

    record: str = Field(
        description="Its id; empty if it was put before and has been retracted since.",
        examples=["health.Allergy:penicillin"],
    )


@router.get("/records")
def listed(
    place: Reader,
    type: Annotated[str, Query(description="Only of this type.", examples=["health.Allergy"])] = "",  # noqa: A002
    after: Annotated[str, Query(max_length=1000, description="What `next` said on the page before.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000, description="At most so many.")] = 100,
    as_of: AsOf = None,
) -> RecordPage:
    """Records in the order they came, ended ones included."""
    behind = place_behind(after, tuple[int, int, str]) if after else (0, -1, "")
    with place.memory() as memory:
        project = known_at(memory, as_of)
    if type and type not in project.types:
        raise NotFound(f"there is no type {type!r}; GET …/types lists those there are")
    tables = [project.tables[name] for name in project.tables if type in ("", name)]
    found = (record for table in tables for record in table.values() if _order(record) > behind)
    page = heapq.nsmallest(limit + 1, found, key=_order)
    return RecordPage(
        records=[_record_told(record) for record in page[:limit]],
        next=cursor(_order(page[limit - 1])) if len(page) > limit else None,
    )


@router.post("/records", status_code=201)
def put(place: Writer, body: PutAsked) -> PutWritten:
    """Store a record that is stated directly: new, or more claims for the one with the same key."""
    written = change(
        place,
        request_text("put", body),
        lambda memory: memory.put(body.type, body.fields, said=body.said, by=body.by),
    )
    with place.memory() as memory:
        records = memory.project().used.get(written.first, ())
    return PutWritten(**written.model_dump(), record=records[0] if records else "")


@router.get("/records/{record:record_id}/fields/{field}")
def explained(
    place: Reader,
    record: RecordId,
    field: Annotated[str, Path(min_length=1, description="The name of a field.", examples=["reaction"])],
    as_of: AsOf = None,
) -> ExplanationTold:
    """Why a field has its value: all claims, and the sentences that they came from."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
        found = find_record(project, record)
        if project.types[found.type].field(field) is None:
            raise NotFound(f"{found.type} has no field {field!r}")
        told = explain(project, memory.log, found.id, field)
    return ExplanationTold(
        record=told.record,
        field=told.field,
        value=dump_value(told.value),
        policy=told.policy,
        is_disputed=told.disputed,
        claims=[_claim_explained(claim) for claim in told.claims],
    )


@router.get("/records/{record:record_id}")
def one(place: Reader, record: RecordId, as_of: AsOf = None) -> RecordTold:
    """One record."""
    with place.memory() as memory:
        return _record_told(find_record(known_at(memory, as_of), record))


@router.delete("/records/{record:record_id}")
def drop(
    place: Writer,
    record: RecordId,
    why: Annotated[
        str,
        Query(min_length=1, max_length=1000, description="The reason, kept in the log.", examples=["told twice"]),
    ],
    by: Annotated[str, Query(max_length=200, description="Who says so.")] = "",
) -> Written:
    """Drop a record that should never have been there. One that no longer holds is ended instead."""

    def act(memory: Memory) -> None:
        memory.drop(find_record(memory.project(), record).id, why=why, by=by)

    return change(place, request_text(f"drop {[record, why, by]!r}"), act, create=False)


def find_record(project: Project, record: str) -> Record:
    """The record of that id, or NotFound."""
    try:
        return project.record(record)
    except Refused:
        raise NotFound(f"there is no record {record!r}; GET …/records lists those there are") from None


def _order(record: Record) -> tuple[int, int, str]:
    return (*record.order, record.id)


def _record_told(record: Record) -> RecordTold:
    values: dict[str, Json] = {name: dump_value(value) for name, value in record.values.items()}
    return RecordTold(
        record=record.id,
        type=record.type,
        values=values,
        ended=EndTold.model_validate(record.ended) if record.ended else None,
        conflicts=list(record.conflicts),
        cites=sorted(record.cites),
    )


def _claim_explained(item: Explained) -> ClaimExplained:
    return ClaimExplained(
        **claim_told(item.claim).model_dump(),
        stands=item.stands,
        evidence=[_evidence_told(evidence) for evidence in item.evidence],
    )


def _evidence_told(evidence: Evidence) -> EvidenceTold:
    return EvidenceTold(
        position=evidence.observation,
        words=evidence.words,
        quote=evidence.quote,
        speaker=evidence.speaker,
        said=evidence.said,
        fact=evidence.fact,
        fact_text=evidence.fact_text,
    )
