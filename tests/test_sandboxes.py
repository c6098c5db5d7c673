"""x"""
from collections.abc import Iterator

import pytest

from uac.sandbox import Sandbox
from uac.sandboxes import open_sandbox
from uac.testing.sandbox import SandboxContract


class TestMonty(SandboxContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sandbox(cls) -> Iterator[Sandbox]:
        sandbox = open_sandbox("monty")
        yield sandbox
        sandbox.close()


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
