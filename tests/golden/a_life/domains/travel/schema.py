"""The types of travel."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Literal

from .._money import Money


@dataclass
class Passport:
    """A record of travel."""

    # one, key: number
    number: str
    expires: date


Trip_fare = Literal[
    "a very long fare name",
    "another very long fare name",
    "a third one",
]


@dataclass
class Trip:
    """A journey: 'there' and 'back'"""

    # event, no key
    city: str
    start: date
    paid: bool
    cost: Money | None = None
    seat: Literal["window", "aisle"] | None = None
    # policy: union
    tags: list[str] = field(default_factory=list)
    # key of people.Person
    companion: str | None = None
    leaves: datetime | None = None
    meal: time | None = None
    takes: timedelta | None = None
    fare: Trip_fare | None = None
    rating: float | None = None
