"""What the commands of `uac fleet` share: options, a run with its folder and progress, and how answers are printed."""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import wraps
from pathlib import Path
from typing import Any

import click
import msgspec

from uac.errors import Refused
from uac.interfaces.cli.options import CliContext, Command, unreviewed_setting
from uac.interfaces.fleet.jobs import Job, Part, RuleChange
from uac.interfaces.fleet.partition import Question, UserAnswer
from uac.interfaces.fleet.program import Program, read_program
from uac.interfaces.fleet.rollout import is_in_share
from uac.interfaces.fleet.run import Place, Selection, read_list, run_job, select_users, unknown_users
from uac.interfaces.fleet.run_folder import USERS_PER_PART, RunFolder
from uac.log.store import Store
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = [
    "FleetRun",
    "PlaceOptions",
    "UserOptions",
    "count_answers",
    "out_option",
    "place_options",
    "read_answer",
    "read_program_file",
    "rule_job",
    "run_time",
    "selection_options",
    "settings_of",
    "show_error",
    "show_json_answer",
]

MOST_NAMED = 5  # ids without a log

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


@dataclass(frozen=True, slots=True)
class UserOptions:
    """The options that choose users."""

    patterns: tuple[str, ...] = ()
    listed: Path | None = None
    tenant: str = ""

    def selection(self, *, percent: float = 100.0, rule: str = "", is_report: bool = False) -> Selection:
        listed = read_list(self.listed) if self.listed else None
        return Selection(self.patterns, self.tenant, listed, percent, rule, is_report)


def selection_options(command: Command) -> Command:
    """Adds --users, --users-from and --tenant, and passes them as `users`."""

    @wraps(command)
    def run(*args: Any, patterns: tuple[str, ...], listed: Path | None, tenant: str, **options: Any) -> Any:
        return command(*args, users=UserOptions(patterns, listed, tenant), **options)

    matching = click.option(
        "--users",
        "patterns",
        multiple=True,
        metavar="PATTERN",
        help="Only users whose ids match, such as 'test-*' (repeatable); groups by 'group:*'.  [default: all users]",
    )
    listed = click.option(
        "--users-from",
        "listed",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Only the users in FILE, one id in a line.",
    )
    tenant = click.option("--tenant", default="", help="Only the users of this tenant; ids are meant within it.")
    return matching(listed(tenant(run)))  # type: ignore[return-value]  # click's decorators keep the signature that matters


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    """The options that decide where parts are done."""

    processes: int | None = None
    size: int = USERS_PER_PART

    def place(self, address: str, *, default: int, ray: str = "") -> Place:
        """The place for a store: one that is in memory is read by this process alone."""
        return Place(1 if address.startswith("memory:") else self.processes or default, ray)


def place_options(command: Command) -> Command:
    """Adds --processes and --part-size, and passes them as `where`."""

    @wraps(command)
    def run(*args: Any, processes: int | None, size: int, **options: Any) -> Any:
        return command(*args, where=PlaceOptions(processes, size), **options)

    number = click.option(
        "--processes",
        type=click.IntRange(min=1, max=1024),
        help="Processes on this machine, each with its sandbox.  [default: one per core]",
    )
    size = click.option(
        "--part-size",
        "size",
        type=click.IntRange(min=1, max=100_000),
        default=USERS_PER_PART,
        show_default=True,
        help="Users that a process takes at a time.",
    )
    return number(size(run))  # type: ignore[return-value]  # click's decorators keep the signature that matters


def out_option(command: Command) -> Command:
    return click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="Keep finished parts in FOLDER. The same command goes on where it was interrupted.",
    )(command)


