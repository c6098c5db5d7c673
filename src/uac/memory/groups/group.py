"""A group: its members, what they share with it, and its memory for each of them.

`sync` keeps the copies of shared records in step with the members' logs (`copies.py`). It runs whenever the group is
opened or read, so that it also finishes what a killed process has left.
"""

import threading
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Literal

import msgspec

from uac.errors import Moved, NoGroup, NotAllowed, Refused
from uac.log.log import EMPTY, Head, Log
from uac.log.store import GROUP, Store, check_user
from uac.memory.groups.copies import Copies, SharesChanged
from uac.memory.groups.membership import (
    Grants,
    GroupState,
    Member,
    fold_grants,
    fold_group,
    read_group_entries,
)
from uac.memory.groups.shared_records import SharedRecord, check_share, cited_by_shares, shared_records
from uac.memory.memory import Memory
from uac.memory.snapshots import fold_log
from uac.schema.entries import Authorship, Entry, Erasure, Grant, MemberRight, Membership, Observation, kind_of

__all__ = ["Group", "GroupRight", "group_name", "membership_entry", "no_group"]

GroupRight = Literal["read", "write", "admin"]
ATTEMPTS = 5  # to write copies while their member changes what is shared


def group_name(user: str) -> str:
    """The name of the group that an id belongs to; "" if it is the id of a user."""
    return user.removeprefix(GROUP) if user.startswith(GROUP) else ""


