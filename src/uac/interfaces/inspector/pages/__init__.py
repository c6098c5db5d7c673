"""The pages of the inspector, one module per page."""

__all__: list[str] = []
