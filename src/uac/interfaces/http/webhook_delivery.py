"""Delivery of alert changes to webhooks: in order for each user, at least once, retried until they are received.

Deliveries are recorded in the users' logs (Delivery), so a restart continues where the last process stopped. Users with
changes are found by the time of their last entry, from the time before which everything has arrived; writes that the
service is notified of are seen at once. One process at a time delivers (`process_group.run_in_role`); where two do for
a moment, because the first has lost its role and not noticed yet, a message that both send has the same id.
"""

import logging
import random
import secrets
from collections import OrderedDict, deque
from collections.abc import Awaitable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple, Protocol

import anyio
import anyio.abc
import msgspec
from anyio.to_thread import run_sync

from uac.errors import Damaged, NewerFormat, Refused, UacError
from uac.interfaces.http.notify import ChangeNotifier, Wakeup
from uac.interfaces.http.webhook_post import PostResult, WebhookMessage, post_webhook, webhook_message
from uac.interfaces.service.tenants import store_user_id
from uac.interfaces.service.webhooks import Hook, Hooks
from uac.interfaces.views.alerts import alert_event_view
from uac.log.log import Clock, Head, Log, Stored
from uac.log.store import Store
from uac.schema.entries import AlertChange, Delivery

__all__ = ["Post", "Rules", "WebhookSender", "delivery_retry_delay"]

logger = logging.getLogger(__name__)

SLACK = timedelta(minutes=5)
"""How late an entry may be appended after its time stamp: other clocks, transactions that waited."""
NOTED = 20  # messages between two Delivery entries
TURN = 5.0  # seconds after which a webhook yields to others
AT_ONCE = 64  # webhooks that are served at the same time
PAGE = 1000  # users in one page
SHARE = 20  # polling all users takes at most 1/SHARE of the time
REMEMBERED = 10_000  # pairs of webhook and user with a known position
FAILING_AFTER = 3  # failed attempts until the webhook counts as failing
AT_MOST_EVERY = timedelta(minutes=1)  # a beginning failure is recorded: some webhooks fail with each message
MARK_EVERY = timedelta(hours=6)  # the store's own log records a webhook's progress
RHYTHM = 0.05  # seconds between two rounds at least
EVER = datetime(1970, 1, 1, tzinfo=UTC)
BAD_VALUES = (ArithmeticError, LookupError, TypeError, ValueError, msgspec.MsgspecError)
"""What one webhook's stored values can raise, such as a date out of range. They must not stop delivery to others."""
GONE = 410  # the receiver wants no more messages


@dataclass(frozen=True, slots=True)
class Rules:
    """How webhooks are served. `private` allows addresses on this machine and network."""

    private: bool = False
    every: float = 10.0
    """Seconds between two polls for writes by other processes."""
    first_wait: float = 5.0
    longest_wait: float = 3600.0
    patience: timedelta = timedelta(days=3)
    """A webhook that fails for this long is given up, until a test message is received."""


class Post(Protocol):
    """Sends one message once."""

    def __call__(
        self, hook: Hook, message: WebhookMessage, *, now: datetime, private: bool
    ) -> Awaitable[PostResult]: ...


class _Undelivered(NamedTuple):
    """The next undelivered changes, and the position up to which there are no others."""

    changes: list[tuple[Stored, AlertChange]]
    through: Head


@dataclass(slots=True)
class _Failure:
    """A failing delivery: since when, the number of attempts, and the time of the next."""

    since: datetime
    until: datetime
    tries: int = 0


