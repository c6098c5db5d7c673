"""Sends changes of alerts to somebody, at least once each, and notes in the log how far it came."""

from collections.abc import Callable, Sequence

from uac.errors import Refused
from uac.log.log import Log, Stored
from uac.project.project import Project
from uac.schema.entries import AlertChange, Delivery, Entry

__all__ = ["deliver"]

NOTED_EVERY = 100  # changes that are sent between two entries that say so


def deliver(
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
        raise Refused("to is empty, needs a name for who gets the alerts")
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
