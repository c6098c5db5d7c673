"""Sign-in, sessions, their cookies, and form tokens.

Sessions live in this process; or, if it shares its store with other processes, in the store, by the digest of their id.
"""

import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from uac.interfaces.http.user_context import Caller
from uac.interfaces.service.api_keys import Key, Keyring
from uac.log.coordination import Coordination, SignIn

__all__ = ["LASTS", "Invitation", "Session", "Sessions", "session_cookie_name", "set_session_cookie"]

LASTS = timedelta(hours=12)
"""How long a sign-in is valid; the key may expire or be revoked earlier."""

MOST = 1000  # sessions at once; the oldest end first
MOST_OF_KEY = 20  # so that one key cannot sign out all others


@dataclass(frozen=True, slots=True)
class Session:
    """One sign-in. Its id is stored in a cookie and nowhere else."""

    id: str
    caller: Caller
    expires: datetime


@dataclass(frozen=True, slots=True)
class Invitation:
    """A one-time sign-in URL: its token, and the caller that it signs in."""

    token: str
    caller: Caller


class Sessions:
    """All sign-ins. Without a keyring and an invitation, no sign-in is needed: for a personal machine."""

    def __init__(
        self,
        keyring: Keyring | None,
        clock: Callable[[], datetime],
        invitation: Invitation | None = None,
        coordination: Coordination | None = None,
    ) -> None:
        self._keyring = keyring
        self._clock = clock
        self._invitation = invitation
        self._lock = threading.Lock()
        self._sessions = (
            _OwnSessions() if coordination is None else _SharedSessions(coordination, needs_key=keyring is not None)
        )

    @property
    def is_open(self) -> bool:
        return self._keyring is None and self._invitation is None

    @property
    def accepts_keys(self) -> bool:
        return self._keyring is not None and self._invitation is None

    def start_without_key(self) -> Session:
        """A session without a key."""
        assert self.is_open
        return self._start_session(Caller(""))

    def sign_in(self, text: str) -> Session | None:
        """A session for a valid key; None if the key is invalid."""
        key = self._keyring.find_key(text.strip()) if self._keyring and self.accepts_keys else None
        return self._start_session(_session_caller(key)) if key else None

    def accept_invitation(self, token: str) -> Session | None:
        """A session for the first visitor with the one-time token; None for everyone else."""
        with self._lock:
            invitation = self._invitation
            if invitation is None or not token or not _are_session_tokens_equal(token, invitation.token):
                return None
            self._invitation = replace(invitation, token="")
        return self._start_session(invitation.caller)

    def find_session(self, number: str) -> Session | None:
        """The session with that id, with the current rights of its key; None if either has ended."""
        session = self._sessions.find(number)
        if session is None:
            return None
        caller: Caller | None = session.caller
        if self._keyring is not None and session.caller.key:
            key = self._keyring.valid_key(session.caller.key)
            caller = _session_caller(key) if key else None
        if caller is None or self._clock() >= session.expires:
            self.end_session(number)
            return None
        return replace(session, caller=caller)

    def end_session(self, number: str) -> None:
        self._sessions.remove(number)

    def form_token(self, number: str) -> str:
        """The token that forms must send along with this cookie. Other sites know neither.

        It follows from the cookie's random value alone, so that every process knows it.
        """
        return hmac.new(number.encode("utf-8", "surrogatepass"), b"form of the inspector", sha256).hexdigest()

    def is_form_token(self, number: str, token: str) -> bool:
        return bool(number) and _are_session_tokens_equal(token, self.form_token(number))

    def _start_session(self, caller: Caller) -> Session:
        session = Session(secrets.token_urlsafe(32), caller, self._clock() + LASTS)
        self._sessions.add(session)
        return session


class _OwnSessions:
    """The sessions of a process that is alone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def find(self, number: str) -> Session | None:
        with self._lock:
            return self._sessions.get(number)

    def remove(self, number: str) -> None:
        with self._lock:
            self._sessions.pop(number, None)

    def add(self, session: Session) -> None:
        key = session.caller.key
        with self._lock:
            own = [one.id for one in self._sessions.values() if key and one.caller.key == key]
            for number in own[: max(len(own) - MOST_OF_KEY + 1, 0)]:
                del self._sessions[number]
            self._sessions[session.id] = session
            while len(self._sessions) > MOST:
                self._sessions.popitem(last=False)


class _SharedSessions:
    """Sessions that every process on the store knows. The rights are those of the key, looked up for each request.

    With `needs_key`, sessions of a process that needs none are not known here.
    """

    def __init__(self, coordination: Coordination, *, needs_key: bool) -> None:
        self._coordination = coordination
        self._needs_key = needs_key

    def find(self, number: str) -> Session | None:
        sign_in = self._coordination.find_sign_in(_session_digest(number)) if number else None
        if sign_in is None or (self._needs_key and not sign_in.key):
            return None
        return Session(number, Caller(sign_in.key), sign_in.expires)

    def remove(self, number: str) -> None:
        self._coordination.remove_sign_in(_session_digest(number))

    def add(self, session: Session) -> None:
        self._coordination.add_sign_in(
            _session_digest(session.id),
            SignIn(session.caller.key, session.expires),
            most=MOST,
            most_of_key=MOST_OF_KEY,
        )


def _session_digest(number: str) -> bytes:
    """A fast digest is safe here: the id has 256 random bits."""
    return sha256(number.encode("utf-8", "surrogatepass")).digest()


def set_session_cookie(request: Request, response: Response, number: str) -> None:
    if request.cookies.get(session_cookie_name(request)) == number:
        return
    response.set_cookie(
        session_cookie_name(request),
        number,
        max_age=int(LASTS.total_seconds()),
        path=request.scope.get("root_path", "") or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )


def session_cookie_name(request: Request) -> str:
    """The cookie's name includes the port, because cookies do not: two servers on one machine keep separate cookies."""
    return f"uac_inspector_{request.url.port or 0}"


def _session_caller(key: Key) -> Caller:
    return Caller(key.id, key.tenant, key.user, key.rights)


def _are_session_tokens_equal(one: str, other: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))
