"""Routes that change: checkpoints, types, corrections, ends, dropping, forgetting, imports, and users who leave."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.http_routes import BOOK, LONG_BOOK, app, json_of, problem, tenant
from support.http_service import app_over, inside, make_key
from uac.interfaces.http.fields import write_cursor
from uac.log.stores.in_memory import MemoryStore

__all__ = ["app", "tenant"]  # fixtures

ADDED = {"change": "added", "before": None, "after": None}
ADOPT = {"op": "adopt", "constraint": msgspec.to_builtins(LONG_BOOK)}


@pytest.fixture
def ana(app: FastAPI, tenant: str) -> Iterator[TestClient]:
    """The addresses of one user, who has one type and no records."""
    with inside(app, make_key(app, tenant=tenant), path="/v1/users/ana") as client:
        json_of(client.post("/types", json={"type": BOOK}), 201)
        yield client


def put(client: TestClient, title: str, **fields: Any) -> Any:
    return json_of(client.post("/records", json={"type": "reading.Book", "fields": {"title": title, **fields}}), 201)


def test_a_record_is_put_with_its_sentence_or_with_the_entries_it_comes_from(ana: TestClient) -> None:
    persuasion = {"type": "reading.Book", "fields": {"title": "Persuasion"}, "words": "I read Persuasion and Sanditon"}
    first = json_of(ana.post("/records", json=persuasion), 201)
    sanditon = {"type": "reading.Book", "fields": {"title": "Sanditon"}, "cites": [first["first"]]}
    second = json_of(ana.post("/records", json=sanditon), 201)
    assert (first["record"], second["record"]) == ("reading.Book:persuasion", "reading.Book:sanditon")
    for record in (first["record"], second["record"]):
        (claim,) = json_of(ana.get(f"/records/{record}/fields/title"))["claims"]
        assert [each["words"] for each in claim["evidence"]] == ["I read Persuasion and Sanditon"]
    assert problem(ana.post("/records", json={**sanditon, "words": "twice"}))[0] == 422


def test_a_record_that_is_put_is_told_with_what_it_changed(ana: TestClient) -> None:
    assert put(ana, "Emma") == {
        "first": 2,
        "last": 3,
        "changes": [{"kind": "record", "what": "reading.Book:emma", **ADDED}],
        "alerts": [],
        "is_repeated": False,
        "notes": [],
        "record": "reading.Book:emma",
    }


def test_the_first_record_of_a_user_brings_the_user_into_being(ana: TestClient) -> None:
    body = {"type": "health.Allergy", "fields": {"substance": "Penicillin"}, "by": "intake"}
    assert (
        json_of(ana.post("http://testserver/v1/users/ben/records", json=body))["record"] == "health.Allergy:penicillin"
    )
    assert [user["user"] for user in json_of(ana.get("http://testserver/v1/users"))["users"]] == ["ana", "ben"]


def test_a_record_that_does_not_fit_its_type_is_refused_with_reasons(ana: TestClient) -> None:
    response = ana.post("/records", json={"type": "reading.Book", "fields": {"title": "Emma", "pages": "many"}})
    assert problem(response)[:2] == (422, "Rejected")
    assert response.json()["reasons"] == [
        "patch 1 (put reading.Book): pages is 'many'. Use a value of type int | None."
    ]
    assert json_of(ana.get("/log"))["entries"][-1]["position"] == 1


def test_a_checkpoint_is_accepted_as_a_whole(ana: TestClient) -> None:
    json_of(ana.post("/observations", json={"turns": [{"text": "I read Emma."}]}))
    patches = [
        {"op": "put", "type": "reading.Book", "fields": {"title": "Emma"}, "cites": [2]},
        {"op": "add_field", "type": "reading.Book", "field": {"name": "author", "type": "str | None"}},
    ]
    assert json_of(ana.post("/checkpoints", json={"patches": patches, "dry_run": True})) == {
        "first": 0,
        "last": 2,
        "changes": [
            {"kind": "type", "what": "reading.Book", "change": "changed", "before": None, "after": None},
            {"kind": "record", "what": "reading.Book:emma", **ADDED},
        ],
        "alerts": [],
        "is_repeated": False,
        "notes": [],
    }
    assert json_of(ana.get("/log"))["entries"][-1]["position"] == 2
    written = json_of(ana.post("/checkpoints", json={"patches": patches, "by": "bot"}))
    assert (written["first"], written["last"]) == (3, 3)
    assert json_of(ana.get("/records/reading.Book:emma"))["values"] == {"title": "Emma", "pages": None, "author": None}


def test_a_checkpoint_is_refused_as_a_whole(ana: TestClient) -> None:
    patches = [
        {"op": "put", "type": "reading.Book", "fields": {"title": "Emma"}},
        {"op": "put", "type": "reading.Poem", "fields": {"title": "If"}},
    ]
    response = ana.post("/checkpoints", json={"patches": patches})
    assert problem(response)[:2] == (422, "Rejected")
    assert json_of(ana.get("/records"))["records"] == []


@pytest.mark.parametrize("patch", [{"op": "pot"}, {"op": "put"}, {"op": "drop", "record": 7, "why": ""}, 7, {}])
def test_what_is_no_patch_is_refused(ana: TestClient, patch: Any) -> None:
    assert problem(ana.post("/checkpoints", json={"patches": [patch]}))[:2] == (422, "Malformed")


def test_a_constraint_counts_as_unreviewed_until_an_administrator_approves_it(
    ana: TestClient, app: FastAPI, tenant: str
) -> None:
    writer = {"Authorization": f"Bearer {make_key(app, 'read', 'write', tenant=tenant)}"}
    approve = {"patches": [{"op": "approve", "constraint": "long_book", "who": "Ana"}]}
    json_of(ana.post("/checkpoints", json={"patches": [ADOPT]}, headers=writer))
    assert [one["is_reviewed"] for one in json_of(ana.get("/constraints"))["constraints"]] == [False]
    assert problem(ana.post("/checkpoints", json=approve, headers=writer))[:2] == (422, "Rejected")
    json_of(ana.post("/checkpoints", json=approve))
    assert [one["is_reviewed"] for one in json_of(ana.get("/constraints"))["constraints"]] == [True]


def test_a_writer_cannot_pass_a_constraint_off_as_a_persons(ana: TestClient, app: FastAPI, tenant: str) -> None:
    writer = {"Authorization": f"Bearer {make_key(app, 'read', 'write', tenant=tenant)}"}
    adopt = {"op": "adopt", "constraint": {**ADOPT["constraint"], "origin": "person"}}
    assert problem(ana.post("/checkpoints", json={"patches": [adopt]}, headers=writer))[:2] == (422, "Rejected")
    json_of(ana.post("/checkpoints", json={"patches": [adopt]}))
    assert [one["origin"] for one in json_of(ana.get("/constraints"))["constraints"]] == ["person"]


def test_a_change_tells_the_alerts_it_raised(ana: TestClient) -> None:
    json_of(ana.post("/checkpoints", json={"patches": [ADOPT]}))
    assert put(ana, "Ulysses", pages=1300)["alerts"] == [
        {
            "change": "raised",
            "constraint": "long_book",
            "subject": "ulysses",
            "severity": "info",
            "message": "Ulysses is long.",
        }
    ]


def test_a_correction_changes_a_field(ana: TestClient) -> None:
    put(ana, "Emma", pages=400)
    body = {"record": "reading.Book:emma", "field": "pages", "value": 474, "why": "counted"}
    assert json_of(ana.post("/corrections", json=body))["changes"] == [
        {"kind": "field", "change": "changed", "what": "reading.Book:emma.pages", "before": 400, "after": 474}
    ]
    assert problem(ana.post("/corrections", json={**body, "record": "reading.Book:if"}))[0] == 404
    assert problem(ana.post("/corrections", json={**body, "value": "many"}))[:2] == (422, "Refused")


def test_a_record_that_has_ended_stays_and_one_that_is_dropped_goes(ana: TestClient) -> None:
    put(ana, "Emma"), put(ana, "Dune")
    body = {"record": "reading.Book:emma", "when": "2026-02", "why": "lost it"}
    assert json_of(ana.post("/ends", json=body))["changes"] == [
        {"kind": "record", "change": "ended", "what": "reading.Book:emma", "before": None, "after": "2026-02"}
    ]
    json_of(ana.delete("/records/reading.Book:dune", params={"why": "never read it"}))
    (left,) = json_of(ana.get("/records"))["records"]
    end = {"when": "2026-02", "reason": "ended", "why": "lost it"}
    assert (left["record"], left["ended"]) == ("reading.Book:emma", end)
    explained = json_of(ana.get("/records/reading.Book:emma/fields/title"))
    assert (explained["ended"], [each["position"] for each in explained["end_evidence"]]) == (end, [6])
    assert problem(ana.delete("/records/reading.Book:dune", params={"why": "again"}))[0] == 404
    gone = "No record 'reading.Book:dune': it was dropped (never read it). GET …/records lists the records."
    assert problem(ana.get("/records/reading.Book:dune"))[2] == gone
    assert problem(ana.delete("/records/reading.Book:emma"))[:2] == (422, "Malformed")


# --- forgetting -------------------------------------------------------------------------------------------------------


def test_a_retraction_is_previewed_made_and_undone(ana: TestClient) -> None:
    put(ana, "Emma")
    gone = [{"kind": "record", "change": "removed", "what": "reading.Book:emma", "before": None, "after": None}]
    body = {"positions": [2], "why": "a mistake"}
    assert json_of(ana.post("/retractions", json={**body, "dry_run": True}))["changes"] == gone
    assert [one["record"] for one in json_of(ana.get("/records"))["records"]] == ["reading.Book:emma"]
    made = json_of(ana.post("/retractions", json=body))
    assert (made["changes"], made["first"]) == (gone, 4)
    back = json_of(ana.post("/retractions", json={"positions": [made["first"]], "why": "no mistake"}))
    assert back["changes"] == [{"kind": "record", "what": "reading.Book:emma", **ADDED}]


def test_an_erasure_is_previewed_and_then_destroys_the_words(ana: TestClient) -> None:
    put(ana, "Emma")
    body = {"record": "reading.Book:emma", "why": "asked by Ana"}
    touched = [
        {"position": 2, "kind": "observation", "text": "reading.Book: title = Emma"},
        {"position": 3, "kind": "checkpoint", "text": "put reading.Book"},
    ]
    gone = [{"kind": "record", "change": "removed", "what": "reading.Book:emma", "before": None, "after": None}]
    preview = json_of(ana.post("/erasures", json={**body, "dry_run": True}))
    assert preview == {"is_done": False, "entries": touched, "left_out": 0, "changes": gone, "last": 3}
    assert json_of(ana.get("/log/2"))["entry"] is not None
    assert json_of(ana.post("/erasures", json=body)) == {**preview, "is_done": True, "last": 4}
    assert json_of(ana.get("/log/2"))["entry"] is None
    assert "Emma" not in ana.get("/log").text
    assert json_of(ana.post("/verify"))["is_whole"] is True


def test_erasing_again_finds_nothing_to_destroy(ana: TestClient) -> None:
    put(ana, "Emma")
    body = {"positions": [2], "why": "asked by Ana"}
    json_of(ana.post("/erasures", json=body))
    again = json_of(ana.post("/erasures", json=body))
    assert (again["entries"], again["last"]) == ([], 4)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"why": "x"}, "Both or neither of positions and record are given. Give one of them."),
        (
            {"why": "x", "positions": [1], "record": "a"},
            "Both or neither of positions and record are given. Give one of them.",
        ),
        ({"why": "x", "positions": [9]}, "No entry 9. Give positions from 1 to 1."),
    ],
)
@pytest.mark.parametrize("route", ["/retractions", "/erasures"])
def test_what_is_to_be_forgotten_must_be_said(ana: TestClient, route: str, body: Any, detail: str) -> None:
    assert problem(ana.post(route, json=body)) == (422, "Refused", detail)


def test_a_user_who_leaves_leaves_nothing(ana: TestClient) -> None:
    put(ana, "Emma")
    assert ana.delete("http://testserver/v1/users/ana").status_code == 204
    assert problem(ana.get("/log"))[0] == 404
    assert problem(ana.delete("http://testserver/v1/users/ana"))[0] == 404
    assert json_of(ana.get("http://testserver/v1/users"))["users"] == []
    json_of(ana.post("/observations", json={"turns": [{"text": "I am new here."}]}))
    assert json_of(ana.get("/records"))["records"] == []


# --- imports ----------------------------------------------------------------------------------------------------------

TRIPS = {
    "text": "city,start,cost\nParis,2026-05-01,300 EUR\n\nRome,soon\n",
    "name": "trips.csv",
    "format": "csv",
    "type": "holiday.Stay",
}


def test_an_import_is_previewed_made_and_not_repeated(ana: TestClient) -> None:
    preview = json_of(ana.post("/imports", json={**TRIPS, "dry_run": True}))
    assert preview == {
        "is_done": False,
        "type": "holiday.Stay",
        "is_new": True,
        "key": [],
        "columns": [
            {"column": "city", "field": "city", "type": "str", "sample": "Paris"},
            {"column": "start", "field": "start", "type": "date", "sample": "2026-05-01"},
            {"column": "cost", "field": "cost", "type": "Money", "sample": "300 EUR"},
        ],
        "notes": [],
        "records": 1,
        "already": 0,
        "left_out": {"blank line": 1},
        "broken": [{"number": 4, "why": "has 2 cells. Give it 3, like the header."}],
        "more_broken": 0,
        "alerts": [],
    }
    assert json_of(ana.get("/types"))["types"][0]["type"] == "reading.Book"
    assert json_of(ana.post("/imports", json=TRIPS)) == {**preview, "is_done": True}
    again = json_of(ana.post("/imports", json=TRIPS))
    assert (again["records"], again["already"]) == (0, 1)
    (stay,) = json_of(ana.get("/records", params={"type": "holiday.Stay"}))["records"]
    assert stay["values"] == {"city": "Paris", "start": "2026-05-01", "cost": "300 EUR"}


LUNCH = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Lunch\r\n"
    "DTSTART:20260501T120000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.mark.parametrize(
    ("format_", "text", "type_"),
    [
        ("json", '[{"title": "Emma", "pages": 474}]', "reading.Book"),
        ("jsonl", '{"title": "Emma", "pages": 474}\n', "reading.Book"),
        (
            "ics",
            LUNCH,
            "calendar.Event",
        ),
        ("vcf", "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ben Berg\r\nEND:VCARD\r\n", "people.Contact"),
    ],
)
def test_every_format_of_records_can_be_imported(ana: TestClient, format_: str, text: str, type_: str) -> None:
    body = {"text": text, "name": f"file.{format_}", "format": format_}
    made = json_of(ana.post("/imports", json={**body, "type": type_ if type_.startswith("reading") else ""}))
    assert (made["type"], made["records"], made["broken"]) == (type_, 1, [])


@pytest.mark.parametrize("name", ["../trips.csv", "a/b.csv", "..", ".", "", "x\n.csv", "a\\b.csv", "x" * 61])
def test_the_name_of_a_file_is_no_path(ana: TestClient, name: str) -> None:
    assert problem(ana.post("/imports", json={**TRIPS, "name": name}))[:2] == (422, "Malformed")


def test_an_import_that_cannot_be_read_is_refused(ana: TestClient) -> None:
    assert problem(ana.post("/imports", json={**TRIPS, "type": ""}))[1] == "Refused"
    assert problem(ana.post("/imports", json={**TRIPS, "zone": "Mars/Base"}))[1] == "Refused"
    assert problem(ana.post("/imports", json={**TRIPS, "text": ""}))[1] == "Refused"
    detail = (
        "reading.Book has no field for column 'city'. Leave it out with `without` 'city', "
        "or choose one of title, pages with `fields` 'city'=NAME."
    )
    assert problem(ana.post("/imports", json={**TRIPS, "type": "reading.Book"})) == (422, "Refused", detail)


# --- users ------------------------------------------------------------------------------------------------------------


def test_users_are_listed_page_by_page_and_only_those_of_the_tenant() -> None:
    app = app_over(MemoryStore())
    with inside(app) as client:
        for tenant, names in (("", ["ana", "ben", "a b", "cleo"]), ("t", ["ben", "dora"]), ("a", ["x"]), ("z", ["y"])):
            headers = {"Authorization": f"Bearer {make_key(app, tenant=tenant)}"}
            for name in names:
                body = {"turns": [{"text": "Hello."}]}
                json_of(client.post(f"/v1/users/{name}/observations", json=body, headers=headers))

        def listed(tenant: str, user: str = "") -> list[list[str]]:
            headers = {"Authorization": f"Bearer {make_key(app, tenant=tenant, user=user)}"}
            pages = [json_of(client.get("/v1/users", params={"limit": 2}, headers=headers))]
            while (after := pages[-1]["next"]) is not None:
                query = {"limit": 2, "after": after}
                pages.append(json_of(client.get("/v1/users", params=query, headers=headers)))
            return [[user["user"] for user in page["users"]] for page in pages]

        assert listed("") == [["a b", "ana"], ["ben", "cleo"]]
        assert listed("t") == [["ben", "dora"]]
        assert listed("a") == [["x"]]
        assert listed("nobody") == [[]]
        assert listed("t", "dora") == [["dora"]]
        for forged in (write_cursor(("a/x",)), write_cursor(("\0",)), "x"):
            assert problem(client.get("/v1/users", params={"after": forged}))[:2] == (422, "Refused")
