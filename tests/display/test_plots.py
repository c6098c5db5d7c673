"""Plots as SVG that any page may show."""

import re
import xml.etree.ElementTree as ET
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import TRIP, Story
from uac.display.axes import axis_number_text, scale_of, time_scale
from uac.display.plots import Drawable, Plot, bars, by_category, by_month, drawable, line, plot
from uac.display.svg_charts import COLOURS
from uac.display.tables import Cell, Table
from uac.errors import Refused
from uac.schema.safe_text import visible
from uac.schema.values import Money

SVG = "{http://www.w3.org/2000/svg}"

TRIPS = Table(
    ("city", "start", "cost"),
    (
        ("Rome", date(2026, 1, 3), Money(Decimal("100.50"), "EUR")),
        ("Rome", date(2026, 1, 20), Money(Decimal(50), "EUR")),
        ("Oslo", date(2026, 3, 1), Money(Decimal(70), "EUR")),
        ("Oslo", date(2026, 3, 2), Money(Decimal(-20), "USD")),
    ),
    "Trips",
)

HOSTILE = (
    "</title><script>alert(1)</script>",
    "\"' onload='alert(1)",
    "]]><!--",
    "\x00\x1b[31m\ud800\u202e\ufffe",
    "&lt;b&gt; &amp; <b>",
    "",
    " two  spaces\r\nand lines ",
)

TEXTS = st.one_of(st.text(), st.sampled_from(HOSTILE))

