"""One user's memory in a request: for a caller with a right, with the conditions that the client set."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from fastapi import Response

from uac.interfaces.http.etags import log_etag, matches_etag
from uac.interfaces.http.memory_cache import MEMBER, MemoryCache
from uac.interfaces.http.notify import ChangeNotifier
from uac.interfaces.http.problems import Forbidden, NotFound, NotModified, Outdated
from uac.interfaces.service.api_keys import RIGHTS, Keyring, Right
from uac.interfaces.service.tenant_store import TenantStore
from uac.interfaces.service.tenants import store_user_id
from uac.log.coordination import Coordination
from uac.log.log import Head, Log
from uac.log.store import Store
from uac.memory.groups import Group, Groups, group_name
from uac.memory.memory import Memory

__all__ = ["Caller", "Service", "UserContext"]


@dataclass(frozen=True, slots=True)
class Service:
    """The state that all routes share. Without a keyring everybody has every right: for your own machine."""

    store: Store
    memories: MemoryCache
    keyring: Keyring | None
    notifier: ChangeNotifier = field(default_factory=ChangeNotifier)
    coordination: Coordination | None = None
    """What it shares with other processes on the store; None: it is alone."""
    open_memory: Callable[[Log], Memory] = Memory
    by_tenant: dict[str, Groups] = field(default_factory=dict)
    enqueue_import: Callable[[str, str, int], None] | None = None
    """Leaves a staged file of a user, with this id and number of parts, to workers; None: it has none."""

    def groups(self, tenant: str) -> Groups:
        """The groups of a tenant: their members are users of the same tenant."""
        known = self.by_tenant.get(tenant)
        return known or self.by_tenant.setdefault(
            tenant, Groups(TenantStore(self.store, tenant), open_memory=self.open_memory)
        )

    def open_group(self, tenant: str, name: str, member: str = "", right: Right = "read") -> Group:
        """A group that is up to date, for a member with a right, or for the operator; else NotAllowed."""
        group = self.groups(tenant).open(name)
        if member:
            group.check(member, MEMBER_RIGHTS[right])
        before = group.state().position
        group.sync()
        if group.state().position != before:
            self.notifier.notify_user_changed(store_user_id(tenant, group.id))
        return group


MEMBER_RIGHTS: Mapping[Right, Literal["read", "write", "admin"]] = {
    "read": "read",
    "write": "write",
    "erase": "admin",
    "admin": "admin",
}
"""The right in a group that a member needs for what the key is used for."""


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
    member: str = ""
    """If the memory is that of a group: the member who acts; "": the operator."""

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
        group = self.group()
        return group.log(self.member) if group is not None else self.service.store.log(self.store_user_id)

    def group(self) -> Group | None:
        """The group, if the memory is that of one and the member may use it so; NotAllowed if not."""
        if not (name := group_name(self.user)):
            return None
        if not self.member and self.service.groups(self.caller.tenant).find(name) is None:
            if self.right != "read" and not self.service.store.log(self.store_user_id).head().position:
                raise NotFound(f"No group {name!r}. POST /v1/groups makes one.")
            return None  # there is nothing, or a user of an earlier version
        return self.service.open_group(self.caller.tenant, name, self.member, self.right)

    @property
    def _cache_name(self) -> str:
        """The name of the open memory: each member has one."""
        return f"{self.store_user_id}{MEMBER}{self.member}" if self.member else self.store_user_id

    @contextmanager
    def memory(self, *, create: bool = False) -> Iterator[Memory]:
        """The memory, locked for this request; with `create` also of a user who has none yet.

        The answer gets its ETag here. What is read may be newer than its tag says, but never older.
        """
        head = self.check_has_memory(create=create)
        with self.service.memories.use_memory(self._cache_name) as memory:
            self.set_etag(head)
            yield memory
            if self.right != "read":
                self.end_write(memory.log.head())

    @contextmanager
    def separate_memory(self) -> Iterator[Memory]:
        """A separate memory for long work: other requests may use the user's memory meanwhile."""
        self.group()  # checks the member
        with self.service.memories.separate_memory(self._cache_name) as memory:
            yield memory
        self.end_write(self.log.head())

    def end_write(self, head: Head) -> None:
        """Give the answer the tag of what was written, and wake those who wait for it."""
        self.set_etag(head)
        self.service.notifier.notify_user_changed(self.store_user_id)
        groups = self.service.groups(self.caller.tenant)
        for group in groups.sync_member(self.user, has_erased=self.right == "erase"):
            self.service.notifier.notify_user_changed(store_user_id(self.caller.tenant, group.id))

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
