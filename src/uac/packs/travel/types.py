"""Trips, flights, hotels, and the papers they need."""


@one
class Profile:
    """Who the user is as a traveller. Needed to know which trips cross a border."""

    name: str | None
    "As the user's tickets should have it."
    citizenships: list[str]
    "English names of countries."
    home: str | None
    "The city the user lives in."
    home_country: str | None
    seats: list[str]
    "Wishes in the user's words: window on flights under six hours."
    meals: list[str]
    airlines: list[str]
    programs: list[str]
    "Frequent flyer and loyalty programs."


@many("holder")
class Passport:
    """A passport. A renewed one is put for the same holder, with null for what held of the old one only."""

    holder: str
    "'me' for the user, else the person as the user calls them. A second passport of the user: 'me (Italy)'."
    name: str | None
    "As printed in the passport."
    country: str | None
    "The country that issued it, by its English name."
    number: str | None
    issued: date | None
    expires: date | None
    "The last day on which it is valid."
    blank_pages: int | None


@many("holder", "country")
class Visa:
    """A visa or an electronic travel permit. End one that is used up or replaced before the next is put."""

    holder: str
    "'me' for the user, else the person as the user calls them."
    country: str
    "The country it is for, or 'Schengen area'."
    entries: Literal["single", "double", "multiple"] | None
    valid_from: date | None
    valid_until: date | None
    "The last day on which it is valid."
    stay_days: int | None
    "The most days of one stay, as written in it."
    kind: str | None
    "tourist, work, student, residence, ESTA…"
    number: str | None


@many("holder", "what")
class Document:
    """A paper that is no passport and no visa: driving licence, certificate, residence permit…"""

    holder: str
    "'me' for the user, else the person as the user calls them."
    what: str
    "driving licence, yellow fever certificate, residence permit, identity card…"
    number: str | None
    country: str | None
    issued: date | None
    expires: date | None
    "The last day on which it is valid."


@event("destination", "departs")
class Trip:
    """A journey of the user, past or to come. A cancelled one is ended."""

    destination: str
    country: str | None
    "English name of the country; of a tour the first one, the others are stops."
    departs: date | None
    "None while it is only an idea."
    returns: date | None
    departs_at: time | None
    means: Literal["flight", "car", "train", "ship", "other"] | None
    flight: str | None
    "The number of the flight."
    stops: list[str]
    "Places or countries passed through."
    travellers: list[str]
    "Those who come along, other than the user, named as in the booking."
    activities: list[str]
    "scuba diving, trekking…"
    remote: bool | None
    "No shops or pharmacies nearby."
    highest_m: int | None
    "The greatest altitude in metres."
    purpose: str | None
    state: Literal["idea", "planned", "booked"] | None
    origin: str | None
    "Where it begins, if not at home."
    international: bool | None
    "Whether it crosses a border, if that is plain from the words."
    arrives: date | None
    "The local date of arrival, if it is later than the departure."
    returns_at: time | None
    "When the journey back begins."
    layover_hours: float | None
    "The longest stop on the way."
    ticket_name: str | None
    "The user's name as on the ticket."
    needs: list[str]
    "Papers the trip asks for: yellow fever certificate, driving licence…"
    nights: int | None
    cost: Money | None
    "Of the whole trip, as far as known."
    notes: str | None


@event("origin", "departs")
class Flight:
    """One flight of a journey, with its times."""

    origin: str
    destination: str | None
    departs: datetime
    "With the offset of the place of departure."
    arrives: datetime | None
    "With the offset of the place of arrival."
    number: str | None
    cost: Money | None


@event("name", "checks_in")
class Stay:
    """A booked hotel or other lodging."""

    name: str
    place: str | None
    "The city."
    checks_in: date
    checks_out: date | None
    "The day of departure, not the last night."
    checks_in_at: time | None
    "The earliest time the room can be had."
    checks_out_at: time | None
    "The time by which it must be left."
    nights: int | None
    price: Money | None
    "Of the whole stay."
    per_night: Money | None
    notes: str | None
