"""Help of a group of commands: in sections, each command with a whole sentence."""

from collections.abc import Iterable
from typing import Any

import click

__all__ = ["Group"]

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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = self._sections or {"Commands": self.list_commands(ctx)}
        widest = max(len(name) for names in sections.values() for name in names)
        for title, names in sections.items():
            with formatter.section(title):
                # The same width in all sections: names are padded with spaces.
                formatter.write_dl(
                    [(name.ljust(widest), self.commands[name].get_short_help_str(WHOLE)) for name in names]
                )
