"""Routes that read: the log, the typed project, and records."""

import io
import zipfile
from collections.abc import Iterator
from itertools import pairwise

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.http_routes import BOOK, app, json_of, problem, tenant
from support.http_service import inside, make_key
from uac.log.log import Log
from uac.log.store import Store

__all__ = ["app", "tenant"]  # fixtures


@pytest.fixture
def ana(app: FastAPI, tenant: str) -> Iterator[TestClient]:
    """The addresses of one user, who has said something and read two books."""
    with inside(app, make_key(app, tenant=tenant), path="/v1/users/ana") as client:
        json_of(client.post("/observations", json={"turns": [{"text": "I read Emma.", "session": "s1"}]}))
        json_of(client.post("/types", json={"type": BOOK}))
        json_of(client.post("/records", json={"type": "reading.Book", "fields": {"title": "Emma", "pages": 474}}))
        json_of(client.post("/records", json={"type": "reading.Book", "fields": {"title": "Dune/Part 1"}}))
        yield client


def log_of(app: FastAPI, tenant: str) -> Log:
    store: Store = app.state.service.store
    return store.log(f"{tenant}/ana")


def test_an_entry_is_told_with_all_its_fields(ana: TestClient, app: FastAPI, tenant: str) -> None:
    assert json_of(ana.get("/log/1")) == {
        "position": 1,
        "at": "2026-03-02T09:00:00Z",
        "kind": "observation",
        "digest": log_of(app, tenant).as_of(1).head().digest.hex(),
        "entry": {
            "kind": "observation",
            "text": "I read Emma.",
            "said": "2026-03-02T09:00:00Z",
            "zone": "",
            "role": "user",
            "speaker": "",
            "session": "s1",
            "source": "",
            "key": "",
        },
    }


def test_an_entry_that_is_not_there_is_not_found(ana: TestClient) -> None:
    assert problem(ana.get("/log/7")) == (404, "Not Found", "No entry 7. GET …/log lists the entries.")


def test_the_log_is_read_page_by_page(ana: TestClient) -> None:
    pages = [json_of(ana.get("/log", params={"limit": 2}))]
    while (after := pages[-1]["next"]) is not None:
        pages.append(json_of(ana.get("/log", params={"limit": 2, "after": after})))
    assert [[entry["position"] for entry in page["entries"]] for page in pages] == [[1, 2], [3, 4], [5, 6]]


def test_the_log_can_be_asked_for_kinds(ana: TestClient) -> None:
    found = json_of(ana.get("/log", params={"kind": ["observation", "fact"]}))
    assert [entry["kind"] for entry in found["entries"]] == ["observation"] * 3
    assert found["next"] is None


def test_a_page_of_a_log_that_grows_goes_on_where_it_ended(ana: TestClient) -> None:
    first = json_of(ana.get("/log", params={"limit": 4}))
    json_of(ana.post("/observations", json={"turns": [{"text": "And Persuasion."}]}))
    second = json_of(ana.get("/log", params={"limit": 4, "after": first["next"]}))
    assert [entry["position"] for entry in [*first["entries"], *second["entries"]]] == [1, 2, 3, 4, 5, 6, 7]


def test_a_whole_log_verifies(ana: TestClient, app: FastAPI, tenant: str) -> None:
    digest = log_of(app, tenant).head().digest.hex()
    assert json_of(ana.post("/verify")) == {"is_whole": True, "entries": 6, "digest": digest, "broken": None}


def test_the_manifest_can_be_had_as_of_a_position_and_a_time(ana: TestClient) -> None:
    now, before = json_of(ana.get("/manifest")), json_of(ana.get("/manifest", params={"as_of": 2}))
    assert (now["position"], before["position"]) == (6, 2)
    assert ': "books 2: title, pages' in now["text"]
    assert "RECORDS = {}" in before["text"]
    assert json_of(ana.get("/manifest", params={"as_of": "2026-03-02T09:00:00Z"})) == now
    assert json_of(ana.get("/manifest", params={"as_of": "2026-03-02T10:00:00+02:00"}))["position"] == 0


