"""Options and fixtures that several test files share, and the hash seeds of the processes that run tests."""

import gc
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.checked_histories import CHECKED
from support.examples import load_profile
from support.importing import OPENED

if TYPE_CHECKING:
    from support.postgres_server import Server

FIRST_SEED = int(os.environ.get("HASH_SEED") or random.randrange(1, 2**31))
"""The hash seed of the first worker; each further worker has the next one, so no two agree on the order of a set."""
SEEDS: dict[str, str] = {}
HISTORIES: Counter[str] = Counter()
"""The random histories that all processes of tests have checked, by kind."""

# Tests start hundreds of processes. Without bytecode on disk each of them would compile the whole package again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")
    parser.addoption("--golden", action="store_true", help="renew golden files instead of comparing them")


def pytest_configure(config: pytest.Config) -> None:
    load_profile(slow=config.getoption("--slow"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow tests out without --slow: to set up, skip and report each of them takes its time, too."""
    if not config.getoption("--slow"):
        slow = [item for item in items if "slow" in item.keywords]
        items[:] = [item for item in items if "slow" not in item.keywords]
        config.hook.pytest_deselected(items=slow)


def pytest_collection_finish() -> None:
    # Thousands of tests and every module of the package stay until the end: no collection, and no fork, looks at them.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(specs: list[Any]) -> None:
    for number, spec in enumerate(specs):
        spec.env["PYTHONHASHSEED"] = SEEDS[spec.id or f"gw{number}"] = str(FIRST_SEED + number)


def pytest_sessionfinish(session: pytest.Session) -> None:
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["histories"] = dict(Counter(CHECKED))
    else:
        HISTORIES.update(CHECKED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    HISTORIES.update(getattr(node, "workeroutput", {}).get("histories", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if HISTORIES:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(HISTORIES.items()))
        terminalreporter.write_line(f"random histories checked: {HISTORIES.total():,} ({kinds})")
    seeds = SEEDS or {"this process": os.environ.get("PYTHONHASHSEED", "random")}
    listed = ", ".join(f"{seed} ({worker})" for worker, seed in seeds.items())
    again = f"; HASH_SEED={FIRST_SEED} repeats them" if SEEDS else ""
    terminalreporter.write_line(f"hash seeds: {listed}{again}")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store that the commands find by themselves, in a folder of its own, which is also the current one."""
    path = tmp_path / "memory.db"
    monkeypatch.setenv("UAC_STORE", str(path))
    monkeypatch.chdir(tmp_path)
    yield path
    OPENED.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator["Server"]:
    """A PostgreSQL server for tests that need a database of their own and leave the server as it is."""
    from support.postgres_server import running_server

    with running_server() as server:
        yield server
