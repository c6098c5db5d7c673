"""The inspector for tests: served on a free port, looked at in a real browser, with a life to look at."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright
from starlette.testclient import TestClient

from support.http_service import Served, app_over, serving
from support.paths import ROOT
from support.short_logs import type_of
from uac import Citation, Fact, Memory, Period
from uac.interfaces.inspector import Invitation, mount
from uac.log.store import Store
from uac.log.stores.in_memory import MemoryStore
from uac.schema.entries import AlertChange, Authority, Role
from uac.schema.patches import Define, Put

__all__ = [
    "HOSTILE",
    "NOW",
    "PICTURES",
    "Lives",
    "Look",
    "Teller",
    "app_with_inspector",
    "browsers",
    "hostile",
    "inspecting",
    "life",
    "looking",
    "picture",
    "reader",
    "sent",
    "sign_in",
]

START = datetime(2025, 11, 2, 18, 20, tzinfo=UTC)
NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
PICTURES = ROOT / "docs" / "pictures"
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
    # Half a dozen processes less: each page of a test would start its own.
    " --in-process-gpu --renderer-process-limit=1 --disable-site-isolation-trials --disable-gpu-rasterization"
).split()
PATIENCE = 300_000  # milliseconds after which a test that hangs fails
expect.set_options(timeout=PATIENCE)


# --- the service with its pages ---------------------------------------------------------------------------------------


def app_with_inspector(store: Store, *, invitation: Invitation | None = None, **more: Any) -> FastAPI:
    app = app_over(store, clock=lambda: NOW, with_hooks=False, **more)
    mount(app, clock=lambda: NOW, invitation=invitation)
    return app


@contextmanager
def inspecting(store: Store, **more: Any) -> Iterator[Served]:
    """The inspector on a free port."""
    with serving(app_with_inspector(store, **more)) as served:
        yield served


@contextmanager
def reader(app: FastAPI, key: str = "") -> Iterator[TestClient]:
    """A client without a browser, signed in with the key; its requests say that they come from our own pages."""
    with TestClient(app, base_url="http://127.0.0.1", headers={"Origin": "http://127.0.0.1"}) as client:
        if key:
            assert sent(client, "/inspector/sign-in", "/inspector/sign-in", key=key).status_code == 200
        yield client


def sent(client: TestClient, page: str, action: str, **fields: str) -> Any:
    """What comes of sending a form of a page, with the token that the page carries."""
    text = client.get(page).text
    token = text.partition('name="form_token" value="')[2].partition('"')[0]
    return client.post(action, data={"form_token": token, **fields})


# --- a browser --------------------------------------------------------------------------------------------------------


@contextmanager
def browsers() -> Iterator[Browser]:
    """A real Chromium; the test is skipped where there is none."""
    found = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None
    )
    if found is None:
        pytest.skip("no Chromium: set $CHROMIUM, or put chromium or google-chrome on the path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS, timeout=PATIENCE)
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class Look:
    """A page that is being looked at, and what it did that it should not."""

    page: Page
    context: BrowserContext
    address: str
    foreign: list[str] = field(default_factory=list)
    """Requests that left for another host."""
    complaints: list[str] = field(default_factory=list)
    """Errors of scripts, dialogs, and what the policy had to stop."""

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.address}{path}")
        return self.page

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(width))


@contextmanager
def looking(browser: Browser, address: str, **options: Any) -> Iterator[Look]:
    """A fresh browser window: cookies, settings and all; `options` are those of a browser's context."""
    context = browser.new_context(**{"viewport": {"width": 1120, "height": 720}, **options})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    look = Look(page, context, address)

    def asked(request: Request) -> None:
        if not request.url.startswith((f"{address}/", "data:")):
            look.foreign.append(request.url)

    def said(message: ConsoleMessage) -> None:
        if message.type == "error" and "status of 4" not in message.text:
            look.complaints.append(message.text)

    page.on("request", asked)
    page.on("console", said)
    page.on("pageerror", lambda error: look.complaints.append(str(error)))
    try:
        yield look
        assert look.foreign == []
        assert look.complaints == []
    finally:
        context.close()


def sign_in(look: Look, key: str) -> Page:
    page = look.go("/inspector/")
    page.get_by_label("Key", exact=True).fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("nav.crumbs")
    return page


def picture(look: Look, name: str, folder: Path, *, golden: bool) -> None:
    """A picture for whoever wants to look; with --golden also the one that the documents show."""
    for target in [folder, *([PICTURES] if golden else [])]:
        target.mkdir(exist_ok=True)
        look.page.screenshot(path=target / f"inspector-{name}.png")


# --- somebody to look at ----------------------------------------------------------------------------------------------


class Lives:
    """A store whose clock is that of the words last said; when everything is told, it is now."""

    def __init__(self) -> None:
        self.now = NOW
        self.store = MemoryStore(clock=lambda: self.now)


class Teller:
    """Tells a memory what was said, turn by turn, with the records that come of it; each turn some days later."""

    def __init__(self, lives: Lives, user: str) -> None:
        self._lives = lives
        lives.now = START
        self.memory = Memory(lives.store.log(user), packs=(), embedder=None, clock=lambda: lives.now)

    def say(self, text: str, *, speaker: str = "", authority: Authority = "user", days: int = 9) -> int:
        """Words, and a fact that quotes them; the position of the fact."""
        self._lives.now = said = self._lives.now + timedelta(days=days, minutes=17)
        role: Role = "document" if authority == "document" else "user"
        position = self.memory.add(text, said=said, role=role, speaker=speaker or "Ana", session=f"{said:%F}")
        quote = text.rstrip(".")
        entry = Fact(text=text, about="Ana", authority=authority, cites=(Citation(position=position, quote=quote),))
        return self.memory.log.append([entry])[0]

    def put(self, type_name: str, fact: int, held: Period | None = None, /, **fields: Any) -> str:
        self.memory.checkpoint([Put(type=type_name, fields=fields, cites=(fact,), held=held or Period())], by="agent")
        return self.memory.project().used[fact][0]


