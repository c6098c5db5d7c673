"""uac remember: words, facts and records from one JSON file."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.cli import uac
from support.cli_conversation import head, json_lines

pytestmark = pytest.mark.usefixtures("unread_store")

NUTS = {
    "text": "Nuts make me ill.",
    "session": "visit",
    "facts": [{"text": "Nuts make the user ill.", "quote": "Nuts make me ill"}],
    "records": [{"type": "health.Allergy", "fields": {"substance": "nuts"}}],
}


def test_words_facts_and_records_are_stored_from_standard_input_or_a_file() -> None:
    result = uac("remember", "ana", stdin=json.dumps(NUTS))
    assert (result.exit_code, result.stdout.splitlines()) == (
        0,
        ["ana: kept at 3", "     4  Nuts make the user ill.", "  health.Allergy:nuts"],
    )
    Path("turn.json").write_text(json.dumps({**NUTS, "key": "k"}))
    (first,) = json_lines("remember", "ana", "--file", "turn.json")
    (again,) = json_lines("remember", "ana", "--file", "turn.json")
    assert again == first | {"is_repeated": True}


def test_what_is_wrong_is_listed_and_mended_by_positions() -> None:
    wrong = {**NUTS, "facts": [{"text": "The user has 7 cats.", "quote": "Nuts make me ill"}]}
    result = uac("remember", "ana", stdin=json.dumps(wrong))
    assert result.exit_code == 1
    assert [line.partition(": ")[2][:8] for line in result.stdout.splitlines() if line.startswith("to fix")] == [
        "fact 1: ",
        "record 1",
    ]
    rest = {name: NUTS[name] for name in ("facts", "records")}
    result = uac("remember", "ana", stdin=json.dumps({**rest, "observations": [3]}))
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "  health.Allergy:nuts")


@pytest.mark.parametrize(
    "given", ["", "[]", "{", "{}", '{"text": 1}', '{"text": "a", "turns": [{"text": "b"}]}', '{"txt": "a"}', "[" * 5000]
)
def test_a_file_that_cannot_be_read_is_refused_and_nothing_is_stored(given: Any) -> None:
    before = head()
    result = uac("remember", "ana", stdin=given)
    assert (result.exit_code, result.stderr.startswith("Refused: standard input: "), head()) == (3, True, before)


def test_the_time_of_a_turn_is_read_as_that_of_add(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_ZONE", "Europe/Lisbon")
    turns = [{"text": "Nuts make me ill.", "said": said} for said in ("2025-07-01T09:00", "2025-07-01T09:00Z")]
    assert uac("remember", "ana", stdin=json.dumps({"turns": turns})).exit_code == 0
    uac("add", "ana", "Nuts make me ill.", "--said", "2025-07-01T09:00")
    assert [line["entry"]["said"] for line in json_lines("log", "ana", "--last", "3")] == [
        "2025-07-01T09:00:00+01:00",
        "2025-07-01T10:00:00+01:00",
        "2025-07-01T09:00:00+01:00",
    ]
    refused = uac("remember", "ana", stdin=json.dumps({"turns": [{"text": "a", "said": "soon"}]}))
    assert (refused.exit_code, "turns[0].said: 'soon' is not a valid time" in refused.stderr) == (3, True)


def test_words_in_place_of_the_call_are_answered_with_the_command_for_words() -> None:
    result = uac("remember", "ana", "I like tea.")
    assert (result.exit_code, 'uac add ana "…"' in result.stderr) == (2, True)
