"""What a vendor's error means: whether it may pass, and words for it that tell neither the key nor the user's words."""

import re
import sys
from typing import NamedTuple

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UserError,
)

from uac.errors import ModelError, NoModel, Unreachable
from uac.requests import Request

__all__ = ["Failure", "failure_of", "foreign_errors"]

PASSING_STATUS = frozenset({408, 409, 425})

SHORTEST_ECHO = 8
"""So many characters in a row that also stand in the request are taken for the user's words."""


class Failure(NamedTuple):
    """One try that gave no reply. `after` is how many seconds the vendor asks to wait."""

    kind: type[ModelError]
    words: str
    may_pass: bool = False
    after: float | None = None

    def error(self, tries: int) -> ModelError:
        return self.kind(self.words if tries == 1 else f"{self.words}; tried {tries} times")


def foreign_errors() -> tuple[type[Exception], ...]:
    """What a request can raise: a server may answer with any JSON, and the clients take its shape on trust."""
    # Of the vendors' packages, only those in use are loaded.
    found = (getattr(sys.modules.get(package), name, None) for package, name in _TREES)
    return (*_PLAIN, *(kind for kind in found if isinstance(kind, type) and issubclass(kind, Exception)))


def failure_of(error: BaseException, name: str, request: Request, key: str) -> Failure:
    said = _vendors_words(error, request, key)
    status = _status(error)
    after = error.retry_after if isinstance(error, ModelAPIError) else None
    number = f" ({status})" if status else ""
    match error:
        case ModelTimeoutError() | ModelRequestTimeout():
            return Failure(Unreachable, f"{name} did not answer in time (UAC_MODEL_TIMEOUT)", True, after)
        case ModelConnectionError():
            return Failure(Unreachable, f"{name} cannot be reached, or the connection was lost", True, after)
        case ModelRateLimitError():
            return Failure(Unreachable, f"{name} is asked too often{number}{said}", True, after)
        case ModelQuotaExceededError():
            return Failure(Unreachable, f"{name}: the quota is used up{number}{said}")
        case ModelAuthenticationError():
            return Failure(NoModel, f"{name} does not take the key{number}{said}")
        case ModelNotFoundError():
            return Failure(NoModel, f"{name} is not known there{number}{said}")
        case ModelRequestRejectedError():
            return Failure(ModelError, f"{name} does not take the request of step {request.step}{number}{said}")
        case ModelUnavailableError() | ModelServerError():
            return Failure(Unreachable, f"{name} is out of order{number}{said}", True, after)
        case ModelAPIError() if status in PASSING_STATUS:
            return Failure(Unreachable, f"{name} is out of order{number}{said}", True, after)
        case ModelAPIError() if status is not None and 300 <= status < 400:
            return Failure(
                NoModel, f"{name} answers with a redirect{number}, which is not followed: set its own address"
            )
        case ModelHTTPError():
            return Failure(ModelError, f"{name} does not answer{number}{said}")
        case UserError():
            return Failure(ModelError, f"{name} cannot be asked in step {request.step}: its client does not take it")
    # A page of a gateway instead of JSON, or JSON of another form: most often the vendor's trouble, and it passes.
    return Failure(Unreachable, f"{name} gave an answer that cannot be read ({type(error).__name__})", True)


_PLAIN = (
    RuntimeError,  # and pydantic-ai's own
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    OSError,
    Warning,  # where somebody made them errors
)

_TREES = (
    ("openai", "OpenAIError"),
    ("anthropic", "AnthropicError"),
    ("httpx2", "HTTPError"),
    ("httpx2", "InvalidURL"),
)


def _status(error: BaseException) -> int | None:
    """Also of a redirect, which pydantic-ai gives no status."""
    status = getattr(error, "status_code", None) or getattr(error.__cause__, "status_code", None)
    return status if isinstance(status, int) else None


def _vendors_words(error: BaseException, request: Request, key: str) -> str:
    body = error.body if isinstance(error, ModelAPIError) else None
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    said = body.get("message") if isinstance(body, dict) else None
    if not isinstance(said, str) or not said.strip():
        return ""
    # Cut twice: what is left out at the end of the first cut cannot be seen after the second.
    words = _without_key(" ".join(said[:2000].split()), key)
    words = _without_echo(words, " ".join(request.content.split()))
    return ": " + (words if len(words) <= 300 else words[:300] + "…")


def _without_key(words: str, key: str) -> str:
    if len(key) >= 4:
        words = words.replace(key, "[key]")
    return re.sub(r"\b(?:sk|pk|key|gsk|xai|AIza)[-_]?[A-Za-z0-9_*-]*[*0-9][A-Za-z0-9_*-]{5,}", "[key]", words)


def _without_echo(words: str, content: str) -> str:
    kept: list[str] = []
    at = 0
    while at < len(words):
        end = at + SHORTEST_ECHO
        if end <= len(words) and words[at:end] in content:
            while end < len(words) and words[at : end + 1] in content:
                end += 1
            kept.append("…")
            at = end
        else:
            kept.append(words[at])
            at += 1
    return "".join(kept)
