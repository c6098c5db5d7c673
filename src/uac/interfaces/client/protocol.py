"""The protocol without I/O: when to retry, what an answer means, where an event ends.

`talk` yields the next action and is sent its result, so both kinds of client share it.
"""

import random
import re
import secrets
from collections.abc import Generator, Mapping
from typing import Generic, NamedTuple, TypeVar

import msgspec

from uac.errors import (
    AlreadyErased,
    CodeError,
    Damaged,
    Full,
    KeyReused,
    Late,
    LimitError,
    ModelError,
    Moved,
    NewerFormat,
    NoModel,
    NoStore,
    NotAStore,
    ReadOnly,
    Refused,
    Rejected,
    RunError,
    SandboxError,
    StoreError,
    UacError,
    Unanswered,
    Unavailable,
    Unreachable,
)
from uac.interfaces.client.operation import Call, Stream

__all__ = [
    "ClientError",
    "Got",
    "HttpRequest",
    "Lost",
    "Patience",
    "Pause",
    "StreamReader",
    "error_from_response",
    "exchange",
    "stream_request",
]

T = TypeVar("T")

PASSING = frozenset({408, 425, 429, 502, 503, 504})
"""Statuses that are retried."""
LONGEST_WAIT = 30.0

PLAIN: tuple[type[UacError], ...] = (
    Refused,
    KeyReused,
    AlreadyErased,
    Late,
    StoreError,
    NoStore,
    NotAStore,
    NewerFormat,
    ReadOnly,
    Full,
    Unavailable,
    Damaged,
    ModelError,
    NoModel,
    Unreachable,
    RunError,
    SandboxError,
)
"""Errors that are made of their message alone."""


class ClientError(UacError):
    """A request failed for a reason that the library has no error class for.

    `status` is that of HTTP (0: nobody answered), `title` the kind of problem.
    """

    def __init__(self, message: str, *, status: int = 0, title: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.title = title


class Patience(NamedTuple):
    """The timeout of a request, and the number of attempts with the first wait between them."""

    timeout: float = 60.0
    tries: int = 4
    first_wait: float = 0.25


class HttpRequest(NamedTuple):
    """A request to send."""

    method: str
    path: str
    query: Mapping[str, object]
    headers: Mapping[str, str]
    body: bytes | None


class Got(NamedTuple):
    """A response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Lost(NamedTuple):
    """There was no answer, or it broke off, and why."""

    why: str


class Pause(NamedTuple):
    """Wait this many seconds."""

    seconds: float


def exchange(call: Call[T], patience: Patience) -> Generator[HttpRequest | Pause, Got | Lost | None, T]:
    """Send a request until there is an answer or a final error, which is raised."""
    request = _http_request(call)
    tried = 0
    while True:
        got = yield request
        tried += 1
        assert got is not None
        is_last = tried >= patience.tries or call.kind == "once"
        if isinstance(got, Lost):
            if is_last:
                raise ClientError(f"{got.why}{_attempts_text(tried)}")
            yield Pause(_backoff_seconds(tried, patience))
        elif 200 <= got.status < 300:
            return _decode_answer(call, got)
        elif got.status not in PASSING or is_last:
            raise error_from_response(got, call.tag)
        else:
            yield Pause(max(_backoff_seconds(tried, patience), _retry_after_seconds(got)))


def stream_request(stream: Stream[T], last: str) -> HttpRequest:
    """The request for a stream, from after the last event that was read."""
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
    return HttpRequest("GET", stream.path, stream.query, headers, None)


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
            raise ClientError(f"{why}{_attempts_text(self._lost)}")
        return Pause(_backoff_seconds(self._lost, self._patience))

    def wait_after_refusal(self, got: Got) -> Pause:
        """The wait before a refused stream is requested again; raises if the error is final."""
        error = error_from_response(got)
        if got.status not in PASSING:
            raise error
        return Pause(max(self.wait_after_loss(str(error)).seconds, _retry_after_seconds(got)))

    def _decode_event(self, data: str) -> T:
        try:
            return self._decoder.decode(data)
        except msgspec.MsgspecError as error:
            raise ClientError(
                f"The service sent an event of an unknown form: {error}. Update the client or the service."
            ) from None


def error_from_response(got: Got, tag: str = "") -> UacError:
    """The library's own error that the answer describes; ClientError if there is none."""
    try:
        problem = msgspec.json.decode(got.body, type=_Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ClientError(f"The service answered {got.status}.", status=got.status)
    if got.status == 412:
        return Moved(_position_in_etag(tag), _position_in_etag(got.headers.get("etag", "")))
    match problem.title:
        case "Rejected":
            return Rejected(tuple(problem.reasons))
        case "CodeError":
            found = re.fullmatch(r"(?:line (\d+): )?(\w+)(?:: (.*))?", problem.detail, re.DOTALL)
            line, name, words = found.groups(default="") if found else ("", "Exception", problem.detail)
            return CodeError(name, words, line=int(line or 0))
        case "Malformed":
            return Refused(problem.detail)
        case "LimitError":
            return LimitError("", problem.detail)
        case "Unanswered":
            return Unanswered(problem.detail, reason="")
    kind = next((kind for kind in PLAIN if kind.__name__ == problem.title), None)
    if kind is not None:
        return kind(problem.detail)
    return ClientError(problem.detail, status=got.status, title=problem.title)


class _Problem(msgspec.Struct):
    title: str
    detail: str
    reasons: list[str] = []


def _http_request(call: Call[T]) -> HttpRequest:
    headers = {"Content-Type": "application/json"} if call.body is not None else {}
    if call.kind == "change":  # the same for each try, so that the change is made once
        headers["Idempotency-Key"] = secrets.token_urlsafe(16)
    if call.tag:
        headers["If-Match"] = call.tag
    body = None if call.body is None else msgspec.json.encode(call.body)
    return HttpRequest(call.method, call.path, call.query, headers, body)


def _decode_answer(call: Call[T], got: Got) -> T:
    try:
        if call.is_tag:
            return msgspec.convert(got.headers.get("etag"), call.answer)
        return msgspec.json.decode(got.body or b"null", type=call.answer)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ClientError(
            f"The service answered in an unknown form: {error}. Update the client or the service.", status=got.status
        ) from None


def _backoff_seconds(tried: int, patience: Patience) -> float:
    """Exponential backoff with jitter."""
    longest = min(patience.first_wait * 2.0 ** (tried - 1), LONGEST_WAIT)
    return longest * (0.5 + random.random() / 2)  # noqa: S311 - spreads tries, guards nothing


def _retry_after_seconds(got: Got) -> float:
    text = got.headers.get("retry-after", "")
    return min(float(text), LONGEST_WAIT) if re.fullmatch(r"\d{1,6}", text, re.ASCII) else 0.0


def _position_in_etag(tag: str) -> int:
    found = re.match(r'(?:W/)?"(\d+)-', tag, re.ASCII)
    return int(found[1]) if found else 0


def _attempts_text(tried: int) -> str:
    return f"; tried {tried} times" if tried > 1 else ""
