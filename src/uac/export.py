"""The rendered project on disk, as a folder or as a git repository whose commits are the checkpoints."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from uac.checkpoint import describe
from uac.entries import Checkpoint, Correction, Erasure, Retraction
from uac.errors import Refused
from uac.fold import project as fold
from uac.log import Stored
from uac.project import EMPTY_PROJECT, Project
from uac.render import render

__all__ = ["Exported", "export", "export_git"]

TRAILER = "Log-Position"


@dataclass(frozen=True, slots=True)
class Exported:
    """How many files were written or removed, and how many commits were made."""

    written: int
    removed: int
    commits: int = 0


def export(project: Project, folder: Path) -> Exported:
    """Write the project into the folder: a new or empty one, or one that was exported before."""
    _check_folder(folder)
    return _write(render(project), folder)


def export_git(entries: Iterable[Stored], folder: Path) -> Exported:
    """Write the project as a git repository: one commit for each checkpoint, correction, retraction and erasure.

    A repository that was exported before is continued. Commits carry the times of the log, so the same log gives
    the same commits.
    """
    if shutil.which("git") is None:
        raise Refused("export: git is not installed, needs git on the PATH (or leave --git away)")
    _check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists():
        _git(folder, "init", "--quiet", "--initial-branch=main")
    done = _last_position(folder)
    written = removed = commits = 0
    for stored, project in _steps(entries):
        if stored.position <= done:
            continue
        step = _write(render(project), folder)
        written, removed, commits = written + step.written, removed + step.removed, commits + 1
        _commit(folder, stored)
    return Exported(written, removed, commits)


def _steps(entries: Iterable[Stored]) -> Iterator[tuple[Stored, Project]]:
    """The project after each entry that changes it."""
    project = EMPTY_PROJECT
    pending: list[Stored] = []
    for stored in entries:
        pending.append(stored)
        if isinstance(stored.entry, Checkpoint | Correction | Retraction | Erasure):
            project = fold(pending, project)
            pending = []
            yield stored, project


def _write(files: Mapping[str, str], folder: Path) -> Exported:
    folder.mkdir(parents=True, exist_ok=True)
    written = removed = 0
    for path in sorted(folder.rglob("*.py")):
        if path.relative_to(folder).as_posix() not in files and ".git" not in path.parts:
            path.unlink()
            removed += 1
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            written += 1
    for empty in sorted((path for path in folder.glob("domains/*") if path.is_dir()), reverse=True):
        if not any(empty.glob("*.py")):
            shutil.rmtree(empty)
    return Exported(written, removed)


def _check_folder(folder: Path) -> None:
    if folder.is_file():
        raise Refused(f"export: {folder} is a file, needs a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return
    manifest = folder / "manifest.py"
    if not manifest.exists() or "POSITION = " not in manifest.read_text():
        raise Refused(f"export: {folder} holds something else, needs an empty folder or one that was exported before")


def _last_position(folder: Path) -> int:
    log = subprocess.run(
        ["git", "log", "-1", "--format=%B"], cwd=folder, capture_output=True, text=True, check=False, env=_environment()
    )
    found = re.search(rf"^{TRAILER}: (\d+)$", log.stdout, re.MULTILINE)
    return int(found[1]) if found else 0


def _commit(folder: Path, stored: Stored) -> None:
    title, lines = _message(stored)
    message = "\n".join([title, "", *lines, *([""] if lines else []), f"{TRAILER}: {stored.position}"])
    date = stored.at.isoformat()
    _git(folder, "add", "--all")
    _git(
        folder,
        "commit",
        "--quiet",
        "--allow-empty",
        "--cleanup=verbatim",
        f"--message={message}",
        date=date,
    )


def _message(stored: Stored) -> tuple[str, list[str]]:
    match stored.entry:
        case Checkpoint() as entry:
            lines = [_one_line(describe(patch)) for patch in entry.patches]
            shown = [*lines[:50], f"and {len(lines) - 50} more"] if len(lines) > 50 else lines
            return f"checkpoint {stored.position}: {len(lines)} changes", shown
        case Correction() as entry:
            return f"correction {stored.position}: {_one_line(entry.record)}.{_one_line(entry.field)}", [
                _one_line(entry.why)
            ]
        case Retraction() as entry:
            return f"retraction {stored.position}: {', '.join(map(str, entry.positions))}", [_one_line(entry.why)]
        case _:
            return f"{stored.kind} {stored.position}", []


def _one_line(text: str) -> str:
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def _git(folder: Path, *arguments: str, date: str = "") -> None:
    run = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=False, env=_environment(date)
    )
    if run.returncode:
        raise Refused(f"export: git {arguments[0]} failed: {run.stderr.strip()}")


def _environment(date: str = "") -> dict[str, str]:
    """Git without the person's own settings, names and hooks."""
    import os

    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "user-as-code",
        "GIT_AUTHOR_EMAIL": "log@user-as-code.invalid",
        "GIT_COMMITTER_NAME": "user-as-code",
        "GIT_COMMITTER_EMAIL": "log@user-as-code.invalid",
        "LC_ALL": "C.UTF-8",
        **dates,
    }