@pytest.mark.parametrize("as_of", ["-1", "soon", "2026-03-02T09:00:00", "1e9", "1772442000.5"])
def test_what_is_neither_a_position_nor_a_time_with_its_zone_is_refused(ana: TestClient, as_of: str) -> None:
    assert problem(ana.get("/manifest", params={"as_of": as_of}))[:2] == (422, "Malformed")


def test_a_position_that_is_not_in_the_log_is_refused(ana: TestClient) -> None:
    detail = "as_of: position 99 is not in the log. Use 0 to 6."
    assert problem(ana.get("/files", params={"as_of": 99})) == (422, "Refused", detail)


def test_the_files_the_single_file_and_the_archive_are_the_same_project(ana: TestClient) -> None:
    files = json_of(ana.get("/files"))["files"]
    archive = zipfile.ZipFile(io.BytesIO(ana.get("/export").content))
    assert {name: archive.read(name).decode() for name in archive.namelist()} == files
    assert {name: ana.get(f"/files/{name}").text for name in files} == files
    assert ana.get("/export").content == ana.get("/export").content
    assert problem(ana.get("/files/domains/../secret.py"))[0] == 404


def test_types_are_told_with_their_fields(ana: TestClient) -> None:
    assert json_of(ana.get("/types")) == {
        "types": [
            {
                "type": "reading.Book",
                "collection": "reading.books",
                "doc": "A book.",
                "cardinality": "many",
                "key": ["title"],
                "fields": [
                    {"name": "title", "type": "str", "doc": "", "policy": "latest"},
                    {"name": "pages", "type": "int | None", "doc": "", "policy": "ask"},
                ],
                "records": 2,
            }
        ]
    }
    assert json_of(ana.get("/types", params={"as_of": 1})) == {"types": []}


EMMA = {
    "record": "reading.Book:emma",
    "type": "reading.Book",
    "values": {"title": "Emma", "pages": 474},
    "ended": None,
    "conflicts": [],
    "unsure": {},
    "cites": [3],
}
DUNE = {
    "record": "reading.Book:dune/part 1",
    "type": "reading.Book",
    "values": {"title": "Dune/Part 1", "pages": None},
    "ended": None,
    "conflicts": [],
    "unsure": {},
    "cites": [5],
}


def test_records_are_listed_in_the_order_they_came(ana: TestClient) -> None:
    assert json_of(ana.get("/records")) == {"records": [EMMA, DUNE], "next": None}
    assert json_of(ana.get("/records", params={"type": "reading.Book"})) == {"records": [EMMA, DUNE], "next": None}
    assert json_of(ana.get("/records", params={"as_of": 4})) == {"records": [EMMA], "next": None}
    for name, expected in (("reading", [EMMA, DUNE]), ("reading.books", [EMMA, DUNE]), ("reading.former_books", [])):
        assert json_of(ana.get("/records", params={"type": name})) == {"records": expected, "next": None}
    assert problem(ana.get("/records", params={"type": "reading.Poem"}))[0] == 404


def test_pages_of_records_neither_repeat_nor_miss_one_while_others_come_and_go(ana: TestClient) -> None:
    for number in range(5):
        json_of(ana.post("/records", json={"type": "reading.Book", "fields": {"title": f"Volume {number}"}}))
    first = json_of(ana.get("/records", params={"limit": 3}))
    json_of(ana.delete("/records/reading.Book:emma", params={"why": "told twice"}))
    json_of(ana.post("/records", json={"type": "reading.Book", "fields": {"title": "Late"}}))
    pages = [first]
    while (after := pages[-1]["next"]) is not None:
        pages.append(json_of(ana.get("/records", params={"limit": 3, "after": after})))
    keys = [record["record"].partition(":")[2] for page in pages for record in page["records"]]
    assert keys == ["emma", "dune/part 1", "volume 0", "volume 1", "volume 2", "volume 3", "volume 4", "late"]


@pytest.mark.parametrize("after", ["x", "WzFd", "bnVsbA", "é", "W10="])
def test_a_cursor_that_is_not_ours_is_refused(ana: TestClient, after: str) -> None:
    detail = "after is not a cursor. Send the `next` of the previous page."
    assert problem(ana.get("/records", params={"after": after})) == (422, "Refused", detail)


