"""Constraints: the functions that watch a user, what packs offer, and what each of them saw."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from uac.interfaces.http.auth import Reader
from uac.interfaces.http.fields import AsOf, Told, known_at
from uac.interfaces.http.problems import NotFound
from uac.interfaces.http.routes.alerts import AlertStanding, alert_told
from uac.memory.memory import Memory
from uac.project.project import Adopted, Project
from uac.schema.constraints import OPEN_CONFLICT, Case, Origin

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["alerts"])


class ConstraintTold(Told):
    """A constraint of the project."""

    name: str = Field(examples=["drug_allergy"])
    doc: str = Field(examples=["A medication against an allergy."])
    origin: Origin = Field(description="Who wrote it.", examples=["pack"])
    pack: str = Field(description="The pack it is from, with its version.", examples=["health 1"])
    is_on: bool
    is_reviewed: bool = Field(description="False if a model wrote it and nobody has approved it yet.")
    reads: list[str] = Field(description="The collections it reads.", examples=[["health.allergies"]])
    knows: list[str] = Field(description="The tables it looks things up in.", examples=[["health.drugs"]])
    alerts: int = Field(description="How many of its alerts stand.", examples=[1])
    failure: str = Field(description="Why it gave no result when it last ran; empty if it did.", examples=[""])
    position: int = Field(description="The checkpoint that adopted it.", examples=[2])


class OfferTold(Told):
    """A constraint that a pack has and the project has not."""

    name: str = Field(examples=["drug_interaction"])
    pack: str = Field(examples=["health 1"])
    why_not: str = Field(description="Why it cannot be adopted as things are; empty: with the first record it reads.")


class Constraints(Told):
    """The constraints of the project, and those that packs offer."""

    constraints: list[ConstraintTold]
    offers: list[OfferTold]


class GivenTold(Told):
    """A record of a case."""

    type: str = Field(examples=["health.Allergy"])
    fields: dict[str, object] = Field(examples=[{"substance": "Penicillin"}])
    ended: str = Field(examples=[""])


class CaseTold(Told):
    """A state and a time for which the constraint must fire, or must stay silent."""

    name: str = Field(examples=["amoxicillin is a penicillin"])
    now: str = Field(examples=["2026-03-01"])
    fires: bool
    given: list[GivenTold]
    says: list[str] = Field(description="Texts that one of the messages must all have.", examples=[["penicillin"]])


class TestTold(Told):
    """A test that the function made: its text, the values it saw, how it came out, and how often just so."""

    line: int = Field(examples=[12])
    text: str = Field(examples=["same(drug, allergy.substance)"])
    values: list[tuple[str, str]] = Field(examples=[[["drug", "Amoxicillin"]]])
    result: bool
    times: int = Field(examples=[1])
    is_inner: bool = Field(description="Whether a helper of the constraint made it.")


class ConstraintExplained(ConstraintTold):
    """A constraint with its code, its cases, and what it saw when it was run just now."""

    code: str
    cases: list[CaseTold]
    records: list[tuple[str, int]] = Field(
        description="The collections it read, and how many records each has.", examples=[[["health.allergies", 1]]]
    )
    now: datetime | None = Field(description="The time it saw: that of the last tick.")
    again: datetime | None = Field(description="When it is run again though nothing changed.")
    standing: list[AlertStanding]
    tests: list[TestTold]
    left_out: int = Field(description="Tests beyond those that are listed.", examples=[0])


@router.get("/constraints")
def listed(place: Reader, as_of: AsOf = None) -> Constraints:
    """The constraints of the project, and what packs offer besides. Checkpoints adopt, switch, approve and retire."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
        offers = memory.offers() if as_of is None else []
    return Constraints(
        constraints=[_told(project, project.constraints[name]) for name in sorted(project.constraints)],
        offers=[OfferTold.model_validate(offer) for offer in offers],
    )


@router.get("/constraints/{name}")
def explained(
    place: Reader,
    name: Annotated[str, Path(min_length=1, description="The name of a constraint.", examples=["drug_allergy"])],
) -> ConstraintExplained:
    """Why a constraint fired, or did not: it is run once more, and every test it makes is told."""
    with place.memory() as memory:
        if name not in memory.project().constraints:
            hint = "; it is built in: GET …/conflicts has its claims" if name == OPEN_CONFLICT else ""
            raise NotFound(f"there is no constraint {name!r}{hint}")
        return _explained(memory, name)


def _explained(memory: Memory, name: str) -> ConstraintExplained:
    project, found = memory.project(), memory.why(name)
    constraint = found.constraint.constraint
    now = found.now or memory.log.now()
    return ConstraintExplained(
        **_told(project, found.constraint).model_dump(exclude={"failure"}),
        failure=found.failure,
        code=constraint.code,
        cases=[_case_told(case) for case in constraint.cases],
        records=list(found.reads),
        now=found.now,
        again=found.again,
        standing=[alert_told(alert, now) for alert in found.alerts],
        tests=[TestTold.model_validate(test) for test in found.tests],
        left_out=found.left_out,
    )


def _told(project: Project, adopted: Adopted) -> ConstraintTold:
    constraint, reading = adopted.constraint, adopted.reading
    return ConstraintTold(
        name=constraint.name,
        doc=reading.doc,
        origin=constraint.origin,
        pack=constraint.pack,
        is_on=adopted.is_on,
        is_reviewed=adopted.is_reviewed,
        reads=list(reading.reads),
        knows=list(reading.knows),
        alerts=sum(name == constraint.name for name, _subject in project.alerts),
        failure=project.failures.get(constraint.name, ""),
        position=adopted.position,
    )


def _case_told(case: Case) -> CaseTold:
    return CaseTold(
        name=case.name,
        now=case.now,
        fires=case.fires,
        given=[GivenTold(type=given.type, fields=dict(given.fields), ended=given.ended) for given in case.given],
        says=list(case.says),
    )
