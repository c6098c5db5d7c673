"""The two transports: one blocks, the other is awaited. `exchange` decides what to send; here is only the I/O."""

import os
import socket
import ssl
import time
from collections.abc import AsyncGenerator, Generator
from typing import Any, Protocol, TypeVar

import anyio
import httpx2

from uac.errors import Refused
from uac.interfaces.client.calls import Call, Got, HttpRequest, Lost, Stream
from uac.interfaces.client.exchange import exchange
from uac.interfaces.client.retry import Patience, Pause
from uac.interfaces.client.stream_reader import StreamReader
from uac.models.http_address import is_http_address

__all__ = ["AsyncWire", "AwaitingWire", "WaitingWire", "Wire"]

T = TypeVar("T")

LONGEST_CONNECT = 10.0
QUIET = 60.0  # seconds without a heartbeat after which a stream is taken for lost

BROKEN = (httpx2.TransportError, httpx2.DecodingError)


class Wire(Protocol):
    """Sends calls and waits for the answer."""

    def send(self, call: Call[T], /) -> T: ...
    def follow(self, stream: Stream[T], /) -> Generator[T, None, None]: ...


class AsyncWire(Protocol):
    """Sends calls in an event loop."""

    async def send(self, call: Call[T], /) -> T: ...
    def follow(self, stream: Stream[T], /) -> AsyncGenerator[T, None]: ...


class WaitingWire:
    """Sends requests and waits for the answer."""

    def __init__(self, address: str, key: str, patience: Patience) -> None:
        self._patience = patience
        self._address = _base_address(address)
        self._client = httpx2.Client(**_http_client_settings(self._address, key, patience))
        self._lasting = httpx2.Timeout(self._client.timeout.connect, read=QUIET)

    def close(self) -> None:
        self._client.close()

    def send(self, call: Call[T], /) -> T:
        said: Generator[HttpRequest | Pause, Got | Lost | None, T] = exchange(call, self._patience)
        heard: Got | Lost | None = None
        while True:
            try:
                step = said.send(heard)
            except StopIteration as end:
                answer: T = end.value
                return answer
            if isinstance(step, Pause):
                heard = None
                time.sleep(step.seconds)
            else:
                heard = self._send_request(step)

    def follow(self, stream: Stream[T], /) -> Generator[T, None, None]:
        reader = StreamReader(stream, self._patience)
        while True:
            try:
                with self._client.stream(
                    **_httpx_request_arguments(reader.next_request()), timeout=self._lasting
                ) as response:
                    if response.status_code == 200:
                        for line in response.iter_lines():
                            yield from reader.read_line(line)
                        if not stream.is_endless:
                            return
                        pause = reader.wait_after_loss("the service ended the stream")
                    else:
                        pause = reader.wait_after_refusal(Got(response.status_code, response.headers, response.read()))
            except BROKEN as error:
                pause = reader.wait_after_loss(_connection_error_text(error, self._address))
            time.sleep(pause.seconds)

    def _send_request(self, request: HttpRequest) -> Got | Lost:
        try:
            response = self._client.request(**_httpx_request_arguments(request))
        except BROKEN as error:
            return Lost(_connection_error_text(error, self._address))
        return Got(response.status_code, response.headers, response.content)


class AwaitingWire:
    """Sends requests in an event loop."""

    def __init__(self, address: str, key: str, patience: Patience) -> None:
        self._patience = patience
        self._address = _base_address(address)
        self._client = httpx2.AsyncClient(**_http_client_settings(self._address, key, patience))
        self._lasting = httpx2.Timeout(self._client.timeout.connect, read=QUIET)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def send(self, call: Call[T], /) -> T:
        said: Generator[HttpRequest | Pause, Got | Lost | None, T] = exchange(call, self._patience)
        heard: Got | Lost | None = None
        while True:
            try:
                step = said.send(heard)
            except StopIteration as end:
                answer: T = end.value
                return answer
            if isinstance(step, Pause):
                heard = None
                await anyio.sleep(step.seconds)
            else:
                heard = await self._send_request(step)

    async def follow(self, stream: Stream[T], /) -> AsyncGenerator[T, None]:
        reader = StreamReader(stream, self._patience)
        while True:
            try:
                async with self._client.stream(
                    **_httpx_request_arguments(reader.next_request()), timeout=self._lasting
                ) as response:
                    if response.status_code == 200:
                        async for line in response.aiter_lines():
                            for event in reader.read_line(line):
                                yield event
                        if not stream.is_endless:
                            return
                        pause = reader.wait_after_loss("the service ended the stream")
                    else:
                        pause = reader.wait_after_refusal(
                            Got(response.status_code, response.headers, await response.aread())
                        )
            except BROKEN as error:
                pause = reader.wait_after_loss(_connection_error_text(error, self._address))
            await anyio.sleep(pause.seconds)

    async def _send_request(self, request: HttpRequest) -> Got | Lost:
        try:
            response = await self._client.request(**_httpx_request_arguments(request))
        except BROKEN as error:
            return Lost(_connection_error_text(error, self._address))
        return Got(response.status_code, response.headers, response.content)


def _base_address(address: str) -> str:
    """The base address; a /v1 at its end is dropped, because paths begin with it."""
    if not is_http_address(address) or "?" in address or "#" in address:
        raise Refused(f"The address is {address!r}. Use one such as 'http://127.0.0.1:8311'.")
    return address.rstrip("/").removesuffix("/v1").rstrip("/")


def _http_client_settings(address: str, key: str, patience: Patience) -> dict[str, Any]:
    """The settings of the HTTP client. No redirect is followed: the key would be sent to another host."""
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise Refused("The key has characters that no key has. Use the one that 'uac keys create' printed.")
    return {
        "base_url": address,
        "headers": {"Authorization": f"Bearer {key}"} if key else {},
        "follow_redirects": False,
        "timeout": httpx2.Timeout(patience.timeout, connect=min(patience.timeout, LONGEST_CONNECT)),
    }


def _httpx_request_arguments(request: HttpRequest) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": request.path,
        "params": request.query or None,
        "headers": request.headers,
        "content": request.body,
    }


def _connection_error_text(error: Exception, address: str) -> str:
    """Our own message: the library's may hold the URL with the query."""
    if isinstance(error, httpx2.ConnectTimeout | httpx2.ConnectError):
        return f"the service at {address} cannot be reached: {_system_error_text(error)}"
    if isinstance(error, httpx2.TimeoutException):
        return f"the service at {address} did not answer in time"
    return f"the connection to the service at {address} was lost"


def _system_error_text(error: BaseException) -> str:
    """The message of the operating system, from the end of the chain of errors."""
    if isinstance(error, httpx2.ConnectTimeout):
        return "it does not answer"
    last: BaseException | None = error
    while last is not None:
        if isinstance(last, ssl.SSLCertVerificationError):
            return f"its certificate is not valid ({last.verify_message})"
        if isinstance(last, ssl.SSLError):
            return "it does not speak TLS (perhaps use http instead of https)"
        if isinstance(last, socket.gaierror):
            return f"its name is unknown ({last.strerror})"
        if isinstance(last, OSError) and last.errno:
            return os.strerror(last.errno).lower()
        last = last.__cause__ or last.__context__
    return "no connection"
