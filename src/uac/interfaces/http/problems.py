"""Errors as problem details (RFC 9457), one kind for each error of the library."""

import logging
import re
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match

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
    NoGroup,
    NoModel,
    NotAllowed,
    ReadOnly,
    Refused,
    Rejected,
    RunError,
    StoreError,
    UacError,
    Unreachable,
)

__all__ = [
    "SAFE",
    "STATUS",
    "Forbidden",
    "NotFound",
    "NotModified",
    "Outdated",
    "Problem",
    "TooManyRequests",
    "Unauthorized",
    "handle_problems",
    "problem_of_error",
    "problem_response",
]

NO_KEY = "A key is needed. Send Authorization: Bearer uac_…"
NOWHERE = "There is nothing at this address. /openapi.json lists all addresses, and /docs shows them."
MOST_PRINTED = 1000  # characters that code printed before it failed
MOST_REASONS = 20  # reasons listed for one request
LONGEST_REASON = 300  # characters: they contain field names as the client sent them

logger = logging.getLogger(__name__)

STATUS: tuple[tuple[type[UacError], int], ...] = (
    (Moved, 412),
    (KeyReused, 409),
    (AlreadyErased, 410),
    (Late, 409),
    (NoGroup, 404),
    (NotAllowed, 403),
    (Rejected, 422),
    (Refused, 422),
    (Full, 507),
    (ReadOnly, 503),
    (StoreError, 503),
    (Damaged, 500),
    (NoModel, 501),
    (Unreachable, 503),
    (ModelError, 502),
    (CodeError, 422),
    (LimitError, 422),
    (RunError, 503),
)
"""The first kind that matches gives the status of the answer."""


SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""The default headers of every answer: it is data about a user, and nobody else may store it."""


class Problem(BaseModel):
    """Why there is no result."""

    title: str = Field(examples=["Refused"], description="The kind of problem; names as in the library's errors.")
    status: int = Field(examples=[422])
    detail: str = Field(examples=["observation: text is empty"], description="What is wrong, and what to do.")
    reasons: list[str] = Field(default=[], description="One line for each part to correct.")


class Unauthorized(HTTPException):
    """No key, or an invalid one (`sent`). The answer does not say why, because strangers ask, too."""

    def __init__(self, *, sent: bool = False) -> None:
        detail = "This key is not valid here: it is mistyped, expired or revoked. Use another key." if sent else NO_KEY
        super().__init__(401, detail, {"WWW-Authenticate": "Bearer"})


class Forbidden(HTTPException):
    """The key is valid, but lacks a right."""

    def __init__(self, detail: str) -> None:
        super().__init__(403, detail)


class NotFound(HTTPException):
    """The requested item does not exist."""

    def __init__(self, detail: str) -> None:
        super().__init__(404, detail)


class Outdated(HTTPException):
    """The client's change is based on an older state of the log."""

    def __init__(self, tag: str) -> None:
        super().__init__(412, "The log has changed since. Read it again and send the new ETag.", {"ETag": tag})


class TooManyRequests(HTTPException):
    """The client has used up its share for now."""

    def __init__(self, why: str, seconds: int) -> None:
        super().__init__(429, f"{why}. Try again in {seconds} s.", {"Retry-After": str(seconds)})


