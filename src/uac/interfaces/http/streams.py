"""The open event streams of a service."""

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Streams"]


class Streams:
    """The open streams, so that they can be ended when the service stops."""

    def __init__(self) -> None:
        self._open: set[anyio.CancelScope] = set()

    def __len__(self) -> int:
        return len(self._open)

    def cancel_all(self) -> None:
        """End them all; called in the event loop that serves them."""
        for stream in tuple(self._open):
            stream.cancel()

    async def serve_stream(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        state = ""

        async def noted(message: Message) -> None:
            nonlocal state
            await send(message)
            state = "open" if message["type"] == "http.response.start" or message.get("more_body") else "done"

        with anyio.CancelScope() as stream:
            self._open.add(stream)
            try:
                await app(scope, receive, noted)
            finally:
                self._open.discard(stream)
        if stream.cancelled_caught and state == "open":
            await send({"type": "http.response.body", "body": b"", "more_body": False})
