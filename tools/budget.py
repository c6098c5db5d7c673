"""How many lines each package has, and may have: `make budget`.

A package that exceeds its limit fails `tests/repository/test_budget.py`. Delete something first. If the growth is
worth it, raise the limit here in the same commit as the changelog fragment that says what users get for it.
`python tools/budget.py --suggest` prints limits with a little headroom, to paste below after a large deletion.
"""

import sys
from pathlib import Path

__all__ = ["LIMITS", "lines", "report", "suggest"]

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"

LIMITS = {
    "uac": 280,
    "uac/errors": 230,
    "uac/schema": 4720,
    "uac/text": 7040,
    "uac/log": 6860,
    "uac/project": 7470,
    "uac/sandbox": 5050,
    "uac/packs": 15000,
    "uac/constraints": 2680,
    "uac/models": 2790,
    "uac/recall": 4270,
    "uac/conversation": 10970,
    "uac/display": 1660,
    "uac/memory": 3800,
    "uac/importing": 5300,
    "uac/interfaces": 34050,
    "uac/testing": 1750,
    "uac_bench": 22200,
}
"""The most lines that a package's Python files may have; `uac` is for the files directly in it."""


def lines() -> dict[str, int]:
    """The lines of each package, in the order of `LIMITS`; a package without a limit comes last."""
    counts = dict.fromkeys(LIMITS, 0)
    for path in sorted(SOURCE.rglob("*.py")):
        package = _package(path.relative_to(SOURCE))
        counts[package] = counts.get(package, 0) + len(path.read_text(encoding="utf-8").splitlines())
    return counts


def report() -> str:
    rows = [f"{'package':<20} {'lines':>6} {'limit':>6} {'left':>6}"]
    for package, count in lines().items():
        limit = LIMITS.get(package, 0)
        rows.append(f"{package:<20} {count:>6} {limit:>6} {limit - count:>6}")
    return "\n".join([*rows, f"{'all':<20} {sum(lines().values()):>6} {sum(LIMITS.values()):>6}"])


def suggest() -> str:
    """The table of limits with 3 % headroom, and at least 20 lines, rounded up to tens."""
    rows = [
        f'    "{package}": {-(-max(count * 1.03, count + 20) // 10) * 10:.0f},' for package, count in lines().items()
    ]
    return "\n".join(["LIMITS = {", *rows, "}"])


def _package(path: Path) -> str:
    """'uac_bench', 'uac/log', 'uac/errors' for that one module, and 'uac' for the other files at the top."""
    if path.parts[0] != "uac":
        return path.parts[0]
    first = path.parts[1].removesuffix(".py")
    return "uac" if first.startswith("__") else f"uac/{first}"


if __name__ == "__main__":
    print(suggest() if "--suggest" in sys.argv else report())
