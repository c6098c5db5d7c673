"""The types of home."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass
class Meter:
    """A record of home."""

    # many, key: number
    number: int
    # policy: ask
    reading: Decimal
