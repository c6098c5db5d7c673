"""Chooses the reranker by the settings: the model UAC_RERANKER of the server at UAC_RERANKER_URL; by default none."""

import os
from collections.abc import Mapping

from uac.errors import Refused
from uac.models.reranker import Reranker

__all__ = ["chosen_reranker"]

OFF = "none"


def chosen_reranker(environ: Mapping[str, str] = os.environ) -> Reranker | None:
    """The configured reranker, or None. Refused if the settings are inconsistent."""
    model = environ.get("UAC_RERANKER", "").strip()
    url = environ.get("UAC_RERANKER_URL", "").strip()
    if model == OFF or not (model or url):
        return None
    if not model:
        raise Refused("UAC_RERANKER_URL is set, UAC_RERANKER is not. Set it to the server's name for the model.")
    if not url:
        raise Refused(f"UAC_RERANKER is {model!r}, UAC_RERANKER_URL is not set. Set it to the server's address.")
    try:
        from uac.models.rerankers.vendor import VendorReranker
        from uac.models.server import ModelServer
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise Refused(
            f"UAC_RERANKER is {model!r}, but {package} is not installed. Install it: pip install '.[models]'"
        ) from None
    return VendorReranker(ModelServer(model, url, environ.get("UAC_RERANKER_KEY", "").strip(), "UAC_RERANKER"))
