"""Which reranker the settings choose: the model UAC_RERANKER of the server at UAC_RERANKER_URL; by default none."""

import os
from collections.abc import Mapping

from uac.errors import Refused
from uac.models.reranker import Reranker

__all__ = ["chosen_reranker"]

OFF = "none"


def chosen_reranker(environ: Mapping[str, str] = os.environ) -> Reranker | None:
    """Refused if the settings do not go together."""
    model = environ.get("UAC_RERANKER", "").strip()
    url = environ.get("UAC_RERANKER_URL", "").strip()
    if model == OFF or not (model or url):
        return None
    if not model:
        raise Refused("UAC_RERANKER_URL is set, UAC_RERANKER is not: needs the name that the server has for the model")
    if not url:
        raise Refused(f"UAC_RERANKER is {model!r}, needs UAC_RERANKER_URL, the address of a server that has it")
    try:
        from uac.models.rerankers.vendor import VendorReranker
        from uac.models.server import Server
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise Refused(
            f"UAC_RERANKER is {model!r}, which needs a package ({package}): pip install '.[models]'"
        ) from None
    return VendorReranker(Server(model, url, environ.get("UAC_RERANKER_KEY", "").strip(), "UAC_RERANKER"))
