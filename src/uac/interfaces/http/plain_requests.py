"""Plain requests: answered in one hop to a thread, with the bytes that the framework would send.

A request is plain if the user is the only value in its path, it has no query, and its headers and body are valid. All
others take the framework's own way, which says what is wrong with them. Which routes have plain requests follows from
the routes themselves: `plain_routes` reads what their endpoints declare.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, get_args, get_type_hints

from fastapi import Response
from fastapi.params import Query
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from uac.interfaces.http.auth import ACCESS, Access, authorize_plainly
from uac.interfaces.http.fields import ClocksQuery, Input
from uac.interfaces.http.raw_headers import raw_header
from uac.interfaces.http.request_bodies import BODY
from uac.interfaces.http.request_threads import RequestThreads
from uac.interfaces.http.user_context import Service
from uac.interfaces.views.view import View
from uac.project.clocks import Clocks

__all__ = ["PlainRequests", "PlainRoute", "plain_routes"]

USERS = "/v1/users/"
OF_USER = USERS + "{user}/"
JSON = (b"application/json", b"application/json; charset=utf-8")


@dataclass(frozen=True, slots=True)
class PlainRoute:
    """A route whose plain requests need nothing of the framework."""

    route: APIRoute
    access: Access
    context_name: str
    """The argument that takes the user's memory."""
    body: tuple[str, TypeAdapter[Any]] | None
    """The argument that takes the body, and its type."""
    others: Mapping[str, Any]
    """The values of the other arguments, which would come from a query."""
    view: TypeAdapter[Any]

    def read_arguments(self, scope: Scope) -> Mapping[str, Any] | None:
        """All arguments but the context; None if the body is not plain."""
        if self.body is None:
            return self.others
        if raw_header(scope, b"content-type") not in JSON:
            return None
        name, kind = self.body
        try:
            return {**self.others, name: kind.validate_python(json.loads(scope[BODY]), from_attributes=True)}
        except (ValueError, ValidationError):
            return None

    def answer(self, arguments: Mapping[str, Any]) -> bytes:
        """The endpoint's answer as JSON."""
        answered = self.view.validate_python(self.route.endpoint(**arguments), from_attributes=True)
        return self.view.dump_json(answered, by_alias=True)


class _Headers(Response):
    """A response of which only the headers are used that an endpoint sets."""

    def __init__(self) -> None:
        self.raw_headers = []


class PlainRequests:
    """Answers plain requests, and hands all others on to `app`, the framework's router.

    Errors are raised, as the router does: the framework turns both into answers.
    """

    def __init__(
        self, app: ASGIApp, routes: Mapping[tuple[str, str], PlainRoute], service: Service, threads: RequestThreads
    ) -> None:
        self._app = app
        self._routes = routes
        self._service = service
        self._threads = threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._find_route(scope) if scope["type"] == "http" else None
        answer = self._prepare_answer(route, scope) if route is not None else None
        if route is None or answer is None:
            return await self._app(scope, receive, send)
        scope["route"] = route.route  # for the access log and telemetry
        body, headers = await self._threads.run(answer)
        start = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json"), *headers]
        await send({"type": "http.response.start", "status": route.route.status_code or 200, "headers": start})
        return await send({"type": "http.response.body", "body": body})

    def _find_route(self, scope: Scope) -> PlainRoute | None:
        path: str = scope["path"]
        if scope["query_string"] or not path.startswith(USERS):
            return None
        return self._routes.get((scope["method"], path[len(USERS) :].partition("/")[2]))

    def _prepare_answer(
        self, route: PlainRoute, scope: Scope
    ) -> Callable[[], tuple[bytes, list[tuple[bytes, bytes]]]] | None:
        """Gives the body and the headers that the endpoint sets; runs in a thread. None: the request is not plain."""
        arguments = route.read_arguments(scope)
        user = scope["path"][len(USERS) :].partition("/")[0]
        response = _Headers()
        context = (
            authorize_plainly(self._service, scope, route.access, user, response) if arguments is not None else None
        )
        if arguments is None or context is None:
            return None
        whole = {**arguments, route.context_name: context}
        return lambda: (route.answer(whole), response.raw_headers)


def plain_routes(routes: Iterable[BaseRoute]) -> dict[tuple[str, str], PlainRoute]:
    """The routes that have plain requests, by method and by the path behind the user."""
    found = [plain for route in routes if isinstance(route, APIRoute) and (plain := _plain_route(route)) is not None]
    return {
        (method, plain.route.path.removeprefix(OF_USER)): plain
        for plain in found
        for method in plain.route.methods or ()
    }


def _plain_route(route: APIRoute) -> PlainRoute | None:
    """The route as its endpoint declares it; None if that has something which only the framework can read."""
    hints = get_type_hints(route.endpoint, include_extras=True)
    view, behind_user = hints.get("return"), route.path.removeprefix(OF_USER)
    if behind_user == route.path or "{" in behind_user or not (isinstance(view, type) and issubclass(view, View)):
        return None
    contexts: list[tuple[str, Access]] = []
    bodies: list[tuple[str, TypeAdapter[Any]]] = []
    others: dict[str, Any] = {}
    for name, parameter in signature(route.endpoint).parameters.items():
        hint = hints[name]
        if hint in ACCESS:
            contexts.append((name, ACCESS[hint]))
        elif hint == ClocksQuery:
            others[name] = Clocks()
        elif isinstance(hint, type) and issubclass(hint, Input) and parameter.default is Parameter.empty:
            bodies.append((name, TypeAdapter(hint)))
        elif parameter.default is not Parameter.empty and any(isinstance(each, Query) for each in get_args(hint)):
            others[name] = parameter.default
        else:
            return None
    if len(contexts) != 1 or len(bodies) > 1:
        return None
    (context_name, access), body = contexts[0], bodies[0] if bodies else None
    return PlainRoute(route, access, context_name, body, others, TypeAdapter(view))
