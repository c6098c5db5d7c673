"""The command `uac`: one group, its commands, and how errors are printed.

Exit codes: 0 done; 1 a finding (a broken chain, a problem with the store); 2 wrong usage; 3 refused, nothing was
written; 4 the store is unavailable; 5 an entry is damaged; 6 the code gave no result; 7 a model gave no answer.
"""

import gc
import io
import json
import os
import re
import sys
from typing import Any

import click

from uac import __version__
from uac.errors import Damaged, ModelError, Refused, Rejected, RunError, UacError
from uac.interfaces.cli.click_groups import Group, LazyCommand

__all__ = ["collect_rarely", "main", "use_one_numpy_thread"]


def collect_rarely() -> None:
    """Let the garbage collector run less often: a long fold creates many objects and few cycles, and is faster."""
    gc.set_threshold(50_000, 20, 20)


def use_one_numpy_thread() -> None:
    """Let numpy start no threads, unless the environment says how many: nothing here is faster with them, and each
    waits in a loop for a tenth of a second after numpy is imported. It counts for numpy that is not imported yet."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def escape_unprintable() -> None:
    """Let output in an encoding that lacks a character show its code instead of failing: \\u2713 for ✓."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.casefold() not in ("utf-8", "utf8"):
            stream.reconfigure(errors="backslashreplace")


class MainGroup(Group):
    """A group that turns this package's errors into one line and an exit code."""

    def main(self, *args: Any, **settings: Any) -> Any:
        escape_unprintable()  # before help is printed
        return super().main(*args, **settings)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:  # all commands fill three screens
            formatter = ctx.make_formatter()
            self.format_usage(ctx, formatter)
            self.format_sections(formatter, [next(iter(SECTIONS))])
            click.echo(f"{formatter.getvalue()}\n'uac --help' lists all commands, 'uac COMMAND --help' explains one.")
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        collect_rarely()  # before the command is imported, which creates most objects of a short one
        use_one_numpy_thread()
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if hint := _usage_hint(error):
                raise click.UsageError(error.format_message() + hint, error.ctx) from None
            raise
        except UacError as error:
            from uac.interfaces.cli.options import CliContext
            from uac.schema.safe_text import visible

            name = type(error).__name__
            if isinstance(ctx.obj, CliContext) and ctx.obj.out.as_json:
                reasons = {"reasons": error.reasons} if isinstance(error, Rejected) else {}
                click.echo(json.dumps({"error": name, "message": str(error), **reasons}, ensure_ascii=False), err=True)
            else:
                click.echo(click.style(f"{name}: ", fg="red") + visible(str(error), lines=True), err=True)
            ctx.exit(_exit_code(error))


def _usage_hint(error: click.UsageError) -> str:
    """What the user may have meant, after a message of click that does not say it."""
    if error.message.startswith("Got unexpected extra argument"):
        return ". Put words that belong together in quotes."
    unknown = re.fullmatch(r"No such command '(.+)'\.", error.format_message())
    if unknown and error.ctx is not None and error.ctx.command is main and unknown[1] in OTHER_WORDS:
        return f" Did you mean {OTHER_WORDS[unknown[1]]}?"
    wrong = re.fullmatch(r"'(.+)' is not one of (.+)\.", error.message)
    if not isinstance(error, click.BadParameter) or wrong is None:
        return ""
    from difflib import get_close_matches  # only to answer a wrong word

    typed, choices = wrong[1].casefold(), re.findall(r"'([^']+)'", wrong[2])
    near = [choice for choice in choices if choice.startswith(typed)] or get_close_matches(typed, choices, 2)
    return f" Did you mean {' or '.join(near)}?" if near else ""


