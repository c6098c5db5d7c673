"""Active alerts as values: severity, state and texts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Literal, TypeAlias

from uac.schema.constraints import Severity
from uac.schema.entries import FailureReason, with_alert_tables
from uac.schema.persistent_map import Map

__all__ = [
    "MAX_MESSAGE",
    "MAX_SUBJECT",
    "NOT_CHECKED",
    "SEVERITIES",
    "UNCHECKED",
    "Alert",
    "Alerts",
    "RecordOrigin",
    "capped_severity_label",
    "capped_severity_note",
    "count_alerts_by_severity",
    "shorten_alert_subject",
    "sort_alerts",
]

SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")

NOT_CHECKED = "not checked"
"""The subject of an alert that reports a failed constraint; with the record, if it failed for that one only."""

UNCHECKED = "Not checked: "
"""In the message of an alert: a value that no table has, so that rules that use the table say nothing about it."""

MAX_MESSAGE = 2_000
MAX_SUBJECT = 300

State = Literal["standing", "acknowledged", "snoozed"]

RecordOrigin: TypeAlias = tuple[int, int]
"""The checkpoint and the patch that created a record: its identity, whatever its id is now."""


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

    def stays_quiet(self, severity: Severity, now: datetime) -> bool:
        """Whether a quiet alert need not be reported again: it is no more severe than before."""
        return self.is_quiet(now) and SEVERITIES.index(severity) >= SEVERITIES.index(self.severity)


Alerts: TypeAlias = Map[tuple[str, str], Alert]


def shorten_alert_subject(subject: str) -> str:
    """The subject, or its beginning with a digest if it is too long, so that two long ones stay distinct."""
    if len(subject) <= MAX_SUBJECT:
        return subject
    return f"{subject[: MAX_SUBJECT - 18]}…{sha256(subject.encode()).hexdigest()[:16]}"


def capped_severity_note(capped_from: Severity | None, severity: Severity) -> str:
    """A note for the message of an alert whose severity is lower than its author gave; "" for all others."""
    if capped_from is None:
        return ""
    return f" ({capped_severity_label(capped_from)}; shown as {severity} until a person approves the constraint)"


def capped_severity_label(capped_from: Severity) -> str:
    """A short form of the note, for places that shorten the message."""
    return f"{capped_from} by its author"


def count_alerts_by_severity(alerts: Iterable[Alert]) -> str:
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
