"""Routes about alerts and the constraints behind them."""

from collections.abc import Iterator

import msgspec
import pytest
from starlette.testclient import TestClient

from support.constraints import Clock, case, constraint, given
from support.http_routes import BOOK, LONG_BOOK, MONDAY, json_of, problem
from support.http_service import app_over, inside
from uac.log.stores.in_memory import MemoryStore

LOAN = {
    "domain": "reading",
    "name": "Loan",
    "key": ["title"],
    "fields": [{"name": "title", "type": "str"}, {"name": "due", "type": "date"}],
}
DUE = constraint(
    "due",
    "return [warning(f'{b.title} is due.', b) for b in user.reading.loans if due_within(b.due, now, 3)]",
    case("due", given("reading.Loan", title="Emma", due="2026-01-12"), fires=True),
    case("later", given("reading.Loan", title="Emma", due="2026-02-12"), fires=False),
)
ULYSSES = {"type": "reading.Book", "fields": {"title": "Ulysses", "pages": 1300}}
RAISED = {
    "constraint": "long_book",
    "subject": "ulysses",
    "severity": "info",
    "message": "Ulysses is long.",
    "records": ["reading.Book:ulysses"],
    "is_reviewed": True,
    "capped_from": None,
}


@pytest.fixture
def clock() -> Clock:
    return Clock(MONDAY)


@pytest.fixture
def ana(clock: Clock) -> Iterator[TestClient]:
    with inside(app_over(MemoryStore(clock=clock), clock=clock), path="/v1/users/ana") as client:
        patches = [{"op": "define", "type": BOOK}, {"op": "define", "type": LOAN}]
        patches += [
            {"op": "adopt", "constraint": {**msgspec.to_builtins(one), "origin": "person"}} for one in (LONG_BOOK, DUE)
        ]
        json_of(client.post("/checkpoints", json={"patches": patches}))
        json_of(client.post("/records", json=ULYSSES))
        yield client


def test_an_alert_stands_with_what_it_rests_on(ana: TestClient) -> None:
    raised = json_of(ana.get("/alerts/history"))["changes"][0]
    assert json_of(ana.get("/alerts")) == {
        "standing": [
            {
                **RAISED,
                "is_failure": False,
                "tables": [],
                "reviews": [],
                "unconfirmed": [],
                "state": "standing",
                "since": "2026-03-02T09:00:00Z",
                "until": None,
                "why": "",
                "cites": raised["cites"],
                "raised": raised["position"],
            }
        ],
        "failures": {},
    }
    assert json_of(ana.get("/alerts", params={"as_of": 1})) == {"standing": [], "failures": {}}


def test_the_history_of_alerts_is_read_page_by_page(ana: TestClient) -> None:
    json_of(ana.post("/alerts/acknowledge", json={"constraint": "long_book", "why": "I like it long"}))
    json_of(ana.post("/corrections", json={"record": "reading.Book:ulysses", "field": "pages", "value": 700}))
    pages = [json_of(ana.get("/alerts/history", params={"limit": 2}))]
    while (after := pages[-1]["next"]) is not None:
        pages.append(json_of(ana.get("/alerts/history", params={"limit": 2, "after": after})))
    changes = [change for page in pages for change in page["changes"]]
    assert [(change["change"], change["why"]) for change in changes] == [
        ("raised", ""),
        ("acknowledged", "I like it long"),
        ("cleared", ""),
    ]
    first = {name: changes[0][name] for name in RAISED}
    assert first == RAISED


def test_an_alert_that_was_acknowledged_stands_quietly(ana: TestClient) -> None:
    written = json_of(ana.post("/alerts/acknowledge", json={"constraint": "long_book", "subject": "ulysses"}))
    assert [alert["change"] for alert in written["alerts"]] == ["acknowledged"]
    assert [alert["state"] for alert in json_of(ana.get("/alerts"))["standing"]] == ["acknowledged"]
    json_of(ana.post("/retractions", json={"positions": [written["first"]], "why": "not yet"}))
    assert [alert["state"] for alert in json_of(ana.get("/alerts"))["standing"]] == ["standing"]
    assert problem(ana.post("/alerts/acknowledge", json={"constraint": "due"}))[:2] == (422, "Refused")


def test_an_alert_that_was_snoozed_is_quiet_until_then(ana: TestClient, clock: Clock) -> None:
    body = {"constraint": "long_book", "until": "2026-03-05T00:00:00Z", "why": "busy"}
    json_of(ana.post("/alerts/snooze", json=body))
    assert [alert["state"] for alert in json_of(ana.get("/alerts"))["standing"]] == ["snoozed"]
    clock.pass_days(4)
    assert [alert["state"] for alert in json_of(ana.get("/alerts"))["standing"]] == ["standing"]
    assert problem(ana.post("/alerts/snooze", json=body))[:2] == (422, "Refused")


def test_time_that_passes_raises_alerts(ana: TestClient, clock: Clock) -> None:
    json_of(ana.post("/records", json={"type": "reading.Loan", "fields": {"title": "Emma", "due": "2026-03-10"}}))
    nothing = json_of(ana.post("/tick"))
    assert (nothing["first"], nothing["alerts"]) == (0, [])
    clock.pass_days(6)
    (raised,) = json_of(ana.post("/tick"))["alerts"]
    assert (raised["constraint"], raised["message"]) == ("due", "Emma is due.")


def test_constraints_are_listed_with_what_they_read(ana: TestClient) -> None:
    listed = json_of(ana.get("/constraints"))
    assert listed["constraints"][1] == {
        "name": "long_book",
        "doc": "Looks for something.",
        "origin": "person",
        "pack": "",
        "is_on": True,
        "is_reviewed": True,
        "reads": ["reading.books"],
        "knows": [],
        "alerts": 1,
        "failure": "",
        "position": 1,
    }
    assert "drug_allergy" in {offer["name"] for offer in listed["offers"]}


def test_a_constraint_tells_why_it_fired(ana: TestClient) -> None:
    found = json_of(ana.get("/constraints/long_book"))
    assert found["code"] == LONG_BOOK.code
    assert [one["name"] for one in found["cases"]] == ["long", "short"]
    assert found["records"] == [["reading.books", 1]]
    assert [alert["message"] for alert in found["standing"]] == ["Ulysses is long."]
    assert [(test["text"], test["result"]) for test in found["tests"]] == [
        ("b.pages is not None", True),
        ("b.pages > 1000", True),
    ]
    assert problem(ana.get("/constraints/short_book"))[0] == 404
    assert problem(ana.get("/constraints/open_conflict"))[0] == 404


def test_a_constraint_is_switched_off_by_a_checkpoint(ana: TestClient) -> None:
    patches = [{"op": "switch", "constraint": "long_book", "on": False, "why": "too loud"}]
    written = json_of(ana.post("/checkpoints", json={"patches": patches}))
    assert [alert["change"] for alert in written["alerts"]] == ["cleared"]
    assert json_of(ana.get("/alerts"))["standing"] == []
