"""What the library returns, as tables."""

import xml.etree.ElementTree as ET
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.short_logs import ALLERGY, START, TRIP, Story, type_of
from uac.display.tables import (
    Cell,
    Table,
    alert_table,
    cell_text,
    conflict_table,
    coverage_table,
    entry_table,
    hit_table,
    number_of,
    record_table,
    table,
)
from uac.errors import Refused
from uac.project.alerts import Alert
from uac.recall.hits import Found, Hit
from uac.sandbox.compute import Result
from uac.sandbox.port import Instance, Value
from uac.schema.patches import End, SetAside
from uac.schema.safe_text import visible
from uac.schema.values import Money

EUR = Money(Decimal("12.50"), "EUR")

CELLS: st.SearchStrategy[Cell] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.decimals(),
    st.dates(),
    st.datetimes(timezones=st.just(UTC)),
    st.timedeltas(),
    st.builds(Money, st.decimals(allow_nan=False, allow_infinity=False), st.text(max_size=3)),
)

VALUES: st.SearchStrategy[Value] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.decimals(), st.dates()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=3), inner, max_size=4),
        st.builds(Instance, st.just("travel.Trip"), st.dictionaries(st.sampled_from("abc"), inner)),
        st.builds(Instance, st.just("Money"), st.fixed_dictionaries({"amount": inner, "currency": inner})),
    ),
    max_leaves=12,
)


def rows_of(html: str) -> list[list[str]]:
    """The cells of a table that stands in HTML, as an XML parser reads them."""
    return [["".join(cell.itertext()) for cell in row] for row in parsed(html).iter("tr")]


def parsed(html: str) -> ET.Element:
    return ET.fromstring(f"<div>{html}</div>")  # noqa: S314  # text that the test has just made


class TestValues:
    def test_a_list_of_objects_has_their_fields_as_columns(self) -> None:
        trips: list[Value] = [
            Instance(
                "travel.Trip",
                {"city": "Rome", "cost": Instance("Money", {"amount": Decimal("12.50"), "currency": "EUR"})},
            ),
            Instance("travel.Trip", {"city": "Oslo", "cost": None}),
        ]
        assert table(trips, title="Trips") == Table(("city", "cost"), (("Rome", EUR), ("Oslo", None)), "Trips")

    def test_a_list_of_dicts_has_all_their_keys_as_columns(self) -> None:
        assert table([{"a": 1}, {"b": [1, "x"]}]) == Table(("a", "b"), ((1, None), (None, "1, x")))

    def test_a_list_of_tuples_has_numbered_columns_and_short_rows_are_filled(self) -> None:
        assert table([("a", 2), ("b",)]) == Table(("1", "2"), (("a", 2), ("b", None)))

    def test_a_list_of_plain_values_has_one_column(self) -> None:
        assert table([3, "x", EUR]) == Table(("value",), ((3,), ("x",), (EUR,)))

    def test_a_dict_has_a_row_for_each_key(self) -> None:
        assert table({"EUR": Decimal(5), "USD": 2}) == Table(("name", "value"), (("EUR", Decimal(5)), ("USD", 2)))

    def test_sums_by_currency_for_each_month_have_a_column_for_each_currency(self) -> None:
        sums: Value = {"2026-01": {"EUR": Decimal(5)}, "2026-02": {"USD": Decimal(2)}}
        rows = (("2026-01", Decimal(5), None), ("2026-02", None, Decimal(2)))
        assert table(sums) == Table(("name", "EUR", "USD"), rows)

    def test_a_set_is_in_order(self) -> None:
        assert table({10, 2, 1}) == Table(("value",), ((1,), (2,), (10,)))

    @pytest.mark.parametrize("value", [None, True, 7, "text", EUR, date(2026, 1, 2), timedelta(hours=2)])
    def test_a_single_value_is_one_cell(self, value: Cell) -> None:
        assert table(value) == Table(("value",), ((value,),))

    def test_a_result_of_compute_is_the_table_of_its_value(self) -> None:
        result = Result([1, 2], "", 3, (), 0.1, "monty")
        assert table(result) == Table(("value",), ((1,), (2,)))

    def test_a_table_stays_as_it_is(self) -> None:
        assert table(table([1])) == table([1])

    @settings(deadline=None)
    @given(VALUES)
    def test_every_value_becomes_a_table_whose_rows_fit_its_columns(self, value: Value) -> None:
        made = table(value)
        assert {len(row) for row in made} <= {len(made.columns)}
        assert len(rows_of(made.html())) == len(made) + 1
        assert str(made) == repr(made)


