"""Errors of the service's responses, as the library's own classes."""

import re

import msgspec

from uac.errors import (
    AlreadyErased,
    CodeError,
    Damaged,
    Full,
    KeyReused,
    Late,
    LimitError,
    ModelError,
    Moved,
    NewerFormat,
    NoGroup,
    NoModel,
    NoStore,
    NotAllowed,
    NotAStore,
    ReadOnly,
    Refused,
    Rejected,
    RunError,
    SandboxError,
    StoreError,
    UacError,
    Unanswered,
    Unavailable,
    Unreachable,
)
from uac.interfaces.client.calls import Got

__all__ = ["ClientError", "error_from_response"]

PLAIN: tuple[type[UacError], ...] = (
    Refused,
    NotAllowed,
    NoGroup,
    KeyReused,
    AlreadyErased,
    Late,
    StoreError,
    NoStore,
    NotAStore,
    NewerFormat,
    ReadOnly,
    Full,
    Unavailable,
    Damaged,
    ModelError,
    NoModel,
    Unreachable,
    RunError,
    SandboxError,
)
"""Errors that are made of their message alone."""


class ClientError(UacError):
    """A request failed for a reason that the library has no error class for.

    `status` is that of HTTP (0: nobody answered), `title` the kind of problem.
    """

    def __init__(self, message: str, *, status: int = 0, title: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.title = title


def error_from_response(got: Got, tag: str = "") -> UacError:
    """The library's own error that the answer describes; ClientError if there is none."""
    try:
        problem = msgspec.json.decode(got.body, type=_Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ClientError(f"The service answered {got.status}.", status=got.status)
    if got.status == 412:
        return Moved(_response_etag_position(tag), _response_etag_position(got.headers.get("etag", "")))
    match problem.title:
        case "Rejected":
            return Rejected(tuple(problem.reasons))
        case "CodeError":
            found = re.fullmatch(r"(?:line (\d+): )?(\w+)(?:: (.*))?", problem.detail, re.DOTALL)
            line, name, words = found.groups(default="") if found else ("", "Exception", problem.detail)
            return CodeError(name, words, line=int(line or 0))
        case "Malformed":
            return Refused(problem.detail)
        case "LimitError":
            return LimitError("", problem.detail)
        case "Unanswered":
            return Unanswered(problem.detail, reason="")
    kind = next((kind for kind in PLAIN if kind.__name__ == problem.title), None)
    if kind is not None:
        return kind(problem.detail)
    return ClientError(problem.detail, status=got.status, title=problem.title)


class _Problem(msgspec.Struct):
    title: str
    detail: str
    reasons: list[str] = []


def _response_etag_position(tag: str) -> int:
    found = re.match(r'(?:W/)?"(\d+)-', tag, re.ASCII)
    return int(found[1]) if found else 0
