"""Follows one sentence through the source: which files and packages it visits, and how often the project is folded.

`python tools/walk.py` plays a short conversation through the commands, in a store of its own, with a profile hook.
"""

import inspect
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from click.testing import CliRunner

from uac.interfaces.cli import main

__all__ = ["walk"]

SOURCE = Path(__file__).parent.parent / "src" / "uac"
SENTENCE = "I am allergic to penicillin. Dr. Chen gave me amoxicillin yesterday."
FACTS = {
    "facts": [
        {
            "text": "The user is allergic to penicillin.",
            "about": "user",
            "cites": [{"turn": 1, "quote": "I am allergic to penicillin."}],
        },
        {
            "text": "Dr. Chen gave the user amoxicillin yesterday.",
            "about": "user",
            "cites": [{"turn": 1, "quote": "Dr. Chen gave me amoxicillin yesterday."}],
        },
    ]
}
PATCHES = {
    "patches": [
        {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [2]},
        {
            "op": "put",
            "type": "health.Medication",
            "fields": {"name": "amoxicillin", "prescriber": "Dr. Chen"},
            "cites": [3],
        },
    ]
}
FOLDS = {("project/fold.py", "__init__")}
"""What is called once for each fold of entries into a project."""


def walk() -> dict[str, tuple[list[str], int]]:
    """For each command: the files whose functions it called, in the order of their first call, and the folds."""
    stages: dict[str, tuple[list[str], int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        store = ["--store", str(Path(folder) / "memory.db")]
        stages["add"] = _follow(["add", "ana", SENTENCE, *store])
        stages["pending (facts)"] = _follow(["pending", "ana", *store])
        stages["answer (facts)"] = _follow(["answer", "ana", *store], json.dumps(FACTS))
        stages["pending (records)"] = _follow(["pending", "ana", *store])
        patches = json.loads(json.dumps(PATCHES))
        listed = CliRunner().invoke(main, ["log", "ana", "--json", *store]).output.splitlines()
        cited = [json.loads(line)["position"] for line in listed if json.loads(line).get("kind") == "fact"]
        for patch, position in zip(patches["patches"], cited, strict=True):
            patch["cites"] = [position]
        stages["answer (records)"] = _follow(["answer", "ana", *store], json.dumps(patches))
        alerts = CliRunner().invoke(main, ["alerts", "ana", *store]).output
        if "drug_allergy" not in alerts:
            raise SystemExit(f"The sentence raised no alert. Its commands must have failed: {alerts}")
    return stages


def _follow(arguments: list[str], stdin: str = "") -> tuple[list[str], int]:
    files: dict[str, None] = {}
    calls: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        path = frame.f_code.co_filename
        is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED  # not a module or a class, which an import runs
        if event == "call" and is_function and path.startswith(str(SOURCE)):
            name = path[len(str(SOURCE)) + 1 :]
            files.setdefault(name)
            calls[name, frame.f_code.co_name] += 1

    sys.setprofile(note)
    try:
        done = CliRunner().invoke(main, arguments, input=stdin, catch_exceptions=False)
    finally:
        sys.setprofile(None)
    if done.exit_code:
        raise SystemExit(f"uac {' '.join(arguments[:2])} failed: {done.output}")
    return list(files), sum(calls[key] for key in FOLDS)


if __name__ == "__main__":
    seen: set[str] = set()
    for stage, (files, folds) in walk().items():
        seen |= set(files)
        packages = {name.split("/")[0].removesuffix(".py") for name in files}
        print(f"{stage:20} {len(files):3} files {len(packages):3} packages {folds:3} folds", *sorted(packages))
    print(f"{'all':20} {len(seen):3} files {len({name.split('/')[0] for name in seen}):3} packages")
