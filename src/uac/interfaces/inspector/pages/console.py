"""The compute console: charts that need no code, and code over the records with its result as a table and a plot."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from msgspec import structs
from starlette.responses import Response

from uac.display.html import Markup
from uac.display.plots import Plot, bars, by_category, by_month, drawable, line, plot
from uac.display.tables import Table, table
from uac.errors import CodeError, Refused, RunError
from uac.interfaces.inspector.chart_form import (
    Chart,
    chart_code,
    chart_field_label,
    chart_title,
    chartable_fields,
    draw_chart,
    is_chart_noun,
    read_chart,
    suggested_form_charts,
)
from uac.interfaces.inspector.highlight import highlighted_lines
from uac.interfaces.inspector.page import Page, PageView
from uac.memory.memory import Memory
from uac.project.clocks import Clocks
from uac.project.project import Project
from uac.sandbox.compute import Result
from uac.sandbox.error_hints import name_hint
from uac.schema.types import Type

__all__ = ["PAGES"]

LONGEST = 20_000  # characters of code
ROWS = 200  # rows of a table on the page
AROUND = 2  # lines shown around the one that failed

SHAPES = {
    "": "whatever suits",
    "line": "lines",
    "bars": "bars",
    "month": "sums by month",
    "category": "sums by category",
    "none": "no plot",
}
"""The ways to draw a result."""


@dataclass(frozen=True, slots=True)
class ConsoleFailure:
    """Why there is no result: the message, a suggestion, and the lines around the error."""

    message: str
    hint: str
    line: int
    lines: tuple[tuple[int, Markup], ...]


@dataclass(frozen=True, slots=True)
class ConsoleResult:
    """The result of the code, ready to be shown."""

    result: Result | None
    table: Table | None
    plot: Plot | None
    wrong: ConsoleFailure | None


NOTHING = ConsoleResult(None, None, None, None)


def console_page(view: PageView) -> Response:
    """`?type=travel.Trip&by=month:start&value=cost` draws; `?code=…` only fills in the form; submitting runs it.

    `&valid=2026-03-01&told=2026-03-01&known=120` does so on other clocks.
    """
    with view.memory() as memory:
        project = memory.project_at(view.clocks())
    type_, by = project.types.get(view.query("type")), view.query("by")
    if type_ is None or not by:
        return _render_console(view, project, type_, code=view.query("code")[:LONGEST])
    try:
        chart = read_chart(project, type_.full_name, by, view.query("value"), view.query("apart"))
    except Refused as error:
        return _render_console(view, project, type_, problem=str(error), status=422)
    code = chart_code(type_, chart)
    with view.memory() as memory:
        project = memory.project_at(view.clocks())
        result = _run_code(memory, code, view.clocks(), lambda _rows: draw_chart(project, chart))
    if result.plot is None:  # the records exist, although the sandbox gave no result
        result = ConsoleResult(None, None, draw_chart(project, chart), result.wrong)
    return _render_console(view, project, type_, code=code, chart=chart, result=result)


def run_submitted_code(view: PageView) -> Response:
    """Run the submitted code."""
    code, shape = view.form.get("code", ""), view.form.get("shape", "")
    is_code = bool(code.strip()) and len(code) <= LONGEST
    with view.memory() as memory:
        project, clocks = memory.project_at(view.clocks()), view.clocks()
        result = _run_code(memory, code, clocks, lambda rows: _plot_console_rows(rows, shape)) if is_code else NOTHING
    if not is_code:
        problem = f"Write some code first, up to {LONGEST:,} characters."
        return _render_console(view, project, None, code=code[:LONGEST], problem=problem, status=422)
    return _render_console(
        view, project, None, code=code, shape=shape, result=result, status=422 if result.wrong else 200
    )


def _run_code(memory: Memory, code: str, clocks: Clocks, draw: Callable[[Table], Plot | None]) -> ConsoleResult:
    try:
        result = memory.compute(code, clocks=clocks)
    except RunError as error:
        return ConsoleResult(None, None, None, _console_failure(error, code, memory.project_at(clocks)))
    except Refused as error:  # it reads what was not known yet
        return ConsoleResult(None, None, None, ConsoleFailure(str(error), "", 0, ()))
    rows = table(result)
    return ConsoleResult(result, rows, draw(rows), None)


def _plot_console_rows(rows: Table, shape: str) -> Plot | None:
    """The rows drawn in the chosen way, if possible: there must be several rows, and numbers."""
    columns = drawable(rows)
    day, number, name = (next(iter(names), None) for names in columns)
    days = day or next((text for text in columns.names if any(map(_is_console_month, rows.column(text)))), None)
    if shape == "none" or (not shape and (len(rows) < 2 or not columns.numbers)):
        return None
    if shape == "month" and days:
        return by_month(rows, days, number, category=next((n for n in columns.names if n != days), None))
    if shape == "category" and name:
        return by_category(rows, name, number)
    if shape == "line":
        return line(rows)
    return bars(rows) if shape == "bars" else plot(rows)


def _is_console_month(cell: object) -> bool:
    return isinstance(cell, str) and re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", cell, re.ASCII) is not None


def _render_console(
    view: PageView,
    project: Project,
    type_: Type | None,
    *,
    code: str = "",
    chart: Chart | None = None,
    shape: str = "",
    result: ConsoleResult = NOTHING,
    problem: str = "",
    status: int = 200,
) -> Response:
    types = _console_types(project)
    offers = [(one, [(each, chart_title(one, each)) for each in _console_charts(project, one)]) for one in types]
    return view.render_template(
        "console.html",
        status=status,
        type=type_,
        usable=chartable_fields(type_) if type_ else None,
        worded=chart_field_label,
        reads_well=is_chart_noun,
        offers=[offer for offer in offers if offer[1]],
        examples=[(one, _console_examples(project, one)) for one in types],
        chart=chart,
        title=chart_title(type_, chart) if type_ and chart else "",
        code=code,
        shape=shape,
        shapes=SHAPES,
        shown=result,
        plot=Markup(result.plot.svg) if result.plot else None,
        rows=Markup(result.table.html(most=ROWS)) if result.table else None,
        problem=problem,
    )


def _console_types(project: Project) -> list[Type]:
    """The types that have records, most records first."""
    counts = {name: project.count(name) for name in project.types}
    return [project.types[name] for name in sorted(counts, key=lambda name: (-counts[name], name)) if counts[name]]


def _console_charts(project: Project, type_: Type) -> list[Chart]:
    """The suitable charts for the type, of fields that have values."""
    records = project.tables[type_.full_name].values()
    filled = [part for part in type_.fields if any(record.values.get(part.name) is not None for record in records)]
    return suggested_form_charts(structs.replace(type_, fields=tuple(filled)))


def _console_examples(project: Project, type_: Type) -> list[str]:
    """Code to start from: the records, and a question that suits the fields."""
    records = f"{type_.domain}.{type_.collected_as}"
    if type_.cardinality == "one":
        return [records]
    charts = _console_charts(project, type_)
    return [records, chart_code(type_, charts[0]) if charts else f"len({records})"]


def _console_failure(error: RunError, code: str, project: Project) -> ConsoleFailure:
    at = error.line if isinstance(error, CodeError) else 0
    coloured = highlighted_lines("code.py", code)
    first = max(at - AROUND, 1)
    around = [(number, coloured[number - 1]) for number in range(first, min(at + AROUND, len(coloured)) + 1)]
    helped = name_hint(str(error), project)
    return ConsoleFailure(str(error).removesuffix(f". {helped}"), helped, at, tuple(around) if at else ())


PAGES = (
    Page("/users/{user}/compute", console_page, title="Compute", letter="p", group="Asked"),
    Page("/users/{user}/compute", run_submitted_code, method="POST"),
)
