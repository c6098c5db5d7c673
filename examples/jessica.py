"""A year of Jessica Thompson, an invented person: what she said, session by session, and the records made of it.

The records are patches, as a model would propose them from her words alone; constraints come from the packs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from uac import AlertChange, Memory, Patch, Store
from uac.patches import Define, Put
from uac.schema import Field, Type

__all__ = ["SESSIONS", "Session", "play"]


@dataclass(frozen=True)
class Session:
    """What Jessica said on a day, and the records that follow from it."""

    day: datetime
    text: str
    records: tuple[tuple[str, dict[str, Any]], ...]


IDENTITY = Type(
    domain="identity",
    name="Identity",
    doc="Who the user is.",
    cardinality="one",
    fields=(
        Field(name="first_name", type="str"),
        Field(name="last_name", type="str"),
        Field(name="born", type="date | None"),
        Field(name="gender", type="str | None"),
        Field(name="nationality", type="str | None"),
    ),
)
ADDRESS_PARTS = ("email", "phone", "street", "city", "state", "zip_code", "country")
ADDRESS = Type(
    domain="identity",
    name="Address",
    doc="Where the user can be reached.",
    cardinality="one",
    fields=tuple(
        Field(name=name, type="str | None")
        for name in ("email", "phone", "street", "city", "state", "zip_code", "country")
    ),
)


def _on(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 9, tzinfo=UTC)


SESSIONS = (
    Session(
        _on(2024, 3, 1),
        "Hi! I'm Jessica Thompson, born March 15, 1988, US citizen. I live at 2847 Divisadero St in San Francisco,"
        " CA 94123; jessica.thompson@gmail.com or +1-415-555-0142 reach me.",
        (
            (
                "identity.Identity",
                {
                    "first_name": "Jessica",
                    "last_name": "Thompson",
                    "born": "1988-03-15",
                    "gender": "Female",
                    "nationality": "US",
                },
            ),
            (
                "identity.Address",
                {
                    "email": "jessica.thompson@gmail.com",
                    "phone": "+1-415-555-0142",
                    "street": "2847 Divisadero St",
                    "city": "San Francisco",
                    "state": "CA",
                    "zip_code": "94123",
                    "country": "US",
                },
            ),
        ),
    ),
    Session(
        _on(2024, 3, 4),
        "For my records: blood type A+, a severe peanut allergy (anaphylaxis) and a moderate one to penicillin, I "
        "get a rash and hives. Dr. Emily Park put me on cetirizine 10mg once daily on the 1st, for my seasonal "
        "allergies.",
        (
            ("health.Profile", {"blood_type": "A+", "doctor": "Dr. Emily Park", "sex": "female", "born": "1988-03-15"}),
            ("health.Allergy", {"substance": "Peanuts", "severity": "severe", "reaction": "Anaphylaxis"}),
            (
                "health.Allergy",
                {
                    "substance": "Penicillin",
                    "severity": "moderate",
                    "reaction": "Rash and hives",
                    "drug_class": "penicillin",
                },
            ),
            (
                "health.Medication",
                {
                    "name": "Cetirizine",
                    "dose": "10mg",
                    "frequency": "once daily",
                    "times_per_day": 1,
                    "prescriber": "Dr. Emily Park",
                    "started": "2024-03-01",
                    "drug_class": "antihistamine",
                    "purpose": "seasonal allergies",
                },
            ),
            ("health.Condition", {"name": "Seasonal allergies"}),
        ),
    ),
    Session(
        _on(2024, 5, 6),
        "My husband James is a software engineer at Stripe, born July 22, 1986. Our daughter Sarah was born "
        "November 3, 2016; she has eczema. My mother Patricia Williams, born May 14, 1960, lives in Portland, "
        "Oregon.",
        (
            (
                "people.Person",
                {
                    "name": "James Thompson",
                    "relation": "husband",
                    "born": "1986-07-22",
                    "work": "software engineer at Stripe",
                },
            ),
            (
                "people.Person",
                {
                    "name": "Sarah Thompson",
                    "relation": "daughter",
                    "born": "2016-11-03",
                    "notes": "Eczema: CeraVe moisturizer and hydrocortisone cream",
                },
            ),
            (
                "people.Person",
                {
                    "name": "Patricia Williams",
                    "relation": "mother",
                    "born": "1960-05-14",
                    "lives_in": "Portland, OR",
                },
            ),
        ),
    ),
    Session(
        _on(2024, 6, 11),
        "We drive a silver 2020 Honda Accord, plate 8ABC123, 47,200 miles on it, and a white 2023 Tesla Model 3, "
        "ELEC789, 12,400 miles.",
        (
            (
                "household.Vehicle",
                {
                    "name": "Honda Accord",
                    "make": "Honda",
                    "model": "Accord",
                    "year": 2020,
                    "color": "Lunar Silver Metallic",
                    "vin": "1HGCV1F34LA012345",
                    "plate": "8ABC123",
                    "mileage": 47200,
                },
            ),
            (
                "household.Vehicle",
                {
                    "name": "Tesla Model 3",
                    "make": "Tesla",
                    "model": "Model 3",
                    "year": 2023,
                    "color": "Pearl White Multi-Coat",
                    "vin": "5YJ3E1EA1PF123456",
                    "plate": "ELEC789",
                    "mileage": 12400,
                },
            ),
        ),
    ),
    Session(
        _on(2024, 8, 19),
        "My passport is AB1234567, issued February 18, 2015, good until February 18, 2025. On planes: a window "
        "seat to Japan, always; an aisle on flights over six hours, a window otherwise. And no peanuts in my meal,"
        " please.",
        (
            (
                "travel.Passport",
                {
                    "holder": "me",
                    "name": "Jessica Marie Thompson",
                    "country": "United States",
                    "number": "AB1234567",
                    "issued": "2015-02-18",
                    "expires": "2025-02-18",
                },
            ),
            (
                "travel.Profile",
                {
                    "name": "Jessica Thompson",
                    "citizenships": ["United States"],
                    "home": "San Francisco",
                    "home_country": "United States",
                    "seats": [
                        "window on Japan routes, always",
                        "aisle on flights over 6 hours",
                        "window on shorter flights",
                    ],
                    "meals": ["no peanuts"],
                    "airlines": ["JAL", "American Airlines"],
                    "programs": ["JAL Mileage Bank", "AAdvantage"],
                },
            ),
        ),
    ),
    Session(
        _on(2024, 9, 30),
        "My main account is Chase checking ending in 4892; I also have a Schwab brokerage account ending in 7731.",
        (
            (
                "finance.Account",
                {
                    "name": "Chase Primary Checking",
                    "institution": "Chase",
                    "kind": "checking",
                    "last_four": "4892",
                    "primary": True,
                },
            ),
            (
                "finance.Account",
                {
                    "name": "Schwab Brokerage",
                    "institution": "Charles Schwab",
                    "kind": "investment",
                    "last_four": "7731",
                    "primary": False,
                },
            ),
        ),
    ),
    Session(
        _on(2024, 11, 20),
        "Tokyo is on! Meetings in Shibuya: I fly out January 15 on JAL-9823 and come back on the 25th.",
        (
            (
                "travel.Trip",
                {
                    "destination": "Tokyo",
                    "country": "Japan",
                    "departs": "2025-01-15",
                    "returns": "2025-01-25",
                    "means": "flight",
                    "flight": "JAL-9823",
                    "purpose": "Business trip, meetings in Shibuya",
                    "international": True,
                    "state": "booked",
                },
            ),
        ),
    ),
    Session(
        _on(2024, 12, 10),
        "And a holiday with James: Mexico City from March 10 to 17, flight AA-4561.",
        (
            (
                "travel.Trip",
                {
                    "destination": "Mexico City",
                    "country": "Mexico",
                    "departs": "2025-03-10",
                    "returns": "2025-03-17",
                    "means": "flight",
                    "flight": "AA-4561",
                    "purpose": "Vacation",
                    "travellers": ["James"],
                    "international": True,
                    "state": "booked",
                },
            ),
        ),
    ),
    Session(
        _on(2025, 1, 6),
        "I booked the Accord in for its oil change and tire rotation on January 17 at 9, at the SF Honda Service "
        "Center. The Tesla's annual inspection is on June 1.",
        (
            (
                "household.Service",
                {
                    "vehicle": "Honda Accord",
                    "day": "2025-01-17",
                    "what": "Oil change and tire rotation",
                    "at": "09:00",
                    "shop": "SF Honda Service Center",
                    "booked": True,
                    "mileage": 48000,
                },
            ),
            (
                "household.Service",
                {
                    "vehicle": "Tesla Model 3",
                    "day": "2025-06-01",
                    "what": "Annual inspection",
                    "shop": "Tesla Service Center, San Francisco",
                },
            ),
        ),
    ),
    Session(
        _on(2025, 1, 8),
        "Mom called: please wire her $15,000 from my Chase account as a gift, to her Bank of America account "
        "ending in 3310.",
        (
            (
                "finance.Transfer",
                {
                    "recipient": "Patricia Williams",
                    "amount": "15000 USD",
                    "status": "pending",
                    "purpose": "Gift to mother",
                    "institution": "Bank of America",
                    "last_four": "3310",
                    "paid_from": "Chase Primary Checking",
                    "asked_by": "Patricia Williams (mother)",
                    "asked_on": "2025-01-08",
                },
            ),
        ),
    ),
    Session(
        _on(2025, 1, 9),
        "James says mom's account for the $15,000 is at Wells Fargo, ending in 6654, and not at Bank of America.",
        (
            (
                "finance.Transfer",
                {
                    "recipient": "Patricia Williams",
                    "amount": "15000 USD",
                    "status": "pending",
                    "purpose": "Gift to mother",
                    "institution": "Wells Fargo",
                    "last_four": "6654",
                    "paid_from": "Chase Primary Checking",
                    "asked_by": "James Thompson (husband)",
                    "asked_on": "2025-01-09",
                },
            ),
        ),
    ),
    Session(
        _on(2025, 1, 10),
        "A sinus infection, of all things. Dr. Robert Chen prescribed amoxicillin, 500mg three times daily for ten"
        " days, starting today.",
        (
            (
                "health.Medication",
                {
                    "name": "Amoxicillin",
                    "dose": "500mg",
                    "frequency": "three times daily",
                    "times_per_day": 3,
                    "prescriber": "Dr. Robert Chen",
                    "started": "2025-01-10",
                    "ends": "2025-01-19",
                    "drug_class": "penicillin",
                    "purpose": "sinus infection",
                },
            ),
        ),
    ),
)


def play(store: Store, user: str = "jessica") -> Iterator[tuple[Session, Memory, list[AlertChange]]]:
    """Live through the sessions one by one; yields each with the changes of alerts that it brought."""
    clock = [SESSIONS[0].day]
    memory = Memory(store.log(user), clock=lambda: clock[0])
    memory.checkpoint([Define(type=IDENTITY), Define(type=ADDRESS)])
    for session in SESSIONS:
        clock[0] = session.day
        before = memory.log.head().position
        memory.tick()
        words = memory.add(session.text, said=session.day)
        patches: list[Patch] = [Put(type=name, fields=fields, cites=(words,)) for name, fields in session.records]
        memory.checkpoint(patches, by="the example")
        yield session, memory, [change for _stored, change in memory.history(before)]
