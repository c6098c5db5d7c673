"""Options and fixtures that several test files share."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")
    parser.addoption("--golden", action="store_true", help="renew golden files instead of comparing them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        skip = pytest.mark.skip(reason="takes minutes; run with --slow (make test-slow)")
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(skip)
