"""The groups of a store: created, opened, listed, and rid of a member who is erased."""

import re
from collections.abc import Callable, Iterator

from uac.errors import Moved, Refused
from uac.log.log import Log
from uac.log.store import GROUP, Store
from uac.memory.groups.group import Group, group_name, membership_entry, no_group
from uac.memory.memory import Memory

__all__ = ["Groups"]


class Groups:
    """The groups of a store. `open_memory` opens the memory of a log, with the caller's settings."""

    def __init__(self, store: Store, *, open_memory: Callable[[Log], Memory] = Memory) -> None:
        self._store = store
        self._open_memory = open_memory
        self._opened: dict[str, Group] = {}

    def create(self, name: str, admin: str, *, called: str = "") -> Group:
        """A new group with its first member, who may add others. `called` is what its records call that member."""
        if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,62}", name, re.ASCII):
            raise Refused(
                f"The group {name!r} is not a valid name. Use up to 63 of a-z, 0-9, dot, dash and underscore."
            )
        entry = membership_entry(admin, "admin", called or admin, by="")
        try:
            self._store.log(GROUP + name).append([entry], after=0)
        except Moved:
            raise Refused(f"The group {name!r} exists already. Choose another name.") from None
        return self.open(name)

    def open(self, name: str) -> Group:
        """The group of that name."""
        group = self.find(name)
        if group is None:
            raise no_group(name)
        return group

    def find(self, name: str) -> Group | None:
        """The group of that name, if there is one."""
        group = self._opened.get(name) or Group(self._store, name, self._open_memory)
        return self._opened.setdefault(name, group) if group.state().members else None

    def names(self) -> Iterator[str]:
        """The names of all groups, in order."""
        behind = GROUP
        while page := self._store.users(after=behind):
            for user in page:
                behind = user.name
                if not (name := group_name(user.name)):
                    return
                if self.find(name) is not None:  # else it is a user of an earlier version
                    yield name

    def of(self, member: str) -> list[Group]:
        """The groups that somebody is a member of. All groups are read for it."""
        return [group for group in map(self.open, self.names()) if group.state().member(member).is_member]

    def erase_member(self, member: str) -> dict[str, int]:
        """Erase what a member shared with groups and said in them; returns the number of entries for each group.

        The member's own log is left to the caller, and should be erased last: then it can be repeated if it fails.
        """
        found: dict[str, int] = {}
        for group in map(self.open, self.names()):
            state = group.state()
            if member in state.members and state.members[member].right != "erased":
                found[group.name] = group.erase_member(member)
        return found

    def sync_member(self, member: str, *, has_erased: bool = False) -> list[Group]:
        """Bring the open groups up to date that a member shares records with, after the member's log has changed.

        Returns them. Groups that are not open are brought up to date when they are opened.
        """
        found = [group for group in list(self._opened.values()) if group.has_shares_of(member)]
        for group in found:
            group.withdraw(member) if has_erased else group.sync()
        return found

    def close(self) -> None:
        for group in self._opened.values():
            group.close()
        self._opened.clear()
