"""dates."""

__all__: list[str] = []
