"""One message to a webhook: signed as Standard Webhooks requires, and sent only to allowed addresses."""

import base64
import hmac
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import anyio
import httpx2
import msgspec
from anyio.to_thread import run_sync

from uac import __version__
from uac.errors import Refused
from uac.interfaces.service.webhook_addresses import check_webhook_address, check_webhook_url
from uac.interfaces.service.webhooks import Hook
from uac.interfaces.views.alerts import AlertEventView
from uac.interfaces.views.view import view_json
from uac.models.http_connections import shared_ssl_context

__all__ = [
    "PostResult",
    "Resolve",
    "WebhookMessage",
    "post_webhook",
    "resolve_host",
    "webhook_message",
    "webhook_signature",
]

TIMEOUT = 15.0
"""Seconds for the whole exchange: resolving, connecting, sending, and the head of the answer."""
NOWHERE = "the host has no address"
REFUSED = "nobody listens there, or the connection was refused"
BAD_CERTIFICATE = "its certificate is not valid, or it does not speak TLS"
MOST_ADDRESSES = 4  # of one host are tried

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The IP addresses of a host."""


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """A message. Its id stays the same on each attempt, so that receivers can detect repeats."""

    id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class PostResult:
    """The result of one attempt. `status` is 0 if nobody answered; `why` is the error, "" if there was none."""

    status: int
    why: str = ""
    after: float | None = None
    """The seconds that the receiver asks to wait."""

    @property
    def is_received(self) -> bool:
        return 200 <= self.status < 300


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """The addresses that the system's resolver gives."""
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def post_webhook(
    hook: Hook,
    message: WebhookMessage,
    *,
    now: datetime,
    private: bool = False,
    timeout: float = TIMEOUT,
    resolve: Resolve = resolve_host,
) -> PostResult:
    """Send it once. No redirect is followed, and only the status of the answer is used."""
    stamp = str(int(now.timestamp()))
    headers = {
        "content-type": "application/json",
        "user-agent": f"user-as-code/{__version__}",
        "webhook-id": message.id,
        "webhook-timestamp": stamp,
        "webhook-signature": webhook_signature(hook.secret, message.id, stamp, message.body),
    }
    try:
        with anyio.fail_after(timeout):
            return await _post_to_addresses(hook.url, message.body, headers, private, resolve)
    except TimeoutError:
        return PostResult(0, f"no answer within {timeout:g} s")
    except Refused as error:
        return PostResult(0, str(error))
    except (OSError, ValueError, httpx2.InvalidURL):  # the last two: names that no host can have
        return PostResult(0, NOWHERE)


def webhook_signature(secret: str, number: str, stamp: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.digest(key, f"{number}.{stamp}.".encode() + body, sha256)
    return f"v1,{base64.b64encode(signed).decode()}"


async def _post_to_addresses(
    url: str, body: bytes, headers: dict[str, str], private: bool, resolve: Resolve
) -> PostResult:
    check_webhook_url(url, private=private)
    target = httpx2.URL(url)
    host = target.raw_host.decode()
    port = target.port or (443 if target.scheme == "https" else 80)
    addresses = await resolve(host.strip("[]"), port)
    for address in addresses:
        check_webhook_address(address, private=private)
    sent = PostResult(0, NOWHERE)
    for address in addresses[:MOST_ADDRESSES]:
        try:
            return await _send_to_address(target, host, address, body, headers)
        except httpx2.ConnectError as error:
            sent = PostResult(0, BAD_CERTIFICATE if _is_webhook_tls_error(error) else REFUSED)
        except httpx2.HTTPError:
            return PostResult(0, "the connection broke off, or the answer was not HTTP")
    return sent


def _is_webhook_tls_error(error: BaseException | None) -> bool:
    """Whether TLS failed after connecting: the library has one error for both."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None


async def _send_to_address(
    target: httpx2.URL, host: str, address: str, body: bytes, headers: dict[str, str]
) -> PostResult:
    """Connects to the address that was checked: the name could resolve to another one the next time.

    Each call has a connection of its own, because open ones are told apart by address, not by name. How
    long it may take is for the caller to say: the library's limits are for each part.
    """
    context = await run_sync(shared_ssl_context)  # read once, which takes a while
    extensions: dict[str, Any] = {"sni_hostname": host.strip("[]")}
    headers = {**headers, "host": target.netloc.decode()}
    async with (
        httpx2.AsyncClient(verify=context, follow_redirects=False, trust_env=False, timeout=None) as client,
        client.stream(
            "POST", target.copy_with(host=address), content=body, headers=headers, extensions=extensions
        ) as response,
    ):
        status = response.status_code
        if 200 <= status < 300:
            return PostResult(status)
        if 300 <= status < 400:
            return PostResult(status, f"answered with a redirect ({status}), which is not followed")
        return PostResult(status, f"answered {status}", _webhook_retry_after(response.headers.get("retry-after", "")))


def _webhook_retry_after(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 8 else None


def webhook_message(hook: Hook, name: str, event: AlertEventView, digest: bytes) -> WebhookMessage:
    """The message for a change of an alert. The entry's digest is in its id, because an erased user may come back."""
    number = sha256(f"{hook.id}\n{name}\n{event.position}\n{digest.hex()}".encode()).hexdigest()[:32]
    user = name.removeprefix(f"{hook.tenant}/") if hook.tenant else name
    data = {"user": user, **view_json(event, omit_defaults=True)}
    body = {"type": f"alert.{event.change}", "timestamp": event.at, "data": data}
    return WebhookMessage(f"msg_{number}", msgspec.json.encode(body))
