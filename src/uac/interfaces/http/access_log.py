"""The access log: one line for each request, with the route's pattern instead of the path, so no words of a user."""

import sys
from collections.abc import Callable
from time import perf_counter

from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["METHODS", "AccessLog", "logged_route"]

METHODS = frozenset({"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"})
"""Other methods are not logged: a stranger may send any word."""


class AccessLog:
    """Logs each request when its answer has ended: `POST /v1/users/{user}/recall 200 3.1 ms`."""

    def __init__(self, app: ASGIApp, on_request: Callable[[str], None]) -> None:
        self._app = app
        self._on_request = on_request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        started, status = perf_counter(), "-"

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            return await self._app(scope, receive, noted)
        finally:
            if status == "-" and isinstance(sys.exception(), Exception):
                status = "500"  # what the framework answers, outside of this
            milliseconds = (perf_counter() - started) * 1000
            method = scope["method"] if scope["method"] in METHODS else "?"
            self._on_request(f"{method} {logged_route(scope) or '-'} {status} {milliseconds:.1f} ms")


def logged_route(scope: Scope) -> str:
    """The path with names in place of values, such as /v1/users/{user}/recall; empty if no route was found."""
    route = scope.get("route")
    path = "" if isinstance(route, Mount) else getattr(route, "path", "")
    mounted = scope.get("root_path", "").removeprefix(scope.get("app_root_path", ""))  # where the inspector is
    return f"{mounted}{path}" if path or isinstance(route, Mount) else ""
