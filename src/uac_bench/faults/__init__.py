"""Stores that are broken on purpose: at every statement, at every exchange with a server, and by killed writers."""

__all__: list[str] = []
