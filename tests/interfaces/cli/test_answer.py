"""Pending requests and an agent's answers on the command line: pending, answer."""

import json
from pathlib import Path

import pytest

from support.cli import uac
from support.cli_conversation import (
    ALLERGY,
    DRUG,
    NUTS,
    PATCHES,
    PUT_ALLERGY,
    PUT_DRUG,
    READ,
    RECORDS,
    TAKEN,
    head,
    ids,
    json_lines,
    ok,
)

pytestmark = pytest.mark.usefixtures("unread_store")


def test_a_pending_request_is_told_whole_to_agents_and_in_a_line_to_people() -> None:
    (request,) = json_lines("pending", "ana")
    assert list(request) == ["id", "step", "instructions", "input", "schema", "tokens"]
    assert (request["step"], request["instructions"][:20]) == ("extract", "# extract, version 3")
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
    (answered,) = json_lines("answer", "ana", request, "reply.json", "--model", "claude")
    assert answered == {
        "user": "ana",
        "request": request,
        "step": "extract",
        "facts": [
            {"position": 3, "text": ALLERGY["text"], "unsure": ""},
            {"position": 4, "text": DRUG["text"], "unsure": ""},
        ],
        "echoes": 0,
        "position": None,
        "changes": [],
        "alerts": [],
        "findings": [],
        "overruled": [],
        "is_open": False,
        "again": None,
    }
    assert json_lines("log", "ana", "5")[0]["entry"]["model"] == "claude"
    Path("patches.json").write_text(PATCHES)
    (accepted,) = json_lines("answer", "ana", "patches.json")
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
    (request,) = json_lines("pending", "ana")
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
    assert len(json_lines("pending", "ana", "--most", "1")) == 1
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
    assert json_lines("coverage", "ana")[0]["stuck"] == {"1": why, "2": why}
    assert f"     1  stuck observation: {why}\n" in ok("coverage", "ana")
    result = uac("learn", "ana", "--retry")
    assert (result.exit_code, result.stdout) == (7, "ana: asking again about 2 entries\n")
    assert json_lines("coverage", "ana")[0]["stuck"] == {}
    assert [fact["position"] for fact in json_lines("answer", "ana", stdin=READ)[0]["facts"]] == [7, 8]


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
    assert [turn["turn"] for turn in json_lines("pending", "ana")[0]["input"]["turns"]] == [2]
