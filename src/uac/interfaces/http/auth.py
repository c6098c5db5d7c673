"""Authorization: from an API key to one user's memory. Every route calls `authorize_user`; there is no other way in."""

from typing import Annotated

from fastapi import Depends, Header, Path, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from uac.errors import Refused
from uac.interfaces.http.etags import parse_etags
from uac.interfaces.http.problems import Forbidden, NotFound, Unauthorized
from uac.interfaces.http.user_context import Caller, Service, UserContext
from uac.interfaces.service.api_keys import Key, Right
from uac.interfaces.service.tenants import store_user_id

__all__ = [
    "KEY",
    "Administrator",
    "Asker",
    "Eraser",
    "Known",
    "Reader",
    "Worker",
    "Writer",
    "authorize_user",
    "caller_by_key",
]


KEY = "uac.key"
"""The place of the Key in the scope of a request."""

_BEARER = HTTPBearer(auto_error=False, description="A key from `uac keys create`.")


async def caller_by_key(
    request: Request, sent: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]
) -> Caller:
    """The caller, by the bearer key that `key_check.KeyCheck` looked up before the body was read."""
    service: Service = request.app.state.service
    if service.keyring is None:
        return Caller("")
    key: Key | None = request.scope.get(KEY)
    if key is None:
        raise Unauthorized(sent=sent is not None)
    return Caller(key.id, key.tenant, key.user, key.rights, key.expires)


Known = Annotated[Caller, Depends(caller_by_key)]
User = Annotated[str, Path(description="The user's id.", min_length=1, max_length=255, examples=["ana"])]


def _authorize_to_read(
    request: Request,
    response: Response,
    caller: Known,
    user: User,
    if_none_match: Annotated[str, Header(description="Tags from ETag: 304 if nothing has changed.")] = "",
) -> UserContext:
    return authorize_user(
        request.app.state.service, caller, user, "read", seen=parse_etags(if_none_match), response=response
    )


def _authorize_to_query(request: Request, response: Response, caller: Known, user: User) -> UserContext:
    return authorize_user(request.app.state.service, caller, user, "read", response=response)


def _authorize_to_learn(request: Request, response: Response, caller: Known, user: User) -> UserContext:
    return authorize_user(request.app.state.service, caller, user, "write", response=response)


class _AuthorizeToChange:
    """A dependency: the memory of the user in the path, for callers who have a right to change it."""

    def __init__(self, right: Right) -> None:
        self._right: Right = right

    def __call__(
        self,
        request: Request,
        response: Response,
        caller: Known,
        user: User,
        if_match: Annotated[str, Header(description="Tags from ETag: 412 if somebody has written since.")] = "",
        idempotency_key: Annotated[
            str,
            Header(
                max_length=200, description="Requests with the same key make a change only once.", examples=["r-81f3"]
            ),
        ] = "",
    ) -> UserContext:
        return authorize_user(
            request.app.state.service,
            caller,
            user,
            self._right,
            expected=parse_etags(if_match),
            once=idempotency_key,
            response=response,
        )


def authorize_user(
    service: Service,
    caller: Caller,
    user: str,
    right: Right,
    *,
    response: Response | None = None,
    seen: tuple[str, ...] = (),
    expected: tuple[str, ...] = (),
    once: str = "",
) -> UserContext:
    """One user's memory for a caller who has the right to it; Forbidden or NotFound otherwise.

    HTTP routes and inspector pages both come through here.
    """
    caller.check_right(right)
    if caller.user and caller.user != user:
        what = "key" if caller.key else "session"
        raise Forbidden(f"This {what} is for the user {caller.user!r} only. Use another {what} for {user!r}.")
    try:
        store_user_id(caller.tenant, user)
    except Refused as error:
        raise NotFound(str(error)) from None
    return UserContext(service, caller, user, seen, expected, once, right, response or Response())


def _require_admin(caller: Known) -> Caller:
    caller.check_right("admin")
    return caller


Reader = Annotated[UserContext, Depends(_authorize_to_read)]
"""For GET: answers 304 to a client that has the current state."""
Asker = Annotated[UserContext, Depends(_authorize_to_query)]
"""For a POST that only reads."""
Worker = Annotated[UserContext, Depends(_authorize_to_learn)]
"""For requests that run a model: they have no idempotency key, because a model's replies differ."""
Writer = Annotated[UserContext, Depends(_AuthorizeToChange("write"))]
Eraser = Annotated[UserContext, Depends(_AuthorizeToChange("erase"))]
Administrator = Annotated[Caller, Depends(_require_admin)]
