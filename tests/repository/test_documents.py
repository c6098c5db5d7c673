"""The documents run and agree with the code."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, get_args

import click
import msgspec
import pytest

import uac
from support.cli import commands_of
from support.documents import steps
from support.paths import ROOT
from support.readme_model import model_of_the_readme
from support.warm_start import warm_folder
from uac.interfaces.cli import main as cli
from uac.recall.matches import CHANNELS, WEIGHTS
from uac.schema.patches import Patch, op_of
from uac_bench import main as bench

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
README = ROOT / "README.md"
COMMANDS = ROOT / "docs" / "reference" / "commands.md"
REALLY_STARTED = ROOT / "docs" / "concepts" / "project.md"
"""The document whose commands are started as a user starts them; those of the others are forks that start at once."""


HEADING = """# Commands

Generated from the commands' own help by `make golden`. Environment variables are listed in [settings](settings.md).
"""


def title(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def commands() -> Path:
    return warm_folder()


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if blocks(path, "python")], ids=title)
def test_python_blocks_of_a_document_run(path: Path, commands: Path, tmp_path: Path) -> None:
    code = "\n".join(blocks(path, "python"))
    python = sys.executable if path == REALLY_STARTED else commands / "warm-python"
    run = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if blocks(path, "console")], ids=title)
def test_console_blocks_of_a_document_print_the_output_that_it_shows(
    path: Path, commands: Path, tmp_path: Path
) -> None:
    installed = Path(sys.executable).parent
    environment = {
        "PATH": f"{installed if path == REALLY_STARTED else f'{commands}:{installed}'}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
        "TZ": "UTC",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    no_model: AbstractContextManager[dict[str, str]] = nullcontext({})
    with model_of_the_readme() if path == README else no_model as settings:
        _check_console_blocks(path, {**environment, **settings}, tmp_path)


def _check_console_blocks(path: Path, environment: dict[str, str], tmp_path: Path) -> None:
    for block in blocks(path, "console"):
        for command, expected in steps(block):
            run = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            output = (run.stdout + run.stderr).rstrip("\n")
            pattern = ".*".join(re.escape(piece) for piece in expected.split("…"))
            assert re.fullmatch(pattern, output, re.DOTALL), (
                f"$ {command}\n{output}\n--- but the document shows\n{expected}"
            )


def help_pages() -> str:
    """docs/reference/commands.md: the help text of every command."""
    pages = [HEADING]

    def add(command: click.Command, name: str, parent: click.Context | None) -> None:
        context = command.make_context(name, [], parent, resilient_parsing=True, terminal_width=100)
        pages.append(f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n")
        if isinstance(command, click.Group):
            for child, inner in sorted(commands_of(command)):
                add(inner, child, context)

    add(cli, "uac", None)
    add(bench, "uac-bench", None)
    return "\n".join(pages)


def test_the_help_in_the_documents_is_the_help_of_the_commands(request: pytest.FixtureRequest) -> None:
    # In a separate process, because click remembers earlier calls of a command.
    code = "import sys; from repository.test_documents import help_pages; sys.stdout.write(help_pages())"
    pages = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "tests", capture_output=True, text=True, check=True
    ).stdout
    if request.config.getoption("--golden"):
        COMMANDS.write_text(pages)
    assert COMMANDS.read_text() == pages


def test_every_option_has_a_help_text() -> None:
    def missing(command: click.Command, name: str) -> Iterator[str]:
        assert command.help, name
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.help:
                yield f"{name} {parameter.name}"
        if isinstance(command, click.Group):
            for child, inner in commands_of(command):
                yield from missing(inner, f"{name} {child}")

    assert [*missing(cli, "uac"), *missing(bench, "uac-bench")] == []


def test_the_documents_show_every_kind_of_patch_in_valid_form() -> None:
    text = (ROOT / "docs" / "concepts" / "project.md").read_text()
    shown = [
        msgspec.json.decode(patch, type=Patch) for patch in re.findall(r'^\| `(\{"op".*?\})` \|', text, re.MULTILINE)
    ]
    assert {op_of(patch) for patch in shown} == {kind.__struct_config__.tag for kind in get_args(Patch)} - {"gone"}


def test_every_public_name_is_documented() -> None:
    text = (ROOT / "docs" / "guides" / "library.md").read_text()
    assert [name for name in uac.__all__ if f"`{name}" not in text] == []


def test_the_channels_of_recall_in_the_documents_have_their_weights() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| ([\d.]+|in `words`) \|", (ROOT / "docs" / "concepts" / "recall.md").read_text(), re.MULTILINE
    )
    assert dict(rows) == {channel: str(WEIGHTS.get(channel, "in `words`")) for channel in CHANNELS}


def test_every_dependency_has_its_reason() -> None:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    text = (ROOT / "docs" / "about" / "dependencies.md").read_text()
    assert [name for name in wanted if f"`{re.split('[^a-zA-Z0-9_-]', name)[0]}" not in text] == []


def test_every_requirement_is_pinned_and_names_no_host() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        for line in path.read_text().splitlines():
            if line and not line.startswith(("#", "-r ")):
                assert re.fullmatch(r"[A-Za-z0-9_.-]+(\[[a-z,]+\])?==[A-Za-z0-9.]+( ;.*)?", line), (
                    f"{path.name}: {line}"
                )


@pytest.mark.parametrize("path", DOCUMENTS, ids=title)
def test_links_between_documents_lead_to_files(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path != COMMANDS], ids=title)
def test_source_files_that_a_document_names_exist(path: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    named = re.findall(r"`((?:src|tests|tools|examples)/[\w./-]+\.\w+)`", prose)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_each_make_target_has_a_description_and_the_first_one_is_the_demo() -> None:
    text = (ROOT / "Makefile").read_text()
    named = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)[0].split()
    assert re.findall(r"^([a-z-]+):.* ## \S", text, re.MULTILINE) == named
    assert named[0] == "demo"


def test_the_changelog_names_this_version() -> None:
    assert f"## {uac.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_demo_runs_with_a_bare_environment_and_the_commands_at_its_end_work(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PATH": os.defpath, "LANG": "C.UTF-8"}

    def run(*command: str) -> str:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout

    shown = run(sys.executable, str(ROOT / "examples" / "demo.py"))
    assert "that depend on it: nothing is left" in shown
    _before, invitation = shown.split("each of these works as it stands\n")
    *commands, inspector = [line.strip() for line in invitation.splitlines() if not line.startswith("  #")]
    said = [run("sh", "-c", command) for command in commands]
    assert len(said) == 6
    assert said[0].startswith("What is known: 20")
    assert "drug_allergy" in said[1]
    assert "raised critical drug_allergy / amoxicillin / penicillin" in said[-1]
    assert inspector.endswith("memory.db inspect jessica --open")
