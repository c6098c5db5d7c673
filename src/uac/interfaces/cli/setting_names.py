"""The environment variables that are settings, so that a mistyped one can be named."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

__all__ = ["SETTING_NAMES", "mistyped_settings"]

SETTING_NAMES = (
    "UAC_STORE",
    "UAC_PACKS",
    "UAC_UNREVIEWED",
    "UAC_ZONE",
    "UAC_NOW",
    "UAC_BACKUP_PASSPHRASE",
    "UAC_MODEL",
    "UAC_MODEL_EXTRACT",
    "UAC_MODEL_CHECKPOINT",
    "UAC_MODEL_ASK",
    "UAC_MODEL_JUDGE",
    "UAC_MODEL_URL",
    "UAC_MODEL_KEY",
    "UAC_LEARN",
    "UAC_MODEL_TIMEOUT",
    "UAC_PRICE",
    "UAC_BUDGET_CALL",
    "UAC_BUDGET_DAY",
    "UAC_BUDGET_USER",
    "UAC_RECORD",
    "UAC_REPLIES",
    "UAC_EMBEDDER",
    "UAC_EMBEDDER_URL",
    "UAC_EMBEDDER_KEY",
    "UAC_EMBEDDER_DIMENSION",
    "UAC_EMBEDDER_QUERY_PREFIX",
    "UAC_EMBEDDER_TEXT_PREFIX",
    "UAC_RERANKER",
    "UAC_RERANKER_URL",
    "UAC_RERANKER_KEY",
    "UAC_MCP_KEY",
)
"""In the order of docs/reference/settings.md."""

NEARNESS = 0.8  # of a name that was mistyped; a program beside this one may have variables of its own


def mistyped_settings(variables: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each variable that is no setting, but nearly has the name of one, with that name."""
    for name in sorted(variables):
        if name.startswith("UAC") and name not in SETTING_NAMES:
            for meant in get_close_matches(name, SETTING_NAMES, n=1, cutoff=NEARNESS):
                yield name, meant
