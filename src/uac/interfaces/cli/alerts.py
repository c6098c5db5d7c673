"""uac alerts, ack, snooze, tick: show alerts, acknowledge or snooze them, and advance the time."""

import sys
import time
from collections import Counter, deque
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import click
import msgspec

from uac.errors import Damaged, Refused, RunError, Unavailable
from uac.interfaces.cli.options import (
    CliContext,
    Moment,
    common_options,
    constraint_argument,
    moment_with_zone,
    unreviewed_setting,
    user_argument,
)
from uac.interfaces.cli.output import Output, minute_text, second_text
from uac.log.log import Stored
from uac.memory.memory import Memory
from uac.project.alerts import SEVERITIES, Alert
from uac.project.project import Project
from uac.project.table_reviews import table_reviews
from uac.schema.constraints import Severity
from uac.schema.entries import AlertChange, Tick
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = [
    "STYLES",
    "AlertEvent",
    "ack",
    "alert_changes_json",
    "alert_changes_to_show",
    "alerts",
    "show_alert",
    "show_alert_changes",
    "show_alert_sources",
    "snooze",
    "tick",
]

POLL_SECONDS = 0.3
STALE = timedelta(days=1)
FUTURE = timedelta(minutes=5)  # by which clocks may differ
SHORT = 3  # cited records of an alert that are named
CANNOT_SERVE = 4
STYLES: dict[str, str] = {"critical": "bold red", "warning": "yellow", "info": "cyan", "failed": "red"}

zone_option = click.option(
    "--zone", default="", help="The time zone, such as Europe/Berlin; it decides what day it is.  [default: $UAC_ZONE]"
)


@click.command()
@user_argument()
@click.option("--history", is_flag=True, help="Show every change of alerts, oldest first, with its time and position.")
@click.option("--limit", type=click.IntRange(min=1), help="With --history: only the last N changes.")
@click.option("--watch", is_flag=True, help="Keep printing changes until Ctrl-C.")
@click.option(
    "--severity", type=click.Choice(SEVERITIES), default="info", help="The lowest severity to show.  [default: info]"
)
@click.option(
    "--check",
    is_flag=True,
    help="Exit with code 1 if a critical alert is not acknowledged, or a constraint failed or has not run.",
)
@common_options
def alerts(
    context: CliContext,
    *,
    user: str,
    history: bool,
    limit: int | None,
    watch: bool,
    severity: Severity,
    check: bool,
) -> None:
    """Show the active alerts of USER, the most severe first.

    Acknowledged and snoozed alerts come last. A constraint that could not run is an alert, too, as
    severe as what it looks for. The exit code is 0, alerts or not; --check is for scripts, and an alert that is
    snoozed counts as acknowledged until its time.

    \b
      uac alerts ana
      uac alerts ana --history --limit 20
      uac alerts ana --check --severity critical || notify-send "Ana needs you"
    """
    if limit is not None and not history:
        raise click.UsageError("--limit requires --history. Add it, or drop --limit.")
    if check and watch:
        raise click.UsageError("--check and --watch exclude each other. Use one of them.")
    memory = context.memory(user)
    project, now = memory.project(), _alert_time(context, memory)
    if history:
        events = (AlertEvent(*pair) for pair in memory.history() if _is_alert_change_shown(pair[1], severity))
        show_alert_changes(context.out, deque(events, maxlen=limit), with_time=True)
        context.out.note_if_empty(
            "no alert was ever raised" if severity == "info" else f"no alert was {severity} or worse"
        )
    else:
        _show_active_alerts(context, user, project, severity, now)
    if watch:
        _follow_alert_changes(context.out, memory, project.position, severity)
    loud = [alert for alert in project.standing() if alert.severity == "critical" and not alert.is_quiet(now)]
    if check and (loud or project.failures or project.unwatched):
        click.get_current_context().exit(1)


@click.command()
@user_argument()
@constraint_argument()
@click.argument("subject", default="")
@click.option("--why", default="", help="The reason, kept in the log.")
@common_options
def ack(context: CliContext, *, user: str, constraint: str, subject: str, why: str) -> None:
    """Acknowledge an alert of USER. It stays active, without further notice, until it clears.

    SUBJECT is required if CONSTRAINT has several alerts.

    \b
      uac ack ana drug_allergy --why "Dr. Berg knows and agrees"
    """
    memory = context.memory(user)
    _show_alert_response(context, user, memory, memory.acknowledge(constraint, subject, why=why))


