"""The command `uac`, run in this process."""

import json

import click
from click.testing import CliRunner, Result

from uac.interfaces.cli import main


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
