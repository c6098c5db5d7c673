"""What happens in a made-up user's life: kinds of things, what may become of each, and the record each should be."""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = ["KINDS", "OWN_TYPES", "Act", "Kind", "Values", "World"]

REGULARS = {"places": 5, "people": 7, "payees": 5, "doctors": 3}
"""How many names of a kind one life has, if not all: they come up again and again."""

Values: TypeAlias = dict[str, Any]
"""The values of a thing by slot: text, date, time or Decimal."""


class World:
    """The names that occur in one life. Some come up again and again, so that things resemble each other."""

    def __init__(self, chance: random.Random, names: Mapping[str, Sequence[str]]) -> None:
        self.chance = chance
        self._names = dict(names) | {name: chance.sample(names[name], most) for name, most in REGULARS.items()}
        self._unused: dict[str, list[str]] = {}

    def any(self, name: str) -> str:
        """One of the names of this life."""
        return self.chance.choice(self._names[name])

    def unused(self, name: str) -> str:
        """One that this life has not used yet; empty when all are used."""
        left = self._unused.setdefault(name, self.chance.sample(self._names[name], len(self._names[name])))
        return left.pop() if left else ""

    def day_after(self, day: date, least: int, most: int) -> date:
        return day + timedelta(days=self.chance.randint(least, most))

    def clock(self, first: int, last: int) -> time:
        return time(self.chance.randint(first, last), self.chance.choice((0, 30)))

    def price(self, least: int, most: int) -> Decimal:
        return Decimal(self.chance.randint(least, most)) + self.chance.choice((Decimal("0.50"), Decimal("0.95")))


class Act(NamedTuple):
    """What becomes of a thing that exists: a change of values, an end, or only a mention."""

    op: Literal["amend", "end", "mention"]
    change: Callable[[Values, World, date], Values] = lambda _values, _world, _day: {}


class Kind(NamedTuple):
    """A kind of thing."""

    type: str
    topic: str
    weight: int
    new: Callable[[World, date], Values]
    fields: Callable[[Mapping[str, Any]], dict[str, Any]]
    """The fields of the record for these values; only those that are given."""
    acts: Mapping[str, Act] = {}
    about: str = ""
    """The slot that names whom it is about; the user if empty."""
    key: tuple[str, ...] = ()
    """The slots that make the key of its record, if two things could have the same: people do not see two doctors about
    one pain on one day, nor book one place twice."""


def _given(values: Mapping[str, Any], **fields: str) -> dict[str, Any]:
    """The fields whose slot is given: `day="date"` is the field `day` with the value of the slot `date`."""
    return {field: _json(values[slot]) for field, slot in fields.items() if slot in values}


def _json(value: Any) -> Any:
    if isinstance(value, time):
        return f"{value:%H:%M}"
    return value.isoformat() if isinstance(value, date) else str(value)


def _money(values: Mapping[str, Any], field: str) -> dict[str, Any]:
    return {field: f"{values['price']} {values['currency']}"} if "price" in values else {}


def _other_price(values: Values, world: World, _day: date) -> Values:
    return {"price": values["price"] + world.chance.choice((Decimal(3), Decimal(7), Decimal("-1.20")))}


def _later_day(values: Values, world: World, day: date) -> Values:
    return {"date": world.day_after(max(values["date"], day), 1, 5)}


def _meeting_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    found = {"what": values["topic"], "who": [values["who"]]} if "topic" in values else {}
    if "date" in values:
        found["starts"] = f"{values['date'].isoformat()}T{values['at']:%H:%M}:00+00:00"
    return found


def _new_preference(world: World, _day: date) -> Values:
    topic, _, choices = world.unused("preferences").partition(": ")
    listed = tuple(choices.split(" | "))
    return {"topic": topic, "choice": world.chance.choice(listed), "choices": listed}


def _other_choice(values: Values, world: World, _day: date) -> Values:
    return {"choice": world.chance.choice([each for each in values["choices"] if each != values["choice"]])}


