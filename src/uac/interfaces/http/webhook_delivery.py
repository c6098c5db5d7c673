"""Alert changes go to hooks: in order for each user, at least once, again and again until they are received.

What has reached a hook stands in the users' logs (Delivery), so a restart goes on where the last process stopped. Who
has news is found by looking through the tenant's users by the time of their last entry, from the time on before which
everything has arrived; writes of this process are seen at once. Two processes may deliver at the same time: a message
that both send has the same id.
"""

import logging
import random
import secrets
from collections import OrderedDict, deque
from collections.abc import Awaitable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import NamedTuple, Protocol

import anyio
import anyio.abc
import msgspec
from anyio.to_thread import run_sync

from uac.errors import Refused, UacError
from uac.interfaces.http.notify import ChangeNotifier, Wakeup
from uac.interfaces.http.webhook_post import Message, Sent, post
from uac.interfaces.service.api_keys import stored_as
from uac.interfaces.service.webhooks import Hook, Hooks
from uac.interfaces.views.alerts import AlertEventView, alert_event_view
from uac.interfaces.views.view import as_json
from uac.log.log import Clock, Head, Log, Stored
from uac.log.store import Store
from uac.schema.entries import AlertChange, Delivery

__all__ = ["Post", "Rules", "WebhookSender", "message", "wait"]

logger = logging.getLogger(__name__)

SLACK = timedelta(minutes=5)
"""An entry may come into the log so long after the time it is stamped with: other clocks, transactions that waited."""
NOTED = 20  # messages between two entries that say that they have arrived
TURN = 5.0  # seconds after which a hook lets others go on
AT_ONCE = 64  # hooks that are sent to at the same time
PAGE = 1000  # users that are looked at in one go
SHARE = 20  # looking through all users takes at most one part in so many of the time
REMEMBERED = 10_000  # pairs of hook and user of which it is known how far they are
TOLD_AFTER = 3  # tries that fail until the hook counts as failing
AT_MOST_EVERY = timedelta(minutes=1)  # it is noted that a hook begins to fail: some do with each message
MARK_EVERY = timedelta(hours=6)  # the own log notes how far a hook is
RHYTHM = 0.05  # seconds between two rounds, however much is written
EVER = datetime(1970, 1, 1, tzinfo=UTC)
GONE = 410  # the receiver says that it wants nothing more


@dataclass(frozen=True, slots=True)
class Rules:
    """How hooks are served. `private` lets them be on this machine and network."""

    private: bool = False
    every: float = 10.0
    """Seconds between two looks for what other processes wrote."""
    first_wait: float = 5.0
    longest_wait: float = 3600.0
    patience: timedelta = timedelta(days=3)
    """A hook that fails for so long is given up, until a test reaches it."""


class Post(Protocol):
    """Sends one message once."""

    def __call__(self, hook: Hook, message: Message, *, now: datetime, private: bool) -> Awaitable[Sent]: ...


class _Waiting(NamedTuple):
    """The next changes that a hook has not heard of, and up to where there are no others."""

    changes: list[tuple[Stored, AlertChange]]
    through: Head


@dataclass(slots=True)
class _Trouble:
    """Messages that do not arrive: since when, how often it was tried, and when it is tried again."""

    since: datetime
    until: datetime
    tries: int = 0


