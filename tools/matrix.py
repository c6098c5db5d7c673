"""Runs the fast tests on every supported Python that is installed: `make matrix`.

Each version gets an environment of its own in .matrix/. Arguments are passed to pytest: `make matrix TESTS=tests/log`.
Versions are found on PATH and among those of pyenv; a version that is not installed is reported, not an error.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["VERSIONS", "find_python", "main"]

ROOT = Path(__file__).parent.parent
MATRIX = ROOT / ".matrix"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def find_python(version: str) -> str | None:
    """An interpreter of this version that runs. A shim of pyenv may exist and not run, so each candidate is tried."""
    for candidate in _candidates(version):
        question = "import sys; print(f'{sys.version_info.major}.{sys.version_info.minor}')"
        run = subprocess.run([candidate, "-c", question], capture_output=True, text=True, check=False)
        if run.returncode == 0 and run.stdout.strip() == version:
            return candidate
    return None


def main(arguments: Sequence[str]) -> int:
    results = {version: _test(version, arguments) for version in VERSIONS}
    print("\nPython")
    for version, result in results.items():
        print(f"  {version}  {result}")
    return int("failed" in results.values())


def _test(version: str, arguments: Sequence[str]) -> str:
    python = find_python(version)
    if python is None:
        return "not installed"
    environment = MATRIX / version
    ours = str(environment / "bin" / "python")
    pip = [ours, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    print(f"\nPython {version}: {python}", flush=True)
    commands = [
        [python, "-m", "venv", str(environment)],
        [*pip, "-r", "requirements/dev.txt"],
        [*pip, "--no-build-isolation", "--no-deps", "-e", "."],
        [ours, "-m", "pytest", "-n", "logical", "--dist", "loadfile", *arguments],
    ]
    is_passed = all(subprocess.run(command, cwd=ROOT, check=False).returncode == 0 for command in commands)
    return "passed" if is_passed else "failed"


def _candidates(version: str) -> Iterator[str]:
    if path := shutil.which(f"python{version}"):
        yield path
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for folder in sorted(versions.glob(f"{version}*")):
        yield from (str(path) for path in (folder / "bin").glob(f"python{version}"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
