"""Errors of the client: those of the library come back as themselves, and an address that cannot be one is refused."""

import asyncio
import json
import re

import pytest

from support.client import QUICK, scripted
from support.http_service import Served
from uac import errors
from uac.errors import CodeError, KeyReused, LimitError, Moved, Refused, Rejected, UacError
from uac.interfaces.client import AsyncClient, Client, ClientError, responses
from uac.interfaces.client.calls import Got
from uac.interfaces.client.response_errors import error_from_response
from uac.schema.patches import Put


def test_errors_are_those_of_the_library(client: Client) -> None:
    fay = client.user("fay")
    fay.add("hello")
    with pytest.raises(Refused, match="observation: text is empty"):
        fay.add(" ")
    with pytest.raises(Refused, match=r"turns\.0\.text"):
        fay.add("")
    with pytest.raises(Rejected) as rejected:
        fay.checkpoint([Put(type="reading.Book", fields={"title": "Emma"}, cites=(1,))])
    assert len(rejected.value.reasons) == 1
    assert "reading.Book" in rejected.value.reasons[0]
    with pytest.raises(CodeError) as failed:
        fay.compute("x = 1\ny = x / 0\ny")
    assert (failed.value.kind, failed.value.line) == ("ZeroDivisionError", 2)
    with pytest.raises(LimitError):
        fay.compute("[0] * 10**9")
    fay.add("tea", key="k")
    with pytest.raises(KeyReused):
        fay.add("coffee", key="k")


def test_what_goes_by_a_state_that_has_passed_is_moved(client: Client) -> None:
    gil = client.user("gil")
    gil.add("one")
    tag = gil.tag()
    gil.expecting(tag).add("two")
    with pytest.raises(Moved) as moved:
        gil.expecting(tag).add("three")
    assert (moved.value.expected, moved.value.found) == (1, 3)  # "two", and the receipt for it
    gil.expecting(gil.tag()).add("three")


def test_what_the_library_has_no_error_for_is_a_client_error(served: Served, client: Client) -> None:
    with pytest.raises(ClientError) as missing:
        client.user("nobody").manifest()
    assert (missing.value.status, missing.value.title) == (404, "Not Found")
    with Client(served.address) as stranger, pytest.raises(ClientError) as turned_away:
        stranger.users()
    assert turned_away.value.status == 401


ERRORS = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, UacError)]


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_each_error_of_the_library_comes_back_as_itself(kind: type[UacError]) -> None:
    problem = {"title": kind.__name__, "status": 422, "detail": "NameError: what", "reasons": ["a", "b"]}
    error = error_from_response(
        Got(412 if kind is Moved else 422, {"etag": 'W/"3-ab"'}, json.dumps(problem).encode()), '"1-cd"'
    )
    if kind.__name__ in ("UacError", "Repeated", "Awaited"):  # the service raises none of these
        assert isinstance(error, ClientError)
    else:
        assert type(error) is kind
        assert "what" in str(error) or kind in (Moved, Rejected)


def test_a_service_that_is_not_there_is_told_in_plain_words() -> None:
    with scripted([]) as gone:
        pass
    with Client(gone.address, patience=QUICK) as client:
        told = f"the service at {gone.address} cannot be reached: connection refused; tried 3 times"
        with pytest.raises(ClientError, match=f"^{re.escape(told)}$"):
            client.user("ana").manifest()
        with pytest.raises(ClientError, match=f"^{re.escape(told)}$"):
            next(client.user("ana").events())

    async def main() -> None:
        async with AsyncClient(gone.address, patience=QUICK) as client:
            with pytest.raises(ClientError, match=f"^{re.escape(told)}$"):
                await client.user("ana").manifest()

    asyncio.run(main())


def test_a_service_without_tls_is_told_from_one_that_is_not_there(served: Served) -> None:
    secure = served.address.replace("http:", "https:")
    with Client(secure, patience=QUICK) as client, pytest.raises(ClientError) as failed:
        client.users()
    assert str(failed.value) == (
        f"the service at {secure} cannot be reached: it does not speak TLS (perhaps use http instead of https); tried 3 times"
    )


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
def test_an_address_may_end_with_the_version_of_the_routes(served: Served, end: str) -> None:
    with Client(f"{served.address}{end}", key=served.key(tenant="versions"), patience=QUICK) as client:
        assert client.users() == responses.UserPage(users=(), next=None)


def test_an_address_or_key_that_cannot_be_one_is_refused() -> None:
    for address in ("127.0.0.1:8311", "ftp://example.org", "http://ana:secret@example.org", "http://x?y"):
        with pytest.raises(Refused):
            Client(address)
    with pytest.raises(Refused, match="The key has characters"):
        Client("http://127.0.0.1:1", key="a\nb")
