"""Connections of HTTP clients: certificates, timeouts and redirects.

This module needs the extra `models`; it is imported only if a server is configured.
"""

import ssl
from functools import lru_cache

import httpx2

__all__ = ["http_timeout", "open_http_client", "shared_ssl_context"]

LONGEST_CONNECT = 10.0
"""Connection timeout in seconds."""


@lru_cache(maxsize=1)
def shared_ssl_context() -> ssl.SSLContext:
    """Loaded once: it takes longer than our whole part of a call."""
    return httpx2.create_ssl_context()


def http_timeout(timeout: float) -> httpx2.Timeout:
    return httpx2.Timeout(timeout, connect=min(timeout, LONGEST_CONNECT))


def open_http_client(timeout: float) -> httpx2.AsyncClient:
    """Follows no redirects: a key in a custom header would be sent to another host."""
    return httpx2.AsyncClient(verify=shared_ssl_context(), follow_redirects=False, timeout=http_timeout(timeout))
