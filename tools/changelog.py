"""Moves the fragments in changelog.d/ into CHANGELOG.md: `make changelog`; with VERSION=0.2.0 for a release.

A fragment is one file per change, so that two changes never conflict. It holds one or more bullets, each a sentence
or two for users: what is different now, and what they have to do, if anything.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["FRAGMENTS", "assemble", "fragments", "problems"]

ROOT = Path(__file__).parent.parent
FRAGMENTS = ROOT / "changelog.d"
CHANGELOG = ROOT / "CHANGELOG.md"
UNRELEASED = "## Unreleased\n"


def fragments() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(FRAGMENTS.glob("*.md"))}


def problems(name: str, text: str) -> list[str]:
    """Why a fragment cannot be used; empty if it can."""
    lines = text.splitlines()
    bullets = [" ".join(bullet.split()) for bullet in re.split(r"^- ", text, flags=re.MULTILINE)[1:]]
    checks = (
        (bool(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.md", name)), "its name must be lower-case words joined by '-'"),
        (bool(bullets) and text.startswith("- "), "it must start with a bullet: '- '"),
        (all(line.startswith(("- ", "  ")) for line in lines), "each line must start a bullet or continue one ('  ')"),
        (all(re.search(r"[.)]$", bullet) for bullet in bullets), "each bullet must end with a full stop"),
        (all(len(line) <= 120 for line in lines), "its lines must have at most 120 characters"),
        (text.endswith("\n") and not text.endswith("\n\n"), "it must end with one newline"),
    )
    return [f"{name}: {problem}" for is_met, problem in checks if not is_met]


def assemble(changelog: str, entries: Mapping[str, str], version: str = "") -> str:
    """The changelog with all fragments at the top of 'Unreleased', which becomes `version` if one is given."""
    before, heading, after = changelog.partition(UNRELEASED)
    if not heading:
        raise ValueError("CHANGELOG.md has no '## Unreleased'. Add that heading above the newest version.")
    added = before + heading + "\n" + "".join(entries.values()) + after.lstrip("\n")
    return added.replace(UNRELEASED, f"{UNRELEASED}\n## {version}\n", 1) if version else added


def main(version: str = "") -> int:
    entries = fragments()
    if wrong := [problem for name, text in entries.items() for problem in problems(name, text)]:
        print(*wrong, sep="\n", file=sys.stderr)
        return 1
    CHANGELOG.write_text(assemble(CHANGELOG.read_text(encoding="utf-8"), entries, version), encoding="utf-8")
    for name in entries:
        (FRAGMENTS / name).unlink()
    print(f"{len(entries)} fragments moved into CHANGELOG.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
