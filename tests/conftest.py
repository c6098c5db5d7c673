"""Options and fixtures that several test files share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from support.importing import OPENED

# No test is about time: a busy machine must not fail one.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")
    parser.addoption("--golden", action="store_true", help="renew golden files instead of comparing them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        skip = pytest.mark.skip(reason="takes minutes; run with --slow (make test-slow)")
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(skip)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store that the commands find by themselves, in a folder of its own, which is also the current one."""
    path = tmp_path / "memory.db"
    monkeypatch.setenv("UAC_STORE", str(path))
    monkeypatch.chdir(tmp_path)
    yield path
    OPENED.close()
