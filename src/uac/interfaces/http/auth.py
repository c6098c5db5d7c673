"""Authorization: from an API key to one user's memory. Every route calls `authorize_user`; there is no other way in."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Header, Path, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from uac.errors import Refused
from uac.interfaces.http.memory_cache import MemoryCache
from uac.interfaces.http.notify import ChangeNotifier
from uac.interfaces.http.problems import Forbidden, NotFound, NotModified, Outdated, Unauthorized
from uac.interfaces.service.api_keys import RIGHTS, Key, Keyring, Right
from uac.interfaces.service.tenants import store_user_id
from uac.log.log import Head, Log
from uac.log.store import Store
from uac.memory.memory import Memory

__all__ = [
    "KEY",
    "Administrator",
    "Asker",
    "Caller",
    "Eraser",
    "Known",
    "Reader",
    "Service",
    "UserContext",
    "Worker",
    "Writer",
    "authorize_user",
    "caller_by_key",
    "log_etag",
]


@dataclass(frozen=True, slots=True)
class Service:
    """What all routes share. Without a keyring everybody has every right: for one's own machine."""

    store: Store
    memories: MemoryCache
    keyring: Keyring | None
    notifier: ChangeNotifier = field(default_factory=ChangeNotifier)


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a request, as the key describes it."""

    key: str
    tenant: str = ""
    user: str = ""
    rights: tuple[Right, ...] = RIGHTS
    expires: datetime | None = None

    def check_right(self, right: Right) -> None:
        if right not in self.rights:
            raise Forbidden(f"This key may {', '.join(self.rights)}. This request needs the right to {right}.")


@dataclass(frozen=True, slots=True)
class UserContext:
    """One user's memory in a request, for a caller with a certain right."""

    service: Service
    caller: Caller
    user: str
    seen: tuple[str, ...] = ()
    """The tags of If-None-Match: the state that the client has."""
    expected: tuple[str, ...] = ()
    """The tags of If-Match: the state that the client's change is based on."""
    once: str = ""
    """The idempotency key."""
    right: Right = "read"
    response: Response = field(default_factory=Response)
    """Where the headers of the answer are set."""

    @property
    def store_user_id(self) -> str:
        """The user's id in the store."""
        return store_user_id(self.caller.tenant, self.user)

    @property
    def may_read(self) -> bool:
        """Whether the caller may see what is known. One who may only write gets positions."""
        return "read" in self.caller.rights

    @property
    def log(self) -> Log:
        return self.service.store.log(self.store_user_id)

    @contextmanager
    def memory(self, *, create: bool = False) -> Iterator[Memory]:
        """The memory, locked for this request; with `create` also of a user who has none yet.

        The answer gets its ETag here. What is read may be newer than its tag says, but never older.
        """
        head = self.check_has_memory(create=create)
        with self.service.memories.use_memory(self.store_user_id) as memory:
            self.set_etag(head)
            yield memory
            if self.right != "read":
                self.set_etag(memory.log.head())
                self.service.notifier.notify_user_changed(self.store_user_id)

    @contextmanager
    def separate_memory(self) -> Iterator[Memory]:
        """A separate memory for long work: other requests may use the user's memory meanwhile."""
        with self.service.memories.separate_memory(self.store_user_id) as memory:
            yield memory
        self.set_etag(self.log.head())
        self.service.notifier.notify_user_changed(self.store_user_id)

    def set_etag(self, head: Head) -> None:
        self.response.headers["ETag"] = log_etag(head)

    def check_has_memory(self, *, create: bool = False) -> Head:
        """The end of the log. NotFound if the user has none, NotModified if the client has seen it."""
        head = self.log.head()
        if not head.position and not create:
            raise NotFound(f"User {self.user!r} has no memory yet. POST …/observations starts one.")
        if _matches_etag(head, self.seen):
            raise NotModified(log_etag(head))
        return head

    def expected_position(self) -> int | None:
        """The position in If-Match, if it was sent; Outdated if the log has moved on."""
        if not self.expected:
            return None
        head = self.log.head()
        if not _matches_etag(head, self.expected):
            raise Outdated(log_etag(head))
        return head.position


def log_etag(head: Head) -> str:
    """The state of the log as an ETag. Weak: answers also depend on the time, as in "due tomorrow"."""
    return f'W/"{head.position}-{head.digest[:6].hex()}"'


def _matches_etag(head: Head, tags: tuple[str, ...]) -> bool:
    """Weak and strong tags are equal, because proxies change them; "*" matches any user who exists."""
    plain = {tag.removeprefix("W/") for tag in tags}
    return log_etag(head).removeprefix("W/") in plain or ("*" in plain and head.position > 0)


KEY = "uac.key"
"""The place of the Key in the scope of a request."""

_BEARER = HTTPBearer(auto_error=False, description="A key from `uac keys create`.")


async def caller_by_key(
    request: Request, sent: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]
) -> Caller:
    """The caller, by the bearer key that `middleware.KeyCheck` looked up before the body was read."""
    service: Service = request.app.state.service
    if service.keyring is None:
        return Caller("")
    key: Key | None = request.scope.get(KEY)
    if key is None:
        raise Unauthorized(sent=sent is not None)
    return Caller(key.id, key.tenant, key.user, key.rights, key.expires)


Known = Annotated[Caller, Depends(caller_by_key)]
User = Annotated[str, Path(description="The user's id.", min_length=1, max_length=255, examples=["ana"])]


def _context_to_read(
    request: Request,
    response: Response,
    caller: Known,
    user: User,
    if_none_match: Annotated[str, Header(description="Tags from ETag: 304 if nothing has changed.")] = "",
) -> UserContext:
    return authorize_user(
        request.app.state.service, caller, user, "read", seen=_parse_etags(if_none_match), response=response
    )


def _context_to_query(request: Request, response: Response, caller: Known, user: User) -> UserContext:
    return authorize_user(request.app.state.service, caller, user, "read", response=response)


def _context_to_learn(request: Request, response: Response, caller: Known, user: User) -> UserContext:
    return authorize_user(request.app.state.service, caller, user, "write", response=response)


class _ContextToChange:
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
            expected=_parse_etags(if_match),
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


def _parse_etags(header: str) -> tuple[str, ...]:
    return tuple(tag for each in header.split(",") if (tag := each.strip()))


def _require_admin(caller: Known) -> Caller:
    caller.check_right("admin")
    return caller


Reader = Annotated[UserContext, Depends(_context_to_read)]
"""For GET: answers 304 to a client that has the current state."""
Asker = Annotated[UserContext, Depends(_context_to_query)]
"""For a POST that only reads."""
Worker = Annotated[UserContext, Depends(_context_to_learn)]
"""For requests that run a model: they have no idempotency key, because a model's replies differ."""
Writer = Annotated[UserContext, Depends(_ContextToChange("write"))]
Eraser = Annotated[UserContext, Depends(_ContextToChange("erase"))]
Administrator = Annotated[Caller, Depends(_require_admin)]