def test_one_record_is_found_by_its_id_in_any_case_and_with_slashes(ana: TestClient) -> None:
    assert json_of(ana.get("/records/reading.Book:emma")) == json_of(ana.get("/records/reading.Book:EMMA")) == EMMA
    assert json_of(ana.get("/records/reading.Book:dune%2Fpart%201")) == DUNE
    assert json_of(ana.get("/records/reading.Book:dune%2Fpart%201/fields/title"))["value"] == "Dune/Part 1"
    assert problem(ana.get("/records/reading.Book:persuasion"))[0] == 404
    assert problem(ana.get("/records/reading.Book:emma", params={"as_of": 1}))[0] == 404


def test_a_field_is_explained_down_to_the_words(ana: TestClient) -> None:
    words = "reading.Book: title = Emma, pages = 474"
    assert json_of(ana.get("/records/reading.Book:emma/fields/pages")) == {
        "record": "reading.Book:emma",
        "field": "pages",
        "value": 474,
        "policy": "ask",
        "is_disputed": False,
        "unsure": "",
        "ended": None,
        "end_evidence": [],
        "claims": [
            {
                "value": 474,
                "authority": "user",
                "according_to": "",
                "unsure": "",
                "said": "2026-03-02T09:00:00Z",
                "learned": "2026-03-02T09:00:00Z",
                "held": ["", ""],
                "position": 4,
                "stands": True,
                "evidence": [
                    {
                        "position": 3,
                        "words": words,
                        "quote": None,
                        "speaker": "user",
                        "said": "2026-03-02T09:00:00Z",
                        "fact": None,
                        "fact_text": None,
                    }
                ],
            }
        ],
    }
    assert problem(ana.get("/records/reading.Book:emma/fields/author"))[0] == 404


def test_a_conflict_is_listed_until_a_correction_decides_it(ana: TestClient) -> None:
    json_of(ana.post("/records", json={"type": "reading.Book", "fields": {"title": "Emma", "pages": 500}}))
    (conflict,) = json_of(ana.get("/conflicts"))["conflicts"]
    assert (conflict["record"], conflict["field"]) == ("reading.Book:emma", "pages")
    assert [claim["value"] for claim in conflict["claims"]] == [474, 500]
    json_of(ana.post("/corrections", json={"record": "reading.Book:emma", "field": "pages", "value": 480}))
    assert json_of(ana.get("/conflicts")) == {"conflicts": []}
    assert json_of(ana.get("/records/reading.Book:emma"))["values"] == {"title": "Emma", "pages": 480}


def test_coverage_counts_what_no_model_has_read(ana: TestClient) -> None:
    assert json_of(ana.get("/coverage")) == {"domains": {}, "waiting": 0, "unread": 1, "stuck": {}}


def test_a_diff_names_what_came_between_two_states(ana: TestClient) -> None:
    added = {"kind": "record", "change": "added", "before": None, "after": None}
    assert json_of(ana.get("/diff", params={"before": 2})) == {
        "before": 2,
        "after": 6,
        "changes": [added | {"what": "reading.Book:emma"}, added | {"what": "reading.Book:dune/part 1"}],
    }
    assert json_of(ana.get("/diff", params={"before": 2, "after": 4}))["changes"] == [
        added | {"what": "reading.Book:emma"}
    ]


def test_a_method_that_an_address_has_not_is_told_those_it_has(ana: TestClient) -> None:
    response = ana.patch("/records")
    detail = "PATCH is not allowed here. Use GET, POST; /docs lists all routes."
    assert problem(response) == (405, "Method Not Allowed", detail)
    assert response.headers["Allow"] == "GET, POST"
    assert ana.put("/records/reading.Book:emma").headers["Allow"] == "DELETE, GET"
    assert ana.delete("/records/reading.Book:emma/fields/pages").headers["Allow"] == "GET"


