"""The headers of a request as they arrived: reading one does not decode all."""

from starlette.types import Scope

__all__ = ["has_header", "header_text", "raw_header"]


def raw_header(scope: Scope, name: bytes) -> bytes:
    """The first header of this name, which is in lower case; empty if there is none."""
    for key, value in scope["headers"]:
        if key == name:
            found: bytes = value
            return found
    return b""


def header_text(scope: Scope, name: bytes) -> str:
    return raw_header(scope, name).decode("latin-1")


def has_header(scope: Scope, name: bytes) -> bool:
    return any(key == name for key, _value in scope["headers"])