class WebhookSender:
    """Sends alert changes to webhooks. `run` continues until cancelled; `poll_once` does one round."""

    def __init__(
        self,
        store: Store,
        hooks: Hooks,
        notifier: ChangeNotifier,
        clock: Clock,
        rules: Rules | None = None,
        post: Post = post_webhook,
    ) -> None:
        self.hooks = hooks
        self.rules = rules or Rules()
        self._store = store
        self._notifier = notifier
        self._clock = clock
        self._post = post
        # Users written to in this process; those that do not fit are found by polling.
        self._changed_users: deque[str] = deque(maxlen=REMEMBERED)
        self._wakeup: Wakeup | None = None
        self._busy: set[str] = set()
        self._due: dict[str, float] = {}  # when all users of a webhook are polled again
        self._failures: dict[tuple[str, str], _Failure] = {}  # by webhook and user; user "": the webhook as a whole
        self._known: OrderedDict[tuple[str, str], Head] = OrderedDict()  # up to where everything has arrived
        self._through: dict[str, datetime] = {}
        self._noted: dict[str, datetime] = {}  # when a beginning failure was recorded
        self._recorded: set[str] = set()  # webhooks with a recorded failure

    async def run(self) -> None:
        """Deliver until cancelled."""
        self._wakeup = wakeup = Wakeup()

        def heard(name: str) -> None:
            self._changed_users.append(name)
            wakeup.wake()

        with self._notifier.listen(heard):
            async with anyio.create_task_group() as group:
                slots = anyio.Semaphore(AT_ONCE)
                while True:
                    await self._start_due_webhooks(group, slots)
                    await anyio.sleep(RHYTHM)
                    await wakeup.wait(self.rules.every)

    async def poll_once(self) -> None:
        """Poll all users once, and send everything that is due."""
        async with anyio.create_task_group() as group:
            slots = anyio.Semaphore(AT_ONCE)
            for hook in await run_sync(self._active_webhooks):
                group.start_soon(self._serve_webhook, hook, None, slots)

    async def deliver_user(self, name: str) -> bool:
        """Send one user's pending changes to each webhook that covers them; False if some are left for later."""
        end = anyio.current_time() + TURN
        hooks = [hook for hook in await run_sync(self._active_webhooks) if hook.covers_user(name)]
        return all([await self._deliver_user_changes(hook, name, end) for hook in hooks])

    async def send_test(self, hook: Hook) -> PostResult:
        """Send a test message. If it is received, a webhook that was given up is served again."""
        now = self._clock()
        body = {"type": "test", "timestamp": now, "data": {"hook": hook.id}}
        test = WebhookMessage(f"test_{secrets.token_hex(16)}", msgspec.json.encode(body))
        sent = await self._post(hook, test, now=now, private=self.rules.private)
        if sent.is_received:
            self._forget_failures(hook.id)
            await run_sync(self._record_recovery, hook)
        return sent

    async def _start_due_webhooks(self, group: anyio.abc.TaskGroup, slots: anyio.Semaphore) -> None:
        """Start a turn for each webhook that is due, or whose users have changed."""
        try:
            hooks = await run_sync(self._active_webhooks)
        except UacError as error:
            logger.warning("hooks: %s", error)
            return
        fresh = {self._changed_users.popleft() for _ in range(len(self._changed_users))}
        for hook in hooks:
            mine = {name for name in fresh if hook.covers_user(name)}
            if hook.id in self._busy:
                self._changed_users.extend(mine)
            elif anyio.current_time() >= self._due.get(hook.id, 0):
                self._busy.add(hook.id)
                group.start_soon(self._serve_webhook, hook, None, slots)
            elif mine:
                self._busy.add(hook.id)
                group.start_soon(self._serve_webhook, hook, mine, slots)

    def _active_webhooks(self) -> list[Hook]:
        hooks = self.hooks.all_webhooks()
        for number in set(self._due) - {hook.id for hook in hooks}:  # removed
            self._due.pop(number, None)
            self._through.pop(number, None)
            self._noted.pop(number, None)
            self._forget_failures(number)
        for hook in hooks:
            if hook.id in self._recorded and hook.state == "well" and not hook.tries:
                self._forget_failures(hook.id)  # another process has sent it a test message
                self._due.pop(hook.id, None)
        return [hook for hook in hooks if hook.state != "given up"]

    def _forget_failures(self, number: str) -> None:
        self._recorded.discard(number)
        for key in [key for key in list(self._failures) if key[0] == number]:
            self._failures.pop(key, None)

    async def _serve_webhook(self, hook: Hook, names: Collection[str] | None, slots: anyio.Semaphore) -> None:
        """One webhook's turn: the users named, or all. What the store cannot do now is done the next time."""
        try:
            async with slots:
                end = anyio.current_time() + TURN
                if names is None:
                    self._due[hook.id] = await self._poll_all_users(hook, end)
                for name in names or ():
                    await self._deliver_user_changes(hook, name, end)
                if anyio.current_time() > end:  # there may be more: go on when the others have had their turn
                    self._due[hook.id] = 0.0
        except (UacError, OSError) as error:
            logger.warning("%s: %s", hook.delivery_name, error)
        except BAD_VALUES:
            logger.exception("%s: delivery failed", hook.delivery_name)
            self._due[hook.id] = anyio.current_time() + self.rules.longest_wait
        finally:
            self._busy.discard(hook.id)
            if self._wakeup is not None and (self._changed_users or not self._due.get(hook.id, 1.0)):
                self._wakeup.wake()

    async def _poll_all_users(self, hook: Hook, end: float) -> float:
        """Send the pending changes of all users. Returns when to poll them again."""
        begun, behind, looking = self._clock(), False, 0.0
        after: str | None = f"{hook.tenant}/" if hook.tenant else ""
        while after is not None and not self._is_paused(hook, ""):
            started = anyio.current_time()
            names, after = await run_sync(self._page_of_changed_users, hook, after)
            looking += anyio.current_time() - started
            for name in names:
                behind = not await self._deliver_user_changes(hook, name, end) or behind
        if after is None and not behind:
            self._through[hook.id] = begun
            if begun - hook.through >= MARK_EVERY:
                await run_sync(self.hooks.record_progress, hook.id, begun)
        return anyio.current_time() + max(self.rules.every, SHARE * looking)

    def _page_of_changed_users(self, hook: Hook, after: str) -> tuple[list[str], str | None]:
        """A page of the webhook's users with new entries, and the cursor of the next page; None: no more."""
        since = self._through.get(hook.id, hook.through) - SLACK
        if hook.user:
            return [store_user_id(hook.tenant, hook.user)], None
        users = self._store.users(after=after, limit=PAGE)
        names = [
            user.name for user in users if hook.covers_user(user.name) and (user.last is None or user.last >= since)
        ]
        is_last = len(users) < PAGE or (hook.tenant != "" and not hook.covers_user(users[-1].name))
        return names, None if is_last else users[-1].name

    async def _deliver_user_changes(self, hook: Hook, name: str, end: float) -> bool:
        """Send the pending changes of one user; False if some are left."""
        arrived: int | None = None
        while not self._is_paused(hook, name) and anyio.current_time() <= end:
            if (current := await run_sync(self.hooks.find_webhook, hook.id)) is None or current.state == "given up":
                return False
            try:
                waiting = await run_sync(self._undelivered_changes, hook, name, arrived)
            except (Damaged, NewerFormat) as error:  # one user's log does not stop the others
                logger.warning("%s: changes of a user cannot be read: %s", hook.delivery_name, error)
                return False
            if not waiting.changes:
                self._remember_delivered(hook, name, waiting.through)
                return True
            if not await self._send_changes(current, name, waiting.changes):
                return False
            arrived = waiting.changes[-1][0].position
        return False

    def _undelivered_changes(self, hook: Hook, name: str, arrived: int | None) -> _Undelivered:
        """The changes after position `arrived`; None: the position comes from the log."""
        log = self._store.log(name)
        head = log.head()
        start = self._delivered_position(hook, name, log, head.position) if arrived is None else arrived
        found = (
            (stored, stored.entry)
            for stored in log.read(start + 1, head.position + 1)
            if isinstance(stored.entry, AlertChange) and f"alert.{stored.entry.change}" in hook.events
        )
        return _Undelivered(list(islice(found, NOTED)), head)

    def _delivered_position(self, hook: Hook, name: str, log: Log, head: int) -> int:
        """The position up to which changes have arrived or are older than the webhook; read from the log alone."""
        known = self._known.get((hook.id, name))
        if known is not None and log.contains(known.position, known.digest):
            start = known.position
        else:  # not known; or the user was erased, and has come back
            start = log.as_of(max(hook.made, self._through.get(hook.id, hook.through) - SLACK)).position
        for stored in log.read(start + 1, head + 1):
            if isinstance(stored.entry, Delivery) and stored.entry.to == hook.delivery_name:
                start = max(start, stored.entry.through)
        return start

    async def _send_changes(self, hook: Hook, name: str, changes: list[tuple[Stored, AlertChange]]) -> bool:
        arrived, failed = 0, None
        try:
            for stored, change in changes:
                message = webhook_message(hook, name, alert_event_view(stored, change), stored.digest)
                sent = await self._post(hook, message, now=self._clock(), private=self.rules.private)
                if not sent.is_received:
                    failed = sent
                    break
                arrived = stored.position
        finally:
            if arrived:
                with anyio.CancelScope(shield=True):
                    await run_sync(self._record_delivery, hook, name, arrived)
        if failed is not None:
            await run_sync(self._schedule_retry, hook.id, name, failed)
        return failed is None

    def _record_delivery(self, hook: Hook, name: str, through: int) -> None:
        self._failures.pop((hook.id, name), None)
        self._failures.pop((hook.id, ""), None)
        if not any(number == hook.id for number, _name in list(self._failures)):
            self._record_recovery(hook)
        try:
            self._store.log(name).append([Delivery(to=hook.delivery_name, through=through)])
        except Refused:  # the user was erased meanwhile, and nothing of them is written again
            return
        self._notifier.notify_user_changed(name)

    def _record_recovery(self, hook: Hook) -> None:
        """Record that messages arrive again, if it was recorded that they did not."""
        if hook.state != "well" or hook.tries:
            self.hooks.set_state(hook.id, "well")
            logger.warning("%s works again", hook.delivery_name)

    def _schedule_retry(self, number: str, name: str, sent: PostResult) -> None:
        """Schedule the next attempt; for the webhook as a whole if its server seems to be down."""
        hook, now = self.hooks.find_webhook(number), self._clock()
        if hook is None:
            return
        is_down = sent.status in (0, 429) or sent.status >= 500
        for key in [(hook.id, name), *([(hook.id, "")] if is_down else [])]:
            since = hook.since if hook.state == "failing" and hook.since else now
            failure = self._failures.setdefault(key, _Failure(since, now))
            failure.tries += 1
            seconds = delivery_retry_delay(failure.tries, self.rules, random.random())  # noqa: S311 - spreads tries, guards nothing
            failure.until = now + timedelta(seconds=max(seconds, min(sent.after or 0.0, self.rules.longest_wait)))
        worst = self._failures[hook.id, name]
        self._record_failure(hook, worst, sent.why, now)
        if sent.status == GONE or now - worst.since >= self.rules.patience:
            self.hooks.record_progress(hook.id, self._through.get(hook.id, hook.through))
            self.hooks.set_state(hook.id, "given up", sent.why)
            logger.warning("%s is given up: %s", hook.delivery_name, sent.why)
        elif worst.tries >= FAILING_AFTER and hook.state == "well":
            self.hooks.set_state(hook.id, "failing", sent.why)

    def _record_failure(self, hook: Hook, failure: _Failure, why: str, now: datetime) -> None:
        """Record a failed attempt, unless a similar one is recorded: the store's own log is for all users."""
        is_known = failure.tries <= hook.tries and (hook.again or EVER) > now - AT_MOST_EVERY
        if is_known or (not hook.tries and now - self._noted.get(hook.id, EVER) < AT_MOST_EVERY):
            return
        if not hook.tries:
            self._noted[hook.id] = now
            logger.warning("%s: a message did not arrive: %s; it is tried again", hook.delivery_name, why)
        self.hooks.record_failure(hook.id, failure.tries, why, failure.until)
        self._recorded.add(hook.id)

    def _is_paused(self, hook: Hook, name: str) -> bool:
        found = (self._failures.get(key) for key in ((hook.id, ""), (hook.id, name)))
        return any(failure is not None and self._clock() < failure.until for failure in found)

    def _remember_delivered(self, hook: Hook, name: str, head: Head) -> None:
        self._known[hook.id, name] = head
        self._known.move_to_end((hook.id, name))
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def delivery_retry_delay(tries: int, rules: Rules, chance: float) -> float:
    """Seconds until the next attempt: exponential backoff with jitter."""
    return min(rules.first_wait * 2.0 ** min(tries - 1, 30), rules.longest_wait) * (0.5 + chance / 2)
