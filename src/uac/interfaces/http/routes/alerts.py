"""Alerts: those that stand, how they came and went, and what people say to them."""

from datetime import datetime
from itertools import islice
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import Field

from uac.errors import Refused
from uac.interfaces.http.auth import Reader, Writer
from uac.interfaces.http.fields import Asked, AsOf, Moment, Told, known_at
from uac.interfaces.http.routes.log import LOOKED_AT, After, Limit
from uac.interfaces.http.write_responses import AlertWord, Written, change, request_text
from uac.memory.memory import Memory
from uac.project.alerts import Alert
from uac.schema.constraints import Severity
from uac.schema.entries import AlertChange

__all__ = ["AlertStanding", "alert_told", "router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["alerts"])


State = Literal["standing", "acknowledged", "snoozed"]


class AlertStanding(Told):
    """An alert that stands, and what somebody said to it."""

    constraint: str = Field(examples=["drug_allergy"])
    subject: str = Field(description="What it is about; with the constraint, its key.", examples=["amoxicillin"])
    severity: Severity = Field(examples=["critical"])
    message: str = Field(examples=["Amoxicillin is a penicillin, and you have a known allergy to Penicillin."])
    state: State = Field(description="Whether somebody has seen it.", examples=["standing"])
    since: datetime
    until: datetime | None = Field(description="Until when it is snoozed.")
    why: str = Field(description="What was said when it was acknowledged or snoozed.", examples=[""])
    records: list[str] = Field(description="The records it is about.", examples=[["health.Medication:amoxicillin"]])
    cites: list[int] = Field(description="The entries it rests on.", examples=[[1, 5]])
    raised: int = Field(description="The entry that raised it.", examples=[7])
    is_reviewed: bool = Field(description="False if a model wrote the constraint and nobody has approved it yet.")
    capped_from: Severity | None = Field(
        default=None,
        description="The severity that the constraint's author gave, if the alert is shown as a lesser one until a"
        " person approves the constraint.",
        examples=[None],
    )
    is_failure: bool = Field(
        default=False,
        description="Whether it says that the constraint itself could not be run, for its record or at all.",
        examples=[False],
    )


class Alerts(Told):
    """The alerts that stand, the most severe first, those that somebody has seen last."""

    standing: list[AlertStanding]
    failures: dict[str, str] = Field(
        description="Constraints that gave no result, for some records or for all, and why; each is an alert, too.",
        examples=[{}],
    )


class AlertChanged(Told):
    """One change of the alerts, with the entry that says so."""

    position: int = Field(examples=[7])
    at: datetime
    change: AlertWord = Field(examples=["raised"])
    constraint: str = Field(examples=["drug_allergy"])
    subject: str = Field(examples=["amoxicillin / penicillin"])
    severity: Severity = Field(examples=["critical"])
    message: str = Field(examples=["Amoxicillin is a penicillin."])
    records: list[str] = Field(examples=[["health.Medication:amoxicillin"]])
    cites: list[int] = Field(examples=[[1, 5]])
    until: datetime | None = Field(description="Until when it is snoozed.")
    why: str = Field(examples=[""])
    is_reviewed: bool
    capped_from: Severity | None = Field(
        default=None, description="The severity that the author gave, if a lesser one is shown.", examples=[None]
    )
    follows: int = Field(
        default=0,
        description="Of an update: the entry that raised the alert whose acknowledgement it takes over; 0 if none.",
        examples=[0],
    )


class AlertHistory(Told):
    """Changes of the alerts, oldest first."""

    changes: list[AlertChanged]
    next: int | None = Field(description="What `after` must be to read on; null at the end of the log.", examples=[100])


class Acknowledgement(Asked):
    """Somebody has seen the alert. It stands, quietly, until it clears or gets more severe."""

    constraint: str = Field(max_length=200, examples=["drug_allergy"])
    subject: str = Field(default="", max_length=1000, description="Needed if the constraint has several alerts.")
    why: str = Field(default="", max_length=1000, examples=["Dr. Berg knows and agrees"])


class Snooze(Acknowledgement):
    """Be quiet about the alert until a time; if it stands then, it is told again."""

    until: Moment


@router.get("/alerts")
def standing(place: Reader, as_of: AsOf = None) -> Alerts:
    """The alerts that stand, and constraints that gave no result."""
    with place.memory() as memory:
        project = known_at(memory, as_of)
        now = max(memory.log.now(), project.now) if project.now else memory.log.now()
    told = [alert_told(alert, now) for alert in project.standing()]
    return Alerts(standing=sorted(told, key=lambda alert: alert.state != "standing"), failures=dict(project.failures))


@router.get("/alerts/history")
def history(place: Reader, after: After = 0, limit: Limit = 100) -> AlertHistory:
    """How alerts came, changed and went. A page may hold fewer than asked for, and still have a `next`."""
    with place.memory() as memory:
        end = min(memory.log.head().position, after + LOOKED_AT)
        entries = memory.log.read(after + 1, end + 1)
        wanted = ((stored, stored.entry) for stored in entries if isinstance(stored.entry, AlertChange))
        found = list(islice(wanted, limit))
        last = found[-1][0].position if len(found) == limit else end
        return AlertHistory(
            changes=[_changed(stored.position, stored.at, entry) for stored, entry in found],
            next=last if last < memory.log.head().position else None,
        )


@router.post("/alerts/acknowledge")
def acknowledge(place: Writer, body: Acknowledgement) -> Written:
    """Say that somebody has seen an alert. Retracting that entry undoes it."""

    def act(memory: Memory) -> None:
        memory.acknowledge(body.constraint, body.subject, why=body.why)

    return change(place, request_text("acknowledge", body), act, create=False)


@router.post("/alerts/snooze")
def snooze(place: Writer, body: Snooze) -> Written:
    """Be quiet about an alert until a time."""

    def act(memory: Memory) -> None:
        if body.until <= memory.log.now():
            raise Refused(f"until is {body.until.isoformat()}, which is past")
        memory.snooze(body.constraint, body.subject, until=body.until.replace(microsecond=0), why=body.why)

    return change(place, request_text("snooze", body), act, create=False)


@router.post("/tick")
def tick(place: Writer) -> Written:
    """Let time pass: constraints that depend on it are run. If nothing comes of it, nothing is written."""
    return change(place, request_text("tick"), lambda memory: memory.tick(), create=False)


def alert_told(alert: Alert, now: datetime) -> AlertStanding:
    """The alert as it is at that time: one whose rest is over stands again."""
    fields = {**_fields(alert, AlertStanding), "message": alert.text, "state": _state(alert, now)}
    return AlertStanding.model_validate(fields)


def _state(alert: Alert, now: datetime) -> State:
    return alert.state if alert.is_quiet(now) else "standing"


def _changed(position: int, at: datetime, entry: AlertChange) -> AlertChanged:
    fields = {**_fields(entry, AlertChanged), "message": entry.text}
    return AlertChanged.model_validate({"position": position, "at": at, **fields})


def _fields(value: object, shape: type[Told]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in shape.model_fields if hasattr(value, name)}
