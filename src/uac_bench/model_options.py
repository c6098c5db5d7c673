"""The models of a benchmark: a vendor's, or anybody's through files; within one budget for the whole run."""

import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, TypeVar

import click
import msgspec

from uac import Model, Reply, Request
from uac.errors import Awaited, NoModel, Refused, Unreachable
from uac.models import (
    NO_BUDGET,
    Budget,
    Estimate,
    ExchangeModel,
    ModelsFor,
    OneModel,
    Step,
    chosen_models,
    over_budget,
    parse_budget,
)
from uac.project import Spent
from uac.schema import counted

__all__ = ["AWAITED", "SpendingModels", "model_options", "open_bench_models", "spent_text"]

AWAITED = 7
"""The exit code while replies are missing in an exchange folder."""
Command = TypeVar("Command", bound=Callable[..., object])


def model_options(command: Command) -> Command:
    """The options --model, --exchange and --budget."""
    for option in (
        click.option(
            "--budget",
            default="",
            metavar="AMOUNT",
            help="The most that the run may cost: '5 USD', '500000 tokens'.",
        ),
        click.option(
            "--exchange",
            metavar="FOLDER",
            type=click.Path(file_okay=False, path_type=Path),
            help="Write requests as files and read replies from files, instead of calling a model.",
        ),
        click.option("--model", default="", metavar="NAME", help="The model that answers, such as anthropic:NAME."),
    ):
        command = option(command)
    return command


class SpendingModels:
    """Models that add up what they cost, and make no call beyond the budget."""

    def __init__(self, models: ModelsFor, budget: Budget, *, name: str, is_live: bool) -> None:
        self._models = models
        self._budget = budget
        self._limit = budget.user
        self.name = name
        self.is_live = is_live
        self.spent = Spent()
        self.awaited = 0

    def for_step(self, step: Step) -> Model | None:
        model = self._models.for_step(step)
        return None if model is None else _SpendingModel(model.name, self)

    def estimate(self, request: Request) -> Estimate:
        return self._models.estimate(request)

    def ask(self, request: Request) -> Reply:
        model = self._models.for_step(request.step)
        if model is None:
            raise NoModel(f"No model is configured for {request.step}. Use --model or --exchange.")
        limits = msgspec.structs.replace(self._budget, user=self._limit)
        if stop := over_budget(limits, self.estimate(request), self.spent, self.spent):
            stop = stop.replace("The user's budget", "The budget").replace("UAC_BUDGET_USER", "--budget")
            part = "" if self._limit == self._budget.user else " (so far; each suite has its part of the whole)"
            raise Unreachable(stop + part)
        try:
            reply = model.ask(request)
        except Awaited:
            self.awaited += 1
            raise
        unpriced = int(reply.cost is None)
        self.spent = self.spent.plus(
            Spent(1, reply.input_tokens, reply.output_tokens, reply.cost or Decimal(0), unpriced)
        )
        return reply

    def share_budget(self, suites: int) -> None:
        """From now on no more may be spent than one suite's part of what is left for so many."""
        whole = self._budget.user
        if isinstance(whole, Decimal):
            self._limit = self.spent.cost + (whole - self.spent.cost) / suites
        elif whole is not None:
            self._limit = self.spent.tokens + (whole - self.spent.tokens) // suites

    def spent_since(self, before: Spent) -> Spent:
        """The cost of the calls after `spent` was `before`."""
        return Spent(
            self.spent.calls - before.calls,
            self.spent.input_tokens - before.input_tokens,
            self.spent.output_tokens - before.output_tokens,
            self.spent.cost - before.cost,
            self.spent.unpriced - before.unpriced,
        )


class _SpendingModel(NamedTuple):
    name: str
    models: SpendingModels

    def ask(self, request: Request) -> Reply:
        return self.models.ask(request)


def open_bench_models(model: str, exchange: Path | None, budget: str) -> SpendingModels | None:
    """The models that the options name, or those of the run that this one is part of; None if no option does."""
    context = click.get_current_context(silent=True)
    shared = context.find_object(SpendingModels) if context is not None else None
    if shared is not None:
        return shared
    try:
        limits = parse_budget({"UAC_BUDGET_USER": budget}) if budget else NO_BUDGET
    except Refused as error:
        raise click.UsageError(str(error).replace("UAC_BUDGET_USER", "--budget")) from error
    if exchange is not None:
        if isinstance(limits.user, Decimal):
            raise click.UsageError("An exchange has no price. Give --budget in tokens, or none.")
        return SpendingModels(OneModel(ExchangeModel(exchange)), limits, name="exchange", is_live=False)
    if not model:
        return None
    models = chosen_models({**os.environ, "UAC_MODEL": model})
    if isinstance(limits.user, Decimal) and models.estimate(PROBE).cost is None:
        raise click.UsageError(f"The price of {model} is unknown. Give --budget in tokens, or set UAC_PRICE.")
    return SpendingModels(models, limits, name=model, is_live=True)


PROBE = Request(step="ask", prompt="", content="", schema={})
"""A request whose estimate says whether the price of a model is known."""


def spent_text(spent: Spent) -> str:
    """'12 calls, 3,400 tokens, 0.02 USD'."""
    cost = "of unknown price" if spent.unpriced else f"{spent.cost.normalize():f} USD"
    return f"{counted(spent.calls, 'call')}, {spent.tokens:,} tokens, {cost}"