OTHER_WORDS = {
    "search": "recall or context",
    "find": "recall or records",
    "query": "compute or recall",
    "get": "records or recall",
    "list": "records or users",
    "ls": "records or users",
    "show": "records or manifest",
    "init": "setup",
    "delete": "erase or drop",
    "remove": "drop or erase",
    "forget": "retract or erase",
    "undo": "retract",
    "update": "correct",
    "set": "correct or put",
    "history": "log or diff",
    "ui": "inspect",
    "server": "serve",
    "chat": "ask",
    "status": "doctor or coverage",
    "rules": "constraints",
}
"""Words of other programs, and the commands for them."""


def _exit_code(error: UacError) -> int:
    for kind, code in ((Refused, 3), (Damaged, 5), (RunError, 6), (ModelError, 7)):
        if isinstance(error, kind):
            return code
    return 4


@click.group(cls=MainGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="uac")
def main() -> None:
    """A memory for AI agents that turns what is known about a user into a small software project.

    Each user has one append-only log of everything said. Typed records are derived from it, as Python.

    --store and --json belong to all commands, and go anywhere: before the command or after it.

    \b
    Exit codes: 0 done · 1 a problem was found (broken chain, store) · 2 wrong usage
                3 refused, nothing was written · 4 the store is unavailable · 5 an entry is damaged
                6 the code gave no result · 7 the model gave no answer
    """


