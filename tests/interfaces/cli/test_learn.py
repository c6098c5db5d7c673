"""The commands of conversation, run as people and agents run them: pending, answer, learn, cost, recall, context, ask."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from support.fake_vendor_server import fails, loopback, well
from uac.interfaces.cli import main
from uac.log.stores.sqlite import SqliteStore
from uac.memory.memory import Memory
from uac.models import Models, Recorder
from uac.models.requests_and_replies import STEPS, Reply
from uac.models.scripted import ScriptedModel

NOW = "2026-03-01T13:00+00:00"
ALLERGY = {
    "text": "The user is allergic to penicillin.",
    "about": "user",
    "cites": [{"turn": 1, "quote": "I am allergic to penicillin"}],
    "topic": "health",
}
DRUG = {
    "text": "Dr. Chen gave the user amoxicillin on 2026-02-28.",
    "about": "user",
    "cites": [{"turn": 2, "quote": "Dr. Chen gave me amoxicillin yesterday"}],
    "when": "yesterday",
    "start": "2026-02-28",
    "end": "2026-02-28",
    "topic": "health",
}
NUTS = {**ALLERGY, "text": "The user is allergic to nuts.", "cites": [{"turn": 1, "quote": "allergic to nuts"}]}
READ = json.dumps({"facts": [ALLERGY, DRUG]})
PUT_ALLERGY = {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [3]}
PUT_DRUG = {
    "op": "put",
    "type": "health.Medication",
    "fields": {"name": "amoxicillin", "started": "2026-02-28"},
    "cites": [4],
}
PATCHES = json.dumps({"patches": [PUT_ALLERGY, PUT_DRUG]})
NOT_READ = "2 observations have not been read by a model yet\n"
RECORDS = ["+ health.Allergy:penicillin", "+ health.Medication:amoxicillin"]
TAKEN = ["     3  The user is allergic to penicillin.", "     4  Dr. Chen gave the user amoxicillin on 2026-02-28."]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ana has said two things, which nobody has read."""
    path = tmp_path / "memory.db"
    for name in ("MODEL", "MODEL_URL", "MODEL_KEY", "REPLIES", "RECORD", "PRICE", "ZONE", "UNREVIEWED"):
        monkeypatch.delenv(f"UAC_{name}", raising=False)
    for name in ("CALL", "DAY", "USER"):
        monkeypatch.delenv(f"UAC_BUDGET_{name}", raising=False)
    for step in STEPS:
        monkeypatch.delenv(f"UAC_MODEL_{step.upper()}", raising=False)
    for name, value in {"UAC_STORE": str(path), "UAC_PACKS": "health", "UAC_NOW": NOW}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    ok("add", "ana", "I am allergic to penicillin.", "--session", "s1", "--at", "2026-03-01T12:00Z")
    ok("add", "ana", "Dr. Chen gave me amoxicillin yesterday.", "--session", "s1", "--at", "2026-03-01T12:01Z")
    return path


def uac(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin, catch_exceptions=False)


