"""Questions without code: what is spent, in which period, and the code that gives the same figures."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from starlette.testclient import TestClient

from support.browser import Lives, Teller, reader
from support.http_service import make_key
from support.inspector_client import BEN, app_watched, words
from support.short_logs import Story, type_of
from uac.errors import Refused
from uac.interfaces.inspector.chart_figures import chart_code, draw_chart
from uac.interfaces.inspector.chart_form import Chart, chart_period, chart_title, read_chart
from uac.project.project import Project
from uac.schema.patches import Define
from uac.schema.types import Type

BANK = type_of("bank.Booking", cardinality="event", shop="str", category="str | None", amount_eur="Money", on="date")
MOVED = type_of(
    "bank.Move",
    cardinality="event",
    payee="str",
    category="str | None",
    amount="Money | None",
    on="date | None",
    direction="Literal['out', 'in'] | None",
)
BOOKED = (
    ("Bakery", "food", "-4.50 EUR", "2025-11-03"),
    ("Market", "food", "-20.00 EUR", "2026-01-09"),
    ("Cinema", "fun", "-12.00 EUR", "2026-02-01"),
)
MOVES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Bakery", {"category": "food", "amount": "4.50 EUR", "on": "2025-11-03", "direction": "out"}),
    ("Market", {"category": "food", "amount": "20.00 EUR", "on": "2026-01-09"}),
    ("Work", {"category": "salary", "amount": "3000.00 EUR", "on": "2026-01-31", "direction": "in"}),
    ("Gift", {}),
)
TODAY = date(2026, 3, 14)


@pytest.fixture(scope="module")
def story() -> Story:
    """Bookings of a bank that writes money spent with a minus, and moves that say their direction."""
    told = Story()
    told.types(BANK, MOVED)
    for shop, category, amount, on in BOOKED:
        told.tell("bank.Booking", shop=shop, category=category, amount_eur=amount, on=on)
    for payee, fields in MOVES:
        told.tell("bank.Move", payee=payee, **fields)
    return told


def figures(story: Story, chart: Chart) -> object:
    return story.memory.compute(chart_code(type_of_chart(story.project, chart), chart)).value


def type_of_chart(project: Project, chart: Chart) -> Type:
    return project.types[chart.type]


def test_negative_amounts_are_spent_as_positive_ones_by_category(story: Story) -> None:
    chart = Chart("bank.Booking", "category", "category", "amount_eur", flow="spent")
    assert figures(story, chart) == {"food": {"EUR": Decimal("24.50")}, "fun": {"EUR": Decimal("12.00")}}
    drawn = draw_chart(story.project, chart)
    assert drawn is not None
    assert "highest food: 24.5, lowest fun: 12" in drawn.told


def test_income_is_not_spending_and_no_direction_counts_as_out(story: Story) -> None:
    spent = Chart("bank.Move", "category", "category", "amount", flow="spent")
    received = Chart("bank.Move", "total", "", "amount", flow="received")
    assert figures(story, spent) == {"food": {"EUR": Decimal("24.50")}}
    assert figures(story, received) == {"EUR": Decimal("3000.00")}
    drawn = draw_chart(story.project, spent)
    assert drawn is not None
    assert "1 value, highest food: 24.5" in drawn.told


def test_code_and_drawing_are_about_the_days_of_the_period(story: Story) -> None:
    chart = Chart(
        "bank.Move", "month", "on", "amount", flow="spent", when="on", since=date(2026, 1, 1), until=date(2026, 12, 31)
    )
    assert figures(story, chart) == {"2026-01": {"EUR": Decimal("20.00")}}
    drawn = draw_chart(story.project, chart)
    assert drawn is not None
    assert "1 value, highest 2026-01: 20" in drawn.told
    assert chart_title(MOVED, chart) == "Spending by month, from moves in 2026"


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        (("", "", ""), (None, None)),
        (("2025", "", ""), (date(2025, 1, 1), date(2025, 12, 31))),
        (("30-days", "", ""), (date(2026, 2, 13), TODAY)),
        (("12-months", "", ""), (date(2025, 3, 15), TODAY)),
        (("2025", "2026-01-01", ""), (date(2026, 1, 1), None)),
    ],
)
def test_a_period_has_a_first_and_a_last_day(
    asked: tuple[str, str, str], days: tuple[date | None, date | None]
) -> None:
    assert chart_period(*asked, TODAY) == days


@pytest.mark.parametrize("asked", [("soon", "", ""), ("0000", "", ""), ("", "x", ""), ("", "2026-02-01", "2026-01-01")])
def test_what_is_no_period_is_refused(asked: tuple[str, str, str]) -> None:
    with pytest.raises(Refused, match=r"Use|Choose"):
        chart_period(*asked, TODAY)


@pytest.mark.parametrize("measure", ["spent:shop", "lost:amount_eur", "spent:nothing"])
def test_only_money_can_be_spent_or_received(story: Story, measure: str) -> None:
    with pytest.raises(Refused, match="Use spent or received with a field of money"):
        read_chart(story.project, "bank.Booking", "category:category", measure, "")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    lives = Lives()
    told = Teller(lives, "ben")
    told.memory.checkpoint([Define(type=BANK)], by="agent")
    for shop, category, amount, on in BOOKED:
        told.put(
            "bank.Booking", told.say(f"{shop} {amount} on {on}"), shop=shop, category=category, amount_eur=amount, on=on
        )
    app = app_watched(lives)
    with reader(app, make_key(app)) as client:
        yield client


def test_the_page_starts_with_spending_by_category_in_words_and_folds_the_code(client: TestClient) -> None:
    html = client.get(f"{BEN}/compute").text
    assert "Questions to start with Spending by category, from bookings" in words(html)
    before, _details, code = html.partition('<summary class="small muted" aria-label="Code: Spending by category')
    assert ("group_by" in before, "group_by" in code) == (False, True)


@pytest.mark.parametrize("value", ["spent:amount_eur", "amount_eur"])
def test_what_a_bank_books_with_a_minus_is_shown_as_spent(client: TestClient, value: str) -> None:
    text = words(client.get(f"{BEN}/compute?type=bank.Booking&by=category:category&value={value}").text)
    assert "name EUR food 24.50 fun 12.00" in text
    assert "-24.5" not in text


def test_a_type_alone_is_answered_with_its_most_suitable_chart(client: TestClient) -> None:
    html = client.get(f"{BEN}/compute?type=bank.Booking").text
    assert "<title>Spending by category, from bookings" in html


def test_choices_made_for_another_type_are_left_out(client: TestClient) -> None:
    answer = client.get(f"{BEN}/compute?type=bank.Booking&of=travel.Trip&by=month:start&value=cost")
    assert (answer.status_code, "Spending by category, from bookings" in words(answer.text)) == (200, True)


def test_a_period_is_chosen_as_a_year_or_by_days(client: TestClient) -> None:
    address = f"{BEN}/compute?type=bank.Booking&by=total:&value=spent:amount_eur"
    assert "EUR 32.00" in words(client.get(f"{address}&period=2026").text)
    assert "EUR 20.00" in words(client.get(f"{address}&since=2026-01-01&until=2026-01-31").text)
    assert "Use a year such as 2025" in words(client.get(f"{address}&period=soon").text)
