"""The service: API keys, webhooks, and the messages that a webhook gets."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from uac.interfaces.service.api_keys import Key, Right
from uac.interfaces.service.webhooks import Hook, HookEvent, HookState
from uac.interfaces.views.view import Doc, View, build_view
from uac.log.store import User

__all__ = [
    "HookTestView",
    "HookView",
    "HooksView",
    "KeyView",
    "KeysView",
    "NewHookView",
    "NewKeyView",
    "UserPageView",
    "UserView",
    "hook_view",
    "key_view",
    "user_view",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookView(View):
    """A webhook, without its secret, and how sending to it goes."""

    id: Annotated[str, Doc(example="0123456789ab")]
    url: Annotated[str, Doc(example="https://example.org/alerts")]
    user: Annotated[str, Doc("The one user it is about; empty: all users of the tenant.", "ana")]
    events: Annotated[tuple[HookEvent, ...], Doc(example=["alert.raised"])]
    made: datetime
    state: Annotated[HookState, Doc("'given up': nothing is sent until a test message is received.", "well")]
    since: Annotated[datetime | None, Doc("When the state last changed; null if it never did.")]
    why: Annotated[str, Doc("The error of the last attempt; empty: there was none.", "answered 500")]
    tries: Annotated[int, Doc("The number of attempts for the oldest undelivered message.", 0)] = 0
    again: Annotated[datetime | None, Doc("The earliest time of the next attempt; null: nothing is waiting.")] = None
    blocked: Annotated[str, Doc("Why this service never sends there; empty: it does.", "")] = ""


def hook_view(hook: Hook, *, private: bool) -> HookView:
    return build_view(HookView, hook, blocked=hook.blocked_reason(private=private))


@dataclass(frozen=True, slots=True, kw_only=True)
class HooksView(View):
    """The webhooks of the tenant, oldest first."""

    hooks: tuple[HookView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewHookView(View):
    """A new webhook with the secret that signs its messages. The secret is not shown again."""

    hook: HookView
    secret: Annotated[str, Doc(example="whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookTestView(View):
    """The result of a test message."""

    is_received: bool
    status: Annotated[int, Doc("The status that the receiver answered; 0 if it did not answer.", 204)]
    why: Annotated[str, Doc("The error; empty if it was received.", "")]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyView(View):
    """An API key, without its secret."""

    id: Annotated[str, Doc(example="0123456789ab")]
    name: Annotated[str, Doc(example="support bot")]
    made: datetime
    rights: Annotated[tuple[Right, ...], Doc("read; write; erase; admin: users, keys and webhooks.")]
    user: Annotated[str, Doc("The one user it gives access to; empty: all users of the tenant.", "ana")]
    expires: Annotated[datetime | None, Doc("When it expires; null: never.")]
    revoked: Annotated[datetime | None, Doc("When it was revoked; null: it was not.")]


def key_view(key: Key) -> KeyView:
    return build_view(KeyView, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKeyView(View):
    """A new key with its text, which is not shown again."""

    key: KeyView
    text: Annotated[str, Doc("Clients send it as the bearer token.", "uac_0123456789ab_…")]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysView(View):
    """The keys of the tenant, oldest first."""

    keys: tuple[KeyView, ...]
    next: Annotated[str | None, Doc("Pass it as `after` to get the next page; null on the last page.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserView(View):
    """A user, and the length of the log."""

    user: Annotated[str, Doc(example="ana")]
    entries: Annotated[int, Doc(example=12)]
    last: Annotated[datetime | None, Doc("The time of the last entry.")]


def user_view(user: User) -> UserView:
    return build_view(UserView, user, user=user.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPageView(View):
    """Users in the order of their ids."""

    users: tuple[UserView, ...]
    next: Annotated[str | None, Doc("Pass it as `after` to get the next page; null at the end.", None)]