def ok(*arguments: str, stdin: str | None = None) -> str:
    result = uac(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def told(*arguments: str, stdin: str | None = None) -> list[Any]:
    return [json.loads(line) for line in ok(*arguments, "--json", stdin=stdin).splitlines()]


def head(user: str = "ana") -> int:
    return next(int(line["entries"]) for line in told("users") if line["user"] == user)


def ids() -> list[str]:
    return [request["id"] for request in told("pending", "ana")]


def record(store: Path, run: Callable[[Memory, Models], object], *replies: str) -> None:
    """Write replies.jsonl: what a model would say to the requests that `run` makes, found out on a copy of the store."""
    copy = Path(shutil.copy(store, store.with_name("copy.db")))
    counted = [Reply(text=text, model="scripted", input_tokens=100, output_tokens=10) for text in replies]
    models = Models(
        names=dict.fromkeys(STEPS, "scripted"), _opened={"scripted": Recorder(ScriptedModel(*counted), "replies.jsonl")}
    )
    with closing(SqliteStore(copy, create=False)) as opened:
        run(Memory(opened.log("ana"), clock=lambda: datetime.fromisoformat(NOW)), models)
    copy.unlink()


@pytest.fixture
def recorded(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a model says to Ana's two sentences, and then to the facts."""
    record(store, lambda memory, models: memory.learn(models), READ, PATCHES)
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")


# --- pending and answer -----------------------------------------------------------------------------------------------


def test_a_pending_request_is_told_whole_to_agents_and_in_a_line_to_people() -> None:
    (request,) = told("pending", "ana")
    assert list(request) == ["id", "step", "instructions", "input", "schema", "tokens"]
    assert (request["step"], request["instructions"][:20]) == ("extract", "# extract, version 1")
    assert [turn["text"] for turn in request["input"]["turns"]] == [
        "I am allergic to penicillin.",
        "Dr. Chen gave me amoxicillin yesterday.",
    ]
    result = uac("pending", "ana")
    assert result.stdout == f"{request['id']}  extract     2 turns, {request['tokens']:,} tokens\n"
    assert "'uac answer ana ID FILE'" in result.stderr


def test_an_agent_answers_until_nothing_is_pending() -> None:
    result = uac("answer", "ana", stdin=READ)
    assert (result.exit_code, result.stdout.splitlines()) == (0, ["ana: 2 facts taken", *TAKEN])
    result = uac("answer", "ana", "-", stdin=PATCHES)
    shown = result.stdout.splitlines()
    assert (result.exit_code, shown[0], shown[1:3]) == (0, "ana: accepted, entry 7", RECORDS)
    assert shown[3].startswith("raised critical drug_allergy / amoxicillin / penicillin: ")
    assert len(shown) == 4
    assert result.stderr.startswith("packs added ")
    result = uac("pending", "ana")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "nothing is pending\n")


def test_a_reply_comes_from_a_file_with_or_without_the_id_of_its_request() -> None:
    Path("reply.json").write_text(READ)
    (request,) = ids()
    (answered,) = told("answer", "ana", request, "reply.json", "--model", "claude")
    assert answered == {
        "user": "ana",
        "request": request,
        "step": "extract",
        "facts": [{"position": 3, "text": ALLERGY["text"]}, {"position": 4, "text": DRUG["text"]}],
        "echoes": 0,
        "position": None,
        "changes": [],
        "alerts": [],
        "findings": [],
        "is_open": False,
        "again": None,
    }
    assert told("log", "ana", "5")[0]["entry"]["model"] == "claude"
    Path("patches.json").write_text(PATCHES)
    (accepted,) = told("answer", "ana", "patches.json")
    assert (accepted["position"], [alert["change"] for alert in accepted["alerts"]]) == (7, ["raised"])


def test_what_does_not_hold_is_listed_and_asked_again() -> None:
    result = uac("answer", "ana", stdin=json.dumps({"facts": [ALLERGY, NUTS, DRUG]}))
    (again,) = ids()
    assert (result.exit_code, result.stdout.splitlines()) == (
        1,
        [
            "ana: 2 facts taken",
            *TAKEN,
            "to fix: fact 2: The quote 'allergic to nuts' is not in turn 1. Use its exact words.",
            f"asked again as {again}",
        ],
    )
    (request,) = told("pending", "ana")
    assert [item["fact"]["text"] for item in request["input"]["refused"]] == [NUTS["text"]]
    assert ok("answer", "ana", again, stdin='{"facts": []}') == "ana: 0 facts taken\n"


def test_a_patch_or_constraint_to_mend_is_named_by_its_number() -> None:
    ok("answer", "ana", stdin=READ)
    wrong = {"patches": [PUT_ALLERGY, {**PUT_DRUG, "op": "guess"}], "constraints": [{"name": "c"}]}
    result = uac("answer", "ana", "--json", stdin=json.dumps(wrong))
    answered = json.loads(result.stdout)
    assert (result.exit_code, answered["position"], answered["is_open"]) == (1, 7, True)
    assert [finding["part"] for finding in answered["findings"]] == ["patch 2", "constraint 1"]
    assert answered["again"] in ids()


def test_a_reply_that_says_there_is_more_is_asked_to_go_on() -> None:
    result = uac("answer", "ana", stdin=json.dumps({"facts": [ALLERGY], "more": True}))
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, f"continues as {ids()[0]}")


