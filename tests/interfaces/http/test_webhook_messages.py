"""How sending to hooks goes, as it is told: in lists, over HTTP, and in the service's own output."""

import socket
from datetime import timedelta
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner

from support.http_service import app_over, inside
from support.webhook_receiver import (
    HERE,
    MESSAGE,
    START,
    Clock,
    Receiver,
    clock,
    hook_to,
    look,
    raise_alerts,
    receiver,
    sender_of,
    store,
)
from uac.interfaces.cli import main
from uac.interfaces.http.webhook_delivery import Rules
from uac.interfaces.http.webhook_post import PostResult, post_webhook
from uac.interfaces.service.webhooks import Hooks
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore

__all__ = ["clock", "receiver", "store"]  # fixtures


def listed(path: Path) -> str:
    done = CliRunner().invoke(main, ["hooks", "list", "--store", str(path)])
    assert done.exit_code == 0, done.output
    return done.stdout.rstrip("\n").rpartition("\t")[2]


def test_the_first_try_that_fails_is_told_at_once_with_its_reason_and_the_next_try(
    tmp_path: Path, clock: Clock, receiver: Receiver
) -> None:
    path = tmp_path / "memory.db"
    store = open_store(path, clock=clock)
    sender = sender_of(store, clock)
    hook = sender.hooks.create_webhook(receiver.url, private=True)
    raise_alerts(store, "ana", "a")
    receiver.plan.extend([500, 500])
    local = "only 'uac serve --local-hooks' sends to it"
    assert listed(path) == f"well; {local}"
    look(sender)
    found = sender.hooks.find_webhook(hook.id)
    assert found is not None
    assert found.again is not None
    assert timedelta(seconds=2) < found.again - clock.now < timedelta(seconds=5)
    assert (found.state, found.why, found.tries, found.since) == ("well", "answered 500", 1, None)
    again = found.again.isoformat(timespec="seconds")
    assert listed(path) == f"well; last try failed: answered 500; next try after {again}; {local}"
    clock.wait(minutes=1)
    look(sender)
    assert sender.hooks.find_webhook(hook.id) != found
    clock.wait(minutes=1)
    look(sender)
    assert sender.hooks.find_webhook(hook.id) == hook
    assert listed(path) == f"well; {local}"


def test_a_hook_that_fails_says_since_when_and_one_that_is_given_up_has_no_next_try(
    tmp_path: Path, clock: Clock
) -> None:
    path = tmp_path / "memory.db"
    hooks = Hooks(open_store(path, clock=clock).own(), clock)
    hook = hooks.create_webhook("https://example.org/alerts")
    assert listed(path) == "well"
    hooks.record_failure(hook.id, 3, "answered 500", START + timedelta(minutes=1))
    hooks.set_state(hook.id, "failing", "answered 500")
    assert listed(path) == (
        "failing since 2026-03-02T09:00+00:00; last try failed: answered 500; next try after 2026-03-02T09:01:00+00:00"
    )
    hooks.set_state(hook.id, "given up", "answered 500")
    assert listed(path) == "given up since 2026-03-02T09:00+00:00; last try failed: answered 500"


def test_that_a_hook_begins_to_fail_and_that_it_works_again_is_logged_once(
    store: MemoryStore, clock: Clock, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    sender = sender_of(store, clock)
    hook = sender.hooks.create_webhook(receiver.url, private=True)
    for user in ("ana", "ben"):
        raise_alerts(store, user, user)
    receiver.plan.extend([400] * 4)
    for _ in range(3):
        look(sender)
        clock.wait(hours=1)
    assert [record.message for record in caplog.records] == [
        f"hook:{hook.id}: a message did not arrive: answered 400; it is tried again",
        f"hook:{hook.id} works again",
    ]


def test_a_hook_that_fails_with_every_message_costs_two_entries_a_minute_at_most(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    sender = sender_of(store, clock)
    sender.hooks.create_webhook(receiver.url, private=True)
    for number in range(20):
        raise_alerts(store, "ana", str(number))
        receiver.plan.append(500)
        look(sender)
        clock.wait(seconds=5)
        look(sender)
    assert len(receiver.heard) == 40
    assert store.own().head().position <= 1 + 2 * 2


def test_many_users_whose_messages_are_refused_are_noted_as_one(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    sender = sender_of(store, clock)
    hook = sender.hooks.create_webhook(receiver.url, private=True)
    for number in range(30):
        raise_alerts(store, f"user{number}", str(number))
    receiver.plan.extend([400] * 30)
    look(sender)
    assert len(receiver.heard) == 30
    assert store.own().head().position == 2
    assert getattr(sender.hooks.find_webhook(hook.id), "tries", 0) == 1


def test_after_a_restart_the_next_try_is_told_anew(store: MemoryStore, clock: Clock, receiver: Receiver) -> None:
    hook = sender_of(store, clock).hooks.create_webhook(receiver.url, private=True)
    Hooks(store.own(), clock).record_failure(hook.id, 7, "answered 500", clock.now + timedelta(minutes=10))
    raise_alerts(store, "ana", "a")
    receiver.plan.append(503)
    clock.wait(hours=1)
    sender = sender_of(store, clock)
    look(sender)
    found = sender.hooks.find_webhook(hook.id)
    assert found is not None
    assert found.again is not None
    assert (found.why, found.tries, found.again > clock.now) == ("answered 503", 1, True)


@pytest.mark.parametrize(
    ("url", "is_blocked"),
    [("http://127.0.0.1:9/", True), ("https://10.0.0.7/", True), ("https://example.org/", False)],
)
def test_a_hook_on_this_network_that_the_service_may_not_send_to_is_told_so_over_http(
    url: str, is_blocked: bool
) -> None:
    told = "it is on this machine or its network, and 'uac serve --local-hooks' alone sends there"
    store = MemoryStore()
    for rules, blocked in ((Rules(), told if is_blocked else ""), (HERE, "")):
        app = app_over(store, hook_rules=rules, with_hooks=False)
        if not app.state.webhook_sender.hooks.all_webhooks():
            app.state.webhook_sender.hooks.create_webhook(url, private=True)
        with inside(app) as client:
            [hook] = client.get("/v1/hooks").json()["hooks"]
            assert hook["blocked"] == blocked
            assert client.get(f"/v1/hooks/{hook['id']}").json() == hook


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_address_where_nobody_listens_is_not_blamed_on_its_certificate(scheme: str) -> None:
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        hook = hook_to(f"{scheme}://127.0.0.1:{taken.getsockname()[1]}/")

        async def once() -> PostResult:
            return await post_webhook(hook, MESSAGE, now=START, private=True)

        assert anyio.run(once) == PostResult(0, "nobody listens there, or the connection was refused")


def test_a_hook_with_https_where_plain_http_is_spoken_is_told_so(receiver: Receiver) -> None:
    hook = hook_to(f"https://127.0.0.1:{receiver.port}/")

    async def once() -> PostResult:
        return await post_webhook(hook, MESSAGE, now=START, private=True)

    assert anyio.run(once) == PostResult(0, "its certificate is not valid, or it does not speak TLS")
