"""uac cost: the cost of models, and the remaining budgets."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import click

from uac.interfaces.cli.options import CliContext, common_options, user_argument
from uac.interfaces.cli.output import Output
from uac.interfaces.views.learning import cost_view
from uac.interfaces.views.view import view_json
from uac.models import Budget, parse_budget
from uac.models.budget import budget_day, money_text
from uac.models.requests_and_replies import Reply
from uac.project.progress import Spending, Spent
from uac.schema.safe_text import counted

__all__ = ["cost", "cost_json", "cost_line", "cost_of_replies"]

By = Literal["day", "step", "model"]


@click.command()
@user_argument(required=False, many=True)
@click.option(
    "--by",
    "keys",
    multiple=True,
    type=click.Choice(["day", "step", "model"]),
    help="One row for each day, step or model (repeatable).  [default: step and model]",
)
@common_options
def cost(context: CliContext, *, users: tuple[str, ...], keys: tuple[By, ...]) -> None:
    """Show calls, tokens and cost of models for USERS (default: all), and what is left of budgets.

    Days are in UTC. Calls of unknown price are counted separately.

    \b
      uac cost ana
      uac cost --by day --by model --json
    """
    budget = parse_budget(os.environ)
    names = users or tuple(user.name for user in context.all_users())
    rows: dict[tuple[str, ...], Spent] = {}
    remaining: list[_RemainingBudget] = []
    chosen: tuple[By, ...] = tuple(dict.fromkeys(keys)) or ("step", "model")
    for name in names:
        log = context.log(name)
        with closing(context.memory_for_log(log)) as memory:
            progress = memory.project().progress
        for spending, spent in progress.spent.items():
            row = tuple(_spending_key(spending, by) for by in chosen)
            rows[row] = rows.get(row, Spent()).plus(spent)
        remaining += _remaining_budgets(
            name, budget, progress.spent_in_all(day=budget_day(log)), progress.spent_in_all()
        )
    _show_cost(context.out, chosen, rows, remaining, len(names))


class _RemainingBudget(NamedTuple):
    """A budget, and the amount left."""

    user: str
    span: str
    most: int | Decimal
    left: int | Decimal


def _spending_key(spending: Spending, by: By) -> str:
    return {"day": spending.day, "step": spending.step, "model": spending.model}[by]


def _remaining_budgets(user: str, budget: Budget, spent_today: Spent, spent: Spent) -> Iterator[_RemainingBudget]:
    for span, most, used in (("day", budget.day, spent_today), ("user", budget.user, spent)):
        if isinstance(most, int):
            yield _RemainingBudget(user, span, most, max(0, most - used.tokens))
        elif most is not None:
            yield _RemainingBudget(user, span, most, max(Decimal(0), most - used.cost))


def _show_cost(
    out: Output,
    keys: Sequence[By],
    rows: dict[tuple[str, ...], Spent],
    remaining: Sequence[_RemainingBudget],
    users: int,
) -> None:
    total = Spent()
    for spent in rows.values():
        total = total.plus(spent)
    if out.as_json:
        for row, spent in sorted(rows.items()):
            out.json({**dict(zip(keys, row, strict=True)), **cost_json(spent)})
        budgets = [
            {**item._asdict(), "most": _cost_amount_json(item.most), "left": _cost_amount_json(item.left)}
            for item in remaining
        ]
        out.json({"users": users, "total": cost_json(total), "budgets": budgets})
        return
    for row, spent in sorted(rows.items()):
        out.line((", ".join(part or "(no step)" for part in row), "bold"), f": {cost_line(spent)}")
    out.line(("total", "bold"), f": {cost_line(total)}")
    for user, span, most, rest in remaining:
        out.line(f"{user}: {_cost_amount_text(rest)} left of the {span}'s budget of {_cost_amount_text(most)}")


def cost_of_replies(replies: Iterable[Reply]) -> Spent:
    total = Spent()
    for reply in replies:
        price = reply.cost
        total = total.plus(Spent(1, reply.input_tokens, reply.output_tokens, price or Decimal(0), int(price is None)))
    return total


def cost_json(spent: Spent) -> dict[str, Any]:
    return view_json(cost_view(spent))


def cost_line(spent: Spent) -> str:
    if not spent.calls:
        return "no calls"
    unpriced = f", {counted(spent.unpriced, 'call')} of unknown price" if spent.unpriced else ""
    money = f", {money_text(spent.cost)}" if spent.unpriced < spent.calls else ""
    tokens = f"{spent.input_tokens:,} tokens in, {spent.output_tokens:,} out"
    return f"{counted(spent.calls, 'call')}, {tokens}{money}{unpriced}"


def _cost_amount_text(amount: int | Decimal) -> str:
    return counted(amount, "token") if isinstance(amount, int) else money_text(amount)


def _cost_amount_json(amount: int | Decimal) -> int | str:
    return amount if isinstance(amount, int) else f"{amount} USD"
