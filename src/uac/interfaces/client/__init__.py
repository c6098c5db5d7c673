"""A client of the service: `Client` waits for answers, `AsyncClient` awaits them. Both have the same operations.

with Client("http://127.0.0.1:8311", key="uac_…") as client:
    print(client.user("ana").recall("When do I fly?").hits)
"""

from uac.interfaces.client.client import AsyncClient, Client
from uac.interfaces.client.response_errors import ClientError
from uac.interfaces.client.retry import Patience
from uac.interfaces.client.user import Turn, User

__all__ = ["AsyncClient", "Client", "ClientError", "Patience", "Turn", "User"]
