"""recall."""

__all__: list[str] = []
