"""What the service doors share: API keys, webhooks and listening sockets."""

__all__: list[str] = []
