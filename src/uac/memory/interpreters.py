"""The interpreters of one memory: one for queries, one for reviewed constraints, one for the others."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from uac.errors import SandboxError
from uac.project.project import Project
from uac.sandbox import MissingSandbox, shared_sandbox
from uac.sandbox.compute import Computer
from uac.sandbox.port import Sandbox
from uac.schema.constraints import Unreviewed

if TYPE_CHECKING:  # queries need none of it
    from uac.constraints.runner import Watch

__all__ = ["Interpreters"]


class Interpreters:
    """Opens interpreters when they are first needed, and keeps the project loaded in them."""

    def __init__(self, sandbox: Sandbox | None, unreviewed: Unreviewed) -> None:
        self._given_sandbox = sandbox
        self._unreviewed: Unreviewed = unreviewed
        self._owner = os.getpid()
        self._computer: Computer | None = None
        self._rules: Computer | None = None  # for reviewed constraints only
        self._unreviewed_rules: Computer | None = None  # for the others only
        self._watch: Watch | None = None

    @property
    def sandbox(self) -> Sandbox:
        """Runs constraints and queries; opened on first use."""
        if self._given_sandbox is not None:
            return self._given_sandbox
        try:
            return shared_sandbox()
        except SandboxError as error:  # observations must be stored anyway; constraints fail with the reason
            return MissingSandbox(str(error))

    def computer(self) -> Computer:
        """Runs queries."""
        self._forget_forked()
        if self._computer is None:
            sandbox = self.sandbox
            if isinstance(sandbox, MissingSandbox):
                return Computer(sandbox)
            self._computer = Computer(sandbox)
        return self._computer

    def watch(self) -> "Watch":
        """Runs constraints."""
        from uac.constraints.runner import Watch

        self._forget_forked()
        sandbox = self.sandbox
        if isinstance(sandbox, MissingSandbox):
            return Watch(Computer(sandbox), Computer(sandbox), unreviewed=self._unreviewed)
        if self._watch is None:
            self._rules = Computer(sandbox, trusted=True)
            self._unreviewed_rules = Computer(sandbox)
            self._watch = Watch(self._rules, self._unreviewed_rules, unreviewed=self._unreviewed)
        return self._watch

    @contextmanager
    def separate_watch(self) -> "Iterator[Watch]":
        """Runs constraints in sessions of its own: a project that is only foreseen never stays loaded."""
        from uac.constraints.runner import Watch

        with closing(Computer(self.sandbox, trusted=True)) as rules, closing(Computer(self.sandbox)) as others:
            yield Watch(rules, others, unreviewed=self._unreviewed)

    def follow(self, ahead: Project, project: Project) -> None:
        """Keep a project loaded ahead of its append, which is now `project`."""
        for computer in self._open_computers():
            computer.follow(ahead, project)

    def close(self) -> None:
        """Release the interpreters; others are opened on demand."""
        for computer in self._open_computers():
            computer.close()

    def _open_computers(self) -> list[Computer]:
        mine = (self._computer, self._rules, self._unreviewed_rules)
        return [computer for computer in mine if computer is not None]

    def _forget_forked(self) -> None:
        if self._owner != os.getpid():  # forked: the loaded sessions belong to the other process
            self._owner, self._watch = os.getpid(), None
            self._computer = self._rules = self._unreviewed_rules = None
