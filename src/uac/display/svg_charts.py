"""Charts as SVG: columns over time, bars by name, lines. Pure: values in, text out, without styles.

Colours are presentation attributes that are legible on light and dark backgrounds; a page may override them by class
(`uac-1` …). Text has the colour of the page. Cut or small text is complete in a `title`, which is also the tooltip.
Lines also differ in their dashes and dots, and columns in their hatching, so that they can be told apart without
colour.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from uac.display.axes import AxisTick, Scale, axis_number_text, scale_of, time_scale
from uac.display.html import Markup, element, fragment
from uac.schema.safe_text import visible

__all__ = ["COLOURS", "Bars", "ChartLine", "Lines", "Panel", "Series", "draw_bars", "draw_columns", "draw_lines"]

COLOURS = ("#4477aa", "#c8553d", "#228833", "#9a7d0a", "#b4407f", "#3a8f9e", "#777777")
"""One for each series; the last is for the remainder."""

DASHES = ("", "8 4", "2 4", "12 4 2 4", "5 2", "16 5", "1 6")
"""The dashes of each line."""

HATCHES = ("", "/", "-", "\\", "|", "/\\", "-|")
"""The directions of the hatching of each series of columns or bars; the first is plain."""

HATCH_STEP = 6.0  # pixels between two lines of a hatching
WIDTH, RIGHT, LEFT, WIDE_LEFT = 640, 16, 72, 170
TALL = 180  # height of a panel with columns or lines
ROW = 20  # height of a bar
LINE = 18  # height of a line of text
LEGEND_SLOT = 148
DOTS = 60  # lines with at most this many points have dots
CHARACTER = 6.5  # approximate width in pixels


@dataclass(frozen=True, slots=True)
class Series:
    """One value for each label; None if it is missing."""

    name: str
    values: tuple[Decimal | None, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """Values by label, of one unit."""

    heading: str
    unit: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class ChartLine:
    """Points from left to right."""

    name: str
    points: tuple[tuple[datetime | Decimal, Decimal], ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of one unit; all over time, or all over numbers."""

    heading: str
    unit: str
    series: tuple[ChartLine, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a drawing with its own axes."""

    body: Markup
    height: float


def draw_columns(
    panels: Sequence[Bars], *, title: str, description: str, notes: Sequence[str], width: int = WIDTH
) -> str:
    """Columns side by side, as for months."""
    return _svg_drawing([_column_panel(panel, width) for panel in panels], title, description, notes, width)


def draw_bars(panels: Sequence[Bars], *, title: str, description: str, notes: Sequence[str], width: int = WIDTH) -> str:
    """Horizontal bars, with room for long names."""
    return _svg_drawing([_bar_panel(panel, width) for panel in panels], title, description, notes, width)


def draw_lines(
    panels: Sequence[Lines], *, title: str, description: str, notes: Sequence[str], width: int = WIDTH
) -> str:
    """Lines over time or over numbers."""
    return _svg_drawing([_line_panel(panel, width) for panel in panels], title, description, notes, width)


def _svg_drawing(panels: Sequence[Panel], title: str, description: str, notes: Sequence[str], width: int) -> str:
    """The whole drawing: title, panels from top to bottom, and notes."""
    top = float(LINE + 6) if title else 4.0
    parts = [_svg_text(title, 8, LINE - 4, font_size=14, font_weight="bold", most=width // 8)] if title else []
    for panel in panels:
        parts.append(element("g", panel.body, transform=f"translate(0 {top:g})"))
        top += panel.height
    for note in notes:
        parts.append(_svg_text(note, 8, top + LINE - 4, opacity=0.8, most=int(width / 6.6)))
        top += LINE
    height = f"{top + 6:g}"
    drawing = element(
        "svg",
        element("title", title or description),
        element("desc", "; ".join([description, *notes])),
        element("g", *parts, font_family="sans-serif", font_size=12, fill="currentColor"),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        class_="uac-plot",
    )
    return drawing.text


def _column_panel(panel: Bars, width: int) -> Panel:
    legend, top = _panel_head(panel.heading, _legend_names(panel.series), width)
    scale = scale_of([0, *_bar_values(panel)])
    slot = (width - LEFT - RIGHT) / max(len(panel.labels), 1)
    wide = slot * 0.8 / max(len(panel.series), 1)
    zero = top + TALL * (1 - scale.share(Decimal(0)))
    shapes = [
        _hatched_rect(
            number,
            LEFT + slot * (place + 0.1) + wide * number,
            min(zero, top + TALL * (1 - scale.share(value))),
            max(wide - 1, 0.5),
            abs(top + TALL * (1 - scale.share(value)) - zero),
            tooltip=_chart_tooltip(label, series.name, value, panel.unit),
        )
        for number, series in enumerate(panel.series)
        for place, (label, value) in enumerate(zip(panel.labels, series.values, strict=True))
        if value is not None
    ]
    every = -(-len(panel.labels) // max((width - LEFT - RIGHT) // 55, 1))
    below = [
        _svg_text(
            label, LEFT + slot * (place + 0.5), top + TALL + LINE - 2, text_anchor="middle", most=int(slot * every // 6)
        )
        for place, label in enumerate(panel.labels)
        if place % every == 0
    ]
    return Panel(fragment(*legend, *_grid_lines(scale, top, width), *shapes, *below), top + TALL + LINE + 6)


def _bar_panel(panel: Bars, width: int) -> Panel:
    legend, top = _panel_head(panel.heading, _legend_names(panel.series), width)
    left = min(WIDE_LEFT, width * 3 // 10)
    scale = scale_of([0, *_bar_values(panel)])
    across = width - left - RIGHT - 60  # room for the value after its bar
    zero = left + across * scale.share(Decimal(0))
    parts: list[Markup] = []
    for place, label in enumerate(panel.labels):
        middle = top + ROW * (place + 0.5)
        parts.append(_svg_text(label, left - 8, middle + 4, text_anchor="end", most=int((left - 12) // CHARACTER)))
        thick = (ROW - 4) / max(len(panel.series), 1)
        for number, series in enumerate(panel.series):
            value = series.values[place]
            if value is None:
                continue
            end = left + across * scale.share(value)
            tooltip, y = _chart_tooltip(label, series.name, value, panel.unit), middle - (ROW - 4) / 2 + thick * number
            parts.append(_hatched_rect(number, min(zero, end), y, abs(end - zero), thick, tooltip=tooltip))
            if len(panel.series) == 1:
                parts.append(_svg_text(axis_number_text(value), max(end, zero) + 6, middle + 4, most=12))
    bottom = top + ROW * len(panel.labels)
    axis = element("line", x1=zero, x2=zero, y1=top, y2=bottom, stroke="currentColor", class_="uac-axis")
    return Panel(fragment(*legend, *parts, axis), bottom + 8)


def _line_panel(panel: Lines, width: int) -> Panel:
    legend, top = _panel_head(panel.heading, _legend_names(panel.series), width, are_lines=True)
    scale = scale_of([value for series in panel.series for _where, value in series.points])
    along = time_scale([where for series in panel.series for where, _value in series.points])
    across = width - LEFT - RIGHT
    parts: list[Markup] = []
    for number, series in enumerate(panel.series):
        colour = _series_colour(number)
        spots = [
            (LEFT + across * along.share(where), top + TALL * (1 - scale.share(value)))
            for where, value in series.points
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in _thin_points(spots))
        parts.append(element("polyline", points=path, fill="none", **_line_stroke(number)))
        if len(spots) <= DOTS:
            parts += [
                element(
                    "circle",
                    element("title", _chart_tooltip(along.text(where), series.name, value, panel.unit)),
                    cx=x,
                    cy=y,
                    r=3,
                    **(_hollow_dot(number) if number % 2 else colour),
                )
                for (x, y), (where, value) in zip(spots, series.points, strict=True)
            ]
    below = [
        _svg_text(tick.label, LEFT + across * tick.share, top + TALL + LINE - 2, text_anchor="middle", most=16)
        for tick in _spaced_ticks(along.ticks, across)
    ]
    return Panel(fragment(*legend, *_grid_lines(scale, top, width), *parts, *below), top + TALL + LINE + 6)


def _spaced_ticks(ticks: Sequence[AxisTick], across: float) -> Sequence[AxisTick]:
    """As many of the ticks as have room for their labels."""
    widest = max((len(tick.label) for tick in ticks), default=0) * CHARACTER + 12
    return ticks[:: max(int(-(-len(ticks) * widest // across)), 1)]


def _thin_points(spots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The first, lowest, highest and last point of each column of pixels: the line looks the same."""
    if len(spots) <= 4 * WIDTH:
        return list(spots)
    columns: dict[int, list[tuple[float, float]]] = {}
    for spot in spots:
        columns.setdefault(round(spot[0]), []).append(spot)
    thinned: list[tuple[float, float]] = []
    for column in columns.values():
        ends = {column[0], column[-1], min(column, key=_point_height), max(column, key=_point_height)}
        thinned += sorted(ends)
    return thinned


def _point_height(spot: tuple[float, float]) -> float:
    return spot[1]


def _legend_names(series: Iterable[Series | ChartLine]) -> list[str]:
    """The names for the legend; "" for a series without values in this panel."""
    return [
        one.name if any(value is not None for value in (one.values if isinstance(one, Series) else one.points)) else ""
        for one in series
    ]


def _panel_head(
    heading: str, names: Sequence[str], width: int, *, are_lines: bool = False
) -> tuple[list[Markup], float]:
    """The heading and the names of the series, and where the panel continues below them."""
    parts = [_svg_text(heading, 8, LINE - 4, font_weight="bold", most=80)] if heading else []
    top = float(LINE if heading else 4)
    named = [(number, name) for number, name in enumerate(names) if name]
    row, mark = max((width - 8) // LEGEND_SLOT, 1), 24 if are_lines else 16
    for place, (number, name) in enumerate(named):
        x, y = 8 + LEGEND_SLOT * (place % row), top + LINE * (place // row)
        if are_lines:
            parts.append(element("line", x1=x, x2=x + mark, y1=y + 8, y2=y + 8, **_line_stroke(number)))
        else:
            parts.append(_hatched_rect(number, x, y + 2, mark, 12))
        parts.append(_svg_text(name, x + mark + 5, y + 12, most=17 if are_lines else 18))
    return parts, top + LINE * -(-len(named) // row) + 8


def _grid_lines(scale: Scale, top: float, width: int) -> list[Markup]:
    """Horizontal grid lines with their numbers; the zero line is stronger."""
    parts: list[Markup] = []
    for tick in scale.ticks:
        y = top + TALL * (1 - tick.share)
        strength = 0.9 if tick.label == "0" else 0.2
        parts.append(
            element(
                "line",
                x1=LEFT,
                x2=width - RIGHT,
                y1=y,
                y2=y,
                stroke="currentColor",
                stroke_opacity=strength,
                class_="uac-grid",
            )
        )
        parts.append(_svg_text(tick.label, LEFT - 6, y + 4, text_anchor="end", most=11))
    return parts


def _svg_text(text: str, x: float, y: float, *, most: int, **attributes: str | float) -> Markup:
    """Text at a position. Text longer than `most` characters is cut, and complete in its title."""
    line = " ".join(visible(text, lines=True).split())
    if len(line) <= most:
        return element("text", text if line == text else line, x=x, y=y, **attributes)
    return element("text", f"{line[: max(most - 1, 1)]}…", element("title", text), x=x, y=y, **attributes)


def _hatched_rect(number: int, x: float, y: float, width: float, height: float, *, tooltip: str = "") -> Markup:
    """A rectangle in the colour of its series, under its hatching, which the pointer does not meet."""
    title = [element("title", tooltip)] if tooltip else []
    rect = element("rect", *title, x=x, y=y, width=width, height=height, **_series_colour(number))
    directions = HATCHES[number % len(HATCHES)]
    lines = " ".join(line for direction in directions for line in _hatch_lines(direction, x, y, width, height))
    if not lines:
        return rect
    stroke: dict[str, str | float] = {"stroke": "currentColor", "stroke_opacity": 0.55, "pointer_events": "none"}
    return fragment(rect, element("path", d=lines, fill="none", **stroke))


def _hatch_lines(direction: str, x: float, y: float, width: float, height: float) -> Iterator[str]:
    """The lines of one direction inside a rectangle, as parts of a path; the first is half a step from its edge."""
    reach = {"|": width, "-": height}.get(direction, width + height)
    for number in range(int((reach + HATCH_STEP / 2) / HATCH_STEP)):
        at = HATCH_STEP * (number + 0.5)
        if direction == "|":
            ends = (at, 0.0, at, height)
        elif direction == "-":
            ends = (0.0, at, width, at)
        else:  # from the left or upper edge down to the lower or right one; mirrored for the other diagonal
            left, right = max(at - height, 0.0), min(at, width)
            ends = (left, at - left, right, at - right)
            if direction == "\\":
                ends = (width - left, at - left, width - right, at - right)
        yield f"M{x + ends[0]:.1f} {y + ends[1]:.1f}L{x + ends[2]:.1f} {y + ends[3]:.1f}"


def _series_colour(number: int) -> dict[str, str]:
    place = number % len(COLOURS)
    return {"fill": COLOURS[place], "class_": f"uac-{place + 1}"}


def _line_stroke(number: int) -> dict[str, str | float]:
    """Earlier lines are wider and later ones dashed, so that lines that cover each other are all seen."""
    place = number % len(COLOURS)
    dashes = {"stroke_dasharray": DASHES[place]} if DASHES[place] else {}
    width = max(3.5 - 0.5 * place, 1.5)
    return {"stroke": COLOURS[place], "stroke_width": width, "class_": f"uac-{place + 1}", **dashes}


def _hollow_dot(number: int) -> dict[str, str | float]:
    place = number % len(COLOURS)
    return {"fill": "none", "stroke": COLOURS[place], "stroke_width": 1.5, "class_": f"uac-{place + 1} uac-hollow"}


def _chart_tooltip(label: str, series: str, value: Decimal, unit: str) -> str:
    amount = f"{axis_number_text(value)} {unit}".rstrip()
    return ": ".join(part for part in (label, series, amount) if part)


def _bar_values(panel: Bars) -> Iterable[Decimal]:
    return (value for series in panel.series for value in series.values if value is not None)
