"""A life to inspect that is watched: money spent, a medicine against an allergy, two words on a passport, calls paid."""

import re
from datetime import datetime
from decimal import Decimal
from html import unescape

from fastapi import FastAPI

from support.browser import HOSTILE, Lives, Teller
from support.constraints import case, constraint, given
from support.short_logs import type_of
from uac import Memory
from uac.interfaces.http import make_app
from uac.interfaces.inspector import mount
from uac.schema.constraint_files import parse_constraint
from uac.schema.entries import ModelCall
from uac.schema.patches import Define, SetAside

__all__ = ["BEN", "EVIL", "app_watched", "hostile_life", "watched_life", "words"]

BEN = "/inspector/users/ben"
EVIL = "/inspector/users/evil"

TYPES = (
    type_of(
        "travel.Trip",
        cardinality="event",
        city="str",
        start="date",
        cost="Money | None",
        purpose="Literal['work', 'leisure']",
    ),
    type_of("travel.Passport", key=["number"], number="str", expires="date", policy={"expires": "ask"}),
    type_of(
        "spending.Expense",
        cardinality="event",
        shop="str",
        category="Literal['food', 'home', 'fun']",
        amount="Money",
        on="date",
    ),
    type_of("health.Allergy", key=["substance"], substance="str", reaction="str | None"),
    type_of("health.Medication", key=["name"], name="str", contains="str", dose="str | None", tags="list[str]"),
    type_of("health.Weight", cardinality="event", on="date", kilos="Decimal"),
)

NO_ALLERGEN = parse_constraint(
    '''\
def no_allergen(user, now):
    """A medication holds what the user is allergic to."""
    return [
        critical(f"{m.name} contains {m.contains}, and you are allergic to {a.substance}.", m, a)
        for m in user.health.medications
        for a in user.health.allergies
        if same(m.contains, a.substance)
    ]


CASES = [
    fires("both", date(2026, 1, 10), health.Allergy(substance="nuts"), health.Medication(name="bar", contains="nuts")),
    silent("other", date(2026, 1, 10), health.Allergy(substance="nuts"), health.Medication(name="bar", contains="rice")),
]
''',
    "no_allergen",
    origin="person",
)

SPENT = (
    ("Corner shop", "food", "31.20 EUR", "2025-11-08"),
    ("Corner shop", "food", "44.80 EUR", "2025-12-03"),
    ("Lamp house", "home", "129.00 EUR", "2025-12-20"),
    ("Cinema", "fun", "24.00 EUR", "2026-01-05"),
    ("Corner shop", "food", "52.10 EUR", "2026-01-17"),
    ("Night train", "fun", "80.00 CHF", "2026-02-02"),
)
TRIPS = (
    ("Lisbon", "2025-12-05", "640.00 EUR", "leisure"),
    ("Vienna", "2026-01-16", "310.50 EUR", "work"),
    ("Oslo", "2026-01-29", "150.00 EUR", "work"),
)


def app_watched(lives: Lives) -> FastAPI:
    """The service over the lives, with no packs, and with their clock."""

    def clock() -> datetime:
        return lives.now

    store = lives.store
    app = make_app(
        store,
        make_memory=lambda name: Memory(store.log(name), packs=(), embedder=None, clock=clock),
        clock=clock,
        with_hooks=False,
    )
    mount(app, clock=clock)
    return app


