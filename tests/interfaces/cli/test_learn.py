"""Learning on the command line: learn, cost, and what log, coverage and doctor report about it."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from support.cli import interruptible, uac
from support.cli_conversation import ALLERGY, DRUG, NUTS, PATCHES, READ, RECORDS, TAKEN, head, json_lines, ok, record
from support.fake_vendor_server import fails, loopback, well

pytestmark = pytest.mark.usefixtures("unread_store")


@pytest.mark.usefixtures("recorded")
def test_learning_reads_what_was_said_and_makes_records_of_it() -> None:
    shown = ok("learn", "ana").splitlines()
    assert shown[0] == "ana: 2 facts taken; 2 calls, 200 tokens in, 20 out, 0.00 USD"
    assert shown[1:5] == [*TAKEN, *RECORDS]
    assert shown[5].startswith("raised critical drug_allergy / amoxicillin / penicillin: ")
    assert ok("learn", "ana") == "ana: 0 facts taken; no calls\n"


@pytest.mark.usefixtures("recorded")
def test_learning_is_told_as_json() -> None:
    (learned,) = json_lines("learn", "--all")
    assert [change["what"] for change in learned.pop("changes") if change["kind"] == "record"] == [
        "health.Allergy:penicillin",
        "health.Medication:amoxicillin",
    ]
    assert [alert["constraint"] for alert in learned.pop("alerts")] == ["drug_allergy"]
    assert learned == {
        "user": "ana",
        "facts": [
            {"position": 3, "text": ALLERGY["text"], "unsure": ""},
            {"position": 4, "text": DRUG["text"], "unsure": ""},
        ],
        "stuck": {},
        "spent": {"calls": 2, "input_tokens": 200, "output_tokens": 20, "cost": "0", "unpriced": 0},
        "stopped": "",
    }


def test_what_a_model_could_not_answer_for_is_listed(unread_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(
        unread_store,
        lambda memory, models: memory.learn(models),
        READ,
        PATCHES.replace("put", "guess"),
        *['{"patches": []}'] * 2,
    )
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")
    shown = ok("learn", "ana").splitlines()
    assert shown[3:] == [
        f"{position:>6}  left waiting, fact: facts 3, 4 are neither used nor set aside" for position in (3, 4)
    ]


def test_without_a_model_learning_says_what_waits() -> None:
    result = uac("learn", "ana")
    wait = "No model is configured (UAC_MODEL): 2 observations and 0 facts wait. Set it ('uac setup model' finds one), or let an agent answer 'uac pending'."
    assert (result.exit_code, result.stdout, result.stderr) == (7, "", f"NoModel: {wait}\n")
    assert json.loads(uac("learn", "--all", "--json").stderr) == {"error": "NoModel", "message": wait}


def test_without_a_model_for_records_learning_stops_there(unread_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(unread_store, lambda memory, models: memory.learn(models), READ, PATCHES)
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")
    monkeypatch.setenv("UAC_MODEL_CHECKPOINT", "none")
    result = uac("learn", "ana")
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (
        7,
        [*TAKEN, "stopped: no model is configured for checkpoint"],
    )


def test_a_reply_that_is_not_recorded_ends_learning_and_keeps_what_was_done(
    unread_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(unread_store, lambda memory, models: memory.learn(models), READ, PATCHES)
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
    (request,) = json_lines("pending", "ana")
    tokens = request["tokens"]
    line = f"{request['id']}  extract     2 turns, {tokens:,} tokens, reply up to 4,000; "
    assert ok("learn", "ana", "--dry-run").splitlines() == [
        f"{line}price unknown",
        f"ana: 1 request, {tokens:,} tokens in, at most 4,000 out, price unknown",
    ]
    monkeypatch.setenv("UAC_MODEL", "some:model")
    monkeypatch.setenv("UAC_PRICE", "0/10")
    assert json_lines("learn", "--all", "--dry-run") == [
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


@pytest.mark.usefixtures("recorded")
def test_watching_learns_as_words_come_until_it_is_interrupted() -> None:
    watcher = subprocess.Popen(
        interruptible("learn", "--all", "--watch", "0.1", "--json"),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watcher.stdout is not None
    learned = json.loads(watcher.stdout.readline())
    assert ([fact["position"] for fact in learned["facts"]], len(learned["alerts"])) == ([3, 4], 1)
    watcher.send_signal(signal.SIGINT)
    assert watcher.wait(timeout=300) == 0
    watcher.stdout.close()


def test_watching_lets_facts_wait_that_can_wait(unread_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = json.dumps({"facts": [{**ALLERGY, "topic": "other"}, {**DRUG, "topic": "other"}]})
    record(unread_store, lambda memory, models: memory.learn(models), plain, PATCHES)
    monkeypatch.setenv("UAC_REPLIES", "replies.jsonl")
    watcher = subprocess.Popen(
        interruptible("learn", "ana", "--watch", "0.1", "--minutes", "600", "--json"),
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
    by_day, total = json_lines("cost", "--by", "day")
    assert by_day == {"day": by_day["day"], **spent}
    assert total == {
        "users": 1,
        "total": spent,
        "budgets": [
            {"user": "ana", "span": "day", "most": 1000, "left": 780},
            {"user": "ana", "span": "user", "most": "0.50 USD", "left": "0.50 USD"},
        ],
    }


# --- log, coverage, doctor --------------------------------------------------------------------------------------------


def test_the_log_tells_what_a_model_was_asked_for_and_what_was_wrong() -> None:
    uac("answer", "ana", stdin=json.dumps({"facts": [NUTS, DRUG]}))
    fact, call = ok("log", "ana", "3-4").splitlines()
    assert fact.endswith(
        "  fact          Dr. Chen gave the user amoxicillin on 2026-02-28. (2026-02-28)  [user; health; from 2]"
    )
    assert re.search(r"  model_call    extract by agent for 1, 2: [\d,]+ tokens in", call)
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
    found = json_lines("coverage", "ana")[0]
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
