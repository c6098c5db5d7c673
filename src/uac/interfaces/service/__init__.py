"""service."""

__all__: list[str] = []
