"""Routes between conversation and records, and those that read: pending, answers, learning, recall, context, compute."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.fake_vendor_server import Act, loopback, no_proxy, of_model, well
from support.http_routes import MONDAY, json_of, problem
from support.http_service import app_over, inside, make_key, new_tenant, serving
from support.scripted_model import allergy, facts, put_allergy
from uac import Memory
from uac.log.stores.in_memory import MemoryStore
from uac.models import OneModel, Recorder
from uac.models.scripted import ScriptedModel

WORDS = "I'm allergic to penicillin."
FACTS, PATCHES = facts(allergy(1)), put_allergy(2)


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return app_over(MemoryStore(clock=lambda: MONDAY), clock=lambda: MONDAY)


@pytest.fixture
def ana(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.delenv("UAC_MODEL", raising=False)
    with inside(app, make_key(app, tenant=new_tenant()), path="/v1/users/ana") as client:
        json_of(client.post("/observations", json={"turns": [{"text": WORDS}]}))
        yield client


def recorded(folder: Path) -> Path:
    """The replies of a model that learns the same from the same words."""
    memory = Memory(MemoryStore(clock=lambda: MONDAY).log("ana"), clock=lambda: MONDAY, embedder=None)
    memory.add(WORDS, said=MONDAY)
    memory.learn(OneModel(Recorder(ScriptedModel(FACTS, PATCHES), folder)))
    return folder


REMEMBER = {
    "turns": [{"text": WORDS}],
    "facts": [{"text": "The user is allergic to penicillin.", "quote": "I'm allergic to penicillin"}],
    "records": [{"type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [1]}],
}


def test_one_call_stores_words_facts_and_records_once(ana: TestClient) -> None:
    first = ana.post("/remember", json=REMEMBER, headers={"Idempotency-Key": "k"})
    assert (first.status_code, first.json()) == (
        201,
        {
            "positions": [2],
            "facts": [{"number": 1, "position": 3, "text": "The user is allergic to penicillin.", "unsure": ""}],
            "records": ["health.Allergy:penicillin"],
            "checkpoint": 6,
            "to_mend": [],
            "alert_changes": [],
            "unread": 1,
            "waiting": 0,
            "overruled": [],
            "is_repeated": False,
        },
    )
    again = json_of(ana.post("/remember", json=REMEMBER, headers={"Idempotency-Key": "k"}))
    assert again == first.json() | {"is_repeated": True}
    assert problem(ana.post("/remember", json={**REMEMBER, "facts": []}, headers={"Idempotency-Key": "k"}))[0] == 409


def test_a_refused_part_comes_back_and_is_mended_by_positions(ana: TestClient) -> None:
    wrong = {**REMEMBER, "facts": [{"text": "The user has 7 cats.", "quote": "I'm allergic to penicillin"}, "nonsense"]}
    taken = json_of(ana.post("/remember", json=wrong))
    assert (taken["positions"], taken["facts"], [part["part"] for part in taken["to_mend"]]) == (
        [2],
        [],
        ["fact 1", "fact 2", "record 1"],
    )
    rest = {name: REMEMBER[name] for name in ("facts", "records")}
    mended = json_of(ana.post("/remember", json={**rest, "observations": [2]}))
    assert (mended["records"], mended["to_mend"]) == (["health.Allergy:penicillin"], [])


def test_one_call_takes_words_or_positions_of_this_user_only(ana: TestClient) -> None:
    for wrong in ({"observations": [99]}, {"observations": [1], "turns": [{"text": "x"}]}, {}):
        assert problem(ana.post("/remember", json={"facts": [], **wrong}))[0] == 422
    for malformed in ({"observations": [0]}, {"turns": [{"text": ""}]}, {"turns": [{"text": "x", "role": "king"}]}):
        assert problem(ana.post("/remember", json=malformed))[0] == 422
    assert json_of(ana.get("/log"))["entries"][-1]["position"] == 1


def test_who_may_not_read_is_told_of_no_records_and_alerts(app: FastAPI) -> None:
    tenant = new_tenant()
    with inside(app, make_key(app, "write", tenant=tenant), path="/v1/users/ana") as writer:
        taken = json_of(writer.post("/remember", json=REMEMBER))
    assert (taken["records"], taken["alert_changes"], taken["waiting"]) == ([], [], 0)
    with inside(app, make_key(app, "read", tenant=tenant), path="/v1/users/ana") as reader:
        assert problem(reader.post("/remember", json=REMEMBER))[0] == 403


def test_an_agent_answers_what_is_pending(ana: TestClient) -> None:
    (question,) = json_of(ana.get("/pending"))["requests"]
    assert (question["step"], question["input"]["turns"][0]["text"]) == ("extract", WORDS)
    assert json_of(ana.post("/answers", json={"request": question["id"], "reply": FACTS})) == {
        "facts": [{"position": 2, "text": "The user is allergic to penicillin.", "unsure": ""}],
        "checkpoint": None,
        "changes": [],
        "to_mend": [],
        "is_open": False,
        "overruled": [],
        "is_repeated": False,
    }
    (question,) = json_of(ana.get("/pending"))["requests"]
    answered = json_of(ana.post("/answers", json={"request": question["id"], "reply": json.dumps(PATCHES)}))
    assert answered["checkpoint"] is not None
    assert "health.Allergy:penicillin" in {change["what"] for change in answered["changes"]}
    assert json_of(ana.get("/pending")) == {"requests": [], "more": False, "stuck": 0}
    assert json_of(ana.get("/records/health.Allergy:penicillin/fields/substance"))["claims"][0]["evidence"] == [
        {
            "position": 1,
            "words": WORDS,
            "quote": "I'm allergic to penicillin",
            "speaker": "user",
            "said": "2026-03-02T09:00:00Z",
            "fact": 2,
            "fact_text": "The user is allergic to penicillin.",
        }
    ]


def test_what_does_not_hold_is_to_be_mended(ana: TestClient) -> None:
    (question,) = json_of(ana.get("/pending"))["requests"]
    wrong = facts({**allergy(1), "cites": [{"turn": 1, "quote": "I'm allergic to cats"}]})
    answered = json_of(ana.post("/answers", json={"request": question["id"], "reply": wrong}))
    assert (answered["facts"], answered["is_open"]) == ([], True)
    assert [(one["part"], one["positions"]) for one in answered["to_mend"]] == [(1, [1])]


def test_an_answer_is_taken_once(ana: TestClient) -> None:
    (question,) = json_of(ana.get("/pending"))["requests"]
    body = {"request": question["id"], "reply": FACTS}
    first = json_of(ana.post("/answers", json=body, headers={"Idempotency-Key": "a-1"}))
    again = json_of(ana.post("/answers", json=body, headers={"Idempotency-Key": "a-1"}))
    assert again == first | {"is_repeated": True}
    assert problem(ana.post("/answers", json=body))[:2] == (409, "Late")
    assert problem(ana.post("/answers", json={**body, "request": "x"}))[:2] == (422, "Refused")


def test_what_answers_have_cost_is_told(ana: TestClient) -> None:
    (question,) = json_of(ana.get("/pending"))["requests"]
    json_of(ana.post("/answers", json={"request": question["id"], "reply": FACTS, "model": "my agent"}))
    costs = json_of(ana.get("/cost"))
    assert costs["rows"] == [{**costs["total"], "day": "2026-03-02", "step": "extract", "model": "my agent"}]
    assert (costs["total"]["calls"], costs["total"]["cost"], costs["total"]["unpriced"]) == (1, "0", 1)


@pytest.mark.parametrize(("path", "body"), [("/learn", {}), ("/ask", {"question": "How many allergies have I?"})])
def test_without_a_model_none_is_asked(ana: TestClient, path: str, body: dict[str, str]) -> None:
    assert problem(ana.post(path, json=body))[:2] == (501, "NoModel")
    assert json_of(ana.get("/log"))["next"] is None


def test_the_configured_model_learns_as_far_as_it_may(
    ana: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UAC_REPLIES", str(recorded(tmp_path)))
    first = json_of(ana.post("/learn", json={"calls": 1}))
    assert first == {
        "replies": 1,
        "facts": 1,
        "checkpoints": [],
        "stopped": "1 replies were asked for",
        "is_done": False,
    }
    rest = json_of(ana.post("/learn", json={}))
    assert (rest["replies"], rest["facts"], rest["is_done"]) == (1, 0, True)
    assert [one["record"] for one in json_of(ana.get("/records"))["records"]] == ["health.Allergy:penicillin"]
    assert json_of(ana.post("/learn", json={}))["replies"] == 0


def test_while_a_model_is_asked_others_read_and_write(
    app: FastAPI, ana: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model itself does, before it answers; if it had to wait, nobody would ever go on."""
    key = ana.headers["Authorization"].removeprefix("Bearer ")
    seen: list[int] = []
    with serving(app) as served:

        def answer(path: str, body: object, act: Act) -> bytes:
            other = served.client(key)
            json_of(other.post("/v1/users/ana/observations", json={"turns": [{"text": "By the way."}]}))
            seen.append(len(json_of(other.get("/v1/users/ana/log"))["entries"]))
            return of_model(path, body, act)

        with loopback(answer) as model:
            model.will(well(json.dumps(FACTS)))
            monkeypatch.setenv("UAC_MODEL_URL", f"{model.address}/v1")
            monkeypatch.setenv("UAC_MODEL", "served")
            no_proxy(monkeypatch)
            learned = json_of(served.client(key).post("/v1/users/ana/learn", json={"calls": 1}))
    assert (seen, learned["facts"]) == ([2], 1)


