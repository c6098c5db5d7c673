"""Learning and ticking inside the service: whatever is written, by whomever, is read by the configured model.

Writes of this process are heard at once; those of others are found by the lengths of the logs. A user who is being
learned by another worker is left to it. What fails is logged once, kept for `uac doctor`, and tried again later.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta

import anyio
import anyio.abc
from anyio.to_thread import run_sync

from uac.conversation.learning import Cadence, Learned
from uac.errors import UacError
from uac.interfaces.http.memory_cache import MemoryCache
from uac.interfaces.http.notify import ChangeNotifier, Wakeup
from uac.interfaces.service.learning_failures import clear_learning_failure, note_learning_failure
from uac.log.store import Store, User
from uac.memory.background import learn_in_turn
from uac.memory.memory import Memory
from uac.models import Budget, ModelsFor

__all__ = ["ServiceLearner"]

logger = logging.getLogger(__name__)

EVERY = 30.0  # seconds between two looks at all logs
FIRST_TICK, TICK_EVERY = 60.0, 3600.0
AT_ONCE = 4  # users for whom a model is called at the same time
RETRY_SECONDS, LONGEST_RETRY_SECONDS = 30.0, 3600.0
WAITING_SECONDS = 60.0  # until a user whose facts wait for their batch is looked at again
RECENT = timedelta(days=1)  # a user who was silent for longer when the service starts is left to 'uac learn --all'


class ServiceLearner:
    """Learns and ticks for all users of a store: `run` continues until cancelled. Without models, it only ticks."""

    def __init__(
        self,
        store: Store,
        memories: MemoryCache,
        notifier: ChangeNotifier,
        *,
        models: ModelsFor | None,
        budget: Budget,
        clock: Callable[[], datetime],
        judged: bool = False,
        every: float = EVERY,
        tick_every: float = TICK_EVERY,
    ) -> None:
        self._store, self._memories, self._notifier = store, memories, notifier
        self._models, self._budget, self._judged, self._clock = models, budget, judged, clock
        self._every, self._tick_every = every, tick_every
        self._changed: set[str] = set()
        self._lengths: dict[str, int] | None = None
        self._due: dict[str, float] = {}  # when a user is looked at again
        self._delays: dict[str, float] = {}
        self._busy: set[str] = set()
        self._said: dict[str, str] = {}  # the last failure of each user, so that it is logged once

    async def run(self) -> None:
        """Learn and tick until cancelled."""
        wakeup = Wakeup()

        def heard(name: str) -> None:
            self._changed.add(name)
            wakeup.wake()

        async with anyio.create_task_group() as group:
            group.start_soon(self._tick_regularly)
            if self._models is None:
                return
            with self._notifier.listen(heard):
                slots = anyio.Semaphore(AT_ONCE)
                looked = -self._every
                while True:
                    if time.monotonic() - looked >= self._every:
                        looked = time.monotonic()
                        await self._find_changed_users()
                    for name in self._users_to_learn():
                        group.start_soon(self._learn_user, name, slots, wakeup)
                    await wakeup.wait(min(self._every, 1.0 if self._due else self._every))

    async def _find_changed_users(self) -> None:
        """Users whose log has grown since the last look; at the first look, those who wrote lately."""
        try:
            users = await run_sync(self._all_users, abandon_on_cancel=True)
        except UacError as error:
            logger.warning("users to learn from cannot be listed: %s", error)
            return
        before = self._lengths
        self._lengths = {user.name: user.entries for user in users}
        since = self._clock() - RECENT
        self._changed |= {
            user.name
            for user in users
            if (before is None and user.last is not None and user.last >= since)
            or (before is not None and before.get(user.name) != user.entries)
        }

    def _all_users(self) -> list[User]:
        users: list[User] = []
        while page := self._store.users(after=users[-1].name if users else ""):
            users += page
        return users

    def _users_to_learn(self) -> list[str]:
        """The users who are due, and not being learned now; a failing one waits, whatever is written."""
        now = time.monotonic()
        wanted = {name for name in self._changed if name not in self._delays}
        wanted |= {name for name, due in self._due.items() if due <= now}
        wanted -= self._busy
        self._changed -= wanted
        for name in wanted:
            self._due.pop(name, None)
        self._busy |= wanted
        return sorted(wanted)

    async def _learn_user(self, name: str, slots: anyio.Semaphore, wakeup: Wakeup) -> None:
        try:
            async with slots:
                why, waits = await run_sync(self._learn, name, abandon_on_cancel=True)
        finally:
            self._busy.discard(name)
        if why:
            self._delays[name] = min(2 * self._delays.get(name, RETRY_SECONDS / 2), LONGEST_RETRY_SECONDS)
            self._due[name] = time.monotonic() + self._delays[name]
        else:
            self._delays.pop(name, None)
            if waits:
                self._due[name] = time.monotonic() + WAITING_SECONDS
        wakeup.wake()  # words that came meanwhile

    def _learn(self, name: str) -> tuple[str, bool]:
        """Why learning stopped, "" if it did not; and whether facts wait for their batch."""
        waits = False
        try:
            with self._memories.separate_memory(name) as memory:
                before = memory.log.head().position
                learned = learn_in_turn(memory, lambda: self._ask_models(memory))
                end = memory.log.head().position
                waits = learned is None or bool(memory.project().waiting)
                stopped = "" if learned is None else learned.stopped
        except (UacError, OSError) as error:
            stopped, before, end = str(error), 0, 0
            learned = Learned(stopped=stopped)
        if end != before:
            if self._lengths is not None:
                self._lengths[name] = end
            self._notifier.notify_user_changed(name)
        if learned is not None:
            self._note_result(name, stopped)
        return stopped, waits

    def _ask_models(self, memory: Memory) -> Learned:
        return memory.learn(self._models, budget=self._budget, cadence=Cadence(), judged=self._judged)

    def _note_result(self, name: str, stopped: str) -> None:
        if not stopped:
            self._said.pop(name, None)
            clear_learning_failure(self._store.address, name)
            return
        note_learning_failure(self._store.address, name, stopped, self._clock())
        if self._said.get(name) != stopped:
            logger.warning("learning stopped, and is tried again: %s", stopped)
            self._said[name] = stopped

    async def _tick_regularly(self) -> None:
        """Let time pass for all users, so that deadlines are noticed and snoozed alerts wake."""
        await anyio.sleep(min(self._tick_every, FIRST_TICK))
        while True:
            try:
                for user in await run_sync(self._all_users):
                    if await run_sync(self._tick, user.name):
                        self._notifier.notify_user_changed(user.name)
            except UacError as error:
                logger.warning("time could not pass for all users: %s", error)
            await anyio.sleep(self._tick_every)

    def _tick(self, name: str) -> bool:
        try:
            before = self._store.log(name).head().position
            with self._memories.separate_memory(name) as memory:  # that of a group is brought up to date
                memory.tick()
                return memory.log.head().position != before
        except UacError as error:  # one user's log does not stop the others
            logger.warning("time could not pass for a user: %s", error)
            return False
