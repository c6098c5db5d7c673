"""Groups of commands: help in sections, and options of all commands that may stand before the command."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import click

__all__ = ["AS_JSON", "STORE", "Group", "LazyCommand"]

STORE, AS_JSON = "uac.store", "uac.json"  # where a context keeps the options that stood before the command

WHOLE = 1000  # limit of a first sentence: it wraps and is never cut


class Group(click.Group):
    """A group whose help lists its commands in the sections that they were added in.

    --store and --json, which all commands have, may also stand before the command.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._sections: dict[str, list[str]] = {}
        for name, key, more in (("--store", STORE, {"metavar": "URL"}), ("--json", AS_JSON, {"is_flag": True})):
            self.params.append(_leading_option(name, key, more))

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
        if not self._sections:
            self._sections["Commands"] = self.list_commands(ctx)
        self.format_sections(formatter, self._sections)

    def format_sections(self, formatter: click.HelpFormatter, titles: Iterable[str]) -> None:
        sections = {title: self._sections[title] for title in titles}
        widest = max(len(name) for names in sections.values() for name in names)
        for title, names in sections.items():
            with formatter.section(title):
                # The same width in all sections: names are padded with spaces.
                formatter.write_dl(
                    [(name.ljust(widest), self.commands[name].get_short_help_str(WHOLE)) for name in names]
                )


def _leading_option(name: str, key: str, settings: dict[str, Any]) -> click.Option:
    """An option of all commands, given to a group: the command that follows finds it in the context."""

    def keep_for_command(context: click.Context, _option: click.Parameter, value: Any) -> None:
        if value:
            context.meta[key] = value

    words = "As the same option of the command."  # not listed: help says once that it may stand here
    return click.Option([name], expose_value=False, callback=keep_for_command, hidden=True, help=words, **settings)


class LazyCommand(click.Command):
    """The place of a command whose module is imported when the command is used, not when it is listed."""

    def __init__(self, name: str, module: str, sentence: str) -> None:
        super().__init__(name, short_help=sentence)
        self._module = f"uac.interfaces.cli.{module}"

    def load_command(self) -> click.Command:
        values = vars(import_module(self._module)).values()
        return next(value for value in values if isinstance(value, click.Command) and value.name == self.name)
