"""Who is a member of a group, who wrote what, and what a member shares: folds over the entries of one log."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from uac.log.log import Log
from uac.log.rows import Stored, decode_row
from uac.schema.entries import Authorship, Grant, Kind, MemberRight, Membership, Retraction

__all__ = [
    "NOBODY",
    "Copy",
    "Grants",
    "GroupState",
    "Member",
    "fold_grants",
    "fold_group",
    "read_group_entries",
]

RANKS: Mapping[MemberRight, int] = {"read": 1, "write": 2, "admin": 3}

KINDS: frozenset[Kind] = frozenset({"membership", "grant", "authorship", "erasure", "retraction"})


class Member(NamedTuple):
    """A member of a group, or somebody who was one."""

    id: str
    """The id of the member's own log."""
    name: str
    """What records of the group call the member."""
    right: MemberRight
    joined: str
    """The digest of the entry by which the member joined."""
    since: datetime
    by: str = ""
    """The member who decided it last; "": the operator of the store."""

    @property
    def is_member(self) -> bool:
        return self.right in RANKS

    def may(self, right: Literal["read", "write", "admin"]) -> bool:
        return RANKS.get(self.right, 0) >= RANKS[right]


NOBODY = Member("", "", "", "", datetime.min.replace(tzinfo=UTC))


class Copy(NamedTuple):
    """The copy of a member's record in the group's log: its statement is at `position`."""

    digest: str
    position: int


@dataclass(frozen=True, slots=True)
class GroupState:
    """The group at `position`: everybody who was ever a member, the copies, and which entries each member wrote."""

    position: int = 0
    members: Mapping[str, Member] = field(default_factory=dict)
    copies: Mapping[tuple[str, str], Copy] = field(default_factory=dict)
    """By the member's id and the id of the record in the member's own memory."""
    written: Mapping[str, tuple[range, ...]] = field(default_factory=dict)

    def member(self, member: str) -> Member:
        return self.members.get(member, NOBODY)

    def current(self) -> list[Member]:
        """The present members, in the order in which they first joined."""
        return [member for member in self.members.values() if member.is_member]


def fold_group(entries: Iterable[Stored], onto: GroupState) -> GroupState:
    """The state after more entries. Pure: retractions do not change who may read, so nobody gets back in by one."""
    members, copies, written = dict(onto.members), dict(onto.copies), dict(onto.written)
    for stored in entries:
        match stored.entry:
            case Membership() as entry:
                members[entry.member] = _changed_member(members.get(entry.member), entry, stored)
            case Authorship(record="") as entry:
                written[entry.member] = (*written.get(entry.member, ()), range(entry.first, entry.last + 1))
            case Authorship() as entry:
                copies[entry.member, entry.record] = Copy(entry.digest, entry.first)
            case _:
                pass
    return replace(onto, members=members, copies=copies, written=written)


def _changed_member(before: Member | None, entry: Membership, stored: Stored) -> Member:
    if before is not None and before.is_member:  # a grant outlives a change of rights
        joined, since = before.joined, before.since
    else:
        joined, since = stored.digest.hex(), stored.at
    name = entry.name or (before.name if before is not None else "")
    return Member(entry.member, name, entry.right, joined, since, entry.by)


@dataclass(frozen=True, slots=True)
class Grants:
    """What the owner of a log shares, by the digest of the entry by which they joined the group."""

    position: int = 0
    digest: bytes = bytes(32)
    by_membership: Mapping[str, "GrantInForce"] = field(default_factory=dict)

    def shares(self, member: Member) -> tuple[str, ...]:
        grant = self.by_membership.get(member.joined) if member.is_member else None
        return grant.shares if grant is not None else ()


class GrantInForce(NamedTuple):
    """What is shared with one group, and the position of the entry that says so."""

    position: int
    shares: tuple[str, ...]


def fold_grants(entries: Iterable[Stored], onto: Grants) -> Grants:
    """The grants after more entries. An erased grant may have been a revocation, so it ends all before it.

    A grant that is retracted ends, and none before it comes back; nor does it by retracting the retraction.
    """
    found = dict(onto.by_membership)
    for stored in entries:
        match stored.entry:
            case Grant() as grant:
                found[grant.joined] = GrantInForce(stored.position, grant.shares)
            case Retraction(positions=positions):
                found = {joined: grant for joined, grant in found.items() if grant.position not in positions}
            case None if stored.kind == "grant":
                found.clear()
            case _:
                pass
    return replace(onto, by_membership=found)


def read_group_entries(log: Log, start: int, stop: int) -> list[Stored]:
    """The entries of a log that these folds need; the others are not even decoded."""
    return [decode_row(row) for row in log.read_rows(start, stop) if row.kind in KINDS]