def test_with_several_requests_pending_the_id_is_needed() -> None:
    ok("add", "ana", "I moved to Lisbon.", "--session", "s2")
    pending = ids()
    result = uac("answer", "ana", stdin=READ)
    needed = f"Refused: Several requests are pending. Name one of these ids: {', '.join(pending)}.\n"
    assert (len(pending), result.exit_code, result.stderr) == (2, 3, needed)
    assert len(told("pending", "ana", "--most", "1")) == 1
    assert "more than 1 are pending" in uac("pending", "ana", "--most", "1").stderr


def test_three_replies_of_no_use_leave_what_they_were_about_waiting_until_it_is_retried() -> None:
    shown = [uac("answer", "ana", stdin="I would rather not.") for _ in range(3)]
    assert [result.exit_code for result in shown] == [1, 1, 1]
    assert shown[0].stdout.splitlines()[:2] == [
        "ana: 0 facts taken",
        "to fix: the reply: The reply has no JSON object: 'I would rather not.'. Answer with one.",
    ]
    assert shown[2].stdout.splitlines()[-1].startswith("not asked again ('uac coverage ana'")
    result = uac("pending", "ana")
    stuck = "2 observations stuck: a model could not process them ('uac coverage ana' shows why)"
    assert (result.stdout, result.stderr) == ("", f"nothing is pending\n{stuck}\n")
    why = "The reply has no JSON object: 'I would rather not.'. Answer with one."
    assert told("coverage", "ana")[0]["stuck"] == {"1": why, "2": why}
    assert f"     1  stuck observation: {why}\n" in ok("coverage", "ana")
    result = uac("learn", "ana", "--retry")
    assert (result.exit_code, result.stdout) == (7, "ana: asking again about 2 entries\n")
    assert told("coverage", "ana")[0]["stuck"] == {}
    assert [fact["position"] for fact in told("answer", "ana", stdin=READ)[0]["facts"]] == [7, 8]


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "complaint"),
    [
        (["answer", "ana", "2-0123456789abcdef"], READ, 3, "Request '2-0123456789abcdef' is not pending."),
        (["answer", "ana", "99-0123456789abcdef"], READ, 3, "is not pending. Use an id that 'uac pending' shows."),
        (["answer", "ana", "soon", "-"], READ, 3, "Request 'soon' is not pending."),
        (["answer", "ana"], " \n", 3, "standard input: the reply is empty"),
        (["answer", "ana"], b"\xff", 3, "standard input: byte 0 is not UTF-8"),
        (["answer", "ana", "missing.json"], None, 3, "missing.json cannot be read: No such file"),
        (["answer", "ana", "--model", " "], READ, 2, "--model is empty"),
        (["answer", "nobody"], READ, 3, "user 'nobody' has no log"),
        (["pending", "nobody"], None, 3, "user 'nobody' has no log"),
        (["learn"], None, 2, "Give either USERS or --all."),
        (["learn", "ana", "--all"], None, 2, "Give either USERS or --all."),
        (["learn", "ana", "--facts", "3"], None, 2, "require --watch"),
        (["learn", "ana", "--dry-run", "--retry"], None, 2, "--dry-run changes nothing"),
        (["learn", "nobody"], None, 3, "user 'nobody' has no log"),
        (["recall", "ana", " "], None, 3, "The query is empty. Give some words to search for."),
        (["context", "ana", ""], None, 3, "The question is empty. Give a question."),
        (["context", "ana", "allergy?", "--tokens", "0"], None, 2, "--tokens"),
        (["ask", "ana", " "], None, 3, "The question is empty. Give a question."),
        (["ask", "ana", "allergy?"], None, 7, "No model is configured to answer. Set UAC_MODEL"),
        (["cost", "nobody"], None, 3, "user 'nobody' has no log"),
    ],
)
def test_bad_input_gets_one_clear_line_and_changes_nothing(
    arguments: list[str], stdin: str | bytes | None, code: int, complaint: str
) -> None:
    result = uac(*arguments, stdin=stdin)
    assert (result.exit_code, complaint in result.stderr) == (code, True), result.stderr
    assert head() == 2


def test_a_request_is_answered_once() -> None:
    (request,) = ids()
    ok("answer", "ana", request, stdin=READ)
    before = head()
    result = uac("answer", "ana", request, stdin=READ)
    assert (result.exit_code, "has been answered meanwhile" in result.stderr) == (3, True)
    assert head() == before


