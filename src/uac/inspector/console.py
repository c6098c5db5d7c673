"""The compute console: charts that need no code, and code over the records with its result as a table and a plot."""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

from starlette.responses import Response

from uac.compute import Result
from uac.errors import CodeError, Refused, RunError
from uac.inspector.charts import Chart, code_of, drawn, read_chart, suggested, title_of, usable
from uac.inspector.frame import Page, View
from uac.inspector.highlight import lines_of
from uac.markup import Markup
from uac.memory import Memory
from uac.plots import Plot, bars, by_category, by_month, drawable, line, plot
from uac.project import Project
from uac.schema import GIVEN, Type
from uac.tables import Table, table

__all__ = ["PAGES", "help_for"]

LONGEST = 20_000  # characters of code
ROWS = 200  # of a table on the page
AROUND = 2  # lines shown around the one that failed

SHAPES = {
    "": "whatever suits",
    "line": "lines",
    "bars": "bars",
    "month": "sums by month",
    "category": "sums by category",
    "none": "no plot",
}
"""How a result may be drawn."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why there is no result: the message, the lines around the place, and what would help."""

    message: str
    line: int
    lines: tuple[tuple[int, Markup], ...]
    helps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What came of the code, ready to be shown."""

    result: Result | None
    table: Table | None
    plot: Plot | None
    wrong: Wrong | None


NOTHING = Shown(None, None, None, None)


def console(view: View) -> Response:
    """`?type=travel.Trip&by=month:start&value=cost` draws; `?code=…` only fills the form in: to run it, it is sent."""
    with view.memory() as memory:
        project = memory.project()
    type_, by = project.types.get(view.asked("type")), view.asked("by")
    if type_ is None or not by:
        return _page(view, project, type_, code=view.asked("code")[:LONGEST])
    try:
        chart = read_chart(project, type_.full_name, by, view.asked("value"), view.asked("apart"))
    except Refused as error:
        return _page(view, project, type_, problem=str(error), status=422)
    code = code_of(type_, chart)
    with view.memory() as memory:
        project = memory.project()
        shown = _run(memory, project, code, lambda _rows: drawn(project, chart))
    if shown.plot is None:  # the records are there, though the sandbox gave nothing
        shown = Shown(None, None, drawn(project, chart), shown.wrong)
    return _page(view, project, type_, code=code, chart=chart, shown=shown)


def run(view: View) -> Response:
    """Run the code that was sent."""
    code, shape = view.form.get("code", ""), view.form.get("shape", "")
    is_code = bool(code.strip()) and len(code) <= LONGEST
    with view.memory() as memory:
        project = memory.project()
        shown = _run(memory, project, code, lambda rows: _plotted(rows, shape)) if is_code else NOTHING
    if not is_code:
        problem = f"Write some code first, up to {LONGEST:,} characters."
        return _page(view, project, None, code=code[:LONGEST], problem=problem, status=422)
    return _page(view, project, None, code=code, shape=shape, shown=shown, status=422 if shown.wrong else 200)


def _run(memory: Memory, project: Project, code: str, draw: Callable[[Table], Plot | None]) -> Shown:
    try:
        result = memory.compute(code)
    except RunError as error:
        return Shown(None, None, None, _wrong(error, code, project))
    rows = table(result)
    return Shown(result, rows, draw(rows), None)


def _plotted(rows: Table, shape: str) -> Plot | None:
    """The rows drawn as asked, if that can be: with more than one row, and with numbers."""
    found = drawable(rows)
    day, number, name = (next(iter(names), None) for names in found)
    days = day or next((text for text in found.names if any(map(_is_month, rows.column(text)))), None)
    if shape == "none" or (not shape and (len(rows) < 2 or not found.numbers)):
        return None
    if shape == "month" and days:
        return by_month(rows, days, number, category=next((n for n in found.names if n != days), None))
    if shape == "category" and name:
        return by_category(rows, name, number)
    if shape == "line":
        return line(rows)
    return bars(rows) if shape == "bars" else plot(rows)


def _is_month(cell: object) -> bool:
    return isinstance(cell, str) and re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", cell, re.ASCII) is not None


def _page(
    view: View,
    project: Project,
    type_: Type | None,
    *,
    code: str = "",
    chart: Chart | None = None,
    shape: str = "",
    shown: Shown = NOTHING,
    problem: str = "",
    status: int = 200,
) -> Response:
    types = _filled(project)
    offers = [(one, [(each, title_of(one, each)) for each in suggested(one)]) for one in types]
    return view.show(
        "console.html",
        status=status,
        type=type_,
        usable=usable(type_) if type_ else None,
        offers=[offer for offer in offers if offer[1]],
        examples=[(one, _examples(one)) for one in types],
        chart=chart,
        title=title_of(type_, chart) if type_ and chart else "",
        code=code,
        shape=shape,
        shapes=SHAPES,
        shown=shown,
        plot=Markup(shown.plot.svg) if shown.plot else None,
        rows=Markup(shown.table.html(most=ROWS)) if shown.table else None,
        problem=problem,
    )


def _filled(project: Project) -> list[Type]:
    """The types that have records, the fullest first."""
    counts = {name: project.count(name) for name in project.types}
    return [project.types[name] for name in sorted(counts, key=lambda name: (-counts[name], name)) if counts[name]]


def _examples(type_: Type) -> list[str]:
    """Code to begin with: the records, and a question that suits the fields."""
    records = f"{type_.domain}.{type_.collected_as}"
    if type_.cardinality == "one":
        return [records]
    charts = suggested(type_)
    return [records, code_of(type_, charts[0]) if charts else f"len({records})"]


def _wrong(error: RunError, code: str, project: Project) -> Wrong:
    at = error.line if isinstance(error, CodeError) else 0
    coloured = lines_of("code.py", code)
    first = max(at - AROUND, 1)
    around = [(number, coloured[number - 1]) for number in range(first, min(at + AROUND, len(coloured)) + 1)]
    return Wrong(str(error), at, tuple(around) if at else (), tuple(help_for(str(error), project)))


def help_for(message: str, project: Project) -> list[str]:
    """What could have been meant, and what there is: as a compiler would say it."""
    found = re.search(r"(?:name|attribute) '(\w+)'", message)
    if found is None:
        return []
    wanted = found[1]
    collections = sorted(project.owners())
    fields = {part.name for type_ in project.types.values() for part in type_.fields}
    known = {*project.domains, *GIVEN, *fields, *(name.partition(".")[2] for name in collections)}
    near = difflib.get_close_matches(wanted, sorted(known), n=3, cutoff=0.6)
    whole = [name for name in collections if name.partition(".")[2] in (wanted, *near)]
    told = [f"Did you mean {' or '.join(whole or near)}?"] if whole or near else []
    if "name '" in message and not whole:
        standing = [f"{type_.domain}.{type_.collected_as}" for type_ in project.types.values()]
        told.append(f"There is: {', '.join(sorted(standing)) or 'no type yet'}.")
    return told


PAGES = (
    Page("/users/{user}/compute", console, title="Compute", letter="p", group="Asked"),
    Page("/users/{user}/compute", run, method="POST"),
)