def watched_life(lives: Lives, user: str = "ben") -> Memory:
    """Some months, told turn by turn; an alert stands at their end, and one conflict is open."""
    told = Teller(lives, user)
    memory = told.memory
    memory.checkpoint([Define(type=type_) for type_ in TYPES], by="agent")
    memory.adopt(NO_ALLERGEN)
    allergy = told.say("I get hives from penicillin.")
    told.put("health.Allergy", allergy, substance="penicillin", reaction="hives")
    for shop, category, amount, on in SPENT:
        words = told.say(f"I spent {amount} at the {shop} on {on}, that was for {category}.")
        told.put("spending.Expense", words, shop=shop, category=category, amount=amount, on=on)
        _paid(memory, "extract", 900, 110)
    for city, start, cost, purpose in TRIPS:
        words = told.say(f"I went to {city} on {start} for {cost}, for {purpose}.")
        told.put("travel.Trip", words, city=city, start=start, cost=cost, purpose=purpose)
        _paid(memory, "checkpoint", 2100, 260)
    for number, on in enumerate(("2026-01-01", "2026-01-11", "2026-01-21", "2026-01-31")):
        told.put("health.Weight", told.say(f"I weigh {78 - number} kilos on {on}."), on=on, kilos=str(78 - number))
    told.put(
        "travel.Passport", told.say("My passport C4F7K2 runs until 2026-06-30."), number="C4F7K2", expires="2026-06-30"
    )
    scan = told.say("Passport C4F7K2, valid until 2027-06-30.", speaker="scan.pdf", authority="document")
    told.put("travel.Passport", scan, number="C4F7K2", expires="2027-06-30")
    pills = told.say("Dr. Weber gave me Clavix, it contains penicillin, 500 mg.")
    told.put("health.Medication", pills, name="Clavix", contains="penicillin", dose="500 mg", tags=["tooth"])
    memory.checkpoint([SetAside(cites=(told.say("Nice weather today."),), why="small talk", domain="health")])
    told.say("Remind me to water the plants.")
    return memory


def hostile_life(lives: Lives, user: str = "evil") -> Memory:
    """All that can be said is hostile: values, reasons, messages of alerts, speakers, models and code."""
    told = Teller(lives, user)
    memory = told.memory
    thing = type_of(
        "odd.Thing", key=["name"], name="str", kind="str", on="date", notes="list[str]", policy={"kind": "ask"}
    )
    memory.checkpoint([Define(type=thing)], by=HOSTILE[0])
    memory.adopt(ODD)
    for number, text in enumerate(HOSTILE):
        for kind in (text, f"{text}{number}"):
            fact = told.say(f"{text} {kind}", speaker=HOSTILE[1])
            told.put("odd.Thing", fact, name=text, kind=kind, on="2026-01-01", notes=list(HOSTILE))
    first, second = memory.alerts()[:2]
    memory.acknowledge(first.constraint, first.subject, why=HOSTILE[0])
    memory.snooze(second.constraint, second.subject, until=lives.now.replace(year=2030), why=HOSTILE[2])
    fact = told.say(HOSTILE[3])
    memory.checkpoint([SetAside(cites=(fact,), why=" ".join(HOSTILE), domain="odd")], by=HOSTILE[4])
    memory.retract([fact], why=HOSTILE[0])
    _paid(memory, "extract", 10, 10, model=HOSTILE[0])
    return memory


ODD = constraint(
    "odd",
    "return [warning(f'Look: {t.name} {t.kind}', t) for t in user.odd.things]",
    case("one", given("odd.Thing", name="a", kind="b", on="2026-01-01"), fires=True),
    case("none", fires=False),
)


def _paid(memory: Memory, step: str, put_in: int, got: int, *, model: str = "provider:small") -> None:
    position = memory.log.head().position
    call = ModelCall(
        model=model,
        prompt_hash="0" * 8,
        request_hash=f"{position:08x}",
        reply='{"facts": []}',
        read=(1,),
        input_tokens=put_in,
        output_tokens=got,
        cost=Decimal(put_in + 4 * got) / 1_000_000,
        step=step,  # type: ignore[arg-type]  # one of the steps there are
    )
    memory.log.append([call])


def words(html: str) -> str:
    main = html.partition('<main id="main"')[2].partition("</main>")[0].partition(">")[2]
    flowing = re.sub(r"</?(?:span|mark|a|strong|code|time|bdi)\b[^>]*>", "", main)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", flowing)).split())
