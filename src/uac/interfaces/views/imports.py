"""Imports: what became of the lines of a file."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from uac.importing.plan import Column
from uac.interfaces.views.alerts import AlertUpdateView
from uac.interfaces.views.view import Doc, View, build_view
from uac.log.staging import StagedFile

__all__ = [
    "BrokenLineView",
    "ColumnView",
    "ImportView",
    "StagedImportView",
    "StagedImportsView",
    "column_view",
    "staged_import_view",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnView(View):
    """A column, and the field it becomes."""

    column: Annotated[str, Doc(example="city")]
    field: Annotated[str, Doc(example="city")]
    type: Annotated[str, Doc(example="str")]
    sample: Annotated[str, Doc(example="Paris")]


def column_view(column: Column) -> ColumnView:
    return build_view(ColumnView, column, column=column.name, type=str(column.type))


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenLineView(View):
    """A line that gives no record, and why."""

    number: Annotated[int, Doc(example=7)]
    why: Annotated[str, Doc(example="has 2 cells. Give it 3, like the header.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportView(View):
    """What became of the lines of a file."""

    is_done: Annotated[bool, Doc("False for a dry run.")]
    type: Annotated[str, Doc(example="travel.Trip")]
    is_new: Annotated[bool, Doc("Whether the type was defined for this file.")]
    key: Annotated[tuple[str, ...], Doc(example=[])]
    columns: tuple[ColumnView, ...]
    notes: Annotated[tuple[str, ...], Doc(example=[])]
    records: Annotated[int, Doc("Lines that became records.", 2)]
    already: Annotated[int, Doc("Lines that an earlier import already brought in.", 0)]
    left_out: Annotated[dict[str, int], Doc("Lines that were skipped without being errors.", {"blank line": 1})]
    broken: Annotated[tuple[BrokenLineView, ...], Doc("Lines that gave no record; the first 100.")]
    more_broken: Annotated[int, Doc("The number of further broken lines.", 0)]
    alerts: Annotated[tuple[AlertUpdateView, ...], Doc("The alerts that the records raised, changed or cleared.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedImportView(View):
    """A file that workers import, and how far they are."""

    id: Annotated[str, Doc(example="0123456789abcdef0123456789abcdef")]
    name: Annotated[str, Doc(example="trips.csv")]
    lines: Annotated[int, Doc("Lines of the file.", 4)]
    done: Annotated[int, Doc("Lines that are stored, were stored already, or are broken.", 4)]
    stored: Annotated[int, Doc("Lines that are in the log now.", 2)]
    already: Annotated[int, Doc("Lines that an earlier import already brought in.", 0)]
    left_out: Annotated[dict[str, int], Doc("Lines that were skipped without being errors.", {"blank line": 1})]
    broken: Annotated[tuple[BrokenLineView, ...], Doc("Lines that gave nothing; the first 100.")]
    more_broken: Annotated[int, Doc("The number of further broken lines.", 0)]
    staged: Annotated[datetime, Doc("When the file was sent.")]
    finished: Annotated[datetime | None, Doc("When the import was done, or failed.")]
    problem: Annotated[str, Doc("Why it failed; empty if it did not.", "")]


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedImportsView(View):
    """The files of a user that workers import, or have imported lately; the oldest first."""

    imports: tuple[StagedImportView, ...]


def staged_import_view(file: StagedFile) -> StagedImportView:
    result = file.result
    return StagedImportView(
        id=file.id,
        name=file.name,
        lines=file.lines,
        done=result.lines,
        stored=result.stored,
        already=result.already,
        left_out=result.left_out,
        broken=tuple(BrokenLineView(number=number, why=why) for number, why in result.broken),
        more_broken=result.broken_lines - len(result.broken),
        staged=file.staged,
        finished=file.finished,
        problem=file.problem,
    )
