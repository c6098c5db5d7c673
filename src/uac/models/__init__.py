"""Models, and the settings that choose them. Nothing of a vendor is imported before its model is opened."""

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from uac.errors import NoModel
from uac.models.budget import NO_BUDGET, Budget, Estimate, over, parse_budget
from uac.models.embedders import chosen_embedder
from uac.models.model import Model
from uac.models.prices import Price, parse_price, price
from uac.models.recorded import RecordedModel, Recorder
from uac.models.requests import STEPS, Request, Step
from uac.models.retry import TIMEOUT, TRIES, is_address

__all__ = [
    "NO_BUDGET",
    "Budget",
    "Estimate",
    "Models",
    "ModelsFor",
    "OneModel",
    "RecordedModel",
    "Recorder",
    "Step",
    "chosen_embedder",
    "chosen_models",
    "open_model",
    "over",
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
    """Which model answers which step, and what it may cost."""

    def for_step(self, step: Step) -> Model | None: ...
    def estimate(self, request: Request) -> Estimate: ...


@dataclass(frozen=True, slots=True)
class OneModel:
    """One model, such as your own, for all steps; no price is known."""

    model: Model

    def for_step(self, _step: Step) -> Model:
        return self.model

    def estimate(self, request: Request) -> Estimate:
        return Estimate(tokens=request.tokens + request.reply_tokens, model=self.model.name)


@dataclass(frozen=True, slots=True)
class Models:
    """Which model answers which step. A model is opened when it is first asked for: until then, none costs anything."""

    names: Mapping[Step, str] = field(default_factory=dict)
    """Steps without a name have no model."""
    own: frozenset[Step] = frozenset()
    """Steps whose model was named for them alone."""
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
            self._opened[name] = self._open(name, step)
        return self._opened[name]

    def estimate(self, request: Request) -> Estimate:
        """What the request may cost at most, to be held against a budget."""
        name = self.names.get(request.step, "")
        known = price(name, request.tokens, request.reply_tokens, listed=self.price)
        cost = Decimal(0) if self.replies else known  # what was recorded is said again for nothing
        return Estimate(tokens=request.tokens + request.reply_tokens, cost=cost, model=name)

    def _open(self, name: str, step: Step) -> Model:
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
    """What the UAC_MODEL… settings say; without any, no step has a model.

    Vendors' own keys (ANTHROPIC_API_KEY, OPENAI_API_KEY) are read by their clients, from the process's environment.
    """
    replies = _set(environ, "UAC_REPLIES")
    url = _set(environ, "UAC_MODEL_URL")
    if url and not is_address(url):
        raise NoModel("UAC_MODEL_URL needs an address such as 'http://localhost:11434/v1', without a password in it")
    names: dict[Step, str] = {}
    own = frozenset(step for step in STEPS if _set(environ, SETTINGS[step]))
    for step in STEPS:
        name = _set(environ, SETTINGS[step] if step in own else "UAC_MODEL") or ("recorded" if replies else "")
        if not name and url:
            raise NoModel("UAC_MODEL_URL is set, UAC_MODEL is not: needs the name that the server has for the model")
        if name and name != OFF:
            names[step] = name
    return Models(
        names=names,
        own=own,
        url=url,
        key=_set(environ, "UAC_MODEL_KEY") if url else "",  # a vendor's key is not for other servers
        timeout=_timeout(_set(environ, "UAC_MODEL_TIMEOUT")),
        price=parse_price(text) if (text := _set(environ, "UAC_PRICE")) else None,
        record=_set(environ, "UAC_RECORD"),
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
    """The model of a vendor ('anthropic:claude-haiku-4-5'), or one that the server at `url` has under that name.

    `step` says that the name was set for this step alone; messages name the setting.
    """
    setting = SETTINGS[step] if step else "UAC_MODEL"
    if not url and not all(name.partition(":")):
        needs = "UAC_REPLIES, where replies are" if name == "recorded" else "vendor:model, such as openai:gpt-5-mini"
        raise NoModel(f"{setting} is {name!r}, needs {needs}, or UAC_MODEL_URL, the address of a server that has it")
    try:
        from uac.models.vendor import VendorModel, at_server, by_name
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise NoModel(f"a model needs a package ({package}): pip install '.[models]'") from None
    build = at_server(name, url, key) if url else by_name(name, setting)
    return VendorModel(name=name, build=build, timeout=timeout, tries=tries, price=price, sleep=sleep)


def _set(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip()


def _timeout(text: str) -> float:
    if not text:
        return TIMEOUT
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 86_400:
        raise NoModel(f"UAC_MODEL_TIMEOUT is {text!r}, needs seconds, such as '120'")
    return seconds