AMOUNTS: st.SearchStrategy[Cell] = st.one_of(
    st.none(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.timedeltas(),
    st.builds(Money, st.decimals(allow_nan=False, allow_infinity=False, places=2), st.sampled_from(["EUR", "USD"])),
)

DAYS: st.SearchStrategy[Cell] = st.one_of(
    st.none(),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from(["2026", "2026-02", "2026-02-30", "2026-02-28", "soon"]),
)


def parsed(drawn: Plot) -> ET.Element:
    return ET.fromstring(drawn.svg)  # noqa: S314  # text that the test has just made


def titles(drawn: Plot, tag: str = "rect") -> list[str]:
    """What pointing at the shapes shows, in their order."""
    found = (shape.find(f"{SVG}title") for shape in parsed(drawn).iter(f"{SVG}{tag}"))
    return [title.text or "" for title in found if title is not None]


def labels(drawn: Plot) -> list[str]:
    return [text.text or "" for text in parsed(drawn).iter(f"{SVG}text")]


def shapes(drawn: Plot, tag: str = "rect") -> list[dict[str, str]]:
    return [shape.attrib for shape in parsed(drawn).iter(f"{SVG}{tag}") if shape.find(f"{SVG}title") is not None]


class TestByMonth:
    def test_sums_are_exact_and_currencies_stand_apart(self) -> None:
        drawn = by_month(TRIPS, when="start", value="cost")
        assert titles(drawn) == ["2026-01: 150.5 EUR", "2026-03: 70 EUR", "2026-03: -20 USD"]
        assert [text for text in labels(drawn) if text in ("EUR", "USD")] == ["EUR", "USD"]
        assert drawn.told == (
            "cost by month; EUR, 2 values, highest 2026-01: 150.5, lowest 2026-03: 70; "
            "USD, 1 value, highest 2026-03: -20, lowest 2026-03: -20"
        )

    def test_a_month_without_rows_stands_as_a_gap(self) -> None:
        assert [text for text in labels(by_month(TRIPS, "start")) if text.startswith("2026")] == [
            "2026-01",
            "2026-02",
            "2026-03",
        ]

    def test_without_a_value_rows_are_counted(self) -> None:
        assert titles(by_month(TRIPS, "start")) == ["2026-01: 2", "2026-03: 2"]

    def test_a_category_has_a_series_of_the_same_colour_in_every_panel(self) -> None:
        drawn = by_month(TRIPS, "start", "cost", category="city")
        assert titles(drawn) == ["2026-03: Oslo: 70 EUR", "2026-01: Rome: 150.5 EUR", "2026-03: Oslo: -20 USD"]
        assert [shape["class"] for shape in shapes(drawn)] == ["uac-1", "uac-2", "uac-1"]

    def test_a_legend_names_only_what_its_panel_has(self) -> None:
        drawn = by_month(TRIPS, "start", "cost", category="city")
        assert [text for text in labels(drawn) if text in ("Rome", "Oslo", "EUR", "USD")] == [
            *("EUR", "Oslo", "Rome"),
            *("USD", "Oslo"),
        ]

    def test_categories_beyond_the_colours_are_added_up_and_counted(self) -> None:
        rows = [{"day": date(2026, 1, 1), "what": f"w{number}", "n": number} for number in range(1, 10)]
        drawn = by_month(rows, "day", "n", category="what")
        assert titles(drawn)[-2:] == ["2026-01: w6: 6", "2026-01: 3 others: 24"]

    def test_records_of_a_project_can_be_given_as_they_are(self) -> None:
        story = Story()
        story.types(TRIP)
        story.tell("travel.Trip", city="Rome", start="2026-03-01", cost="12.50 EUR")
        story.tell("travel.Trip", city="Oslo", start="2026-03-02")
        drawn = by_month(story.project.records("travel.Trip"), when="start", value="cost")
        assert titles(drawn) == ["2026-03: 12.5 EUR"]
        assert drawn.notes == ("not drawn: 1 row without a number in cost",)

    def test_months_may_be_text_and_what_is_no_month_is_counted(self) -> None:
        rows = [{"m": text, "n": 1} for text in ("2026-02", "2026-02-03", "2026", "2026-13", "soon", None)]
        drawn = by_month(rows, "m", "n")
        assert (titles(drawn), drawn.notes) == (["2026-02: 2"], ("not drawn: 4 rows without a month in m",))

    def test_many_years_are_summed_by_year(self) -> None:
        rows = [{"day": date(year, 5, 1), "n": year} for year in (2019, 2026)]
        assert titles(by_month(rows, "day", "n")) == ["2019: 2,019", "2026: 2,026"]

    def test_of_very_many_years_the_last_sixty_are_drawn_and_the_others_counted(self) -> None:
        drawn = by_month([{"day": date(year, 5, 1)} for year in range(1, 9999, 100)], "day")
        assert len(titles(drawn)) == 60
        assert drawn.notes == ("not drawn: 40 rows before 4001",)

    def test_a_column_that_is_not_there_is_refused(self) -> None:
        with pytest.raises(Refused, match=r"no column 'begin'. Use one of city, start, cost"):
            by_month(TRIPS, "begin")


class TestBars:
    def test_categories_stand_from_the_largest_to_the_smallest(self) -> None:
        assert titles(by_category(TRIPS, "city", "cost")) == ["Rome: 150.5 EUR", "Oslo: 70 EUR", "Oslo: -20 USD"]
        assert titles(by_category(TRIPS, "city")) == ["Oslo: 2", "Rome: 2"]

    def test_bars_beyond_thirty_are_added_up_and_counted(self) -> None:
        drawn = bars([(f"row {number}", 1) for number in range(100)])
        assert len(titles(drawn)) == 30
        assert titles(drawn)[-1] == "71 others: 71"

    def test_bars_keep_the_order_of_the_rows_and_go_left_for_less_than_nothing(self) -> None:
        drawn = bars({"a": 3, "b": -3})
        assert titles(drawn) == ["a: 3", "b: -3"]
        first, second = shapes(drawn)
        assert float(second["x"]) + float(second["width"]) == pytest.approx(float(first["x"]))
        assert first["width"] == second["width"]

    def test_each_column_of_numbers_has_a_panel(self) -> None:
        drawn = bars({"2026-01": {"EUR": 1, "USD": 2}})
        assert titles(drawn) == ["2026-01: 1", "2026-01: 2"]
        assert [text for text in labels(drawn) if text in ("EUR", "USD")] == ["EUR", "USD"]

    def test_a_long_label_is_cut_and_stands_whole_in_its_title(self) -> None:
        label = "The very long name of a category that does not fit"
        drawn = bars({label: 1})
        assert "The very long name of a…" in labels(drawn)
        whole = [text.find(f"{SVG}title") for text in parsed(drawn).iter(f"{SVG}text")]
        assert [title.text for title in whole if title is not None] == [label]


class TestLines:
    def test_a_line_goes_from_left_to_right(self) -> None:
        drawn = line([(date(2026, 1, 3), 2), (date(2026, 1, 1), 1), (date(2026, 1, 2), 5)])
        assert titles(drawn, "circle") == ["2026-01-01: 1", "2026-01-02: 5", "2026-01-03: 2"]
        across = [float(dot["cx"]) for dot in shapes(drawn, "circle")]
        assert across == sorted(across)

    def test_one_point_is_a_dot_over_its_day(self) -> None:
        drawn = line(Table(("day", "weight"), ((date(2026, 1, 3), 70.5),)))
        assert titles(drawn, "circle") == ["2026-01-03: 70.5"]
        assert labels(drawn)[-1] == "2026-01-03"

    def test_moments_of_different_zones_stand_in_their_order(self) -> None:
        early = datetime.fromisoformat("2026-01-01T10:00+02:00")
        late = datetime.fromisoformat("2026-01-01T09:00+00:00")
        drawn = line(Table(("at", "n"), ((late, 2), (early, 1))))
        assert titles(drawn, "circle") == ["2026-01-01 08:00: 1", "2026-01-01 09:00: 2"]

    def test_a_category_has_a_line_of_its_own(self) -> None:
        drawn = line(TRIPS, "start", "cost", category="city")
        assert titles(drawn, "circle") == [
            "2026-03-01: Oslo: 70 EUR",
            "2026-01-03: Rome: 100.5 EUR",
            "2026-01-20: Rome: 50 EUR",
            "2026-03-02: Oslo: -20 USD",
        ]

    def test_numbers_can_be_drawn_over_numbers(self) -> None:
        assert titles(line([(1, 2), (3, 4)]), "circle") == ["1: 2", "3: 4"]

    def test_very_many_points_are_drawn_as_far_as_they_differ(self) -> None:
        rows = Table(("n", "v"), tuple((number, number % 1000) for number in range(20_000)))
        drawn = line(rows)
        assert len(drawn.svg) < 60_000
        assert "20,000 values, highest 999: 999, lowest 0: 0" in drawn.told

    def test_days_suggest_a_line_and_names_suggest_bars(self) -> None:
        assert plot(TRIPS) == line(TRIPS)
        assert plot({"a": 1}) == bars({"a": 1})
        assert drawable(TRIPS) == Drawable(times=("start",), numbers=("cost",), names=("city",))


class TestNothing:
    @pytest.mark.parametrize(
        "drawn",
        [
            by_month([], "start", "cost"),
            by_category([], "city"),
            bars([]),
            line([]),
            plot({}),
            plot("text"),
            bars([("a", float("nan"))]),
        ],
        ids=str,
    )
    def test_a_plot_of_nothing_says_so(self, drawn: Plot) -> None:
        assert "there is nothing to draw" in labels(drawn)
        assert drawn.notes[0] == "there is nothing to draw"


class TestMarkup:
    def test_a_reader_of_the_screen_is_told_what_is_drawn(self) -> None:
        drawn = by_month([*TRIPS, ("Bern", None, None)], "2", "3", title="Spending")
        whole = parsed(drawn)
        assert [child.tag for child in whole] == [f"{SVG}title", f"{SVG}desc", f"{SVG}g"]
        assert whole.get("role") == "img"
        assert whole[0].text == "Spending"
        assert whole[1].text == "; ".join([drawn.told, *drawn.notes])
        assert drawn.notes == ("not drawn: 1 row without a month in 2",)
        assert repr(drawn) == f"<Plot: {drawn.told}; {drawn.notes[0]}>"
        assert drawn._repr_svg_() == drawn._repr_html_() == drawn.svg

    @pytest.mark.parametrize("ground", ["#ffffff", "#181818"])
    @pytest.mark.parametrize("colour", COLOURS)
    def test_colours_stand_out_on_light_and_on_dark_ground(self, colour: str, ground: str) -> None:
        dark, light = sorted([luminance(colour), luminance(ground)])
        assert (light + 0.05) / (dark + 0.05) >= 3

    @settings(deadline=None)
    @given(
        st.lists(st.tuples(TEXTS, DAYS, AMOUNTS), max_size=8),
        TEXTS,
        st.lists(TEXTS, min_size=3, max_size=3, unique=True),
    )
    def test_no_text_becomes_markup_and_none_is_lost(
        self, rows: list[tuple[Cell, ...]], title: str, columns: list[str]
    ) -> None:
        made = Table(tuple(columns), tuple(rows))
        name, when, value = columns
        drawings = [
            by_month(made, when, value, category=name, title=title),
            by_category(made, name, value, title=title),
            bars(made, name, value, title=title),
            line(made, when, value, category=name, title=title),
            plot(made, title=title),
        ]
        for drawn in drawings:
            whole = parsed(drawn)
            allowed = {"svg", "title", "desc", "g", "text", "rect", "line", "polyline", "circle", "path"}
            assert {node.tag.removeprefix(SVG) for node in whole.iter()} <= allowed
            assert not {key for node in whole.iter() for key in node.attrib if key.startswith(("on", "style", "href"))}
            assert whole[0].text == visible(title or drawn.told, lines=True)
        shown = set(whole_texts(drawings[1]))
        assert {visible(text, lines=True) for text in drawn_names(rows)} <= shown

    @settings(deadline=None)
    @given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
    def test_shapes_stay_inside_the_drawing(self, numbers: list[float]) -> None:
        for drawn in (bars(numbers), line(list(enumerate(numbers)))):
            height = float(parsed(drawn).attrib["height"])
            for tag in ("rect", "circle"):
                for shape in shapes(drawn, tag):
                    x, y = (float(shape.get(key) or shape[f"c{key}"]) for key in ("x", "y"))
                    assert 0 <= x <= x + float(shape.get("width", 0)) <= 640
                    assert 0 <= y <= y + float(shape.get("height", 0)) <= height


class TestScales:
    @settings(deadline=None)
    @given(
        st.lists(
            st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**300), max_value=10**300), max_size=6
        )
    )
    def test_an_axis_holds_all_values_between_round_numbers(self, values: list[Decimal]) -> None:
        scale = scale_of(values)
        assert 2 <= len(scale.ticks) <= 8
        assert all(-1e-9 <= scale.share(value) <= 1 + 1e-9 for value in values)
        assert (scale.ticks[0].share, scale.ticks[-1].share) == (0.0, 1.0)

    def test_what_is_counted_is_marked_at_whole_numbers(self) -> None:
        assert [tick.label for tick in scale_of([Decimal(0), Decimal(2)]).ticks] == ["0", "1", "2"]

    def test_marks_are_one_two_or_five_times_a_power_of_ten(self) -> None:
        assert [tick.label for tick in scale_of([Decimal(0), Decimal(1234)]).ticks] == ["0", "500", "1,000", "1,500"]
        assert [tick.label for tick in scale_of([Decimal("-0.3"), Decimal("0.1")]).ticks] == [
            *("-0.3", "-0.2", "-0.1", "0", "0.1")
        ]

    @settings(deadline=None)
    @given(st.lists(st.datetimes(timezones=st.just(UTC)), min_size=1, max_size=4))
    def test_an_axis_of_time_holds_all_moments(self, moments: list[datetime]) -> None:
        scale = time_scale(moments)
        assert all(0 <= scale.share(moment) <= 1 for moment in moments)
        assert all(0 <= tick.share <= 1 for tick in scale.ticks)
        assert len(scale.ticks) <= 12

    @pytest.mark.parametrize(
        ("days", "marks"),
        [
            (0.5, ["03-01 00:00", "03-01 04:00", "03-01 08:00", "03-01 12:00"]),
            (5, ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06"]),
            (30, ["2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23", "2026-03-30"]),
            (400, ["2026-03", "2026-05", "2026-07", "2026-09", "2026-11", "2027-01", "2027-03"]),
            (5000, ["2028", "2030", "2032", "2034", "2036", "2038"]),
        ],
    )
    def test_time_is_marked_at_hours_days_weeks_months_or_years(self, days: float, marks: list[str]) -> None:
        start = datetime(2026, 3, 1, tzinfo=UTC)
        assert [tick.label for tick in time_scale([start, start + timedelta(days=days)]).ticks] == marks

    @pytest.mark.parametrize(
        ("number", "text"),
        [("0", "0"), ("1234.50", "1,234.5"), ("-7", "-7"), ("1E+20", "1e+20"), ("0.00000000012", "1.2e-10")],
    )
    def test_a_number_reads_as_people_write_it(self, number: str, text: str) -> None:
        assert axis_number_text(Decimal(number)) == text


def luminance(colour: str) -> float:
    """How bright a colour is, as the guidelines for accessible content define it."""
    parts = [int(part, 16) / 255 for part in re.findall("..", colour[1:])]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def whole_texts(drawn: Plot) -> list[str]:
    return [title.rpartition(": ")[0] for title in titles(drawn)]


def drawn_names(rows: list[tuple[Cell, ...]]) -> list[str]:
    """The names of rows whose amount can be drawn."""
    return [str(name) or "—" for name, _day, amount in rows if bars([("x", amount)]).notes == ()]
