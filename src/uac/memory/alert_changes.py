"""Entries that change alerts: a tick advances the time, and a person marks or snoozes one alert."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from uac.constraints.acceptance import Plan
from uac.constraints.ahead import AheadStart
from uac.constraints.runner import due_constraints
from uac.errors import Refused
from uac.project.alerts import Alert
from uac.project.project import Project
from uac.project.type_suggestions import similar_constraints
from uac.schema.entries import AlertChange, Tick

__all__ = ["change_of_alert", "plan_tick"]


def plan_tick(start: AheadStart, moment: datetime, *, is_clock_time: bool) -> Plan:
    """A tick to that moment, if a constraint depends on it. A clock behind the last tick changes nothing."""
    project = start.project
    if moment.tzinfo is None:
        raise Refused(f"now is {moment.isoformat()}, without a time zone. Use one such as +02:00 or Z.")
    if project.now is not None and moment < project.now:
        if is_clock_time:  # another process's clock is ahead
            return Plan(needs_changes=True)
        raise Refused(f"now is {moment.isoformat()}, before the last tick. Use {project.now.isoformat()} or later.")
    later = replace(project, now=moment)
    is_due = bool(due_constraints(later) or project.unwatched or project.rechecks or project.failures)
    return Plan(entries=(Tick(now=moment),) if is_due else (), needs_changes=True)


def change_of_alert(project: Project, change: Any, constraint: str, subject: str, **more: Any) -> AlertChange:
    """The entry that changes the one alert of the constraint that is about the subject, or a part of it."""
    alert = _alert_about(project, constraint, subject)
    return AlertChange(
        change=change,
        constraint=constraint,
        subject=alert.subject,
        severity=alert.severity,
        cites=alert.cites,
        is_failure=alert.is_failure,
        **more,
    )


def _alert_about(project: Project, constraint: str, subject: str) -> Alert:
    mine = {about: alert for (name, about), alert in project.alerts.items() if name == constraint}
    chosen = [mine[subject]] if subject in mine else [alert for about, alert in mine.items() if subject in about]
    if len(chosen) == 1:
        return chosen[0]
    if not mine:
        near = similar_constraints(constraint, {name for name, _about in project.alerts}, project.alerts)
        remedy = f"Did you mean {' or '.join(near)}?" if near else "List the active ones with 'uac alerts'."
        raise Refused(f"No alert of {constraint} is active. {remedy}")
    listed = ", ".join(map(repr, sorted(mine)))
    raise Refused(f"No single alert of {constraint} is about {subject!r}. Use one of these subjects: {listed}.")
