"""Alerts: those that are active, and how they were raised, changed and cleared."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from uac.interfaces.views.view import Doc, View, build_view
from uac.log.log import Stored
from uac.project.alerts import Alert
from uac.project.project import Project
from uac.project.table_reviews import table_reviews, unconfirmed_rows
from uac.schema.constraints import Severity
from uac.schema.entries import AlertChange

__all__ = [
    "AlertEventView",
    "AlertHistoryView",
    "AlertUpdateView",
    "AlertView",
    "AlertWord",
    "AlertsView",
    "alert_event_view",
    "alert_update_view",
    "alert_view",
    "alert_views",
]


AlertWord = Literal["raised", "updated", "cleared", "acknowledged", "snoozed", "expired", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertView(View):
    """An active alert, and what somebody said about it."""

    constraint: Annotated[str, Doc(example="drug_allergy")]
    subject: Annotated[str, Doc("What it is about; with the constraint, its key.", "amoxicillin")]
    severity: Annotated[Severity, Doc(example="critical")]
    message: Annotated[str, Doc(example="Amoxicillin is a penicillin, and you have a known allergy to Penicillin.")]
    state: Annotated[Literal["standing", "acknowledged", "snoozed"], Doc("Whether somebody has seen it.", "standing")]
    since: datetime
    until: Annotated[datetime | None, Doc("The end of the snooze.")]
    why: Annotated[str, Doc("The reason given when it was acknowledged or snoozed.", "")]
    records: Annotated[tuple[str, ...], Doc("The records it is about.", ["health.Medication:amoxicillin"])]
    cites: Annotated[tuple[int, ...], Doc("The entries it depends on.", [1, 5])]
    raised: Annotated[int, Doc("The entry that raised it.", 7)]
    is_reviewed: Annotated[bool, Doc("False if a model wrote the constraint and nobody has approved it yet.")]
    capped_from: Annotated[
        Severity | None,
        Doc(
            "The severity that the constraint's author gave, if the alert has a lower one until a person approves the"
            " constraint.",
            None,
        ),
    ] = None
    is_failure: Annotated[
        bool, Doc("Whether it reports that the constraint itself could not run, for its record or at all.", False)
    ] = False
    tables: Annotated[
        tuple[str, ...],
        Doc(
            "The tables that it depends on, each with its version, row and regions.",
            ["health.interactions 2026.4 #nitrates-pde5-inhibitors (US UK EU)"],
        ),
    ] = ()
    reviews: Annotated[
        tuple[str, ...],
        Doc(
            "Who answers for the tables: the persons who signed them, or nobody.",
            ["health.drugs, health.interactions: unreviewed by a licensed person"],
        ),
    ] = ()
    unconfirmed: Annotated[
        tuple[str, ...],
        Doc(
            "The rows it depends on that no source confirms, or only in part.",
            ["health.cautions #glaucoma-topiramate: partly confirmed"],
        ),
    ] = ()


def alert_view(project: Project, alert: Alert, now: datetime) -> AlertView:
    """The alert at that time. One whose snooze is over is active again."""
    return build_view(
        AlertView,
        alert,
        message=alert.text,
        state=alert.state if alert.is_quiet(now) else "standing",
        records=tuple(alert.records),
        cites=tuple(alert.cites),
        tables=tuple(alert.tables),
        reviews=table_reviews(project, alert.tables),
        unconfirmed=unconfirmed_rows(alert.tables),
    )


def alert_views(project: Project, now: datetime) -> tuple[AlertView, ...]:
    """The active alerts, the most severe first; those that somebody has seen come last."""
    views = (alert_view(project, alert, now) for alert in project.standing())
    return tuple(sorted(views, key=lambda alert: alert.state != "standing"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertsView(View):
    """The active alerts, the most severe first; those that somebody has seen come last."""

    standing: tuple[AlertView, ...]
    failures: Annotated[
        dict[str, str],
        Doc("Constraints that gave no result, for some records or for all, and why. Each is an alert, too.", {}),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertEventView(View):
    """One change of an alert, with the log entry that records it."""

    position: Annotated[int, Doc(example=7)]
    at: datetime
    change: Annotated[AlertWord, Doc(example="raised")]
    constraint: Annotated[str, Doc(example="drug_allergy")]
    subject: Annotated[str, Doc(example="amoxicillin / penicillin")]
    severity: Annotated[Severity, Doc(example="critical")]
    message: Annotated[str, Doc(example="Amoxicillin is a penicillin.")]
    records: Annotated[tuple[str, ...], Doc(example=["health.Medication:amoxicillin"])]
    cites: Annotated[tuple[int, ...], Doc("The entries it depends on.", [1, 5])]
    until: Annotated[datetime | None, Doc("The end of the snooze.")]
    is_reviewed: bool
    why: Annotated[str, Doc(example="")]
    capped_from: Annotated[
        Severity | None, Doc("The severity that the constraint's author gave, if the alert has a lower one.", None)
    ] = None
    follows: Annotated[
        int,
        Doc("Of an update: the entry that raised the alert whose acknowledgement it takes over; 0 if none.", 0),
    ] = 0
    tables: Annotated[
        tuple[str, ...],
        Doc("The tables that it depends on, each with its version, row and regions.", ["health.drugs 2026.4"]),
    ] = ()
    unconfirmed: Annotated[
        tuple[str, ...],
        Doc("The rows it depends on that no source confirms, or only in part.", []),
    ] = ()


def alert_event_view(stored: Stored, change: AlertChange) -> AlertEventView:
    return build_view(
        AlertEventView,
        change,
        position=stored.position,
        at=stored.at,
        message=change.text,
        unconfirmed=unconfirmed_rows(change.tables),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertHistoryView(View):
    """Changes of the alerts, oldest first."""

    changes: tuple[AlertEventView, ...]
    next: Annotated[int | None, Doc("Pass it as `after` to get the next page; null at the end of the log.", 100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertUpdateView(View):
    """An alert that a write raised, changed or cleared."""

    change: Annotated[AlertWord, Doc(example="raised")]
    constraint: Annotated[str, Doc(example="drug_allergy")]
    subject: Annotated[str, Doc(example="amoxicillin / penicillin")]
    severity: Annotated[Severity, Doc(example="critical")]
    message: Annotated[str, Doc(example="Amoxicillin is a penicillin, and you have a known allergy to Penicillin.")]


def alert_update_view(change: AlertChange) -> AlertUpdateView:
    return build_view(AlertUpdateView, change, message=change.text)