@click.command()
@user_argument()
@constraint_argument()
@click.argument("subject", default="")
@click.option("--until", type=Moment(), help="Snooze until this time, ISO 8601.")
@click.option("--days", type=click.IntRange(min=1, max=3660), help="Snooze for this number of days.")
@zone_option
@click.option("--why", default="", help="The reason, kept in the log.")
@common_options
def snooze(
    context: CliContext,
    *,
    user: str,
    constraint: str,
    subject: str,
    until: datetime | None,
    days: int | None,
    zone: str,
    why: str,
) -> None:
    """Snooze an alert of USER until a time. If it is still active then, the next tick reports it again.

    SUBJECT is required if CONSTRAINT has several alerts.

    \b
      uac snooze ana lease_notice --days 14
      uac snooze ana passport_validity --until 2026-06-01 --zone Europe/Berlin
    """
    if (until is None) == (days is None):
        raise click.UsageError("Give either --until or --days.")
    memory = context.memory(user)
    now = _alert_time(context, memory)
    moment = (
        now + timedelta(days=days or 0)
        if until is None
        else moment_with_zone(until, zone or context.zone, option="--until")
    )
    if moment <= now:
        raise Refused(f"--until: {moment.isoformat()} is past. Use a time after {now.isoformat(timespec='minutes')}.")
    until = moment.replace(microsecond=0)
    _show_alert_response(context, user, memory, memory.snooze(constraint, subject, until=until, why=why))


@click.command()
@user_argument(required=False, many=True)
@click.option("--now", type=Moment(), help="The current time, ISO 8601.  [default: $UAC_NOW, else now]")
@zone_option
@click.option("--dry-run", is_flag=True, help="Show which alerts would change, and write nothing.")
@click.option("--yes", is_flag=True, help="Advance the time though --now is in the future. It never goes back.")
@common_options
def tick(
    context: CliContext, *, users: tuple[str, ...], now: datetime | None, zone: str, dry_run: bool, yes: bool
) -> None:
    """Advance the time for USERS (default: all users of the store), and run the constraints that depend on it.

    Ticks notice deadlines and wake snoozed alerts; every write includes one, too. A tick that changes
    nothing is not written. A user whose log cannot be read or written is reported and does not stop
    the others; the exit code is then 4. Run it from cron, once an hour:

    \b
      0 * * * *  uac tick

    A time in the future needs --yes, because time never goes back; --dry-run shows what it would raise:

    \b
      uac tick ana --now 2030-06-01 --zone Europe/Berlin --dry-run
    """
    moment = context.moment(now, zone or context.zone, option="--now")
    context.zone = zone or context.zone
    context.check_settings()
    if not (dry_run or yes) and moment > context.now() + FUTURE:
        raise Refused(
            f"--now: {minute_text(moment)} is in the future, and time never goes back. Use --dry-run to see which"
            " alerts would change, or --yes to advance the time."
        )
    names = users or tuple(user.name for user in context.all_users())
    counts: Counter[str] = Counter()
    with context.out.progress("ticking", len(names)) as bar:
        for name in names:
            try:
                if dry_run:
                    counts.update(_show_foreseen_tick(context, name, moment))
                    continue
                made = _tick_user(context, name, None if now is None else moment)
            except (Refused, Damaged, RunError, Unavailable) as error:
                if len(users) == 1:
                    raise
                counts["errors"] += 1
                context.out.user_error(name, error)
            else:
                counts["changed"] += bool(made)
                counts.update(_tick_summary_heading(event.change) for event in made)
                if context.out.as_json and made:
                    context.out.json({"user": name, "alerts": alert_changes_json(made)})
                elif made:
                    show_alert_changes(context.out, made, user=name)
            bar.advance()
    _show_tick_summary(context.out, len(names), counts)
    if dry_run:
        context.out.note("nothing was written (--dry-run)")
    if counts["errors"]:
        click.get_current_context().exit(CANNOT_SERVE)


class AlertEvent(NamedTuple):
    """A change of an alert, and the entry that records it."""

    stored: Stored
    change: AlertChange


def alert_changes_to_show(memory: Memory, position: int) -> tuple[AlertEvent, ...]:
    """The alert changes after `position`, the end of the log before a write."""
    return tuple(AlertEvent(*pair) for pair in memory.history(position))


