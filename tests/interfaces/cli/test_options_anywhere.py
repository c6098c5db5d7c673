"""Options that belong to all commands stand before the command or after it."""

from pathlib import Path

import pytest

from support.cli import lines, uac


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("UAC_STORE", str(tmp_path / "other.db"))
    path = str(tmp_path / "memory.db")
    assert uac("add", "ana", "Call me Ana", "--store", path).exit_code == 0
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("--store", "{}", "--json", "users"),
        ("--json", "users", "--store", "{}"),
        ("--store={}", "users", "--json"),
        ("users", "--store", "{}", "--json"),
        ("--store", "elsewhere.db", "users", "--json", "--store", "{}"),
    ],
)
def test_the_store_and_json_go_anywhere_and_the_last_store_counts(words: tuple[str, ...], store: str) -> None:
    assert [line["user"] for line in lines(uac(*(word.format(store) for word in words)))] == ["ana"]


def test_they_go_before_the_command_of_an_inner_group_too(store: str) -> None:
    uac("--store", store, "keys", "create", "mine")
    for words in (("keys", "--store", store, "--json", "list"), ("--json", "keys", "list", "--store", store)):
        assert [line["name"] for line in lines(uac(*words))] == ["mine"]


def test_an_error_is_json_if_json_was_asked_for_before_the_command(store: str) -> None:
    refused = uac("--json", "--store", store, "log", "nobody")
    assert refused.exit_code == 3
    assert refused.stderr.startswith('{"error": "Refused"')


def test_the_help_says_once_that_they_go_anywhere() -> None:
    assert " ".join(uac("--help").stdout.split()).count("go anywhere: before the command or after it") == 1
    assert "--store" not in uac("keys", "--help").stdout
