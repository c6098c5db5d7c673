"""The inspector as an application: routes, headers, errors. `mount` adds it to the service's own routes."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from uac.errors import UacError
from uac.interfaces.http.problems import Unauthorized, problem_of_error
from uac.interfaces.http.user_context import Service
from uac.interfaces.inspector import sign_in
from uac.interfaces.inspector.page import (
    STATIC,
    InspectorState,
    Page,
    PageView,
    read_form,
    render_page,
    user_url,
)
from uac.interfaces.inspector.pages import (
    alerts,
    code,
    conflicts,
    console,
    correct,
    entry_changes,
    forget,
    groups,
    log,
    overview,
    recall,
    record,
    records,
    trends,
    users,
    work,
)
from uac.interfaces.inspector.sessions import Invitation, Sessions, session_cookie_name
from uac.log.log import wall_clock

if TYPE_CHECKING:
    from uac.interfaces.work.job_client import WorkState

__all__ = ["PATH", "mount"]

PATH = "/inspector"

PAGES: tuple[Page, ...] = (
    *users.PAGES,
    *work.PAGES,
    *overview.PAGES,
    *records.PAGES,
    *record.PAGES,
    *code.PAGES,
    *groups.PAGES,
    *recall.PAGES,
    *console.PAGES,
    *alerts.PAGES,
    *conflicts.PAGES,
    *log.PAGES,
    *trends.PAGES,
    *correct.PAGES,
    *forget.PAGES,
    *entry_changes.PAGES,
)
"""In the order of the navigation."""

LARGEST = 1_000_000  # size limit of a form, in bytes

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with no-referrer, forms would not send their origin
    "X-Content-Type-Options": "nosniff",
}


def mount(
    app: Starlette,
    *,
    clock: Callable[[], datetime] = wall_clock,
    invitation: Invitation | None = None,
    work: Callable[[], "WorkState"] | None = None,
) -> None:
    """Serve the inspector at /inspector, over the service in `app.state.service`; the root redirects there.

    With an invitation, the one-time address `/inspector/enter?token=…` is the only way in. `work` returns the jobs of
    all workers, for the page of them.
    """
    service: Service = app.state.service
    # An invitation is to this process alone.
    shared = service.coordination if invitation is None else None
    state = app.state.inspector = InspectorState(
        service, Sessions(service.keyring, clock, invitation, shared), PAGES, work=work
    )
    state.subscribe_to_erasures()
    for path in ("/", PATH):  # the service does not redirect slashes itself
        app.router.routes.append(Route(path, lambda _request: RedirectResponse(f"{PATH}/"), include_in_schema=False))
    app.mount(PATH, _Headers(_inspector_application(state)))


def _inspector_application(state: InspectorState) -> Starlette:
    async def failed(request: Request, error: Exception) -> Response:
        return await run_in_threadpool(_error_page, state, request, error)

    routes = [Route(page.path, _page_endpoint(state, page), methods=[page.method]) for page in PAGES]
    routes += [
        Route(path, _signing_endpoint(state, answer), methods=[method]) for method, path, answer in sign_in.ROUTES
    ]
    return Starlette(
        routes=[*routes, Mount("/static", StaticFiles(directory=STATIC), name="static")],
        exception_handlers={HTTPException: failed, UacError: failed, Exception: failed},
        max_body_size=LARGEST,
    )


def _page_endpoint(state: InspectorState, page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        body = await request.body() if page.method == "POST" else b""
        return await run_in_threadpool(_authorized_page, state, page, request, body)

    return endpoint


def _authorized_page(state: InspectorState, page: Page, request: Request, body: bytes) -> Response:
    """The page, if the caller is signed in and has the right to it."""
    session = state.sessions.find_session(request.cookies.get(session_cookie_name(request), ""))
    if session is None and state.sessions.is_open and page.method == "GET":
        session = state.sessions.start_without_key()
    if session is None:
        if page.method == "GET":
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(user_url(request, "", "sign-in", then=request.url.path + query), 303)
        raise Unauthorized
    session.caller.check_right(page.right)
    view = PageView(state, request, session, page)
    if page.method == "POST":
        view = replace(view, form=read_form(state, request, body))
    return page.answer(view)


def _signing_endpoint(
    state: InspectorState, answer: Callable[[InspectorState, Request, bytes], Response]
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        body = await request.body() if request.method == "POST" else b""
        return await run_in_threadpool(answer, state, request, body)

    return endpoint


def _error_page(state: InspectorState, request: Request, error: Exception) -> Response:
    status, detail = 500, "Something unexpected happened; the service's own output has the details."
    if isinstance(error, HTTPException):
        status, detail = error.status_code, str(error.detail)
    elif isinstance(error, UacError):
        status, detail = problem_of_error(error)
    if status == 404 and detail == "Not Found":
        detail = "There is no such page. The menu lists all pages of a user."
    if status == 401:
        detail = "You are signed out, so nothing was changed. Sign in and send it again."
    if status in (401, 403):  # show nothing about that user
        request.scope["path_params"] = {}
    session = state.sessions.find_session(request.cookies.get(session_cookie_name(request), ""))
    return render_page(state, request, "error.html", status=status, session=session, detail=detail)


class _Headers:
    """Sets the response headers: no foreign scripts or styles run, and only static files are cached."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                is_ours = "/static/" in scope["path"] and message["status"] == 200
                headers["Cache-Control"] = "public, max-age=31536000, immutable" if is_ours else "no-store"
            await send(message)

        await self._app(scope, receive, send_with_headers)
