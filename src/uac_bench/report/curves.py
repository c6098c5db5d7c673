"""Curves and intervals as SVG: a line for each system, and a whisker for the 95 % interval of each point."""

import math
from collections.abc import Callable, Sequence

from uac.display import Markup, Part, element, fragment
from uac_bench.runs import Curve, CurvePoint

__all__ = ["draw_curve", "draw_interval"]

LEFT, RIGHT, TOP, BOTTOM = 58, 18, 12, 46
LEGEND_ROW, LEGEND_SLOT, CHARACTERS = 22, 270, 38
DODGE = 3.2  # pixels between the whiskers of two lines at one place
DASHES = ("", "7 4", "2 4", "11 4 2 4", "5 2", "15 5", "1 5", "9 3 3 3")
COLOURS = 8
MARKED = 12  # a line with more points is drawn without marks; a pointer over it still says the value
THOUSAND = 1000
TICK = 90  # pixels between two numbers below the axis

Placed = Callable[[float, float], tuple[float, float]]
"""Where a point is drawn."""


def draw_curve(curve: Curve, ours: Sequence[str], *, width: int = 880) -> Markup:
    """The lines of a curve. Ours are wide and without dashes; the others also differ in their dashes."""
    height = 300 if width > 600 else 260
    points = [point for line in curve.lines.values() for point in line]
    if not points:
        return fragment()
    is_share = all(point.low >= 0 and point.high <= 1 for point in points)
    highest = 1.0 if is_share else _round_up(max(point.high for point in points))
    along = math.log10 if curve.is_log_x and min(point.x for point in points) > 0 else float
    first, last = along(min(point.x for point in points)), along(max(point.x for point in points))
    across, down = width - LEFT - RIGHT, height - TOP - BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        share = (along(x) - first) / (last - first) if last > first else 0.5
        return LEFT + across * (0.04 + 0.92 * share), TOP + down * (1 - y / highest)

    names = sorted(curve.lines, key=lambda name: name not in ours)
    parts: list[Part] = _curve_grid(curve, place, highest, is_share, width, height)
    for number, name in enumerate(names):  # ours first: wide, below those that cover it
        parts.append(_curve_line(name, curve.lines[name], number, name in ours, place, is_share, len(names)))
    legend, legend_height = _curve_legend(names, ours, width, height)
    return element(
        "svg",
        element("title", f"{curve.title}: {curve.y} by {curve.x}"),
        *parts,
        legend,
        viewBox=f"0 0 {width} {height + legend_height}",
        role="img",
        class_="curve",
    )


def draw_interval(share: float, low: float, high: float, *, is_ours: bool) -> Markup:
    """A share from 0 to 100 % as a bar, with its interval as a line through the end of the bar."""
    return element(
        "svg",
        element("rect", x=0, y=5, width=200, height=8, rx=4, class_="track"),
        element("rect", x=0, y=5, width=200 * share, height=8, rx=4, class_="fill"),
        element("line", x1=200 * low, x2=200 * high, y1=9, y2=9, class_="range"),
        element("line", x1=200 * low, x2=200 * low, y1=4, y2=14, class_="range"),
        element("line", x1=200 * high, x2=200 * high, y1=4, y2=14, class_="range"),
        viewBox="-2 0 204 18",
        class_="interval ours" if is_ours else "interval",
        aria_hidden="true",
    )


def _curve_grid(curve: Curve, place: Placed, highest: float, is_share: bool, width: int, height: int) -> list[Part]:
    parts: list[Part] = []
    lowest_x = next(iter(curve.lines.values()))[0].x
    for step in range(5):
        value = highest * step / 4
        y = place(lowest_x, value)[1]
        parts.append(element("line", x1=LEFT, x2=width - RIGHT, y1=y, y2=y, class_="grid"))
        parts.append(element("text", _value_text(value, is_share), x=LEFT - 8, y=y + 4, text_anchor="end"))
    bottom = height - BOTTOM + 18
    for x in _x_ticks(curve, width):
        parts.append(element("text", f"{x:,.6g}", x=place(x, 0)[0], y=bottom, text_anchor="middle"))
    parts.append(element("text", curve.x, x=width - RIGHT, y=bottom + 18, text_anchor="end", class_="axis"))
    parts.append(element("text", curve.y, x=LEFT, y=bottom + 18, class_="axis"))
    return parts


def _x_ticks(curve: Curve, width: int) -> list[float]:
    """The places with a number: all of them, or the first, the last and as many between as there is room for."""
    places = sorted({point.x for line in curve.lines.values() for point in line})
    most = max(2, width // TICK)
    if len(places) <= most or curve.is_log_x:
        return places
    return [places[round(number * (len(places) - 1) / (most - 1))] for number in range(most)]


def _curve_line(
    name: str,
    points: Sequence[CurvePoint],
    number: int,
    is_ours: bool,
    place: Placed,
    is_share: bool,
    lines: int,
) -> Markup:
    shift = (number - (lines - 1) / 2) * DODGE if len(points) <= MARKED else 0.0
    spots = [(place(point.x, point.y), point) for point in sorted(points, key=_point_x)]
    path = " ".join(f"{x + shift:.1f},{y:.1f}" for (x, y), _point in spots)
    parts: list[Part] = [element("polyline", points=path, class_="line", **_line_dashes(number))]
    for (x, y), point in spots:
        low, high = place(point.x, point.low)[1], place(point.x, point.high)[1]
        text = (
            f"{name}, {point.x:,.6g}: {_value_text(point.y, is_share)} (95 % interval"
            f" {_value_text(point.low, is_share)} to {_value_text(point.high, is_share)})"
        )
        if len(spots) > MARKED:
            parts.append(element("circle", element("title", text), cx=x, cy=y, r=4, class_="unseen"))
            continue
        parts.append(element("line", x1=x + shift, x2=x + shift, y1=low, y2=high, class_="whisker"))
        parts.append(element("circle", element("title", text), cx=x + shift, cy=y, r=5 if is_ours else 4))
    return element("g", *parts, class_=f"series uac-{number % COLOURS + 1}{' ours' if is_ours else ''}")


def _curve_legend(names: Sequence[str], ours: Sequence[str], width: int, top: float) -> tuple[Markup, int]:
    columns = max(width // LEGEND_SLOT, 1)
    slot = width / columns
    parts: list[Part] = []
    for number, name in enumerate(names):
        x, y = slot * (number % columns) + 8, top + LEGEND_ROW * (number // columns) + 12
        text = name if len(name) <= CHARACTERS else f"{name[: CHARACTERS - 1]}…"
        kind = f"series uac-{number % COLOURS + 1}{' ours' if name in ours else ''}"
        mark = element("line", x1=x, x2=x + 26, y1=y - 4, y2=y - 4, class_="line", **_line_dashes(number))
        parts.append(element("g", mark, class_=kind))
        parts.append(element("text", text, x=x + 34, y=y, class_="ours" if name in ours else "other"))
    return fragment(*parts), LEGEND_ROW * -(-len(names) // columns) + 8


def _line_dashes(number: int) -> dict[str, str]:
    dashes = DASHES[number % len(DASHES)]
    return {"stroke_dasharray": dashes} if dashes else {}


def _value_text(value: float, is_share: bool) -> str:
    if is_share:
        return f"{value:.0%}".replace("%", " %")
    return f"{value:,.0f}" if abs(value) >= THOUSAND else f"{value:,.4g}"


def _point_x(point: CurvePoint) -> float:
    return point.x


def _round_up(value: float) -> float:
    """The next of 1, 2, 2.5, 5, 10 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 2.5, 5, 10) if power * step >= value)