def test_a_reply_about_words_that_were_erased_meanwhile_is_refused() -> None:
    (request,) = ids()
    ok("erase", "ana", "1", "--why", "asked", "--yes")
    before = head()
    result = uac("answer", "ana", request, stdin=READ)
    assert (result.exit_code, f"Request '{request}' is not pending." in result.stderr) == (3, True), result.stderr
    assert head() == before
    assert [turn["turn"] for turn in told("pending", "ana")[0]["input"]["turns"]] == [2]


# --- learn ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("recorded")
def test_learning_reads_what_was_said_and_makes_records_of_it() -> None:
    shown = ok("learn", "ana").splitlines()
    assert shown[0] == "ana: 2 facts taken; 2 calls, 200 tokens in, 20 out, 0.00 USD"
    assert shown[1:5] == [*TAKEN, *RECORDS]
    assert shown[5].startswith("raised critical drug_allergy / amoxicillin / penicillin: ")
    assert ok("learn", "ana") == "ana: 0 facts taken; no calls\n"


@pytest.mark.usefixtures("recorded")
def test_learning_is_told_as_json() -> None:
    (learned,) = told("learn", "--all")
    assert [change["what"] for change in learned.pop("changes") if change["kind"] == "record"] == [
        "health.Allergy:penicillin",
        "health.Medication:amoxicillin",
    ]
    assert [alert["constraint"] for alert in learned.pop("alerts")] == ["drug_allergy"]
    assert learned == {
        "user": "ana",
        "facts": [{"position": 3, "text": ALLERGY["text"]}, {"position": 4, "text": DRUG["text"]}],
        "stuck": {},
        "spent": {"calls": 2, "input_tokens": 200, "output_tokens": 20, "cost": "0", "unpriced": 0},
        "stopped": "",
    }


def test_what_a_model_could_not_answer_for_is_listed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(store, lambda memory, models: memory.learn(models), READ, PATCHES.replace("put", "guess"), "{}", "{}")
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")
    shown = ok("learn", "ana").splitlines()
    assert shown[3:] == [
        f"{position:>6}  left waiting, fact: facts 3, 4 are neither used nor set aside" for position in (3, 4)
    ]


def test_without_a_model_learning_says_what_waits() -> None:
    result = uac("learn", "ana")
    wait = "No model is configured (UAC_MODEL): 2 observations and 0 facts wait. Set it, or let an agent answer 'uac pending'."
    assert (result.exit_code, result.stdout, result.stderr) == (7, "", f"NoModel: {wait}\n")
    assert json.loads(uac("learn", "--all", "--json").stderr) == {"error": "NoModel", "message": wait}


