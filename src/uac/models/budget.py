"""Spending limits, and whether one more call would exceed them. Pure: the amounts spent are arguments."""

import os
import re
from collections.abc import Mapping
from datetime import UTC
from decimal import ROUND_UP, Decimal
from typing import Literal, NamedTuple

import msgspec

from uac.errors import Refused
from uac.log.log import Log
from uac.project.progress import Spent

__all__ = ["NO_BUDGET", "Amount", "Budget", "Estimate", "budget_day", "money_text", "over_budget", "parse_budget"]

Amount = int | Decimal
"""Tokens of input and output together (int), or USD (Decimal)."""

Span = Literal["call", "day", "user"]

SETTINGS: Mapping[Span, str] = {"call": "UAC_BUDGET_CALL", "day": "UAC_BUDGET_DAY", "user": "UAC_BUDGET_USER"}


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Limits for one call, one day and one user; None: no limit."""

    call: Amount | None = None
    day: Amount | None = None
    user: Amount | None = None


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """The most that a call may cost; `cost` is None if the price of `model` is unknown."""

    tokens: int
    cost: Decimal | None = None
    model: str = "this model"


NO_BUDGET = Budget()


def over_budget(budget: Budget, estimate: Estimate, spent_today: Spent, spent: Spent) -> str | None:
    """Why the call must not be made, or None.

    Past calls of unknown price do not count, because a log with one could never pass again; the reason mentions them.
    """
    limits = (
        _Limit("call", budget.call, Spent()),
        _Limit("day", budget.day, spent_today),
        _Limit("user", budget.user, spent),
    )
    return next((reason for limit in limits if (reason := _over_limit_reason(limit, estimate))), None)


def parse_budget(environ: Mapping[str, str] = os.environ) -> Budget:
    """From UAC_BUDGET_CALL, UAC_BUDGET_DAY and UAC_BUDGET_USER."""
    amounts = {span: _parse_budget_amount(name, environ.get(name, "").strip()) for span, name in SETTINGS.items()}
    return Budget(call=amounts["call"], day=amounts["day"], user=amounts["user"])


def budget_day(log: Log) -> str:
    """The date of the next entry, by which budgets count days."""
    return log.now().astimezone(UTC).date().isoformat()


class _Limit(NamedTuple):
    span: Span
    most: Amount | None
    spent: Spent


def _over_limit_reason(limit: _Limit, estimate: Estimate) -> str | None:
    span, most, spent = limit
    if most is None:
        return None
    if isinstance(most, int):
        before = spent.tokens
        return (
            None
            if before + estimate.tokens <= most
            else _over_budget_text(limit, _budget_tokens(before), _budget_tokens(estimate.tokens))
        )
    if estimate.cost is None:
        return (
            f"The {_OF[span]} budget is {money_text(most)}, but the price of {estimate.model} is unknown. "
            f"Set UAC_PRICE, or {SETTINGS[span]} in tokens."
        )
    if spent.cost + estimate.cost <= most:
        return None
    unpriced = f" and {spent.unpriced} calls of unknown price" if spent.unpriced else ""
    return _over_budget_text(limit, money_text(spent.cost) + unpriced, money_text(estimate.cost))


def _over_budget_text(limit: _Limit, spent: str, this: str) -> str:
    most = _budget_tokens(limit.most) if isinstance(limit.most, int) else money_text(limit.most or Decimal(0))
    before = "" if limit.span == "call" else f"{spent} spent, "
    setting = SETTINGS[limit.span]
    return f"The {_OF[limit.span]} budget of {most} would be exceeded: {before}this call about {this}. Raise {setting}."


_OF: Mapping[Span, str] = {"call": "call's", "day": "day's", "user": "user's"}


def _budget_tokens(number: int) -> str:
    return f"{number} tokens"


def money_text(amount: Decimal) -> str:
    """The amount with two to four decimals, never rounded down."""
    text = f"{amount.quantize(Decimal('0.0001'), rounding=ROUND_UP):f}"
    return text[:-2] + text[-2:].rstrip("0") + " USD"


def _parse_budget_amount(name: str, text: str) -> Amount | None:
    if not text:
        return None
    if found := re.fullmatch(r"([0-9]{1,15})( *tokens?)?", text, re.IGNORECASE | re.ASCII):
        return int(found[1])
    if found := re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) *USD", text, re.IGNORECASE | re.ASCII):
        return Decimal(found[1])
    raise Refused(f"{name} is {text!r}. Use tokens or money, such as '20000 tokens' or '0.50 USD'.")
