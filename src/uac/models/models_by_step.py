"""The model for each step, and what a request to it may cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from uac.models.budget import Estimate
from uac.models.model import Model
from uac.models.open_by_name import open_model
from uac.models.prices import Price, price
from uac.models.recorded import RecordedModel, Recorder
from uac.models.requests_and_replies import Request, Step
from uac.models.retry import TIMEOUT

__all__ = ["Models", "ModelsFor", "OneModel"]


class ModelsFor(Protocol):
    """Chooses the model for each step, and estimates its cost."""

    def for_step(self, step: Step) -> Model | None: ...
    def estimate(self, request: Request) -> Estimate: ...


@dataclass(frozen=True, slots=True)
class OneModel:
    """One model, such as your own, for all steps; its price is unknown."""

    model: Model

    def for_step(self, _step: Step) -> Model:
        return self.model

    def estimate(self, request: Request) -> Estimate:
        return Estimate(tokens=request.tokens + request.reply_tokens, model=self.model.name)


@dataclass(frozen=True, slots=True)
class Models:
    """The models for the steps. Each is opened on first use."""

    names: Mapping[Step, str] = field(default_factory=dict)
    """The model's name for each step; a missing step has no model."""
    own: frozenset[Step] = frozenset()
    """Steps with a setting of their own."""
    url: str = ""
    key: str = field(default="", repr=False)
    timeout: float = TIMEOUT
    price: Price | None = None
    record: str = ""
    replies: str = ""
    _opened: dict[str, Model] = field(default_factory=dict, repr=False, compare=False)

    def for_step(self, step: Step) -> Model | None:
        name = self.names.get(step, "")
        if not name:
            return None
        if name not in self._opened:
            self._opened[name] = self._open_for_step(name, step)
        return self._opened[name]

    def estimate(self, request: Request) -> Estimate:
        """The most that the request may cost, to be compared with a budget."""
        name = self.names.get(request.step, "")
        known = price(name, request.tokens, request.reply_tokens, listed=self.price)
        cost = Decimal(0) if self.replies else known  # a recorded reply costs nothing
        return Estimate(tokens=request.tokens + request.reply_tokens, cost=cost, model=name)

    def _open_for_step(self, name: str, step: Step) -> Model:
        if self.replies:
            return RecordedModel(self.replies)
        model = open_model(
            name,
            step=step if step in self.own else None,
            url=self.url,
            key=self.key,
            timeout=self.timeout,
            price=self.price,
        )
        return Recorder(model, self.record) if self.record else model
