"""One user's memory in a request: for a caller with a right, with the conditions that the client set."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from fastapi import Response

from uac.interfaces.http.etags import log_etag, matches_etag
from uac.interfaces.http.memory_cache import MemoryCache
from uac.interfaces.http.notify import ChangeNotifier
from uac.interfaces.http.problems import Forbidden, NotFound, NotModified, Outdated
from uac.interfaces.service.api_keys import RIGHTS, Keyring, Right
from uac.interfaces.service.tenants import store_user_id
from uac.log.log import Head, Log
from uac.log.store import Store
from uac.memory.memory import Memory

__all__ = ["Caller", "Service", "UserContext"]


@dataclass(frozen=True, slots=True)
class Service:
    """The state that all routes share. Without a keyring everybody has every right: for your own machine."""

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
                self.end_write(memory.log.head())

    @contextmanager
    def separate_memory(self) -> Iterator[Memory]:
        """A separate memory for long work: other requests may use the user's memory meanwhile."""
        with self.service.memories.separate_memory(self.store_user_id) as memory:
            yield memory
        self.end_write(self.log.head())

    def end_write(self, head: Head) -> None:
        """Give the answer the tag of what was written, and wake those who wait for it."""
        self.set_etag(head)
        self.service.notifier.notify_user_changed(self.store_user_id)

    def set_etag(self, head: Head) -> None:
        self.response.headers["ETag"] = log_etag(head)

    def check_has_memory(self, *, create: bool = False) -> Head:
        """The end of the log. NotFound if the user has none, NotModified if the client has seen it."""
        head = self.log.head()
        if not head.position and not create:
            raise NotFound(f"User {self.user!r} has no memory yet. POST …/observations starts one.")
        if matches_etag(head, self.seen):
            raise NotModified(log_etag(head))
        return head

    def expected_position(self) -> int | None:
        """The position in If-Match, if it was sent; Outdated if the log has moved on."""
        if not self.expected:
            return None
        head = self.log.head()
        if not matches_etag(head, self.expected):
            raise Outdated(log_etag(head))
        return head.position
