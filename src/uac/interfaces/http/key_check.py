"""Checks the key of each request, and limits the rate for each key."""

import ipaddress
import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from uac.errors import StoreError
from uac.interfaces.http.auth import KEY
from uac.interfaces.http.problems import TooManyRequests, Unauthorized, problem_response
from uac.interfaces.http.raw_headers import header_text
from uac.interfaces.http.shared_call import SharedCall
from uac.interfaces.http.shared_rates import SharedRates
from uac.interfaces.service.api_keys import Key, Keyring

__all__ = ["PROBES", "KeyCheck", "TokenBuckets", "client_network"]

PROBES = ("/healthz", "/readyz")
"""Paths that answer everybody, also when the service is busy: otherwise it would be restarted."""

OPEN = re.compile(r"/|/openapi\.json|/docs|/inspector(/.*)?", re.DOTALL)
"""Paths that need no key, or check it themselves, as the inspector does."""


MOST_BUCKETS = 10_000


class KeyCheck:
    """Checks the key and limits the rate for each key; where no key is needed, for each address.

    With `rates`, the rate of a key counts in all processes on the store; that of an address in this one alone, so that
    strangers cost the store nothing.
    """

    def __init__(
        self,
        app: ASGIApp,
        rate: float,
        keyring: Keyring | None,
        clock: Callable[[], float] = time.monotonic,
        rates: SharedRates | None = None,
    ) -> None:
        self._app = app
        self._keyring = keyring
        self._clock = clock
        self._buckets = TokenBuckets(rate, 2 * rate) if rate else None
        self._rates = rates
        self._refresh = SharedCall(keyring.refresh) if keyring is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBES:
            return await self._app(scope, receive, send)
        text = _bearer_key(scope)
        try:
            key = scope[KEY] = await self._look_up_key(text)
            wait = await self._take_token(key, scope)
        except StoreError as error:
            return await problem_response(error)(scope, receive, send)
        if wait:
            return await problem_response(TooManyRequests("Too many requests", math.ceil(wait)))(scope, receive, send)
        if key is None and self._keyring is not None and not OPEN.fullmatch(scope["path"]):
            return await problem_response(Unauthorized(sent=bool(text)))(scope, receive, send)
        return await self._app(scope, receive, send)

    async def _take_token(self, key: Key | None, scope: Scope) -> float:
        """0 if there was a token for this request; otherwise the seconds until there is one."""
        if key is not None and self._rates is not None:
            return await self._rates.take_token(key.id, self._clock())
        who = key.id if key else client_network(scope)
        return self._buckets.take_token(who, self._clock()) if self._buckets is not None else 0.0

    async def _look_up_key(self, text: str) -> Key | None:
        if self._keyring is None or self._refresh is None or not text:
            return None
        await self._refresh.wait()
        return self._keyring.find_known_key(text)


def _bearer_key(scope: Scope) -> str:
    """The text of the key that a request carries; empty if there is none."""
    kind, _, text = header_text(scope, b"authorization").partition(" ")
    return text.strip() if kind.lower() == "bearer" else ""


class TokenBuckets:
    """One bucket for each client: a request takes one token, `rate` of them come back a second, up to `most`.

    The buckets of those who have been away longest are forgotten beyond a number, so that memory stays bounded.
    """

    def __init__(self, rate: float, most: float) -> None:
        self._rate = rate
        self._most = max(most, 1.0)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._left)

    def take_token(self, who: str, now: float) -> float:
        """0 if there was a token; otherwise the seconds until there is one."""
        left, since = self._left.pop(who, (self._most, now))
        left = min(self._most, left + max(now - since, 0.0) * self._rate)
        granted = left >= 1
        self._left[who] = (left - 1 if granted else left, max(now, since))
        if len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        return 0.0 if granted else (1 - left) / self._rate


def client_network(scope: Scope) -> str:
    """The address of a client. For IPv6 it is the network, because one client has a whole network."""
    host: str = (scope.get("client") or ("",))[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(ipaddress.ip_network((int(address), 64), strict=False)) if address.version == 6 else host
