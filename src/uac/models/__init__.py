"""Models, embedders and rerankers: requests, replies, retries, prices, budgets, and the settings that choose them.

Comes in: a request, and the UAC_MODEL… settings. Goes out: a reply with its cost, or a ModelError. No vendor's package
is imported before its model is opened.
"""

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from uac.errors import NoModel
from uac.models.budget import NO_BUDGET, Budget, Estimate, over_budget, parse_budget
from uac.models.embedders import chosen_embedder
from uac.models.model import Model
from uac.models.prices import Price, parse_price, price
from uac.models.recorded import RecordedModel, Recorder
from uac.models.requests import STEPS, Request, Step
from uac.models.retry import TIMEOUT, TRIES, is_http_address
from uac.models.scripted import ScriptedModel

__all__ = [
    "NO_BUDGET",
    "Budget",
    "Estimate",
    "Models",
    "ModelsFor",
    "OneModel",
    "RecordedModel",
    "Recorder",
    "ScriptedModel",
    "Step",
    "chosen_embedder",
    "chosen_models",
    "open_model",
    "over_budget",
    "parse_budget",
    "price",
]

SETTINGS: Mapping[Step, str] = {
    "extract": "UAC_MODEL_EXTRACT",
    "checkpoint": "UAC_MODEL_CHECKPOINT",
    "ask": "UAC_MODEL_ASK",
    "judge": "UAC_MODEL_JUDGE",
}

OFF = "none"


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


def chosen_models(environ: Mapping[str, str] = os.environ) -> Models:
    """The models of the UAC_MODEL… settings; without any, no step has a model.

    Vendors' own keys (ANTHROPIC_API_KEY, OPENAI_API_KEY) are read by their clients, from the process's environment.
    """
    replies = _model_setting(environ, "UAC_REPLIES")
    url = _model_setting(environ, "UAC_MODEL_URL")
    if url and not is_http_address(url):
        raise NoModel(
            "UAC_MODEL_URL is not an address. Use one such as 'http://localhost:11434/v1', without a password."
        )
    names: dict[Step, str] = {}
    own = frozenset(step for step in STEPS if _model_setting(environ, SETTINGS[step]))
    for step in STEPS:
        name = _model_setting(environ, SETTINGS[step] if step in own else "UAC_MODEL") or (
            "recorded" if replies else ""
        )
        if not name and url:
            raise NoModel("UAC_MODEL_URL is set, UAC_MODEL is not. Set it to the server's name for the model.")
        if name and name != OFF:
            names[step] = name
    return Models(
        names=names,
        own=own,
        url=url,
        key=_model_setting(environ, "UAC_MODEL_KEY") if url else "",  # a vendor's key must not go to other servers
        timeout=_parse_model_timeout(_model_setting(environ, "UAC_MODEL_TIMEOUT")),
        price=parse_price(text) if (text := _model_setting(environ, "UAC_PRICE")) else None,
        record=_model_setting(environ, "UAC_RECORD"),
        replies=replies,
    )


def open_model(
    name: str,
    *,
    step: Step | None = None,
    url: str = "",
    key: str = "",
    timeout: float = TIMEOUT,
    tries: int = TRIES,
    price: Price | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Model:
    """A vendor's model ('anthropic:claude-haiku-4-5'), or the one of that name on the server at `url`.

    `step` is set if the name is for this step only; messages then name its setting.
    """
    setting = SETTINGS[step] if step else "UAC_MODEL"
    if not url and not all(name.partition(":")):
        remedy = (
            "Set UAC_REPLIES to the replies" if name == "recorded" else "Use vendor:model, such as openai:gpt-5-mini"
        )
        raise NoModel(f"{setting} is {name!r}. {remedy}, or set UAC_MODEL_URL to a server that has the model.")
    try:
        from uac.models.vendor import VendorModel, server_client_builder, vendor_client_builder
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise NoModel(f"The package {package} is not installed. Models need it: pip install '.[models]'") from None
    build = server_client_builder(name, url, key) if url else vendor_client_builder(name, setting)
    return VendorModel(name=name, build=build, timeout=timeout, tries=tries, price=price, sleep=sleep)


def _model_setting(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip()


def _parse_model_timeout(text: str) -> float:
    if not text:
        return TIMEOUT
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 86_400:
        raise NoModel(f"UAC_MODEL_TIMEOUT is {text!r}. Use seconds, such as '120'.")
    return seconds
