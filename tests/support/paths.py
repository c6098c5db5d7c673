"""Where things are in the repository, so that a test file can move."""

import os
from pathlib import Path

__all__ = ["BENCH_DATA", "EXAMPLES", "ROOT", "SOURCE", "TESTS"]

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
SOURCE = ROOT / "src" / "uac"
EXAMPLES = ROOT / "examples"
BENCH_DATA = Path(os.environ.get("UAC_BENCH_DATA") or ROOT.parent / "shared" / "bench")
"""The evaluation data, which is not part of the repository. Tests that need it skip without it."""
