"""The figures of a chart: the code that computes them, as a starting point, and the drawing."""

from datetime import date, datetime

from uac.display.plots import Plot, by_category, by_month, line
from uac.display.tables import Cell, Table, record_table
from uac.interfaces.inspector.chart_form import Chart, chart_title, has_direction
from uac.project.project import Project
from uac.schema.types import Type, field_types
from uac.schema.values import Money

__all__ = ["chart_code", "draw_chart"]


def chart_code(type_: Type, chart: Chart) -> str:
    """The code that computes the figures of a chart."""
    records = f"{type_.domain}.{type_.collected_as}"
    conditions = _code_conditions(type_, chart)
    those = f"[one for one in {records} if {' and '.join(conditions)}]" if conditions else records
    if chart.shape == "line":
        names = [chart.by, chart.value, *([chart.apart] if chart.apart else [])]
        figures = {chart.value: f"abs(one.{chart.value})"} if chart.flow else {}
        row = ", ".join(f"{name!r}: {figures.get(name, f'one.{name}')}" for name in names)
        return f"[{{{row}}} for one in {those}]"
    if chart.shape == "total":
        return _code_figure(type_, chart, those)
    key = f"month_of(one.{chart.by})" if chart.shape == "month" else f"one.{chart.by}"
    if chart.apart:
        figure = _code_figure(type_, chart, "groups[month, name]")
        columns = f"**{figure}" if _is_chart_of_money(type_, chart) else f'"{_figure_name(type_, chart)}": {figure}'
        return (
            f"groups = group_by({those}, lambda one: ({key}, one.{chart.apart}))\n"
            f'[{{"month": month, "{chart.apart}": name, {columns}}} for month, name in sorted(groups, key=str)]'
        )
    name = "month" if chart.shape == "month" else "name"
    items = "sorted(groups.items())" if name == "month" else "groups.items()"
    groups = f"group_by({those}, lambda one: {key})"
    return f"groups = {groups}\n{{{name}: {_code_figure(type_, chart, 'ones')} for {name}, ones in {items}}}"


def draw_chart(project: Project, chart: Chart) -> Plot | None:
    """The plot over all active records that the chart is about; one figure is not drawn."""
    rows, type_ = _chart_rows(project, chart), project.types[chart.type]
    title, value, apart = chart_title(type_, chart), chart.value or None, chart.apart or None
    match chart.shape:
        case "month":
            return by_month(rows, chart.by, value, category=apart, title=title)
        case "line":
            return line(rows, chart.by, value, category=apart, title=title)
        case "category":
            return by_category(rows, chart.by, value, title=title)
        case "total":
            return None


def _code_conditions(type_: Type, chart: Chart) -> list[str]:
    """Which records count: those with a group, with money in the direction, and with a day in the period."""
    kinds = field_types(type_)
    value, when = f"one.{chart.value}", f"one.{chart.when}"
    conditions = [f"one.{chart.by}"] if chart.by and kinds[chart.by].optional and chart.shape != "line" else []
    if chart.flow:
        conditions += [value] if kinds[chart.value].optional else []
        sign = "<" if chart.flow == "spent" else ">"
        is_direction = "!=" if chart.flow == "spent" else "=="
        conditions.append(f'one.direction {is_direction} "in"' if has_direction(type_) else f"{value}.amount {sign} 0")
    if chart.when and (chart.since or chart.until):
        day = f"{when}.date()" if kinds[chart.when].kind == "datetime" else when
        conditions += [when] if kinds[chart.when].optional and f"one.{chart.when}" not in conditions else []
        first = f"{_code_date(chart.since)} <= " if chart.since else ""
        conditions.append(f"{first}{day}" + (f" <= {_code_date(chart.until)}" if chart.until else ""))
    return conditions


def _code_date(day: date) -> str:
    return f"date({day.year}, {day.month}, {day.day})"


def _code_figure(type_: Type, chart: Chart, ones: str) -> str:
    if not chart.value:
        return f"len({ones})"
    kind, value = field_types(type_)[chart.value].kind, f"one.{chart.value}"
    if kind == "Money":
        return f"total({f'abs({value})' if chart.flow else value} for one in {ones})"
    if kind == "timedelta":
        return f"sum(({value} for one in {ones} if {value} is not None), timedelta())"
    return f"sum({value} for one in {ones} if {value} is not None)"


def _is_chart_of_money(type_: Type, chart: Chart) -> bool:
    return bool(chart.value) and field_types(type_)[chart.value].kind == "Money"


def _figure_name(type_: Type, chart: Chart) -> str:
    return chart.value or type_.collected_as


def _chart_rows(project: Project, chart: Chart) -> Table:
    """The rows that the chart is about; money that was spent or received is positive."""
    table = record_table(project, chart.type)
    if not table.rows or not (chart.flow or chart.since or chart.until):
        return table
    columns = {name: place for place, name in enumerate(table.columns)}
    by_direction = has_direction(project.types[chart.type])
    rows = [row for row in table.rows if _is_in_chart(row, columns, chart, by_direction=by_direction)]
    if chart.flow:
        place = columns[chart.value]
        rows = [(*row[:place], _positive_money(row[place]), *row[place + 1 :]) for row in rows]
    return Table(table.columns, tuple(rows), table.title)


def _is_in_chart(row: tuple[Cell, ...], columns: dict[str, int], chart: Chart, *, by_direction: bool) -> bool:
    if chart.flow:
        money = row[columns[chart.value]]
        if not isinstance(money, Money):
            return False
        is_in = row[columns["direction"]] == "in" if by_direction else money.amount > 0
        if is_in != (chart.flow == "received") or not (by_direction or money.amount):
            return False
    if not (chart.since or chart.until):
        return True
    cell = row[columns[chart.when]] if chart.when in columns else None
    day = cell.date() if isinstance(cell, datetime) else cell
    if not isinstance(day, date):
        return False
    return (chart.since is None or chart.since <= day) and (chart.until is None or day <= chart.until)


def _positive_money(cell: Cell) -> Cell:
    return Money(abs(cell.amount), cell.currency) if isinstance(cell, Money) else cell
