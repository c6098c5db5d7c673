"""Alerts: those that are active, their history, and what people say about them."""

from itertools import islice

from fastapi import APIRouter
from pydantic import Field

from uac.errors import Refused
from uac.interfaces.http.auth import Reader, Writer
from uac.interfaces.http.fields import ClocksQuery, Input, Moment
from uac.interfaces.http.routes.log import LOOKED_AT, After, Limit
from uac.interfaces.http.write_responses import request_text, write_once
from uac.interfaces.views.alerts import AlertHistoryView, AlertsView, alert_event_view, alert_views
from uac.interfaces.views.changes import WriteView
from uac.memory.memory import Memory
from uac.schema.entries import AlertChange

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["alerts"])


class AcknowledgeInput(Input):
    """Somebody has seen the alert. It stays active, quietly, until it clears or gets more severe."""

    constraint: str = Field(max_length=200, examples=["drug_allergy"])
    subject: str = Field(default="", max_length=1000, description="Needed if the constraint has several alerts.")
    why: str = Field(default="", max_length=1000, examples=["Dr. Berg knows and agrees"])


class SnoozeInput(AcknowledgeInput):
    """Be quiet about the alert until a time; if it is still active then, it is reported again."""

    until: Moment


@router.get("/alerts", name="standing")
def active_alerts(context: Reader, clocks: ClocksQuery) -> AlertsView:
    """The active alerts, and constraints that gave no result."""
    with context.memory() as memory:
        project = memory.project_at(clocks)
        now = max(memory.log.now(), project.now) if project.now else memory.log.now()
    return AlertsView(standing=alert_views(project, now), failures=dict(project.failures))


@router.get("/alerts/history", name="history")
def alert_history(context: Reader, after: After = 0, limit: Limit = 100) -> AlertHistoryView:
    """How alerts were raised, changed and cleared. A page may hold fewer than `limit` and still have a `next`."""
    with context.memory() as memory:
        end = min(memory.log.head().position, after + LOOKED_AT)
        entries = memory.log.read(after + 1, end + 1)
        wanted = ((stored, stored.entry) for stored in entries if isinstance(stored.entry, AlertChange))
        found = list(islice(wanted, limit))
        last = found[-1][0].position if len(found) == limit else end
        return AlertHistoryView(
            changes=tuple(alert_event_view(stored, entry) for stored, entry in found),
            next=last if last < memory.log.head().position else None,
        )


@router.post("/alerts/acknowledge")
def acknowledge(context: Writer, body: AcknowledgeInput) -> WriteView:
    """Record that somebody has seen an alert. Retracting that entry undoes it."""

    def act(memory: Memory) -> None:
        memory.acknowledge(body.constraint, body.subject, why=body.why)

    return write_once(context, request_text("acknowledge", body), act, create=False)


@router.post("/alerts/snooze")
def snooze(context: Writer, body: SnoozeInput) -> WriteView:
    """Be quiet about an alert until a time."""

    def act(memory: Memory) -> None:
        if body.until <= memory.log.now():
            raise Refused(f"until is {body.until.isoformat()}, which is past. Give a later time.")
        memory.snooze(body.constraint, body.subject, until=body.until.replace(microsecond=0), why=body.why)

    return write_once(context, request_text("snooze", body), act, create=False)


@router.post("/tick")
def tick(context: Writer) -> WriteView:
    """Let time pass: constraints that depend on it are run. If nothing changes, nothing is written."""
    return write_once(context, request_text("tick"), lambda memory: memory.tick(), create=False)
