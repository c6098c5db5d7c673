"""Imports: what became of the lines of a file."""

from dataclasses import dataclass
from typing import Annotated

from uac.importing.plan import Column
from uac.interfaces.views.alerts import AlertUpdateView
from uac.interfaces.views.view import Doc, View, build_view

__all__ = ["BrokenLineView", "ColumnView", "ImportView", "column_view"]


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
