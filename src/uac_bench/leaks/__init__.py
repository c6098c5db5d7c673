"""Leaks between members of a group: the scene with its secrets, and the ways in which attackers try to read them."""

__all__: list[str] = []
