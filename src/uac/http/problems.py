"""What a client is told when something is refused or fails: problem details (RFC 9457), one kind for each error."""

import logging
from http import HTTPStatus

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Match

from uac.errors import (
    CodeError,
    Damaged,
    Full,
    KeyReused,
    Late,
    LimitError,
    ModelError,
    Moved,
    NoModel,
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
    "Unauthorized",
    "handle_problems",
    "respond",
]

MOST_PRINTED = 1000  # characters that code printed before it failed

logger = logging.getLogger(__name__)

STATUS: tuple[tuple[type[UacError], int], ...] = (
    (Moved, 412),
    (KeyReused, 409),
    (Late, 409),
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
"""The first kind that fits says which status the answer has."""


SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers that every answer has which does not say otherwise: it is data about a user, and nobody else's to keep."""


class Problem(BaseModel):
    """Why there is no result."""

    title: str = Field(examples=["Refused"], description="The kind of problem; names as in the library's errors.")
    status: int = Field(examples=[422])
    detail: str = Field(examples=["observation: text is empty"], description="What, where, and what was needed.")
    reasons: list[str] = Field(default=[], description="One line for each part that is to be mended.")


class Unauthorized(HTTPException):
    """No key, or one that opens nothing."""

    def __init__(self) -> None:
        super().__init__(401, "a key is needed: Authorization: Bearer uac_…", {"WWW-Authenticate": "Bearer"})


class Forbidden(HTTPException):
    """The key is good, but not for this."""

    def __init__(self, detail: str) -> None:
        super().__init__(403, detail)


class NotFound(HTTPException):
    """There is no such thing."""

    def __init__(self, detail: str) -> None:
        super().__init__(404, detail)


class Outdated(HTTPException):
    """The client goes by a log that has moved on."""

    def __init__(self, tag: str) -> None:
        super().__init__(412, "the log has moved since; read it again and send the new ETag", {"ETag": tag})


class NotModified(Exception):
    """The client has it already."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


def handle_problems(app: FastAPI) -> None:
    """Turn every error into problem details; nothing of an unexpected one leaves the machine."""

    @app.exception_handler(UacError)
    async def refused(_request: Request, error: UacError) -> Response:
        return respond(error)

    @app.exception_handler(HTTPException)
    async def stopped(request: Request, error: HTTPException) -> Response:
        if error.status_code == 405:
            error.headers = {"Allow": ", ".join(_methods(app, request))}
        return respond(error)

    @app.exception_handler(RequestValidationError)
    async def malformed(_request: Request, error: RequestValidationError) -> Response:
        reasons = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        return _problem("Malformed", 422, "the request is not as it must be: " + "; ".join(reasons), reasons)

    @app.exception_handler(msgspec.ValidationError)
    async def mistyped(_request: Request, error: msgspec.ValidationError) -> Response:
        return _problem("Malformed", 422, f"the request is not as it must be: {error}", [str(error)])

    @app.exception_handler(NotModified)
    async def unchanged(_request: Request, error: NotModified) -> Response:
        return Response(status_code=304, headers={"ETag": error.tag})

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return _problem("Failed", 500, "something unexpected happened; the service's own output has the details")


def _methods(app: FastAPI, request: Request) -> list[str]:
    """What can be done at the address of a request: each route knows of its own method only."""
    scopes = [(method, {**request.scope, "method": method}) for method in ("DELETE", "GET", "PATCH", "POST", "PUT")]
    return [method for method, scope in scopes if any(route.matches(scope)[0] is Match.FULL for route in app.routes)]


def respond(error: HTTPException | UacError) -> Response:
    """The answer that tells of an error, also where no handler stands around."""
    if isinstance(error, HTTPException):
        title = HTTPStatus(error.status_code).phrase
        return _problem(title, error.status_code, str(error.detail), headers=dict(error.headers or {}))
    title, told = type(error).__name__, str(error)
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    if isinstance(error, StoreError | Damaged):  # its words say where the store is, which is no client's business
        logger.error("%s: %s", title, error)
        told = f"{type(error).__doc__} The service's own output has the details."
    reasons = list(error.reasons) if isinstance(error, Rejected) else []
    if isinstance(error, RunError) and error.printed:
        reasons = [f"printed before that: {error.printed[:MOST_PRINTED]}"]
    return _problem(title, status, told, reasons, {"Retry-After": "1"} if status == 503 else {})


def _problem(
    title: str, status: int, detail: str, reasons: list[str] | None = None, headers: dict[str, str] | None = None
) -> JSONResponse:
    content = Problem(
        title=title, status=status, detail=_plain(detail), reasons=[_plain(reason) for reason in reasons or []]
    ).model_dump()
    return JSONResponse(content, status, SAFE | (headers or {}), media_type="application/problem+json")


def _plain(text: str) -> str:
    """Text that can be sent: a reason may quote half a character that a client sent."""
    return text.encode(errors="replace").decode()