def test_without_a_model_for_records_learning_stops_there(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(store, lambda memory, models: memory.learn(models), READ, PATCHES)
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")
    monkeypatch.setenv("UAC_MODEL_CHECKPOINT", "none")
    result = uac("learn", "ana")
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (
        7,
        [*TAKEN, "stopped: no model is configured for checkpoint"],
    )


def test_a_reply_that_is_not_recorded_ends_learning_and_keeps_what_was_done(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(store, lambda memory, models: memory.learn(models), READ, PATCHES)
    Path("replies.jsonl").write_text(Path("replies.jsonl").read_text().splitlines()[0] + "\n")
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")
    result = uac("learn", "ana")
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (7, TAKEN)
    assert "No reply is recorded for request" in result.stderr


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize(
    ("setting", "stopped"),
    [
        ("UAC_BUDGET_CALL=1 token", "The call's budget of 1 tokens would be exceeded"),
        ("UAC_BUDGET_DAY=1", "The day's budget of 1 tokens would be exceeded"),
        ("UAC_BUDGET_USER=1", "The user's budget of 1 tokens would be exceeded"),
    ],
)
def test_a_budget_stops_learning_before_it_is_passed(
    monkeypatch: pytest.MonkeyPatch, setting: str, stopped: str
) -> None:
    monkeypatch.setenv(*setting.split("="))
    shown = ok("learn", "ana").splitlines()
    assert shown[0] == "ana: 0 facts taken; no calls"
    assert shown[1].startswith(f"stopped: {stopped}")
    assert head() == 2


@pytest.mark.parametrize(
    ("setting", "code", "complaint"),
    [
        ("UAC_MODEL=nonsense", 7, "NoModel: UAC_MODEL is 'nonsense'. Use vendor:model"),
        ("UAC_MODEL_URL=nonsense", 7, "NoModel: UAC_MODEL_URL is not an address"),
        ("UAC_REPLIES=nowhere", 7, "NoModel: nowhere does not exist. Set UAC_REPLIES to a file or folder."),
        ("UAC_BUDGET_DAY=lots", 3, "Refused: UAC_BUDGET_DAY is 'lots'. Use tokens or money"),
    ],
)
@pytest.mark.parametrize("command", [("learn", "ana"), ("ask", "ana", "allergy?")], ids=["learn", "ask"])
def test_a_wrong_setting_is_named_and_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, setting: str, code: int, complaint: str, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("UAC_MODEL", "openai:gpt-5-mini")
    monkeypatch.setenv(*setting.split("="))
    result = uac(*command)
    assert (result.exit_code, complaint in result.stderr) == (code, True), result.stderr
    assert head() == 2


def test_a_model_behind_a_server_is_asked_and_its_trouble_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback() as server:
        server.will(well(READ), fails(429, code="insufficient_quota"))
        monkeypatch.setenv("UAC_MODEL", "local")
        monkeypatch.setenv("UAC_MODEL_URL", f"{server.address}/v1")
        monkeypatch.setenv("UAC_PRICE", "1/5")
        result = uac("learn", "ana")
    shown = result.stdout.splitlines()
    assert (result.exit_code, shown[0]) == (7, "ana: 2 facts taken; 1 call, 120 tokens in, 30 out, 0.0003 USD")
    assert shown[1:3] == TAKEN
    assert shown[3].startswith("stopped: local: the quota is used up (429)")
    assert ok("cost", "ana").splitlines()[-1] == "total: 1 call, 120 tokens in, 30 out, 0.0003 USD"


def test_a_dry_run_tells_what_it_may_cost_and_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    (request,) = told("pending", "ana")
    tokens = request["tokens"]
    line = f"{request['id']}  extract     2 turns, {tokens:,} tokens, reply up to 4,000; "
    assert ok("learn", "ana", "--dry-run").splitlines() == [
        f"{line}price unknown",
        f"ana: 1 request, {tokens:,} tokens in, at most 4,000 out, price unknown",
    ]
    monkeypatch.setenv("UAC_MODEL", "some:model")
    monkeypatch.setenv("UAC_PRICE", "0/10")
    assert told("learn", "--all", "--dry-run") == [
        {
            "user": "ana",
            "id": request["id"],
            "step": "extract",
            "model": "some:model",
            "tokens": tokens,
            "reply_tokens": 4000,
            "cost": "0.04",
        }
    ]
    assert ok("learn", "ana", "--dry-run").splitlines()[0] == f"{line}at most 0.04 USD"
    assert head() == 2


# A shell that runs the tests in the background lets them, and all their children, ignore Ctrl-C.
HEEDS_INTERRUPTS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from uac.interfaces.cli import main
main()
"""


@pytest.mark.usefixtures("recorded")
def test_watching_learns_as_words_come_until_it_is_interrupted() -> None:
    watcher = subprocess.Popen(
        [sys.executable, "-c", HEEDS_INTERRUPTS, "learn", "--all", "--watch", "0.1", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watcher.stdout is not None
    learned = json.loads(watcher.stdout.readline())
    assert ([fact["position"] for fact in learned["facts"]], len(learned["alerts"])) == ([3, 4], 1)
    watcher.send_signal(signal.SIGINT)
    assert watcher.wait(timeout=300) == 0
    watcher.stdout.close()


def test_watching_lets_facts_wait_that_can_wait(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = json.dumps({"facts": [{**ALLERGY, "topic": "other"}, {**DRUG, "topic": "other"}]})
    record(store, lambda memory, models: memory.learn(models), plain, PATCHES)
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")
    watcher = subprocess.Popen(
        [sys.executable, "-c", HEEDS_INTERRUPTS, "learn", "ana", "--watch", "0.1", "--minutes", "600", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watcher.stdout is not None
    learned = json.loads(watcher.stdout.readline())
    assert (len(learned["facts"]), learned["changes"]) == (2, [])
    watcher.send_signal(signal.SIGINT)
    assert watcher.wait(timeout=300) == 0
    watcher.stdout.close()
    assert ok("learn", "ana").splitlines()[1:3] == RECORDS


# --- cost -------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("recorded")
def test_cost_is_summed_by_step_model_and_day_beside_what_is_left_of_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ok("cost") == "total: no calls\n"
    ok("learn", "ana")
    each = "1 call, 100 tokens in, 10 out, 0.00 USD"
    both = "2 calls, 200 tokens in, 20 out, 0.00 USD"
    assert ok("cost", "ana").splitlines() == [
        f"checkpoint, scripted: {each}",
        f"extract, scripted: {each}",
        f"total: {both}",
    ]
    monkeypatch.setenv("UAC_BUDGET_DAY", "1000 tokens")
    monkeypatch.setenv("UAC_BUDGET_USER", "0.50 USD")
    assert ok("cost", "--by", "model").splitlines() == [
        f"scripted: {both}",
        f"total: {both}",
        "ana: 780 tokens left of the day's budget of 1,000 tokens",
        "ana: 0.50 USD left of the user's budget of 0.50 USD",
    ]
    spent = {"calls": 2, "input_tokens": 200, "output_tokens": 20, "cost": "0", "unpriced": 0}
    by_day, total = told("cost", "--by", "day")
    assert by_day == {"day": by_day["day"], **spent}
    assert total == {
        "users": 1,
        "total": spent,
        "budgets": [
            {"user": "ana", "span": "day", "most": 1000, "left": 780},
            {"user": "ana", "span": "user", "most": "0.50 USD", "left": "0.50 USD"},
        ],
    }


# --- recall, context, ask ---------------------------------------------------------------------------------------------


def test_recall_finds_words_and_says_what_has_not_been_read() -> None:
    result = uac("recall", "ana", "penicillin", "-k", "1", "--without", "around", "--without", "meaning")
    assert (result.stdout, result.stderr) == ("     1  2026-03-01  user: I am allergic to penicillin.\n", NOT_READ)


@pytest.mark.usefixtures("recorded")
def test_recall_finds_facts_and_records_too() -> None:
    ok("learn", "ana")
    *hits, last = told("recall", "ana", "penicillin")
    assert {hit["kind"] for hit in hits} == {"observation", "fact", "record"}
    assert (last["user"], last["unread"], last["waiting"]) == ("ana", 0, 0)
    first = told("recall", "ana", "penicillin", "--kind", "record")[0]
    assert (first["record"], first["position"], first["is_current"]) == ("health.Allergy:penicillin", 0, True)


def test_context_is_what_an_agent_should_be_shown() -> None:
    result = uac("context", "ana", "Can I take amoxicillin?")
    assert (result.exit_code, result.stderr) == (0, NOT_READ)
    assert '[2] user: "Dr. Chen gave me amoxicillin yesterday [= 2026-02-28]."' in result.stdout
    (found,) = told("context", "ana", "Can I take amoxicillin?")
    assert found["text"] + "\n" == result.stdout
    assert [part["source"] for part in found["parts"] if part["kind"] == "turn"] == ["entry 1", "entry 2"]
    assert (found["unread"], found["waiting"], found["left_out"]["turns"]) == (2, 0, 0)
    ok("answer", "ana", stdin=READ)
    assert uac("context", "ana", "amoxicillin").stderr == "2 facts wait to be put into records\n"


def test_context_that_does_not_fit_says_so() -> None:
    result = uac("context", "ana", "amoxicillin", "--tokens", "1")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("the text does not fit into 1 token; raise --tokens\n")


COUNT = '{"tool": "compute", "code": "len(health.allergies)"}'
ANSWER = {
    "answer": "You have 1 allergy.",
    "known": True,
    "records": ["health.Allergy:penicillin"],
    "quotes": [{"entry": 1, "quote": "allergic to penicillin"}],
}


@pytest.mark.usefixtures("recorded")
def test_an_answer_is_shown_with_what_it_rests_on(store: Path) -> None:
    ok("learn", "ana")
    question = "How many allergies do I have?"
    record(store, lambda memory, models: memory.ask(question, models), COUNT, json.dumps(ANSWER))
    before = store.read_bytes()
    result = uac("ask", "ana", question)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "You have 1 allergy.",
        "  ran     len(health.allergies)",
        "        → 1",
        "  record  health.Allergy:penicillin",
        "  entry 1  user, 2026-03-01: “allergic to penicillin”",
        "  complete",
    ]
    store.write_bytes(before)  # every question is an entry, and would change the next request
    (answer,) = told("ask", "ana", question)
    assert answer == {
        "user": "ana",
        "text": "You have 1 allergy.",
        "is_known": True,
        "is_complete": True,
        "computed": [
            {
                "code": "len(health.allergies)",
                "value": "1",
                "is_complete": True,
                "as_of": "",
                "reads": ["health.allergies"],
            }
        ],
        "records": ["health.Allergy:penicillin"],
        "quotes": [
            {"position": 1, "words": "allergic to penicillin", "speaker": "user", "said": "2026-03-01T12:00:00+00:00"}
        ],
        "why": "",
        "calls": 2,
        "unread": 0,
        "waiting": 0,
    }


def test_what_memory_does_not_support_is_not_known(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(store, lambda memory, models: memory.ask("What is my shoe size?", models), '{"answer": "", "known": false}')
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")
    result = uac("ask", "ana", "What is my shoe size?")
    shown = "not known: nothing in memory supports an answer\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, shown, NOT_READ)


@pytest.mark.usefixtures("recorded")
def test_a_budget_that_is_used_up_leaves_a_question_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_BUDGET_CALL", "1")
    result = uac("ask", "ana", "What am I allergic to?")
    assert (result.exit_code, "The call's budget of 1 tokens would be exceeded" in result.stdout) == (7, True)
    assert head() == 2


# --- log, coverage, doctor --------------------------------------------------------------------------------------------


def test_the_log_tells_what_a_model_was_asked_for_and_what_was_wrong() -> None:
    uac("answer", "ana", stdin=json.dumps({"facts": [NUTS, DRUG]}))
    fact, call = ok("log", "ana", "3-4").splitlines()
    assert fact.endswith(
        "  fact          Dr. Chen gave the user amoxicillin on 2026-02-28. (2026-02-28)  [user; health; from 2]"
    )
    assert "  model_call    extract by agent for 1, 2: 1" in call
    assert call.endswith(
        " out; 1 finding, to be asked again: The quote 'allergic to nuts' is not in turn 1. Use its exact words."
    )


def test_coverage_tells_what_is_unread_and_what_is_looked_at_again() -> None:
    ok("add", "ana", "Nice weather today, is it not?", "--session", "s1", "--at", "2026-03-01T12:02Z")
    assert ok("coverage", "ana") == "0 facts waiting\n3 observations unread: 1-3\n"
    ok("answer", "ana", stdin=READ)
    assert ok("coverage", "ana").splitlines() == [
        "2 facts waiting",
        *TAKEN_IN_4,
        "1 observation to be read again: 3",
    ]
    found = told("coverage", "ana")[0]
    assert (found["unread"], found["second_look"], found["stuck"]) == ([], [3], {})


TAKEN_IN_4 = [
    "     4  The user is allergic to penicillin.",
    "     5  Dr. Chen gave the user amoxicillin on 2026-02-28.",
]


def test_doctor_says_which_model_is_configured_and_never_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def models() -> list[tuple[str, str]]:
        found = [json.loads(line) for line in uac("doctor", "--quick", "--json").stdout.splitlines()]
        return [
            (line["level"], line["what"]) for line in found if " model " in line["what"] or "UAC_MODEL" in line["what"]
        ]

    assert models() == [("ok", "no model is configured (UAC_MODEL); an agent can answer in its place (uac pending)")]
    monkeypatch.setenv("UAC_MODEL", "llama")
    monkeypatch.setenv("UAC_MODEL_URL", "http://localhost:9/v1?key=sk-secret")
    monkeypatch.setenv("UAC_MODEL_KEY", "sk-secret")
    assert models() == [("ok", "the model for extract, checkpoint, ask, judge is llama at http://localhost:9")]
    assert "sk-secret" not in uac("doctor", "--quick").output
    monkeypatch.delenv("UAC_MODEL_URL")
    assert [level for level, _what in models()] == ["problem"]
    assert uac("doctor", "--quick").exit_code == 1
