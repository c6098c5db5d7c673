"""Keys over HTTP: an administrator makes, lists and revokes those of the own tenant, and gives no more than it has."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import AwareDatetime, BaseModel, Field

from uac.interfaces.http.auth import Administrator, Caller, Service
from uac.interfaces.http.problems import Forbidden, NotFound
from uac.interfaces.service.api_keys import RIGHTS, Key, Keyring, Right, stored_as
from uac.interfaces.views.service import KeysView, KeyView, NewKeyView, key_view

__all__ = ["router"]

router = APIRouter(prefix="/v1/keys", tags=["keys"])

RIGHTS_TEXT = (
    "Read what is known; write and correct; erase words for good; administer keys, hooks and the list of users."
)


class NewKey(BaseModel):
    """The key to make. It belongs to the tenant of the key that makes it."""

    model_config = {"extra": "forbid"}

    name: str = Field(min_length=1, max_length=200, description="Who has it.", examples=["support bot"])
    user: str = Field(
        default="",
        max_length=255,
        description="The one user whom it reaches; else all of the tenant.",
        examples=["ana"],
    )
    rights: list[Right] = Field(
        default=["read", "write"], min_length=1, max_length=len(RIGHTS), description=RIGHTS_TEXT, examples=[["read"]]
    )
    expires: AwareDatetime | None = Field(
        default=None, description="Until when it is good; never longer than the key that makes it.", examples=[None]
    )


@router.post("", status_code=201)
def create(request: Request, caller: Administrator, new: NewKey) -> NewKeyView:
    """Make a key of your own tenant, with at most your own rights, users and time."""
    keyring = _keyring(request)
    beyond = [right for right in new.rights if right not in caller.rights]
    if beyond:
        raise Forbidden(f"this key has no right to {', '.join(beyond)}, so it cannot give it")
    if caller.user and new.user != caller.user:
        raise Forbidden(f"this key is for the user {caller.user!r} only, and so are the keys it makes")
    expires = new.expires or caller.expires
    if caller.expires and expires and expires > caller.expires:
        raise Forbidden(f"this key expires at {caller.expires.isoformat()}; those it makes cannot live longer")
    if new.user:
        stored_as(caller.tenant, new.user)
    key, text = keyring.create(new.name, tenant=caller.tenant, user=new.user, rights=new.rights, expires=expires)
    return NewKeyView(key=key_view(key), text=text)


@router.get("")
def listing(
    request: Request,
    caller: Administrator,
    after: Annotated[str, Query(description="The `next` of the page before.", max_length=100)] = "",
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 100,
) -> KeysView:
    """The keys of the tenant, also those that are expired or revoked."""
    keys = [key for key in _keyring(request).all() if _is_theirs(key, caller)]
    start = next((number + 1 for number, key in enumerate(keys) if key.id == after), 0 if not after else len(keys))
    page = keys[start : start + limit]
    more = start + limit < len(keys)
    return KeysView(keys=tuple(key_view(key) for key in page), next=page[-1].id if more else None)


@router.delete("/{id}")
def revoke(
    request: Request,
    caller: Administrator,
    number: Annotated[str, Path(alias="id", description="The key's id.", max_length=100, examples=["0123456789ab"])],
) -> KeyView:
    """Revoke a key of the tenant: it opens nothing from now on. Your own key too, if you say so."""
    keyring = _keyring(request)
    if not any(key.id == number and _is_theirs(key, caller) for key in keyring.all()):
        raise NotFound("there is no such key")
    return key_view(keyring.revoke(number))


def _keyring(request: Request) -> Keyring:
    service: Service = request.app.state.service
    if service.keyring is None:
        raise NotFound("this service runs without keys")
    return service.keyring


def _is_theirs(key: Key, caller: Caller) -> bool:
    """Whether an administrator has to do with a key; one for a single user only with keys for that user."""
    return key.tenant == caller.tenant and caller.user in ("", key.user)
