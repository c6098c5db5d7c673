"""The operations on a key's tenant: its users and webhooks. Each is defined once, for both kinds of client."""

from collections.abc import Sequence
from urllib.parse import quote

from uac.interfaces.client.calls import Call
from uac.interfaces.client.operation import operation
from uac.interfaces.client.responses import (
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