class TestOfTheLibrary:
    def test_records_have_their_id_and_a_column_for_each_field(self) -> None:
        story = Story()
        story.types(TRIP)
        rome = story.tell("travel.Trip", city="Rome", start="2026-03-01", cost="12.50 EUR")
        oslo = story.tell("travel.Trip", city="Oslo", start="2026-04-01")
        expected = ((rome, "Rome", date(2026, 3, 1), EUR), (oslo, "Oslo", date(2026, 4, 1), None))
        assert record_table(story.project, "travel.Trip") == Table(
            ("id", "city", "start", "cost"), expected, "travel.Trip"
        )
        assert table(story.project.records("travel.Trip")).rows == expected
        assert table(story.project.record(rome)) == Table(
            ("field", "value"), (("city", "Rome"), ("start", date(2026, 3, 1)), ("cost", EUR)), rome
        )

    def test_former_records_say_when_and_why_they_ended(self) -> None:
        story = Story()
        story.types(ALLERGY)
        nuts = story.tell("health.Allergy", substance="nuts")
        story.change(End(record=nuts, when="2026-05", why="outgrown", cites=(story.fact("It is gone"),)))
        expected = Table(
            ("id", "substance", "severity", "ended", "why"),
            ((nuts, "nuts", None, "2026-05", "outgrown"),),
            "health.former_allergies",
        )
        assert record_table(story.project, "health.Allergy", former=True) == expected
        assert record_table(story.project, "health.former_allergies") == expected
        assert len(record_table(story.project, "health.Allergy")) == 0
        assert len(record_table(story.project, "health.allergies")) == 0

    def test_a_type_that_is_not_there_is_refused(self) -> None:
        story = Story()
        story.types(TRIP)
        with pytest.raises(Refused, match=r"No type 'travel\.Tripp'\. Use one of: travel\.Trip\."):
            record_table(story.project, "travel.Tripp")

    def test_alerts_stand_in_the_order_given(self) -> None:
        alert = Alert("late", "bus 9", "warning", "The bus is late", (), (), 4, START)
        expected = Table(
            ("severity", "constraint", "subject", "message", "since", "state"),
            (("warning", "late", "bus 9", "The bus is late", START, "standing"),),
            "Alerts",
        )
        assert alert_table([alert]) == table([alert]) == expected

    def test_entries_say_who_says_what(self) -> None:
        story = Story()
        story.types(ALLERGY)
        story.tell("health.Allergy", substance="nuts")
        story.memory.retract([2], why="a joke")
        kept = table(story.memory.log.read())
        assert kept == entry_table(story.memory.log.read())
        assert kept.columns == ("position", "at", "kind", "by", "text")
        words = "health.Allergy {'substance': 'nuts'}"
        assert [row[2:] for row in kept] == [
            ("checkpoint", "", "defined health.Allergy"),
            ("observation", "user", words),
            ("fact", "", words),
            ("checkpoint", "", "put health.Allergy"),
            ("retraction", "", "retracted 2: a joke"),
        ]

    def test_an_entry_whose_words_were_erased_says_so(self) -> None:
        story = Story()
        story.said("a secret")
        story.memory.log.erase([1], why="asked")
        assert next(iter(table(story.memory.log.read())))[3:] == ("", "(erased)")

    def test_coverage_counts_records_and_facts_by_domain(self) -> None:
        story = Story()
        story.types(ALLERGY, TRIP)
        story.tell("health.Allergy", substance="nuts")
        story.change(SetAside(cites=(story.fact("I like trains"),), why="a taste", domain="travel"))
        assert coverage_table(story.project) == Table(
            ("domain", "records", "structured", "aside"), (("health", 1, 1, 0), ("travel", 0, 0, 1)), "Coverage"
        )

    def test_conflicts_list_every_claim(self) -> None:
        story = Story()
        story.types(type_of("health.Blood", key=["of"], policy={"group": "ask"}, of="str", group="str"))
        story.tell("health.Blood", of="Ana", group="A")
        story.tell("health.Blood", of="Ana", group="B")
        found = conflict_table(story.project)
        assert found.columns == ("record", "field", "value", "authority", "said", "position")
        assert [row[:4] for row in found] == [
            ("health.Blood:ana", "group", "A", "user"),
            ("health.Blood:ana", "group", "B", "user"),
        ]

    def test_hits_tell_where_they_come_from(self) -> None:
        hit = Hit("observation", 3, "", "I fly", 0.12345, START, "", "user", "", is_current=True)
        expected = Table(
            ("kind", "source", "said", "speaker", "text", "score"),
            (("observation", 3, START, "user", "I fly", 0.123),),
            "Recall",
        )
        assert table(Found([hit], 1)) == table([hit]) == hit_table([hit]) == expected


