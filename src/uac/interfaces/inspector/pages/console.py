"""The compute console: charts that need no code, and code over the records with its result as a table and a plot."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from operator import itemgetter

from msgspec import structs
from starlette.responses import Response

from uac.display.html import Markup
from uac.display.plots import Plot, bars, by_category, by_month, drawable, line, plot
from uac.display.tables import Table, number_of, table
from uac.errors import CodeError, Refused, RunError
from uac.interfaces.inspector.chart_figures import chart_code, draw_chart
from uac.interfaces.inspector.chart_form import (
    Chart,
    Flow,
    chart_field_label,
    chart_flow,
    chart_period,
    chart_title,
    chartable_fields,
    is_chart_noun,
    read_chart,
    suggested_form_charts,
)
from uac.interfaces.inspector.highlight import highlighted_lines
from uac.interfaces.inspector.page import Page, PageView
from uac.memory.memory import Memory
from uac.project.clocks import Clocks
from uac.project.project import Project, Record
from uac.sandbox.compute import Result
from uac.sandbox.error_hints import name_hint
from uac.schema.types import Type

__all__ = ["PAGES"]

LONGEST = 20_000  # characters of code
ROWS = 200  # rows of a table on the page
AROUND = 2  # lines shown around the one that failed
FIRST_QUESTIONS = 6  # shown at once; the others are folded
YEARS = 12  # offered as periods

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


@dataclass(frozen=True, slots=True)
class Question:
    """A question that needs no code, in words, and the code that answers it."""

    chart: Chart
    title: str
    code: str


NOTHING = ConsoleResult(None, None, None, None)


def console_page(view: PageView) -> Response:
    """`?type=travel.Trip&value=cost&by=month:start&period=2025` draws; `?code=…` only fills in the form.

    With a type alone, its most suitable chart is drawn. `&of=` is the type that the other choices were made for: if
    it is another one, they are left out. `&valid=2026-03-01&told=2026-03-01&known=120` asks on other clocks.
    """
    with view.memory() as memory:
        project, today = memory.project_at(view.clocks()), memory.log.now().date()
    type_ = project.types.get(view.query("type"))
    if type_ is None:
        return _render_console(view, project, None, code=view.query("code")[:LONGEST])
    try:
        chart = _read_console_chart(view, project, type_, today)
    except Refused as error:
        return _render_console(view, project, type_, problem=str(error), status=422)
    code = chart_code(type_, chart)
    with view.memory() as memory:
        project = memory.project_at(view.clocks())
        result = _run_code(memory, code, view.clocks(), lambda _rows: draw_chart(project, chart))
    if result.plot is None:  # the records exist, although the sandbox gave no result
        result = replace(result, plot=draw_chart(project, chart))
    if chart.shape == "category" and result.table is not None:
        result = replace(result, table=_largest_first(result.table))
    return _render_console(view, project, type_, code=code, chart=chart, result=result)


def _read_console_chart(view: PageView, project: Project, type_: Type, today: date) -> Chart:
    is_chosen = view.query("of", type_.full_name) == type_.full_name and bool(view.query("by"))
    if is_chosen:
        chart = read_chart(project, type_.full_name, view.query("by"), view.query("value"), view.query("apart"))
    else:
        offered = _console_charts(project, type_)
        chart = offered[0] if offered else Chart(type_.full_name, "total")
    if chart_flow(type_, chart.value, list(project.tables[type_.full_name].values())) == ("spent",):
        chart = replace(chart, flow="spent")  # all amounts are negative: nobody spends less than nothing
    times = chartable_fields(type_).times
    since, until = chart_period(view.query("period"), view.query("since"), view.query("until"), today)
    if not times or not (since or until):
        return chart
    return replace(chart, when=chart.by if chart.by in times else times[0], since=since, until=until)


def _largest_first(rows: Table) -> Table:
    """The rows by their last number, as the bars are drawn."""
    ordered = sorted(rows.rows, key=lambda row: -abs(number_of(row[-1]) or 0.0))
    return Table(rows.columns, tuple(ordered), rows.title)


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
    charts = [(one, each) for one in types for each in _console_charts(project, one)]
    questions = [Question(each, chart_title(one, each), chart_code(one, each)) for one, each in _by_turns(charts)]
    form_type = type_ or (charts[0][0] if charts else None)
    return view.render_template(
        "console.html",
        status=status,
        type=form_type,
        types=types,
        usable=chartable_fields(form_type) if form_type else None,
        measures=_console_measures(project, form_type) if form_type else [],
        years=_console_years(project, form_type) if form_type else [],
        worded=chart_field_label,
        reads_well=is_chart_noun,
        questions=questions[:FIRST_QUESTIONS],
        more_questions=questions[FIRST_QUESTIONS:],
        chart=chart,
        title=chart_title(type_, chart) if type_ and chart else "",
        code=code,
        shape=shape,
        shapes=SHAPES,
        shown=result,
        plot=result.plot,
        rows=Markup(result.table.html(most=ROWS)) if result.table else None,
        problem=problem,
    )


def _console_types(project: Project) -> list[Type]:
    """The types that have records, most records first."""
    counts = {name: project.count(name) for name in project.types}
    return [project.types[name] for name in sorted(counts, key=lambda name: (-counts[name], name)) if counts[name]]


def _console_charts(project: Project, type_: Type) -> list[Chart]:
    """The suitable charts for the type, of fields that have values, and of categories that several records share."""
    records = list(project.tables[type_.full_name].values())
    filled = [part for part in type_.fields if any(record.values.get(part.name) is not None for record in records)]
    known = structs.replace(type_, fields=tuple(filled))
    charts: list[Chart] = []
    for chart in suggested_form_charts(known):
        flows = chart_flow(known, chart.value, records)
        flow: Flow = chart.flow or ("spent" if flows else "")  # negative amounts are money spent
        if flow == "received" and not any(record.values.get("direction") == "in" for record in records):
            continue
        if chart.shape == "category" and not _is_shared(records, chart.by):
            continue
        charts.append(replace(chart, flow=flow))
    return sorted(charts, key=lambda chart: not (chart.flow == "spent" and chart.shape == "category"))


def _is_shared(records: Sequence[Record], field: str) -> bool:
    """Whether the values of a field make groups: there are several, and not one for each record."""
    values = [value for record in records if (value := record.values.get(field)) is not None]
    return 1 < len(set(values)) < len(values)


def _by_turns(charts: Sequence[tuple[Type, Chart]]) -> list[tuple[Type, Chart]]:
    """The first chart of each type, then the second of each: so that few questions show many types."""
    turns: Counter[str] = Counter()
    ranked = []
    for type_, chart in charts:
        ranked.append((turns[chart.type], type_, chart))
        turns[chart.type] += 1
    return [(type_, chart) for _turn, type_, chart in sorted(ranked, key=itemgetter(0))]


def _console_measures(project: Project, type_: Type) -> list[tuple[str, str]]:
    """What can be shown of a type: the parameter, and its words."""
    records = list(project.tables[type_.full_name].values())
    measures = [("", "how many")]
    for name in chartable_fields(type_).numbers:
        flows = chart_flow(type_, name, records)
        label = chart_field_label(name)
        words = {"spent": "money spent", "received": "money received"}
        measures += [(f"{flow}:{name}", f"{words[flow]} ({label})") for flow in flows]
        if flows != ("spent",):
            measures.append((name, f"{label}, in and out" if flows else label))
    return measures


def _console_years(project: Project, type_: Type) -> list[int]:
    """The years in which records of the type have a day, latest first."""
    times = chartable_fields(type_).times
    cells = (record.values.get(name) for record in project.tables[type_.full_name].values() for name in times)
    return sorted({cell.year for cell in cells if isinstance(cell, date)}, reverse=True)[:YEARS]


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
