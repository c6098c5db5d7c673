"""The project: manifest, files, types, coverage, conflicts, and differences."""

import io
import zipfile
from dataclasses import replace
from datetime import date
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from uac.errors import Refused
from uac.interfaces.http.auth import Reader
from uac.interfaces.http.etags import etag_header
from uac.interfaces.http.fields import ClocksQuery, Day, When
from uac.interfaces.http.openapi import media_type_response
from uac.interfaces.http.problems import NotFound
from uac.interfaces.views.changes import DiffView, changes_between
from uac.interfaces.views.project import CoverageView, FilesView, ManifestView, TypesView, coverage_view, type_view
from uac.interfaces.views.records import ConflictsView, conflict_views
from uac.project.clocks import parse_clocks
from uac.project.render import render
from uac.project.render_manifest import render_manifest

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["project"])

ZIPPED = (1980, 1, 1, 0, 0, 0)  # the time of every file in an archive: the same project gives the same bytes


@router.get("/manifest")
def manifest(context: Reader, clocks: ClocksQuery) -> ManifestView:
    """The index that an agent should always have in its context: enough to write a query."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
    return ManifestView(text=render_manifest(project), position=project.position)


@router.get("/files", name="files")
def project_files(context: Reader, clocks: ClocksQuery) -> FilesView:
    """The whole project as files of Python."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
    return FilesView(files=render(project), position=project.position)


@router.get(
    "/files/{path:path}",
    name="one_file",
    status_code=200,
    response_class=Response,
    responses=media_type_response("text/plain"),
)
def project_file(
    context: Reader,
    path: Annotated[str, Path(description="Its path in the project.", min_length=1, examples=["manifest.py"])],
    clocks: ClocksQuery,
) -> Response:
    """One file of the project."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
    text = render(project).get(path)
    if text is None:
        raise NotFound(f"The project has no file {path!r}. GET …/files lists the files.")
    return Response(text.encode(), media_type="text/plain; charset=utf-8", headers=etag_header(context.response))


@router.get(
    "/export",
    name="export",
    status_code=200,
    response_class=Response,
    responses=media_type_response("application/zip"),
)
def export_project(context: Reader, clocks: ClocksQuery) -> Response:
    """The whole project as a zip archive. The same project gives the same bytes."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in render(project).items():
            archive.writestr(zipfile.ZipInfo(path, ZIPPED), text.encode(), zipfile.ZIP_DEFLATED)
    named = {"Content-Disposition": 'attachment; filename="project.zip"'}
    return Response(
        content.getvalue(), media_type="application/zip", headers={**etag_header(context.response), **named}
    )


@router.get("/types")
def types(context: Reader, clocks: ClocksQuery) -> TypesView:
    """The types of all domains."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
    return TypesView(types=tuple(type_view(project, project.types[name]) for name in sorted(project.types)))


@router.get("/coverage")
def coverage(context: Reader, clocks: ClocksQuery) -> CoverageView:
    """How much of the log is in records."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
    return coverage_view(project)


@router.get("/conflicts")
def conflicts(context: Reader, clocks: ClocksQuery) -> ConflictsView:
    """Fields whose claims disagree and wait for a correction."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
    return ConflictsView(conflicts=conflict_views(project))


DiffEnd = Annotated[When | Day, Field(union_mode="left_to_right")]


@router.get("/diff", name="differences")
def diff_project(
    context: Reader,
    clocks: ClocksQuery,
    before: Annotated[
        DiffEnd, Query(description="The earlier state: a position, a time with its zone, or a day.", examples=[7])
    ],
    after: Annotated[DiffEnd | None, Query(description="The later state; default: now.", examples=[12])] = None,
    clock: Annotated[
        Literal["valid", "told", "known"],
        Query(description="What `before` and `after` are: positions or times (known), or days (valid, told)."),
    ] = "known",
) -> DiffView:
    """What changed between two states of the project, on any clock."""
    if getattr(clocks, clock) is not None:
        raise Refused(f"{clock} is given twice. before and after are on that clock: leave out the other.")
    ends = (None if end is None else end.isoformat() if isinstance(end, date) else str(end) for end in (before, after))
    old_clocks, new_clocks = (replace(clocks, **{clock: getattr(parse_clocks(**{clock: end}), clock)}) for end in ends)
    with context.memory() as memory:
        old, new = memory.project_at(old_clocks), memory.project_at(new_clocks)
    return DiffView(before=old.position, after=new.position, changes=changes_between(old, new))