class Group:
    """One group. Every change of members names who decided it (`by`); "" is the operator of the store."""

    def __init__(self, store: Store, name: str, open_memory: Callable[[Log], Memory]) -> None:
        self.name = name
        self.id = check_user(GROUP + name)
        self._store = store
        self._log = store.log(self.id)
        self._open_memory = open_memory
        self._lock = threading.RLock()
        self._state = GroupState()
        self._digest = EMPTY.digest
        self._grants: dict[str, Grants] = {}
        self._seen: dict[str, Head] = {}
        self._copies = Copies(self.id, self.name, self._log, self.state, open_memory)

    # --- members ---------------------------------------------------------------------------------------------------

    def state(self) -> GroupState:
        """The group at the end of its log. Only new entries are folded."""
        with self._lock:
            return self._state_at(self._log.head())

    def _state_at(self, head: Head) -> GroupState:
        known = self._state
        if (known.position, self._digest) != (head.position, head.digest):
            if not (known.position <= head.position and self._log.contains(known.position, self._digest)):
                known = GroupState()  # the group was erased, and another one has its name
            entries = read_group_entries(self._log, known.position + 1, head.position + 1)
            if any(stored.kind == "erasure" for stored in entries):
                known, entries = GroupState(), read_group_entries(self._log, 1, head.position + 1)
            self._state = replace(fold_group(entries, known), position=head.position)
            self._digest = head.digest
        return self._state

    def members(self) -> list[Member]:
        """The present members."""
        return self.state().current()

    def check(self, member: str, right: GroupRight) -> Member:
        """The member, if they have the right. A stranger hears no more than of a group that does not exist."""
        return self._checked(self.state(), member, right)

    def check_at(self, head: Head, member: str, right: GroupRight) -> None:
        """As `check`, inside a transaction on the group's log that ends there."""
        with self._lock:
            self._checked(self._state_at(head), member, right)

    def _checked(self, state: GroupState, member: str, right: GroupRight) -> Member:
        found = state.member(member)
        if not found.is_member:
            raise no_group(self.name)
        if not found.may(right):
            raise NotAllowed(f"{found.name} may {found.right} in the group {self.name!r}. This needs {right}.")
        return found

    def add(self, member: str, right: GroupRight = "write", *, called: str = "", by: str = "") -> None:
        """Add a member, or give one another right."""
        self._change_members(partial(self._plan_member, member, right, called, by), by=by)

    def _plan_member(
        self, member: str, right: GroupRight, called: str, by: str, state: GroupState
    ) -> Membership | None:
        before = state.member(member)
        name = called or (before.name if before.is_member else member)
        if before.is_member and (before.right, before.name) == (right, name):
            return None
        if right != "admin":
            self._check_other_admin(state, member, by)
        if any(other.name.casefold() == name.casefold() for other in state.current() if other.id != member):
            raise Refused(f"The group {self.name!r} has a member called {name} already. Choose another name.")
        return membership_entry(member, right, name, by=by)

    def remove(self, member: str, *, by: str = "") -> None:
        """Remove a member, at once: no access, and nothing shared any more. What they wrote stays, as theirs."""

        def plan(state: GroupState) -> Membership | None:
            if not state.member(member).is_member:
                raise Refused(f"{member!r} is not a member of the group {self.name!r}. 'uac group members' lists them.")
            self._check_other_admin(state, member, by)
            return Membership(member=member, right="", by=by)

        self._change_members(plan, by="" if by == member else by)

    def erase_member(self, member: str) -> int:
        """Destroy all that a member shared with this group or said in it; a mark of the membership stays.

        Returns the number of entries that lost words. If it is interrupted, the next `sync` finishes it.
        """
        before = self._log.head().position
        self._change_members(lambda _state: Membership(member=member, right="erased"))
        return sum(
            len(stored.entry.erased)
            for stored in read_group_entries(self._log, before + 1, self._log.head().position + 1)
            if isinstance(stored.entry, Erasure)
        )

    def withdraw(self, member: str) -> None:
        """Sync after a member shares less, or has erased words: when it returns, no process writes a copy of them.

        The membership is stated once more. So the group's log has another end than the one behind which a process
        writes that has read the member's log before.
        """

        def plan(state: GroupState) -> Membership | None:
            found = state.member(member)
            return (
                Membership(member=member, right=found.right, name=found.name, by=found.by) if found.is_member else None
            )

        self._change_members(plan)

    def _change_members(self, plan: Callable[[GroupState], Membership | None], *, by: str = "") -> None:
        while True:
            state = self.state()
            if by:
                self._checked(state, by, "admin")
            entry = plan(state)
            if entry is None:
                return
            try:
                self._log.append([entry], after=state.position)
                break
            except Moved:
                continue
        self.sync()

    def _check_other_admin(self, state: GroupState, member: str, by: str) -> None:
        """Only the operator can leave a group without anybody who may add members."""
        others = [other for other in state.current() if other.may("admin") and other.id != member]
        if by and state.member(member).may("admin") and not others:
            raise Refused(f"{member!r} is the only admin of the group {self.name!r}. Make another member admin first.")

    # --- what members share ----------------------------------------------------------------------------------------

    def share(self, member: str, *what: str) -> tuple[str, ...]:
        """Share types, fields of types or records of a member with the group; returns all that is shared.

        The consent is an entry of the member's own log, and the copies follow it.
        """
        found = self.check(member, "read")
        return self._grant(found, lambda shares: {*shares, *what}, checked=what)

    def unshare(self, member: str, *what: str) -> tuple[str, ...]:
        """Stop sharing these, or everything; returns what is still shared. The copies are erased."""
        found = self.check(member, "read")
        if unknown := [each for each in what if each not in self._grants_of(member).shares(found)]:
            raise Refused(f"{unknown[0]} is not shared with the group {self.name!r}. 'uac group members' lists shares.")
        return self._grant(found, lambda shares: {each for each in shares if what and each not in what})

    def _grant(
        self, member: Member, change: Callable[[tuple[str, ...]], set[str]], *, checked: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        log = self._store.log(member.id)
        while True:
            project = fold_log(log)
            for each in checked:
                check_share(project, each)
            before = self._grants_of(member.id).shares(member)
            shares = tuple(sorted(change(before)))
            if shares == before:
                break
            try:
                cites = cited_by_shares(project, shares)
                grant = Grant(group=self.name, joined=member.joined, shares=shares, cites=cites)
                log.append([grant], after=project.position)
                break
            except Moved:
                continue
        if not set(before) <= set(shares):
            self.withdraw(member.id)
        else:
            self.sync()
        return shares

    def set_shares(self, member: str, shares: Collection[str]) -> tuple[str, ...]:
        """Share exactly these with the group; as `share` and `unshare`."""
        return self._grant(self.check(member, "read"), lambda _before: {*shares}, checked=tuple(shares))

    def has_shares_of(self, member: str) -> bool:
        """Whether a member shared something when the group was last brought up to date."""
        return bool(self._grants.get(member, Grants()).shares(self._state.member(member)))

    def shares(self) -> dict[str, tuple[str, ...]]:
        """What each member shares, by the member's id; of single records those that exist: others are their affair."""
        copies = self.state().copies
        return {
            member.id: tuple(
                each
                for each in self._grants_of(member.id).shares(member)
                if ":" not in each or (member.id, each) in copies
            )
            for member in self.members()
        }

    def _grants_of(self, member: str) -> Grants:
        with self._lock:
            return self._read_grants(member)

    def _read_grants(self, member: str) -> Grants:
        log, known = self._store.log(member), self._grants.get(member, Grants())
        head = log.head()
        if (known.position, known.digest) != (head.position, head.digest):
            if not (known.position <= head.position and log.contains(known.position, known.digest)):
                known = Grants()
            entries = read_group_entries(log, known.position + 1, head.position + 1)
            if any(stored.kind == "erasure" for stored in entries):
                known, entries = Grants(), read_group_entries(log, 1, head.position + 1)
            known = replace(fold_grants(entries, known), position=head.position, digest=head.digest)
            self._grants[member] = known
        return known

    # --- memory ----------------------------------------------------------------------------------------------------

    def memory(self, member: str = "") -> Memory:
        """The group's memory as a member may use it: each access is checked, and each write is noted as theirs.

        Without a member it is the operator's, who may do everything. The caller closes it.
        """
        self.sync()
        return self._open_memory(self.log(member))

    def log(self, member: str = "") -> Log:
        """The group's log, as `memory` uses it."""
        if not member:
            return self._log
        self.check(member, "read")
        return self._log.guarded(_MemberGuard(self, member))

    def sync(self) -> None:
        """Make the copies in the group's log those that its members share: others are erased, missing ones written."""
        with self._lock:
            for _attempt in range(ATTEMPTS):
                seen = self._heads_of_members()
                self._copies.finish_erasures()
                try:
                    self._copies.update(
                        {member: self._shares_of(member) for member in seen}, partial(self._is_unchanged, seen)
                    )
                except SharesChanged:
                    continue
                self._seen = {member.id: head for member, head in seen.items()}
                if not self._is_outdated():  # else a member changed what is shared meanwhile
                    break

    def _is_unchanged(self, seen: dict[Member, Head]) -> bool:
        return seen == self._heads_of_members()

    def _heads_of_members(self) -> dict[Member, Head]:
        return {member: self._store.log(member.id).head() for member in self.members()}

    def refresh(self) -> None:
        """Sync if a member whose records were copied has changed anything since."""
        if self._is_outdated():
            self.sync()

    def _is_outdated(self) -> bool:
        owners = {owner for owner, _record in self.state().copies if owner != self.id}
        return any(self._store.log(owner).head() != self._seen.get(owner) for owner in sorted(owners))

    def _shares_of(self, member: Member) -> dict[str, SharedRecord]:
        shares = self._grants_of(member.id).shares(member)
        return shared_records(fold_log(self._store.log(member.id)), shares, member.name) if shares else {}

    @property
    def refused(self) -> dict[tuple[str, str], str]:
        """The shared records that the group could not take, by member and record, with the reason."""
        return {key: why for key, (_digest, why) in self._copies.refused.items()}

    def close(self) -> None:
        """Release the interpreter that runs the group's constraints."""
        self._copies.close()


class _MemberGuard:
    """Checks each access of a member to the group's log, and signs what they write."""

    def __init__(self, group: Group, member: str) -> None:
        self._group = group
        self._member = member

    def refresh(self) -> None:
        self.check_read()
        self._group.refresh()

    def check_read(self) -> None:
        self._group.check(self._member, "read")

    def check_append(self, head: Head) -> None:
        self._group.check_at(head, self._member, "write")

    def check_erase(self, head: Head) -> None:
        self._group.check_at(head, self._member, "admin")

    def attributed(self, entry: Entry) -> Entry:
        if isinstance(entry, Membership | Authorship | Grant):  # they decide who may read, and whose words are whose
            raise NotAllowed(f"A member cannot write an entry of the kind {kind_of(entry)}. Use the methods of Group.")
        if isinstance(entry, Observation) and entry.role == "user":  # in a group, the user is the one who writes
            return msgspec.structs.replace(entry, speaker=self._group.state().member(self._member).name)
        return entry

    def signature(self, first: int, last: int) -> Entry:
        return Authorship(member=self._member, first=first, last=last)


def membership_entry(member: str, right: MemberRight, name: str, *, by: str) -> Membership:
    check_user(member)
    if group_name(member):
        raise Refused(f"{member!r} is a group. Add its members instead.")
    if not name.isprintable() or len(name) > 80 or name != name.strip():
        raise Refused(f"{name!r} is not a valid name of a member. Use up to 80 printable characters.")
    return Membership(member=member, right=right, name=name, by=by)


def no_group(name: str) -> NoGroup:
    return NoGroup(f"No group {name!r}, or no membership in it. 'uac group list' lists the groups.")
