"""The two clients: one waits for answers, the other awaits them."""

from types import TracebackType

from uac.interfaces.client.retry import Patience
from uac.interfaces.client.tenant_operations import TenantOperations
from uac.interfaces.client.transports import AwaitingWire, WaitingWire
from uac.interfaces.client.user import User

__all__ = ["AsyncClient", "Client"]

DEFAULT = Patience()


class Client(TenantOperations):
    """A synchronous client of a service. It is thread-safe."""

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


class AsyncClient(TenantOperations):
    """A client for an event loop: every operation is awaited."""

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
