"""Delivers changes of alerts, each at least once, and records the progress in the log."""

from collections.abc import Callable, Sequence

from uac.errors import Refused
from uac.log.log import Log, Stored
from uac.project.project import Project
from uac.schema.entries import AlertChange, Delivery, Entry

__all__ = ["deliver_alert_changes"]

NOTED_EVERY = 100  # changes sent between two progress entries


def deliver_alert_changes(
    to: str,
    send: Callable[[Stored, AlertChange], None],
    *,
    log: Log,
    done: int,
    append: Callable[[Callable[[Project], Sequence[Entry]]], object],
) -> int:
    """Send every change of alerts after the position `done`, in order; returns how many were sent.

    An error of `send` ends the delivery; what was sent before is noted, and the rest is sent next time.
    """
    if not to.strip():
        raise Refused("to is empty. Name the recipient of the alerts.")
    sent = noted = 0

    def note() -> int:
        append(lambda _project: [Delivery(to=to, through=done)])
        return sent

    try:
        for stored in log.read(done + 1):
            if isinstance(stored.entry, AlertChange):
                send(stored, stored.entry)
                sent, done = sent + 1, stored.position
                if sent - noted >= NOTED_EVERY:
                    noted = note()
    finally:
        if sent > noted:
            note()
    return sent
