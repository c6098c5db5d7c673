"""The five cases of the story as they are told: words, and what an agent makes of them. All people are made up.

An agent's part (facts and records) is written here; whatever follows from it is computed when the page is built.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from uac.schema import Role

__all__ = ["CASES", "RIDES", "CaseQuestion", "StoryCase", "Turn"]

RIDES = "finance.Transaction"


@dataclass(frozen=True, slots=True)
class Turn:
    """Words with their day, and the facts and records of the agent. Facts are texts with their quotes."""

    said: datetime
    text: str
    facts: tuple[tuple[str, str], ...] = ()
    records: tuple[dict[str, Any], ...] = ()
    speaker: str = "Ana"
    role: Role = "user"


@dataclass(frozen=True, slots=True)
class CaseQuestion:
    """A question that code answers, before the last turn and after it."""

    text: str
    code: str


@dataclass(frozen=True, slots=True)
class StoryCase:
    """A case: what it is about, what is said, and the constraint that is to notice it."""

    name: str
    title: str
    lead: str
    moral: str
    turns: Sequence[Turn]
    constraint: str
    file: str
    """The file of the project that the case shows."""
    question: CaseQuestion
    explained: tuple[str, str] | None = None
    """A record and a field whose value is explained."""
    is_counted: bool = False
    """Whether the question is also answered from what retrieval finds."""


def _day(text: str, hour: int = 9, minute: int = 0) -> datetime:
    return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC) + timedelta(hours=hour, minutes=minute)


def _put(type_name: str, *cites: int, **fields: Any) -> dict[str, Any]:
    return {"op": "put", "type": type_name, "fields": fields, "cites": list(cites)}


ALLERGY = StoryCase(
    name="allergy",
    title="A prescription meets an allergy",
    lead="In November Ana mentions an allergy. In March a dentist prescribes something, and nobody asks about"
    " allergies.",
    moral="The prescription does not mention penicillin. A table of the health pack knows that amoxicillin is one, and"
    " a rule compares every medicine with every allergy whenever either changes.",
    turns=(
        Turn(
            _day("2025-11-03", 18, 20),
            "I get hives from penicillin, it was bad when I was a child.",
            (("The user gets hives from penicillin.", "I get hives from penicillin"),),
            (_put("health.Allergy", 1, substance="penicillin", reaction="hives"),),
        ),
        Turn(_day("2025-12-14", 20, 5), "Can you find me a recipe for plum cake? Like my grandmother's."),
        Turn(
            _day("2026-03-12", 16, 40),
            "Back from the dentist. Dr. Weber gave me amoxicillin for my tooth.",
            (("Dr. Weber gave the user amoxicillin for a tooth.", "Dr. Weber gave me amoxicillin for my tooth"),),
            (_put("health.Medication", 1, name="amoxicillin", prescriber="Dr. Weber", purpose="tooth"),),
        ),
    ),
    constraint="drug_allergy",
    file="domains/health/state.py",
    question=CaseQuestion("Which medicines am I taking?", "[m.name for m in health.medications]"),
)

PASSPORT = StoryCase(
    name="passport",
    title="A passport that is valid, and still too short",
    lead="The passport is valid for the whole trip. But the country asks for six months more, counted from the"
    " arrival.",
    moral="The rule does date arithmetic with a table of entry rules, whose rows have their sources."
    " It ran because a trip was added, not because somebody asked.",
    turns=(
        Turn(
            _day("2026-01-20", 19, 2),
            "I live in Berlin. My German passport is valid until 10 February 2027.",
            (
                ("The user lives in Berlin.", "I live in Berlin"),
                (
                    "The user's German passport is valid until 10 February 2027.",
                    "My German passport is valid until 10 February 2027",
                ),
            ),
            (
                _put("travel.Profile", 1, home="Berlin"),
                _put("travel.Passport", 2, holder="me", country="Germany", expires="2027-02-10"),
            ),
        ),
        Turn(
            _day("2026-05-08", 21, 30),
            "I just booked Mumbai! 3 September 2026 until 24 September 2026, finally.",
            (
                (
                    "The user booked a trip to Mumbai from 3 September 2026 until 24 September 2026.",
                    "I just booked Mumbai! 3 September 2026 until 24 September 2026",
                ),
            ),
            (
                _put(
                    "travel.Trip",
                    1,
                    destination="Mumbai",
                    country="India",
                    departs="2026-09-03",
                    returns="2026-09-24",
                    state="booked",
                ),
            ),
        ),
    ),
    constraint="passport_validity",
    file="domains/travel/state.py",
    question=CaseQuestion(
        "How many days is my passport valid after my last trip?",
        "[(p.expires - t.returns).days for p in travel.passports for t in travel.trips]",
    ),
)

TRANSFERS = StoryCase(
    name="transfers",
    title="Two transfers that cannot both be right",
    lead="Ana owes a carpenter money and has an account number. Weeks later an e-mail names another account.",
    moral="Both instructions are kept, each with its source. A memory in which the newer text replaces the older one"
    " would know only the account in the e-mail.",
    turns=(
        Turn(
            _day("2026-02-02", 10, 12),
            "I have to send 2,400 EUR to Petra Lang for the kitchen, to her ING account ending in 4471.",
            (
                (
                    "The user has to send 2,400 EUR to Petra Lang for the kitchen, to her ING account ending in 4471.",
                    "I have to send 2,400 EUR to Petra Lang for the kitchen, to her ING account ending in 4471",
                ),
            ),
            (
                _put(
                    "finance.Transfer",
                    1,
                    recipient="Petra Lang",
                    amount="2400 EUR",
                    status="pending",
                    purpose="kitchen",
                    institution="ING",
                    last_four="4471",
                ),
            ),
        ),
        Turn(
            _day("2026-02-25", 8, 3),
            "Dear customer, our bank has changed. Please send the 2,400 EUR to Petra Lang for the kitchen to the"
            " Revolut account ending in 9038.",
            (
                (
                    "The 2,400 EUR to Petra Lang for the kitchen are to be sent to the Revolut account ending in 9038.",
                    "Please send the 2,400 EUR to Petra Lang for the kitchen to the Revolut account ending in 9038",
                ),
            ),
            (
                _put(
                    "finance.Transfer",
                    1,
                    recipient="Petra Lang",
                    amount="2400 EUR",
                    status="pending",
                    purpose="kitchen",
                    institution="Revolut",
                    last_four="9038",
                ),
            ),
            speaker="e-mail",
            role="document",
        ),
    ),
    constraint="conflicting_transfers",
    file="domains/finance/state.py",
    question=CaseQuestion(
        "Where is the money for the kitchen to go?",
        "[f'{t.institution} {t.last_four}' for t in finance.transfers if t.purpose == 'kitchen']",
    ),
)

GYM = "finance.Subscription:gym"

CORRECTION = StoryCase(
    name="correction",
    title="A correction changes the answer, and says why",
    lead="Ana remembers a date wrongly, and says so two months later. What she said first stays in the log: the"
    " newer sentence counts.",
    moral="The answer changes and a warning comes in time. Both sentences are still there, and the memory can say what"
    " it believed on any day, and on whose word.",
    turns=(
        Turn(
            _day("2026-01-12", 18, 45),
            "My gym membership renews on 1 June 2026 and asks for 30 days of notice. I want to cancel it.",
            (
                (
                    "The user's gym membership renews on 1 June 2026 and asks for 30 days of notice.",
                    "My gym membership renews on 1 June 2026 and asks for 30 days of notice",
                ),
                ("The user wants to cancel the gym membership.", "I want to cancel it"),
            ),
            (
                _put(
                    "finance.Subscription", 1, 2, name="gym", renews="2026-06-01", notice_days=30, wants_to_cancel=True
                ),
            ),
        ),
        Turn(
            _day("2026-03-24", 7, 50),
            "I was wrong about the gym. I found the contract: it renews on 1 May 2026, not 1 June.",
            (
                (
                    "The gym membership renews on 1 May 2026, not 1 June.",
                    "it renews on 1 May 2026, not 1 June",
                ),
            ),
            ({"op": "amend", "record": GYM, "fields": {"renews": "2026-05-01"}, "cites": [1]},),
        ),
    ),
    constraint="subscription_renewal",
    file="domains/finance/state.py",
    question=CaseQuestion(
        "What is the last day on which I can cancel the gym?",
        "[s.renews - timedelta(days=s.notice_days) for s in finance.subscriptions if s.name == 'gym'][0]",
    ),
    explained=(GYM, "renews"),
)

# -- the count ---------------------------------------------------------------------------------------------------------

TOLD = (
    "Took a taxi home from {place} today, {price} EUR.",
    "Taxi to {place} this morning, that was {price} EUR.",
    "It rained, so I took a taxi to {place} today. {price} EUR!",
    "Paid {price} EUR for a taxi to {place} today.",
    "Today a taxi again: from {place} to the office, {price} EUR.",
    "Late for {place}, so a taxi today, {price} EUR.",
)
PLACES = "the theatre,the airport,the clinic,the station,my sister's,the climbing hall,the market,the lake".split(",")
ASIDE = (
    "My sister took a taxi to the airport and paid far too much.",
    "How many taxis are there in Berlin, do you know?",
    "The taxi drivers are on strike next week, I read.",
    "I walked home instead of taking a taxi, it was lovely.",
    "Do taxis in Lisbon take cards?",
    "The bike has a flat tyre again.",
    "I had soup for lunch, nothing special.",
    "Rewrite this e-mail to the landlord, please, more politely.",
    "What is the difference between a fjord and a bay?",
    "I slept badly, the neighbours had a party.",
)
LIMIT = Turn(
    _day("2026-01-02", 9, 15),
    "I want to spend at most 170 EUR a month on taxis.",
    (
        (
            "The user wants to spend at most 170 EUR a month on taxis.",
            "I want to spend at most 170 EUR a month on taxis",
        ),
    ),
    (_put("finance.Limit", 1, covers="taxi", per="month", amount="170 EUR"),),
)


def _rides(number: int = 41, seed: int = 7) -> tuple[Turn, ...]:
    """Rides in January, February and March, between them other things, some of them about other people's taxis."""
    chance = random.Random(seed)
    days = [*sorted(chance.sample(range(88), number - 1)), 88]
    turns: list[Turn] = [LIMIT]
    for place, offset in enumerate(days):
        said = _day("2026-01-03", chance.randrange(7, 22), chance.randrange(60)) + timedelta(days=offset - 1)
        price = f"{chance.randrange(900, 2400) / 100:.2f}"
        where = chance.choice(PLACES)
        text = TOLD[place % len(TOLD)].format(place=where, price=price)
        fact = f"The user took a taxi ({where}) on {said:%-d %B %Y} for {price} EUR."
        ride = _put(RIDES, 1, payee="taxi", amount=f"{price} EUR", on=f"{said:%F}", category="taxi", what=where)
        turns += [Turn(said - timedelta(minutes=9), chance.choice(ASIDE))] if chance.random() < 0.8 else []
        turns.append(Turn(said, text, ((fact, text.rstrip(".!")),), (ride,)))
    return tuple(turns)


COUNT = StoryCase(
    name="count",
    title="A count that retrieval gets wrong",
    lead="For three months Ana mentions taxi rides in passing. Then she asks how many there were. No single sentence"
    " has the answer.",
    moral="The nearest sentences are not all sentences. Whatever reads them afterwards, a model or a person, cannot"
    " count what was not found; and some of what was found is about other people's taxis.",
    turns=_rides(),
    constraint="budget_exceeded",
    file="domains/finance/state.py",
    question=CaseQuestion(
        "How many taxi rides did I take, and what did they cost?",
        "rides = [t for t in finance.transactions if t.category == 'taxi']\n"
        "f'{len(rides)} rides, {sum(t.amount.amount for t in rides)} EUR'",
    ),
    is_counted=True,
)

CASES = (ALLERGY, PASSPORT, TRANSFERS, COUNT, CORRECTION)
