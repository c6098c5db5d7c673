"""Tests each adapter with its real framework, in an environment of its own in .adapters/: `make adapters`.

Arguments name frameworks: `make adapters ONLY="langgraph autogen"`. The versions are in requirements/adapters.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["FRAMEWORKS", "main"]

ROOT = Path(__file__).parent.parent
REQUIREMENTS = ROOT / "requirements" / "adapters"
FRAMEWORKS = tuple(path.stem for path in sorted(REQUIREMENTS.glob("*.txt")))


def main(names: Sequence[str]) -> int:
    if unknown := [name for name in names if name not in FRAMEWORKS]:
        print(f"There is no adapter {', '.join(unknown)}. There are {', '.join(FRAMEWORKS)}.")
        return 2
    results = {name: _test(name) for name in names or FRAMEWORKS}
    print("\nadapter")
    for name, result in results.items():
        print(f"  {name:<16} {result}")
    return int(any(result != "passed" for result in results.values()))


def _test(name: str) -> str:
    environment = ROOT / ".adapters" / name
    python = str(environment / "bin" / "python")
    # Few modules of a framework are imported here; to compile all of them takes longer than the tests.
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-compile"]
    print(f"\n{name}", flush=True)
    steps = {
        "cannot be installed": [
            [sys.executable, "-m", "venv", str(environment)],
            [*pip, "-r", str(REQUIREMENTS / f"{name}.txt"), "-r", "requirements/build.txt"],
            [*pip, "--no-build-isolation", "--no-deps", "-e", "."],
        ],
        # A framework may warn about itself; that fails no test of ours.
        "failed": [
            [python, "-m", "pytest", "-o", "filterwarnings=default", f"tests/interfaces/adapters/test_{name}.py"]
        ],
    }
    for reason, commands in steps.items():
        if any(subprocess.run(command, cwd=ROOT, check=False).returncode for command in commands):
            return reason
    return "passed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
