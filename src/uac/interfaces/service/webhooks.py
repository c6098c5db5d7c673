"""Webhooks: receivers of alert changes, and the state of delivery. The store's own log holds them and their secrets."""

import base64
import secrets
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, get_args

import msgspec

from uac.errors import NewerFormat, Refused
from uac.interfaces.service.tenants import check_tenant, store_user_id
from uac.interfaces.service.webhook_addresses import check_webhook_url
from uac.log.log import Clock, Log, Stored
from uac.schema.entries import Erasure, Observation

__all__ = ["HOOK_EVENTS", "Hook", "HookEvent", "HookState", "Hooks"]

HookEvent = Literal[
    "alert.raised",
    "alert.updated",
    "alert.cleared",
    "alert.acknowledged",
    "alert.snoozed",
    "alert.expired",
    "alert.failed",
]
HOOK_EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)

HookState = Literal["well", "failing", "given up"]

SOURCE = "hooks"  # marks the entries of the store's own log that are about hooks
MOST = 50  # hooks of one tenant


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """A URL that receives alert changes, signed with a shared secret."""

    id: str
    url: str
    secret: str
    made: datetime
    tenant: str = ""
    user: str = ""
    """The only user whose alerts it receives; "": all users of the tenant."""
    events: tuple[HookEvent, ...] = HOOK_EVENTS
    state: HookState = "well"
    since: datetime | None = None
    """When it entered this state; None: it has never been in another."""
    why: str = ""
    """The error of the last attempt; "": it succeeded."""
    tries: int = 0
    """Delivery attempts so far for the oldest undelivered message."""
    again: datetime | None = None
    """The time of the next attempt; None: nothing is waiting, or delivery was given up."""
    through: datetime
    """Everything written before this time has been delivered."""

    def __repr__(self) -> str:  # keeps the secret out of tracebacks and logs
        return f"Hook({self.id!r}, {self.url!r})"

    @property
    def delivery_name(self) -> str:
        """The name of the hook in entries of users' logs."""
        return f"hook:{self.id}"

    def blocked_reason(self, *, private: bool = False) -> str:
        """Why nothing can be sent to it: its address is not allowed here. "": it is allowed."""
        try:
            check_webhook_url(self.url, private=private)
        except Refused:  # it was accepted on creation, so it must be an address in this network
            return "it is on this machine or its network, and 'uac serve --local-hooks' alone sends there"
        return ""

    def covers_user(self, name: str) -> bool:
        """Whether the hook covers the user with this id in the store."""
        if self.user:
            return name == store_user_id(self.tenant, self.user)
        return name.startswith(f"{self.tenant}/") if self.tenant else "/" not in name


class HookCreated(msgspec.Struct, frozen=True, tag="made"):
    """A hook was created."""

    hook: Hook


class HookStateChanged(msgspec.Struct, frozen=True, tag="turned"):
    """Delivery to a hook began to fail, was given up, or works again."""

    id: str
    state: HookState
    why: str = ""


class DeliveryFailed(msgspec.Struct, frozen=True, tag="tried"):
    """A delivery attempt failed."""

    id: str
    tries: int
    why: str
    again: datetime


class DeliveryReached(msgspec.Struct, frozen=True, tag="reached"):
    """Everything written before that time has been delivered; a restart continues from there."""

    id: str
    through: datetime


Event = HookCreated | HookStateChanged | DeliveryFailed | DeliveryReached


