"""Wrong calls that a newcomer makes: the message says what was meant, or where the right word is listed."""

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
