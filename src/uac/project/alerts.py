"""Which alerts stand, and what changes them. Pure: what constraints found goes in, changes for the log come out."""

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
from uac.schema.entries import AlertChange, FailureReason, with_tables

__all__ = [
    "MAX_SUBJECT",
    "NOT_CHECKED",
    "SEVERITIES",
    "Alert",
    "Alerts",
    "Failed",
    "Failure",
    "Found",
    "Made",
    "Ran",
    "after",
    "cap_label",
    "cap_note",
    "carried_over",
    "changes",
    "count_by_severity",
    "failure_text",
    "in_order",
    "shortened",
]

SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")

NOT_CHECKED = "not checked"
"""The subject of an alert that says that a constraint could not be run; with the record, if it is only about one."""

MAX_SUBJECT = 300

State = Literal["standing", "acknowledged", "snoozed"]

Made: TypeAlias = tuple[int, int]
"""The checkpoint and the patch that made a record: which record it is, whatever its id is now."""

NEAR = 6
"""Days by which a date may move so that an acknowledged alert stays acknowledged: what recurs does so after a week
at the earliest, and must be reported again."""


@dataclass(frozen=True, slots=True)
class Found:
    """One alert as a constraint returned it. Two of one subject are one alert."""

    subject: str
    severity: Severity
    message: str
    records: tuple[str, ...] = ()
    cites: tuple[int, ...] = ()
    capped_from: Severity | None = None
    """The severity that the author gave, if this one is less because nobody has reviewed the constraint."""
    tables: tuple[str, ...] = ()
    """The tables that it depends on, each with its version."""


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
    capped_from: Severity | None = None
    message: str = ""
    """What to say of it, if that is not made of the rest."""
    reason: FailureReason = ""

    @property
    def subject(self) -> str:
        return shortened(f"{NOT_CHECKED}: {self.record}") if self.record else NOT_CHECKED


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
    capped_from: Severity | None = None
    """The severity that the author of the constraint gave, if this one is less because nobody has reviewed it."""
    reason: FailureReason = ""
    """Why the constraint could not be run, if that decides when it is run again."""
    tables: tuple[str, ...] = ()
    """The tables that the finding depends on, each with its version: 'health.drugs 3'."""
    made: tuple[Made | None, ...] = field(default=(), compare=False, repr=False)
    """Which records `records` were when it was found, in the same order; None for one that did not exist."""

    @property
    def text(self) -> str:
        """The message for people, with the tables that it depends on."""
        return with_tables(self.message, self.tables)

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
    exists: Callable[[str], bool] = lambda _record: True,
) -> list[AlertChange]:
    """What turns the standing alerts into those that were found; nothing if they are the same.

    `results` has the constraints that were run; alerts of all others stay as they are. Those in `timely` were run
    because time passed: what they no longer find has expired, where a change of the records would have cleared it.
    `exists` tells whether a record still stands.
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
                is_failure=alert.is_failure,
            )
            for subject, alert in sorted(standing.items())
            if subject not in subjects and _is_over(alert, result, exists)
        ]
    return made


def _is_over(alert: Alert, result: Ran | Failed, exists: Callable[[str], bool]) -> bool:
    """Whether an alert that was not found again is over: while the constraint cannot look at all records, only if one
    that it is about is no more."""
    if isinstance(result, Failed):
        return alert.is_failure
    return alert.is_failure or not result.failures or not all(map(exists, alert.records))


def _failed(old: Alert | None, failure: Failure, name: str, *, is_reviewed: bool) -> list[AlertChange]:
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
    """What a failure means for whoever depends on the rule, and what to do about it."""
    why = failure_text(failure.why, failure.reason)
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


def _found(old: Alert | None, found: Found, name: str, *, is_reviewed: bool, now: datetime) -> list[AlertChange]:
    """The change that brings an alert to what was found. One whose rest is over is told again."""
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


def carried_over(
    alerts: Alerts,
    made: Sequence[AlertChange],
    *,
    made_by: Callable[[str], Made | None],
    first: int,
    now: datetime,
) -> list[AlertChange]:
    """The changes of one run, where an alert that only moved by a few days takes over that somebody has seen it.

    It moved if the same constraint lost one and found another about the same records in the same words, dates apart,
    and no more severe. `made_by` tells which record has an id; records from position `first` on are new in this
    change. Where two alerts could be meant, the new one is reported as any other.
    """
    lost = [
        alert
        for change in made
        if change.change == "cleared" and (alert := alerts.get((change.constraint, change.subject))) is not None
    ]
    found = [change for change in made if change.change == "raised" and change.records]
    pairs = [(old, new) for old in lost for new in found if _is_moved(old, new, made_by, first)]
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


def _is_moved(old: Alert, new: AlertChange, made_by: Callable[[str], Made | None], first: int) -> bool:
    if old.constraint != new.constraint or len(old.records) != len(new.records):
        return False
    texts = [(old.subject, new.subject), *zip(old.records, new.records, strict=True)]
    if not all(_is_near(before, later) for before, later in texts):
        return False
    known = old.made or (None,) * len(old.records)
    return all(
        before == later or _is_same_record(before, made, made_by(later), made_by, first)
        for before, made, later in zip(old.records, known, new.records, strict=True)
    )


def _is_same_record(
    before: str, made: Made | None, later: Made | None, made_by: Callable[[str], Made | None], first: int
) -> bool:
    """Whether a record got another key, or was dropped and put again with another one in the same change.

    One that has ended is not gone: what follows it is another one.
    """
    if later is None:
        return False
    return later == made or (made_by(before) is None and later[0] >= first)


_DATE = re.compile(
    r"(?<!\d)(\d{4}-\d\d-\d\d)(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:\d\d)?)?(?!\d)", re.IGNORECASE
)


def _is_near(before: str, later: str) -> bool:
    """Whether two texts are the same but for dates, none of which differs by more than a few days."""
    if _DATE.sub("\0", before) != _DATE.sub("\0", later):
        return False
    return all(
        abs((one - other).days) <= NEAR if one and other else text == written
        for (text, one), (written, other) in zip(_dates(before), _dates(later), strict=True)
    )


def _dates(text: str) -> list[tuple[str, date | None]]:
    return [(found[0], _date(found[1])) for found in _DATE.finditer(text)]


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _stays_quiet(old: Alert, severity: Severity, now: datetime) -> bool:
    """Whether one that somebody has seen need not be reported again: it is no more severe than it was."""
    return old.is_quiet(now) and SEVERITIES.index(severity) >= SEVERITIES.index(old.severity)


def after(
    alerts: Alerts,
    change: AlertChange,
    *,
    position: int,
    now: datetime,
    made: tuple[Made | None, ...] = (),
) -> Alerts:
    """The alerts that stand after a change; `made` are the records that it names."""
    key = (change.constraint, change.subject)
    old = alerts.get(key)
    match change.change:
        case "raised":
            return alerts.set(key, _alert(change, position, now, made))
        case "updated":
            old = _followed(alerts, change) if change.follows else old
            if old is None:  # what raised it was erased
                return alerts.set(key, _alert(change, position, now, made))
            if change.follows:  # the records are the same ones, also if what gave them their ids was retracted
                made = tuple(one or known for one, known in zip_longest(made, old.made))
            kept = _stays_quiet(old, change.severity, now)
            new = replace(_alert(change, old.raised, old.since, made), why=old.why)
            return alerts.set(key, replace(new, state=old.state, until=old.until) if kept else new)
        case "cleared" | "expired":
            return alerts if old is None else alerts.delete(key)
        case "acknowledged" | "snoozed":
            if old is None:
                return alerts
            return alerts.set(key, replace(old, state=change.change, until=change.until, why=change.why))
        case "failed":
            new = _alert(change, position if old is None else old.raised, now if old is None else old.since, made)
            kept = old is not None and _stays_quiet(old, change.severity, now)
            return alerts.set(key, replace(new, state=old.state, until=old.until) if old and kept else new)


def shortened(subject: str) -> str:
    """The subject if it is not too long, else its beginning with a digest: two long ones are still told apart."""
    if len(subject) <= MAX_SUBJECT:
        return subject
    return f"{subject[: MAX_SUBJECT - 18]}…{sha256(subject.encode()).hexdigest()[:16]}"


def cap_note(capped_from: Severity | None, severity: Severity) -> str:
    """What a message says of an alert that is shown as less severe than its author wrote; "" for all others."""
    if capped_from is None:
        return ""
    return f" ({cap_label(capped_from)}; shown as {severity} until a person approves the constraint)"


def cap_label(capped_from: Severity) -> str:
    """The same in short, for places where the message is cut."""
    return f"{capped_from} by its author"


def count_by_severity(alerts: Iterable[Alert]) -> str:
    """How many there are of each severity, the most severe first: '2 critical, 1 info'; "" if there are none."""
    found = [alert.severity for alert in alerts]
    return ", ".join(f"{found.count(severity)} {severity}" for severity in SEVERITIES if severity in found)


def in_order(alerts: Alerts) -> list[Alert]:
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


def _followed(alerts: Alerts, change: AlertChange) -> Alert | None:
    """The alert whose state a change takes over, whatever its subject was."""
    mine = (alert for (constraint, _subject), alert in alerts.items() if constraint == change.constraint)
    return next((alert for alert in mine if alert.raised == change.follows), None)


def _alert(change: AlertChange, position: int, now: datetime, made: tuple[Made | None, ...]) -> Alert:
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


def _by_constraint(alerts: Alerts) -> dict[str, dict[str, Alert]]:
    grouped: dict[str, dict[str, Alert]] = {}
    for (constraint, subject), alert in alerts.items():
        grouped.setdefault(constraint, {})[subject] = alert
    return grouped
