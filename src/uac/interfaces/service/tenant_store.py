"""One tenant's part of a store: it behaves like a separate store, and gives no access to the rest."""

from dataclasses import dataclass, replace

from uac.errors import Refused
from uac.interfaces.service.tenants import store_user_id
from uac.log.log import Log
from uac.log.store import Store, User
from uac.schema.diagnostics import Diagnostic

__all__ = ["TenantStore"]

LAST = chr(0x10FFFF)  # sorts after every other character


@dataclass(frozen=True, slots=True)
class TenantStore:
    """The users of a tenant, under the tenant's own ids; "": users without a tenant."""

    store: Store
    tenant: str

    @property
    def address(self) -> str:
        return self.store.address

    def log(self, user: str) -> Log:
        return self.store.log(store_user_id(self.tenant, user))

    def own(self) -> Log:
        raise Refused("The store's own log belongs to no tenant. Use the store itself.")

    def users(self, *, after: str = "", limit: int = 1000) -> tuple[User, ...]:
        prefix = f"{self.tenant}/" if self.tenant else ""
        found: list[User] = []
        behind = prefix + after
        while len(found) < limit and (page := self.store.users(after=behind, limit=limit)):
            for user in page:
                behind = user.name
                if not user.name.startswith(prefix):
                    return tuple(found)
                if "/" in (name := user.name[len(prefix) :]):
                    # Another tenant's: all of those are passed over at once.
                    behind = max(behind, f"{name.partition('/')[0]}/{LAST}")
                    break
                found.append(replace(user, name=name))
                if len(found) == limit:
                    break
        return tuple(found)

    def erase(self, user: str, *, after: int | None = None) -> None:
        self.store.erase(store_user_id(self.tenant, user), after=after)

    def finish_erasures(self) -> bool:
        return self.store.finish_erasures()

    def findings(self) -> tuple[Diagnostic, ...]:
        return ()

    def close(self) -> None:
        """Do nothing: the store is shared."""