def read_program_file(file: Path) -> Program:
    """The query or constraint in a file, named after the file."""
    try:
        return read_program(file.read_text(encoding="utf-8"), file.stem)
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}. Check its path and permissions.") from None
    except UnicodeDecodeError as error:
        raise Refused(f"{file}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from None


def rule_job(context: CliContext, task: RuleChange | Question) -> Job:
    """The job for the store of this command, with the time of $UAC_NOW if it is set."""
    address = context.address
    if "://" not in address and not address.startswith("memory:"):
        address = str(Path(address).expanduser().resolve())  # other processes may be in another folder
    return Job(address, task, context.now() if os.environ.get("UAC_NOW") else None)


@dataclass(slots=True)
class FleetRun:
    """A run of a job from the command line."""

    context: CliContext
    job: Job
    selection: Selection
    place: Place
    size: int
    out: Path | None = None
    terms: str = ""
    """Of a report: the folder of one report is not that of another."""
    users: Sequence[str] = ()
    folder: RunFolder | None = None
    seconds: float = 0.0
    folded: int = 0

    def prepare(self) -> None:
        """Choose the users, and open the folder; the users and the time of an interrupted run are those it had."""
        self.context.check_settings()
        store = self.context.store()
        self.place.check(self.context.address)
        self.users = select_users(store, self.selection, is_in_share)
        self._note_unknown_users(store)
        if self.out is not None:
            named = msgspec.structs.replace(self.job, store=store.address)
            about = self.selection.text() + self.terms
            self.folder = RunFolder.open(self.out, named, about, self.users, self.size)
            self.users = self.folder.users
            task, stored = self.job.task, self.folder.record.job.task
            if isinstance(task, Question) and isinstance(stored, Question):
                self.job = msgspec.structs.replace(self.job, task=msgspec.structs.replace(task, now=stored.now))

    def _note_unknown_users(self, store: Store) -> None:
        """Name the ids in the list that are no users of the store: they may be mistyped, or of another tenant."""
        if unknown := unknown_users(store, self.selection):
            named = ", ".join(unknown[:MOST_NAMED]) + (", …" if len(unknown) > MOST_NAMED else "")
            self.context.out.note(f"--users-from: {counted(len(unknown), 'id')} without a log in the store: {named}")

    def lines(self, label: str) -> Iterator[bytes]:
        """The lines of all users in order, as they come, with a progress bar. Ctrl-C ends the command in order."""
        started = time.monotonic()
        if self.folder and self.folder.is_complete:
            with self.folder.results.open("rb") as file:
                yield from file
            return
        store = self.context.store()
        parts = run_job(self.job, self.users, store, self.place, folder=self.folder, size=self.size)
        try:
            with self.context.out.progress(label, len(self.users)) as bar:
                for part in parts:
                    self.folded += part.folded
                    yield from _advancing(part, bar.advance)
        except KeyboardInterrupt:
            self._stop_in_order()
        finally:
            parts.close()  # type: ignore[attr-defined]  # it is a generator
            self.seconds = time.monotonic() - started
        if self.folder:
            self.folder.finish()

    def _stop_in_order(self) -> None:
        if self.folder is None:
            self.context.out.note("interrupted; nothing was kept (--out FOLDER keeps finished parts)")
        else:
            done = sum(1 for _part in self.folder.done())
            of = counted(len(self.folder.parts), "part")
            self.context.out.note(f"interrupted: {done} of {of} are done; the same command goes on from there")
        sys.stdout.flush()
        click.get_current_context().exit(INTERRUPTED)

    def answers(self, label: str) -> Iterator[UserAnswer]:
        return map(read_answer, self.lines(label))


def read_answer(line: bytes) -> UserAnswer:
    """One line of the results. Whole numbers may be of any size."""
    answer: UserAnswer = json.loads(line)
    return answer


def _advancing(part: Part, advance: Callable[[], None]) -> Iterator[bytes]:
    for line in part.lines.splitlines(keepends=True):
        yield line
        advance()


def show_json_answer(line: bytes) -> None:
    """A line of the results as it is: those of two runs can be compared byte by byte."""
    sys.stdout.write(line.decode())


def show_error(answer: UserAnswer) -> None:
    """An error of one user, on standard error."""
    text = mark_line_breaks(f"{answer['user']}: {answer['message']}")
    click.echo(click.style(f"{answer['error']}: ", fg="red") + text, err=True)


def count_answers(counts: Counter[str], answer: UserAnswer) -> None:
    """Count what became of one user."""
    counts["users"] += 1
    if "error" in answer:
        counts["errors"] += 1
    elif "absent" in answer:
        counts["absent"] += 1


def run_time(context: CliContext, given: datetime | None) -> datetime:
    """The time that everybody's rule or query sees."""
    if given is not None and given.tzinfo is None:
        raise Refused(f"--now: {given.isoformat()} has no time zone. Add one such as +02:00 or Z.")
    return given or context.now()


def settings_of(context: CliContext, program: Program, now: datetime | None, **settings: Any) -> Question:
    moment = run_time(context, now).replace(microsecond=0)
    moment = moment.replace(tzinfo=timezone(moment.utcoffset() or timedelta()))  # as other processes get it
    return Question(program, moment, unreviewed=unreviewed_setting(), **settings)
