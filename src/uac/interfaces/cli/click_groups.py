"""Help of a group of commands: in sections, each command with a whole sentence."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import click

__all__ = ["Group", "LazyCommand"]

WHOLE = 1000  # limit of a first sentence: it wraps and is never cut


class Group(click.Group):
    """A group whose help lists its commands in the sections that they were added in."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._sections: dict[str, list[str]] = {}

    def add_section(self, title: str, commands: Iterable[click.Command]) -> None:
        for command in commands:
            self.add_command(command)
            self._sections.setdefault(title, []).append(command.name or "")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        if isinstance(command, LazyCommand):
            command = self.commands[cmd_name] = command.load_command()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = self._sections or {"Commands": self.list_commands(ctx)}
        widest = max(len(name) for names in sections.values() for name in names)
        for title, names in sections.items():
            with formatter.section(title):
                # The same width in all sections: names are padded with spaces.
                formatter.write_dl(
                    [(name.ljust(widest), self.commands[name].get_short_help_str(WHOLE)) for name in names]
                )


class LazyCommand(click.Command):
    """The place of a command whose module is imported when the command is used, not when it is listed."""

    def __init__(self, name: str, module: str, sentence: str) -> None:
        super().__init__(name, short_help=sentence)
        self._module = f"uac.interfaces.cli.{module}"

    def load_command(self) -> click.Command:
        values = vars(import_module(self._module)).values()
        return next(value for value in values if isinstance(value, click.Command) and value.name == self.name)
