"""Groups: who is a member, with which right, and what each member shares. Their memory is that of user group:NAME."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field

from uac.errors import Refused
from uac.interfaces.http.auth import MEMBER_HEADER, Known, Reader, Writer
from uac.interfaces.http.fields import Input
from uac.interfaces.http.problems import Forbidden
from uac.interfaces.http.raw_headers import header_text
from uac.interfaces.http.user_context import Caller, Service, UserContext
from uac.interfaces.service.api_keys import Right
from uac.interfaces.views.groups import GroupsView, GroupView, group_view
from uac.memory.groups import Group, GroupRight

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["groups"])

Name = Annotated[str, Path(alias="group", description="The name of the group.", max_length=63, examples=["lunch"])]
Member = Annotated[str, Path(description="The member's user id.", min_length=1, max_length=255, examples=["ana"])]


class NewGroup(Input):
    """A group, and its first member."""

    group: str = Field(min_length=1, max_length=63, description="The name.", examples=["lunch"])
    admin: str = Field(min_length=1, max_length=255, description="The user who may add others.", examples=["ana"])
    called: str = Field(default="", max_length=80, description="What the group calls that member.", examples=["Ana"])


class MemberInput(Input):
    """The right of a member: read; also write; also add and remove members."""

    right: GroupRight = Field(default="write", examples=["write"])
    called: str = Field(default="", max_length=80, description="What the group calls the member.", examples=["Ben"])


class SharesInput(Input):
    """What is shared from now on, in place of what was before; an empty list ends it, and the copies are erased."""

    shares: list[Annotated[str, Field(min_length=1, max_length=1000)]] = Field(
        max_length=1000, description="Types, fields of types, and records.", examples=[["health.Allergy.substance"]]
    )


@router.post("/groups", status_code=201)
def create_group(request: Request, caller: Known, body: NewGroup) -> GroupView:
    """Make a group. A key for one user makes groups whose first member is that user."""
    caller.check_right("write")
    if caller.user and caller.user != body.admin:
        raise Forbidden(f"This key is for the user {caller.user!r} only. Make that user the admin.")
    service: Service = request.app.state.service
    return _visible_view(caller, service.groups(caller.tenant).create(body.group, body.admin, called=body.called))


@router.get("/groups/{group}")
def get_group(request: Request, caller: Known, group: Name) -> GroupView:
    """The members of a group, and what each of them shares."""
    return group_view(_open_group(request, caller, group, "read")[0])


@router.put("/groups/{group}/members/{member}")
def set_member(request: Request, caller: Known, group: Name, member: Member, body: MemberInput) -> GroupView:
    """Add a user of the tenant to a group, or give a member another right. Members need to be admins for it."""
    opened, by = _open_group(request, caller, group, "write")
    opened.add(member, body.right, called=body.called, by=by)
    return _visible_view(caller, opened)


@router.delete("/groups/{group}/members/{member}", status_code=204)
def remove_member(request: Request, caller: Known, group: Name, member: Member) -> None:
    """Remove a member, at once; members can also remove themselves. What they shared is erased from the group."""
    opened, by = _open_group(request, caller, group, "write")
    opened.remove(member, by=by)


@router.get("/users/{user}/groups")
def list_groups(context: Reader) -> GroupsView:
    """The groups that a user is a member of."""
    found = context.service.groups(context.caller.tenant).of(_own_user(context))
    return GroupsView(groups=tuple(map(group_view, found)))


@router.put("/users/{user}/shares/{group}")
def set_shares(context: Writer, group: Name, body: SharesInput) -> GroupView:
    """Set what a user shares with a group. Only a key for that user, or for all users, can."""
    opened = context.service.open_group(context.caller.tenant, group, _own_user(context))
    try:
        opened.set_shares(context.user, body.shares)
    except Refused:
        if context.may_read:
            raise
        raise Refused("shares: one of them is not a type, a field or a record that can be shared.") from None
    context.end_write(context.log.head())
    return _visible_view(context.caller, opened)


def _open_group(request: Request, caller: Caller, name: str, right: Right) -> tuple[Group, str]:
    """The group and the member who acts; "" is the operator."""
    caller.check_right(right)
    named = header_text(request.scope, MEMBER_HEADER.lower().encode())
    if caller.user and (named or caller.user) != caller.user:
        raise Forbidden(f"This key is for the user {caller.user!r} only. It cannot act as {named!r}.")
    member = caller.user or named
    service: Service = request.app.state.service
    # Members who may only read can leave; whoever changes others is checked with the change.
    return service.open_group(caller.tenant, name, member), member


def _visible_view(caller: Caller, group: Group) -> GroupView:
    """The group after a change; a key that may not read gets no members."""
    view = group_view(group)
    return view if "read" in caller.rights else replace(view, members=())


def _own_user(context: UserContext) -> str:
    if context.user.startswith("group:"):
        raise Refused(f"{context.user!r} is a group. Name one of its members.")
    return context.user
