"""The passing of time in the inspector: what it alone changes stands apart; and erased words are let go of at once."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.browser import Lives, Teller, reader, sent
from support.constraints import case, constraint, given
from support.http_service import inside, make_key
from support.inspector_client import app_watched, words
from support.short_logs import type_of
from uac import Memory
from uac.interfaces.inspector.page import InspectorState
from uac.interfaces.inspector.preview import AlertEffect, preview_entries, split_previewed_effects
from uac.schema.constraints import Constraint
from uac.schema.entries import Correction, Tick
from uac.schema.patches import Define

ANA = "/inspector/users/ana"
RECORD = "travel.Pass:a1"
PASSES = type_of("travel.Pass", key=["number"], number="str", expires="date", note="str | None")
VISA = type_of("travel.Visa", key=["number"], number="str", expires="date")


def over(name: str, type_name: str, collection: str) -> Constraint:
    """A constraint that warns in the last 30 days before something expires."""
    made = given(type_name, number="a", expires="2026-01-20")
    return constraint(
        name,
        f"return [warning(f'{{p.number}} expires soon.', p) for p in user.travel.{collection} "
        "if due_within(p.expires, now, 30)]",
        case("soon", made, fires=True),
        case("late", made, fires=False, now="2025-01-10"),
    )


class Watched:
    """A life with things that expire; its clock moves when it is told to."""

    def __init__(self) -> None:
        self.lives = Lives()
        told = Teller(self.lives, "ana")
        self.memory: Memory = told.memory
        self.memory.checkpoint([Define(type=PASSES), Define(type=VISA)])
        self.memory.adopt(over("pass_expires", "travel.Pass", "passes"))
        self.memory.adopt(over("visa_expires", "travel.Visa", "visas"))
        day = (self.lives.now + timedelta(days=60)).date().isoformat()
        told.put("travel.Pass", told.say("My pass a1.", days=0), number="a1", expires=day)
        told.put("travel.Visa", told.say("My visa v1.", days=0), number="v1", expires=day)
        self.app: FastAPI = app_watched(self.lives)

    def pass_days(self, days: int) -> None:
        self.lives.now += timedelta(days=days)


@pytest.fixture
def life() -> Watched:
    return Watched()


@contextmanager
def signed_in(life: Watched) -> Iterator[TestClient]:
    """Somebody who looks from now on: a session ends when half a day passes."""
    with reader(life.app, make_key(life.app)) as client:
        yield client


@pytest.fixture
def client(life: Watched) -> Iterator[TestClient]:
    with signed_in(life) as client:
        yield client


def late(life: Watched) -> str:
    """A day on which nothing is due."""
    return (life.lives.now + timedelta(days=500)).date().isoformat()


# --- previews ---------------------------------------------------------------------------------------------------------


def test_a_preview_blames_a_change_for_nothing_that_time_alone_brings(life: Watched) -> None:
    life.pass_days(40)
    since = life.memory.project().now
    assert since is not None
    with signed_in(life) as client:
        text = words(client.get(f"{ANA}/correct?record={RECORD}&field=note&text=red").text)
    assert "No alert would come or clear by this." in text
    assert f"Time has passed since {since:%Y-%m-%d %H:%M}Z: these change anyway raised a1 expires soon." in text
    foreseen = preview_entries(life.memory, [Correction(record=RECORD, field="note", value="red")])
    assert (foreseen.alerts, [(one.change, one.constraint) for one in foreseen.anyway]) == (
        (),
        [("raised", "pass_expires"), ("raised", "visa_expires")],
    )


def test_a_change_that_keeps_an_alert_away_says_so(life: Watched) -> None:
    life.pass_days(40)
    foreseen = preview_entries(life.memory, [Correction(record=RECORD, field="expires", value=late(life))])
    assert [(one.change, one.constraint) for one in foreseen.alerts] == [("kept away", "pass_expires")]
    assert [(one.change, one.constraint) for one in foreseen.anyway] == [("raised", "visa_expires")]


def test_what_a_change_itself_brings_is_told_as_its_own(life: Watched) -> None:
    soon = (life.lives.now + timedelta(days=5)).date().isoformat()
    foreseen = preview_entries(life.memory, [Correction(record=RECORD, field="expires", value=soon)])
    assert [(one.change, one.constraint) for one in foreseen.alerts] == [("raised", "pass_expires")]
    assert foreseen.anyway == ()


def test_an_alert_that_would_have_gone_by_itself_and_stays_is_due_to_the_change() -> None:
    gone = AlertEffect("expired", "warning", "c", "s", "It was so.")
    came = AlertEffect("raised", "warning", "d", "t", "It is so.")
    assert split_previewed_effects([], [gone, came]) == (
        (
            AlertEffect("stays", "warning", "c", "s", "It was so."),
            AlertEffect("kept away", "warning", "d", "t", "It is so."),
        ),
        (),
    )
    cleared = AlertEffect("cleared", "warning", "c", "s", "It was so.")
    assert split_previewed_effects([cleared, came], [gone, came]) == ((), (gone, came))


# --- letting time pass ------------------------------------------------------------------------------------------------


def test_the_overview_says_as_of_when_and_lets_time_pass(life: Watched) -> None:
    with signed_in(life) as client:
        fresh = words(client.get(ANA).text)
    assert ("As of the last look at the clock, " in fresh, "Let time pass" in fresh) == (True, False)
    life.pass_days(40)
    before = life.memory.log.head().position
    with signed_in(life) as client:
        assert "Alerts may have come due or expired since. Let time pass" in words(client.get(ANA).text)
        done = sent(client, ANA, f"{ANA}/tick")
        assert (done.url.path, "raised v1 expires soon." in words(done.text)) == (f"{ANA}/alerts/history", True)
        assert "Let time pass" not in words(client.get(ANA).text)
    assert next(life.memory.log.read(before + 1)).entry == Tick(now=life.lives.now)


def test_time_that_changes_nothing_is_told_and_no_longer_offered(life: Watched) -> None:
    life.pass_days(2)
    with signed_in(life) as client:
        done = words(sent(client, ANA, f"{ANA}/tick").text)
    assert "Time has passed, and no alert came or went by that." in done
    assert "Let time pass" not in done


def test_who_may_only_read_is_not_offered_to_let_time_pass(life: Watched) -> None:
    life.pass_days(40)
    with reader(life.app, make_key(life.app, "read")) as client:
        text = words(client.get(ANA).text)
    assert ("As of the last look at the clock" in text, "Let time pass" in text) == (True, False)


# --- erased words -----------------------------------------------------------------------------------------------------


def cached(life: Watched) -> tuple[int, ...]:
    state: InspectorState = life.app.state.inspector
    return state.history_cache.cached_positions("ana")


def opened(life: Watched, client: TestClient) -> int:
    """Look at the code as it is and as it was, so that both are kept; the position of the words of the pass."""
    first = next(stored.position for stored in life.memory.log.read() if stored.kind == "observation")
    assert "a1" in client.get(f"{ANA}/code?file=domains/travel/state.py&at={first + 2}").text
    assert cached(life) != ()
    return first


def test_words_destroyed_on_a_page_leave_what_was_kept_at_once(life: Watched, client: TestClient) -> None:
    first = opened(life, client)
    page = client.get(f"{ANA}/forget?at={first}").text
    token = re.findall(r'name="form_token" value="([^"]+)"', page)[-1]
    fields = {"positions": str(first), "after": str(life.memory.log.head().position), "sure": "yes"}
    answer = client.post(f"{ANA}/forget/destroy", data={"form_token": token, **fields}, follow_redirects=False)
    assert (answer.status_code, cached(life)) == (303, ())


def test_words_erased_through_the_service_leave_what_was_kept_at_once(life: Watched, client: TestClient) -> None:
    first = opened(life, client)
    with inside(life.app) as service:
        service.post("/v1/users/ana/observations", json={"text": "Hello."})
        assert cached(life) != (), "what is only added to stays"
        assert service.post("/v1/users/ana/erasures", json={"positions": [first], "why": "asked"}).status_code == 200
    assert cached(life) == ()


def test_a_user_who_leaves_is_not_kept(life: Watched, client: TestClient) -> None:
    opened(life, client)
    with inside(life.app) as service:
        assert service.delete("/v1/users/ana").status_code == 204
    assert cached(life) == ()
