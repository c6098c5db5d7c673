"""The records of travel."""

from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

from .._money import Money
from .schema import Passport, Trip

passport: Passport | None = None

former_passport: list[Passport] = []

trips: list[Trip] = [
    Trip(
        city='Say "Ålesund"',
        start=date(2026, 5, 2),
        paid=True,
        cost=Money(Decimal("1300.50"), "EUR"),
        seat="aisle",
        tags=[
            "sea",
            "a tag that is quite long, really",
            "another tag that is rather long",
        ],
        companion="maria lópez",
        leaves=datetime(2026, 5, 1, 7, 15, tzinfo=timezone(timedelta(seconds=7200))),
        meal=time(12, 30),
        takes=timedelta(seconds=11100),
        fare="a third one",
        rating=4.5,
    ),  # from 6
]

former_trips: list[Trip] = [
    Trip(
        city="Rome",
        start=date(2026, 6, 1),
        paid=False,
        cost=None,
        seat=None,
        tags=[],
        companion=None,
        leaves=None,
        meal=None,
        takes=None,
        fare=None,
        rating=None,
    ),  # from 9, 25; cancelled 2026-03-01
]
