"""Models, embedders and rerankers: requests, replies, retries, prices, budgets, and the settings that choose them.

Comes in: a request, and the UAC_MODEL… settings. Goes out: a reply with its cost, or a ModelError. No vendor's package
is imported before its model is opened.
"""

from uac.models.budget import NO_BUDGET, Budget, Estimate, over_budget, parse_budget
from uac.models.embedders import chosen_embedder
from uac.models.exchange import ExchangeModel
from uac.models.model_settings import chosen_models
from uac.models.models_by_step import Models, ModelsFor, OneModel
from uac.models.open_by_name import open_model
from uac.models.prices import Price, parse_price, price
from uac.models.recorded import RecordedModel, Recorder
from uac.models.requests_and_replies import Step, parse_reply_json
from uac.models.scripted import ScriptedModel

__all__ = [
    "NO_BUDGET",
    "Budget",
    "Estimate",
    "ExchangeModel",
    "Models",
    "ModelsFor",
    "OneModel",
    "Price",
    "RecordedModel",
    "Recorder",
    "ScriptedModel",
    "Step",
    "chosen_embedder",
    "chosen_models",
    "open_model",
    "over_budget",
    "parse_budget",
    "parse_price",
    "parse_reply_json",
    "price",
]