class NotModified(Exception):
    """The client has the current state."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


def handle_problems(app: FastAPI) -> None:
    """Turn every error into problem details. Details of unexpected errors are only logged."""

    @app.exception_handler(UacError)
    async def refused(_request: Request, error: UacError) -> Response:
        return problem_response(error)

    @app.exception_handler(HTTPException)
    async def stopped(request: Request, error: HTTPException) -> Response:
        if error.status_code == 405:
            allowed = ", ".join(_allowed_methods(app, request))
            detail = f"{request.method} is not allowed here. Use {allowed}; /docs lists all routes."
            error = HTTPException(405, detail, {"Allow": allowed})
        is_ours = isinstance(error, NotFound)
        return problem_response(NotFound(NOWHERE) if error.status_code == 404 and not is_ours else error)

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        errors, content_type = error.errors(), request.headers.get("content-type", "")
        reasons = [_validation_reason(one, content_type)[:LONGEST_REASON] for one in errors[:MOST_REASONS]]
        if len(errors) > MOST_REASONS:
            reasons.append(f"and {len(errors) - MOST_REASONS} more")
        elif any(one["type"] == "extra_forbidden" and len(one["loc"]) == 2 for one in errors):
            reasons += _body_fields(request)
        return _problem_json("Malformed", 422, "The request is not valid. Correct this: " + "; ".join(reasons), reasons)

    @app.exception_handler(msgspec.ValidationError)
    async def mistyped(_request: Request, error: msgspec.ValidationError) -> Response:
        return _problem_json("Malformed", 422, f"The request is not valid. Correct this: {error}", [str(error)])

    @app.exception_handler(NotModified)
    async def unchanged(_request: Request, error: NotModified) -> Response:
        return Response(status_code=304, headers={"ETag": error.tag})

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return _problem_json("Failed", 500, "An unexpected error occurred. The service's own output has the details.")


def _validation_reason(error: dict[str, Any], content_type: str) -> str:
    """The problem with one part of a request, and what to do about it."""
    if error["type"] == "json_invalid":
        return f"the body is not valid JSON: {error['ctx']['error']} at character {error['loc'][-1] + 1}"
    media_type = content_type.partition(";")[0].strip().lower()
    is_json = re.fullmatch(r"application/(.*\+)?json", media_type, re.DOTALL) is not None
    if error["loc"] == ("body",) and error["type"] != "missing" and not is_json:
        sent = f"says Content-Type: {content_type}" if content_type else "has no Content-Type"
        return f"the body {sent}. Send Content-Type: application/json."
    return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"


def _body_fields(request: Request) -> list[str]:
    """The fields that the body of this request may have."""
    body = getattr(request.scope.get("route"), "body_field", None)
    model = body.field_info.annotation if body is not None else None
    known = ", ".join(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else ""
    return [f"the body may have: {known}"] if known else []


def _allowed_methods(app: FastAPI, request: Request) -> list[str]:
    """The methods that the path of a request allows: each route knows only its own."""
    scopes = [(method, {**request.scope, "method": method}) for method in ("DELETE", "GET", "PATCH", "POST", "PUT")]
    return [method for method, scope in scopes if any(route.matches(scope)[0] is Match.FULL for route in app.routes)]


def problem_response(error: HTTPException | UacError) -> Response:
    """The answer for an error, also outside the exception handlers."""
    if isinstance(error, HTTPException):
        title = HTTPStatus(error.status_code).phrase
        return _problem_json(title, error.status_code, str(error.detail), headers=dict(error.headers or {}))
    status, detail = problem_of_error(error)
    reasons = list(error.reasons) if isinstance(error, Rejected) else []
    if isinstance(error, RunError) and error.printed:
        reasons = [f"printed before that: {error.printed[:MOST_PRINTED]}"]
    title, headers = type(error).__name__, {"Retry-After": "1"} if status == 503 else {}
    return _problem_json(title, status, detail, reasons, headers)


def problem_of_error(error: UacError) -> tuple[int, str]:
    """The status of an error, and its problem details."""
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    if isinstance(error, StoreError | Damaged):  # its message says where the store is: not for clients
        logger.error("%s: %s", type(error).__name__, error)
        return status, f"{type(error).__doc__} The service's own output has the details."
    return status, str(error)


def _problem_json(
    title: str, status: int, detail: str, reasons: list[str] | None = None, headers: dict[str, str] | None = None
) -> JSONResponse:
    content = Problem(
        title=title,
        status=status,
        detail=_encodable_problem_text(detail),
        reasons=[_encodable_problem_text(reason) for reason in reasons or []],
    ).model_dump()
    return JSONResponse(content, status, SAFE | (headers or {}), media_type="application/problem+json")


def _encodable_problem_text(text: str) -> str:
    """Text that can be encoded: a reason may quote a lone surrogate that a client sent."""
    return text.encode(errors="replace").decode()
