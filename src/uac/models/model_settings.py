"""Chooses the model for each step by the UAC_MODEL… settings."""

import math
import os
from collections.abc import Mapping

from uac.errors import NoModel
from uac.models.http_address import is_http_address
from uac.models.models_by_step import Models
from uac.models.open_by_name import SETTINGS
from uac.models.prices import parse_price
from uac.models.requests_and_replies import STEPS, Step
from uac.models.retry import TIMEOUT

__all__ = ["chosen_models"]

OFF = "none"


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
