"""uac setup: an agent's file gets one entry, keeps the rest, and gets its old bytes back."""

import json
import stat
import sys
import tomllib
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from support.cli import lines, uac
from support.mcp_client import LONG, Agent, environment
from uac.interfaces.setup.agents import AGENTS, Machine, server_entry, server_user
from uac.interfaces.setup.agents import Agent as Known

FILES = {
    "claude-code": (".claude.json", ".mcp.json"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": (".config/Code/User/mcp.json", ".vscode/mcp.json"),
    "codex": (".codex/config.toml", ".codex/config.toml"),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", ""),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
    "windsurf": (".codeium/windsurf/mcp_config.json", ""),
    "zed": (".config/zed/settings.json", ".zed/settings.json"),
}
COMMAND = {"command": sys.executable, "args": ["-m", "uac", "mcp", "ana"]}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home, with a project in it."""
    (tmp_path / "home" / "work").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("UAC_STORE", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "UAC_ZONE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("UAC_PACKS", "UAC_UNREVIEWED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(tmp_path / "home" / "work")
    return tmp_path / "home"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def entry(agent: Known, file: Path, name: str = "memory") -> object:
    text = file.read_text()
    whole = tomllib.loads(text) if agent.form == "toml" else json.loads(text)
    return whole[agent.servers][name]


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_an_agent_gets_the_memory_in_its_own_file_and_loses_it_without_a_trace(
    name: str, scope: str, home: Path
) -> None:
    agent, where = AGENTS[name], FILES[name][scope == "project"]
    file = (home if scope == "user" else home / "work") / where
    before = {str(path) for path in home.rglob("*")}
    if not where:
        refused = uac("setup", name, "--scope", scope)
        assert refused.exit_code == 3
        assert "has no configuration for one project" in refused.stderr
        return
    assert uac("setup", name, "--user", "ana", "--scope", scope, "--yes").exit_code == 0
    typed = {"type": "stdio"} if name in ("claude-code", "vscode") else {}
    assert entry(agent, file) == typed | COMMAND
    assert uac("setup", name, "--scope", scope, "--undo", "--yes").exit_code == 0
    left = {str(path) for path in home.rglob("*")} - before
    assert left <= {str(home / part) for part in (".local", ".local/share", ".local/share/uac")}


def test_the_written_command_serves_the_memory_to_the_official_client(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "own.db"
    assert uac("--store", str(store), "setup", "cursor", "--user", "ana", "--yes").exit_code == 0
    server = entry(AGENTS["cursor"], home / ".cursor" / "mcp.json")
    assert isinstance(server, dict)

    async def remember() -> object:
        with anyio.fail_after(LONG):
            async with Client(StdioServerParameters(**server, env=environment())) as client:
                return await Agent(client).call("remember", turns=[{"text": "I am allergic to penicillin."}])

    anyio.run(remember)
    assert [line["user"] for line in lines(uac("users", "--store", str(store), "--json"))] == ["ana"]


COMMENTED = """\
{
	// servers that I use
	"servers": {
		"github": { "url": "https://example.com/mcp" }, // work
	},
}
"""


def test_the_change_is_shown_and_the_rest_of_the_file_stays(home: Path) -> None:
    file = home / "work" / ".vscode" / "mcp.json"
    file.parent.mkdir()
    file.write_text(COMMENTED)
    file.chmod(0o640)
    shown = uac("setup", "vscode", "--user", "ana", "--scope", "project", "--dry-run")
    assert file.read_text() == COMMENTED
    assert [line.strip() for line in shown.stdout.splitlines()][1:3] == ['+\t\t"memory": {', '+\t\t\t"type": "stdio",']
    assert "github" not in shown.output
    uac("setup", "vscode", "--user", "ana", "--scope", "project", "--yes")
    added = file.read_text()
    assert added.startswith(COMMENTED[: COMMENTED.index("\t},\n}")])
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    uac("setup", "vscode", "--scope", "project", "--undo", "--yes")
    assert file.read_text() == COMMENTED


def test_a_second_setup_changes_nothing_and_another_user_replaces_the_entry(home: Path) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('model = "gpt-5"  # mine\n')
    uac("setup", "codex", "--user", "ana", "--yes")
    once = everything(home)
    again = uac("setup", "codex", "--user", "ana")
    assert (again.exit_code, again.stderr) == (0, f"Codex: it is set up already ({file})\n")
    assert everything(home) == once
    uac("setup", "codex", "--user", "ben", "--yes")
    assert server_user(entry(AGENTS["codex"], file)) == "ben"
    uac("setup", "codex", "--undo", "--yes")
    assert file.read_text() == 'model = "gpt-5"  # mine\n'


def test_undoing_after_others_changed_the_file_takes_out_the_entry_alone(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    uac("setup", "cursor", "--user", "ana", "--yes")
    whole = json.loads(file.read_text())
    whole["mcpServers"]["other"] = {"command": "x"}
    file.write_text(json.dumps(whole, indent=4))
    assert uac("setup", "cursor", "--undo", "--yes").exit_code == 0
    assert json.loads(file.read_text()) == {"mcpServers": {"other": {"command": "x"}}}


def test_without_a_terminal_nothing_is_written_before_yes(home: Path) -> None:
    refused = uac("setup", "cursor", "--user", "ana")
    assert refused.exit_code == 2
    assert "Check the change with --dry-run, then give --yes" in refused.stderr
    assert everything(home) == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"mcpServers": {', "it is not valid JSON: line 1, column 17"),
        (b'{"mcpServers": []}', "mcpServers is not a JSON object"),
        (b"[1]", "it is not an object of settings"),
        (b'{"a": "\xff"}', "byte 7 is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_and_left_alone(text: bytes, reason: str, home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_bytes(text)
    refused = uac("setup", "cursor", "--user", "ana", "--yes")
    assert refused.exit_code == 3
    assert f"{file}: " in refused.stderr
    assert reason in refused.stderr
    assert file.read_bytes() == text


def test_toml_in_a_form_that_cannot_be_changed_safely_is_refused(home: Path) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('mcp_servers = { github = { command = "npx" } }\n')
    refused = uac("setup", "codex", "--user", "ana", "--yes")
    assert refused.exit_code == 3
    assert "cannot be changed safely" in refused.stderr
    assert file.read_text() == 'mcp_servers = { github = { command = "npx" } }\n'


def test_another_server_of_the_same_name_is_never_replaced_or_removed(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"memory": {"command": "npx", "args": ["server-memory"]}}}')
    for option in ("--yes", "--undo"):
        refused = uac("setup", "cursor", "--user", "ana", option)
        assert refused.exit_code == 3
        assert "--name" in refused.stderr
    assert uac("setup", "cursor", "--user", "ana", "--name", "uac", "--yes").exit_code == 0
    assert sorted(json.loads(file.read_text())["mcpServers"]) == ["memory", "uac"]


def test_a_link_to_the_file_stays_a_link(home: Path) -> None:
    (home / "dotfiles").mkdir()
    (home / ".cursor").mkdir()
    (home / "dotfiles" / "mcp.json").write_text("{}\n")
    (home / ".cursor" / "mcp.json").symlink_to(home / "dotfiles" / "mcp.json")
    uac("setup", "cursor", "--user", "ana", "--yes")
    assert (home / ".cursor" / "mcp.json").is_symlink()
    assert "memory" in (home / "dotfiles" / "mcp.json").read_text()


def test_a_password_in_the_address_of_the_store_is_not_written(home: Path) -> None:
    refused = uac("setup", "cursor", "--user", "ana", "--store", "postgresql://ana:secret@host/db", "--yes")
    assert refused.exit_code == 3
    assert "secret" not in refused.output
    assert everything(home) == {}


def test_settings_that_decide_what_rules_see_go_along(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UAC_ZONE", "Europe/Berlin")
    monkeypatch.setenv("UAC_STORE", "own.db")
    uac("setup", "codex", "--user", "ana", "--yes")
    assert entry(AGENTS["codex"], home / ".codex" / "config.toml") == {
        "command": sys.executable,
        "args": ["-m", "uac", "mcp", "ana", "--store", str(home / "work" / "own.db")],
        "env": {"UAC_ZONE": "Europe/Berlin"},
    }


def test_the_agents_of_this_machine_are_listed_with_their_state(home: Path) -> None:
    (home / ".gemini").mkdir()
    uac("setup", "cursor", "--user", "ana", "--yes")
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("= broken")
    listed = {line["agent"]: line for line in lines(uac("setup", "--json"))}
    assert [name for name, line in listed.items() if line["is_found"]] == ["cursor", "codex", "gemini"]
    assert listed["cursor"]["states"] == [f"has the memory of ana ({home / '.cursor' / 'mcp.json'})"]
    assert "it is not valid TOML" in str(listed["codex"]["states"])
    assert listed["gemini"]["states"] == []


def test_the_program_is_named_by_its_path_and_by_its_name_in_a_shared_file(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "uac"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    machine = Machine(home=tmp_path, folder=tmp_path, environ={"PATH": str(program.parent)}, platform="linux")

    def command(scope: str) -> object:
        made = server_entry(
            AGENTS["cursor"],
            "ana",
            scope=scope,  # type: ignore[arg-type]  # one of the two
            store="",
            machine=machine,
            program=str(program),
        )
        return made["command"]

    assert (command("user"), command("project")) == (str(program), "uac")


def test_files_of_other_systems_have_their_own_places(tmp_path: Path) -> None:
    mac = Machine(home=tmp_path, folder=tmp_path, environ={}, platform="darwin")
    windows = Machine(home=tmp_path, folder=tmp_path, environ={"APPDATA": str(tmp_path / "r")}, platform="win32")
    places = [AGENTS[name].user_file(machine) for name in ("vscode", "claude-desktop") for machine in (mac, windows)]
    assert [str(place.relative_to(tmp_path)) for place in places] == [
        "Library/Application Support/Code/User/mcp.json",
        "r/Code/User/mcp.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
        "r/Claude/claude_desktop_config.json",
    ]
