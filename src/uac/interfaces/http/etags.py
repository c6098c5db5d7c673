"""ETags: the state of a user's log, as answers give it and as conditional requests send it back."""

from fastapi import Response

from uac.log.log import Head

__all__ = ["etag_header", "log_etag", "matches_etag", "parse_etags"]


def log_etag(head: Head) -> str:
    """The state of the log as an ETag. Weak: answers also depend on the time, as in "due tomorrow"."""
    return f'W/"{head.position}-{head.digest[:6].hex()}"'


def matches_etag(head: Head, tags: tuple[str, ...]) -> bool:
    """Weak and strong tags are equal, because proxies change them; "*" matches any user who exists."""
    plain = {tag.removeprefix("W/") for tag in tags}
    return log_etag(head).removeprefix("W/") in plain or ("*" in plain and head.position > 0)


def parse_etags(header: str) -> tuple[str, ...]:
    return tuple(tag for each in header.split(",") if (tag := each.strip()))


def etag_header(response: Response) -> dict[str, str]:
    """The ETag that was set, for an answer that is not JSON."""
    return {"ETag": response.headers["ETag"]}
