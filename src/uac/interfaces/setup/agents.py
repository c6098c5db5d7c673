"""The agents that can be given a memory: where each keeps its MCP servers, and in which form."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from uac.errors import Refused
from uac.log.store import check_user

__all__ = ["AGENTS", "Agent", "Machine", "Scope", "server_entry", "server_user"]

Scope = Literal["user", "project"]
PASSED_ON = ("UAC_ZONE", "UAC_PACKS", "UAC_UNREVIEWED")
"""Settings without a secret that decide what rules see. An agent may start the server without them."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the place of a file depends on."""

    home: Path = field(default_factory=Path.home)
    folder: Path = field(default_factory=Path.cwd)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    platform: str = sys.platform

    def applications(self, *names: str) -> Path:
        """The folder of an application's settings."""
        if self.platform == "darwin":
            base = self.home / "Library" / "Application Support"
        elif self.platform == "win32":
            base = Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
        else:
            base = Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")
        return base.joinpath(*names)

    def setting(self, name: str, default: str) -> Path:
        return Path(self.environ.get(name) or self.home / default)

    def has_program(self, name: str) -> bool:
        return shutil.which(name, path=self.environ.get("PATH")) is not None


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent, its file for all projects and in one project ("": it has none), and the place of servers in them."""

    name: str
    title: str
    user_file: Callable[[Machine], Path]
    project_file: str
    servers: str
    program: str
    form: Literal["json", "toml"] = "json"
    is_typed: bool = False
    """Whether an entry says that it is a command ("type": "stdio")."""
    signs: Callable[[Machine], Path] | None = None
    """A folder or file that shows that the agent is used here, if it is not the folder of `user_file`."""
    then: str = "restart it"
    """What the user does next."""

    def file(self, machine: Machine, scope: Scope) -> Path:
        if scope == "user":
            return self.user_file(machine)
        if not self.project_file:
            raise Refused(f"{self.title} has no configuration for one project. Use --scope user.")
        return machine.folder / self.project_file

    def is_found(self, machine: Machine) -> bool:
        sign = self.user_file(machine).parent if self.signs is None else self.signs(machine)
        return sign.exists() or self.user_file(machine).exists() or machine.has_program(self.program)

    def path(self, name: str) -> tuple[str, str]:
        """The place of a server's entry in a file."""
        return self.servers, name

    def entry(self, command: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
        kind = {"type": "stdio"} if self.is_typed else {}
        settings = {"env": dict(environ)} if environ else {}
        return {**kind, "command": command[0], "args": list(command[1:]), **settings}


def _agents() -> tuple[Agent, ...]:
    return (
        Agent(
            "claude-code",
            "Claude Code",
            lambda machine: machine.setting("CLAUDE_CONFIG_DIR", "") / ".claude.json",
            ".mcp.json",
            "mcpServers",
            "claude",
            is_typed=True,
            signs=lambda machine: machine.setting("CLAUDE_CONFIG_DIR", ".claude"),
            then="start it again; /mcp lists the server",
        ),
        Agent(
            "cursor",
            "Cursor",
            lambda machine: machine.home / ".cursor" / "mcp.json",
            ".cursor/mcp.json",
            "mcpServers",
            "cursor",
        ),
        Agent(
            "vscode",
            "VS Code",
            lambda machine: machine.applications("Code", "User", "mcp.json"),
            ".vscode/mcp.json",
            "servers",
            "code",
            is_typed=True,
            then="run 'MCP: List Servers' in it and start the server",
        ),
        Agent(
            "codex",
            "Codex",
            lambda machine: machine.setting("CODEX_HOME", ".codex") / "config.toml",
            ".codex/config.toml",
            "mcp_servers",
            "codex",
            form="toml",
            then="start it again; /mcp lists the server",
        ),
        Agent(
            "claude-desktop",
            "Claude Desktop",
            lambda machine: machine.applications("Claude", "claude_desktop_config.json"),
            "",
            "mcpServers",
            "claude-desktop",
        ),
        Agent(
            "gemini",
            "Gemini CLI",
            lambda machine: machine.home / ".gemini" / "settings.json",
            ".gemini/settings.json",
            "mcpServers",
            "gemini",
            then="start it again; /mcp lists the server",
        ),
        Agent(
            "windsurf",
            "Windsurf",
            lambda machine: machine.home / ".codeium" / "windsurf" / "mcp_config.json",
            "",
            "mcpServers",
            "windsurf",
        ),
        Agent(
            "zed",
            "Zed",
            lambda machine: (
                machine.setting("XDG_CONFIG_HOME", ".config") / "zed" / "settings.json"
                if machine.platform != "win32"
                else machine.applications("Zed", "settings.json")
            ),
            ".zed/settings.json",
            "context_servers",
            "zed",
        ),
    )


AGENTS: dict[str, Agent] = {agent.name: agent for agent in _agents()}
"""The agents by the name that the command takes, in the order in which they are listed."""


def server_entry(
    agent: Agent, user: str, *, scope: Scope, store: str, machine: Machine, program: str
) -> dict[str, Any]:
    """The entry that starts `uac mcp` for the user. `store` is an address, or "" for the default."""
    arguments = ["mcp", check_user(user), *(["--store", _portable_store(store)] if store else [])]
    settings = {name: machine.environ[name] for name in PASSED_ON if machine.environ.get(name)}
    return agent.entry([*_program(program, scope, machine), *arguments], settings)


def server_user(entry: object) -> str:
    """The user whose memory an entry serves; "" if it does not start `uac mcp`."""
    if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
        return ""
    arguments = entry["args"]
    if arguments[:2] == ["-m", "uac"]:
        arguments = arguments[2:]
    elif Path(str(entry.get("command"))).stem != "uac":
        return ""
    return str(arguments[1]) if arguments[:1] == ["mcp"] and len(arguments) > 1 else ""


def _program(program: str, scope: Scope, machine: Machine) -> list[str]:
    """How this very installation is started. Applications have another PATH than a shell, so its path is absolute.

    A project's file is shared with other machines, so it has the bare name if that means the same here.
    """
    path = Path(program)
    if path.stem != "uac" or not path.is_file():
        return [sys.executable, "-m", "uac"]
    found = shutil.which("uac", path=machine.environ.get("PATH"))
    if scope == "project" and found and Path(found).samefile(path):
        return ["uac"]
    return [str(path.absolute())]


def _portable_store(address: str) -> str:
    """The address as any folder understands it; refused if it has a password, which would be written to a file."""
    if address.startswith(("postgresql://", "postgres://")):
        before, at, _host = address.partition("://")[2].partition("/")[0].rpartition("@")
        if (at and ":" in before) or "password=" in address:
            raise Refused(
                "--store: The address has a password, and this file is not the place for it. Use one without"
                " (a .pgpass file or PGPASSWORD gives it), or set UAC_STORE where the agent is started."
            )
        return address
    scheme = "sqlite:///" if address.startswith("sqlite:///") else ""
    return scheme + str(Path(address.removeprefix("sqlite:///")).expanduser().absolute())
