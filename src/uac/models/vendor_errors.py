"""Translates errors of pydantic-ai and the vendors' clients into call failures."""

import sys

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
from uac.models.redaction import redacted_message
from uac.models.requests_and_replies import Request
from uac.models.retry import PASSING_STATUS, CallFailure

__all__ = ["call_failure_of", "vendor_error_types", "without_developer_advice"]


def vendor_error_types() -> tuple[type[Exception], ...]:
    """The errors that a request can raise: a server may answer with any JSON, and clients trust its shape."""
    # Only the vendors' packages in use are loaded.
    found = (getattr(sys.modules.get(package), name, None) for package, name in _TREES)
    return (*_PLAIN, *(kind for kind in found if isinstance(kind, type) and issubclass(kind, Exception)))


def call_failure_of(error: BaseException, name: str, request: Request, key: str) -> CallFailure:
    said = _vendor_message(error, request, key)
    status = _http_status(error)
    after = error.retry_after if isinstance(error, ModelAPIError) else None
    number = f" ({status})" if status else ""
    match error:
        case ModelTimeoutError() | ModelRequestTimeout():
            return CallFailure(Unreachable, f"{name} did not answer in time (UAC_MODEL_TIMEOUT)", True, after)
        case ModelConnectionError():
            return CallFailure(Unreachable, f"{name} cannot be reached, or the connection was lost", True, after)
        case ModelRateLimitError():
            return CallFailure(Unreachable, f"{name} gets too many requests{number}{said}", True, after)
        case ModelQuotaExceededError():
            return CallFailure(Unreachable, f"{name}: the quota is used up{number}{said}")
        case ModelAuthenticationError():
            return CallFailure(NoModel, f"{name} rejects the key{number}{said}")
        case ModelNotFoundError():
            return CallFailure(NoModel, f"{name} is unknown to the server{number}{said}")
        case ModelRequestRejectedError():
            return CallFailure(ModelError, f"{name} rejects the request of step {request.step}{number}{said}")
        case ModelUnavailableError() | ModelServerError():
            return CallFailure(Unreachable, f"{name} has a server error{number}{said}", True, after)
        case ModelAPIError() if status in PASSING_STATUS:
            return CallFailure(Unreachable, f"{name} has a server error{number}{said}", True, after)
        case ModelAPIError() if status is not None and 300 <= status < 400:
            return CallFailure(NoModel, f"{name} answers with a redirect{number}, which is not followed")
        case ModelHTTPError():
            return CallFailure(ModelError, f"{name} does not answer{number}{said}")
        case UserError():
            return CallFailure(
                ModelError, f"{name} cannot be called in step {request.step}: its client rejects the request"
            )
    # A gateway's page instead of JSON, or unexpected JSON: usually a temporary problem of the vendor.
    return CallFailure(Unreachable, f"{name} gave an answer that cannot be read ({type(error).__name__})", True)


_PLAIN = (
    RuntimeError,  # and pydantic-ai's own
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    OSError,
    Warning,  # if warnings are configured as errors
)

_TREES = (
    ("openai", "OpenAIError"),
    ("anthropic", "AnthropicError"),
    ("httpx2", "HTTPError"),
    ("httpx2", "InvalidURL"),
)


def _http_status(error: BaseException) -> int | None:
    """The HTTP status, also of a redirect, for which pydantic-ai has none."""
    status = getattr(error, "status_code", None) or getattr(error.__cause__, "status_code", None)
    return status if isinstance(status, int) else None


def _vendor_message(error: BaseException, request: Request, key: str) -> str:
    body = error.body if isinstance(error, ModelAPIError) else None
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    said = body.get("message") if isinstance(body, dict) else None
    return redacted_message(said, (request.content,), key) if isinstance(said, str) else ""


def without_developer_advice(text: str) -> str:
    """pydantic-ai's message, without its advice for developers."""
    return text.partition(" To try Pydantic AI")[0].replace("`", "")
