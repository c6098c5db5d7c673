"""The typed project: manifest, files, types, coverage, conflicts, and what changed."""

import io
import zipfile
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from uac.interfaces.http.auth import Reader
from uac.interfaces.http.fields import AsOf, Told, When, known_at
from uac.interfaces.http.problems import NotFound
from uac.interfaces.http.write_responses import ChangeTold, changes_told
from uac.project.claims import Claim
from uac.project.project import Project
from uac.project.render import render, render_manifest
from uac.schema.entries import Authority
from uac.schema.types import Cardinality, Policy, Type, dump_value

__all__ = ["ClaimTold", "TypeTold", "claim_told", "router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["project"])

ZIPPED = (1980, 1, 1, 0, 0, 0)  # the time of every file in an archive: the same project gives the same bytes


def _as(media_type: str) -> dict[int | str, dict[str, Any]]:
    """The answer of a route that gives no JSON."""
    return {200: {"content": {media_type: {"schema": {"type": "string"}}}}}


class Manifest(Told):
    """The index of what is known, short enough to be always in an agent's context."""

    text: str = Field(description="Python source.", examples=['"""What is known of this user."""'])
    position: int = Field(description="The end of the log that it follows.", examples=[12])


class Files(Told):
    """The project as Python that runs with nothing installed."""

    files: dict[str, str] = Field(
        description="The text of each file by its path.",
        examples=[{"manifest.py": "…", "domains/health/state.py": "…"}],
    )
    position: int = Field(description="The end of the log that it follows.", examples=[12])


class FieldTold(Told):
    """A field of a type, and how claims that disagree are decided."""

    name: str = Field(examples=["substance"])
    type: str = Field(description="As Python writes it.", examples=["str | None"])
    doc: str = Field(examples=["What it is an allergy to."])
    policy: Policy = Field(description="Which of several claims stands.", examples=["latest"])


class TypeTold(Told):
    """A type of a domain."""

    type: str = Field(examples=["health.Allergy"])
    collection: str = Field(description="Its name in compute.", examples=["health.allergies"])
    doc: str = Field(examples=["Something that the user must not get."])
    cardinality: Cardinality = Field(description="One at a time, many by their key, or events.", examples=["many"])
    key: list[str] = Field(description="What makes a record the same record.", examples=[["substance"]])
    fields: list[FieldTold]
    records: int = Field(description="How many there are, ended ones included.", examples=[2])


class Types(Told):
    """All types of the project."""

    types: list[TypeTold]


class Covered(Told):
    """How many facts of a domain are in records, and how many were set aside with a reason."""

    structured: int = Field(examples=[40])
    aside: int = Field(examples=[2])


class CoverageTold(Told):
    """What of the log is in records, and what is not."""

    domains: dict[str, Covered] = Field(examples=[{"health": {"structured": 40, "aside": 2}}])
    waiting: int = Field(description="Facts that are in no record yet.", examples=[3])
    unread: int = Field(description="Observations that no model has read.", examples=[5])
    stuck: dict[int, str] = Field(
        description="What nobody could answer for, by position, and why.", examples=[{7: "the reply is no JSON"}]
    )


class ClaimTold(Told):
    """One value of one field, with its source and its two clocks."""

    value: Any = Field(examples=["Penicillin"])
    authority: Authority = Field(description="On whose word.", examples=["user"])
    said: datetime
    learned: datetime
    held: tuple[str, str] = Field(description="From when to when it was true; empty: open.", examples=[["2024-03", ""]])
    position: int = Field(description="The entry that made the claim.", examples=[3])


class ConflictTold(Told):
    """A field whose claims disagree and wait for the user's word: a correction decides it."""

    record: str = Field(examples=["travel.Passport:de"])
    field: str = Field(examples=["expires"])
    claims: list[ClaimTold]


class Conflicts(Told):
    """What waits for the user's word."""

    conflicts: list[ConflictTold]


class Changes(Told):
    """What is other in the later state than in the earlier one."""

    before: int = Field(description="The position of the earlier state.", examples=[7])
    after: int = Field(description="The position of the later state.", examples=[12])
    changes: list[ChangeTold]


@router.get("/manifest")
def manifest(place: Reader, as_of: AsOf = None) -> Manifest:
    """The index that an agent should always have in its context: some 300 tokens."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
    return Manifest(text=render_manifest(project), position=project.position)


@router.get("/files")
def files(place: Reader, as_of: AsOf = None) -> Files:
    """The whole project as files of Python."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
    return Files(files=render(project), position=project.position)


@router.get("/files/{path:path}", status_code=200, response_class=Response, responses=_as("text/plain"))
def one_file(
    place: Reader,
    path: Annotated[str, Path(description="Its path in the project.", min_length=1, examples=["manifest.py"])],
    as_of: AsOf = None,
) -> Response:
    """One file of the project, as it would stand on disk."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
    text = render(project).get(path)
    if text is None:
        raise NotFound(f"the project has no file {path!r}; GET …/files lists those there are")
    return Response(text.encode(), media_type="text/plain; charset=utf-8", headers=_tagged(place))


@router.get("/export", status_code=200, response_class=Response, responses=_as("application/zip"))
def export(place: Reader, as_of: AsOf = None) -> Response:
    """The whole project as a zip archive. The same project gives the same bytes."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in render(project).items():
            archive.writestr(zipfile.ZipInfo(path, ZIPPED), text.encode(), zipfile.ZIP_DEFLATED)
    named = {"Content-Disposition": 'attachment; filename="project.zip"'}
    return Response(content.getvalue(), media_type="application/zip", headers={**_tagged(place), **named})


@router.get("/types")
def types(place: Reader, as_of: AsOf = None) -> Types:
    """The types of all domains."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
    return Types(types=[_type_told(project, project.types[name]) for name in sorted(project.types)])


@router.get("/coverage")
def coverage(place: Reader, as_of: AsOf = None) -> CoverageTold:
    """How much of what was said has found its way into records."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
    return CoverageTold(
        domains={name: Covered.model_validate(covered) for name, covered in sorted(project.coverage.items())},
        waiting=len(project.waiting),
        unread=len(project.progress.unread),
        stuck=dict(sorted(project.progress.stuck.items())),
    )


@router.get("/conflicts")
def conflicts(place: Reader, as_of: AsOf = None) -> Conflicts:
    """Fields whose claims disagree and wait for a correction."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
    return Conflicts(
        conflicts=[
            ConflictTold(record=each.record, field=each.field, claims=[claim_told(claim) for claim in each.claims])
            for each in project.conflicts
        ]
    )


@router.get("/diff")
def differences(
    place: Reader,
    before: Annotated[
        When,
        Field(union_mode="left_to_right"),
        Query(description="The earlier state: a position, or a time with its zone.", examples=[7]),
    ],
    after: Annotated[
        When | None,
        Field(union_mode="left_to_right"),
        Query(description="The later one; now, if this is left out.", examples=[12]),
    ] = None,
) -> Changes:
    """What changed between two states of the project."""
    with place.memory() as memory:
        old, new = memory.project_as_of(before), known_at(memory, after)
    return Changes(before=old.position, after=new.position, changes=changes_told(old, new))


def claim_told(claim: Claim) -> ClaimTold:
    return ClaimTold(
        value=dump_value(claim.value),
        authority=claim.authority,
        said=claim.said,
        learned=claim.learned,
        held=(claim.held.start, claim.held.end),
        position=claim.position,
    )


def _type_told(project: Project, type_: Type) -> TypeTold:
    return TypeTold(
        type=type_.full_name,
        collection=f"{type_.domain}.{type_.collected_as}",
        doc=type_.doc,
        cardinality=type_.cardinality,
        key=list(type_.key),
        fields=[FieldTold.model_validate(part) for part in type_.fields],
        records=project.count(type_.full_name),
    )


def _tagged(place: Reader) -> dict[str, str]:
    """The tag, for an answer that is no JSON."""
    return {"ETag": place.response.headers["ETag"]}
