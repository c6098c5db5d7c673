"""Output of commands: rich on a terminal, plain when piped, JSON with --json."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

import click

from uac.schema.safe_text import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = ["Output", "ProgressBar", "minute_text", "second_text"]


class Output:
    """One command's output. Hidden characters in text are shown as escapes. Only a terminal needs rich."""

    bar_after = 1.0
    """Seconds of work after which a progress bar appears."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._is_empty = True

    @cached_property
    def console(self) -> "Console":
        from rich.console import Console

        return Console(highlight=False, soft_wrap=True)

    @cached_property
    def errors(self) -> "Console":
        from rich.console import Console

        return Console(stderr=True, highlight=False, soft_wrap=True)

    @property
    def is_terminal(self) -> bool:
        return _may_be_terminal(sys.stdout) and self.console.is_terminal

    @property
    def errors_at_terminal(self) -> bool:
        return _may_be_terminal(sys.stderr) and self.errors.is_terminal

    def json(self, value: Any) -> None:
        """One line of JSON on standard output."""
        self._is_empty = False
        sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    def line(self, *parts: str | tuple[str, str]) -> None:
        """One line of parts; a part with a style is a pair (text, style)."""
        self._is_empty = False
        if not self.is_terminal:
            sys.stdout.write(
                "".join(_visible_output(part if isinstance(part, str) else part[0]) for part in parts) + "\n"
            )
            return
        from rich.text import Text

        text = Text()
        for part in parts:
            if isinstance(part, str):
                text.append(_visible_output(part))
            else:
                text.append(_visible_output(part[0]), style=part[1])
        self.console.print(text)

    def table(self, columns: Iterable[str], rows: Iterable[tuple[str, ...]], *, headed: bool = False) -> None:
        """Rows in columns. When piped, a row is a line with tabs; with `headed` the first one has the names."""
        if not self.is_terminal:
            for row in [tuple(columns)] if headed else []:
                sys.stdout.write("\t".join(row) + "\n")
            for row in rows:
                self._is_empty = False
                sys.stdout.write("\t".join(_visible_output(cell) for cell in row) + "\n")
            return
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        for column in columns:
            table.add_column(column, style="bold" if column == "user" else "")
        for row in rows:
            self._is_empty = False
            table.add_row(*(Text(_visible_output(cell)) for cell in row))
        if table.row_count:
            self.console.print(table)

    def note_if_empty(self, text: str) -> None:
        """A remark if a list had nothing to show; JSON is empty then, without a word."""
        if self._is_empty and not self.as_json:
            self.note(text)

    def note(self, text: str) -> None:
        """A remark on standard error, beside the result."""
        if self.errors_at_terminal:
            self.errors.print(_visible_output(text), style="dim", markup=False, emoji=False)
        else:
            click.echo(_visible_output(text), err=True)

    def user_error(self, user: str, error: Exception) -> None:
        """An error about one of several users, on standard error; the command goes on with the others."""
        name = type(error).__name__
        if self.as_json:
            click.echo(json.dumps({"user": user, "error": name, "message": str(error)}, ensure_ascii=False), err=True)
        else:
            click.echo(click.style(f"{name}: ", fg="red") + visible(f"{user}: {error}", lines=True), err=True)

    @contextmanager
    def progress(self, label: str, total: int | None) -> Iterator["ProgressBar"]:
        """A progress bar on standard error that appears when the work takes long; `total` may be unknown."""
        bar = ProgressBar(self, label, total)
        if not self.bar_after:
            bar.show()
        try:
            yield bar
        finally:
            bar.stop()


REFRESHED = 0.1
"""Seconds between two drawings of a bar, so that many short steps cost nothing."""


class ProgressBar:
    """A progress bar, shown only on a terminal and only when the work takes long."""

    def __init__(self, out: Output, label: str, total: int | None) -> None:
        self._out = out
        self._label = label
        self._total = total
        self._done = 0
        self._due = monotonic() + out.bar_after
        self._progress: Progress | None = None

    def advance(self) -> None:
        self._done += 1
        if (now := monotonic()) >= self._due:
            self._due = now + REFRESHED
            self.show()

    def show(self) -> None:
        """Draw the bar as it is now."""
        if not self._out.errors_at_terminal:
            return
        if self._progress is None:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=self._out.errors,
                transient=True,
                redirect_stdout=sys.stdout.isatty(),  # piped output must not be mixed with the bar
            )
            self._progress.start()
            self._progress.add_task(_visible_output(self._label), total=self._total)
        self._progress.update(self._progress.task_ids[0], completed=self._done)

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()


def _may_be_terminal(stream: TextIO | None) -> bool:
    """False for a pipe, unless settings of rich can make it a terminal. A closed stream is None."""
    return (stream is not None and stream.isatty()) or "FORCE_COLOR" in os.environ or "TTY_COMPATIBLE" in os.environ


def _visible_output(text: str) -> str:
    return visible(text, lines=True)


def minute_text(moment: datetime | None) -> str:
    """A time to the minute with its zone: 2026-03-01 12:00Z, 2026-03-01 13:00+01:00."""
    return "" if moment is None else moment.isoformat(" ", "minutes").replace("+00:00", "Z")


def second_text(moment: datetime | None) -> str:
    """A time to the second with its zone, as `minute_text`."""
    return "" if moment is None else moment.isoformat(" ", "seconds").replace("+00:00", "Z")
