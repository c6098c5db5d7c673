"""uac log, uac users: show a log, list the users."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, get_args

import click

from uac.interfaces.cli.options import CliContext, Moment, Positions, common_options, user_argument
from uac.interfaces.cli.output import second_text
from uac.interfaces.views.log import entry_view
from uac.interfaces.views.service import user_view
from uac.interfaces.views.view import view_json
from uac.log.log import Log, Stored
from uac.log.store import User
from uac.schema.entries import (
    Entry,
    Fact,
    Kind,
    Observation,
    Role,
)
from uac.schema.entry_text import entry_text
from uac.schema.periods import Period
from uac.schema.safe_text import mark_line_breaks

__all__ = ["entry_json", "log", "log_entry_line", "users"]

SHORT = 240
POLL_SECONDS = 0.3


@click.command()
@user_argument()
@click.argument("positions", nargs=-1, type=Positions())
@click.option("--kind", "kinds", multiple=True, type=click.Choice(get_args(Kind)), help="Only this kind (repeatable).")
@click.option("--role", type=click.Choice(get_args(Role)), help="Only observations of this role.")
@click.option("--speaker", help="Only observations of this speaker.")
@click.option("--session", help="Only observations of this session.")
@click.option("--text", help="Only entries whose text contains this; case is ignored.")
@click.option("--since", type=Moment(), help="Only entries stored at this time or later.")
@click.option("--until", type=Moment(), help="Only entries stored at this time or earlier.")
@click.option("--last", type=click.IntRange(min=1), help="Only the last N of these.")
@click.option("--full", is_flag=True, help=f"Show long texts whole, not their first {SHORT} characters.")
@click.option("-f", "--follow", is_flag=True, help="Keep printing new entries until Ctrl-C.")
@common_options
def log(
    context: CliContext,
    *,
    user: str,
    positions: tuple[range, ...],
    kinds: tuple[Kind, ...],
    role: Role | None,
    speaker: str | None,
    session: str | None,
    text: str | None,
    since: datetime | None,
    until: datetime | None,
    last: int | None,
    full: bool,
    follow: bool,
) -> None:
    """Show USER's log, oldest first. POSITIONS such as 3 or 5-8 select entries.

    \b
      uac log ana --last 20
      uac log ana --kind observation --text penicillin --json
      uac log ana -f
    """
    since = since and context.moment(since, option="--since")
    until = until and context.moment(until, option="--until")
    source = context.log(user)
    end = source.head().position

    def wanted(stored: Stored) -> bool:
        return (
            (not positions or any(stored.position in chosen for chosen in positions))
            and (not kinds or stored.kind in kinds)
            and (since is None or stored.at >= since)
            and (until is None or stored.at <= until)
            and _passes_log_filters(stored.entry, role, speaker, session)
            and (text is None or (stored.entry is not None and text.casefold() in entry_text(stored.entry).casefold()))
        )

    def show(stored: Stored) -> None:
        if context.out.as_json:
            context.out.json(entry_json(stored))
        else:
            words = log_entry_line(stored.entry) if full else _shorten_log_line(log_entry_line(stored.entry))
            context.out.line(
                (f"{stored.position:>6}", "cyan"),
                (f"  {second_text(stored.at)}", "dim"),
                (f"  {stored.kind:<12}", "dim"),
                f"  {words}",
                (_log_said_note(stored), "dim"),
            )

    first = min((chosen.start for chosen in positions), default=1)
    stop = max((chosen.stop for chosen in positions), default=end + 1)
    selected: Iterator[Stored] = filter(wanted, source.read(first, min(stop, end + 1)))
    for stored in deque(selected, maxlen=last) if last else selected:
        show(stored)
    if not follow:
        context.out.note_if_empty("no entries")
    if follow:
        _follow_log(source, end + 1, lambda stored: show(stored) if wanted(stored) else None)


@click.command()
@click.option("--after", default="", help="Start after this user.")
@click.option("--limit", type=click.IntRange(min=1), help="Print at most this number of users.")
@common_options
def users(context: CliContext, after: str, limit: int | None) -> None:
    """List the users of the store, with the length of their logs."""
    store = context.store()

    def pages() -> Iterator[User]:
        behind, left = after, limit
        while page := store.users(after=behind, limit=min(1000, left or 1000)):
            yield from page
            behind = page[-1].name
            if left is not None and (left := left - len(page)) <= 0:
                return

    if context.out.as_json:
        for user in pages():
            context.out.json(view_json(user_view(user), utc="+00:00"))
    else:
        context.out.table(
            ("user", "entries", "last entry"),
            ((user.name, str(user.entries), second_text(user.last)) for user in pages()),
        )
        context.out.note_if_empty("no users")


def entry_json(stored: Stored) -> dict[str, Any]:
    """The entry as `uac log --json` prints it; `entry` is null once erased."""
    return {**view_json(entry_view(stored)), "at": stored.at.isoformat()}


def _log_said_note(stored: Stored) -> str:
    """The time of the statement, if it differs from the time of storage."""
    said = stored.entry.said if isinstance(stored.entry, Observation) else stored.at
    return f"  (said {said.isoformat(timespec='minutes')})" if abs(said - stored.at) > timedelta(minutes=1) else ""


def log_entry_line(entry: Entry | None) -> str:
    """The entry on one line, with its speaker or its sources."""
    match entry:
        case Observation():
            text = f"{entry.speaker or entry.role}: {entry.text}"
        case Fact():
            person = f"according to {entry.according_to}" if entry.according_to else ""
            notes = [
                entry.authority,
                person,
                entry.topic,
                f"from {', '.join(str(cite.position) for cite in entry.cites)}",
                f"unsure: {entry.unsure}" if entry.unsure else "",
            ]
            text = f"{entry.text}{_log_validity_note(entry.held)}  [{'; '.join(filter(None, notes))}]"
        case _:
            text = entry_text(entry)
    return mark_line_breaks(text)


def _passes_log_filters(entry: Entry | None, role: Role | None, speaker: str | None, session: str | None) -> bool:
    if role is None and speaker is None and session is None:
        return True
    return (
        isinstance(entry, Observation)
        and role in (None, entry.role)
        and speaker in (None, entry.speaker)
        and session in (None, entry.session)
    )


def _log_validity_note(period: Period) -> str:
    if period == Period():
        return ""
    return f" ({period.start})" if period.start == period.end else f" ({period.start or '…'} to {period.end or '…'})"


def _shorten_log_line(words: str) -> str:
    left = len(words) - SHORT
    return words if left <= 40 else f"{words[:SHORT]}… (+{left:,} characters; --full shows them)"


def _follow_log(source: Log, position: int, show: Callable[[Stored], None]) -> None:
    try:
        while True:
            for stored in source.read(position):
                show(stored)
                position = stored.position + 1
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        return
