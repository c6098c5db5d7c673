"""Tenants: the names they may have, and the ids of their users in a shared store."""

import re

from uac.errors import Refused
from uac.log.store import check_user

__all__ = ["check_tenant", "split_user_id", "store_user_id"]


def store_user_id(tenant: str, user: str) -> str:
    """The store's id for a tenant's user.

    Neither part contains a slash, so no two pairs share an id, and no tenant can reach another's users.
    An id is part of URLs: clients resolve path segments of dots only, and U+FFFD may have been any byte.
    """
    check_tenant(tenant)
    if user in (".", "..") or "\ufffd" in user:
        raise Refused(f"user id: {user!r} cannot be part of a URL. Use other characters.")
    if "/" in user:
        raise Refused(f"user id: {user!r} contains a slash. Remove it: it separates a tenant from its user.")
    return check_user(f"{tenant}/{check_user(user)}" if tenant else user)


def split_user_id(user: str) -> tuple[str, str]:
    """The tenant of a user in the store, and the tenant's own id of that user; ("", id) if there is no tenant."""
    tenant, slash, own_id = user.rpartition("/")
    return (tenant, own_id) if slash and _TENANT.fullmatch(tenant) else ("", user)


def check_tenant(tenant: str) -> str:
    if tenant and not _TENANT.fullmatch(tenant):
        raise Refused(f"The tenant {tenant!r} is not a valid name. Use up to 63 of a-z, 0-9, dot, dash and underscore.")
    return tenant


_TENANT = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}", re.ASCII)
