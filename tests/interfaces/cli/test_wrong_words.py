"""Wrong calls that a newcomer makes: the message says what was meant, or where the right word is listed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.cli import uac


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UAC_STORE", str(tmp_path / "memory.db"))
    assert uac("put", "ana", "health.Allergy", "substance=penicillin").exit_code == 0
    assert uac("put", "ana", "health.Medication", "name=amoxicillin").exit_code == 0
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "ana", "I", "like", "tea"], "Put words that belong together in quotes."),
        (["recall", "ana", "green", "tea"], "Put words that belong together in quotes."),
        (["setup", "claude"], "Did you mean claude-code or claude-desktop?"),
        (["log", "ana", "--kind", "facts"], "Did you mean fact?"),
        (["records", "ana", "allergy"], "Did you mean health.Allergy?"),
        (["records", "ana", "helth"], "Did you mean health?"),
        (["records", "ana", "travl"], "Did you mean travel?"),
        (["put", "ana", "health.Allergy", "substance=nuts", "substance=milk"], "substance is given twice."),
        (["erase", "ana", "99", "--why", "x", "--yes"], "No entry 99. The log has entries 1 to "),
        (["erase", "ana", "98-99", "--why", "x", "--yes"], "No entries 98 to 99. The log has entries 1 to "),
        (["put", "ana", "health.Allergy"], "health.Allergy has: substance, "),
        (["why", "ana"], "'uac alerts ana' lists the active alerts"),
        (["why", "ana", "amoxicillin"], "Did you mean drug_allergy?"),
        (["why", "ana", "drug_alergy"], "Did you mean drug_allergy?"),
        (["ack", "ana", "amoxicillin"], "Did you mean drug_allergy?"),
        (["diff", "ana"], "uac diff ana 1"),
        (["correct", "ana", "health.Allergy:penicillin"], "'uac explain ana RECORD' lists the fields"),
        (["end", "ana", "health.Allergy:penicillin"], "Give a day such as 2026-03-01"),
        (["define", "ana", "notes.Note"], "Write each as name:type"),
    ],
)
def test_a_wrong_call_is_answered_with_the_way_on(arguments: list[str], said: str) -> None:
    result = uac(*arguments)
    assert result.exit_code in (2, 3)
    assert said in result.stderr


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (["remember", "ana", "--file", "-"], "\n", "standard input: it is empty. Give a JSON object"),
        (
            ["checkpoint", "ana", "-"],
            '{"op": "put"}',
            "- is one JSON object. Use a list of patches, also for a single one",
        ),
        (
            ["remember", "ana", "--file", "-"],
            '{"text": "I like tea.", "facts": [{"text": "The user likes tea.", "quote": "tea"}], "records": [{"cites": [9]}]}',
            "cites 9, but this call has only fact 1.",
        ),
    ],
)
def test_a_wrong_input_is_answered_with_the_way_on(arguments: list[str], given: str, said: str) -> None:
    result = uac(*arguments, stdin=given)
    assert result.exit_code in (1, 3)
    assert said in result.output + result.stderr


@pytest.mark.parametrize("arguments", [["log", "ana"], ["explain", "ana", "health.Allergy:penicillin"]])
def test_output_in_an_encoding_without_a_character_shows_its_code(arguments: list[str]) -> None:
    assert uac("add", "ana", "Käse ✓ 😀").exit_code == 0
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "uac", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\x" in done.stdout or "\\u" in done.stdout


def test_a_word_that_is_like_nothing_is_answered_with_all_words() -> None:
    result = uac("log", "ana", "--kind", "xyz")
    assert "is not one of 'observation'" in result.stderr
    assert "Did you mean" not in result.stderr


def test_a_type_that_only_a_pack_has_is_known_and_has_no_records() -> None:
    result = uac("records", "ana", "travel.Trip")
    assert (result.exit_code, result.stderr) == (0, "no records of travel.Trip\n")


def test_silence_is_never_explained_by_a_test_that_was_true() -> None:
    uac("drop", "ana", "health.Medication:amoxicillin", "--why", "never taken")
    result = uac("why", "ana", "drug_allergy")
    assert "there are no records of health.medications" in result.stdout
    assert "was true" not in result.stdout
