"""What commands propose by themselves: users that come into being, names that a shell completes, help in sections."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from support.cli import commands_of, lines, uac
from uac.interfaces.cli import main
from uac.interfaces.cli.main import OTHER_WORDS, SECTIONS


def test_putting_a_record_starts_a_user_and_says_that_the_name_is_new(store: Path) -> None:
    first = uac("put", "ben", "health.Allergy", "substance=Latex")
    assert (first.stdout, first.stderr) == ("ben: health.Allergy:latex\n", "ben is new here\n")
    second = uac("put", "ben", "health.Allergy", "substance=Nickel")
    assert (second.stdout, second.stderr) == ("ben: health.Allergy:nickel\n", "")
    assert [line["user"] for line in lines(uac("users", "--json"))] == ["ben"]


def test_a_record_that_is_refused_starts_no_user(store: Path) -> None:
    refused = uac("put", "ben", "health.Allergy", "colour=red")
    assert (refused.exit_code, "is new here" in refused.stderr) == (3, False)
    assert lines(uac("users", "--json")) == []


def completed(*words: str) -> list[str]:
    """What bash would be shown for the last word."""
    given = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1), "_UAC_COMPLETE": "bash_complete"}
    shown = subprocess.check_output([sys.executable, "-m", "uac"], env={**os.environ, **given}, text=True)
    return [line.removeprefix("plain,") for line in shown.splitlines() if line]


def test_types_and_records_are_completed_from_the_store_and_the_packs(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UAC_PACKS", "health")
    uac("define", "ben", "health.Zone", "name:str", "--key", "name")
    uac("put", "ben", "health.Allergy", "substance=Latex")
    uac("put", "ben", "health.Zone", "name=left")
    assert completed("uac", "put", "ben", "health.A") == ["health.Activity", "health.Allergy"]
    assert completed("uac", "put", "ben", "health.Z") == ["health.Zone"]
    assert completed("uac", "put", "nobody", "health.A") == ["health.Activity", "health.Allergy"]
    assert completed("uac", "explain", "ben", "") == ["health.Allergy:latex", "health.Zone:left"]
    assert completed("uac", "drop", "ben", "health.Z") == ["health.Zone:left"]
    assert completed("uac", "end", "nobody", "") == []


def test_completing_where_there_is_no_store_goes_by_the_packs_and_makes_none(store: Path) -> None:
    assert completed("uac", "correct", "ben", "") == []
    assert completed("uac", "put", "ben", "travel.P") == ["travel.Passport", "travel.Profile"]
    assert not store.exists()


@pytest.mark.parametrize("command", ["explain", "correct", "end", "drop"])
def test_a_missing_record_hints_at_the_command_that_lists_them(command: str) -> None:
    missing = uac(command, "ben", *(["--why", "x"] if command == "drop" else []))
    assert missing.exit_code == 2
    assert missing.stderr.endswith(
        "Error: Missing argument 'RECORD'. 'uac records ben' lists the records, each with its id.\n"
    )


def test_a_missing_type_hints_at_the_packs() -> None:
    assert uac("put", "ben").stderr.endswith(
        "Error: Missing argument 'TYPE'. It is a type such as health.Allergy; 'uac pack list' names the packs that"
        " have some.\n"
    )


def test_the_help_lists_each_command_once_in_a_section_with_a_whole_sentence() -> None:
    context = main.make_context("uac", [], resilient_parsing=True, terminal_width=200, max_content_width=200)
    shown = main.get_help(context).partition("Options:")[2].splitlines()
    rows = [line.split(None, 1) for line in shown if line.startswith("  ") and not line.startswith("  -")]
    assert sorted(name for name, _told in rows) == sorted(main.commands)
    titles = [line for line in shown if line.endswith(":") and not line.startswith(" ")]
    assert titles == [
        "Start here:",
        "Records:",
        "Conversation:",
        "Questions:",
        "Constraints and alerts:",
        "The project:",
        "All users:",
        "Serve:",
        "Store:",
    ]
    assert [told for _name, told in rows if not told.endswith(".")] == []


def test_uac_alone_shows_the_five_commands_to_start_with() -> None:
    shown = uac()
    rows = re.findall(r"^  (\w+)", shown.stdout, re.MULTILINE)
    assert (shown.exit_code, rows) == (2, ["setup", "add", "recall", "compute", "inspect"])
    assert "'uac --help' lists all commands" in shown.stdout


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("search", " Did you mean recall or context?"),
        ("xyzzy", ""),
    ],
)
def test_a_word_that_is_no_command_hints_at_the_command(typed: str, meant: str) -> None:
    assert uac(typed, "ben").stderr.endswith(f"Error: No such command {typed!r}.{meant}\n")


def test_every_other_word_stands_for_commands_and_is_none() -> None:
    assert [word for word in OTHER_WORDS if word in main.commands] == []
    assert {name for names in OTHER_WORDS.values() for name in names.split(" or ")} <= main.commands.keys()


def test_no_help_of_a_group_cuts_a_sentence() -> None:
    def groups(command: click.Command, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        if not isinstance(command, click.Group):
            return []
        return [path, *(found for name, each in commands_of(command) for found in groups(each, (*path, name)))]

    found = groups(main, ())
    assert len(found) > 4
    assert [path for path in found if "..." in uac(*path, "--help").output.partition("Commands:")[2]] == []


def test_the_help_has_the_first_sentence_of_each_command() -> None:
    sentences = {name: sentence for commands in SECTIONS.values() for name, sentence in commands.items()}
    assert {name: command.get_short_help_str(1000) for name, command in commands_of(main)} == sentences


def modules_imported_by(*arguments: str) -> set[str]:
    code = f"import sys; from uac.interfaces.cli import main; main({arguments!r}, standalone_mode=False)"
    shown = subprocess.check_output([sys.executable, "-c", f"{code}; print(); print(*sys.modules)"], text=True)
    return set(shown.splitlines()[-1].split())


def test_writing_and_reading_the_log_import_no_package_that_reads_its_text(store: Path) -> None:
    for arguments in [("add", "ben", "I live in Oslo."), ("log", "ben"), ("users",)]:
        loaded = modules_imported_by(*arguments)
        packages = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("uac.")}
        assert packages <= {"uac.errors", "uac.interfaces", "uac.log", "uac.memory", "uac.project", "uac.schema"}
        assert loaded.isdisjoint({"asyncio", "pydantic", "rich", "tomllib"})


def test_commands_that_ask_no_model_import_neither_its_requests_nor_the_arrays_of_search(store: Path) -> None:
    uac("put", "ben", "health.Allergy", "substance=Penicillin")
    for arguments in [
        ("define", "ben", "notes.Note", "text:str", "--key", "text"),
        ("records", "ben"),
        ("explain", "ben", "health.Allergy:penicillin", "substance"),
        ("why", "ben", "drug_allergy"),
        ("constraints", "list", "ben"),
        ("export", "ben", str(store.with_name("project"))),
    ]:
        loaded = modules_imported_by(*arguments)
        assert loaded.isdisjoint({"numpy", "pydantic", "uac.conversation.extract", "uac.conversation.checks.evidence"})


def test_a_request_about_words_needs_no_search(store: Path) -> None:
    uac("add", "ben", "I live in Oslo.")
    assert "numpy" not in modules_imported_by("pending", "ben")


def test_an_mcp_server_lists_its_tools_before_it_imports_what_they_need() -> None:
    code = "import sys, uac.interfaces.mcp; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert {"numpy", "uac.conversation.learning", "uac.interfaces.mcp.http", "uac.memory.learner"}.isdisjoint(loaded)


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_import_no_command_and_no_large_package(option: str) -> None:
    loaded = modules_imported_by(option)
    assert {name for name in loaded if name.split(".")[0] == "uac"} == {
        "uac",
        "uac.errors",
        "uac.interfaces",
        "uac.interfaces.cli",
        "uac.interfaces.cli.click_groups",
        "uac.interfaces.cli.main",
    }
    assert loaded.isdisjoint({"asyncio", "msgspec", "pydantic", "rich", "sqlite3", "tomllib"})


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (("add", "ana", "I like tea."), 58),
        (("alerts", "ana"), 125),
        (("compute", "ana", "len(health.allergies)"), 135),
    ],
)
def test_a_command_imports_only_what_it_uses(store: Path, arguments: tuple[str, ...], most: int) -> None:
    modules_imported_by("put", "ana", "health.Allergy", "substance=nuts")
    loaded = modules_imported_by(*arguments)
    ours = {name for name in loaded if name.split(".")[0] == "uac"}
    assert {name for name in ours if name.startswith(("uac.conversation.", "uac.recall.", "uac.display."))} == set()
    assert loaded.isdisjoint({"numpy", "fastapi", "pydantic", "rich"})
    assert len(ours) <= most, len(ours)


def test_commands_that_read_import_nothing_that_writing_needs(store: Path) -> None:
    uac("put", "ben", "health.Allergy", "substance=Latex")
    for arguments in [("alerts", "ben"), ("compute", "ben", "1"), ("recall", "ben", "latex", "--without", "meaning")]:
        loaded = modules_imported_by(*arguments)
        assert loaded.isdisjoint(
            {"uac.constraints.acceptance", "uac.constraints.runner", "uac.packs", "uac.conversation"}
        )
        assert loaded.isdisjoint({"importlib.metadata", "numpy.ma", "rich", "uac.interfaces.views"})
        assert ("numpy" in loaded) == (arguments[0] == "recall")


def test_putting_a_record_of_a_known_type_does_not_list_the_installed_packages(store: Path) -> None:
    uac("put", "ben", "health.Allergy", "substance=Latex")
    loaded = modules_imported_by("put", "ben", "health.Allergy", "substance=Nickel")
    assert loaded.isdisjoint({"email", "importlib.metadata", "numpy", "rich", "uac.recall", "uac.interfaces.views"})
