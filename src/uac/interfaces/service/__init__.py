"""Shared by all servers: API keys, webhooks and listening sockets."""

from uac.interfaces.service.api_keys import Keyring

__all__ = ["Keyring"]
