"""Requests to the service as values, and decorators that let one definition serve both kinds of client."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from types import MethodType
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeVar, overload

__all__ = ["AsyncOwner", "AsyncWire", "Call", "Kind", "Owner", "Stream", "Wire", "operation", "stream"]

T = TypeVar("T")
P = ParamSpec("P")

Kind = Literal["safe", "change", "once"]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request, and the type of its answer.

    Safe calls are retried; changes too, with an idempotency key; calls of the kind `once` are not.
    """

    kind: Kind
    method: Literal["GET", "POST", "DELETE"]
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


class Wire(Protocol):
    """Sends calls and waits for the answer."""

    def send(self, call: Call[T], /) -> T: ...
    def follow(self, stream: Stream[T], /) -> Generator[T, None, None]: ...


class AsyncWire(Protocol):
    """Sends calls in an event loop."""

    async def send(self, call: Call[T], /) -> T: ...
    def follow(self, stream: Stream[T], /) -> AsyncGenerator[T, None]: ...


class Owner(Protocol):
    """An object with synchronous operations."""

    @property
    def wire(self) -> Wire: ...


class AsyncOwner(Protocol):
    """An object with operations that are awaited."""

    @property
    def wire(self) -> AsyncWire: ...


class operation(Generic[P, T]):  # noqa: N801 - it is used as a decorator
    """A method whose definition returns a Call: it gives the answer, in an async client an awaitable of it."""

    def __init__(self, define: Callable[Concatenate[Any, P], Call[T]]) -> None:
        self.define = define
        self.__doc__ = define.__doc__

    @overload
    def __get__(self, owner: None, kind: type, /) -> "operation[P, T]": ...
    @overload
    def __get__(self, owner: Owner, kind: type, /) -> Callable[P, T]: ...
    @overload
    def __get__(self, owner: AsyncOwner, kind: type, /) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, owner: Any, kind: type, /) -> Any:
        if owner is None:
            return self
        bound = MethodType(self.define, owner)

        @wraps(bound)
        def send(*arguments: P.args, **named: P.kwargs) -> Any:
            return owner.wire.send(bound(*arguments, **named))

        return send


class stream(Generic[P, T]):  # noqa: N801 - it is used as a decorator
    """A method whose definition returns a Stream: it gives an iterator, in an async client an async one."""

    def __init__(self, define: Callable[Concatenate[Any, P], Stream[T]]) -> None:
        self.define = define
        self.__doc__ = define.__doc__

    @overload
    def __get__(self, owner: None, kind: type, /) -> "stream[P, T]": ...
    @overload
    def __get__(self, owner: Owner, kind: type, /) -> Callable[P, Generator[T, None, None]]: ...
    @overload
    def __get__(self, owner: AsyncOwner, kind: type, /) -> Callable[P, AsyncGenerator[T, None]]: ...
    def __get__(self, owner: Any, kind: type, /) -> Any:
        if owner is None:
            return self
        bound = MethodType(self.define, owner)

        @wraps(bound)
        def follow(*arguments: P.args, **named: P.kwargs) -> Any:
            return owner.wire.follow(bound(*arguments, **named))

        return follow
