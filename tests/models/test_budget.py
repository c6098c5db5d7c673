"""Budgets: limits in tokens or money for a call, a day and a user."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.errors import Refused
from uac.models.budget import NO_BUDGET, Budget, Estimate, over_budget, parse_budget
from uac.project.progress import Spent

CALL = Estimate(tokens=1000, cost=Decimal("0.02"), model="m")


def test_settings_are_tokens_or_money() -> None:
    settings = {"UAC_BUDGET_CALL": " 2000 tokens ", "UAC_BUDGET_DAY": "0.50 USD", "UAC_BUDGET_USER": "7"}
    assert parse_budget(settings) == Budget(call=2000, day=Decimal("0.50"), user=7)
    assert parse_budget({}) == NO_BUDGET


@pytest.mark.parametrize("text", ["much", "-1", "1.5", "0.50 EUR", "1e9", "٣", "9" * 16])
def test_another_amount_is_refused_with_the_name_of_its_setting(text: str) -> None:
    with pytest.raises(Refused, match="UAC_BUDGET_DAY"):
        parse_budget({"UAC_BUDGET_DAY": text})


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_call_is_made_exactly_while_the_sum_is_within_the_limit(limit: int, before: int, tokens: int) -> None:
    spent = Spent(input_tokens=before)
    is_over = over_budget(Budget(user=limit), Estimate(tokens=tokens), Spent(), spent) is not None
    assert is_over == (before + tokens > limit)


@pytest.mark.parametrize(
    ("budget", "spent", "named"),
    [
        (Budget(call=999), Spent(), ["UAC_BUDGET_CALL", "999 tokens", "1000 tokens"]),
        (Budget(day=1500), Spent(input_tokens=501), ["UAC_BUDGET_DAY", "501 tokens"]),
        (
            Budget(user=Decimal("0.05")),
            Spent(cost=Decimal("0.04"), unpriced=2),
            ["UAC_BUDGET_USER", "0.04 USD", "2 calls"],
        ),
        (Budget(call=Decimal("0.01999")), Spent(), ["0.02 USD"]),
    ],
)
def test_the_reason_names_the_limit_the_amounts_and_the_setting(budget: Budget, spent: Spent, named: list[str]) -> None:
    reason = over_budget(budget, CALL, spent, spent)
    assert reason is not None
    assert [word for word in named if word not in reason] == []


def test_without_a_price_a_limit_in_money_stops_the_call() -> None:
    reason = over_budget(Budget(day=Decimal(5)), Estimate(tokens=1, model="m"), Spent(), Spent())
    assert reason is not None
    assert "UAC_PRICE" in reason
    assert over_budget(Budget(day=5), Estimate(tokens=1), Spent(), Spent()) is None
