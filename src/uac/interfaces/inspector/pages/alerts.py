"""Alerts: the active ones with their evidence, acknowledging and snoozing them, and their history."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from starlette.responses import Response

from uac.constraints.trace import Why
from uac.errors import Refused, RunError
from uac.interfaces.http.problems import NotFound
from uac.interfaces.inspector.entry_lines import latest_alert_messages, readable_alert, readable_ids
from uac.interfaces.inspector.evidence_quotes import EvidenceQuote, quote_cited_entries
from uac.interfaces.inspector.highlight import highlighted_lines
from uac.interfaces.inspector.page import Page, PageView, read_page_id
from uac.interfaces.inspector.pages.log import read_log_page
from uac.interfaces.inspector.record_names import nameable_records, record_link_maker
from uac.log.log import Log
from uac.memory.memory import Memory
from uac.project.alerts import Alert
from uac.project.project import Project
from uac.project.table_reviews import table_reviews
from uac.sandbox.error_hints import without_loaded_names
from uac.schema.entries import AlertChange
from uac.schema.safe_text import one_line

__all__ = ["PAGES"]

SHOWN = 30
QUOTED = 4  # sentences shown with each alert
EVERY_QUOTE = 50
CHANGES = 50
SAID = ("acknowledged", "snoozed")


@dataclass(frozen=True, slots=True)
class AlertCard:
    """An alert with the sentences it cites; `is_quiet` if it is acknowledged or snoozed."""

    alert: Alert
    is_quiet: bool
    sentences: tuple[EvidenceQuote, ...]
    records: tuple[str, ...]
    """Those of its records that still exist; their text may have been erased since."""


def alerts_page(view: PageView) -> Response:
    """The active alerts; those that are not acknowledged or snoozed come first."""
    first = max(view.query_number("first", 1), 1)
    with view.memory() as memory:
        project, now = memory.project(), _alerts_page_time(memory)
        ordered = sorted(project.standing(), key=lambda alert: alert.is_quiet(now))
        page = ordered[first - 1 : first - 1 + SHOWN]
        cards = [_alert_card(project, memory.log, alert, now, most=QUOTED) for alert in page]
        said = _alert_response_position(memory.log, view.query_number("said"))
    return view.render_template(
        "alerts.html",
        shown=cards,
        loud=sum(not alert.is_quiet(now) for alert in ordered),
        total=len(ordered),
        first=first,
        most=SHOWN,
        watching=len(project.constraints),
        readable=lambda text: readable_ids(text, project),
        said=said,
        named=record_link_maker(project),
        tomorrow=(now + timedelta(days=1)).date(),
    )


def alert_page(view: PageView) -> Response:
    """One alert with all its evidence: `?constraint=…&subject=…`."""
    return _render_alert(view, view.query("constraint"), view.query("subject"))


def submit_acknowledge(view: PageView) -> Response:
    constraint, subject = view.form.get("constraint", ""), read_page_id(view.form, "subject")
    with view.memory() as memory:
        _alert_of_page(memory.project(), constraint, subject)
        position = memory.acknowledge(constraint, subject, why=view.form.get("why", "").strip())
    return view.redirect("alerts", said=position)


def submit_snooze(view: PageView) -> Response:
    constraint, subject = view.form.get("constraint", ""), read_page_id(view.form, "subject")
    try:
        with view.memory() as memory:
            _alert_of_page(memory.project(), constraint, subject)
            until = _snooze_end(view, _alerts_page_time(memory))
            position = memory.snooze(constraint, subject, until=until, why=view.form.get("why", "").strip())
    except Refused as error:
        return _render_alert(view, constraint, subject, problem=str(error), status=422)
    return view.redirect("alerts", said=position)


def alert_history_page(view: PageView) -> Response:
    """The history of alerts, newest first: `?below=` a position."""
    with view.memory() as memory:
        end = memory.log.head().position + 1
        below = min(view.query_number("below", end), end)
        entries = read_log_page(memory.log, below, lambda stored: stored.kind == "alert_change", most=CHANGES)
        project = memory.project()
    return view.render_template(
        "alert_history.html",
        found=entries,
        is_newest=below == end,
        earlier=latest_alert_messages(project, entries.entries),
        readable=lambda text: readable_ids(text, project),
    )


def _render_alert(view: PageView, constraint: str, subject: str, *, problem: str = "", status: int = 200) -> Response:
    with view.memory() as memory:
        project, now = memory.project(), _alerts_page_time(memory)
        alert = _alert_of_page(project, constraint, subject)
        card = _alert_card(project, memory.log, alert, now, most=EVERY_QUOTE)
        try:
            why = memory.why(constraint) if constraint in project.constraints else None
        except RunError as error:  # the alert is shown anyway
            why, problem = None, str(error)
    code = why.constraint.constraint.code if why else ""
    return view.render_template(
        "alert.html",
        status=status,
        one=card,
        alert=card.alert,
        reviews=table_reviews(project, alert.tables),
        why=why,
        sentence=_why_sentence(project, alert, why) if why else "",
        readable=lambda text: readable_ids(text, project),
        lines=highlighted_lines("constraint.py", code),
        plain=lambda text: without_loaded_names(text, project),
        problem=problem,
        named=record_link_maker(project),
        tomorrow=(now + timedelta(days=1)).date(),
    )


def _alert_card(project: Project, log: Log, alert: Alert, now: datetime, *, most: int) -> AlertCard:
    return AlertCard(
        readable_alert(alert, project),
        alert.is_quiet(now),
        quote_cited_entries(log, alert.cites, most=most),
        nameable_records(project, alert.records),
    )


def _why_sentence(project: Project, alert: Alert, why: Why) -> str:
    """Why the alert is active, with the values that decided it; its message is the title of the page already."""
    reasons = {one.subject: reason for one, reason in zip(why.alerts, why.reasons, strict=False)}
    reason = reasons.get(alert.subject, "")
    return readable_ids(f"{reason.removesuffix(f': {one_line(alert.message)}')}.", project) if reason else ""


def _alert_of_page(project: Project, constraint: str, subject: str) -> Alert:
    alert = project.alerts.get((constraint, subject))
    if alert is None:
        raise NotFound(f"No such active alert: {constraint} / {subject}. It may have cleared.")
    return alert


def _alerts_page_time(memory: Memory) -> datetime:
    """The later of the clock and the last tick, so that an expired snooze no longer counts."""
    project, now = memory.project(), memory.log.now()
    return max(now, project.now) if project.now else now


def _snooze_end(view: PageView, now: datetime) -> datetime:
    """The end of a snooze: after a number of days, or at the start of a day."""
    days, day = view.form.get("days", ""), view.form.get("day", "")
    if days in ("1", "7", "30"):
        return (now + timedelta(days=int(days))).replace(second=0, microsecond=0)
    try:
        until = datetime.combine(date.fromisoformat(day), time(), UTC)
    except ValueError:
        raise Refused(f"until is {day!r}. Use a day such as 2026-03-01.") from None
    if until <= now:
        raise Refused(f"until is {day}, which is past. Choose a later day.")
    return until


def _alert_response_position(log: Log, position: int) -> int:
    """The position if it holds a response to an alert, so that the response can be undone; else 0."""
    stored = next(log.read(position, position + 1), None) if position else None
    is_said = stored is not None and isinstance(stored.entry, AlertChange) and stored.entry.change in SAID
    return position if is_said else 0


PAGES = (
    Page("/users/{user}/alerts", alerts_page, title="Alerts", letter="a", group="Watched"),
    Page("/users/{user}/alerts/one", alert_page),
    Page("/users/{user}/alerts/history", alert_history_page),
    Page("/users/{user}/alerts/acknowledge", submit_acknowledge, right="write", method="POST"),
    Page("/users/{user}/alerts/snooze", submit_snooze, right="write", method="POST"),
)