def test_recall_finds_what_was_said_with_the_reason(ana: TestClient) -> None:
    found = json_of(ana.post("/recall", json={"query": "penicillin", "k": 1}))
    (hit,) = found["hits"]
    assert (hit["kind"], hit["position"], hit["text"]) == ("observation", 1, WORDS)
    assert hit["score"] == pytest.approx(sum(hit["channels"].values()), abs=0.01)
    assert (found["matched"], found["left_out"], found["unread"]) == (1, 0, 1)
    assert json_of(ana.post("/recall", json={"query": "penicillin", "until": "2020-01-01"}))["hits"] == []
    assert json_of(ana.post("/recall", json={"query": "penicillin", "kinds": ["fact"]}))["hits"] == []
    assert json_of(ana.post("/recall", json={"query": "penicillin", "as_of": 0}))["hits"] == []


def test_the_context_for_a_question_fits_its_budget(ana: TestClient) -> None:
    found = json_of(ana.post("/context", json={"question": "Is penicillin a problem?", "tokens": 300}))
    assert found["tokens"] <= 300
    assert [part["kind"] for part in found["parts"]] == ["turn"]
    assert found["positions"] == [1]


def test_code_is_computed_over_the_records(ana: TestClient) -> None:
    json_of(ana.post("/records", json={"type": "health.Allergy", "fields": {"substance": "Nuts"}}))
    position = json_of(ana.get("/manifest"))["position"]
    assert json_of(ana.post("/compute", json={"code": "print('hi')\n[a.substance for a in health.allergies]"})) == {
        "value": ["Nuts"],
        "python": "['Nuts']",
        "printed": "hi\n",
        "is_complete": True,
        "reads": [
            {
                "collection": "health.allergies",
                "records": 1,
                "waiting": 0,
                "stuck": 0,
                "aside": 0,
                "incomplete": 0,
                "conflicts": 0,
                "facts": [],
                "lacks": "",
            }
        ],
        "unread": 1,
        "position": position,
    }
    assert json_of(ana.post("/compute", json={"code": "1 + 1", "as_of": 1}))["position"] == 1
    assert json_of(ana.post("/compute", json={"code": "float('inf')"}))["value"] == "inf"


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("1 / 0", "CodeError"),
        ("def", "CodeError"),
        ("open('/etc/passwd')", "CodeError"),
        ("10 ** 5000", "CodeError"),
        ("[0] * 10**10", "LimitError"),
    ],
)
def test_code_that_fails_is_refused_and_harms_nobody(ana: TestClient, code: str, title: str) -> None:
    assert problem(ana.post("/compute", json={"code": code}))[:2] == (422, title)
    assert json_of(ana.post("/compute", json={"code": "6 * 7"}))["value"] == 42


def test_what_code_printed_before_it_failed_is_told(ana: TestClient) -> None:
    failed = ana.post("/compute", json={"code": "print('so far')\n1 / 0"})
    assert failed.json()["reasons"] == ["printed before that: so far\n"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/recall", {"query": "x"}),
        ("/context", {"question": "x"}),
        ("/compute", {"code": "1"}),
        ("/verify", None),
        ("/learn", {}),
        ("/ask", {"question": "x"}),
        ("/answers", {"request": "1-x", "reply": ""}),
        ("/tick", None),
        ("/corrections", {"record": "a.B:c", "field": "d", "value": 1}),
        ("/ends", {"record": "a.B:c", "when": "2026"}),
        ("/retractions", {"positions": [1], "why": "x"}),
        ("/erasures", {"positions": [1], "why": "x"}),
        ("/alerts/acknowledge", {"constraint": "x"}),
        ("/alerts/snooze", {"constraint": "x", "until": "2999-01-01T00:00:00Z"}),
    ],
)
def test_a_user_who_has_no_log_is_not_found(ana: TestClient, path: str, body: dict[str, str] | None) -> None:
    assert problem(ana.post(f"http://testserver/v1/users/nobody{path}", json=body))[0] == 404
