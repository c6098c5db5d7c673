"""What happens in a made-up user's life: kinds of things, what may become of each, and the record each should be."""

import random
from collections.abc import Callable, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = ["KINDS", "WORKOUT", "Act", "Kind", "Values", "World"]

Values: TypeAlias = dict[str, Any]
"""The values of a thing by slot: text, date, time or Decimal."""


class World:
    """The names that occur in one life. Some come up again and again, so that things resemble each other."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.places = chance.sample(PLACES, 5)
        self.people = chance.sample(PEOPLE, 7)
        self.payees = chance.sample(PAYEES, 5)
        self.doctors = chance.sample(DOCTORS, 3)
        self._unused: dict[str, list[str]] = {}

    def unused(self, name: str, values: tuple[str, ...]) -> str:
        """A value that this life has not used yet; empty when all are used."""
        left = self._unused.setdefault(name, self.chance.sample(values, len(values)))
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


KINDS: Mapping[str, Kind] = {
    "meal": Kind(
        "food.Booking",
        "food",
        6,
        lambda world, day: {
            "place": world.chance.choice(world.places),
            "date": world.day_after(day, 1, 16),
            "at": world.clock(18, 20),
            "who": world.chance.choice(world.people),
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
    ),
    "purchase": Kind(
        "household.Purchase",
        "household",
        6,
        lambda world, day: {
            "item": world.unused("item", ITEMS),
            "shop": world.chance.choice(SHOPS),
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
            {"city": world.unused("city", CITIES)} | _span(world.day_after(day, 8, 40), world.chance.randint(2, 7))
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
            "who": world.chance.choice(world.people),
            "topic": world.chance.choice(TOPICS),
            "date": world.day_after(day, 1, 20),
            "at": world.clock(9, 16),
        },
        _meeting_fields,
        {"cancel": Act("end"), "move": Act("amend", _later_day), "again": Act("mention")},
    ),
    "subscription": Kind(
        "finance.Subscription",
        "finance",
        3,
        lambda world, day: {
            "name": world.unused("subscription", SERVICES),
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
        lambda world, day: {"firm": world.unused("firm", FIRMS), "job": world.chance.choice(JOBS), "date": day},
        lambda values: (
            ({"work": f"{values['job']} at {values['firm']}"} if "firm" in values else {})
            | _given(values, lives_in="city")
        ),
        {
            "job": Act(
                "amend",
                lambda _values, world, _day: {
                    "firm": world.unused("firm", FIRMS),
                    "job": world.chance.choice(JOBS),
                },
            ),
            "home": Act("amend", lambda _values, world, _day: {"city": world.unused("home", HOMES)}),
        },
    ),
    "person": Kind(
        "people.Person",
        "people",
        3,
        lambda world, _day: {
            "name": world.unused("person", FULL_NAMES),
            "relation": world.chance.choice(RELATIONS),
            "city": world.chance.choice(HOMES),
        },
        lambda values: _given(values, name="name", relation="relation", lives_in="city"),
        {
            "home": Act("amend", lambda _values, world, _day: {"city": world.chance.choice(HOMES)}),
            "relation": Act("amend", lambda _values, world, _day: {"relation": world.chance.choice(CLOSER)}),
        },
        about="name",
    ),
    "medicine": Kind(
        "health.Medication",
        "health",
        2,
        lambda world, day: {
            "name": world.unused("medicine", MEDICINES),
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
            "doctor": world.chance.choice(world.doctors),
            "trouble": world.chance.choice(TROUBLES),
            "date": world.day_after(day, -5, 0),
        },
        lambda values: _given(values, what="trouble", day="date", doctor="doctor"),
        {
            "again": Act("mention"),
            "day": Act("amend", lambda values, _world, _day: {"date": values["date"] - timedelta(days=1)}),
        },
    ),
    "payment": Kind(
        "finance.Transaction",
        "finance",
        4,
        lambda world, day: {
            "payee": world.chance.choice(world.payees),
            "price": world.price(15, 400),
            "date": world.day_after(day, -4, 0),
            "what": world.chance.choice(REASONS),
        },
        lambda values: _given(values, payee="payee", on="date") | _money(values, "amount"),
        {"amount": Act("amend", _other_price), "again": Act("mention")},
    ),
    "workout": Kind(
        "leisure.Workout",
        "other",
        4,
        lambda world, day: {
            "sport": world.chance.choice(SPORTS),
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
        lambda world, day: {"what": world.unused("paper", PAPERS), "date": world.day_after(day, 5, 40)},
        lambda values: _given(values, what="what", due="date"),
        {"move": Act("amend", _later_day), "done": Act("end")},
    ),
}
"""The key of a record holds what a correction is likely to repeat."""


def _span(first: date, days: int) -> Values:
    return {"date": first, "end": first + timedelta(days=days)}


WORKOUT = {
    "domain": "leisure",
    "name": "Workout",
    "doc": "A workout of the user.",
    "cardinality": "event",
    "fields": [
        {"name": "sport", "type": "str"},
        {"name": "day", "type": "date"},
        {"name": "km", "type": "Decimal | None"},
    ],
}
"""A type that no pack offers, as a model would define it."""

PLACES = (
    *("Osteria Nove", "Kobe Corner", "Mae's Diner", "Zum Anker", "Taverna Elia", "Bao House", "The Crooked Spoon"),
    *("La Paloma", "Grüner Baum", "Sushi Tano", "Bistro Colette", "The Old Mill"),
)
PEOPLE = (
    *("Priya", "Tomasz", "Ingrid", "Marco", "Yara", "Henning", "Lucía", "Oskar", "Noor", "Fiona", "Dmitri", "Amélie"),
    *("Kofi", "Greta"),
)
PAYEES = (
    "Voss Plumbing",
    "City Gas",
    "Nordhaus",
    "Dr. Amin",
    "Helga Kern",
    "Brightline",
    "Ortega Motors",
    "Tilda Moss",
)
DOCTORS = ("Dr. Hallberg", "Dr. Osei", "Dr. Marchetti", "Dr. Lindqvist", "Dr. Sand")
TROUBLES = ("left knee", "lower back", "migraine", "right shoulder", "stomach", "rash", "left wrist")
ITEMS = (
    *("bed liner", "kettle", "rain jacket", "floor lamp", "pressure cooker", "office chair", "bike rack", "tent"),
    *("toaster", "camping stove", "air purifier", "bread knife", "yoga mat", "monitor arm", "hammock", "dehumidifier"),
    *("label printer", "wool blanket", "cast-iron pan", "garden hose", "desk fan", "head torch", "picnic basket"),
    *("soldering iron", "chess set", "travel adapter", "shoe rack", "espresso grinder", "bird feeder", "step ladder"),
)
SHOPS = ("Lidl", "Globus", "Argos", "Hornbach", "Decathlon", "Manufactum", "Halfords", "Ikea")
CITIES = (
    *("Lisbon", "Vienna", "Oslo", "Porto", "Ghent", "Turin", "Kraków", "Bergen", "Bilbao", "Zagreb", "Malmö"),
    *("Trieste", "Leipzig", "Nantes", "Riga", "Sofia", "Naples", "Seville", "Tallinn", "Lyon", "Split", "Cork"),
)
HOMES = ("Bristol", "Leeds", "Utrecht", "Freiburg", "Graz", "Valencia", "Aarhus", "Basel", "Galway", "Bremen", "Metz")
TOPICS = ("roadmap", "budget", "lease", "hiring plan", "garden fence", "school play", "audit", "tax return", "website")
SERVICES = (
    *("BarnCam", "Readly", "Stretchly", "CloudBox", "PodPass", "MealMap", "Tunewell", "ParkNow", "Fitora", "NewsDesk"),
    *("PixelVault", "LinguaLeap", "WineWire", "ChefsTable Plus"),
)
FIRMS = ("Northwind", "Alder & Finch", "Kestrel Labs", "Bluewater", "Hansa Werke", "Solana Foods", "Meridian Rail")
JOBS = ("data analyst", "project lead", "bookkeeper", "lab technician", "editor", "planner")
FULL_NAMES = (
    *("Mara Keller", "Jonas Peters", "Ines Santos", "Pavel Novak", "Greta Lind", "Bruno Duval", "Edith Okafor"),
    *("Yusuf Demir", "Clara Brenner", "Viktor Hansen", "Leila Kowalski", "Tom Marsh", "Rosa Vidal", "Anna Berg"),
)
RELATIONS = ("colleague", "neighbour", "cousin", "old friend", "landlord", "music teacher")
CLOSER = ("business partner", "best friend", "sister-in-law", "flatmate")
MEDICINES = ("magnesium", "omeprazole", "loratadine", "metformin", "cetirizine", "melatonin", "biotin", "ramipril")
REASONS = ("boiler", "dog sitter", "car service", "school trip", "gas bill", "window repair", "old loan")
SPORTS = ("running", "swimming", "cycling", "rowing")
PAPERS = (
    *("visa form", "tax return", "thesis chapter", "insurance claim", "grant proposal", "rent appeal", "school form"),
    *("expense report", "library books", "tender"),
)
