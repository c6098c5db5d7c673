"""Shared by all servers: API keys, tenants, webhooks and listening sockets."""

from uac.interfaces.service.api_keys import Keyring
from uac.interfaces.service.tenants import store_user_id

__all__ = ["Keyring", "store_user_id"]