class Hooks:
    """The hooks of a store. Several processes may change them; each sees the others' changes at once."""

    def __init__(self, own: Log, clock: Clock) -> None:
        self._own = own
        self._clock = clock
        self._lock = threading.Lock()
        self._position = 0
        self._hooks: dict[str, Hook] = {}
        self._places: dict[str, int] = {}  # positions of the entries that hold the secrets

    def create_webhook(
        self,
        url: str,
        *,
        tenant: str = "",
        user: str = "",
        events: Sequence[HookEvent] = HOOK_EVENTS,
        private: bool = False,
    ) -> Hook:
        """A new hook for everything written from now on; `private` allows an address on this machine or network."""
        check_webhook_url(url, private=private)
        check_tenant(tenant)
        if user:
            store_user_id(tenant, user)
        if not events or not set(events) <= set(HOOK_EVENTS):
            raise Refused(f"hook: events are {', '.join(events) or 'none'}. Use some of {', '.join(HOOK_EVENTS)}.")
        if sum(hook.tenant == tenant for hook in self.all_webhooks()) >= MOST:
            raise Refused(f"hook: There are {MOST} already. Remove one of them first.")
        moment = self._clock()
        hook = Hook(
            id=secrets.token_hex(6),
            url=url,
            secret=f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}",
            made=moment,
            tenant=tenant,
            user=user,
            events=tuple(event for event in HOOK_EVENTS if event in events),
            through=moment,
        )
        self._append_event(HookCreated(hook))
        return hook

    def remove_webhook(self, number: str) -> Hook:
        """Remove a hook by erasing the entry that created it: that removes it everywhere and destroys its secret."""
        hook = self.find_webhook(number)
        if hook is None:
            raise Refused(f"No hook {number!r}. 'uac hooks list' lists the hooks.")
        self._own.erase([self._places[number]], why="the hook was removed")
        return hook

    def set_state(self, number: str, state: HookState, why: str = "") -> None:
        """Record that delivery began to fail, was given up, or works again."""
        self._append_event(HookStateChanged(number, state, why))

    def record_failure(self, number: str, tries: int, why: str, again: datetime) -> None:
        """Record that attempt number `tries` failed, and when the next one is due."""
        self._append_event(DeliveryFailed(number, tries, why, again))

    def record_progress(self, number: str, through: datetime) -> None:
        """Record that everything written before `through` has been delivered."""
        self._append_event(DeliveryReached(number, through))

    def find_webhook(self, number: str) -> Hook | None:
        return self._current_webhooks().get(number)

    def all_webhooks(self) -> tuple[Hook, ...]:
        """All current hooks, oldest first."""
        return tuple(self._current_webhooks().values())

    def _append_event(self, event: Event) -> None:
        text = msgspec.json.encode(event).decode()
        self._own.append([Observation(text=text, said=self._clock(), role="system", source=SOURCE)])

    def _current_webhooks(self) -> dict[str, Hook]:
        with self._lock:
            head = self._own.head().position
            if head != self._position:
                is_further = head > self._position
                hooks = dict(self._hooks) if is_further else {}
                for stored in self._own.read(self._position + 1 if is_further else 1, head + 1):
                    self._apply_entry(hooks, stored)
                self._hooks, self._position = hooks, head
            return self._hooks

    def _apply_entry(self, hooks: dict[str, Hook], stored: Stored) -> None:
        entry = stored.entry
        if isinstance(entry, Erasure):
            gone = {erased.position for erased in entry.erased}
            for number in [number for number in hooks if self._places[number] in gone]:
                del hooks[number]
        elif isinstance(entry, Observation) and entry.source == SOURCE:
            try:
                event = msgspec.json.decode(entry.text, type=Event)
            except msgspec.ValidationError:
                raise NewerFormat(
                    f"Entry {stored.position} of the store's own log is about webhooks, and this version cannot read"
                    " it. Upgrade the package."
                ) from None
            if isinstance(event, HookCreated):
                self._places[event.hook.id] = stored.position
            _apply_event(hooks, event, stored.at)


def _apply_event(hooks: dict[str, Hook], event: Event, moment: datetime) -> None:
    """Apply an event to the hooks; events of removed hooks are ignored."""
    match event:
        case HookCreated(hook):
            hooks[hook.id] = hook
        case HookStateChanged(number, state, why) if number in hooks:
            hooks[number] = _hook_in_state(hooks[number], state, why, moment)
        case DeliveryFailed(number, tries, why, again) if number in hooks:
            hooks[number] = msgspec.structs.replace(hooks[number], tries=tries, why=why, again=again)
        case DeliveryReached(number, through) if number in hooks:
            hooks[number] = msgspec.structs.replace(hooks[number], through=through)
        case HookStateChanged() | DeliveryFailed() | DeliveryReached():
            pass


def _hook_in_state(hook: Hook, state: HookState, why: str, moment: datetime) -> Hook:
    return msgspec.structs.replace(
        hook,
        state=state,
        why=why,
        since=hook.since if state == hook.state else moment,
        tries=0 if state == "well" else hook.tries,
        again=hook.again if state == "failing" else None,
    )
