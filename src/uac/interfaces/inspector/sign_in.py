"""Signing in with a key or a one-time address, and signing out."""

import secrets
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from uac.interfaces.inspector.page import (
    InspectorState,
    read_form,
    render_page,
    user_url,
)
from uac.interfaces.inspector.sessions import Session, session_cookie_name, set_session_cookie

__all__ = ["ROUTES"]


def sign_in_page(state: InspectorState, request: Request, _body: bytes) -> Response:
    """The form for a key."""
    session = state.sessions.find_session(request.cookies.get(session_cookie_name(request), ""))
    then = request.query_params.get("then", "")
    if session is not None:
        return RedirectResponse(_target_after_sign_in(request, then, session), 303)
    return _render_sign_in_form(state, request, then=then)


def submit_key(state: InspectorState, request: Request, body: bytes) -> Response:
    fields = read_form(state, request, body)
    session = state.sessions.sign_in(fields.get("key", ""))
    if session is None:
        problem = "This key opens nothing: it is mistyped, has expired, or was revoked."
        return _render_sign_in_form(state, request, then=fields.get("then", ""), problem=problem, status=401)
    if "read" not in session.caller.rights:
        state.sessions.end_session(session.id)
        problem = "This key may not read, so there is nothing to see with it."
        return _render_sign_in_form(state, request, then=fields.get("then", ""), problem=problem, status=403)
    response = RedirectResponse(_target_after_sign_in(request, fields.get("then", ""), session), 303)
    set_session_cookie(request, response, session.id)
    return response


def submit_sign_out(state: InspectorState, request: Request, body: bytes) -> Response:
    read_form(state, request, body)
    state.sessions.end_session(request.cookies.get(session_cookie_name(request), ""))
    response = RedirectResponse(user_url(request, "", "sign-in"), 303)
    response.delete_cookie(session_cookie_name(request), path=request.scope.get("root_path", "") or "/")
    return response


def open_invitation(state: InspectorState, request: Request, _body: bytes) -> Response:
    """The one-time URL. It answers with a page that loads the next one, so that the cookie is sent along."""
    if request.method == "HEAD":  # link previews must not use up the token
        return Response()
    session = state.sessions.accept_invitation(request.query_params.get("token", ""))
    if session is None:
        known = state.sessions.find_session(request.cookies.get(session_cookie_name(request), ""))
        if known is not None:
            return RedirectResponse(_target_after_sign_in(request, "", known), 303)
        return render_page(state, request, "used.html", status=401, session=None)
    return render_page(
        state, request, "enter.html", status=200, session=session, then=_target_after_sign_in(request, "", session)
    )


def _render_sign_in_form(
    state: InspectorState, request: Request, *, then: str = "", problem: str = "", status: int = 200
) -> Response:
    """The form, bound to a cookie, so that another site cannot sign anybody in."""
    number = request.cookies.get(session_cookie_name(request), "") or secrets.token_urlsafe(32)
    token = state.sessions.form_token(number)
    response = render_page(
        state, request, "sign_in.html", status=status, session=None, then=then, problem=problem, form_token=token
    )
    set_session_cookie(request, response, number)
    return response


def _target_after_sign_in(request: Request, then: str, session: Session) -> str:
    """The target after signing in: a page of the inspector, else the key's only user, else the list of users."""
    root: str = request.scope.get("root_path", "")
    if then.startswith(f"{root}/users") and "\\" not in then and then.isprintable():
        return then
    return user_url(request, session.caller.user) if session.caller.user else user_url(request, "", "users")


ROUTES: tuple[tuple[str, str, Callable[[InspectorState, Request, bytes], Response]], ...] = (
    ("GET", "/sign-in", sign_in_page),
    ("POST", "/sign-in", submit_key),
    ("POST", "/sign-out", submit_sign_out),
    ("GET", "/enter", open_invitation),
)
