"""Opens the model of a name: a vendor's, or one on your own server. No vendor's package is imported before."""

import time
from collections.abc import Callable, Mapping

from uac.errors import NoModel
from uac.models.model import Model
from uac.models.prices import Price
from uac.models.requests_and_replies import Step
from uac.models.retry import TIMEOUT, TRIES

__all__ = ["SETTINGS", "open_model"]

SETTINGS: Mapping[Step, str] = {
    "extract": "UAC_MODEL_EXTRACT",
    "checkpoint": "UAC_MODEL_CHECKPOINT",
    "ask": "UAC_MODEL_ASK",
    "judge": "UAC_MODEL_JUDGE",
}


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
        from uac.models.vendor import VendorModel, openai_client_builder, vendor_client_builder
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise NoModel(f"The package {package} is not installed. Models need it: pip install '.[models]'") from None
    build = openai_client_builder(name, url, key) if url else vendor_client_builder(name, setting)
    return VendorModel(name=name, build=build, timeout=timeout, tries=tries, price=price, sleep=sleep)
