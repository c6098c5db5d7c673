"""The addresses of servers. Needs no HTTP client, so it can be imported where none is installed."""

from urllib.parse import urlsplit

__all__ = ["is_http_address"]


def is_http_address(url: str) -> bool:
    """Whether it is an HTTP address without a password: addresses appear in messages."""
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
    return is_whole and parts.username is None
