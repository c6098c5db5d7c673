"""Sanitizes results for an agent: people's words cannot pass for memory's own."""

from collections.abc import Collection
from typing import Any

from uac.text.memory_block import disarmed, harmless

__all__ = ["sanitize_json"]


def sanitize_json(value: Any, *, verbatim: Collection[str] = ()) -> Any:
    """JSON with visible texts. Below the keys `verbatim` only markers change: those words are quoted back."""
    match value:
        case str():
            return harmless(value)
        case list() | tuple():
            return [sanitize_json(item, verbatim=verbatim) for item in value]
        case dict():
            return {
                harmless(key): _sanitize_verbatim_json(item)
                if key in verbatim
                else sanitize_json(item, verbatim=verbatim)
                for key, item in value.items()
            }
    return value


def _sanitize_verbatim_json(value: Any) -> Any:
    match value:
        case str():
            return disarmed(value)
        case list():
            return [_sanitize_verbatim_json(item) for item in value]
        case dict():
            return {disarmed(key): _sanitize_verbatim_json(item) for key, item in value.items()}
    return value
