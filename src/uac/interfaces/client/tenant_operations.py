"""The operations on a key's tenant: its users, groups and webhooks. Each is defined once, for both kinds of client."""

from collections.abc import Sequence
from typing import Literal
from urllib.parse import quote

from uac.interfaces.client.calls import Call
from uac.interfaces.client.operation import operation
from uac.interfaces.client.responses import (
    GroupMembers,
    Hooks,
    HookTest,
    MadeHook,
    UserPage,
)
from uac.interfaces.service.webhooks import HOOK_EVENTS, HookEvent

__all__ = ["TenantOperations"]


class TenantOperations:
    """The operations of a client that do not concern one user."""

    @operation
    def users(self, *, after: str = "", limit: int = 100) -> Call[UserPage]:
        """The users of the key's tenant who have a memory; needs the right to administer."""
        return Call("safe", "GET", "/v1/users", UserPage, query={"limit": limit, **({"after": after} if after else {})})

    @operation
    def make_group(self, name: str, admin: str, *, called: str = "") -> Call[GroupMembers]:
        """Make a group with its first member, who may add others. Its memory is that of the user group:NAME."""
        return Call("once", "POST", "/v1/groups", GroupMembers, body={"group": name, "admin": admin, "called": called})

    @operation
    def group(self, name: str) -> Call[GroupMembers]:
        """The members of a group, and what each of them shares."""
        return Call("safe", "GET", f"/v1/groups/{quote(name, safe='')}", GroupMembers)

    @operation
    def set_member(
        self, name: str, member: str, right: Literal["read", "write", "admin"] = "write", *, called: str = ""
    ) -> Call[GroupMembers]:
        """Add a member to a group, or give one another right."""
        path = f"/v1/groups/{quote(name, safe='')}/members/{quote(member, safe='')}"
        return Call("once", "PUT", path, GroupMembers, body={"right": right, "called": called})

    @operation
    def remove_member(self, name: str, member: str) -> Call[None]:
        """Remove a member of a group, at once; what they shared is erased there."""
        path = f"/v1/groups/{quote(name, safe='')}/members/{quote(member, safe='')}"
        return Call("once", "DELETE", path, type(None))

    @operation
    def hooks(self) -> Call[Hooks]:
        """The webhooks of the key's tenant, and how sending goes. Webhooks need the right to administer."""
        return Call("safe", "GET", "/v1/hooks", Hooks)

    @operation
    def make_hook(self, url: str, *, user: str = "", events: Sequence[HookEvent] = HOOK_EVENTS) -> Call[MadeHook]:
        """Make a webhook for alert changes: of one user, or of all users of the key's tenant."""
        return Call("once", "POST", "/v1/hooks", MadeHook, body={"url": url, "user": user, "events": events})

    @operation
    def remove_hook(self, number: str) -> Call[None]:
        """Remove a webhook; its secret and address are destroyed."""
        return Call("once", "DELETE", f"/v1/hooks/{quote(number, safe='')}", type(None))

    @operation
    def try_hook(self, number: str) -> Call[HookTest]:
        """Send a test message. If it is received, a webhook that was given up is served again."""
        return Call("once", "POST", f"/v1/hooks/{quote(number, safe='')}/test", HookTest)
