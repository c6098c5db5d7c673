"""Enqueues jobs for the users whom a service writes to, beside its requests."""

import logging
import time
from collections import OrderedDict

import anyio
from anyio.to_thread import run_sync

from uac.errors import UacError
from uac.interfaces.http.notify import Wakeup
from uac.interfaces.http.user_context import Service
from uac.interfaces.service.webhooks import Hooks
from uac.interfaces.work.job_client import JobClient
from uac.log.log import wall_clock
from uac.log.store import Store

__all__ = ["JobEnqueuer"]

logger = logging.getLogger(__name__)

MOST = 10_000  # users whose jobs wait to be enqueued; others are found by the sweep
LOGGED_EVERY = 60.0  # seconds between two warnings that jobs cannot be enqueued


class JobEnqueuer:
    """Hears of writes in this process, and enqueues learning and webhooks for their users.

    A job that cannot be enqueued is not lost: the words are in the log, and a worker's sweep finds them.
    """

    def __init__(self, client: JobClient, store: Store) -> None:
        self.client = client
        self._store = store
        self._hooks = Hooks(store.own(), wall_clock)
        self._service: Service | None = None
        self._changed: OrderedDict[str, None] = OrderedDict()
        self._logged = float("-inf")

    def bind(self, service: Service) -> "JobEnqueuer":
        """The same, for a service; `run` then hears its writes."""
        self._service = service
        return self

    async def run(self) -> None:
        """Enqueue until cancelled."""
        assert self._service is not None
        wakeup = Wakeup()

        def heard(name: str) -> None:
            if len(self._changed) < MOST:
                self._changed[name] = None
                wakeup.wake()

        with self._service.notifier.listen(heard):
            while True:
                await wakeup.wait(60.0)
                while self._changed:
                    name, _none = self._changed.popitem(last=False)
                    await run_sync(self._enqueue, name, abandon_on_cancel=True)
                await anyio.sleep(0.05)  # writes of one user in quick succession are one job

    def _enqueue(self, name: str) -> None:
        try:
            position = self._store.log(name).head().position
            if position:
                self.client.enqueue_user("learn", name, position)
                if any(hook.covers_user(name) for hook in self._hooks.all_webhooks()):
                    self.client.enqueue_user("webhooks", name, position)
        except UacError as error:
            if time.monotonic() - self._logged >= LOGGED_EVERY:
                self._logged = time.monotonic()
                logger.warning("jobs are left to the workers' sweep: %s", error)
