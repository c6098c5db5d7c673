"""display."""

__all__: list[str] = []
