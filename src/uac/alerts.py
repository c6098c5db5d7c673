"""Which alerts stand, and what changes them. Pure: what constraints found goes in, changes for the log come out."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from immutables import Map

from uac.constraints import Severity
from uac.entries import AlertChange

__all__ = [
    "MAX_SUBJECT",
    "NOT_CHECKED",
    "SEVERITIES",
    "Alert",
    "Alerts",
    "Failed",
    "Failure",
    "Found",
    "Ran",
    "after",
    "changes",
    "in_order",
]

SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")

NOT_CHECKED = "not checked"
"""The subject of an alert that says that a constraint could not be run; with the record, if it is only about one."""

MAX_SUBJECT = 300

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
class Failure:
    """Why a constraint gave no result: for one record and at which field of it, or for all of them.

    What the constraint read may be repeated in the reason.
    """

    why: str
    severity: Severity
    record: str = ""
    field: str = ""
    cites: tuple[int, ...] = ()

    @property
    def subject(self) -> str:
        return f"{NOT_CHECKED}: {self.record}"[:MAX_SUBJECT] if self.record else NOT_CHECKED


@dataclass(frozen=True, slots=True)
class Failed:
    """A constraint that gave no result at all."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class Ran:
    """What a constraint found, when it must be run again though nothing changed (None: on every tick), and the records
    that it could not be run for."""

    found: tuple[Found, ...]
    again: datetime | None = None
    failures: tuple[Failure, ...] = ()


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
    is_failure: bool = False
    """Whether it says that the constraint itself could not be run."""

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
    failures: Collection[str],
    unreviewed: frozenset[str],
    timely: frozenset[str],
    now: datetime,
) -> list[AlertChange]:
    """What turns the standing alerts into those that were found; nothing if they are the same.

    `results` has the constraints that were run; alerts of all others stay as they are. Those in `timely` were run
    because time passed: what they no longer find has expired, where a change of the records would have cleared it.
    Those in `failures` are known to fail; one that is not, such as a new version, says so though its alert is the same.
    """
    made: list[AlertChange] = []
    by_constraint = _by_constraint(alerts)
    for name in sorted(results):
        result, standing = results[name], by_constraint.get(name, {})
        is_reviewed = name not in unreviewed
        failed = (result.failure,) if isinstance(result, Failed) else result.failures
        for failure in failed:
            old = standing.get(failure.subject) if name in failures else None
            made += _failed(old, failure, name, is_reviewed=is_reviewed)
        found = () if isinstance(result, Failed) else result.found
        for each in found:
            made += _found(standing.get(each.subject), each, name, is_reviewed=is_reviewed, now=now)
        subjects = {each.subject for each in found} | {failure.subject for failure in failed}
        gone: Literal["expired", "cleared"] = "expired" if name in timely else "cleared"
        made += [
            AlertChange(
                change="cleared" if alert.is_failure else gone,
                constraint=name,
                subject=subject,
                severity=alert.severity,
                cites=alert.cites,
            )
            for subject, alert in sorted(standing.items())
            if subject not in subjects and _is_over(alert, result)
        ]
    return made


def _is_over(alert: Alert, result: Ran | Failed) -> bool:
    """Whether an alert that was not found again is over: not if the constraint could not look at its records."""
    if isinstance(result, Failed):
        return alert.is_failure
    unchecked = {failure.record for failure in result.failures}
    return alert.is_failure or unchecked.isdisjoint(alert.records)


def _failed(old: Alert | None, failure: Failure, name: str, *, is_reviewed: bool) -> list[AlertChange]:
    message = failure_message(name, failure)
    if old is not None and (old.severity, old.message) == (failure.severity, message):
        return []
    return [
        AlertChange(
            change="failed",
            constraint=name,
            subject=failure.subject,
            severity=failure.severity,
            message=message,
            records=(failure.record,) if failure.record else (),
            cites=failure.cites,
            is_reviewed=is_reviewed,
            why=failure.why,
        )
    ]


def failure_message(name: str, failure: Failure) -> str:
    """What a failure means for whoever depends on the rule, and what to do about it."""
    if not failure.record:
        return (
            f"The rule {name} could not run, so what it watches for is not checked: {failure.why}."
            f" Its earlier alerts stay as they were. See `uac constraints why {name}`."
        )
    at = f" (field {failure.field})" if failure.field else ""
    return (
        f"The rule {name} could not check {failure.record}{at}: {failure.why}. It is checked for all other records."
        " Correct this record, or drop it."
    )


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
            kept = old.is_quiet(now) and not _is_worse(change.severity, old.severity)
            new = replace(_alert(change, old.raised, old.since), why=old.why)
            return alerts.set(key, replace(new, state=old.state, until=old.until) if kept else new)
        case "cleared" | "expired":
            if not change.subject:  # as logs had it before a failure was an alert
                return _without_failures(alerts, change.constraint)
            return alerts if old is None else alerts.delete(key)
        case "acknowledged" | "snoozed":
            if old is None:
                return alerts
            return alerts.set(key, replace(old, state=change.change, until=change.until, why=change.why))
        case "failed":
            key = (change.constraint, change.subject or NOT_CHECKED)
            old = alerts.get(key)
            new = _alert(change, position if old is None else old.raised, now if old is None else old.since)
            new = replace(new, subject=key[1], is_failure=True)
            kept = old is not None and old.is_quiet(now) and not _is_worse(change.severity, old.severity)
            return alerts.set(key, replace(new, state=old.state, until=old.until) if old and kept else new)


def _is_worse(severity: Severity, than: Severity) -> bool:
    return SEVERITIES.index(severity) < SEVERITIES.index(than)


def _without_failures(alerts: Alerts, constraint: str) -> Alerts:
    key = (constraint, NOT_CHECKED)
    return alerts.delete(key) if key in alerts else alerts


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
