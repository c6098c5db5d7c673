"""Dates in text: vocabulary, grammar and their meaning at the time of writing; time expressions in questions."""

__all__: list[str] = []
