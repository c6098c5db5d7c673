"""Chooses the embedder by the settings.

    UAC_EMBEDDER                  the embedder
    ├── static (or not set)       installed with the package; needs no network
    ├── minilm                    all-MiniLM-L6-v2 in this process; its files are installed separately
    ├── minilm:<folder>           the same, with its files in that folder
    ├── none                      none: recall uses words, times and names
    ├── openai:<model>            the vendor's, with OPENAI_API_KEY
    └── <model>                   the one of that name on the server at UAC_EMBEDDER_URL

Modules that need numpy, or more, are imported on demand.
"""

import os
from collections.abc import Mapping

from uac.errors import Refused
from uac.models.embedder import Embedder

__all__ = ["chosen_embedder", "chosen_local_embedder", "why_no_embedder"]

STATIC = "static"
OFF = "none"
MINILM = "minilm"
LOCAL = ("", STATIC, OFF, MINILM)
OPENAI = "https://api.openai.com/v1"


def chosen_embedder(environ: Mapping[str, str] = os.environ) -> Embedder | None:
    """None if none is wanted, or if none is set and this platform cannot run the installed one (`why_no_embedder`).

    The installed one is loaded once per process. Refused if the settings are inconsistent.
    """
    wanted = _embedder_setting(environ, "UAC_EMBEDDER")
    url = _embedder_setting(environ, "UAC_EMBEDDER_URL")
    if wanted == OFF:
        return None
    if not url and wanted in ("", STATIC):
        return _open_static_embedder(is_set=bool(wanted))
    name, _, folder = wanted.partition(":")
    if not url and name == MINILM:
        return _open_minilm(folder)
    if wanted in ("", STATIC):
        raise Refused(
            f"UAC_EMBEDDER_URL is set, UAC_EMBEDDER is {wanted!r}. Set it to the server's name for the model."
        )
    return _open_vendor_embedder(wanted, url, environ)


def chosen_local_embedder(environ: Mapping[str, str] = os.environ) -> Embedder | None:
    """The chosen embedder if it runs in this process; None if it is a server's, or there is none."""
    name = _embedder_setting(environ, "UAC_EMBEDDER").partition(":")[0]
    is_local = name in LOCAL and not _embedder_setting(environ, "UAC_EMBEDDER_URL")
    return chosen_embedder(environ) if is_local else None


def why_no_embedder(environ: Mapping[str, str] = os.environ) -> str:
    """Why there is no embedder; "" if there is one."""
    if _embedder_setting(environ, "UAC_EMBEDDER") == OFF:
        return "UAC_EMBEDDER is 'none'"
    return (
        ""
        if chosen_embedder(environ) is not None
        else f"{_missing_static_package()} is not installed, or not for this platform"
    )


def _open_static_embedder(*, is_set: bool) -> Embedder | None:
    missing = _missing_static_package()
    if not missing:
        from uac.models.embedders.static import static_embedder

        return static_embedder()
    if is_set:
        raise Refused(f"UAC_EMBEDDER is 'static', but {missing} is not installed. Install it, or use 'none'.")
    return None


def _open_minilm(folder: str) -> Embedder:
    try:
        from uac.models.embedders.minilm import minilm_embedder
    except ImportError as error:
        raise Refused(
            f"UAC_EMBEDDER is 'minilm', but {error.name} is not installed. Install it, or use 'none'."
        ) from None
    return minilm_embedder(folder)


def _missing_static_package() -> str:
    """The missing package of the installed embedder."""
    try:
        from uac.models.embedders.static import static_embedder

        static_embedder()
    except ImportError as error:
        return (error.name or "").partition(".")[0] or "numpy"
    return ""


def _open_vendor_embedder(model: str, url: str, environ: Mapping[str, str]) -> Embedder:
    try:
        from uac.models.embedders.vendor import Prefixes, VendorEmbedder
        from uac.models.server import ModelServer
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise Refused(
            f"UAC_EMBEDDER is {model!r}, but {package} is not installed. Install it: pip install '.[models]'"
        ) from None
    key = _embedder_setting(environ, "UAC_EMBEDDER_KEY")
    if not url:
        model, url, key = _openai_embedder_server(model, key, environ)
    return VendorEmbedder(
        ModelServer(model, url, key, "UAC_EMBEDDER"),
        shortened=_parse_embedder_dimension(_embedder_setting(environ, "UAC_EMBEDDER_DIMENSION")),
        prefixes=Prefixes(
            query=environ.get("UAC_EMBEDDER_QUERY_PREFIX", ""), text=environ.get("UAC_EMBEDDER_TEXT_PREFIX", "")
        ),
    )


def _openai_embedder_server(wanted: str, key: str, environ: Mapping[str, str]) -> tuple[str, str, str]:
    """Model, address and key. The vendor's key is read only here: it must not go to other servers."""
    vendor, _, model = wanted.partition(":")
    if vendor != "openai" or not model:
        needs = "'static', 'minilm', 'none' or 'openai:' with a model"
        raise Refused(f"UAC_EMBEDDER is {wanted!r}. Use {needs}, or set UAC_EMBEDDER_URL to a server that has it.")
    key = key or _embedder_setting(environ, "OPENAI_API_KEY")
    if not key:
        raise Refused(f"UAC_EMBEDDER is {wanted!r}, and there is no key. Set OPENAI_API_KEY or UAC_EMBEDDER_KEY.")
    return model, _embedder_setting(environ, "OPENAI_BASE_URL") or OPENAI, key


def _parse_embedder_dimension(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and 1 <= len(text) <= 5 and int(text) > 0):
        raise Refused(f"UAC_EMBEDDER_DIMENSION is {text!r}. Use a number, such as '256'.")
    return int(text)


def _embedder_setting(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip()
