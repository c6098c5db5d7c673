"""How many lines each package has, and may have: `make budget`.

A package that passes its limit fails `tests/repository/test_budget.py`. Delete something first. If the growth is
worth it, raise the limit here in the same commit as the changelog fragment that says what users get for it.
"""

from pathlib import Path

__all__ = ["LIMITS", "lines", "report"]

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"

LIMITS = {
    "uac": 150,
    "uac/errors": 200,
    "uac/schema": 2600,
    "uac/text": 3900,
    "uac/log": 3300,
    "uac/project": 3700,
    "uac/sandbox": 3500,
    "uac/packs": 3000,
    "uac/constraints": 1500,
    "uac/models": 2100,
    "uac/recall": 1900,
    "uac/conversation": 3000,
    "uac/display": 1600,
    "uac/memory": 1000,
    "uac/importing": 2700,
    "uac/interfaces": 20500,
    "uac/testing": 1900,
    "uac_bench": 7400,
}
"""The most lines that a package's Python files may have. `uac` stands for the files directly in it."""


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


def _package(path: Path) -> str:
    """'uac_bench', 'uac/log', 'uac/errors' for that one module, and 'uac' for the other files at the top."""
    if path.parts[0] != "uac":
        return path.parts[0]
    first = path.parts[1].removesuffix(".py")
    return "uac" if first.startswith("__") else f"uac/{first}"


if __name__ == "__main__":
    print(report())
