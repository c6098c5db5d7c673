"""Peers that need a model or conflict with others: each in an environment of its own, as a process (make peers).

The stand-in of `scripted_vendor` is their model, alike for all. What a better model would extract is not measured.
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import IO

from uac_bench.systems import CannotRun, Contestant, NotInstalled, StoredText
from uac_bench.systems.scripted_vendor import scripted_vendor

__all__ = ["ENVIRONMENTS", "ProcessPeer", "environment_contestants", "environment_versions"]

ENVIRONMENTS = Path(".peers")
"""Where `make peers` makes them."""
DRIVERS = Path(__file__).parent.parent / "peer_drivers"
LARGEST = 2_000
SCRIPTED = (
    "A scripted model extracts each sentence verbatim and merges nothing; what a live one would do is not measured."
)
GRAPHITI = """add_episode into its embedded Kuzu, and its hybrid search over facts without the least similarity; a
fact stands for the passage it cites."""
COGNEE = """add and cognify into its embedded stores, and its search over chunks; its search over the graph gives no
source and is not measured."""
MEMOS = """Its general text memory: extraction, local vectors, search; a memory stands for the passage it comes from.
Its memory tree needs a graph database and is not measured."""
MEMORYOS = """add_memory and its retriever, with as many pages as fit instead of 7 of 5 sessions; its short-term memory
is always shown. faiss-cpu instead of faiss-gpu."""
PEERS: Mapping[str, tuple[str, str, str]] = {
    "graphiti": ("Graphiti", "graphiti-core", GRAPHITI),
    "cognee": ("cognee", "cognee", COGNEE),
    "memos": ("MemOS", "memoryos", MEMOS),
    "memoryos": ("MemoryOS", "memoryos_pro", MEMORYOS),
}
"""Name, distribution, and what is measured, by the name of the environment and of the driver."""


def environment_contestants(folder: Path = ENVIRONMENTS) -> list[Contestant]:
    return [
        Contestant(name, " ".join(f"{about} {SCRIPTED}".split()), partial(ProcessPeer, key, folder), package, LARGEST)
        for key, (name, package, about) in PEERS.items()
    ]


def environment_versions(folder: Path = ENVIRONMENTS) -> dict[str, str]:
    """The version of each peer that has an environment, by its distribution."""
    found: dict[str, str] = {}
    for key, (_name, package, _about) in PEERS.items():
        for place in (folder / key).glob(f"lib/python*/site-packages/{package.replace('-', '_')}-*.dist-info"):
            found[package] = place.name.removesuffix(".dist-info").rpartition("-")[2]
    return found


class ProcessPeer:
    """A peer that runs in another environment, with a memory in a folder that is removed at the end."""

    def __init__(self, key: str, folder: Path = ENVIRONMENTS, drivers: Path = DRIVERS) -> None:
        python = folder / key / "bin" / "python"
        if not python.exists():
            raise NotInstalled(f"{key} has no environment in {folder}: make peers")
        self._key = key
        self._count = 0
        with ExitStack() as opening:
            url = opening.enter_context(scripted_vendor()).url
            place = opening.enter_context(tempfile.TemporaryDirectory(prefix="uac-bench-", ignore_cleanup_errors=True))
            self._errors: IO[bytes] = opening.enter_context((Path(place) / "errors").open("w+b"))
            memory = Path(place) / "memory"
            memory.mkdir()
            self._process = subprocess.Popen(  # noqa: S603 - a peer that was installed to be run
                [python.absolute(), drivers / f"{key}_driver.py", url, memory],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                encoding="utf-8",
            )
            opening.callback(self._stop)
            self._read_answer()
            self._opened = opening.pop_all()

    def add(self, texts: Sequence[StoredText]) -> None:
        items = [
            {
                "text": each.text,
                "said": each.said.isoformat(),
                "role": each.role,
                "session": each.session,
                "place": self._count + number,
            }
            for number, each in enumerate(texts)
        ]
        self._count += len(texts)
        self._request({"add": items})

    def search(self, question: str, most: int) -> Sequence[int]:
        return self._request({"search": question, "most": most})

    def close(self) -> None:
        self._opened.close()

    def _request(self, request: Mapping[str, object]) -> Sequence[int]:
        if self._process.stdin is None:
            raise CannotRun(f"{self._key} has no input.")
        with suppress(BrokenPipeError):  # it has ended: reading says why
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        return self._read_answer()

    def _read_answer(self) -> Sequence[int]:
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        if not line:
            raise CannotRun(f"stopped with an error: {self._last_error()}")
        found: list[int] = json.loads(line)["found"]
        return found

    def _last_error(self) -> str:
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return next((line.strip()[:300] for line in reversed(lines) if line[:1].strip()), "no message")

    def _stop(self) -> None:
        """End of input ends a driver; one that goes on is killed."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with suppress(BrokenPipeError):  # it has ended
                self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
