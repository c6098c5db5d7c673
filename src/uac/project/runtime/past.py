"""What a query may ask beyond the current values: how a record ended, and the values of a field over time.

Loaded after `prelude.py`, and written in the same subset of Python. Constraints and exported projects do not have it.
"""

from dataclasses import dataclass
from typing import Any

__all__ = ["end_of", "history"]

# Defined by the prelude.
Money: Any = None

# --- below: what is loaded


uac_ends: dict[object, list[object]] = {}
uac_histories: dict[object, list[list[object]]] = {}


@dataclass
class End:
    """How a record ended: from which day on, the reason (cancelled, returned, ended) and why in words."""

    on: object
    reason: object
    why: object


@dataclass
class Stated:
    """A value that was stated: for which days it counts, when it was told, by whom, and its status."""

    value: object
    first_day: object
    last_day: object
    told: object
    by: object
    status: object


def end_of(record):
    """How the record ended: its day `on`, `reason` and `why`; None if it has not."""
    row = uac_ends.get(uac_asked(record))
    return None if row is None else End(row[0], row[1], row[2])


def history(record, field):
    """The values of a field over time: each with first_day, last_day, told, by and status."""
    rows = uac_histories.get((uac_asked(record), field))
    if rows is None:
        raise ValueError(f"{type(record).__name__} has no field {field!r}. Give the name of a field, as text")
    return [Stated(uac_stated(row[0]), row[1], row[2], row[3], row[4], row[5]) for row in rows]


def uac_stated(value):
    """A value of a row: money is a tuple of amount and currency, which no other value is."""
    if isinstance(value, tuple):
        return Money(value[0], value[1])
    return [uac_stated(item) for item in value] if isinstance(value, list) else value


def uac_asked(record):
    """The id of a record. What a query made itself has none."""
    name = getattr(record, "uac_id", None)
    if name is None:
        raise TypeError(f"This is a {type(record).__name__}, not a record of the user. Give one, as travel.trips[0]")
    return name
