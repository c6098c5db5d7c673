"""Changes of alerts. Pure: findings of constraints go in, changes for the log come out."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from types import MappingProxyType
from typing import Literal

from uac.project.alerts import NOT_CHECKED, Alert, Alerts, RecordOrigin, shorten_alert_subject
from uac.schema.constraints import Severity
from uac.schema.entries import AlertChange, FailureReason

__all__ = [
    "CompletedRun",
    "FailedRun",
    "Failure",
    "FoundAlert",
    "alert_changes",
    "alert_failure_text",
    "apply_alert_change",
]

NO_REASONS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FoundAlert:
    """One alert returned by a constraint. Two with the same subject are one alert."""

    subject: str
    severity: Severity
    message: str
    records: tuple[str, ...] = ()
    cites: tuple[int, ...] = ()
    capped_from: Severity | None = None
    """The author's severity, if this one is lower because nobody has reviewed the constraint."""
    tables: tuple[str, ...] = ()
    """The tables that it depends on, each with its version."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a constraint gave no result, for one record (and one field) or for all.

    The reason may repeat the data that the constraint read.
    """

    why: str
    severity: Severity
    record: str = ""
    field: str = ""
    cites: tuple[int, ...] = ()
    capped_from: Severity | None = None
    message: str = ""
    """The message to use instead of the one built from the other fields."""
    reason: FailureReason = ""

    @property
    def subject(self) -> str:
        return shorten_alert_subject(f"{NOT_CHECKED}: {self.record}") if self.record else NOT_CHECKED


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A constraint that gave no result at all."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class CompletedRun:
    """The findings of a constraint, when it must run again though nothing changed (None: on every tick), and the
    records for which it failed."""

    found: tuple[FoundAlert, ...]
    again: datetime | None = None
    failures: tuple[Failure, ...] = ()


def alert_changes(
    alerts: Alerts,
    results: Mapping[str, CompletedRun | FailedRun],
    *,
    failures: Collection[str],
    unreviewed: frozenset[str],
    timely: frozenset[str],
    now: datetime,
    exists: Callable[[str], bool] = lambda _record: True,
    reasons: Mapping[str, str] = NO_REASONS,
) -> list[AlertChange]:
    """The changes that turn the active alerts into the findings; empty if they agree.

    `results` has the constraints that ran; alerts of all others stay. Those in `timely` ran because time passed: an
    alert that they no longer find has expired, where a change of the records would have cleared it.
    `exists` says whether a record is still active. `reasons` says why the alerts of a constraint are cleared,
    if that is not for what it found: it was retired.
    Those in `failures` are known to fail; another one, such as a new version, reports its failure even if its alert is
    the same.
    """
    made: list[AlertChange] = []
    by_constraint = _alerts_by_constraint(alerts)
    for name in sorted(results):
        result, standing = results[name], by_constraint.get(name, {})
        is_reviewed = name not in unreviewed
        failed = (result.failure,) if isinstance(result, FailedRun) else result.failures
        for failure in failed:
            old = standing.get(failure.subject) if name in failures else None
            made += _failure_changes(old, failure, name, is_reviewed=is_reviewed)
        found = () if isinstance(result, FailedRun) else result.found
        for each in found:
            made += _finding_changes(standing.get(each.subject), each, name, is_reviewed=is_reviewed, now=now)
        subjects = {each.subject for each in found} | {failure.subject for failure in failed}
        gone: Literal["expired", "cleared"] = "expired" if name in timely else "cleared"
        made += [
            AlertChange(
                change="cleared" if alert.is_failure else gone,
                constraint=name,
                subject=subject,
                severity=alert.severity,
                cites=alert.cites,
                why=reasons.get(name, ""),
                is_failure=alert.is_failure,
            )
            for subject, alert in sorted(standing.items())
            if subject not in subjects and _is_alert_cleared(alert, result, exists)
        ]
    return made


def _is_alert_cleared(alert: Alert, result: CompletedRun | FailedRun, exists: Callable[[str], bool]) -> bool:
    """Whether an alert that was not found again is over. While the constraint fails for some records, only if a record
    of the alert no longer exists."""
    if isinstance(result, FailedRun):
        return alert.is_failure
    return alert.is_failure or not result.failures or not all(map(exists, alert.records))


