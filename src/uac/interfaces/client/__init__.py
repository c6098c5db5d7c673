"""A client of the service: `Client` waits for answers, `AsyncClient` awaits them. Both have the same operations.

with Client("http://127.0.0.1:8311", key="uac_…") as client:
    print(client.user("ana").recall("When do I fly?").hits)
"""

from types import TracebackType

from uac.interfaces.client.protocol import ClientError, Patience
from uac.interfaces.client.transports import AwaitingWire, WaitingWire
from uac.interfaces.client.user import Turn, User, hooks, make_hook, remove_hook, try_hook, users

__all__ = ["AsyncClient", "Client", "ClientError", "Patience", "Turn", "User"]

DEFAULT = Patience()


class Client:
    """A synchronous client of a service. It is thread-safe."""

    users = users
    hooks = hooks
    make_hook = make_hook
    remove_hook = remove_hook
    try_hook = try_hook

    def __init__(self, address: str, *, key: str = "", patience: Patience = DEFAULT) -> None:
        self._wire = WaitingWire(address, key, patience)

    @property
    def wire(self) -> WaitingWire:
        """The transport of the requests."""
        return self._wire

    def user(self, name: str) -> User[WaitingWire]:
        """The memory of one user; no request is sent yet."""
        return User(self._wire, name)

    def close(self) -> None:
        self._wire.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """A client for an event loop: every operation is awaited."""

    users = users
    hooks = hooks
    make_hook = make_hook
    remove_hook = remove_hook
    try_hook = try_hook

    def __init__(self, address: str, *, key: str = "", patience: Patience = DEFAULT) -> None:
        self._wire = AwaitingWire(address, key, patience)

    @property
    def wire(self) -> AwaitingWire:
        """The transport of the requests."""
        return self._wire

    def user(self, name: str) -> User[AwaitingWire]:
        """The memory of one user; no request is sent yet."""
        return User(self._wire, name)

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