def show_alert_changes(out: Output, changes: Iterable[AlertEvent], *, user: str = "", with_time: bool = False) -> None:
    """One line for each alert change, critical ones in red."""
    if out.as_json:
        for line in alert_changes_json(changes):
            out.json(line)
        return
    for stored, change in changes:
        gone = change.change in ("cleared", "expired")
        style = "green" if gone else STYLES["failed" if change.change == "failed" else change.severity]
        out.line(
            (f"{user}: " if user else "", "bold"),
            (f"{stored.position:>6}  {second_text(stored.at)}  " if with_time else "", "dim"),
            (_alert_change_headline(change), style),
            f" {_alert_subject_note(change)}",
        )


def alert_changes_json(changes: Iterable[AlertEvent]) -> list[dict[str, Any]]:
    """The changes as `"alerts"` in the JSON of a command that writes."""
    from uac.interfaces.views.alerts import alert_event_view  # only for JSON
    from uac.interfaces.views.view import view_json

    views = ((stored, alert_event_view(stored, change)) for stored, change in changes)
    return [{**view_json(view, omit_defaults=True), "at": stored.at.isoformat()} for stored, view in views]


def _active_alert_json(project: Project, alert: Alert, now: datetime) -> dict[str, Any]:
    from uac.interfaces.views.alerts import alert_view  # only for JSON
    from uac.interfaces.views.view import view_json

    return view_json(alert_view(project, alert, now), omit_defaults=True)


def _alert_change_headline(change: AlertChange) -> str:
    """raised critical, cleared, failed, snoozed until …"""
    until = f" until {minute_text(change.until)}" if change.until else ""
    severity = f" {change.severity}" if change.change in ("raised", "updated", "failed") else ""
    return f"{change.change}{severity}{until}"


def _alert_subject_note(change: AlertChange) -> str:
    if change.is_failure and not change.message:
        return mark_line_breaks(f"{change.constraint} / {change.subject}: it gives results again")
    details = ": ".join(text for text in (change.subject, change.text or change.why) if text)
    return mark_line_breaks(f"{change.constraint} / {details}") + ("" if change.is_reviewed else "  (not reviewed)")


def _show_active_alerts(context: CliContext, user: str, project: Project, severity: Severity, now: datetime) -> None:
    out = context.out
    alerts = [alert for alert in project.standing() if _is_alert_severity_shown(alert.severity, severity)]
    for alert in sorted(alerts, key=lambda alert: alert.is_quiet(now)):
        if out.as_json:
            out.json({"user": user, **_active_alert_json(project, alert, now)})
        else:
            show_alert(out, project, alert, now)
    if out.as_json:
        for name in sorted(project.unwatched):
            out.json({"user": user, "constraint": name, "state": "unwatched"})
        return
    if not alerts:
        out.note("no active alerts" if severity == "info" else f"no active alert is {severity} or worse")
    _note_stale_alerts(out, user, project, now)


def show_alert(out: Output, project: Project, alert: Alert, now: datetime) -> None:
    quiet = alert.is_quiet(now)
    until = f" until {minute_text(alert.until)}" if alert.until else ""
    mark = f"  ({alert.state}{until}{f': {alert.why}' if alert.why else ''})" if quiet else ""
    text = mark_line_breaks(f"{alert.constraint} / {alert.subject}: {alert.text}")
    style = "dim" if quiet else STYLES[alert.severity]
    out.line((f"{alert.severity:<8}  ", style), text, (mark_line_breaks(mark), "dim"))
    show_alert_sources(out, project, alert)


def show_alert_sources(out: Output, project: Project, alert: Alert) -> None:
    """Since when it is active, the records and entries that it cites, and who answers for its tables."""
    named = ", ".join(alert.records[:SHORT]) + (f" and {more} more" if (more := len(alert.records) - SHORT) > 0 else "")
    entries = ", ".join(map(str, alert.cites[:SHORT])) + ("…" if len(alert.cites) > SHORT else "")
    noun = "entry" if len(alert.cites) == 1 else "entries"
    rests = "; ".join(part for part in (named, f"{noun} {entries}" if entries else "") if part)
    unread = "; not reviewed" if not alert.is_reviewed else ""
    out.line((f"{'':10}since {minute_text(alert.since)}{f'; cites {rests}' if rests else ''}{unread}", "dim"))
    for review in table_reviews(project, alert.tables):
        out.line((f"{'':10}{review}", "dim"))


