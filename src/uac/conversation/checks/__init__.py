"""Checks of model replies by code: evidence, names, currencies, validity, wording, fields, and constants in queries."""

__all__: list[str] = []
