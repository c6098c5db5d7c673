"""Branch coverage of each package in the last measured run: the second half of `make coverage`.

Fails if the total or one package is below `fail_under` in pyproject.toml, because a good total can hide a weak package.
"""

import json
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from coverage import Coverage

__all__ = ["Covered", "by_package", "measured", "report", "weak"]


class Covered(NamedTuple):
    """Statements and branches, and how many of them ran."""

    ran: int = 0
    all: int = 0

    @property
    def percent(self) -> float:
        return 100 * self.ran / self.all if self.all else 100.0


def measured(data: Path | None = None) -> tuple[dict[str, Covered], float]:
    """The coverage of each file in a data file (by default .coverage), and the least that is wanted."""
    coverage = Coverage() if data is None else Coverage(data_file=str(data))
    coverage.load()
    with tempfile.NamedTemporaryFile(suffix=".json") as written:
        coverage.json_report(outfile=written.name, ignore_errors=True)
        files = json.loads(Path(written.name).read_bytes())["files"]
    counts = {
        path: Covered(
            each["summary"]["covered_lines"] + each["summary"]["covered_branches"],
            each["summary"]["num_statements"] + each["summary"]["num_branches"],
        )
        for path, each in files.items()
    }
    return counts, float(str(coverage.get_option("report:fail_under") or 0))


def by_package(files: Mapping[str, Covered]) -> dict[str, Covered]:
    """The coverage of each package of `uac`. 'total' is last, and includes the modules that are in no package."""
    parts: dict[str, list[Covered]] = {}
    for path, covered in files.items():
        inside = path.replace("\\", "/").rpartition("src/uac/")[2].split("/")
        if inside[1:]:
            parts.setdefault(f"uac/{inside[0]}", []).append(covered)
    return {name: _sum(parts[name]) for name in sorted(parts)} | {"total": _sum(files.values())}


def _sum(parts: Iterable[Covered]) -> Covered:
    return Covered(*map(sum, zip(Covered(), *parts, strict=True)))


def weak(packages: Mapping[str, Covered], least: float) -> list[str]:
    """The packages below the least."""
    return [name for name, covered in packages.items() if covered.percent < least]


def report(packages: Mapping[str, Covered], least: float) -> str:
    rows = [f"{name:<20} {covered.percent:>6.1f} %" for name, covered in packages.items()]
    below = weak(packages, least)
    verdict = f"below {least:g} %: {', '.join(below)}. Add tests, or delete what they cannot reach." if below else ""
    return "\n".join([f"{'package':<20} {'branch coverage':>8}", *rows, *filter(None, [verdict])])


def main(arguments: Sequence[str]) -> int:
    files, least = measured(Path(arguments[0]) if arguments else None)
    packages = by_package(files)
    print(report(packages, least))
    return 1 if weak(packages, least) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