def _failure_changes(old: Alert | None, failure: Failure, name: str, *, is_reviewed: bool) -> list[AlertChange]:
    message = failure.message or alert_failure_message(name, failure)
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
            capped_from=failure.capped_from,
            is_failure=True,
            reason=failure.reason,
        )
    ]


def alert_failure_message(name: str, failure: Failure) -> str:
    """The message of a failure: its consequences, and what to do."""
    why = alert_failure_text(failure.why, failure.reason).removesuffix(".")
    if not failure.record:
        return (
            f"The rule {name} could not run, so what it watches for is not checked: {why}."
            f" Its earlier alerts stay as they were. See `uac why USER {name}`."
        )
    at = f" (field {failure.field})" if failure.field else ""
    return (
        f"The rule {name} could not check {failure.record}{at}: {why}. It is checked for all other records."
        " Correct this record, or drop it."
    )


def alert_failure_text(why: str, reason: FailureReason) -> str:
    """Why a constraint could not be run, for people."""
    return f"over the limit: {why}" if reason == "limit" else why


def _finding_changes(
    old: Alert | None, found: FoundAlert, name: str, *, is_reviewed: bool, now: datetime
) -> list[AlertChange]:
    """The change needed to match the finding, if any. An alert whose snooze has expired is reported again."""
    if old is not None:
        rested = old.state == "snoozed" and not old.is_quiet(now)
        new = (found.severity, found.capped_from, found.message, found.tables, found.records, is_reviewed)
        known = (old.severity, old.capped_from, old.message, old.tables, old.records, old.is_reviewed)
        if known == new and not rested:
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
            capped_from=found.capped_from,
            tables=found.tables,
        )
    ]


def apply_alert_change(
    alerts: Alerts,
    change: AlertChange,
    *,
    position: int,
    now: datetime,
    made: tuple[RecordOrigin | None, ...] = (),
) -> Alerts:
    """The active alerts after a change; `made` has the identities of its records."""
    key = (change.constraint, change.subject)
    old = alerts.get(key)
    match change.change:
        case "raised":
            return alerts.set(key, _alert_from_change(change, position, now, made))
        case "updated":
            old = _followed_alert(alerts, change) if change.follows else old
            if old is None:  # what raised it was erased
                return alerts.set(key, _alert_from_change(change, position, now, made))
            if change.follows:  # the records are the same ones, also if what gave them their ids was retracted
                made = tuple(one or known for one, known in zip_longest(made, old.made))
            is_quiet = old.stays_quiet(change.severity, now)
            new = replace(_alert_from_change(change, old.raised, old.since, made), why=old.why)
            return alerts.set(key, replace(new, state=old.state, until=old.until) if is_quiet else new)
        case "cleared" | "expired":
            return alerts if old is None else alerts.delete(key)
        case "acknowledged" | "snoozed":
            if old is None:
                return alerts
            return alerts.set(key, replace(old, state=change.change, until=change.until, why=change.why))
        case "failed":
            new = _alert_from_change(
                change, position if old is None else old.raised, now if old is None else old.since, made
            )
            is_quiet = old is not None and old.stays_quiet(change.severity, now)
            return alerts.set(key, replace(new, state=old.state, until=old.until) if old and is_quiet else new)


def _followed_alert(alerts: Alerts, change: AlertChange) -> Alert | None:
    """The alert whose acknowledgement or snooze a change takes over, whatever its subject was."""
    mine = (alert for (constraint, _subject), alert in alerts.items() if constraint == change.constraint)
    return next((alert for alert in mine if alert.raised == change.follows), None)


def _alert_from_change(
    change: AlertChange, position: int, now: datetime, made: tuple[RecordOrigin | None, ...]
) -> Alert:
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
        is_failure=change.is_failure,
        capped_from=change.capped_from,
        reason=change.reason,
        tables=change.tables,
        made=made,
    )


def _alerts_by_constraint(alerts: Alerts) -> dict[str, dict[str, Alert]]:
    grouped: dict[str, dict[str, Alert]] = {}
    for (constraint, subject), alert in alerts.items():
        grouped.setdefault(constraint, {})[subject] = alert
    return grouped
