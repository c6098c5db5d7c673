"""Webhooks over HTTP: an administrator makes, lists, tests and removes those of its tenant."""

from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field

from uac.interfaces.http.auth import Administrator
from uac.interfaces.http.problems import Forbidden, NotFound
from uac.interfaces.http.user_context import Caller
from uac.interfaces.http.webhook_delivery import WebhookSender
from uac.interfaces.service.tenants import store_user_id
from uac.interfaces.service.webhooks import HOOK_EVENTS, Hook, HookEvent
from uac.interfaces.views.service import HooksView, HookTestView, HookView, NewHookView, hook_view

__all__ = ["router"]

router = APIRouter(prefix="/v1/hooks", tags=["hooks"])

Number = Annotated[str, Path(description="The webhook's id.", max_length=100, examples=["0123456789ab"])]


class NewHook(BaseModel):
    """The webhook to make."""

    model_config = {"extra": "forbid"}

    url: str = Field(
        min_length=1, max_length=2000, description="Where messages are posted.", examples=["https://example.org/alerts"]
    )
    user: str = Field(
        default="",
        max_length=255,
        description="The one user it is about; empty: all users of the tenant.",
        examples=["ana"],
    )
    events: list[HookEvent] = Field(
        default=list(HOOK_EVENTS), min_length=1, description="The events to send.", examples=[["alert.raised"]]
    )


@router.post("", name="create", status_code=201)
def create_webhook(request: Request, caller: Administrator, new: NewHook) -> NewHookView:
    """Make a webhook. It gets changes from now on, in order for each user, each at least once.

    It needs the right to read, too: alerts reveal what is known.
    """
    caller.check_right("read")
    if caller.user and new.user != caller.user:
        raise Forbidden(f"This key is for the user {caller.user!r} only. Make webhooks for that user.")
    if new.user:
        store_user_id(caller.tenant, new.user)
    sender = _webhook_sender(request)
    hook = sender.hooks.create_webhook(
        new.url, tenant=caller.tenant, user=new.user, events=new.events, private=sender.rules.private
    )
    return NewHookView(hook=_webhook_view(hook, sender), secret=hook.secret)


@router.get("", name="listing")
def list_webhooks(request: Request, caller: Administrator) -> HooksView:
    """The webhooks of the tenant, and how sending to them goes."""
    sender = _webhook_sender(request)
    return HooksView(
        hooks=tuple(
            _webhook_view(hook, sender) for hook in sender.hooks.all_webhooks() if _may_manage_webhook(hook, caller)
        )
    )


@router.get("/{hook}", name="read")
def read_webhook(request: Request, caller: Administrator, hook: Number) -> HookView:
    """One webhook, and how sending to it goes."""
    return _webhook_view(_find_webhook(request, caller, hook), _webhook_sender(request))


@router.delete("/{hook}", name="remove", status_code=204)
def remove_webhook(request: Request, caller: Administrator, hook: Number) -> None:
    """Remove a webhook; its secret and address are destroyed."""
    _webhook_sender(request).hooks.remove_webhook(_find_webhook(request, caller, hook).id)


@router.post("/{hook}/test", name="test")
async def test_webhook(request: Request, caller: Administrator, hook: Number) -> HookTestView:
    """Send a message of the type `test`. If it is received, a webhook that was given up is served again."""
    found = await run_sync(_find_webhook, request, caller, hook)
    sent = await _webhook_sender(request).send_test(found)
    return HookTestView(is_received=sent.is_received, status=sent.status, why=sent.why)


def _find_webhook(request: Request, caller: Caller, number: str) -> Hook:
    hook = _webhook_sender(request).hooks.find_webhook(number)
    if hook is None or not _may_manage_webhook(hook, caller):
        raise NotFound(f"No webhook {number!r}. GET /v1/hooks lists the webhooks.")
    return hook


def _may_manage_webhook(hook: Hook, caller: Caller) -> bool:
    return hook.tenant == caller.tenant and (not caller.user or hook.user == caller.user)


def _webhook_sender(request: Request) -> WebhookSender:
    sender: WebhookSender = request.app.state.webhook_sender
    return sender


def _webhook_view(hook: Hook, sender: WebhookSender) -> HookView:
    return hook_view(hook, private=sender.rules.private)
