"""Results of queries, as text for people and as JSON."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from uac.sandbox.compute import computed_json, computed_text
from uac.sandbox.port import Instance, Value
from uac.schema.types import Json

COST = Instance("Money", {"amount": Decimal("12.50"), "currency": "EUR"})
TRIP = Instance("Trip", {"city": "Oslo", "cost": COST})


@pytest.mark.parametrize(
    ("value", "text", "json"),
    [
        (None, "None", None),
        ("a", "'a'", "a"),
        (COST, "12.50 EUR", "12.50 EUR"),
        (TRIP, "Trip(city='Oslo', cost=12.50 EUR)", {"city": "Oslo", "cost": "12.50 EUR"}),
        ([1, TRIP.fields["city"]], "[1, 'Oslo']", [1, "Oslo"]),
        ((1,), "(1,)", [1]),
        ((1, 2), "(1, 2)", [1, 2]),
        ({2, 1}, "{1, 2}", [1, 2]),
        (set(), "set()", []),
        ({date(2026, 5, 1): 1}, "{datetime.date(2026, 5, 1): 1}", {"2026-05-01": 1}),
        (float("inf"), "inf", "inf"),
        (timedelta(days=1), "datetime.timedelta(days=1)", "P1D"),
        (Decimal("1.0"), "Decimal('1.0')", "1.0"),
    ],
)
def test_a_value_has_this_text_and_this_json(value: Value, text: str, json: Json) -> None:
    assert (computed_text(value), computed_json(value)) == (text, json)
