"""Active alerts and their changes. Pure: findings of constraints go in, changes for the log come out."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from hashlib import sha256
from itertools import zip_longest
from typing import Literal, TypeAlias

import msgspec
from immutables import Map

from uac.schema.constraints import Severity
from uac.schema.entries import AlertChange, FailureReason, with_alert_tables

__all__ = [
    "MAX_SUBJECT",
    "NOT_CHECKED",
    "SEVERITIES",
    "Alert",
    "Alerts",
    "CompletedRun",
    "FailedRun",
    "Failure",
    "FoundAlert",
    "RecordOrigin",
    "alert_changes",
    "apply_change",
    "cap_label",
    "cap_note",
    "count_by_severity",
    "failure_text",
    "keep_acknowledgements",
    "shorten_subject",
    "sort_alerts",
]

SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")

NOT_CHECKED = "not checked"
"""The subject of an alert that reports a failed constraint; with the record, if it failed for that one only."""

MAX_SUBJECT = 300

State = Literal["standing", "acknowledged", "snoozed"]

RecordOrigin: TypeAlias = tuple[int, int]
"""The checkpoint and the patch that created a record: its identity, whatever its id is now."""

NEAR = 6
"""Days by which a date may move while an acknowledged alert stays acknowledged. Weekly and rarer events are new ones,
and are reported again."""


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
        return shorten_subject(f"{NOT_CHECKED}: {self.record}") if self.record else NOT_CHECKED


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


@dataclass(frozen=True, slots=True)
class Alert:
    """An active alert. `raised` is the position of the entry that raised it, `since` the time it was raised at."""

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
    """Whether it reports that the constraint itself could not run."""
    capped_from: Severity | None = None
    """The author's severity, if this one is lower because nobody has reviewed the constraint."""
    reason: FailureReason = ""
    """Why the constraint could not be run, if that decides when it is run again."""
    tables: tuple[str, ...] = ()
    """The tables that the finding depends on, each with its version: 'health.drugs 3'."""
    made: tuple[RecordOrigin | None, ...] = field(default=(), compare=False, repr=False)
    """The identities of `records` when the alert was raised, in the same order; None for one that did not exist."""

    @property
    def text(self) -> str:
        """The message for people, with the tables that it depends on."""
        return with_alert_tables(self.message, self.tables)

    def is_quiet(self, now: datetime | None) -> bool:
        """Whether it is acknowledged, or snoozed until later than `now`."""
        if self.state == "snoozed":
            return self.until is not None and (now is None or now < self.until)
        return self.state == "acknowledged"


Alerts: TypeAlias = Map[tuple[str, str], Alert]


