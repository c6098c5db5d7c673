"""The users of a tenant."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from uac.interfaces.http.auth import Administrator, Service
from uac.interfaces.http.fields import Told, cursor, place_behind
from uac.interfaces.http.tenant_store import TenantStore
from uac.interfaces.service.api_keys import stored_as
from uac.log.store import time_of_head

__all__ = ["router"]

router = APIRouter(prefix="/v1/users", tags=["users"])


class UserTold(Told):
    """A user, and how far the log has come."""

    user: str = Field(examples=["ana"])
    entries: int = Field(examples=[12])
    last: datetime | None = Field(description="When the last entry was written.")


class UserPage(Told):
    """Users by their ids."""

    users: list[UserTold]
    next: str | None = Field(description="What `after` must be to read on; null at the end.", examples=[None])


@router.get("")
def listed(
    request: Request,
    caller: Administrator,
    after: Annotated[str, Query(max_length=1000, description="What `next` said on the page before.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000, description="At most so many.")] = 100,
) -> UserPage:
    """The users of the key's tenant who have a log. A key for one user sees that one only."""
    service: Service = request.app.state.service
    if caller.user:
        head = service.store.log(stored_as(caller.tenant, caller.user)).head()
        one = UserTold(user=caller.user, entries=head.position, last=time_of_head(head))
        return UserPage(users=[one] if head.position and not after else [], next=None)
    (behind,) = place_behind(after, tuple[str]) if after else ("",)
    if behind:
        stored_as(caller.tenant, behind)  # a cursor of ours ends with a user who could be
    found = TenantStore(service.store, caller.tenant).users(after=behind, limit=limit + 1)
    return UserPage(
        users=[UserTold(user=user.name, entries=user.entries, last=user.last) for user in found[:limit]],
        next=cursor((found[limit - 1].name,)) if len(found) > limit else None,
    )
