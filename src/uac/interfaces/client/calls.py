"""Calls and streams of the service as values, and the HTTP requests and responses that carry them."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, NamedTuple, TypeVar

import msgspec

__all__ = ["Call", "Got", "HttpRequest", "Kind", "Lost", "Stream", "call_request", "stream_request"]

T = TypeVar("T")

Kind = Literal["safe", "change", "once"]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request, and the type of its answer.

    Safe calls are retried; changes too, with an idempotency key; calls of the kind `once` are not.
    """

    kind: Kind
    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    answer: type[T]
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    tag: str = ""
    """The ETag that the log must still have."""
    is_tag: bool = False
    """Whether the answer is the ETag instead of the body."""


@dataclass(frozen=True, slots=True)
class Stream(Generic[T]):
    """A stream of events, and the type of their data."""

    path: str
    event: type[T]
    query: Mapping[str, object]

    @property
    def is_endless(self) -> bool:
        """Whether it is resumed when the connection is lost; a stream of a given length is not."""
        return self.query.get("seconds") is None


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


def call_request(call: Call[T]) -> HttpRequest:
    headers = {"Content-Type": "application/json"} if call.body is not None else {}
    if call.kind == "change":  # the same for each try, so that the change is made once
        headers["Idempotency-Key"] = secrets.token_urlsafe(16)
    if call.tag:
        headers["If-Match"] = call.tag
    body = None if call.body is None else msgspec.json.encode(call.body)
    return HttpRequest(call.method, call.path, call.query, headers, body)


def stream_request(stream: Stream[T], last: str) -> HttpRequest:
    """The request for a stream, from after the last event that was read."""
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
    return HttpRequest("GET", stream.path, stream.query, headers, None)
