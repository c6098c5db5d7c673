"""Amounts of money."""

from dataclasses import dataclass
from decimal import Decimal


def uac_amount(money, other, doing):
    """The amount of the other money, which must have the same currency."""
    if money.currency != other.currency:
        both = f"{money} and {other} cannot be {doing}: their currencies differ."
        mend = "Take one currency at a time; total() sums each by itself."
        raise ValueError(f"{both} {mend}")
    return other.amount


def uac_factor(number):
    """A number that an amount is multiplied with: a float counts as it is printed."""
    return Decimal(str(number)) if isinstance(number, float) else number


@dataclass(frozen=True)
class Money:
    """An amount of one currency.

    It adds to and compares with money of that currency, and multiplies with numbers.
    """

    amount: Decimal
    currency: str

    def __str__(self):
        return f"{self.amount} {self.currency}"

    def __add__(self, other):
        if isinstance(other, Money):
            amount = self.amount + uac_amount(self, other, "added")
            return Money(amount, self.currency)
        return self.__radd__(other)

    def __radd__(self, other):
        # sum() starts with 0
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        amount = self.amount - uac_amount(self, other, "subtracted")
        return Money(amount, self.currency)

    def __mul__(self, number):
        if not isinstance(number, (int, float, Decimal)):
            return NotImplemented
        return Money(self.amount * uac_factor(number), self.currency)

    def __rmul__(self, number):
        return self.__mul__(number)

    def __truediv__(self, number):
        """Money by a number is money, and money by money a number."""
        if isinstance(number, Money):
            return self.amount / uac_amount(self, number, "divided")
        if not isinstance(number, (int, float, Decimal)):
            return NotImplemented
        return Money(self.amount / uac_factor(number), self.currency)

    def __neg__(self):
        return Money(-self.amount, self.currency)

    def __abs__(self):
        return Money(abs(self.amount), self.currency)

    def __round__(self, digits=None):
        return Money(Decimal(round(self.amount, digits)), self.currency)

    def __lt__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.amount < uac_amount(self, other, "compared")

    def __le__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.amount <= uac_amount(self, other, "compared")

    def __gt__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.amount > uac_amount(self, other, "compared")

    def __ge__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return self.amount >= uac_amount(self, other, "compared")
