"""Hooks over HTTP: an administrator says who hears of the tenant's alerts, sees how that goes, and tries it out."""

from datetime import datetime
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field

from uac.interfaces.http.auth import Administrator, Caller
from uac.interfaces.http.problems import Forbidden, NotFound
from uac.interfaces.http.webhook_delivery import Courier
from uac.interfaces.service.api_keys import stored_as
from uac.interfaces.service.webhooks import HOOK_EVENTS, Hook, HookEvent, HookState

__all__ = ["router"]

router = APIRouter(prefix="/v1/hooks", tags=["hooks"])

Number = Annotated[str, Path(description="The hook's id.", max_length=100, examples=["0123456789ab"])]


class NewHook(BaseModel):
    """The hook to make."""

    model_config = {"extra": "forbid"}

    url: str = Field(
        min_length=1, max_length=2000, description="Where messages are posted.", examples=["https://example.org/alerts"]
    )
    user: str = Field(
        default="", max_length=255, description="The one user it is about; else all of the tenant.", examples=["ana"]
    )
    events: list[HookEvent] = Field(
        default=list(HOOK_EVENTS), min_length=1, description="What is told.", examples=[["alert.raised"]]
    )


class HookTold(BaseModel):
    """A hook, without its secret."""

    id: str = Field(examples=["0123456789ab"])
    url: str = Field(examples=["https://example.org/alerts"])
    user: str = Field(description="The one user it is about; empty: all of the tenant.", examples=["ana"])
    events: list[HookEvent] = Field(examples=[["alert.raised"]])
    made: datetime
    state: HookState = Field(description="'given up': nothing is sent until a test is received.", examples=["well"])
    since: datetime | None = Field(description="When it came into that state; null if it was never in another.")
    why: str = Field(description="What went wrong at the last try; empty: nothing did.", examples=["answered 500"])
    tries: int = Field(description="How often the oldest message that does not arrive was tried.", examples=[0])
    again: datetime | None = Field(description="Before this it is not tried again; null: nothing waits.")
    blocked: str = Field(description="Why this service sends nothing there at all; empty: it does.", examples=[""])


class MadeHook(BaseModel):
    """A new hook with the secret that its messages are signed with, which is told this once."""

    hook: HookTold
    secret: str = Field(examples=["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"])


class HooksTold(BaseModel):
    """The hooks of the tenant, oldest first."""

    hooks: list[HookTold]


class Tested(BaseModel):
    """What came of a test message."""

    is_received: bool
    status: int = Field(description="What the receiver answered; 0 if nobody did.", examples=[204])
    why: str = Field(description="What went wrong; empty if it was received.", examples=[""])


@router.post("", status_code=201)
def create(request: Request, caller: Administrator, new: NewHook) -> MadeHook:
    """Make a hook. It hears of changes from now on, in order for each user, each at least once.

    It takes the right to read, too: alerts tell what is known.
    """
    caller.check("read")
    if caller.user and new.user != caller.user:
        raise Forbidden(f"this key is for the user {caller.user!r} only, and so are the hooks it makes")
    if new.user:
        stored_as(caller.tenant, new.user)
    courier = _courier(request)
    hook = courier.hooks.create(
        new.url, tenant=caller.tenant, user=new.user, events=new.events, private=courier.rules.private
    )
    return MadeHook(hook=_told(hook, courier), secret=hook.secret)


@router.get("")
def listing(request: Request, caller: Administrator) -> HooksTold:
    """The hooks of the tenant, and how sending to them goes."""
    courier = _courier(request)
    return HooksTold(hooks=[_told(hook, courier) for hook in courier.hooks.hooks() if _is_theirs(hook, caller)])


@router.get("/{hook}")
def read(request: Request, caller: Administrator, hook: Number) -> HookTold:
    """One hook, and how sending to it goes."""
    return _told(_found(request, caller, hook), _courier(request))


@router.delete("/{hook}", status_code=204)
def remove(request: Request, caller: Administrator, hook: Number) -> None:
    """Take a hook away; its secret and address are destroyed."""
    _courier(request).hooks.remove(_found(request, caller, hook).id)


@router.post("/{hook}/test")
async def test(request: Request, caller: Administrator, hook: Number) -> Tested:
    """Send a message of the type `test`. If it is received, a hook that was given up is served again."""
    found = await run_sync(_found, request, caller, hook)
    sent = await _courier(request).test(found)
    return Tested(is_received=sent.is_received, status=sent.status, why=sent.why)


def _found(request: Request, caller: Caller, number: str) -> Hook:
    hook = _courier(request).hooks.find(number)
    if hook is None or not _is_theirs(hook, caller):
        raise NotFound(f"there is no hook {number!r}")
    return hook


def _is_theirs(hook: Hook, caller: Caller) -> bool:
    return hook.tenant == caller.tenant and (not caller.user or hook.user == caller.user)


def _courier(request: Request) -> Courier:
    courier: Courier = request.app.state.courier
    return courier


def _told(hook: Hook, courier: Courier) -> HookTold:
    return HookTold(
        id=hook.id,
        url=hook.url,
        user=hook.user,
        events=list(hook.events),
        made=hook.made,
        state=hook.state,
        since=hook.since,
        why=hook.why,
        tries=hook.tries,
        again=hook.again,
        blocked=hook.blocked(private=courier.rules.private),
    )