SECTIONS = {
    "Start here": {
        "setup": "Give an agent that you use this memory, or find a model that can learn.",
        "add": "Store TEXT verbatim as an observation of USER.",
        "recall": "Search USER's observations, facts and records by words, meaning, person and time.",
        "compute": "Run Python CODE over USER's project, in the sandbox, and print the value of its last expression.",
        "inspect": "Open the inspector for USER, or for all users, in the browser.",
    },
    "Records": {
        "put": "Store a typed record of USER from VALUES written name=value.",
        "records": "List the records of USER: all, or those of TYPES (travel.Trip, or a whole domain: travel).",
        "explain": "Explain why FIELD of RECORD has its value: claims, facts and the text they came from.",
        "correct": "Set FIELD of RECORD to VALUE as a correction by the user.",
        "end": (
            "End RECORD at WHEN (YYYY, YYYY-MM or YYYY-MM-DD): a lease ended, a trip was cancelled, a purchase was"
            " returned."
        ),
        "drop": "Remove a RECORD that should never have existed, such as a duplicate of an event.",
        "merge": "Make two records of one type one: the claims of RECORD, and references to it, go to INTO.",
        "import": "Import the records in FILE into USER's project, each with the line it came from.",
    },
    "Conversation": {
        "remember": (
            "Store words of USER together with the facts and records that an agent made of them, in one write."
        ),
        "log": "Show USER's log, oldest first.",
        "watch": (
            "Show live what is heard, learned and raised for USER: words, facts, records, alerts, and what went wrong."
        ),
        "learn": "Let the configured model (UAC_MODEL) extract facts from what USERS said, and put them into records.",
        "pending": "Show the next requests to a model, or to an agent in its place, about USER.",
        "answer": "Accept the reply to a pending REQUEST of USER from FILE, or from standard input.",
        "cost": "Show calls, tokens and cost of models for USERS (default: all), and what is left of budgets.",
    },
    "Questions": {
        "context": "Print the context that an agent needs to answer QUESTION of USER.",
        "ask": "Let the configured model (UAC_MODEL) answer QUESTION from USER's memory, and check the answer.",
        "eval": "Ask the questions in FILE with and without USER's memory, and report how many answers are right.",
        "reindex": "Rebuild the search index of USERS from their logs.",
    },
    "Constraints and alerts": {
        "alerts": "Show the active alerts of USER, the most severe first.",
        "why": "Explain why CONSTRAINT fired for USER, or did not, with the values that decided it.",
        "ack": "Acknowledge an alert of USER.",
        "snooze": "Snooze an alert of USER until a time.",
        "tick": (
            "Advance the time for USERS (default: all users of the store), and run the constraints that depend on it."
        ),
        "constraints": "Constraints: the functions over USER's records that raise alerts.",
        "pack": "Packs: ready-made domains with types, constraints, cases and tables, available to every user.",
    },
    "The project": {
        "manifest": "Print USER's manifest: the index that an agent always has in its context.",
        "define": "Define a type such as travel.Trip, with FIELDS written name:type.",
        "migrate": (
            "Change types with the patches in FILE ('-': standard input): define, add, rename, retype, "
            "retire, split, merge."
        ),
        "checkpoint": "Apply the patches in FILE ('-': standard input; a JSON list): all of them, or none.",
        "retract": "Retract entries, and everything that depends on them.",
        "diff": (
            "Show what changed in USER's project between BEFORE and AFTER (positions or times; AFTER defaults to now)."
        ),
        "conflicts": "List fields whose claims disagree and need the user's decision (uac correct).",
        "coverage": "Show how many facts are in records, set aside (with the reason) or waiting, by domain.",
        "export": "Write USER's project to FOLDER as Python that runs without any package.",
        "adopt": "Turn edited values in an exported FOLDER into corrections.",
    },
    "All users": {
        "users": "List the users of the store, with the length of their logs.",
        "group": "Groups: a household or a team with a memory of its own, and what its members share with it.",
        "fleet": "Ask all users the same: a query or a rule for everybody, reports, and the rollout of a rule.",
    },
    "Serve": {
        "serve": "Serve the memory of all users over HTTP, with the inspector at /inspector and the API at /docs.",
        "work": (
            "Run a worker on a PostgreSQL store: it learns, lets time pass, sends webhooks, fills indexes, imports"
            " files."
        ),
        "mcp": "Serve the memory of USER to an agent, as an MCP server on standard input and output.",
        "agent-hook": "Answer a hook of Claude Code about USER: an event as JSON on standard input.",
        "keys": "Create, list and revoke the API keys of the service (uac serve).",
        "hooks": "Add, list and remove the webhooks that the service (uac serve) sends alert changes to.",
    },
    "Store": {
        "verify": "Check the digest chain of USERS (default: all) and report the first entry that was changed.",
        "erase": "Destroy the text at POSITIONS of USER's log, and in every entry that depends on it.",
        "backup": "Write the logs of all users, and the keys and webhooks of the service, to FILE.",
        "restore": "Add the logs in FILE to the store, with the same positions, times and digests.",
        "move": "Move USER to another store, with the same positions, times and digests.",
        "doctor": "Check the store, and report problems and how to fix them.",
        "completion": "Print the completion script for SHELL.",
    },
}
"""The commands by section, each with its first sentence: help is printed without importing them."""

MODULES = {
    "add": "add",
    "agent_hook": "agent-hook",
    "alerts": "alerts ack snooze tick",
    "ask": "context ask",
    "backup": "backup restore move",
    "completion": "completion",
    "compute": "compute",
    "constraints": "why constraints",
    "cost": "cost",
    "doctor": "doctor",
    "edit_project": "put correct end drop merge define migrate checkpoint retract",
    "erase": "erase",
    "evaluate": "eval",
    "export": "export adopt",
    "fleet": "fleet",
    "group": "group",
    "import_files": "import",
    "inspect": "inspect",
    "keys": "keys",
    "learn": "pending answer learn",
    "log": "log users",
    "mcp": "mcp",
    "pack": "pack",
    "project": "records explain manifest diff conflicts coverage",
    "recall": "recall reindex",
    "remember": "remember",
    "serve": "serve",
    "setup": "setup",
    "verify": "verify",
    "watch": "watch",
    "webhooks": "hooks",
    "work": "work",
}
"""The commands that each module of this package has."""

_MODULE_OF = {name: module for module, names in MODULES.items() for name in names.split()}

for title, commands in SECTIONS.items():
    main.add_section(title, [LazyCommand(name, _MODULE_OF[name], sentence) for name, sentence in commands.items()])
