"""The records of home."""

from decimal import Decimal

from .schema import Meter

meters: list[Meter] = [
    Meter(
        number=7,
        reading=Decimal("11.5"),
    ),  # from 15, 18
]

former_meters: list[Meter] = []
