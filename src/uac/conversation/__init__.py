"""conversation."""

__all__: list[str] = []
