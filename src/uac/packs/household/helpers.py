"""What the constraints of household share. This file is read, never run."""


def _in_days(days):
    """today, in 1 day, in 30 days."""
    return "today" if days == 0 else "in 1 day" if days == 1 else f"in {days} days"


def _your(vehicle):
    """A vehicle in a sentence: your Golf, but the family car as it is."""
    return vehicle if first(words(vehicle)) in ("the", "my", "our") else f"your {vehicle}"
