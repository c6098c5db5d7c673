"""Installs the peers that need an environment of their own, in .peers/: `make peers`.

Arguments name peers: `make peers ONLY="graphiti cognee"`. The versions are in requirements/peers; each file is
complete, so nothing is resolved: one of the peers asks for packages that exclude each other.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["PEERS", "main"]

ROOT = Path(__file__).parent.parent
REQUIREMENTS = ROOT / "requirements" / "peers"
PEERS = tuple(path.stem for path in sorted(REQUIREMENTS.glob("*.txt")))


def main(names: Sequence[str]) -> int:
    if unknown := [name for name in names if name not in PEERS]:
        print(f"There is no peer {', '.join(unknown)}. There are {', '.join(PEERS)}.")
        return 2
    failed = [name for name in names or PEERS if not _install(name)]
    for name in failed:
        print(f"{name} cannot be installed; uac-bench peers goes without it")
    return int(bool(failed))


def _install(name: str) -> bool:
    environment = ROOT / ".peers" / name
    pip = [str(environment / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    print(name, flush=True)
    commands = (
        [sys.executable, "-m", "venv", str(environment)],
        [*pip, "--no-deps", "-r", str(REQUIREMENTS / f"{name}.txt")],
    )
    return not any(subprocess.run(command, cwd=ROOT, check=False).returncode for command in commands)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
