"""uac setup: give an agent the memory, or find a model that can learn."""

import difflib
import getpass
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import click

from uac.errors import Refused
from uac.interfaces.cli.options import CliContext, common_options
from uac.interfaces.setup.agents import AGENTS, Agent, Machine, Scope, server_entry, server_user
from uac.interfaces.setup.config_files import ConfigChange, plan_setup, plan_undo, read_entry, write_change
from uac.log.stores import data_folder

__all__ = ["setup"]

MODEL = "model"
LONGEST_LINE = 400  # a longer one is not shown whole: it may be the whole file


@click.command()
@click.argument("what", required=False, type=click.Choice([*AGENTS, MODEL]), metavar="[AGENT|model]")
@click.option("--user", help="Whose memory the agent gets.  [default: your login name]")
@click.option(
    "--scope",
    type=click.Choice(get_args(Scope)),
    default="user",
    show_default=True,
    help="The agent's file for all your projects, or the one in this folder.",
)
@click.option("--name", default="memory", show_default=True, help="The server's name in the agent's file.")
@click.option("--undo", is_flag=True, help="Take the entry out again; an unchanged file gets its old bytes back.")
@click.option("--dry-run", is_flag=True, help="Show the change, and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--server", "servers", multiple=True, metavar="URL", help="With model: another server to look at.")
@click.option("--try", "model", metavar="NAME", help="With model: try this one, such as openai:gpt-5-mini.")
@common_options
def setup(
    context: CliContext,
    *,
    what: str | None,
    user: str | None,
    scope: Scope,
    name: str,
    undo: bool,
    dry_run: bool,
    yes: bool,
    servers: tuple[str, ...],
    model: str | None,
) -> None:
    """Give an agent that you use this memory, or find a model that can learn.

    Without AGENT, it lists the agents on this machine and whether they have the memory. With one, it shows the exact
    change of the agent's configuration file, asks, and writes it; everything else in the file stays. --undo takes it
    back. The agents are claude-code, cursor, vscode, codex, claude-desktop, gemini, windsurf and zed.

    'uac setup model' looks for keys in the environment and for servers on this machine (Ollama, LM Studio, llama.cpp,
    vLLM), tries one call, and prints the settings to use. It stores nothing and prints no key.

    \b
      uac setup
      uac setup claude-code --user ana
      uac setup vscode --scope project --dry-run
      uac setup codex --undo
      uac setup model
    """
    if what == MODEL:
        from uac.interfaces.cli.setup_model import find_model

        find_model(context, servers, model)
        return
    if servers or model:
        raise click.UsageError("--server and --try belong to 'uac setup model'. Add it, or drop them.")
    machine = Machine()
    if what is None:
        _list_agents(context, machine, name)
        return
    agent = AGENTS[what]
    file = agent.file(machine, scope)
    notes = data_folder() / "setup.json"
    if undo:
        if not server_user(found := read_entry(agent, file, name)) and found is not None:
            raise Refused(
                f"{file}: {agent.servers}.{name} does not start 'uac mcp'. Give --name for the one that does."
            )
        change = plan_undo(agent, file, name, notes=notes)
    else:
        change = _plan(context, agent, file, machine, user=user, scope=scope, name=name)
    if not change.is_needed:
        state = "nothing to undo" if undo else "it is set up already"
        _report(context, change, "unchanged", f"{agent.title}: {state} ({file})")
        return
    if not context.out.as_json:
        _show_change(context, change)
    if dry_run:
        _report(context, change, "planned", "nothing was written (--dry-run)")
        return
    _confirm(f"Change {file}?", yes=yes)
    write_change(change, notes=notes, is_undo=undo)
    done = "the memory is taken out; restart it" if undo else f"it has the memory now; {agent.then}"
    _report(context, change, "undone" if undo else "written", f"{agent.title}: {done}")
    if not undo and not context.out.as_json:
        context.out.note(
            f"Tell it something about yourself: it stores it by itself. 'uac setup {agent.name} --undo' takes it back."
        )


def _plan(
    context: CliContext, agent: Agent, file: Path, machine: Machine, *, user: str | None, scope: Scope, name: str
) -> ConfigChange:
    if importlib.util.find_spec("mcp") is None:  # importing it takes longer than all the rest
        raise Refused("mcp is not installed. The MCP server needs it: pip install '.[mcp]'")
    found = read_entry(agent, file, name)
    if found is not None and not server_user(found):
        raise Refused(f"{file} has another server {name!r} already. Choose another name with --name.")
    entry = server_entry(
        agent,
        user or server_user(found) or getpass.getuser(),
        scope=scope,
        store=context.chosen_store(),
        machine=machine,
        program=sys.argv[0],
    )
    return plan_setup(agent, file, name, entry)


def _confirm(question: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can be asked here. Check the change with --dry-run, then give --yes.")
    click.confirm(question, default=True, abort=True, err=True)


def _list_agents(context: CliContext, machine: Machine, name: str) -> None:
    """One line for each agent: found or not, and whose memory it has."""
    rows: list[tuple[str, str, str]] = []
    for agent in AGENTS.values():
        states: list[str] = []
        for scope in get_args(Scope):
            if scope == "project" and not agent.project_file:
                continue
            file = agent.file(machine, scope)
            try:
                serves = server_user(read_entry(agent, file, name))
            except Refused as error:
                states.append(str(error))
                continue
            states += [f"has the memory of {serves} ({file})"] if serves else []
        is_found = agent.is_found(machine)
        if context.out.as_json:
            context.out.json({"agent": agent.name, "title": agent.title, "is_found": is_found, "states": states})
        rows.append((agent.name, agent.title, "; ".join(states) or ("found" if is_found else "not found")))
    if context.out.as_json:
        return
    context.out.table(("name", "agent", "state"), rows)
    context.out.note("'uac setup NAME' gives one of them the memory; 'uac setup model' finds a model that learns")


def _show_change(context: CliContext, change: ConfigChange) -> None:
    out = context.out
    if change.after is None:
        out.line((f"- {change.file} (the whole file: this command made it)", "red"))
        return
    out.line((f"{change.file}{' (new)' if change.before is None else ''}", "bold"))
    before, after = (change.before or "").splitlines(), change.after.splitlines()
    for line in difflib.unified_diff(before, after, lineterm="", n=0):
        if line.startswith(("---", "+++", "@@")):
            continue
        text = line if len(line) <= LONGEST_LINE else f"{line[0]} (a line of {len(line) - 1:,} characters)"
        out.line((f"  {text}", "green" if line[0] == "+" else "red"))


def _report(context: CliContext, change: ConfigChange, state: str, sentence: str) -> None:
    if context.out.as_json:
        servers: object = None
        if change.after is not None:
            written = replace(change, before=change.after)
            servers = _entry_of(written)
        context.out.json(
            {
                "agent": change.agent.name,
                "file": str(change.file),
                "state": state,
                "name": change.name,
                "entry": servers,
            }
        )
    elif state in ("planned", "unchanged"):
        context.out.note(sentence)
    else:
        context.out.line(sentence)


def _entry_of(change: ConfigChange) -> object:
    from uac.interfaces.setup.json_edits import read_json
    from uac.interfaces.setup.toml_edits import read_toml

    value = (read_toml if change.agent.form == "toml" else read_json)(change.before or "")
    return value.get(change.agent.servers, {}).get(change.name)
