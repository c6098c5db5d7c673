"""interfaces."""

__all__: list[str] = []
