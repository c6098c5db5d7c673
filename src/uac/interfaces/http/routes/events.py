"""A user's log as server-sent events: one for each entry, in order, with its position as the id.

A stream holds no thread. It reads a page of the log when there is one and waits until the client has taken it, so a
client that is slow costs one page. Between events it is quiet but for a heartbeat, which also says how far it is.
"""

import math
from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple

import anyio
import msgspec
from anyio.to_thread import run_sync
from fastapi import APIRouter, Header, Query
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from uac.errors import NotAllowed, Refused, StoreError
from uac.interfaces.http.auth import Asker
from uac.interfaces.http.fields import MOST
from uac.interfaces.http.notify import Wakeup
from uac.interfaces.http.user_context import UserContext
from uac.interfaces.views.alerts import alert_event_view
from uac.interfaces.views.log import entry_view
from uac.interfaces.views.view import view_json
from uac.log.log import Stored
from uac.schema.entries import AlertChange

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["events"])

POLL = 2.0  # seconds between two looks for what other processes wrote, and whether the key is still good
HEARTBEAT = 15.0
STALLED = 60.0  # seconds that a client may take to read a page
PAGE = 100_000  # bytes, but for the last event
LOOKED_AT = 1000  # entries that are read for one page

EXAMPLE = 'id: 13\nevent: alert\ndata: {"position":13,"change":"raised","constraint":"drug_allergy",…}\n\n'


class EventStream(Response):
    """A stream that lasts until the client disconnects, its key expires, or the service stops."""

    media_type = "text/event-stream"

    def __init__(self, context: UserContext, of: "Of", after: int, seconds: float | None) -> None:
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._context = context
        self._event = EVENTS[of]
        self._after = after
        self._seconds = math.inf if seconds is None else seconds

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        async with anyio.create_task_group() as group:

            async def until_gone() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(until_gone)
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            try:
                await self._send_events(send)
            except TimeoutError:  # nobody reads
                pass
            else:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            group.cancel_scope.cancel()

    async def _send_events(self, send: Send) -> None:
        wakeup = Wakeup()
        with self._context.service.notifier.listen(wakeup.wake, self._context.store_user_id):
            await _send_chunk(send, f"retry: 2000\nid: {self._after}\n\n".encode())
            begun = quiet_since = anyio.current_time()
            while (page := await run_sync(self._read_event_page)) is not None:
                self._after = page.through
                is_silent = not page.body and anyio.current_time() - quiet_since >= HEARTBEAT
                if page.body or is_silent:
                    await _send_chunk(send, page.body or f": still here\nid: {self._after}\n\n".encode())
                    quiet_since = anyio.current_time()
                if page.is_last:
                    left = begun + self._seconds - anyio.current_time()
                    if left <= 0:
                        return
                    await wakeup.wait(min(POLL, left))

    def _read_event_page(self) -> "_Page | None":
        """The next events; None if the stream must end."""
        service, caller = self._context.service, self._context.caller
        try:
            if service.keyring is not None and service.keyring.valid_key(caller.key) is None:
                return None
            log, parts, size, through = self._context.log, [], 0, self._after
            head = log.head().position
            if head < self._after:  # the user was erased
                return None
            for stored in log.read(self._after + 1, min(head, self._after + LOOKED_AT) + 1):
                through = stored.position
                if text := self._event(stored):
                    parts.append(text)
                    size += len(text)
                    if size >= PAGE:
                        break
            return _Page(b"".join(parts), through, through >= head)
        except (StoreError, NotAllowed):  # the client reconnects, and gets the error then
            return None


class _Page(NamedTuple):
    """Events, the position up to which they are complete, and whether these are the last for now."""

    body: bytes
    through: int
    is_last: bool


async def _send_chunk(send: Send, body: bytes) -> None:
    with anyio.fail_after(STALLED):
        await send({"type": "http.response.body", "body": body, "more_body": True})


def _alert_event(stored: Stored) -> bytes:
    if not isinstance(stored.entry, AlertChange):
        return b""
    data = msgspec.json.encode(view_json(alert_event_view(stored, stored.entry), omit_defaults=True))
    return b"id: %d\nevent: alert\ndata: %s\n\n" % (stored.position, data)


def _entry_event(stored: Stored) -> bytes:
    data = msgspec.json.encode(entry_view(stored))
    return b"id: %d\nevent: entry\ndata: %s\n\n" % (stored.position, data)


Of = Literal["alerts", "log"]
EVENTS: dict[Of, Callable[[Stored], bytes]] = {"alerts": _alert_event, "log": _entry_event}


EVENT = {
    "type": "object",
    "description": "Each event of the stream.",
    "properties": {
        "id": {"type": "string", "description": "The position of the entry."},
        "event": {"type": "string", "enum": ["alert", "entry"]},
        "data": {"type": "string", "description": "The change of an alert, or the entry, as JSON."},
        "retry": {"type": "integer"},
    },
}


@router.get(
    "/events",
    status_code=200,
    response_class=EventStream,
    responses={
        200: {
            "description": "Events, until the client goes.",
            "content": {"text/event-stream": {"schema": EVENT, "example": EXAMPLE}},
        }
    },
)
def events(
    context: Asker,
    of: Annotated[
        Of, Query(description="Changes of alerts, or all entries of the log.", examples=["alerts"])
    ] = "alerts",
    after: Annotated[
        int | None,
        Query(ge=0, le=MOST, description="Start after this position; default: from now on."),
    ] = None,
    seconds: Annotated[
        float | None,
        Query(ge=0, le=86400, description="End after this many seconds; 0: after the existing entries.", examples=[0]),
    ] = None,
    last_event_id: Annotated[
        str, Header(description="The id of the last event that the client has; overrides `after`.", examples=["12"])
    ] = "",
) -> EventStream:
    """Server-sent events, one for each entry, with its position as the id, from which a client can resume."""
    head = context.check_has_memory().position
    start = _parse_last_event_id(last_event_id) if last_event_id else head if after is None else after
    if start > head:
        raise Refused(
            f"No entry {start}: the log ends at {head}, and may have been started again. Start without an id."
        )
    return EventStream(context, of, start, seconds)


def _parse_last_event_id(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 16):
        raise Refused(f"Last-Event-ID is {text[:20]!r}. Send the id of an event.")
    return int(text)
