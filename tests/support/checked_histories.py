"""The random histories that this process of tests has checked, by kind: their number is printed at the end."""

__all__ = ["CHECKED"]

CHECKED: list[str] = []
