"""The bodies of requests: they are read before anything is done for them, so much of each and no more."""

import re

import anyio
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from uac.http.problems import respond

__all__ = ["MOST_PARTS", "SMALL", "Body", "has_too_many_parts"]

SMALL = 2**20
"""Bytes of a body, but for those that bring conversations and files."""

LARGE = re.compile(r"/v1/users/[^/]+/(observations|imports)")

MOST_PARTS = 50_000
"""Texts, commas and brackets of a body: each of them becomes objects, which are many times larger."""


class Body:
    """Reads a body, however it announces how long it is, and waits only so long for it."""

    def __init__(self, app: ASGIApp, most: int, patience: float) -> None:
        self._app = app
        self._most = most
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            body = await self._read(scope, receive)
        except HTTPException as error:
            return await respond(error)(scope, receive, send)
        if body is None:
            return None
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return messages.pop() if messages else await receive()

        return await self._app(scope, again, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body; None if the client has gone."""
        most = self._most if LARGE.fullmatch(scope["path"]) else min(self._most, SMALL)
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > most:
            raise _too_large(f"{most} bytes")
        body, is_whole = bytearray(), False
        with anyio.CancelScope(deadline=anyio.current_time() + self._patience):
            while not is_whole:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body += message.get("body", b"")
                is_whole = not message.get("more_body", False)
                if len(body) > most:
                    raise _too_large(f"{most} bytes")
        if not is_whole:
            raise HTTPException(408, f"the body did not arrive within {self._patience:g} s")
        if scope["path"].startswith("/v1/") and has_too_many_parts(body):
            raise _too_large(f"{MOST_PARTS} texts, commas and brackets")
        return bytes(body)


def _too_large(most: str) -> HTTPException:
    return HTTPException(413, f"the body is too large, needs at most {most}")


def has_too_many_parts(body: bytearray) -> bool:
    """Whether JSON is made of more than any request needs. Marks inside of texts do not count."""
    if sum(map(body.count, MARKS)) <= MOST_PARTS:
        return False
    is_plain = 0 not in body  # two bytes for each character would hide which marks are escaped
    texts = body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"', 2 * MOST_PARTS) if is_plain else [body]
    return len(texts) // 2 + sum(text.count(mark) for text in texts[::2] for mark in MARKS) > MOST_PARTS


MARKS = (b'"', b",", b"[", b"{")
