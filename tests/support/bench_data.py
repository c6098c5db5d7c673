"""Where the evaluation data lies: beside the project, or where UAC_BENCH_DATA says. It is never part of the project."""

from pathlib import Path

import pytest

from support.paths import BENCH_DATA


def bench_data(name: str) -> Path:
    """The folder or file of that name; the test is skipped if it is not there."""
    folder = BENCH_DATA
    if not (folder / name).exists():
        pytest.skip(f"needs the evaluation data {name} in {folder} (UAC_BENCH_DATA names another folder)")
    return folder / name
