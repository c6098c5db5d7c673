"""Which alerts stand, and what changes them. Pure: what constraints found goes in, changes for the log come out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from immutables import Map

from uac.constraints import Severity
from uac.entries import AlertChange

__all__ = ["SEVERITIES", "Alert", "Alerts", "Failed", "Found", "Ran", "after", "changes", "in_order"]

SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")

State = Literal["standing", "acknowledged", "snoozed"]


@dataclass(frozen=True, slots=True)
class Found:
    """One alert as a constraint returned it. Two of one subject are one alert."""

    subject: str
    severity: Severity
    message: str
    records: tuple[str, ...] = ()
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """A constraint that gave no result, and why. What it read may stand in the reason."""

    why: str
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ran:
    """What a constraint found, and when it must be run again though nothing changed; None: on every tick."""

    found: tuple[Found, ...]
    again: datetime | None = None


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert that stands. `raised` is the position of the entry that raised it, `since` the time it was raised at."""

    constraint: str
    subject: str
    severity: Severity
    message: str
    records: tuple[str, ...]
    cites: tuple[int, ...]
    raised: int
    since: datetime
    is_reviewed: bool = True
    state: State = "standing"
    until: datetime | None = None
    why: str = ""

    def is_quiet(self, now: datetime | None) -> bool:
        """Whether somebody has seen it and does not want to be told again now."""
        if self.state == "snoozed":
            return self.until is not None and (now is None or now < self.until)
        return self.state == "acknowledged"


Alerts: TypeAlias = Map[tuple[str, str], Alert]


def changes(
    alerts: Alerts,
    results: Mapping[str, Ran | Failed],
    *,
    failures: Mapping[str, str],
    unreviewed: frozenset[str],
    timely: frozenset[str],
    now: datetime,
) -> list[AlertChange]:
    """What turns the standing alerts into those that were found; nothing if they are the same.

    `results` has the constraints that were run; alerts of all others stay as they are. Those in `timely` were run
    because time passed: what they no longer find has expired, where a change of the records would have cleared it.
    """
    made: list[AlertChange] = []
    by_constraint = _by_constraint(alerts)
    for name in sorted(results):
        result, standing = results[name], by_constraint.get(name, {})
        if isinstance(result, Failed):
            if failures.get(name) != result.why:
                made.append(
                    AlertChange(
                        change="failed", constraint=name, severity="warning", message=result.why, cites=result.cites
                    )
                )
            continue
        if name in failures:
            made.append(AlertChange(change="cleared", constraint=name))
        for found in result.found:
            made += _found(standing.get(found.subject), found, name, is_reviewed=name not in unreviewed, now=now)
        subjects = {found.subject for found in result.found}
        gone: Literal["expired", "cleared"] = "expired" if name in timely else "cleared"
        made += [
            AlertChange(change=gone, constraint=name, subject=subject, severity=alert.severity, cites=alert.cites)
            for subject, alert in sorted(standing.items())
            if subject not in subjects
        ]
    return made


def _found(old: Alert | None, found: Found, name: str, *, is_reviewed: bool, now: datetime) -> list[AlertChange]:
    """The change that brings an alert to what was found. One whose rest is over is told again."""
    if old is not None:
        rested = old.state == "snoozed" and not old.is_quiet(now)
        new = (found.severity, found.message, found.records, is_reviewed)
        if (old.severity, old.message, old.records, old.is_reviewed) == new and not rested:
            return []
    return [
        AlertChange(
            change="raised" if old is None else "updated",
            constraint=name,
            subject=found.subject,
            severity=found.severity,
            message=found.message,
            records=found.records,
            cites=found.cites,
            is_reviewed=is_reviewed,
        )
    ]


def after(alerts: Alerts, change: AlertChange, *, position: int, now: datetime) -> Alerts:
    """The alerts that stand after a change."""
    key = (change.constraint, change.subject)
    old = alerts.get(key)
    match change.change:
        case "raised":
            return alerts.set(key, _alert(change, position, now))
        case "updated":
            if old is None:  # what raised it was erased
                return alerts.set(key, _alert(change, position, now))
            kept = old.is_quiet(now) and SEVERITIES.index(change.severity) >= SEVERITIES.index(old.severity)
            new = replace(_alert(change, old.raised, old.since), why=old.why)
            return alerts.set(key, replace(new, state=old.state, until=old.until) if kept else new)
        case "cleared" | "expired":
            return alerts if old is None else alerts.delete(key)
        case "acknowledged" | "snoozed":
            if old is None:
                return alerts
            return alerts.set(key, replace(old, state=change.change, until=change.until, why=change.why))
        case "failed":
            return alerts


def in_order(alerts: Alerts) -> list[Alert]:
    """The most severe first, then the oldest."""
    return sorted(
        alerts.values(),
        key=lambda alert: (SEVERITIES.index(alert.severity), alert.raised, alert.constraint, alert.subject),
    )


def _alert(change: AlertChange, position: int, now: datetime) -> Alert:
    return Alert(
        constraint=change.constraint,
        subject=change.subject,
        severity=change.severity,
        message=change.message,
        records=change.records,
        cites=change.cites,
        raised=position,
        since=now,
        is_reviewed=change.is_reviewed,
    )


def _by_constraint(alerts: Alerts) -> dict[str, dict[str, Alert]]:
    grouped: dict[str, dict[str, Alert]] = {}
    for (constraint, subject), alert in alerts.items():
        grouped.setdefault(constraint, {})[subject] = alert
    return grouped
