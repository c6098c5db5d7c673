"""Request bodies: each is read whole, within limits, before the request is handled."""

import asyncio
import re

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from uac.interfaces.http.problems import problem_response
from uac.interfaces.http.raw_headers import header_text
from uac.schema.values import MOST_NESTING

__all__ = ["BODY", "MOST_PARTS", "SMALL", "BodyLimit", "has_too_many_json_parts", "is_json_too_deep"]

BODY = "uac.body"
"""The place of the whole body in the scope of a request."""

SMALL = 2**20
"""Bytes of a body, except for conversations and files."""

LARGE = re.compile(r"/v1/users/[^/]+/(observations|imports|imports/background)")

MOST_PARTS = 50_000
"""Strings, commas and brackets of a body: each becomes objects, which are many times larger."""


class BodyLimit:
    """Reads a body, with or without an announced length, within a time limit."""

    def __init__(self, app: ASGIApp, most: int, patience: float) -> None:
        self._app = app
        self._most = most
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            body = await self._read_request_body(scope, receive)
        except HTTPException as error:
            return await problem_response(error)(scope, receive, send)
        if body is None:
            return None
        scope[BODY] = body
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return messages.pop() if messages else await receive()

        return await self._app(scope, again, send)

    async def _read_request_body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body; None if the client has disconnected."""
        most = self._most if LARGE.fullmatch(scope["path"]) else min(self._most, SMALL)
        announced = header_text(scope, b"content-length")
        if announced.isdecimal() and int(announced) > most:
            raise _body_too_large(f"{most} bytes")
        body, is_whole = bytearray(), False
        try:
            async with asyncio.timeout(self._patience):
                while not is_whole:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    is_whole = not message.get("more_body", False)
                    if len(body) > most:
                        raise _body_too_large(f"{most} bytes")
        except TimeoutError:
            raise HTTPException(
                408, f"The body did not arrive within {self._patience:g} s. Send it faster, or in parts."
            ) from None
        if scope["path"].startswith("/v1/") and has_too_many_json_parts(body):
            raise _body_too_large(f"{MOST_PARTS} texts, commas and brackets")
        if scope["path"].startswith("/v1/") and is_json_too_deep(body):
            raise HTTPException(422, f"The body nests more than {MOST_NESTING} levels deep. Send a flatter one.")
        return bytes(body)


def _body_too_large(most: str) -> HTTPException:
    return HTTPException(413, f"The body is too large. Send at most {most}.")


def has_too_many_json_parts(body: bytearray) -> bool:
    """Whether JSON has more parts than any request needs. Marks inside strings do not count."""
    if sum(map(body.count, MARKS)) <= MOST_PARTS:
        return False
    outside = _json_outside_strings(body)
    return len(outside) - 1 + sum(text.count(mark) for text in outside for mark in MARKS) > MOST_PARTS


def is_json_too_deep(body: bytearray) -> bool:
    """Whether JSON nests deeper than it can be handled. Brackets inside strings do not count."""
    if body.count(b"[") + body.count(b"{") <= MOST_NESTING:
        return False
    depth = 0
    for text in _json_outside_strings(body):
        for bracket in BRACKETS.findall(text):
            depth += 1 if bracket in b"[{" else -1
            if depth > MOST_NESTING:
                return True
    return False


def _json_outside_strings(body: bytearray) -> list[bytearray]:
    """The parts of JSON between its strings."""
    is_plain = 0 not in body  # two bytes for each character would hide which marks are escaped
    return body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"', 2 * MOST_PARTS)[::2] if is_plain else [body]


MARKS = (b'"', b",", b"[", b"{")
BRACKETS = re.compile(rb"[\[\]{}]")
