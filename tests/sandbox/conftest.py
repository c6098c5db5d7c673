"""The engines, opened once for all test files, and a session in each."""

from collections.abc import Iterator

import pytest

from support.sandboxes import NOW
from uac.sandbox import available
from uac.sandbox.linux.process_sandbox import ProcessSandbox
from uac.sandbox.monty import MontySandbox
from uac.sandbox.port import SandboxSession


@pytest.fixture(scope="session")
def monty() -> Iterator[MontySandbox]:
    sandbox = MontySandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def in_monty(monty: MontySandbox) -> Iterator[SandboxSession]:
    session = monty.session(now=NOW)
    yield session
    session.close()


@pytest.fixture(scope="session")
def process() -> Iterator[ProcessSandbox]:
    if "process" not in available():
        pytest.skip("the process sandbox needs Linux")
    sandbox = ProcessSandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def in_process(process: ProcessSandbox) -> Iterator[SandboxSession]:
    session = process.session(now=NOW)
    yield session
    session.close()
