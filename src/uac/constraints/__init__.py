"""constraints."""

__all__: list[str] = []
