"""The users of a tenant."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from uac.interfaces.http.auth import Administrator
from uac.interfaces.http.fields import read_cursor, write_cursor
from uac.interfaces.http.user_context import Service
from uac.interfaces.service.tenant_store import TenantStore
from uac.interfaces.service.tenants import store_user_id
from uac.interfaces.views.service import UserPageView, UserView, user_view
from uac.log.store import time_of_head

__all__ = ["router"]

router = APIRouter(prefix="/v1/users", tags=["users"])


@router.get("", name="listed")
def list_users(
    request: Request,
    caller: Administrator,
    after: Annotated[str, Query(max_length=1000, description="The `next` of the previous page.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000, description="At most this many.")] = 100,
) -> UserPageView:
    """The users of the key's tenant who have a log. A key for one user sees that one only."""
    service: Service = request.app.state.service
    if caller.user:
        head = service.store.log(store_user_id(caller.tenant, caller.user)).head()
        one = UserView(user=caller.user, entries=head.position, last=time_of_head(head))
        return UserPageView(users=(one,) if head.position and not after else (), next=None)
    (behind,) = read_cursor(after, tuple[str]) if after else ("",)
    if behind:
        store_user_id(caller.tenant, behind)  # a cursor of ours ends with a user who could be
    found = TenantStore(service.store, caller.tenant).users(after=behind, limit=limit + 1)
    return UserPageView(
        users=tuple(map(user_view, found[:limit])),
        next=write_cursor((found[limit - 1].name,)) if len(found) > limit else None,
    )
