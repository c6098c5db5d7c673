"""One user's part in the rollout of a rule: it is adopted, watched and rolled back in the log, like any other change.

Who has adopted a rule is in each user's log and nowhere else. So a rollout that was interrupted goes on by looking.
"""

from hashlib import sha256

from uac.errors import Moved
from uac.interfaces.fleet.partition import UserAnswer
from uac.memory.memory import Memory
from uac.project.project import Adopted, Project
from uac.schema.constraints import Constraint
from uac.schema.entries import Checkpoint
from uac.schema.patches import Adopt, Switch
from uac.schema.types import Json

__all__ = ["adopt_rule", "is_in_share", "roll_back_rule", "watch_rule"]

BY = "uac fleet adopt"
"""The author of an adoption, in the log: a rollback undoes these and leaves other people's alone."""


def is_in_share(rule: str, user: str, percent: float) -> bool:
    """Whether a user belongs to this share of all users. A larger share contains every smaller one of the same rule."""
    digest = sha256(f"{rule}\0{user}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < percent / 100 * 2**64


def adopt_rule(user: str, memory: Memory, constraint: Constraint) -> UserAnswer:
    """Adopt the rule with its cases, unless the user has it, or has retired a rule of that name."""
    while True:
        project = memory.project()
        state = _present_state(memory, project, constraint)
        if state:
            return {"user": user, "state": state}
        try:
            # Only if the log still ends where it was looked at: two rollouts at once adopt a rule once.
            with memory.once(after=project.position):
                position = memory.checkpoint([Adopt(constraint=constraint)], by=BY, reviewed=True)
        except Moved:
            continue
        return {"user": user, "state": "adopted", "position": position, "alerts": _alert_list(memory, constraint.name)}


def _present_state(memory: Memory, project: Project, constraint: Constraint) -> str:
    """Why the rule is not adopted now; "" if it is to be. A user's decision also holds for a new version."""
    if constraint.name in project.retired:
        return "retired by the user"
    adopted = project.constraints.get(constraint.name)
    if adopted is None:
        return ""
    if not adopted.is_on:
        return "" if _is_off_by_rollback(memory, adopted) else "switched off by the user"
    known = adopted.constraint
    return "already adopted" if (known.code, known.cases) == (constraint.code, constraint.cases) else ""


def _is_off_by_rollback(memory: Memory, adopted: Adopted) -> bool:
    """Whether the last one who switched the rule off was a rollback, and not the user."""
    decisions = [
        stored.entry.by
        for stored in memory.log.read(adopted.position)
        if isinstance(stored.entry, Checkpoint)
        and any(
            isinstance(patch, Switch) and patch.constraint == adopted.constraint.name for patch in stored.entry.patches
        )
    ]
    return decisions[-1:] == [BY]


def roll_back_rule(user: str, memory: Memory, name: str, why: str) -> UserAnswer:
    """Take back an adoption that a rollout made. The version before it, if there was one, is active again."""
    while True:
        project = memory.project()
        adopted = project.constraints.get(name)
        if adopted is None:
            return {"user": user, "state": "not adopted"}
        entry = next(iter(memory.log.read_at([adopted.position])), None)
        if entry is None or not isinstance(entry.entry, Checkpoint) or entry.entry.by != BY:
            return {"user": user, "state": "not from a rollout"}
        is_alone = len(entry.entry.patches) == 1
        if not is_alone and not adopted.is_on:
            return {"user": user, "state": "not adopted"}
        try:
            with memory.once(after=project.position):
                if is_alone:
                    position = memory.retract([adopted.position], why=why, reviewed=True)
                else:  # types that came with the rule may have records by now, so it is switched off instead
                    position = memory.checkpoint([Switch(constraint=name, on=False, why=why)], by=BY, reviewed=True)
        except Moved:
            continue
        return {"user": user, "state": "rolled back", "position": position}


def watch_rule(user: str, memory: Memory, name: str) -> UserAnswer:
    """Whether the user has the rule, and what it has raised that is still active, acknowledged, or failing."""
    project = memory.project()
    adopted = project.constraints.get(name)
    if adopted is None:
        return {"user": user, "state": "not adopted"}
    failing = {"failing": project.failures[name]} if name in project.failures else {}
    return {
        "user": user,
        "state": "on" if adopted.is_on else "off",
        "since": _adopted_on(memory, adopted),
        "alerts": _alert_list(memory, name),
        **failing,
    }


def _adopted_on(memory: Memory, adopted: Adopted) -> str:
    return next((stored.at.isoformat() for stored in memory.log.read_at([adopted.position])), "")


def _alert_list(memory: Memory, name: str) -> list[Json]:
    """The rule's active alerts, without those that only say that it could not be run."""
    project = memory.project()
    chosen = [alert for (constraint, _subject), alert in sorted(project.alerts.items()) if constraint == name]
    return [
        {
            "severity": alert.severity,
            "subject": alert.subject,
            "state": "active" if alert.state == "standing" else alert.state,
        }
        for alert in chosen
        if not alert.is_failure
    ]
