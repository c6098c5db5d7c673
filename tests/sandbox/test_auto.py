"""The choice between the engines: a session moves from Monty to the process when it must."""

from collections.abc import Iterator

import pytest

from support.sandboxes import NOW
from uac.errors import CodeError, SandboxError
from uac.sandbox.auto import AutoSandbox
from uac.sandbox.linux.process_sandbox import ProcessSandbox
from uac.sandbox.monty import MontySandbox
from uac.sandbox.port import Sandbox, SandboxSession


@pytest.fixture
def auto(monty: MontySandbox, process: ProcessSandbox) -> Iterator[SandboxSession]:
    session = AutoSandbox(monty, lambda: process).session(now=NOW, seed=5)
    yield session
    session.close()


INHERITS = "class Base:\n    pass\nclass Child(Base):\n    x = 1\n"


def test_a_session_stays_with_monty_while_it_can(auto: SandboxSession) -> None:
    auto.run("x = 1")
    with pytest.raises(CodeError):
        auto.run("1 / 0")
    assert auto.snapshot() is not None


def test_code_that_monty_lacks_runs_in_the_process_with_all_names(auto: SandboxSession) -> None:
    auto.run("x = [n for n in rows]\nprint('once')", {"rows": [1, 2, 3]})
    with pytest.raises(CodeError):
        auto.run("y = 10\n1 / 0")
    outcome = auto.run(INHERITS + "print('now')\nsum(x) + y + Child.x")
    assert (outcome.value, outcome.printed) == (17, "now\n")
    assert auto.snapshot() is None
    assert auto.run("sum(x)").value == 6


def test_a_gap_found_while_running_moves_the_session_too(auto: SandboxSession) -> None:
    auto.run("from datetime import date\nday = date(2024, 12, 30)\ncount = 0")
    assert auto.run("count = count + 1\nday.isocalendar().week").value == 1
    assert auto.run("count").value == 1


def test_chance_goes_on_after_a_move_as_before(auto: SandboxSession, process: ProcessSandbox) -> None:
    auto.run("import random\nfirst = random.random()")
    auto.run(INHERITS)
    alone = process.session(now=NOW, seed=5)
    code = "import random\nrandom.random()"
    alone.run(code)
    assert auto.run(code).value == alone.run(code).value
    alone.close()


def test_an_error_after_the_move_is_that_of_python(auto: SandboxSession) -> None:
    with pytest.raises(CodeError) as failed:
        auto.run(INHERITS + "raise KeyError('x')")
    assert (failed.value.kind, failed.value.line) == ("KeyError", 5)


def test_without_a_second_engine_the_construct_is_named(monty: MontySandbox) -> None:
    def none() -> Sandbox:
        raise SandboxError("there is no process sandbox here")

    sandbox = AutoSandbox(monty, none)
    assert sandbox.unsupported(INHERITS) == "class inheritance"
    session = sandbox.session(now=NOW)
    session.run("x = 1")
    with pytest.raises(CodeError, match="does not have class inheritance") as failed:
        session.run(INHERITS)
    assert failed.value.kind == "NotImplementedError"
    assert session.run("x").value == 1
    assert [finding.level for finding in sandbox.findings()][-1] == "note"
    session.close()
