"""What the service doors share: API keys, webhooks and listening sockets."""

from uac.interfaces.service.api_keys import Keyring

__all__ = ["Keyring"]
