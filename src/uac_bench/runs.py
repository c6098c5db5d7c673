"""A run of a suite, kept as one JSON file: what was measured, with which code, data and model, item by item.

`Recorder` writes each item and each finished part as soon as it is known, so that a run that was interrupted continues
where it stopped.
`uac-bench report` makes a page of the files.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from uac import __version__
from uac.conversation import Share, mcnemar, wilson
from uac_bench.measure import machine_description

__all__ = [
    "BenchItem",
    "BenchRun",
    "BenchTable",
    "Curve",
    "CurvePoint",
    "Recorder",
    "System",
    "Verdict",
    "code_revision",
    "data_digests",
    "load_runs",
    "run_file",
    "shares",
    "versus",
]

Verdict = Literal["right", "wrong", "failed", "unscored"]


class System(msgspec.Struct, frozen=True):
    """A contestant: ours or another one."""

    name: str
    version: str = ""
    about: str = ""
    """What was measured of it, and what could not be."""
    is_ours: bool = False


class BenchItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer of one system. A failed one has no text; `why` says what went wrong, and it counts as wrong."""

    id: str
    system: str
    verdict: Verdict
    group: str = ""
    """The type of the question, or whatever the tables group by."""
    score: float | None = None
    """A share such as that of the evidence found, where right and wrong are too coarse."""
    given: str = ""
    gold: str = ""
    why: str = ""
    tokens: int = 0
    cost: str = ""
    """In the currency that it names, such as '0.0021 USD'."""


class BenchTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table for the page; all cells are texts."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


class CurvePoint(msgspec.Struct, frozen=True):
    """A value and its 95 % interval at a place."""

    x: float
    y: float
    low: float
    high: float


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """How something grows, one line for each system."""

    title: str
    x: str
    y: str
    lines: dict[str, tuple[CurvePoint, ...]]
    is_log_x: bool = False
    note: str = ""


class BenchRun(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that somebody needs to repeat a run, and to compare it with another."""

    suite: str
    command: str
    """The command line that makes it again."""
    about: str
    headline: str = ""
    """The result in one line, where a share of right answers does not say it."""
    code: str
    """The revision of the source, with '+' and a digest if it was changed."""
    version: str = __version__
    machine: str = ""
    data: dict[str, str] = {}
    """SHA-256 of each file that was read, by its name."""
    seed: int | None = None
    model: str = ""
    """The model that answered, if one did: 'recorded', 'exchange', or a vendor's."""
    is_live: bool = False
    """Whether a live model answered during this run."""
    prompts: dict[str, str] = {}
    """SHA-256 of each prompt, by its name."""
    systems: tuple[System, ...] = ()
    items: tuple[BenchItem, ...] = ()
    tables: tuple[BenchTable, ...] = ()
    curves: tuple[Curve, ...] = ()


class _Part(msgspec.Struct, frozen=True):
    """A part of a run that was measured whole, with its result as JSON."""

    part: str
    result: msgspec.Raw


class Recorder:
    """Keeps the items of a run in `FOLDER/SUITE.items.jsonl` while it lasts, and then the run in `FOLDER/SUITE.json`.

    Items and parts of an earlier run are taken over if that run had the same code, data, model and settings (`key`),
    otherwise they are dropped. Without a folder nothing is kept.
    """

    def __init__(self, folder: Path | None, suite: str, key: Mapping[str, object]) -> None:
        self._path = None if folder is None else folder / f"{suite}.items.jsonl"
        self._final = None if folder is None else folder / f"{suite}.json"
        self._items: dict[tuple[str, str], BenchItem] = {}
        self._parts: dict[str, bytes] = {}
        self.failures = 0
        """How many items were added that failed."""
        head = {"key": hashlib.sha256(json.dumps(key, sort_keys=True, default=str).encode()).hexdigest()}
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists():
            first, *lines = self._path.read_text(encoding="utf-8").splitlines() or [""]
            if first == json.dumps(head):
                for line in lines:
                    self._take_over(line)
        with self._path.open("w", encoding="utf-8") as file:
            file.write(json.dumps(head) + "\n")
            file.writelines(msgspec.json.encode(item).decode() + "\n" for item in self._items.values())
            file.writelines(_part_line(name, result) for name, result in self._parts.items())

    def _take_over(self, line: str) -> None:
        try:
            if line.startswith('{"part":'):
                part = msgspec.json.decode(line, type=_Part)
                self._parts[part.part] = bytes(part.result)
                return
            item = msgspec.json.decode(line, type=BenchItem)
        except msgspec.DecodeError:
            return  # the last line of a run that was killed
        if item.verdict != "failed":  # a failure is tried again
            self._items[item.system, item.id] = item

    def known(self, system: str, item: str) -> BenchItem | None:
        """The item from the run that this one continues."""
        return self._items.get((system, item))

    def add(self, item: BenchItem) -> BenchItem:
        self._items[item.system, item.id] = item
        self.failures += item.verdict == "failed"
        self._append(msgspec.json.encode(item).decode() + "\n")
        return item

    def part(self, name: str) -> bytes | None:
        """The result of a part that the run that this one continues has measured whole."""
        return self._parts.get(name)

    def keep_part(self, name: str, result: bytes) -> None:
        self._parts[name] = result
        self._append(_part_line(name, result))

    def _append(self, line: str) -> None:
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line)

    @property
    def items(self) -> tuple[BenchItem, ...]:
        return tuple(self._items.values())

    def discard(self) -> None:
        """Remove what was kept: the next run starts from the beginning."""
        if self._path is not None:
            self._path.unlink()

    def finish(self, run: BenchRun) -> BenchRun:
        """Write the whole run; the items are those that were added if it has none of its own."""
        run = msgspec.structs.replace(run, machine=run.machine or machine_description(), items=run.items or self.items)
        if self._path is not None and self._final is not None:
            self._final.write_bytes(run_file(run))
            self.discard()
        return run