class TestShown:
    def test_a_terminal_is_shown_columns_with_numbers_on_the_right(self) -> None:
        made = Table(
            ("city", "cost"), (("Rome", EUR), ("東京", None), ("Oslo\nby train", Money(Decimal(7), "EUR"))), "Trips"
        )
        assert str(made) == "\n".join(
            [
                "Trips",
                "city             cost",
                "───────────────  ─────────",
                "Rome             12.50 EUR",
                "東京",
                "Oslo ⏎ by train      7 EUR",
            ]
        )

    def test_a_terminal_is_shown_twenty_rows_and_how_many_there_are(self) -> None:
        lines = str(table(range(1000))).splitlines()
        assert (len(lines), lines[-1]) == (23, "20 of 1,000 rows are shown")

    def test_a_page_is_shown_two_hundred_rows_or_as_many_as_asked_and_how_many_there_are(self) -> None:
        many = table(range(1000))
        assert len(rows_of(many.html())) == 201
        assert rows_of(many.html(most=2)) == [["value"], ["0"], ["1"]]
        assert "2 of 1,000 rows are shown" in many.html(most=2)
        assert len(many.rows) == 1000

    def test_a_table_without_rows_says_so(self) -> None:
        assert str(table([])) == "value\n─────\nno rows"
        assert "no rows" in table([])._repr_html_()
        assert str(Table((), ())) == "no rows"

    def test_long_cells_are_cut_for_a_terminal_only(self) -> None:
        made = table(["x" * 100])
        assert str(made).splitlines()[-1] == "x" * 39 + "…"
        assert rows_of(made.html())[1] == ["x" * 100]

    @settings(deadline=None)
    @given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=5), st.text(), st.tuples(st.text(), st.text()))
    def test_no_text_becomes_markup_and_none_is_lost(
        self, rows: list[list[Cell]], title: str, columns: tuple[str, str]
    ) -> None:
        made = Table(columns, tuple(map(tuple, rows)), title)
        expected = [list(columns), *([cell_text(cell) for cell in row] for row in rows)]
        assert rows_of(made.html()) == [[visible(text, lines=True) for text in row] for row in expected]
        tags = {node.tag for node in parsed(made.html()).iter()}
        assert tags <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}

    @settings(deadline=None)
    @given(st.text())
    def test_a_terminal_gets_no_control_characters(self, text: str) -> None:
        assert visible(str(Table((text,), ((text,),), text)), lines=True) == str(Table((text,), ((text,),), text))

    @pytest.mark.parametrize(
        ("cell", "text"),
        [
            (None, ""),
            (True, "yes"),
            (1.5, "1.5"),
            (Decimal("1E+3"), "1000"),
            (EUR, "12.50 EUR"),
            (datetime(2026, 3, 1, 9, 30, tzinfo=UTC), "2026-03-01 09:30+00:00"),
            (date(2026, 3, 1), "2026-03-01"),
            (timedelta(hours=2), "2:00:00"),
        ],
    )
    def test_a_cell_reads_as_people_write_it(self, cell: Cell, text: str) -> None:
        assert cell_text(cell) == text

    def test_a_number_of_very_many_digits_is_told_all_the_same(self) -> None:
        assert cell_text(16**10_000) == f"0x1{'0' * 10_000}"


class TestColumns:
    def test_a_column_is_found_by_its_name(self) -> None:
        made = table({"a": 1, "b": 2})
        assert (made.column("name"), made.column("value")) == (("a", "b"), (1, 2))
        with pytest.raises(Refused, match=r"no column 'cost'. Use one of name, value"):
            made.column("cost")

    def test_columns_that_hold_nothing_can_be_left_out(self) -> None:
        made = Table(("a", "b", "c"), ((1, None, False), (None, "", 2)), "T")
        assert made.filled() == Table(("a", "c"), ((1, False), (None, 2)), "T")

    def test_a_brief_table_has_them_and_shows_their_number(self) -> None:
        made = Table(("a", "b", "c"), ((1, None, ""), (2, None, None)), "T", brief=True)
        assert made.column("b") == (None, None)
        assert made.text() == "T\na\n─\n1\n2\n2 empty columns are not shown"
        assert made.text(most=1) == "T\na\n─\n1\n1 of 2 rows are shown; 2 empty columns are not shown"
        assert made.html().count("<th") == 2  # thead, and one column
        assert '<p class="uac-note">2 empty columns are not shown</p>' in made.html()
        one = Table(("a", "b"), ((1, None),), brief=True)
        assert one.text() == "a\n─\n1\n1 empty column is not shown"
        assert Table(("a", "b"), (), brief=True).text() == "a  b\n─  ─\nno rows"

    def test_a_table_can_be_gone_through_and_counted(self) -> None:
        assert (list(table("ab")), len(table([1, 2]))) == ([("ab",)], 2)

    @settings(deadline=None)
    @given(CELLS)
    def test_what_is_no_finite_number_is_none(self, cell: Cell) -> None:
        number = number_of(cell)
        assert number is None or abs(number) < float("inf")

    def test_money_counts_by_its_amount_and_a_truth_is_no_number(self) -> None:
        huge, odd = 10**400, Decimal("sNaN")
        assert [number_of(cell) for cell in (EUR, True, "7", huge, odd, 7)] == [12.5, None, None, None, None, 7.0]
