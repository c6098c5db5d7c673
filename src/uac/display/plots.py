"""Plots of the library's results: lines over time, bars by name, sums by month and by category.

Everything that `uac.display.table` accepts can be plotted. Amounts of different currencies are never added: each has
its own panel. Values that are not drawn are counted.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from operator import itemgetter
from typing import NamedTuple, TypeVar

from uac.display.axes import TimeScale, axis_number_text
from uac.display.svg_charts import COLOURS, Bars, ChartLine, Lines, Series, draw_bars, draw_columns, draw_lines
from uac.display.tables import Cell, Table, cell_text, number_of, table
from uac.errors import Refused
from uac.schema.periods import Period
from uac.schema.values import Money

__all__ = ["Drawable", "Plot", "bars", "by_category", "by_month", "drawable", "line", "plot", "plot_of"]

MOST_BARS = 30  # in one panel; the others are summed
MOST_MONTHS = 60  # for longer ranges, sums are by year
MOST_SERIES = len(COLOURS) - 1
LARGEST = 1e300  # larger numbers are not drawn
NOTHING = "—"  # the label of rows without a name
MONTH, YEAR = len("2024-03"), len("2024")

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True, repr=False)
class Plot:
    """A drawing. `told` describes it in words, `notes` say what is not drawn and why."""

    svg: str
    told: str
    notes: tuple[str, ...] = ()
    draw: Callable[[int], str] | None = field(default=None, compare=False)

    def drawn(self, width: int) -> str:
        """The same drawing for a place of this width in pixels: a phone, or a wide page."""
        return self.draw(width) if self.draw else self.svg

    def __repr__(self) -> str:
        return f"<Plot: {'; '.join([self.told, *self.notes])}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg


class Drawable(NamedTuple):
    """The columns of a table, by how they can be drawn."""

    times: tuple[str, ...]
    numbers: tuple[str, ...]
    names: tuple[str, ...]


def plot(source: object, *, title: str = "") -> Plot:
    """The most suitable plot: numbers over days as lines, else bars by name."""
    rows = table(source)
    return line(rows, title=title) if drawable(rows).times else bars(rows, title=title)


def plot_of(records: Table, *, when: str | None = None, value: str | None = None, category: str | None = None) -> Plot:
    """Records by month of the field `when`, or by category: sums of `value`, or counts."""
    if when is not None:
        return by_month(records, when, value, category=category)
    if category is not None:
        return by_category(records, category, value)
    if value is not None:
        raise Refused(f"plot of {value}: neither when nor category is given. Name the field to draw it by.")
    return plot(records)


def by_month(
    source: object, when: str, value: str | None = None, *, category: str | None = None, title: str = ""
) -> Plot:
    """Sums of a column by month, split by category and currency; without `value`, the number of rows.

    Months without rows are gaps. More than five years are summed by year.
    """
    rows = table(source)
    amounts, months = _plot_amounts(rows, value), [_plot_month(cell) for cell in _plot_column(rows, when)]
    complete = [
        _Item(month, name, amount)
        for month, name, amount in zip(months, _series_names(rows, category), amounts, strict=True)
        if month is not None and amount is not None
    ]
    spans, size = _month_labels({item.label for item in complete})
    items = [item for one in complete if (item := one._replace(label=one.label[:size])).label in spans]
    notes = [
        _not_drawn_note(months.count(None), f"without a month in {when}"),
        _not_drawn_note(len(rows) - months.count(None) - len(complete), f"without a number in {value}"),
        _not_drawn_note(len(complete) - len(items), f"before {spans[0]}" if spans else ""),
    ]
    ranked = _rank_series(item.name for item in items)
    panels = [_month_panel(unit, spans, ranked, chosen) for unit, chosen in _group_by_unit(items).items()]
    what = f"{value or 'rows'} by {'month' if size == MONTH else 'year'}{f' and {category}' if category else ''}"
    return _draw_plot(draw_columns, panels, what, title or rows.title, notes)


def by_category(source: object, category: str, value: str | None = None, *, title: str = "") -> Plot:
    """Sums of a column by the text of another, largest first; without `value`, the number of rows."""
    rows = table(source)
    amounts = _plot_amounts(rows, value)
    items = [
        _Item(name, "", one)
        for name, one in zip(_series_names(rows, category), amounts, strict=True)
        if one is not None
    ]
    panels = []
    for unit, chosen in _group_by_unit(items).items():
        sums = _sum_plot_amounts((item.label, item.amount.number) for item in chosen)
        panels.append(_bar_panel(unit, unit, sorted(sums.items(), key=_largest_bar_first)))
    notes = [_not_drawn_note(amounts.count(None), f"without a number in {value}")]
    return _draw_plot(draw_bars, panels, f"{value or 'rows'} by {category}", title or rows.title, notes)


def bars(
    source: object, label: str | None = None, values: str | Sequence[str] | None = None, *, title: str = ""
) -> Plot:
    """A bar for each row, in the order of the rows. Default columns: the first text and all numbers."""
    rows = table(source)
    columns = drawable(rows)
    named = label or next(iter([*columns.names, *columns.times]), None)
    chosen = _chosen_columns(values, columns.numbers)
    labels = _series_names(rows, named) if named else [str(place) for place in range(1, len(rows) + 1)]
    panels, notes = [], []
    for name in chosen:
        amounts = _plot_amounts(rows, name)
        notes.append(_not_drawn_note(amounts.count(None), f"without a number in {name}"))
        items = [_Item(text, "", one) for text, one in zip(labels, amounts, strict=True) if one is not None]
        panels += [
            _bar_panel(
                _plot_panel_heading(name, unit), unit, [(item.label, item.amount.number) for item in chosen_items]
            )
            for unit, chosen_items in _group_by_unit(items).items()
        ]
    return _draw_plot(
        draw_bars, panels, f"{_plotted_columns_text(chosen)} by {named or 'row'}", title or rows.title, notes
    )


def line(
    source: object,
    x: str | None = None,
    values: str | Sequence[str] | None = None,
    *,
    category: str | None = None,
    title: str = "",
) -> Plot:
    """Lines over days, moments or numbers. Default columns: the first of those and all other numbers."""
    rows = table(source)
    columns = drawable(rows)
    along = x or next(iter([*columns.times, *columns.numbers]), None)
    chosen = _chosen_columns(values, [name for name in columns.numbers if name != along])
    places = [_axis_position(cell) for cell in _plot_column(rows, along)] if along else [None] * len(rows)
    is_time = any(isinstance(place, datetime) for place in places)
    places = [place if isinstance(place, datetime) == is_time else None for place in places]
    names = _series_names(rows, category)
    ranked = _rank_series(names)
    panels, notes = [], [_not_drawn_note(places.count(None), f"without a place on {along}")]
    notes.append(_not_drawn_note(len(ranked[MOST_SERIES:]), f"of {category} with the fewest points", noun="line"))
    for name in chosen:
        amounts = _plot_amounts(rows, name)
        notes.append(_not_drawn_note(amounts.count(None), f"without a number in {name}"))
        panels += _line_panels(name, zip(places, amounts, names, strict=True), ranked[:MOST_SERIES])
    return _draw_plot(draw_lines, panels, f"{_plotted_columns_text(chosen)} over {along}", title or rows.title, notes)


def drawable(rows: Table) -> Drawable:
    """Which columns contain days or moments, which numbers, and which text; mixed columns count as text."""
    times, numbers, names = [], [], []
    for name in rows.columns:
        cells = [cell for cell in rows.column(name) if cell is not None]
        if cells and all(isinstance(cell, date) for cell in cells):
            times.append(name)
        elif cells and all(_plot_amount(cell) is not None for cell in cells):
            numbers.append(name)
        elif cells:
            names.append(name)
    return Drawable(tuple(times), tuple(numbers), tuple(names))


class _Amount(NamedTuple):
    number: Decimal
    unit: str


class _Item(NamedTuple):
    """One row to draw: its label, its series, and its amount."""

    label: str
    name: str
    amount: _Amount


ONE = _Amount(Decimal(1), "")


def _chosen_columns(values: str | Sequence[str] | None, otherwise: Sequence[str]) -> Sequence[str]:
    return otherwise if values is None else [values] if isinstance(values, str) else values


def _plot_amounts(rows: Table, value: str | None) -> list[_Amount | None]:
    """The contribution of each row: its number, or 1."""
    return [ONE] * len(rows) if value is None else [_plot_amount(cell) for cell in _plot_column(rows, value)]


def _plot_amount(cell: Cell) -> _Amount | None:
    if isinstance(cell, timedelta):
        return _Amount(Decimal(cell // timedelta(seconds=1)) / 3600, "hours")
    number = number_of(cell)
    if number is None or abs(number) > LARGEST:
        return None
    if isinstance(cell, Money):
        return _Amount(cell.amount, cell.currency)
    return _Amount(cell if isinstance(cell, Decimal) else Decimal(str(cell)), "")


def _plot_column(rows: Table, name: str) -> tuple[Cell, ...]:
    return rows.column(name) if rows else ()  # a table without rows does not know its columns


def _series_names(rows: Table, name: str | None) -> list[str]:
    """The text of each row in a column, or "" if there is no column."""
    return [""] * len(rows) if name is None else [cell_text(cell) or NOTHING for cell in _plot_column(rows, name)]


def _plot_month(cell: Cell) -> str | None:
    """'2024-03', from a day, a moment, or their text."""
    if isinstance(cell, date):
        return f"{cell.year:04d}-{cell.month:02d}"
    return cell[:MONTH] if isinstance(cell, str) and len(cell) >= MONTH and _plot_day(cell) is not None else None


def _axis_position(cell: Cell) -> datetime | Decimal | None:
    """The position of a cell on an axis: moments in UTC, days and months by their start."""
    if isinstance(cell, str):
        cell = _plot_day(cell)
    if isinstance(cell, datetime):
        is_near_the_end = not 1 < cell.year < MAXYEAR  # the moment in UTC may be out of range
        return cell.replace(tzinfo=UTC) if cell.tzinfo is None or is_near_the_end else cell.astimezone(UTC)
    if isinstance(cell, date):
        return datetime.combine(cell, time(), UTC)
    amount = _plot_amount(cell)
    return amount.number if amount else None


def _plot_day(text: str) -> date | None:
    try:
        return Period.on(text).first
    except ValueError:
        return None


def _month_labels(months: set[str]) -> tuple[list[str], int]:
    """All months from the first to the last, and how many characters name one; years if there are too many months."""
    if not months:
        return [], MONTH
    first, last = min(months), max(months)
    start, stop = (int(month[:4]) * 12 + int(month[5:]) - 1 for month in (first, last))
    if stop - start < MOST_MONTHS:
        return [f"{number // 12:04d}-{number % 12 + 1:02d}" for number in range(start, stop + 1)], MONTH
    if (stop - start) // 12 < MOST_MONTHS:
        return [f"{year:04d}" for year in range(start // 12, stop // 12 + 1)], YEAR
    return sorted({month[:YEAR] for month in months})[-MOST_MONTHS:], YEAR


def _group_by_unit(items: Iterable[_Item]) -> dict[str, list[_Item]]:
    by_unit: dict[str, list[_Item]] = {}
    for item in items:
        by_unit.setdefault(item.amount.unit, []).append(item)
    return dict(sorted(by_unit.items()))


def _month_panel(unit: str, labels: Sequence[str], ranked: Sequence[str], items: Sequence[_Item]) -> Bars:
    """A series for each name, the same in all panels; names beyond the available colours are summed."""
    coloured, rest = ranked[:MOST_SERIES], _plot_others_label(len(ranked[MOST_SERIES:]))
    sums = _sum_plot_amounts(
        ((item.name if item.name in coloured else None, item.label), item.amount.number) for item in items
    )
    named: list[tuple[str | None, str]] = [*((name, name) for name in coloured), *([(None, rest)] if rest else [])]
    series = (Series(heading, tuple(sums.get((name, label)) for label in labels)) for name, heading in named)
    return Bars(unit, unit, tuple(labels), tuple(series))


def _line_panels(
    column: str, rows: Iterable[tuple[datetime | Decimal | None, _Amount | None, str]], names: Sequence[str]
) -> list[Lines]:
    """A panel for each unit, with a line for each name."""
    points: dict[str, dict[str, list[tuple[datetime | Decimal, Decimal]]]] = {}
    for place, amount, name in rows:
        if place is not None and amount is not None and name in names:
            points.setdefault(amount.unit, {name: [] for name in names})[name].append((place, amount.number))
    return [
        Lines(
            _plot_panel_heading(column, unit),
            unit,
            tuple(ChartLine(name, tuple(sorted(line, key=itemgetter(0)))) for name, line in lines.items()),
        )
        for unit, lines in sorted(points.items())
    ]


def _bar_panel(heading: str, unit: str, pairs: Sequence[tuple[str, Decimal]]) -> Bars:
    """One series; rows beyond the maximum number of bars are summed."""
    drawn = list(pairs if len(pairs) <= MOST_BARS else pairs[: MOST_BARS - 1])
    left = pairs[len(drawn) :]
    if left:
        drawn.append((_plot_others_label(len(left)), sum((number for _label, number in left), Decimal(0))))
    series = Series("", tuple(number for _label, number in drawn))
    return Bars(heading, unit, tuple(label for label, _number in drawn), (series,))


def _sum_plot_amounts(pairs: Iterable[tuple[Key, Decimal]]) -> dict[Key, Decimal]:
    sums: dict[Key, Decimal] = {}
    for key, number in pairs:
        sums[key] = sums.get(key, Decimal(0)) + number
    return sums


def _rank_series(names: Iterable[str]) -> list[str]:
    """The names by number of rows, most first: amounts of different currencies could not be compared."""
    counts = Counter(names)
    return sorted(counts, key=lambda name: (-counts[name], name))


def _largest_bar_first(pair: tuple[str, Decimal]) -> tuple[Decimal, str]:
    return -abs(pair[1]), pair[0]


def _plot_others_label(count: int) -> str:
    return "" if count <= 0 else "1 other" if count == 1 else f"{count:,} others"


def _not_drawn_note(count: int, why: str, *, noun: str = "row") -> str:
    return "" if not count else f"not drawn: {count:,} {noun}{'' if count == 1 else 's'} {why}"


def _plot_panel_heading(name: str, unit: str) -> str:
    return f"{name}, {unit}" if unit else name


def _plotted_columns_text(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"


def _draw_plot(
    draw: Callable[..., str], panels: Sequence[Bars | Lines], what: str, title: str, notes: list[str]
) -> Plot:
    """The plot of panels, with a description; if there are none, the plot says so."""
    distinct = tuple(dict.fromkeys(filter(None, notes if panels else ["there is nothing to draw", *notes])))
    description = "; ".join([what, *filter(None, (_describe_plot_panel(panel) for panel in panels))])
    drawn = partial(draw, panels, title=title, description=description, notes=distinct)
    return Plot(drawn(), description, distinct, lambda width: drawn(width=width))


def _describe_plot_panel(panel: Bars | Lines) -> str:
    """The number of values in a panel, with the highest and the lowest."""
    if isinstance(panel, Bars):
        spots = [
            (": ".join(filter(None, [label, series.name])), value)
            for series in panel.series
            for label, value in zip(panel.labels, series.values, strict=True)
            if value is not None
        ]
    else:
        spots = [(TimeScale.text(where), value) for series in panel.series for where, value in series.points]
    low, high = min(spots, key=itemgetter(1)), max(spots, key=itemgetter(1))
    ends = [f"highest {high[0]}: {axis_number_text(high[1])}", f"lowest {low[0]}: {axis_number_text(low[1])}"]
    return ", ".join([*filter(None, [panel.heading]), f"{len(spots):,} value{'' if len(spots) == 1 else 's'}", *ends])
