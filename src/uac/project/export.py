"""The rendered project on disk, as a folder or as a git repository whose commits are the checkpoints."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from uac.errors import Refused
from uac.log.log import Log, Stored
from uac.project.fold import fold_entries
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.render import render
from uac.project.render_summary import SUMMARY
from uac.schema.entries import AlertChange, Checkpoint, Correction, Erasure, NextRun, Retraction, Tick
from uac.schema.patches import describe_patch
from uac.schema.safe_text import one_line

__all__ = ["Exported", "check_origin", "export", "export_git"]

TRAILER = "Log-Position"
ORIGIN = ".origin"
"""Names the log that a folder was exported from: the position, and the digest there."""


@dataclass(frozen=True, slots=True)
class Exported:
    """How many files were written or removed, and how many commits were made."""

    written: int
    removed: int
    commits: int = 0


def export(project: Project, folder: Path) -> Exported:
    """Write the project into the folder: a new or empty one, or one that was exported before."""
    _check_export_folder(folder)
    return _write_files(_exported_files(project), folder)


def export_git(entries: Iterable[Stored], folder: Path) -> Exported:
    """Write the project as a git repository: one commit for each change, with the alerts it brought.

    A repository that was exported before is continued. Commits carry the times of the log, so the same log gives
    the same commits.
    """
    if shutil.which("git") is None:
        raise Refused("export: git is not installed. Install it, or export without --git.")
    _check_export_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _check_git_settings(folder)
    if not (folder / ".git").exists():
        _git(folder, "init", "--quiet", "--initial-branch=main")
    done = _last_committed_position(folder)
    written = removed = commits = 0
    for stored, project in _commit_steps(entries):
        if stored.position <= done:
            continue
        step = _write_files(_exported_files(project), folder)
        written, removed, commits = written + step.written, removed + step.removed, commits + 1
        _commit_change(folder, stored)
    return Exported(written, removed, commits)


def check_origin(log: Log, folder: Path) -> None:
    """Refuse a folder that was exported from another log: one user's project never mixes with another's."""
    origin = folder / ORIGIN
    if not origin.is_file():
        return
    position, _space, digest = origin.read_text(encoding="utf-8").strip().partition(" ")
    known = position.isdecimal() and int(position) <= log.head().position
    if not known or log.as_of(int(position)).head().digest.hex() != digest:
        raise Refused(f"{folder} was exported from another log. Use another folder.")


def _exported_files(project: Project) -> dict[str, str]:
    return {**render(project), "__main__.py": SUMMARY, ORIGIN: f"{project.position} {project.digest.hex()}\n"}


def _commit_steps(entries: Iterable[Stored]) -> Iterator[tuple[Stored, Project]]:
    """The project after each change, with the alerts that were appended together with it; alerts alone are a change."""
    project = EMPTY_PROJECT
    pending: list[Stored] = []
    change: Stored | None = None
    for stored in entries:
        if change is not None and (
            stored.at != change.at or not isinstance(stored.entry, Tick | AlertChange | NextRun)
        ):
            project = fold_entries(pending, project)
            yield change, project
            pending, change = [], None
        pending.append(stored)
        if change is None and isinstance(stored.entry, _CHANGES):
            change = stored
    if change is not None:
        yield change, fold_entries(pending, project)


_CHANGES = (Checkpoint, Correction, Retraction, Erasure, AlertChange)


def _write_files(files: Mapping[str, str], folder: Path) -> Exported:
    folder.mkdir(parents=True, exist_ok=True)
    written = removed = 0
    for name in files:
        _check_export_links(folder / name, folder)
    for path in sorted(
        [*folder.rglob("*.py"), *folder.glob("constraints/knowledge/*.json"), *folder.glob("constraints/*.txt")]
    ):
        if path.relative_to(folder).as_posix() not in files and ".git" not in path.parts:
            path.unlink()
            removed += 1
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
            written += 1
    for empty in sorted((path for path in folder.glob("domains/*") if path.is_dir()), reverse=True):
        if not any(empty.glob("*.py")):
            shutil.rmtree(empty)
    return Exported(written, removed)


def _check_export_links(path: Path, folder: Path) -> None:
    """Refuse to write through a link: it may lead anywhere."""
    while path != folder:
        if path.is_symlink():
            raise Refused(f"export: {path} is a link. Replace it with a plain file or folder.")
        path = path.parent


def _check_git_settings(folder: Path) -> None:
    """Refuse a repository that lies elsewhere, or whose own settings could make git run something."""
    config = folder / ".git" / "config"
    if not (folder / ".git").exists():
        return
    if (folder / ".git").is_symlink() or not config.is_file():
        raise Refused(f"export: {folder / '.git'} was not made by 'uac export --git'. Use another folder.")
    names = _git_output(folder, "config", "--local", "--no-includes", "--name-only", "--list").split()
    foreign = [name for name in names if name not in _SETTINGS]
    if foreign:
        raise Refused(
            f"export: {config} sets {foreign[0]}, which 'uac export --git' does not."
            " Remove the setting, or use another folder."
        )


_SETTINGS = frozenset(
    f"core.{name}"
    for name in "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode".split()
)


def _check_export_folder(folder: Path) -> None:
    if folder.is_file():
        raise Refused(f"export: {folder} is a file. Use a folder.")
    if not folder.exists() or not any(folder.iterdir()):
        return
    manifest = folder / "manifest.py"
    if not manifest.exists() or b"POSITION = " not in manifest.read_bytes():
        raise Refused(f"export: {folder} has other files in it. Use an empty folder, or one of an earlier export.")


def _last_committed_position(folder: Path) -> int:
    # The trailer is the last line; text of the log that looks like one comes before it.
    found = re.findall(rf"^{TRAILER}: (\d+)$", _git_output(folder, "log", "-1", "--format=%B"), re.MULTILINE)
    return int(found[-1]) if found else 0


def _commit_change(folder: Path, stored: Stored) -> None:
    title, lines = _commit_message(stored)
    message = "\n".join([title, "", *lines, *([""] if lines else []), f"{TRAILER}: {stored.position}"])
    date = stored.at.isoformat()
    _git(folder, "add", "--all")
    _git(
        folder,
        "commit",
        "--quiet",
        "--allow-empty",
        "--cleanup=verbatim",
        "--file=-",
        date=date,
        text=message,
    )


def _commit_message(stored: Stored) -> tuple[str, list[str]]:
    match stored.entry:
        case Checkpoint() as entry:
            lines = [one_line(describe_patch(patch)) for patch in entry.patches]
            listed = [*lines[:50], f"and {len(lines) - 50} more"] if len(lines) > 50 else lines
            return f"checkpoint {stored.position}: {len(lines)} changes", listed
        case Correction() as entry:
            return f"correction {stored.position}: {one_line(entry.record)}.{one_line(entry.field)}", [
                one_line(entry.why)
            ]
        case Retraction() as entry:
            return f"retraction {stored.position}: {', '.join(map(str, entry.positions))}", [one_line(entry.why)]
        case AlertChange() as entry:
            return f"alert {stored.position}: {entry.change} {one_line(entry.constraint)}", [one_line(entry.text)]
        case _:
            return f"{stored.kind} {stored.position}", []


def _git(folder: Path, *arguments: str, date: str = "", text: str = "") -> None:
    run = _run_git(folder, *arguments, date=date, text=text)
    if run.returncode:
        raise Refused(f"export: git {arguments[0]} failed: {run.stderr.strip()}")


def _git_output(folder: Path, *arguments: str) -> str:
    return _run_git(folder, *arguments).stdout


def _run_git(folder: Path, *arguments: str, date: str = "", text: str = "") -> subprocess.CompletedProcess[str]:
    # Named explicitly, or git would search parent folders if this repository is damaged.
    place = (f"--git-dir={folder.absolute() / '.git'}", f"--work-tree={folder.absolute()}")
    settings = ("-c", f"core.hooksPath={os.devnull}", "-c", f"core.attributesFile={os.devnull}")
    command = ["git", *settings, *(() if arguments[0] == "init" else place), *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", check=False, env=_git_environment(date), input=text
    )


def _git_environment(date: str = "") -> dict[str, str]:
    """Git without the person's own settings, names and hooks."""
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
