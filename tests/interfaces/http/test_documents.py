"""docs/guides/http.md: its commands, run in order against a service that `uac serve` starts, print what stands there."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.documents import steps
from support.http_process import Process, uac_serve
from support.paths import ROOT
from uac.interfaces.http.middleware import ServiceLimits
from uac.interfaces.service.api_keys import RIGHTS

TEXT = (ROOT / "docs" / "guides" / "http.md").read_text()
PORT = "8311"


def blocks() -> Iterator[tuple[str, str]]:
    for found in re.finditer(r"^```(shell-session|py)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        yield found[1], found[2]


@pytest.mark.skipif(shutil.which("curl") is None, reason="the document asks with curl, which is not here")
def test_the_blocks_run_in_order_and_print_what_they_show(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("UAC_", "OTEL_"))}
    environment |= {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "UAC_STORE": str(store),
        "UAC_EMBEDDER": "none",
        "NO_PROXY": "*",
    }
    served: Process | None = None
    with ExitStack() as stack:
        for kind, block in blocks():
            if kind == "py":
                run([sys.executable, "-c", in_use(block, served)], tmp_path, environment, expected="")
                continue
            for command, expected in steps(block):
                if command == "uac serve":
                    served = stack.enter_context(uac_serve(store))
                    check(in_use(expected, served), "\n".join(served.said), command)
                else:
                    run(["bash", "-c", in_use(command, served)], tmp_path, environment, expected=expected)
        assert served is not None
        assert served.end(signal.SIGTERM) == 0
        assert served.rest == ""


def in_use(text: str, served: Process | None) -> str:
    """The text with the port that is served in place of the usual one, which may be taken."""
    return text if served is None else text.replace(PORT, served.address.rpartition(":")[2])


def run(command: list[str], folder: Path, environment: dict[str, str], *, expected: str) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    check(expected, done.stdout + done.stderr, command[-1])


def check(expected: str, shown: str, command: str) -> None:
    pattern = ".*".join(re.escape(piece) for piece in expected.split("…"))
    assert re.fullmatch(pattern, shown.rstrip("\n"), re.DOTALL), (
        f"$ {command}\n{shown}\n--- but the document shows\n{expected}"
    )


def test_the_rights_and_limits_of_the_document_are_those_of_the_service() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \| ", TEXT, re.MULTILINE)) == RIGHTS
    defaults = ServiceLimits()
    assert f"| {defaults.body // 2**20} MiB |" in TEXT
    assert f"| {defaults.patience:g} s |" in TEXT
    assert f"(`--connections`) | {defaults.at_once} |" in TEXT
    assert f"| {defaults.streams:,} |" in TEXT
