"""Where the evaluation data lies: beside the project, or where UAC_BENCH_DATA says. It is never part of the project."""

import os
from pathlib import Path

import pytest


def bench_data(name: str) -> Path:
    """The folder or file of that name; the test is skipped if it is not there."""
    folder = Path(os.environ.get("UAC_BENCH_DATA") or Path(__file__).parents[2] / "shared" / "bench")
    if not (folder / name).exists():
        pytest.skip(f"needs the evaluation data {name} in {folder} (UAC_BENCH_DATA names another folder)")
    return folder / name
