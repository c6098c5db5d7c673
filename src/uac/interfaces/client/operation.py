"""Requests to the service as values, and decorators that let one definition serve both kinds of client."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from functools import wraps
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from uac.interfaces.client.calls import Call, Stream
from uac.interfaces.client.transports import AsyncWire, Wire

__all__ = ["AsyncOperationOwner", "OperationOwner", "operation", "stream"]

T = TypeVar("T")
P = ParamSpec("P")


class OperationOwner(Protocol):
    """An object with synchronous operations."""

    @property
    def wire(self) -> Wire: ...


class AsyncOperationOwner(Protocol):
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
    def __get__(self, owner: OperationOwner, kind: type, /) -> Callable[P, T]: ...
    @overload
    def __get__(self, owner: AsyncOperationOwner, kind: type, /) -> Callable[P, Coroutine[Any, Any, T]]: ...
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
    def __get__(self, owner: OperationOwner, kind: type, /) -> Callable[P, Generator[T, None, None]]: ...
    @overload
    def __get__(self, owner: AsyncOperationOwner, kind: type, /) -> Callable[P, AsyncGenerator[T, None]]: ...
    def __get__(self, owner: Any, kind: type, /) -> Any:
        if owner is None:
            return self
        bound = MethodType(self.define, owner)

        @wraps(bound)
        def follow(*arguments: P.args, **named: P.kwargs) -> Any:
            return owner.wire.follow(bound(*arguments, **named))

        return follow