def _note_stale_alerts(out: Output, user: str, project: Project, now: datetime) -> None:
    """Note constraints that have not run, or not at the current time."""
    if project.unwatched:
        unwatched = counted(len(project.unwatched), "constraint")
        out.note(f"{unwatched} not run since records were imported or erased; 'uac tick {user}' runs them")
    if unreviewed_setting() == "wait" and (
        unread := sum(not each.is_reviewed for each in project.constraints.values())
    ):
        out.note(f"{counted(unread, 'constraint')} not run before a person approves (uac constraints list {user})")
    timely = any(adopted.is_on and adopted.reading.uses_now for adopted in project.constraints.values())
    if timely and project.now is not None and now - project.now > STALE:
        out.note(f"the constraints last saw the time {minute_text(project.now)}; 'uac tick {user}' advances it")


def _follow_alert_changes(out: Output, memory: Memory, position: int, severity: Severity) -> None:
    try:
        while True:
            end = memory.log.head().position
            for event in alert_changes_to_show(memory, position):
                if _is_alert_change_shown(event.change, severity):
                    show_alert_changes(out, [event], with_time=True)
                    sys.stdout.flush()  # the reader of a pipe wants it now
                end = max(end, event.stored.position)
            position = end
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        return


def _is_alert_change_shown(change: AlertChange, severity: Severity) -> bool:
    """Whether it is severe enough. A failed constraint always is, because it may hide any alert."""
    return _is_alert_severity_shown(change.severity, severity)


def _is_alert_severity_shown(severity: Severity, least: Severity) -> bool:
    return SEVERITIES.index(severity) <= SEVERITIES.index(least)


def _show_alert_response(context: CliContext, user: str, memory: Memory, position: int) -> None:
    events = alert_changes_to_show(memory, position - 1)[:1]
    if context.out.as_json:
        context.out.json({"user": user, **alert_changes_json(events)[0]})
        return
    change = events[0].change
    context.out.line(
        (user, "bold"), f": {_alert_change_headline(change)} {_alert_subject_note(change)}, entry {position}"
    )
    context.out.note(f'to undo it: uac retract {user} {position} --why "…"')


def _alert_time(context: CliContext, memory: Memory) -> datetime:
    """The later of the clock and the last tick."""
    now, seen = context.now(), memory.project().now
    return now if seen is None else max(now, seen)


def _tick_user(context: CliContext, user: str, moment: datetime | None) -> tuple[AlertEvent, ...]:
    with closing(context.memory_for_log(context.log(user))) as memory:
        before = memory.project().position
        return alert_changes_to_show(memory, before) if memory.tick(moment) else ()


def _show_foreseen_tick(context: CliContext, user: str, moment: datetime) -> list[str]:
    """Show the changes of alerts that a tick would bring; returns how each is counted."""
    with closing(context.memory_for_log(context.log(user))) as memory:
        project = memory.project()
        if project.now is not None and moment < project.now:
            raise Refused(
                f"--now: {minute_text(moment)} is before the last tick. Use {minute_text(project.now)} or later."
            )
        _after, changes = memory.foresee([Tick(now=moment)])
    if context.out.as_json:
        context.out.json({"user": user, "alerts": [msgspec.to_builtins(change) for change in changes]})
    else:
        for change in changes:
            context.out.line(
                (f"{user}: ", "bold"), f"would be {_alert_change_headline(change)} {_alert_subject_note(change)}"
            )
    return [*map(_tick_summary_heading, changes), *(["changed"] if changes else [])]


def _tick_summary_heading(change: AlertChange) -> str:
    """The heading under which the summary counts a change: an expired alert counts as cleared."""
    if change.change == "cleared" and change.is_failure:
        return "mended"
    return "cleared" if change.change == "expired" else change.change


def _show_tick_summary(out: Output, users: int, counts: Counter[str]) -> None:
    if out.as_json:
        kinds = ("changed", "raised", "updated", "cleared", "failed", "mended", "errors")
        out.json({"users": users, **{kind: counts[kind] for kind in kinds}})
        return
    more = "".join(f", {counts[kind]} {kind}" for kind in ("updated", "failed", "mended") if counts[kind])
    wrong = f"; {counts['errors']} could not be ticked" if counts["errors"] else ""
    changed = f"{counts['changed']} with changes: {counts['raised']} raised, {counts['cleared']} cleared{more}"
    out.line(f"{counted(users, 'user')}, {changed}{wrong}")
