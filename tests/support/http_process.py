"""`uac serve` in a process of its own."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.http_service import LONG


@dataclass
class Process:
    """`uac serve` in a process of its own."""

    running: subprocess.Popen[str]
    address: str
    said: list[str]
    """What it had printed to standard error when it served."""
    rest: str = field(default="")

    def end(self, number: signal.Signals) -> int:
        self.running.send_signal(number)
        _out, self.rest = self.running.communicate(timeout=LONG)
        return self.running.returncode


@contextmanager
def uac_serve(store: Path | str, *options: str, **settings: str) -> Iterator[Process]:
    command = [sys.executable, "-m", "uac", "serve", "--store", str(store), "--port", "0", *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("UAC_", "OTEL_"))}
    environment |= {"UAC_EMBEDDER": "none", **settings}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        said: list[str] = []
        try:
            for line in running.stderr:
                said.append(line.rstrip("\n"))
                if found := re.match(r"serving at (\S+)$", line):
                    said += [running.stderr.readline().rstrip("\n") for _ in range(1 if "--no-learn" in options else 2)]
                    yield Process(running, found[1], said)
                    break
            else:
                raise AssertionError(f"it did not start: {said}")
        finally:
            running.kill()


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}
