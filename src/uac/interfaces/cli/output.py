"""Output of commands: rich on a terminal, plain when piped, JSON with --json."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from uac.schema.safe_text import visible

__all__ = ["Output", "minute_text"]


class Output:
    """One command's output. Hidden characters in text are shown as escapes."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.console = Console(highlight=False, soft_wrap=True)
        self.errors = Console(stderr=True, highlight=False, soft_wrap=True)

    def json(self, value: Any) -> None:
        """One line of JSON on standard output."""
        sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    def line(self, *parts: str | tuple[str, str]) -> None:
        """One line of parts; a part with a style is a pair (text, style)."""
        if not self.console.is_terminal:
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
        from rich.table import Table
        from rich.text import Text

        if not self.console.is_terminal:
            for row in [tuple(columns)] if headed else []:
                sys.stdout.write("\t".join(row) + "\n")
            for row in rows:
                sys.stdout.write("\t".join(_visible_output(cell) for cell in row) + "\n")
            return
        table = Table(box=None, pad_edge=False)
        for column in columns:
            table.add_column(column, style="bold" if column == "user" else "")
        for row in rows:
            table.add_row(*(Text(_visible_output(cell)) for cell in row))
        self.console.print(table)

    def note(self, text: str) -> None:
        """A remark on standard error, beside the result."""
        self.errors.print(_visible_output(text), style="dim", markup=False)

    @contextmanager
    def progress(self, label: str, total: int) -> Iterator["ProgressBar"]:
        """A progress bar on standard error that appears when the work has taken a second."""
        bar = ProgressBar(self.errors, label, total)
        try:
            yield bar
        finally:
            bar.stop()


class ProgressBar:
    """A progress bar, shown only on a terminal and only when the work takes long."""

    def __init__(self, console: Console, label: str, total: int) -> None:
        self._console = console
        self._label = label
        self._total = total
        self._done = 0
        self._started = monotonic()
        self._progress: Progress | None = None

    def advance(self) -> None:
        self._done += 1
        if self._done % 256 or not self._console.is_terminal:
            return
        if self._progress is None:
            if monotonic() - self._started < 1:
                return
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=self._console,
                transient=True,
                redirect_stdout=sys.stdout.isatty(),  # piped output must not be mixed with the bar
            )
            self._progress.start()
            self._progress.add_task(_visible_output(self._label), total=self._total)
        self._progress.update(self._progress.task_ids[0], completed=self._done)

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()


def _visible_output(text: str) -> str:
    return visible(text, lines=True)


def minute_text(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat(" ", "minutes")
