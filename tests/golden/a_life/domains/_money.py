"""Amounts of money."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, order=True)
class Money:
    """An amount of one currency."""

    amount: Decimal
    currency: str
