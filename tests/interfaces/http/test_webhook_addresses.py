"""Where the messages of hooks may go, and how long a receiver is waited for."""

import ssl
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.webhook_receiver import MESSAGE, START, Clock, Receiver, clock, hook_to, receiver, receiving, store
from uac.errors import Refused
from uac.interfaces.http import webhook_post
from uac.interfaces.http.webhook_delivery import Rules, delivery_retry_delay
from uac.interfaces.http.webhook_post import PostResult, post_webhook, resolve_host
from uac.interfaces.service.webhook_addresses import check_webhook_address, check_webhook_url
from uac.log.stores.in_memory import MemoryStore

__all__ = ["clock", "receiver", "store"]  # fixtures


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "http://127.0.0.1/",
        "https://127.0.0.1/",
        "https://10.1.2.3/",
        "https://192.168.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[fd00::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:0a00:0001::]/",
        "https://0.0.0.0/",
        "https://100.64.0.1/",
        "https://224.0.0.1/",
        "https://ana:secret@example.org/",
        "https://example.org/#part",
        "https:///nobody",
        "ftp://example.org/",
        "https://example.org:99999/",
        "https://example.org/\n",
        "https://exa mple.org/",
        "https://[::1/",
        "",
    ],
)
def test_an_address_that_is_not_plainly_outside_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="hook: "):
        check_webhook_url(url)


def test_an_address_outside_is_fine() -> None:
    for url in ("https://example.org/alerts?x=1", "https://1.1.1.1:8443/", "https://[2606:4700::1111]/"):
        check_webhook_url(url)


def test_with_private_hooks_this_network_is_fine_but_no_metadata_service_and_no_plain_http_beyond_this_machine() -> (
    None
):
    for url in ("http://127.0.0.1:1/", "http://localhost/", "http://[::1]/", "https://10.0.0.1/"):
        check_webhook_url(url, private=True)
    for url in ("http://10.0.0.1/", "http://example.org/", "https://169.254.169.254/", "https://[fe80::1]/"):
        with pytest.raises(Refused):
            check_webhook_url(url, private=True)


@given(st.ip_addresses())
def test_what_is_no_global_address_is_refused_as_such_and_inside_of_ipv6(address: Any) -> None:
    if not address.is_global:
        with pytest.raises(Refused):
            check_webhook_address(str(address))
    elif address.version == 4 and not address.is_multicast:
        check_webhook_address(str(address))
        check_webhook_address(f"::ffff:{address}")
    if address.version == 4 and not address.is_global:
        with pytest.raises(Refused):
            check_webhook_address(f"::ffff:{address}")


def test_a_name_that_leads_to_an_inner_address_is_refused_when_it_is_called(receiver: Receiver) -> None:
    async def rebound(_host: str, _port: int) -> Sequence[str]:
        return ["1.1.1.1", "127.0.0.1"]  # one of them is enough

    url = f"https://localhost:{receiver.port}/"
    for names in (resolve_host, rebound):
        sent = anyio.run(partial(post_webhook, hook_to(url), MESSAGE, now=START, resolve=names))
        assert (sent.status, "internal network" in sent.why) == (0, True)
    assert receiver.heard == []


@settings(max_examples=200, deadline=None)
@given(host=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=80))
def test_whatever_an_address_looks_like_it_is_refused_or_tried_and_nothing_breaks(host: str) -> None:
    async def nowhere(name: str, _port: int) -> Sequence[str]:
        name.encode("idna")  # what a resolver does first
        return []

    try:
        check_webhook_url(f"https://{host}/")
    except Refused:
        return
    sent = anyio.run(partial(post_webhook, hook_to(f"https://{host}/"), MESSAGE, now=START, resolve=nowhere))
    assert sent == PostResult(0, "the host has no address")


def test_no_redirect_is_followed(store: MemoryStore, clock: Clock, receiver: Receiver) -> None:
    with receiving() as elsewhere:
        receiver.location = elsewhere.url
        receiver.plan.extend([301, 302, 307, 308])
        for status in (301, 302, 307, 308):
            sent = anyio.run(partial(post_webhook, hook_to(receiver.url), MESSAGE, now=START, private=True))
            assert sent == PostResult(status, f"answered with a redirect ({status}), which is not followed")
        assert elsewhere.heard == []


def test_a_receiver_that_says_nothing_or_only_little_by_little_is_left_after_a_while() -> None:
    async def main() -> list[PostResult]:
        async def silent(stream: anyio.abc.SocketStream) -> None:
            async with stream:
                await anyio.sleep_forever()

        async def dripping(stream: anyio.abc.SocketStream) -> None:
            async with stream:
                while True:
                    await stream.send(b"H")
                    await anyio.sleep(0.01)

        outcomes = []
        for handler in (silent, dripping):
            listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
            [one] = listener.listeners
            port = one.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610 - no database
            async with listener, anyio.create_task_group() as group:
                group.start_soon(listener.serve, handler)
                hook = hook_to(f"http://127.0.0.1:{port}/")
                outcomes.append(await post_webhook(hook, MESSAGE, now=START, private=True, timeout=0.2))
                group.cancel_scope.cancel()
        return outcomes

    silent, dripping = anyio.run(main)
    assert silent == PostResult(0, "no answer within 0.2 s")
    assert dripping.status == 0


def test_the_certificate_must_be_that_of_the_name_though_the_checked_address_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=tmp_path, check=True, capture_output=True)

    openssl(
        *"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=hooks.test".split(),
        *"-addext subjectAltName=DNS:hooks.test -keyout key.pem -out cert.pem".split(),
    )
    mine = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    mine.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    trusting = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    monkeypatch.setattr(webhook_post, "shared_ssl_context", lambda: trusting)

    async def names(_host: str, _port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    with receiving(mine) as receiver:
        for host, expected in (
            ("hooks.test", PostResult(204)),
            ("other.test", PostResult(0, "its certificate is not valid, or it does not speak TLS")),
        ):
            hook = hook_to(f"https://{host}:{receiver.port}/")
            assert anyio.run(partial(post_webhook, hook, MESSAGE, now=START, private=True, resolve=names)) == expected
        assert [headers["host"] for headers, _body in receiver.heard] == [f"hooks.test:{receiver.port}"]


@given(tries=st.integers(1, 10_000), chance=st.floats(0, 1))
def test_waits_double_up_to_a_limit_and_vary_by_half(tries: int, chance: float) -> None:
    rules = Rules(first_wait=5, longest_wait=3600)
    full = min(5 * 2 ** (tries - 1), 3600)
    assert full / 2 <= delivery_retry_delay(tries, rules, chance) <= full
