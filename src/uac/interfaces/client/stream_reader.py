"""Reads a stream of events line by line, without I/O, and resumes it."""

from typing import Generic, TypeVar

import msgspec

from uac.interfaces.client.calls import Got, HttpRequest, Stream, stream_request
from uac.interfaces.client.response_errors import ClientError, error_from_response
from uac.interfaces.client.retry import PASSING, Patience, Pause, attempts_text, backoff_seconds, retry_after_seconds

__all__ = ["StreamReader"]

T = TypeVar("T")


class StreamReader(Generic[T]):
    """Reads a stream line by line, and resumes it when the connection is lost."""

    def __init__(self, stream: Stream[T], patience: Patience) -> None:
        self._stream = stream
        self._patience = patience
        self._data: list[str] = []
        self._id = self._coming = ""
        self._lost = 0
        self._decoder = msgspec.json.Decoder(stream.event)

    def next_request(self) -> HttpRequest:
        """The request that opens or resumes the stream."""
        self._data, self._coming = [], self._id
        return stream_request(self._stream, self._id)

    def read_line(self, line: str) -> tuple[T, ...]:
        """The event that ends with this line, if one does."""
        self._lost = 0
        if not line:  # only now: if the stream breaks off within an event, that one must come again
            self._id = self._coming
            data, self._data = "\n".join(self._data), []
            return (self._decode_event(data),) if data else ()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id":
            self._coming = value
        return ()

    def wait_after_loss(self, why: str) -> Pause:
        """The wait before a lost stream is resumed; raises after too many attempts."""
        self._lost += 1
        if self._lost >= self._patience.tries:
            raise ClientError(f"{why}{attempts_text(self._lost)}")
        return Pause(backoff_seconds(self._lost, self._patience))

    def wait_after_refusal(self, got: Got) -> Pause:
        """The wait before a refused stream is requested again; raises if the error is final."""
        error = error_from_response(got)
        if got.status not in PASSING:
            raise error
        return Pause(max(self.wait_after_loss(str(error)).seconds, retry_after_seconds(got)))

    def _decode_event(self, data: str) -> T:
        try:
            return self._decoder.decode(data)
        except msgspec.MsgspecError as error:
            raise ClientError(
                f"The service sent an event of an unknown form: {error}. Update the client or the service."
            ) from None
