"""What the tests of the sandboxes share: a moment, short limits, and the skip where there is no process sandbox."""

from datetime import UTC, datetime

import pytest

from uac.sandbox import available
from uac.sandbox.port import Limits

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUICK = Limits(seconds=0.5, memory_mb=256)

needs_process = pytest.mark.skipif("process" not in available(), reason="the process sandbox needs Linux")