KINDS: Mapping[str, Kind] = {
    "meal": Kind(
        "food.Booking",
        "food",
        6,
        lambda world, day: {
            "place": world.any("places"),
            "date": world.day_after(day, 1, 16),
            "at": world.clock(18, 20),
            "who": world.any("people"),
        },
        lambda values: (
            _given(values, place="place", day="date", at="at") | ({"who": [values["who"]]} if "who" in values else {})
        ),
        {
            "again": Act("mention"),
            "time": Act("amend", lambda values, _world, _day: {"at": time((values["at"].hour + 1) % 24, 30)}),
            "move": Act("amend", _later_day),
            "cancel": Act("end"),
        },
        key=("place", "date"),
    ),
    "purchase": Kind(
        "household.Purchase",
        "household",
        6,
        lambda world, day: {
            "item": world.unused("items"),
            "shop": world.any("shops"),
            "price": world.price(9, 180),
            "date": world.day_after(day, -3, 0),
        },
        lambda values: _given(values, item="item", bought="date", shop="shop") | _money(values, "price"),
        {"price": Act("amend", _other_price), "back": Act("end"), "again": Act("mention")},
    ),
    "trip": Kind(
        "travel.Trip",
        "travel",
        3,
        lambda world, day: (
            {"city": world.unused("cities")} | _span(world.day_after(day, 8, 40), world.chance.randint(2, 7))
        ),
        lambda values: _given(values, destination="city", departs="date", returns="end"),
        {
            "longer": Act(
                "amend", lambda values, world, _day: {"end": values["end"] + timedelta(days=world.chance.randint(1, 3))}
            ),
            "cancel": Act("end"),
            "again": Act("mention"),
        },
    ),
    "meeting": Kind(
        "calendar.Appointment",
        "calendar",
        6,
        lambda world, day: {
            "who": world.any("people"),
            "topic": world.any("topics"),
            "date": world.day_after(day, 1, 20),
            "at": world.clock(9, 16),
        },
        _meeting_fields,
        {"cancel": Act("end"), "move": Act("amend", _later_day), "again": Act("mention")},
        key=("topic", "date", "at"),
    ),
    "subscription": Kind(
        "finance.Subscription",
        "finance",
        3,
        lambda world, day: {
            "name": world.unused("services"),
            "price": world.price(4, 40),
            "date": day,
        },
        lambda values: _given(values, name="name") | _money(values, "price"),
        {"price": Act("amend", _other_price), "cancel": Act("end")},
    ),
    "profile": Kind(
        "people.Profile",
        "people",
        1,
        lambda world, day: {"firm": world.unused("firms"), "job": world.any("jobs"), "date": day},
        lambda values: (
            ({"work": f"{values['job']} at {values['firm']}"} if "firm" in values else {})
            | _given(values, lives_in="city")
        ),
        {
            "job": Act(
                "amend",
                lambda _values, world, _day: {
                    "firm": world.unused("firms"),
                    "job": world.any("jobs"),
                },
            ),
            "home": Act("amend", lambda _values, world, _day: {"city": world.unused("homes")}),
        },
    ),
    "person": Kind(
        "people.Person",
        "people",
        3,
        lambda world, _day: {
            "name": world.unused("full_names"),
            "relation": world.any("relations"),
            "city": world.any("homes"),
        },
        lambda values: _given(values, name="name", relation="relation", lives_in="city"),
        {
            "home": Act("amend", lambda _values, world, _day: {"city": world.any("homes")}),
            "relation": Act("amend", lambda _values, world, _day: {"relation": world.any("closer")}),
        },
        about="name",
    ),
    "medicine": Kind(
        "health.Medication",
        "health",
        2,
        lambda world, day: {
            "name": world.unused("medicines"),
            "dose": f"{world.chance.randint(1, 9) * 50} mg",
            "date": day,
        },
        lambda values: _given(values, name="name", dose="dose"),
        {
            "dose": Act("amend", lambda _values, world, _day: {"dose": f"{world.chance.randint(1, 9) * 50 + 25} mg"}),
            "stop": Act("end"),
        },
    ),
    "visit": Kind(
        "health.Visit",
        "health",
        3,
        lambda world, day: {
            "doctor": world.any("doctors"),
            "trouble": world.any("troubles"),
            "date": world.day_after(day, -5, 0),
        },
        lambda values: _given(values, what="trouble", day="date", doctor="doctor"),
        {
            "again": Act("mention"),
            "day": Act("amend", lambda values, _world, _day: {"date": values["date"] - timedelta(days=1)}),
        },
        key=("trouble", "date"),
    ),
    "payment": Kind(
        "finance.Transaction",
        "finance",
        4,
        lambda world, day: {
            "payee": world.any("payees"),
            "price": world.price(15, 400),
            "date": world.day_after(day, -4, 0),
            "what": world.any("reasons"),
        },
        lambda values: _given(values, payee="payee", on="date") | _money(values, "amount"),
        {"amount": Act("amend", _other_price), "again": Act("mention")},
    ),
    "workout": Kind(
        "leisure.Workout",
        "other",
        4,
        lambda world, day: {
            "sport": world.any("sports"),
            "date": world.day_after(day, -4, 0),
            "km": Decimal(world.chance.randint(4, 60)) / 2,
        },
        lambda values: _given(values, sport="sport", day="date", km="km"),
        {
            "distance": Act("amend", lambda values, world, _day: {"km": values["km"] + world.chance.randint(1, 3)}),
            "again": Act("mention"),
        },
    ),
    "deadline": Kind(
        "calendar.Deadline",
        "calendar",
        2,
        lambda world, day: {"what": world.unused("papers"), "date": world.day_after(day, 5, 40)},
        lambda values: _given(values, what="what", due="date"),
        {"move": Act("amend", _later_day), "done": Act("end")},
    ),
    "preference": Kind(
        "preferences.Preference",
        "other",
        4,
        _new_preference,
        lambda values: _given(values, topic="topic", choice="choice"),
        {"change": Act("amend", _other_choice), "again": Act("mention")},
    ),
    "allergy": Kind(
        "health.Allergy",
        "health",
        1,
        lambda world, _day: {"name": world.unused("allergens")},
        lambda values: _given(values, substance="name"),
    ),
}
"""The key of a record holds what a correction is likely to repeat."""


def _span(first: date, days: int) -> Values:
    return {"date": first, "end": first + timedelta(days=days)}


OWN_TYPES: Mapping[str, Mapping[str, Any]] = {
    "leisure.Workout": {
        "domain": "leisure",
        "name": "Workout",
        "doc": "A workout of the user.",
        "cardinality": "event",
        "fields": [
            {"name": "sport", "type": "str"},
            {"name": "day", "type": "date"},
            {"name": "km", "type": "Decimal | None"},
        ],
    },
    "preferences.Preference": {
        "domain": "preferences",
        "name": "Preference",
        "doc": "What the user likes best.",
        "cardinality": "many",
        "key": ["topic"],
        "fields": [{"name": "topic", "type": "str"}, {"name": "choice", "type": "str"}],
    },
}
"""Types that no pack offers, as a model would define them."""
