"""Moved to `uac.interfaces`."""

__all__: list[str] = []
