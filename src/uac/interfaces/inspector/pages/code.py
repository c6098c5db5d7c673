"""The project as code: its files at any step, and the changes between two steps."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import partial

from starlette.responses import Response

from uac.display.html import Markup
from uac.errors import Refused
from uac.interfaces.inspector.entry_lines import entry_line
from uac.interfaces.inspector.highlight import Hunk, highlighted_difference, highlighted_lines, split_code_lines
from uac.interfaces.inspector.history_cache import Step, history_steps
from uac.interfaces.inspector.page import Page, PageView
from uac.log.log import Log

__all__ = ["PAGES"]

STEPS = 200  # on the slider
LINES = 2000  # lines of a file on one page
DIFFERENT = 4000  # lines of a comparison on one page


@dataclass(frozen=True, slots=True)
class CodeTrack:
    """The steps on the slider, and the current one."""

    steps: tuple[Step, ...]
    index: int
    """The current step; -1 if the position shown is before all of them."""
    earlier: int
    later: int

    @property
    def current_step(self) -> Step | None:
        return self.steps[self.index] if self.index >= 0 else None


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file that differs."""

    path: str
    hunks: tuple[Hunk, ...]
    added: int
    removed: int


def code_page(view: PageView) -> Response:
    """`?at=` a step, `&file=` a path, `&since=` an earlier step to compare with, `?day=` the last step of a day."""
    with view.memory() as memory:
        newest = memory.project()
    log, name = view.user_context.log, view.user_context.store_user_id
    every = history_steps(newest)
    day = view.query("day")
    at = _code_position_of_day(log, day) if day else view.query_number("at", newest.position)
    track = _code_track_around(every, at)
    step = track.current_step
    position = step.through if step and step.position == at else min(at, newest.position)
    cache, near = view.state.history_cache, [step.position - 1 for step in track.steps]
    project = newest if position == newest.position else cache.project_at(name, log, position, near)
    files = cache.project_files(name, project)
    show = partial(
        view.render_template,
        track=track,
        at=at,
        position=position,
        is_now=position == newest.position,
        files=_files_by_folder(files),
        line_of=partial(entry_line, project=newest),
    )
    if view.query("since"):
        since, through = _step_at(every, view.query_number("since"))
        before = cache.project_files(name, cache.project_at(name, log, through, near))
        different, left_out = _code_differences(before, files)
        choices = _code_steps_to_compare(every, since)
        return show("diff.html", since=since, file="", different=different, left_out=left_out, choices=choices)
    path = view.query("file") or _first_file(files)
    first = max(view.query_number("line", 1), 1)
    lines, total = _file_lines(path, files.get(path), first)
    return show("code.html", since=None, file=path, lines=lines, first=first, total=total, most=LINES)


def _code_track_around(every: Sequence[Step], at: int) -> CodeTrack:
    """At most `STEPS` steps around a position: the latest ones, if it is among them."""
    here = next((place for place in range(len(every) - 1, -1, -1) if every[place].position <= at), -1)
    start = max(len(every) - STEPS, 0)
    if here < start:
        start = max(here - STEPS // 2, 0)
    visible = tuple(every[start : start + STEPS])
    return CodeTrack(visible, here - start if here >= start else -1, start, len(every) - start - len(visible))


def _step_at(every: Sequence[Step], at: int) -> tuple[int, int]:
    """The last step up to a position, and the end of the alert changes it caused; 0 before the first step."""
    return next(((step.position, step.through) for step in reversed(every) if step.position <= at), (0, 0))


def _code_steps_to_compare(every: Sequence[Step], since: int) -> list[Step]:
    """The steps to choose from for a comparison: the latest ones, and the selected one."""
    return [step for step in every if step in every[-STEPS:] or step.position == since]


def _code_position_of_day(log: Log, text: str) -> int:
    """The last position of a day."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise Refused(f"day is {text!r}. Use a date such as 2026-03-01.") from None
    return log.as_of(datetime.combine(day, time.max, UTC)).position


def _files_by_folder(files: Iterable[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Paths by folder, each with its name in the folder: content first, supporting files last."""
    folders: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(files, key=_code_file_order):
        folder, _slash, short = path.rpartition("/")
        if _is_supporting_code_file(path):
            folders.setdefault("the rest", []).append((path, path.removeprefix("domains/")))
        else:
            folders.setdefault(folder.removeprefix("domains/") or "project", []).append((path, short))
    return list(folders.items())


def _code_file_order(path: str) -> tuple[int, str, bool, str]:
    """Sort key: the manifest, the domains with their state first, the constraints, and the rest."""
    folder, _slash, short = path.rpartition("/")
    rank = (
        3
        if _is_supporting_code_file(path)
        else ("", "domains", "constraints").index(path.partition("/")[0] if folder else "")
    )
    return rank, folder, not short.startswith("state"), short


def _is_supporting_code_file(path: str) -> bool:
    return path.startswith("tests/") or path.rpartition("/")[2].startswith("_")


def _first_file(files: Mapping[str, str]) -> str:
    return "manifest.py" if "manifest.py" in files else next(iter(files), "")


def _file_lines(path: str, text: str | None, first: int) -> tuple[tuple[Markup, ...], int]:
    """A page of highlighted lines, and the number of lines in the file."""
    if text is None:
        return (), 0
    lines = split_code_lines(text)
    part = "".join(f"{line}\n" for line in lines[first - 1 : first - 1 + LINES])
    return highlighted_lines(path, part), len(lines)


def _code_differences(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[list[FileDifference], int]:
    """The files that differ, most informative first, and how many are left out because the page is full."""
    paths = sorted(
        (p for p in {*before, *after} if _code_without_position(p, before) != _code_without_position(p, after)),
        key=_code_difference_order,
    )
    different: list[FileDifference] = []
    room = DIFFERENT
    for path in paths:
        if room <= 0:
            break
        hunks = highlighted_difference(path, before.get(path, ""), after.get(path, ""))
        lines = [line for hunk in hunks for line in hunk.lines]
        different.append(
            FileDifference(
                path, hunks, sum(line.sign == "+" for line in lines), sum(line.sign == "-" for line in lines)
            )
        )
        room -= len(lines)
    return different, len(paths) - len(different)


def _code_without_position(path: str, files: Mapping[str, str]) -> str | None:
    """The content of a file without the log's position: a change of that alone is not a difference."""
    text = files.get(path)
    return re.sub(r"^(POSITION|NOW) = .*$", "", text, flags=re.MULTILINE) if text and path == "manifest.py" else text


def _code_difference_order(path: str) -> tuple[bool, tuple[int, str, bool, str]]:
    return path == "manifest.py", _code_file_order(path)  # it only summarises the others


PAGES = (Page("/users/{user}/code", code_page, title="Code", letter="c", group="Known"),)
