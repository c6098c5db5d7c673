"""A job: what is done for every user, and the worker that does a part of the users in its process."""

import json
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial
from typing import Literal

import msgspec

from uac.errors import UacError
from uac.interfaces.fleet.partition import Asker, Question, UserAnswer
from uac.interfaces.fleet.rollout import adopt_rule, roll_back_rule, watch_rule
from uac.log.clock import wall_clock
from uac.log.store import Store
from uac.log.stores import open_store
from uac.memory.memory import Memory
from uac.schema.constraints import Constraint, Unreviewed

__all__ = ["Job", "Part", "PartWorker", "RuleChange", "run_part_in_process", "use_process_for_parts"]


class RuleChange(msgspec.Struct, frozen=True, tag=True):
    """A step of a rollout, which is taken for every user through that user's log."""

    step: Literal["adopt", "rollback", "watch"]
    name: str
    constraint: Constraint | None = None
    why: str = ""
    unreviewed: Unreviewed = "mark"


class Job(msgspec.Struct, frozen=True):
    """The address of the store, and what is done. `at` is the time of everything, if it is not that of the clock."""

    store: str
    task: Question | RuleChange
    at: datetime | None = None


class Part(msgspec.Struct, frozen=True):
    """The result of one part: a line of JSON per user, in the order of the users."""

    number: int
    lines: bytes
    folded: int = 0
    """Users whose logs were folded."""
    seconds: float = 0.0

    def answers(self) -> list[UserAnswer]:
        return [json.loads(line) for line in self.lines.splitlines()]


class PartWorker:
    """Does parts of one job in this process. `store` is one that is open already; by default the job's."""

    def __init__(self, job: Job, store: Store | None = None) -> None:
        self._job = job
        self._own = open_store(job.store, create=False, clock=self._now) if store is None else None
        self._store = store or self._own
        assert self._store is not None
        self._asker = Asker(self._store, job.task) if isinstance(job.task, Question) else None

    def _now(self) -> datetime:
        return self._job.at or wall_clock()

    def run(self, number: int, users: Sequence[str]) -> Part:
        started = time.perf_counter()
        folded = self._asker.folded if self._asker else 0
        answers = self._asker.ask(users) if self._asker else [*map(self._change_rule, users)]
        folded = self._asker.folded - folded if self._asker else len(users)
        return Part(number, b"".join(map(_line, answers)), folded, time.perf_counter() - started)

    def _change_rule(self, user: str) -> UserAnswer:
        assert isinstance(self._job.task, RuleChange)
        assert self._store is not None
        try:
            log = self._store.log(user)
            with closing(Memory(log, unreviewed=self._job.task.unreviewed, clock=self._now)) as memory:
                return _rule_step(self._job.task)(user, memory)
        except UacError as error:
            return {"user": user, "error": type(error).__name__, "message": str(error)}

    def close(self) -> None:
        if self._asker:
            self._asker.close()
        if self._own is not None:
            self._own.close()


def _rule_step(task: RuleChange) -> Callable[[str, Memory], UserAnswer]:
    if task.step == "adopt":
        assert task.constraint is not None
        return partial(adopt_rule, constraint=task.constraint)
    return (
        partial(roll_back_rule, name=task.name, why=task.why)
        if task.step == "rollback"
        else partial(watch_rule, name=task.name)
    )


def _line(answer: UserAnswer) -> bytes:
    """One line of JSON. A lone surrogate, which UTF-8 cannot hold, is written as an escape."""
    return (json.dumps(answer, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


# --- in a process of its own ------------------------------------------------------------------------------------------

_WORKERS: dict[tuple[int, bytes], PartWorker] = {}
"""The worker of this process, for the job that it does: sessions and connections stay open between parts."""


def use_process_for_parts() -> None:
    """Called once in a process of a pool: Ctrl-C is for the process that has the terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run_part_in_process(job: bytes, number: int, users: Sequence[str]) -> Part:
    """Do one part in this process; `job` is the encoded job."""
    key = (os.getpid(), job)
    if key not in _WORKERS:
        for other in _WORKERS.values():
            other.close()
        _WORKERS.clear()
        _WORKERS[key] = PartWorker(msgspec.json.decode(job, type=Job))
    return _WORKERS[key].run(number, users)
