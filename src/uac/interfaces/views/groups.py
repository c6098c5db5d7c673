"""Views of groups: members, rights, and what each of them shares."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from uac.interfaces.views.view import Doc, View
from uac.schema.entries import MemberRight

if TYPE_CHECKING:  # a client needs none of it
    from uac.memory.groups import Group

__all__ = ["GroupView", "GroupsView", "MemberView", "group_view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberView(View):
    """A member of a group, and what the member shares with it."""

    member: Annotated[str, Doc("The member's user id.", "ana")]
    name: Annotated[str, Doc("What the group's records call the member.", "Ana")]
    right: Annotated[MemberRight, Doc("read; also write; also add and remove members (admin).", "write")]
    since: datetime
    by: Annotated[str, Doc("The member who decided it last; empty: the operator.", "")]
    shares: Annotated[tuple[str, ...], Doc("Types, fields of types, and records.", ["health.Allergy.substance"])]
    refused: Annotated[tuple[str, ...], Doc("Why shared records are not in the group's memory.", [])] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView(View):
    """A group and its members."""

    group: Annotated[str, Doc("The name.", "lunch")]
    user: Annotated[str, Doc("The id under which all routes of users reach the group's memory.", "group:lunch")]
    members: tuple[MemberView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsView(View):
    """The groups of a member."""

    groups: tuple[GroupView, ...]


def group_view(group: "Group") -> GroupView:
    shares = group.shares()
    members = tuple(
        MemberView(
            member=member.id,
            name=member.name,
            right=member.right,
            since=member.since,
            by=member.by,
            shares=shares.get(member.id, ()),
            refused=tuple(why for (owner, _record), why in sorted(group.refused.items()) if owner == member.id),
        )
        for member in group.members()
    )
    return GroupView(group=group.name, user=group.id, members=members)
