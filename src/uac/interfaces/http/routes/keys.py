"""API keys over HTTP: an administrator makes, lists and revokes those of its tenant, with at most its own rights."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import AwareDatetime, BaseModel, Field

from uac.interfaces.http.auth import Administrator
from uac.interfaces.http.problems import Forbidden, NotFound
from uac.interfaces.http.user_context import Caller, Service
from uac.interfaces.service.api_keys import RIGHTS, Key, Keyring, Right
from uac.interfaces.service.tenants import store_user_id
from uac.interfaces.views.service import KeysView, KeyView, NewKeyView, key_view

__all__ = ["router"]

router = APIRouter(prefix="/v1/keys", tags=["keys"])

RIGHTS_TEXT = (
    "Read what is known; write and correct; erase words for good; administer keys, hooks and the list of users."
)


class NewKey(BaseModel):
    """The key to make. It belongs to the tenant of the key that makes it."""

    model_config = {"extra": "forbid"}

    name: str = Field(min_length=1, max_length=200, description="Who holds it.", examples=["support bot"])
    user: str = Field(
        default="",
        max_length=255,
        description="The one user it gives access to; empty: all users of the tenant.",
        examples=["ana"],
    )
    rights: list[Right] = Field(
        default=["read", "write"], min_length=1, max_length=len(RIGHTS), description=RIGHTS_TEXT, examples=[["read"]]
    )
    expires: AwareDatetime | None = Field(
        default=None, description="When it expires; never later than the key that makes it.", examples=[None]
    )


@router.post("", name="create", status_code=201)
def create_key(request: Request, caller: Administrator, new: NewKey) -> NewKeyView:
    """Make a key of your own tenant, with at most your own rights, users and lifetime."""
    keyring = _require_keyring(request)
    beyond = [right for right in new.rights if right not in caller.rights]
    if beyond:
        raise Forbidden(f"This key has no right to {', '.join(beyond)}. It can give only its own rights.")
    if caller.user and new.user != caller.user:
        raise Forbidden(f"This key is for the user {caller.user!r} only. Make keys for that user.")
    expires = new.expires or caller.expires
    if caller.expires and expires and expires > caller.expires:
        raise Forbidden(f"This key expires at {caller.expires.isoformat()}. Its keys cannot expire later.")
    if new.user:
        store_user_id(caller.tenant, new.user)
    key, text = keyring.create_key(new.name, tenant=caller.tenant, user=new.user, rights=new.rights, expires=expires)
    return NewKeyView(key=key_view(key), text=text)


@router.get("", name="listing")
def list_keys(
    request: Request,
    caller: Administrator,
    after: Annotated[str, Query(description="The `next` of the previous page.", max_length=100)] = "",
    limit: Annotated[int, Query(ge=1, le=1000, description="At most this many.")] = 100,
) -> KeysView:
    """The keys of the tenant, including expired and revoked ones."""
    keys = [key for key in _require_keyring(request).all_keys() if _may_manage_key(key, caller)]
    start = next((number + 1 for number, key in enumerate(keys) if key.id == after), 0 if not after else len(keys))
    page = keys[start : start + limit]
    more = start + limit < len(keys)
    return KeysView(keys=tuple(key_view(key) for key in page), next=page[-1].id if more else None)


@router.delete("/{id}", name="revoke")
def revoke_key(
    request: Request,
    caller: Administrator,
    number: Annotated[str, Path(alias="id", description="The key's id.", max_length=100, examples=["0123456789ab"])],
) -> KeyView:
    """Revoke a key of the tenant, which may be your own: it is invalid from now on."""
    keyring = _require_keyring(request)
    if not any(key.id == number and _may_manage_key(key, caller) for key in keyring.all_keys()):
        raise NotFound("No such key. GET /v1/keys lists the keys.")
    return key_view(keyring.revoke_key(number))


def _require_keyring(request: Request) -> Keyring:
    service: Service = request.app.state.service
    if service.keyring is None:
        raise NotFound("This service runs without keys. Start it with keys to manage them.")
    return service.keyring


def _may_manage_key(key: Key, caller: Caller) -> bool:
    """Whether an administrator may manage a key; one for a single user only keys for that user."""
    return key.tenant == caller.tenant and caller.user in ("", key.user)
