"""Both engines, and the choice between them, pass the contract."""

from collections.abc import Iterator

import pytest

from support.sandboxes import NOW, needs_process
from uac.errors import SandboxError
from uac.sandbox import available, open_sandbox
from uac.sandbox.port import Sandbox, SandboxSession
from uac.testing import SandboxContract


class TestMonty(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls) -> Iterator[Sandbox]:
        sandbox = open_sandbox("monty")
        yield sandbox
        sandbox.close()


@needs_process
class TestProcess(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls) -> Iterator[Sandbox]:
        sandbox = open_sandbox("process")
        yield sandbox
        sandbox.close()


class TestAuto(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls) -> Iterator[Sandbox]:
        sandbox = open_sandbox("auto")
        yield sandbox
        sandbox.close()


def test_the_engines_have_names() -> None:
    assert set(available()) <= {"monty", "process"}
    with pytest.raises(SandboxError, match="No sandbox 'pyodide'"):
        open_sandbox("pyodide")


@pytest.mark.parametrize("name", [*available(), "auto"])
def test_closing_a_sandbox_ends_its_sessions(name: str) -> None:
    sandbox = open_sandbox(name)
    session = sandbox.session(now=NOW)
    session.run("x = 1")
    sandbox.close()
    assert not session.alive
    with pytest.raises(SandboxError, match="over"):
        session.run("x")


def test_warnings_of_the_compiler_are_not_printed(in_process: SandboxSession, in_monty: SandboxSession) -> None:
    for session in (in_process, in_monty):
        assert session.run("import re\nlen(re.findall('\\d', 'a1'))").printed == ""
