"""Authorization: from an API key to one user's memory. Every route calls `authorize_user`; there is no other way in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Path, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.types import Scope

from uac.errors import Refused
from uac.interfaces.http.etags import parse_etags
from uac.interfaces.http.problems import Forbidden, NotFound, Unauthorized
from uac.interfaces.http.raw_headers import header_text
from uac.interfaces.http.user_context import Caller, Service, UserContext
from uac.interfaces.service.api_keys import Key, Right
from uac.interfaces.service.tenants import store_user_id
from uac.memory.groups import group_name

__all__ = [
    "ACCESS",
    "KEY",
    "MEMBER_HEADER",
    "Access",
    "Administrator",
    "Asker",
    "Eraser",
    "Known",
    "Reader",
    "Worker",
    "Writer",
    "authorize_plainly",
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
    caller = _known_caller(request.app.state.service, request.scope)
    if caller is None:
        raise Unauthorized(sent=sent is not None)
    return caller


def _known_caller(service: Service, scope: Scope) -> Caller | None:
    if service.keyring is None:
        return Caller("")
    key: Key | None = scope.get(KEY)
    return None if key is None else Caller(key.id, key.tenant, key.user, key.rights, key.expires)


LONGEST_USER = 255
MEMBER_HEADER = "Uac-Member"
LONGEST_ONCE = 200

Known = Annotated[Caller, Depends(caller_by_key)]
User = Annotated[str, Path(description="The user's id.", min_length=1, max_length=LONGEST_USER, examples=["ana"])]


async def _authorize_to_read(
    request: Request,
    response: Response,
    caller: Known,
    user: User,
    if_none_match: Annotated[str, Header(description="Tags from ETag: 304 if nothing has changed.")] = "",
) -> UserContext:
    return authorize_user(
        request.app.state.service,
        caller,
        user,
        "read",
        seen=parse_etags(if_none_match),
        response=response,
        member=_member_of(request.scope),
    )


async def _authorize_to_query(request: Request, response: Response, caller: Known, user: User) -> UserContext:
    member = _member_of(request.scope)
    return authorize_user(request.app.state.service, caller, user, "read", response=response, member=member)


async def _authorize_to_learn(request: Request, response: Response, caller: Known, user: User) -> UserContext:
    member = _member_of(request.scope)
    return authorize_user(request.app.state.service, caller, user, "write", response=response, member=member)


def _member_of(scope: Scope) -> str:
    """The member of a group as whom a key for all users acts."""
    return header_text(scope, MEMBER_HEADER.lower().encode())


class _AuthorizeToChange:
    """A dependency: the memory of the user in the path, for callers who have a right to change it."""

    def __init__(self, right: Right) -> None:
        self._right: Right = right

    async def __call__(
        self,
        request: Request,
        response: Response,
        caller: Known,
        user: User,
        if_match: Annotated[str, Header(description="Tags from ETag: 412 if somebody has written since.")] = "",
        idempotency_key: Annotated[
            str,
            Header(
                max_length=LONGEST_ONCE,
                description="Requests with the same key make a change only once.",
                examples=["r-81f3"],
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
            member=_member_of(request.scope),
        )


@dataclass(frozen=True, slots=True)
class Access:
    """The right that a route needs, and the conditions that its clients may set."""

    right: Right
    takes_seen: bool = False
    takes_terms: bool = False


def authorize_plainly(
    service: Service, scope: Scope, access: Access, user: str, response: Response
) -> UserContext | None:
    """As the dependencies do it. None if the framework must say what is wrong with a header or the path."""
    caller = _known_caller(service, scope)
    once = header_text(scope, b"idempotency-key") if access.takes_terms else ""
    if caller is None or not 0 < len(user) <= LONGEST_USER or len(once) > LONGEST_ONCE:
        return None
    seen = header_text(scope, b"if-none-match") if access.takes_seen else ""
    expected = header_text(scope, b"if-match") if access.takes_terms else ""
    return authorize_user(
        service,
        caller,
        user,
        access.right,
        response=response,
        seen=parse_etags(seen),
        expected=parse_etags(expected),
        once=once,
        member=_member_of(scope),
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
    member: str = "",
) -> UserContext:
    """One user's memory for a caller who has the right to it; Forbidden or NotFound otherwise.

    HTTP routes and inspector pages both come through here. A key for one user also reaches the groups of that user, as
    this member; the context checks the membership whenever it is used.
    """
    caller.check_right(right)
    if member and not group_name(user):
        raise Refused(f"{MEMBER_HEADER} is for groups, and {user!r} is a user. Leave it out.")
    if caller.user and (member or caller.user) != caller.user:
        raise Forbidden(f"This key is for the user {caller.user!r} only. It cannot act as {member!r}.")
    if caller.user and caller.user != user and not group_name(user):
        what = "key" if caller.key else "session"
        raise Forbidden(f"This {what} is for the user {caller.user!r} only. Use another {what} for {user!r}.")
    try:
        store_user_id(caller.tenant, user)
    except Refused as error:
        raise NotFound(str(error)) from None
    # A key for the group itself is one that the operator made: it acts as the operator, in this group alone.
    acting = (caller.user or member) if group_name(user) and caller.user != user else ""
    return UserContext(service, caller, user, seen, expected, once, right, response or Response(), acting)


async def _require_admin(caller: Known) -> Caller:
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

ACCESS: Mapping[object, Access] = {
    Reader: Access("read", takes_seen=True),
    Asker: Access("read"),
    Worker: Access("write"),
    Writer: Access("write", takes_terms=True),
    Eraser: Access("erase", takes_terms=True),
}
"""What these types of an endpoint's argument stand for."""
