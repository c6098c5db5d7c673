"""A line for each request. It holds no id and no word of a user: of the path, the route as the document writes it."""

import sys
from collections.abc import Callable
from time import perf_counter

from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["METHODS", "AccessLog", "route_of"]

METHODS = frozenset({"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"})
"""Others are not told: a stranger may send any word."""


class AccessLog:
    """Tells of each request when its answer has ended: `POST /v1/users/{user}/recall 200 3.1 ms`."""

    def __init__(self, app: ASGIApp, told: Callable[[str], None]) -> None:
        self._app = app
        self._told = told

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
            self._told(f"{method} {route_of(scope) or '-'} {status} {milliseconds:.1f} ms")


def route_of(scope: Scope) -> str:
    """The path with names in place of values, such as /v1/users/{user}/recall; empty if no route was found."""
    route = scope.get("route")
    path = "" if isinstance(route, Mount) else getattr(route, "path", "")
    mounted = scope.get("root_path", "").removeprefix(scope.get("app_root_path", ""))  # where the inspector is
    return f"{mounted}{path}" if path or isinstance(route, Mount) else ""
