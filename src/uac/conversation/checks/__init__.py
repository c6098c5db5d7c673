"""Checks of model replies by code: evidence, validity, wording, support of fields, and constants in queries."""

__all__: list[str] = []
