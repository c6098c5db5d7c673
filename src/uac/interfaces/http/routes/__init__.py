"""The routes of the HTTP service, one module per subject."""

__all__: list[str] = []