def _part_line(name: str, result: bytes) -> str:
    return msgspec.json.encode(_Part(name, msgspec.Raw(result))).decode() + "\n"


def run_file(run: BenchRun) -> bytes:
    """The run as JSON, with one line for each item."""
    head = msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(run, items=())), indent=1)
    items = b",\n  ".join(msgspec.json.encode(item) for item in run.items)
    return head.replace(b'"items": []', b'"items": [\n  ' + items + b"\n ]" if items else b'"items": []') + b"\n"


def load_runs(folder: Path) -> tuple[BenchRun, ...]:
    """All runs in a folder, by suite."""
    return tuple(msgspec.json.decode(path.read_bytes(), type=BenchRun) for path in sorted(folder.glob("*.json")))


def shares(items: Sequence[BenchItem], *, by_group: bool = False) -> dict[tuple[str, str], Share]:
    """The share of right answers of each system, with Wilson's interval; by group, too, if wanted ('' is all)."""
    found: dict[tuple[str, str], list[bool]] = {}
    for item in items:
        if item.verdict != "unscored":
            for group in ("", item.group) if by_group and item.group else ("",):
                found.setdefault((item.system, group), []).append(item.verdict == "right")
    return {place: wilson(sum(right), len(right)) for place, right in found.items()}


def versus(items: Sequence[BenchItem], first: str, second: str) -> float | None:
    """The p of McNemar's exact test between two systems over the items that both answered; None if there are none."""
    right = {(item.system, item.id): item.verdict == "right" for item in items if item.verdict != "unscored"}
    pairs = [
        (right[first, name], right[second, name])
        for system, name in right
        if system == first and (second, name) in right
    ]
    return mcnemar(sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)) if pairs else None


def code_revision() -> str:
    """The commit of the source, with '+' and a digest of what was changed since; the version without a repository.

    Documents do not count: kept runs are made again one by one, and each must not change the revision of the next.
    """
    here = Path(__file__).parent
    try:
        revision = _git(here, "rev-parse", "--short=12", "HEAD")
        changes = _git(here, "diff", "--no-ext-diff", "HEAD", "--", ":(top)", ":(top,exclude)docs")
        return f"{revision}+{hashlib.sha256(changes.encode()).hexdigest()[:8]}" if changes else revision
    except (OSError, subprocess.CalledProcessError):
        return f"uac {__version__}"


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)  # noqa: S603, S607
    return done.stdout.decode(errors="replace").strip()


def data_digests(paths: Sequence[Path]) -> dict[str, str]:
    """SHA-256 of each file, by its path below the folder that all of them are in."""
    if not paths:
        return {}
    shared = Path(os.path.commonpath([path.absolute().parent for path in paths]))
    return {
        path.absolute().relative_to(shared).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths
    }
