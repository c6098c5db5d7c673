"""linux."""

__all__: list[str] = []
