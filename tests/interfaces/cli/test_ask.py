"""Questions to the memory on the command line: recall, context, ask."""

import json
from pathlib import Path

import pytest

from support.cli import uac
from support.cli_conversation import READ, head, json_lines, ok, record

pytestmark = pytest.mark.usefixtures("unread_store")
NOT_READ = "2 observations have not been read by a model yet\n"


def test_recall_finds_words_and_says_what_has_not_been_read() -> None:
    result = uac("recall", "ana", "penicillin", "-k", "1", "--without", "around", "--without", "meaning")
    assert (result.stdout, result.stderr) == ("     1  2026-03-01  user: I am allergic to penicillin.\n", NOT_READ)


@pytest.mark.usefixtures("recorded")
def test_recall_finds_facts_and_records_too() -> None:
    ok("learn", "ana")
    *hits, last = json_lines("recall", "ana", "penicillin")
    assert {hit["kind"] for hit in hits} == {"observation", "fact", "record"}
    assert (last["user"], last["unread"], last["waiting"]) == ("ana", 0, 0)
    first = json_lines("recall", "ana", "penicillin", "--kind", "record")[0]
    assert (first["record"], first["position"], first["is_current"]) == ("health.Allergy:penicillin", 0, True)


def test_context_is_what_an_agent_should_be_shown() -> None:
    result = uac("context", "ana", "Can I take amoxicillin?")
    assert (result.exit_code, result.stderr) == (0, NOT_READ)
    assert '2 "Dr. Chen gave me amoxicillin yesterday [= 28 February]."' in result.stdout
    (found,) = json_lines("context", "ana", "Can I take amoxicillin?")
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
def test_an_answer_is_shown_with_what_it_rests_on(unread_store: Path) -> None:
    ok("learn", "ana")
    question = "How many allergies do I have?"
    record(unread_store, lambda memory, models: memory.ask(question, models), COUNT, json.dumps(ANSWER))
    before = unread_store.read_bytes()
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
    unread_store.write_bytes(before)  # every question is an entry, and would change the next request
    (answer,) = json_lines("ask", "ana", question)
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
                "valid": "",
                "told": "",
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


def test_what_memory_does_not_support_is_not_known(unread_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(
        unread_store,
        lambda memory, models: memory.ask("What is my shoe size?", models),
        '{"answer": "", "known": false}',
    )
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
