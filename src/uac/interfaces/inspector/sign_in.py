"""Signing in with a key or a one-time address, and signing out."""

import secrets
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from uac.interfaces.inspector.page import InspectorState, cookie_name, read_form, render_page, set_cookie, user_url
from uac.interfaces.inspector.sessions import Session

__all__ = ["ROUTES"]


def form(state: InspectorState, request: Request, _body: bytes) -> Response:
    """The form for a key."""
    session = state.sessions.find(request.cookies.get(cookie_name(request), ""))
    then = request.query_params.get("then", "")
    if session is not None:
        return RedirectResponse(_safe(request, then, session), 303)
    return _form(state, request, then=then)


def sign_in(state: InspectorState, request: Request, body: bytes) -> Response:
    fields = read_form(state, request, body)
    session = state.sessions.sign_in(fields.get("key", ""))
    if session is None:
        problem = "This key opens nothing: it is mistyped, has expired, or was revoked."
        return _form(state, request, then=fields.get("then", ""), problem=problem, status=401)
    if "read" not in session.caller.rights:
        state.sessions.end(session.id)
        problem = "This key may not read, so there is nothing to see with it."
        return _form(state, request, then=fields.get("then", ""), problem=problem, status=403)
    response = RedirectResponse(_safe(request, fields.get("then", ""), session), 303)
    set_cookie(request, response, session.id)
    return response


def sign_out(state: InspectorState, request: Request, body: bytes) -> Response:
    read_form(state, request, body)
    state.sessions.end(request.cookies.get(cookie_name(request), ""))
    response = RedirectResponse(user_url(request, "", "sign-in"), 303)
    response.delete_cookie(cookie_name(request), path=request.scope.get("root_path", "") or "/")
    return response


def enter(state: InspectorState, request: Request, _body: bytes) -> Response:
    """The one-time URL. It answers with a page that loads the next one, so that the cookie is sent along."""
    if request.method == "HEAD":  # link previews must not use up the token
        return Response()
    session = state.sessions.accept(request.query_params.get("token", ""))
    if session is None:
        known = state.sessions.find(request.cookies.get(cookie_name(request), ""))
        if known is not None:
            return RedirectResponse(_safe(request, "", known), 303)
        return render_page(state, request, "used.html", status=401, session=None)
    return render_page(state, request, "enter.html", status=200, session=session, then=_safe(request, "", session))


def _form(state: InspectorState, request: Request, *, then: str = "", problem: str = "", status: int = 200) -> Response:
    """The form, bound to a cookie, so that another site cannot sign anybody in."""
    number = request.cookies.get(cookie_name(request), "") or secrets.token_urlsafe(32)
    token = state.sessions.form_token(number)
    response = render_page(
        state, request, "sign_in.html", status=status, session=None, then=then, problem=problem, form_token=token
    )
    set_cookie(request, response, number)
    return response


def _safe(request: Request, then: str, session: Session) -> str:
    """The target after signing in: a page of the inspector, else the key's only user, else the list of users."""
    root: str = request.scope.get("root_path", "")
    if then.startswith(f"{root}/users") and "\\" not in then and then.isprintable():
        return then
    return user_url(request, session.caller.user) if session.caller.user else user_url(request, "", "users")


ROUTES: tuple[tuple[str, str, Callable[[InspectorState, Request, bytes], Response]], ...] = (
    ("GET", "/sign-in", form),
    ("POST", "/sign-in", sign_in),
    ("POST", "/sign-out", sign_out),
    ("GET", "/enter", enter),
)
