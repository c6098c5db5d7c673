"""pages."""

__all__: list[str] = []