TYPES = (
    type_of(
        "people.Person", key=["name"], name="str", born="date | None", likes="list[str]", policy={"likes": "union"}
    ),
    type_of(
        "travel.Trip", cardinality="event", city="str", start="date", end="date", cost="Money | None", doc="A journey."
    ),
    type_of("travel.Passport", key=["number"], number="str", expires="date", policy={"expires": "ask"}),
    type_of("health.Allergy", key=["substance"], substance="str", severity="str | None", reaction="str | None"),
    type_of("health.Medication", key=["name"], name="str", dose="str | None", prescriber="people.Person | None"),
    type_of("household.Address", cardinality="one", street="str", city="str"),
)


def life(lives: Lives, user: str = "ana") -> Memory:
    """Some months of an invented person: trips, an allergy, a passport about which two sources disagree, an alert."""
    told = Teller(lives, user)
    memory = told.memory
    memory.checkpoint([Define(type=type_) for type_ in TYPES], by="agent")
    home = told.put(
        "household.Address", told.say("We live in Lindenstraße 12 in Bremen."), street="Lindenstraße 12", city="Bremen"
    )
    told.put("people.Person", told.say("Dr. Weber is our family doctor."), name="Dr. Weber", likes=[])
    allergy = told.say("I get hives from penicillin, it was bad as a child.")
    told.put("health.Allergy", allergy, substance="penicillin", severity="severe", reaction="hives")
    for city, start, end, cost in TRIPS:
        trip = told.say(f"We are going to {city} from {start} to {end}, for {cost}.")
        told.put("travel.Trip", trip, Period(start, end), city=city, start=start, end=end, cost=cost)
    passport = told.say("My passport C4F7K2 runs until 2026-06-30.")
    told.put("travel.Passport", passport, number="C4F7K2", expires="2026-06-30")
    scan = told.say("Passport C4F7K2, valid until 30 June 2027.", speaker="scan.pdf", authority="document")
    told.put("travel.Passport", scan, number="C4F7K2", expires="2027-06-30")
    for likes, words in ((["opera"], "My sister Mia loves the opera."), (["chess"], "Mia plays chess every Sunday.")):
        told.put("people.Person", told.say(words), name="Mia", born="1991-05-04", likes=likes)
    drug = told.say("Dr. Weber gave me amoxicillin, 500 mg, for my tooth.")
    pill = told.put("health.Medication", drug, name="amoxicillin", dose="500 mg", prescriber="Dr. Weber")
    memory.correct(home, "street", "Lindenstraße 21", why="the number was turned round")
    memory.log.append(
        [
            AlertChange(
                change="raised",
                constraint="drug_allergy",
                subject="amoxicillin / penicillin",
                severity="critical",
                message="Amoxicillin is a penicillin, and you get hives from penicillin. Ask Dr. Weber for another.",
                records=(pill, "health.Allergy:penicillin"),
                cites=(drug, allergy),
            )
        ]
    )
    told.say("Remind me to water the plants.")
    lives.now = NOW
    return memory


TRIPS = (
    ("Lisbon", "2025-12-05", "2025-12-09", "640.00 EUR"),
    ("Vienna", "2026-01-16", "2026-01-18", "310.50 EUR"),
    ("Oslo", "2026-04-02", "2026-04-07", "1150.00 EUR"),
)


HOSTILE = (
    "<script>window.hit=1</script>",
    '"><img src=http://evil.example/x onerror="window.hit=2">',
    "{{7*7}}{%raw%}${7*7}",
    "javascript:window.hit=3//",
    "</td></table></main><h1 id=hit>x",
    "left \u202eright\u202c \x1b[31m \u2028 \x00\x07 \ufffe end",
    "' autofocus onfocus=window.hit=4 x='",
)
"""Texts that try to become markup, or not to be seen."""


def hostile(lives: Lives, user: str = "mallory") -> Memory:
    """A user all of whose words are hostile."""
    told = Teller(lives, user)
    memory = told.memory
    doc = " ".join(HOSTILE)
    thing = type_of("odd.Thing", key=["name"], name="str", notes="list[str]", other="odd.Thing | None", doc=doc)
    memory.checkpoint([Define(type=thing)], by=HOSTILE[0])
    for text in HOSTILE:
        fact = told.say(text, speaker=HOSTILE[1])
        told.put("odd.Thing", fact, name=text, notes=list(HOSTILE))
        told.put("odd.Thing", fact, name=text, notes=["other"], other=text)
    (first, *_rest) = memory.project().records("odd.Thing")
    memory.end(first.id, "2026-01-01", why=doc)
    memory.retract([memory.log.head().position - 1], why=doc)
    memory.log.append(
        [
            AlertChange(
                change="raised", constraint="odd", subject=text, severity="warning", message=doc, records=(first.id,)
            )
            for text in HOSTILE
        ]
    )
    lives.now = NOW
    return memory
