"""Columns differ by more than their colour: each series has a hatching of its own."""

import re
from decimal import Decimal
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from uac.display.svg_charts import COLOURS, HATCHES, Bars, Series, _hatch_lines, draw_bars, draw_columns

SIDE = st.floats(1, 400)


def test_there_is_a_hatching_for_each_colour_and_no_two_are_the_same() -> None:
    assert len(HATCHES) == len(set(HATCHES)) == len(COLOURS)


def test_each_series_after_the_first_is_hatched_in_the_panel_and_in_the_legend() -> None:
    series = tuple(Series(name, (Decimal(30), Decimal(60))) for name in ("food", "rent", "travel"))
    panel = Bars("", "EUR", ("May", "June"), series)
    for draw in (draw_columns, draw_bars):
        drawn = draw([panel], title="", description="spending", notes=[])
        after = re.findall(r'class="uac-(\d)"[^>]*>(?:<title>[^<]*</title>)?(?:</rect>)?(<path)?', drawn)
        hatched = {number: {bool(path) for found, path in after if found == number} for number in "123"}
        assert hatched == {"1": {False}, "2": {True}, "3": {True}}


def test_a_single_series_is_plain() -> None:
    panel = Bars("", "", ("May",), (Series("", (Decimal(3),)),))
    assert "<path" not in draw_columns([panel], title="", description="", notes=[])


@given(st.sampled_from("/\\-|"), SIDE, SIDE)
def test_the_lines_of_a_hatching_stay_inside_their_rectangle_and_are_evenly_spaced(
    direction: str, width: float, height: float
) -> None:
    lines = [[*map(float, re.findall(r"-?[\d.]+", line))] for line in _hatch_lines(direction, 0, 0, width, height)]
    assert all(-0.06 <= x <= width + 0.06 for line in lines for x in line[::2])
    assert all(-0.06 <= y <= height + 0.06 for line in lines for y in line[1::2])
    where = {
        "|": [line[0] for line in lines],
        "-": [line[1] for line in lines],
        "/": [line[0] + line[1] for line in lines],
        "\\": [width - line[0] + line[1] for line in lines],
    }
    assert all(abs(after - before - 6) < 0.3 for before, after in pairwise(where[direction]))
