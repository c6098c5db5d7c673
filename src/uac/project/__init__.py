"""project."""

__all__: list[str] = []