def alert_changes(
    alerts: Alerts,
    results: Mapping[str, CompletedRun | FailedRun],
    *,
    failures: Collection[str],
    unreviewed: frozenset[str],
    timely: frozenset[str],
    now: datetime,
    exists: Callable[[str], bool] = lambda _record: True,
) -> list[AlertChange]:
    """The changes that turn the active alerts into the findings; empty if they agree.

    `results` has the constraints that ran; alerts of all others stay. Those in `timely` ran because time passed: an
    alert that they no longer find has expired, where a change of the records would have cleared it.
    `exists` says whether a record is still active.
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
                is_failure=alert.is_failure,
            )
            for subject, alert in sorted(standing.items())
            if subject not in subjects and _is_alert_over(alert, result, exists)
        ]
    return made


def _is_alert_over(alert: Alert, result: CompletedRun | FailedRun, exists: Callable[[str], bool]) -> bool:
    """Whether an alert that was not found again is over. While the constraint fails for some records, only if a record
    of the alert no longer exists."""
    if isinstance(result, FailedRun):
        return alert.is_failure
    return alert.is_failure or not result.failures or not all(map(exists, alert.records))


def _failure_changes(old: Alert | None, failure: Failure, name: str, *, is_reviewed: bool) -> list[AlertChange]:
    message = failure.message or failure_message(name, failure)
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


def failure_message(name: str, failure: Failure) -> str:
    """The message of a failure: its consequences, and what to do."""
    why = failure_text(failure.why, failure.reason).removesuffix(".")
    if not failure.record:
        return (
            f"The rule {name} could not run, so what it watches for is not checked: {why}."
            f" Its earlier alerts stay as they were. See `uac constraints why {name}`."
        )
    at = f" (field {failure.field})" if failure.field else ""
    return (
        f"The rule {name} could not check {failure.record}{at}: {why}. It is checked for all other records."
        " Correct this record, or drop it."
    )


def failure_text(why: str, reason: FailureReason) -> str:
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


def keep_acknowledgements(
    alerts: Alerts,
    made: Sequence[AlertChange],
    *,
    made_by: Callable[[str], RecordOrigin | None],
    first: int,
    now: datetime,
) -> list[AlertChange]:
    """The changes of one run, where an alert whose dates moved by a few days keeps its acknowledgement or snooze.

    It moved if the same constraint lost one alert and raised another, no more severe, about the same records, and the
    texts differ only in dates. `made_by` gives the identity of a record; records from position `first` on are new in
    this change. If two alerts match, the new one is reported like any other.
    """
    lost = [
        alert
        for change in made
        if change.change == "cleared" and (alert := alerts.get((change.constraint, change.subject))) is not None
    ]
    found = [change for change in made if change.change == "raised" and change.records]
    pairs = [(old, new) for old in lost for new in found if _is_moved_alert(old, new, made_by, first)]
    olds, news = [id(old) for old, _new in pairs], [id(new) for _old, new in pairs]
    follows = {
        id(new): old.raised
        for old, new in pairs
        if olds.count(id(old)) == news.count(id(new)) == 1 and _stays_quiet(old, new.severity, now)
    }
    return [
        msgspec.structs.replace(change, change="updated", follows=follows[id(change)])
        if id(change) in follows
        else change
        for change in made
    ]


def _is_moved_alert(old: Alert, new: AlertChange, made_by: Callable[[str], RecordOrigin | None], first: int) -> bool:
    if old.constraint != new.constraint or len(old.records) != len(new.records):
        return False
    texts = [(old.subject, new.subject), *zip(old.records, new.records, strict=True)]
    if not all(_differs_only_in_dates(before, later) for before, later in texts):
        return False
    known = old.made or (None,) * len(old.records)
    return all(
        before == later or _is_same_record(before, made, made_by(later), made_by, first)
        for before, made, later in zip(old.records, known, new.records, strict=True)
    )


def _is_same_record(
    before: str,
    made: RecordOrigin | None,
    later: RecordOrigin | None,
    made_by: Callable[[str], RecordOrigin | None],
    first: int,
) -> bool:
    """Whether a record got another key, or was dropped and put again with another one in the same change.

    An ended record still exists: its successor is another record.
    """
    if later is None:
        return False
    return later == made or (made_by(before) is None and later[0] >= first)


_DATE = re.compile(
    r"(?<!\d)(\d{4}-\d\d-\d\d)(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:\d\d)?)?(?!\d)", re.IGNORECASE
)


def _differs_only_in_dates(before: str, later: str) -> bool:
    """Whether two texts are equal except for dates that differ by at most a few days."""
    if _DATE.sub("\0", before) != _DATE.sub("\0", later):
        return False
    return all(
        abs((one - other).days) <= NEAR if one and other else text == written
        for (text, one), (written, other) in zip(_dates_in_text(before), _dates_in_text(later), strict=True)
    )


def _dates_in_text(text: str) -> list[tuple[str, date | None]]:
    return [(found[0], _parse_date(found[1])) for found in _DATE.finditer(text)]


def _parse_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _stays_quiet(old: Alert, severity: Severity, now: datetime) -> bool:
    """Whether a quiet alert need not be reported again: it is no more severe than before."""
    return old.is_quiet(now) and SEVERITIES.index(severity) >= SEVERITIES.index(old.severity)


def apply_change(
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
            kept = _stays_quiet(old, change.severity, now)
            new = replace(_alert_from_change(change, old.raised, old.since, made), why=old.why)
            return alerts.set(key, replace(new, state=old.state, until=old.until) if kept else new)
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
            kept = old is not None and _stays_quiet(old, change.severity, now)
            return alerts.set(key, replace(new, state=old.state, until=old.until) if old and kept else new)


def shorten_subject(subject: str) -> str:
    """The subject, or its beginning with a digest if it is too long, so that two long ones stay distinct."""
    if len(subject) <= MAX_SUBJECT:
        return subject
    return f"{subject[: MAX_SUBJECT - 18]}…{sha256(subject.encode()).hexdigest()[:16]}"


def cap_note(capped_from: Severity | None, severity: Severity) -> str:
    """A note for the message of an alert whose severity is lower than its author gave; "" for all others."""
    if capped_from is None:
        return ""
    return f" ({cap_label(capped_from)}; shown as {severity} until a person approves the constraint)"


def cap_label(capped_from: Severity) -> str:
    """A short form of the note, for places that shorten the message."""
    return f"{capped_from} by its author"


def count_by_severity(alerts: Iterable[Alert]) -> str:
    """The number of alerts of each severity, the most severe first: '2 critical, 1 info'; "" if there are none."""
    found = [alert.severity for alert in alerts]
    return ", ".join(f"{found.count(severity)} {severity}" for severity in SEVERITIES if severity in found)


def sort_alerts(alerts: Alerts) -> list[Alert]:
    """The most severe first, of these the reviewed ones, then the oldest."""
    return sorted(
        alerts.values(),
        key=lambda alert: (
            SEVERITIES.index(alert.severity),
            not alert.is_reviewed,
            alert.raised,
            alert.constraint,
            alert.subject,
        ),
    )


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
