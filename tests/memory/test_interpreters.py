"""The interpreters of a memory: opened once, closed, and absent where there is no sandbox."""

import os
from datetime import UTC, datetime

import pytest

from support.constraints import ALLERGIES, watched
from uac import Memory
from uac.errors import SandboxError
from uac.log.stores.in_memory import MemoryStore
from uac.memory import interpreters as interpreters_module
from uac.memory.interpreters import Interpreters
from uac.project.project import EMPTY_PROJECT
from uac.sandbox import MissingSandbox, shared_sandbox

NOW = datetime(2026, 1, 10, tzinfo=UTC)


def no_sandbox() -> None:
    raise SandboxError("no sandbox on this machine")


def test_an_interpreter_is_opened_once_and_another_after_closing() -> None:
    interpreters = Interpreters(None, "mark")
    assert interpreters.sandbox is shared_sandbox()
    assert interpreters.computer() is interpreters.computer()
    assert interpreters.watch() is interpreters.watch()
    assert interpreters.computer().run(EMPTY_PROJECT, "1 + 1", now=NOW).value == 2
    interpreters.close()
    assert interpreters.computer().run(EMPTY_PROJECT, "1 + 2", now=NOW).value == 3
    interpreters.close()


def test_a_given_sandbox_is_used() -> None:
    given = MissingSandbox("given")
    assert Interpreters(given, "mark").sandbox is given


def test_where_no_sandbox_runs_words_are_kept_and_a_query_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreters_module, "shared_sandbox", no_sandbox)
    memory = Memory(MemoryStore().log("ana"), packs=(), embedder=None)
    assert memory.add("I cannot eat nuts", said=NOW) == 1
    assert isinstance(memory.sandbox, MissingSandbox)
    with pytest.raises(SandboxError, match="no sandbox on this machine"):
        memory.compute("1")


def test_where_no_sandbox_runs_a_constraint_fails_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    log = MemoryStore().log("ana")
    watched(ALLERGIES, log=log).close()
    monkeypatch.setattr(interpreters_module, "shared_sandbox", no_sandbox)
    memory = Memory(log, packs=(), embedder=None)
    memory.put("health.Allergy", {"substance": "nuts"})
    assert [(alert.constraint, alert.is_failure) for alert in memory.alerts()] == [("allergies", True)]
    assert "no sandbox on this machine" in memory.alerts()[0].message


def test_after_a_fork_the_interpreters_of_the_parent_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    interpreters = Interpreters(None, "mark")
    of_parent = (interpreters.computer(), interpreters.watch())
    parent = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    assert interpreters.computer() is not of_parent[0]
    assert interpreters.watch() is not of_parent[1]
    interpreters.close()
    of_parent[0].close()
