"""The command `uac`, run in this process or, to be interrupted, in its own."""

import json
import sys

import click
from click.testing import CliRunner, Result

from uac.interfaces.cli import main

# A shell that runs the tests in the background lets them, and all their children, ignore Ctrl-C.
_HEEDS_INTERRUPTS = """\
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from uac.interfaces.cli import main
main(prog_name="uac")
"""


def interruptible(*arguments: str) -> list[str]:
    """The words that start `uac` in a process of its own, which heeds Ctrl-C."""
    return [sys.executable, "-c", _HEEDS_INTERRUPTS, *arguments]


def uac(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin, catch_exceptions=False)


def lines(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def commands_of(group: click.Group) -> list[tuple[str, click.Command]]:
    """The commands of a group by name; their modules are imported."""
    context = click.Context(group)
    commands = [(name, group.get_command(context, name)) for name in group.list_commands(context)]
    return [(name, command) for name, command in commands if command is not None]
