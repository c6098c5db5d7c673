"""Listening sockets: binding, their address, and the host names that mean this machine only."""

import errno
import ipaddress
import os
import socket

from uac.errors import Refused

__all__ = ["LOOPBACK", "bind_socket", "is_loopback", "url_host"]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine in a Host header."""


def bind_socket(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 picks a free one. Raises Refused if that is impossible."""
    # asyncio sets TCP_NODELAY only on sockets that declare TCP: without it, each call takes 40 ms longer.
    listening = socket.socket(
        socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise Refused(f"Port {port} is in use, perhaps by another uac. --port 0 picks a free one.") from None
        raise Refused(f"{host}:{port} cannot be served: {error}. Choose another --host or --port.") from None
    return listening


def url_host(host: str) -> str:
    """The host as written in a URL: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def is_loopback(host: str) -> bool:
    """Whether the host is reachable from this machine only; names other than localhost are not resolved."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
