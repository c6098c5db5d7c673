"""The server over HTTP: the streamable transport, behind a key that every request must carry."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from uac.errors import Refused
from uac.interfaces.mcp.server import memory_server
from uac.interfaces.service.listening import LOOPBACK, bind_socket, url_host
from uac.memory.memory import Memory

__all__ = ["PATH", "http_app", "serve_http", "serve_memory"]

PATH = "/mcp"
SHORTEST_KEY = 16
MOST_SESSIONS = 100
GRACE = 3  # seconds that open streams have when the server stops


def serve_memory(
    memory: Memory,
    clock: Callable[[], datetime],
    *,
    host: str,
    port: int,
    key: str,
    names: Sequence[str] = (),
    on_listening: Callable[[str], None] = lambda _address: None,
    told: Callable[[str], None] | None = None,
    groups: Mapping[str, Memory] | None = None,
) -> None:
    """Serve over HTTP until a signal stops it. `on_listening` gets the address; `told` is its older name."""
    server, listening = memory_server(memory, clock, groups=groups), told or on_listening
    serve_http(server, host=host, port=port, key=key, names=names, on_listening=listening)


def serve_http(
    server: Server[Any], *, host: str, port: int, key: str, names: Sequence[str], on_listening: Callable[[str], None]
) -> None:
    """Serve until a signal ends it. `on_listening` gets the address, with the port that was picked if `port` is 0."""
    with bind_socket(host, port) as listening:
        real = listening.getsockname()[1]
        app = http_app(server, key=key, hosts=[url_host(host), *names], port=real)
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http="h11",
            ws="none",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=GRACE,
        )
        on_listening(f"http://{url_host(host)}:{real}{PATH}")
        uvicorn.Server(config).run(sockets=[listening])


def http_app(server: Server[Any], *, key: str, hosts: Sequence[str], port: int) -> Starlette:
    """The application. A request needs the key, and a Host and an Origin of this machine or of `hosts`.

    The latter is against pages that let their own name point here (DNS rebinding).
    """
    if len(key) < SHORTEST_KEY:
        raise Refused(f"The key has {len(key)} characters. Use at least {SHORTEST_KEY}.")
    known = [*LOOPBACK, *hosts]
    allowed = [*known, *(f"{host}:{port}" for host in known)]
    security = TransportSecuritySettings(
        allowed_hosts=allowed,
        allowed_origins=[f"{scheme}://{host}" for scheme in ("http", "https") for host in allowed],
    )
    # The library requires an issuer, but publishes it only with a resource_server_url.
    unused = AuthSettings.model_validate({"issuer_url": f"http://127.0.0.1:{port}", "resource_server_url": None})
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=MOST_SESSIONS,
        transport_security=security,
        auth=unused,
        token_verifier=_Key(key),
    )


class _Key:
    """Requires the key, which is compared by its digest in constant time."""

    def __init__(self, key: str) -> None:
        self._digest = sha256(key.encode()).digest()

    async def verify_token(self, token: str) -> AccessToken | None:
        digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
        if not hmac.compare_digest(digest, self._digest):
            return None
        return AccessToken(token="", client_id="key", scopes=[])
