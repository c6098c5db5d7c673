"""Several processes of the service on one store: changes that others made are heard, and each role is one process's.

On a store without coordination (SQLite, in memory) there is one process, and none of this runs.
"""

import logging
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from anyio.to_thread import run_sync

from uac.errors import ReadOnly, UacError
from uac.interfaces.http.notify import ChangeNotifier, Wakeup
from uac.log.coordination import CoordinatedStore, Coordination
from uac.log.store import Store

__all__ = ["open_coordination", "relay_changes", "run_in_role"]

logger = logging.getLogger(__name__)

LISTEN_SECONDS = 1.0  # a thread waits for at most this long, also when the service stops
ANNOUNCE_EVERY = 0.02  # seconds in which changes are collected: one notification for all of them
ROLE_EVERY = 2.0  # seconds between two looks at whether a role is free, or still this process's
AFTER_ERROR = 1.0


def open_coordination(store: Store) -> Coordination | None:
    """The store's means of coordination; None if it has none, or this role of the database may not use them."""
    if not isinstance(store, CoordinatedStore):
        return None
    try:
        return store.coordination()
    except ReadOnly as error:
        logger.warning("nothing is shared with other processes of the service: %s", error)
        return None


async def relay_changes(coordination: Coordination, notifier: ChangeNotifier) -> None:
    """Pass changes of this process on to the others, and theirs to this one's listeners, until cancelled.

    A notification that is lost costs time only: everyone who listens polls, too.
    """
    async with anyio.create_task_group() as group:
        group.start_soon(_announce, coordination, notifier)
        group.start_soon(_listen, coordination, notifier)


async def _announce(coordination: Coordination, notifier: ChangeNotifier) -> None:
    wakeup = Wakeup()
    changed: set[str] = set()

    def heard(name: str) -> None:
        changed.add(name)
        wakeup.wake()

    with notifier.relay(heard):
        while True:
            await wakeup.wait(60)
            await anyio.sleep(ANNOUNCE_EVERY)
            names = {changed.pop() for _ in range(len(changed))}
            if names:
                try:
                    await run_sync(coordination.announce_changes, names)
                except UacError as error:
                    logger.warning("other processes were not notified: %s", error)


async def _listen(coordination: Coordination, notifier: ChangeNotifier) -> None:
    while True:
        try:
            await run_sync(_wait_for_changes, coordination, notifier, abandon_on_cancel=True)
        except UacError as error:
            logger.warning("other processes are not heard: %s", error)
            await anyio.sleep(AFTER_ERROR)


def _wait_for_changes(coordination: Coordination, notifier: ChangeNotifier) -> None:
    for name in coordination.wait_for_changes(LISTEN_SECONDS):
        notifier.notify_changed_elsewhere(name)


async def run_in_role(
    coordination: Coordination | None,
    role: str,
    work: Callable[[], Coroutine[Any, Any, None]],
    *,
    every: float = ROLE_EVERY,
) -> None:
    """Run `work`, which ends when it is cancelled, in one process at a time; another one takes over if that dies.

    The role is a lock of the store's session. If the session is lost, the work is cancelled within `every` seconds;
    until then another process may have begun it.
    """
    if coordination is None:
        await work()
        return
    while True:
        if await _has_role(coordination, role):
            async with anyio.create_task_group() as group:
                group.start_soon(work)
                while await _has_role(coordination, role):
                    await anyio.sleep(every)
                group.cancel_scope.cancel()
        await anyio.sleep(every)


async def _has_role(coordination: Coordination, role: str) -> bool:
    try:
        return await run_sync(coordination.hold_role, role)
    except UacError as error:
        logger.warning("the role %r: %s", role, error)
        return False
