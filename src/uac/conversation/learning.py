"""From conversation to records: when learning is due and what it did. `learning_tasks.py` has the requests,
`learning_replies.py` reads the replies, and `memory/learner.py` asks and writes.

Who answers does not matter: an agent with `pending` and `answer`, a vendor's model or recorded replies go the same way.
All state is in the log, so work can stop after any call and go on in another process.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from uac.conversation.learning_tasks import (
    LearningView,
    facts_without_task,
    task_batch,
)
from uac.log.log import Log
from uac.models.requests_and_replies import Reply, Request
from uac.project.project import Project
from uac.schema.entries import AlertChange, Fact, Finding, ModelCall

__all__ = [
    "Cadence",
    "Learned",
    "Outcome",
    "is_learning_due",
    "is_learning_urgent",
    "stuck_calls",
]

URGENT = frozenset({"health", "finance", "travel", "calendar"})


class Cadence(NamedTuple):
    """When facts become records: at `facts` facts, after `minutes` of waiting, or at once if one is urgent."""

    facts: int = 20
    minutes: int = 30


class Outcome(NamedTuple):
    """The result of one reply."""

    request: Request
    reply: Reply
    facts: tuple[int, ...] = ()
    """The positions of the facts taken from it."""
    checkpoint: int = 0
    """The position of the checkpoint made from it; 0 if there is none."""
    findings: tuple[Finding, ...] = ()
    is_open: bool = False
    """Whether the request is repeated, so that the model can fix the findings."""
    echoes: int = 0
    alerts: tuple[AlertChange, ...] = ()
    overruled: tuple[str, ...] = ()
    """Values that were kept without effect, because a more trusted source says otherwise."""


class Learned(NamedTuple):
    """The outcomes of a run of the loop, and why it stopped early, if it did."""

    outcomes: tuple[Outcome, ...] = ()
    stopped: str = ""
    because: Literal["", "no model", "budget", "unreachable", "no verdict"] = ""

    def __repr__(self) -> str:
        stopped = f", stopped: {self.stopped}" if self.stopped else ""
        return f"<Learned: {len(self.outcomes)} replies, {self.facts} facts{stopped}>"

    @property
    def facts(self) -> int:
        return sum(len(outcome.facts) for outcome in self.outcomes)


def stuck_calls(project: Project, log: Log) -> list[int]:
    """Where the calls are that asked about what is stuck now; without them it is asked again.

    A fact that is in a record is asked about again only because of a refused patch: the first call with that finding
    is left out.
    """
    stuck = project.progress.stuck
    used = {position for position in stuck if position in project.used or position in project.aside}
    found: list[int] = []
    for stored in log.read(min(stuck, default=project.position + 1)):
        call = stored.entry
        if not isinstance(call, ModelCall) or call.step not in ("extract", "checkpoint"):
            continue
        if stored.position in project.gone or not any(position in stuck for position in call.answers):
            continue
        if named := used.intersection(position for finding in call.findings for position in finding.positions):
            used -= named
        else:
            found.append(stored.position)
    return found


def is_learning_due(view: LearningView, cadence: Cadence, now: datetime | None) -> bool:
    """Whether waiting facts are to be put into records now."""
    batch = task_batch(view, facts_without_task(view.project), whole=True)
    if len(batch) >= cadence.facts or is_learning_urgent([item.fact for item in batch]):
        return True
    return now is not None and any(now - item.said >= timedelta(minutes=cadence.minutes) for item in batch)


def is_learning_urgent(facts: Collection[Fact]) -> bool:
    return any(fact.topic in URGENT for fact in facts)
