"""Where no sandbox can be had, nothing runs and every answer says why."""

from datetime import UTC, datetime

import pytest

from uac.errors import SandboxError
from uac.sandbox.missing import MissingSandbox
from uac.sandbox.port import Sandbox
from uac.schema.diagnostics import Diagnostic

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def test_a_missing_sandbox_runs_nothing_and_says_why() -> None:
    sandbox: Sandbox = MissingSandbox("no engine here")
    for run in (
        lambda: sandbox.session(now=NOW),
        lambda: sandbox.restore(b"", now=NOW),
        lambda: sandbox.type_errors("1", ""),
    ):
        with pytest.raises(SandboxError, match=r"^no engine here$"):
            run()
    assert sandbox.unsupported("1") == "no engine here"
    assert sandbox.findings() == (Diagnostic("problem", "no engine here"),)
    sandbox.close()