def test_a_field_that_a_body_cannot_have_is_answered_with_those_that_it_can(ana: TestClient) -> None:
    reasons = ana.post("/observations", json={"turns": [{"text": "hi"}], "text": "hi"}).json()["reasons"]
    assert reasons == ["body.text: Extra inputs are not permitted", "the body may have: turns"]


def test_positions_of_pages_go_up(ana: TestClient) -> None:
    positions = [entry["position"] for entry in json_of(ana.get("/log"))["entries"]]
    assert all(second == first + 1 for first, second in pairwise(positions))


READS = [
    "/log", "/log/1", "/manifest", "/files", "/files/manifest.py", "/export", "/types", "/coverage", "/conflicts",
    "/diff?before=0", "/records", "/records/reading.Book:emma", "/records/reading.Book:emma/fields/pages", "/alerts",
    "/alerts/history", "/constraints", "/pending", "/cost",
]  # fmt: skip


@pytest.mark.parametrize("path", READS)
def test_what_a_client_has_already_is_not_sent_again(ana: TestClient, path: str) -> None:
    first = ana.get(path)
    assert first.status_code == 200, first.text
    again = ana.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert (
        ana.get(path, headers={"If-None-Match": f'"x", {first.headers["ETag"].removeprefix("W/")}'}).status_code == 304
    )
    json_of(ana.post("/observations", json={"turns": [{"text": "And Persuasion."}]}))
    assert ana.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


@pytest.mark.parametrize("path", READS)
def test_a_user_who_has_no_log_is_not_found(ana: TestClient, path: str) -> None:
    assert problem(ana.get(f"http://testserver/v1/users/nobody{path}"))[0] == 404


def test_what_is_read_follows_the_three_clocks(ana: TestClient) -> None:
    late = {"type": "reading.Book", "fields": {"title": "Late"}, "said": "2026-01-05T09:00:00Z"}
    json_of(ana.post("/records", json=late))

    def titles(**clocks: str | int) -> list[str]:
        page = json_of(ana.get("/records", params=clocks))
        return [record["values"]["title"] for record in page["records"]]

    count = {"code": "len(reading.books)"}
    assert titles(told="2026-01-05") == ["Late"]
    assert titles(known=4) == titles(as_of=4) == ["Emma"]
    assert titles(told="2026-01-05", known=4) == []
    assert titles(valid="2026-01-01", told="2026-01-05") == ["Late"]
    assert json_of(ana.post("/compute", json={**count, "told": "2026-01-05"}))["value"] == 1
    assert json_of(ana.post("/compute", json={**count, "known": 4}))["value"] == 1
    hits = json_of(ana.post("/recall", json={"query": "Emma Late", "told": "2026-01-05"}))["hits"]
    assert {hit["record"] for hit in hits if hit["record"]} == {"reading.Book:late"}
    assert "Emma" not in json_of(ana.post("/context", json={"question": "Emma?", "told": "2026-01-05"}))["text"]
    told = {"before": "2026-01-04", "after": "2026-01-05", "clock": "told"}
    assert [change["what"] for change in json_of(ana.get("/diff", params=told))["changes"]] == ["reading.Book:late"]


@pytest.mark.parametrize(
    ("path", "clocks", "detail"),
    [
        ("/records", {"known": 2, "as_of": 2}, "known and as_of are both given. Give one of them."),
        ("/diff", {"before": 1, "clock": "told"}, "told: '1' is not a valid date. Use YYYY-MM-DD."),
        (
            "/diff",
            {"before": "2026-01-04", "clock": "told", "told": "2026-01-04"},
            "told is given twice. before and after are on that clock: leave out the other.",
        ),
    ],
)
def test_clocks_that_do_not_fit_are_refused(
    ana: TestClient, path: str, clocks: dict[str, str | int], detail: str
) -> None:
    assert problem(ana.get(path, params=clocks)) == (422, "Refused", detail)


def test_code_over_what_was_not_known_yet_is_refused_with_just_that(ana: TestClient) -> None:
    detail = "Nothing about reading was known at position 0. Ask for a later time or position."
    assert problem(ana.post("/compute", json={"code": "len(reading.books)", "known": 0})) == (422, "Refused", detail)