class WebhookSender:
    """Brings alert changes to hooks. `run` goes on until it is cancelled; `look` does it once."""

    def __init__(
        self,
        store: Store,
        hooks: Hooks,
        notifier: ChangeNotifier,
        clock: Clock,
        rules: Rules | None = None,
        post: Post = post,
    ) -> None:
        self.hooks = hooks
        self.rules = rules or Rules()
        self._store = store
        self._notifier = notifier
        self._clock = clock
        self._post = post
        # Who was written about in this process; those who do not fit in are found by looking.
        self._heard: deque[str] = deque(maxlen=REMEMBERED)
        self._wakeup: Wakeup | None = None
        self._busy: set[str] = set()
        self._due: dict[str, float] = {}  # when all users of a hook are looked through again
        self._troubles: dict[tuple[str, str], _Trouble] = {}  # by hook and user; user "": the hook as a whole
        self._known: OrderedDict[tuple[str, str], Head] = OrderedDict()  # up to where nothing waits
        self._through: dict[str, datetime] = {}
        self._noted: dict[str, datetime] = {}  # when it was noted that a hook began to fail

    async def run(self) -> None:
        """Deliver until cancelled."""
        self._wakeup = wakeup = Wakeup()

        def heard(name: str) -> None:
            self._heard.append(name)
            wakeup.wake()

        with self._notifier.listening(heard):
            async with anyio.create_task_group() as group:
                slots = anyio.Semaphore(AT_ONCE)
                while True:
                    await self._round(group, slots)
                    await anyio.sleep(RHYTHM)
                    await wakeup.wait(self.rules.every)

    async def look(self) -> None:
        """Look through all users once, and send what waits and is due."""
        async with anyio.create_task_group() as group:
            slots = anyio.Semaphore(AT_ONCE)
            for hook in await run_sync(self._active):
                group.start_soon(self._turn, hook, None, slots)

    async def test(self, hook: Hook) -> Sent:
        """Send a message without news. If it is received, a hook that was given up is served again."""
        now = self._clock()
        body = {"type": "test", "timestamp": now, "data": {"hook": hook.id}}
        test = Message(f"test_{secrets.token_hex(16)}", msgspec.json.encode(body))
        sent = await self._post(hook, test, now=now, private=self.rules.private)
        if sent.is_received:
            for key in [key for key in list(self._troubles) if key[0] == hook.id]:
                self._troubles.pop(key, None)
            await run_sync(self._recover, hook)
        return sent

    async def _round(self, group: anyio.abc.TaskGroup, slots: anyio.Semaphore) -> None:
        """Start a turn for each hook that has one due, or whose users were written about."""
        try:
            hooks = await run_sync(self._active)
        except UacError as error:
            logger.warning("hooks: %s", error)
            return
        fresh = {self._heard.popleft() for _ in range(len(self._heard))}
        for hook in hooks:
            mine = {name for name in fresh if hook.hears_of(name)}
            if hook.id in self._busy:
                self._heard.extend(mine)
            elif anyio.current_time() >= self._due.get(hook.id, 0):
                self._busy.add(hook.id)
                group.start_soon(self._turn, hook, None, slots)
            elif mine:
                self._busy.add(hook.id)
                group.start_soon(self._turn, hook, mine, slots)

    def _active(self) -> list[Hook]:
        hooks = self.hooks.hooks()
        for number in set(self._due) - {hook.id for hook in hooks}:  # removed
            self._due.pop(number, None)
            self._through.pop(number, None)
            self._noted.pop(number, None)
            for key in [key for key in list(self._troubles) if key[0] == number]:
                self._troubles.pop(key, None)
        return [hook for hook in hooks if hook.state != "given up"]

    async def _turn(self, hook: Hook, names: Collection[str] | None, slots: anyio.Semaphore) -> None:
        """One hook's turn: the users named, or all. What the store cannot do now is done the next time."""
        try:
            async with slots:
                end = anyio.current_time() + TURN
                if names is None:
                    self._due[hook.id] = await self._look_through(hook, end)
                for name in names or ():
                    await self._drain(hook, name, end)
                if anyio.current_time() > end:  # there may be more: go on when the others have had their turn
                    self._due[hook.id] = 0.0
        except (UacError, OSError) as error:
            logger.warning("%s: %s", hook.to, error)
        except Exception:  # as in a request handler: one hook's turn must not end the service
            logger.exception("%s: its turn failed", hook.to)
            self._due[hook.id] = anyio.current_time() + self.rules.longest_wait
        finally:
            self._busy.discard(hook.id)
            if self._wakeup is not None and (self._heard or not self._due.get(hook.id, 1.0)):
                self._wakeup.wake()

    async def _look_through(self, hook: Hook, end: float) -> float:
        """Send what waits of all users; when to look through them again."""
        begun, behind, looking = self._clock(), False, 0.0
        after: str | None = f"{hook.tenant}/" if hook.tenant else ""
        while after is not None and not self._is_paused(hook, ""):
            started = anyio.current_time()
            names, after = await run_sync(self._changed, hook, after)
            looking += anyio.current_time() - started
            for name in names:
                behind = not await self._drain(hook, name, end) or behind
        if after is None and not behind:
            self._through[hook.id] = begun
            if begun - hook.through >= MARK_EVERY:
                await run_sync(self.hooks.reach, hook.id, begun)
        return anyio.current_time() + max(self.rules.every, SHARE * looking)

    def _changed(self, hook: Hook, after: str) -> tuple[list[str], str | None]:
        """Users of the hook with entries since everything had arrived, and behind whom to go on; None: no more."""
        since = self._through.get(hook.id, hook.through) - SLACK
        if hook.user:
            return [stored_as(hook.tenant, hook.user)], None
        users = self._store.users(after=after, limit=PAGE)
        names = [user.name for user in users if hook.hears_of(user.name) and (user.last is None or user.last >= since)]
        is_last = len(users) < PAGE or (hook.tenant != "" and not hook.hears_of(users[-1].name))
        return names, None if is_last else users[-1].name

    async def _drain(self, hook: Hook, name: str, end: float) -> bool:
        """Send all that waits of one user; False if something still does."""
        arrived: int | None = None
        while not self._is_paused(hook, name) and anyio.current_time() <= end:
            if (current := await run_sync(self.hooks.find, hook.id)) is None or current.state == "given up":
                return False
            waiting = await run_sync(self._waiting, hook, name, arrived)
            if not waiting.changes:
                self._remember(hook, name, waiting.through)
                return True
            if not await self._send(current, name, waiting.changes):
                return False
            arrived = waiting.changes[-1][0].position
        return False

    def _waiting(self, hook: Hook, name: str, arrived: int | None) -> _Waiting:
        """What comes behind that which has arrived; None: the log says what that is."""
        log = self._store.log(name)
        head = log.head()
        start = self._arrived(hook, name, log, head.position) if arrived is None else arrived
        found = (
            (stored, stored.entry)
            for stored in log.read(start + 1, head.position + 1)
            if isinstance(stored.entry, AlertChange) and f"alert.{stored.entry.change}" in hook.events
        )
        return _Waiting(list(islice(found, NOTED)), head)

    def _arrived(self, hook: Hook, name: str, log: Log, head: int) -> int:
        """Up to where changes have arrived, or are older than the hook; read from the log alone, not from a project."""
        known = self._known.get((hook.id, name))
        if known is not None and log.contains(known.position, known.digest):
            start = known.position
        else:  # not known; or the user was erased, and has come back
            start = log.as_of(max(hook.made, self._through.get(hook.id, hook.through) - SLACK)).position
        for stored in log.read(start + 1, head + 1):
            if isinstance(stored.entry, Delivery) and stored.entry.to == hook.to:
                start = max(start, stored.entry.through)
        return start

    async def _send(self, hook: Hook, name: str, changes: list[tuple[Stored, AlertChange]]) -> bool:
        arrived, failed = 0, None
        try:
            for stored, change in changes:
                told = message(hook, name, alert_event_view(stored, change), stored.digest)
                sent = await self._post(hook, told, now=self._clock(), private=self.rules.private)
                if not sent.is_received:
                    failed = sent
                    break
                arrived = stored.position
        finally:
            if arrived:
                with anyio.CancelScope(shield=True):
                    await run_sync(self._note, hook, name, arrived)
        if failed is not None:
            await run_sync(self._fail, hook.id, name, failed)
        return failed is None

    def _note(self, hook: Hook, name: str, through: int) -> None:
        self._troubles.pop((hook.id, name), None)
        self._troubles.pop((hook.id, ""), None)
        if not any(number == hook.id for number, _name in list(self._troubles)):
            self._recover(hook)
        try:
            self._store.log(name).append([Delivery(to=hook.to, through=through)])
        except Refused:  # the user was erased meanwhile, and nothing of them is written again
            return
        self._notifier.notify(name)

    def _recover(self, hook: Hook) -> None:
        """Messages arrive again; said only if it was said that they did not."""
        if hook.state != "well" or hook.tries:
            self.hooks.turn(hook.id, "well")
            logger.warning("%s works again", hook.to)

    def _fail(self, number: str, name: str, sent: Sent) -> None:
        """Wait before the next try; for the hook as a whole if nobody there seems able to answer."""
        hook, now = self.hooks.find(number), self._clock()
        if hook is None:
            return
        is_down = sent.status in (0, 429) or sent.status >= 500
        for key in [(hook.id, name), *([(hook.id, "")] if is_down else [])]:
            since = hook.since if hook.state == "failing" and hook.since else now
            trouble = self._troubles.setdefault(key, _Trouble(since, now))
            trouble.tries += 1
            seconds = wait(trouble.tries, self.rules, random.random())  # noqa: S311 - spreads tries, guards nothing
            trouble.until = now + timedelta(seconds=max(seconds, min(sent.after or 0.0, self.rules.longest_wait)))
        worst = self._troubles[hook.id, name]
        self._tell(hook, worst, sent.why, now)
        if sent.status == GONE or now - worst.since >= self.rules.patience:
            self.hooks.reach(hook.id, self._through.get(hook.id, hook.through))
            self.hooks.turn(hook.id, "given up", sent.why)
            logger.warning("%s is given up: %s", hook.to, sent.why)
        elif worst.tries >= TOLD_AFTER and hook.state == "well":
            self.hooks.turn(hook.id, "failing", sent.why)

    def _tell(self, hook: Hook, trouble: _Trouble, why: str, now: datetime) -> None:
        """Note a try that failed, if nothing like it is known: users are many, and the own log is for all."""
        is_known = trouble.tries <= hook.tries and (hook.again or EVER) > now - AT_MOST_EVERY
        if is_known or (not hook.tries and now - self._noted.get(hook.id, EVER) < AT_MOST_EVERY):
            return
        if not hook.tries:
            self._noted[hook.id] = now
            logger.warning("%s: a message did not arrive: %s; it is tried again", hook.to, why)
        self.hooks.fail(hook.id, trouble.tries, why, trouble.until)

    def _is_paused(self, hook: Hook, name: str) -> bool:
        found = (self._troubles.get(key) for key in ((hook.id, ""), (hook.id, name)))
        return any(trouble is not None and self._clock() < trouble.until for trouble in found)

    def _remember(self, hook: Hook, name: str, head: Head) -> None:
        self._known[hook.id, name] = head
        self._known.move_to_end((hook.id, name))
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def message(hook: Hook, name: str, event: AlertEventView, digest: bytes) -> Message:
    """A change of alerts as it is sent. The digest of the entry is in the id, because an erased user may come back."""
    number = sha256(f"{hook.id}\n{name}\n{event.position}\n{digest.hex()}".encode()).hexdigest()[:32]
    user = name.removeprefix(f"{hook.tenant}/") if hook.tenant else name
    data = {"user": user, **as_json(event, omit_defaults=True)}
    body = {"type": f"alert.{event.change}", "timestamp": event.at, "data": data}
    return Message(f"msg_{number}", msgspec.json.encode(body))


def wait(tries: int, rules: Rules, chance: float) -> float:
    """Seconds until the next try: twice as long each time, and half of it by chance, so that tries do not meet."""
    return min(rules.first_wait * 2.0 ** min(tries - 1, 30), rules.longest_wait) * (0.5 + chance / 2)
