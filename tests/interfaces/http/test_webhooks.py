"""Hooks: alert changes reach those who asked for them, signed, in order and at least once."""

import json
from collections import deque
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.webhook_receiver import (
    START,
    Clock,
    Receiver,
    clock,
    is_signed,
    look,
    raise_alerts,
    receiver,
    sender_of,
    store,
)
from uac.interfaces.http.webhook_delivery import Rules
from uac.interfaces.http.webhook_post import PostResult, WebhookMessage, post_webhook
from uac.interfaces.service.webhooks import Hook
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore
from uac.schema.entries import AlertChange, Delivery, Observation

__all__ = ["clock", "receiver", "store"]  # fixtures


def test_a_change_is_posted_as_a_signed_message(store: MemoryStore, clock: Clock, receiver: Receiver) -> None:
    sender = sender_of(store, clock)
    hook = sender.hooks.create_webhook(receiver.url, tenant="acme", private=True)
    store.log("acme/ana").append([Observation(text="I take amoxicillin", said=START)])
    store.log("acme/ana").append(
        [AlertChange(change="raised", constraint="drug_allergy", subject="amoxicillin", message="stop", cites=(1,))]
    )
    look(sender)
    [(headers, body)] = receiver.heard
    assert is_signed(hook.secret, headers, body)
    assert not is_signed(hook.secret, headers, body + b" ")
    assert abs(int(headers["webhook-timestamp"]) - clock.now.timestamp()) < 2
    assert headers["content-type"] == "application/json"
    told = json.loads(body)
    at = told["timestamp"]
    assert told == {
        "type": "alert.raised",
        "timestamp": at,
        "data": {
            "user": "ana",
            "position": 2,
            "at": at,
            "change": "raised",
            "constraint": "drug_allergy",
            "subject": "amoxicillin",
            "severity": "info",
            "message": "stop",
            "records": [],
            "cites": [1],
            "until": None,
            "is_reviewed": True,
            "why": "",
        },
    }
    assert [each.entry for each in store.log("acme/ana").read(3)] == [Delivery(to=hook.delivery_name, through=2)]


def test_what_fails_is_sent_again_later_and_the_order_is_kept(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    sender = sender_of(store, clock)
    sender.hooks.create_webhook(receiver.url, private=True)
    raise_alerts(store, "ana", "a", "b", "c")
    receiver.plan.extend([204, 500, 503])
    look(sender)
    assert receiver.subjects == ["a", "b"]
    look(sender)  # too early
    assert receiver.subjects == ["a", "b"]
    clock.wait(seconds=5)
    look(sender)
    clock.wait(seconds=10)
    look(sender)
    assert receiver.subjects == ["a", "b", "b", "b", "c"]
    ids = [headers["webhook-id"] for headers, _body in receiver.heard]
    assert ids[1] == ids[2] == ids[3]
    assert len(set(ids)) == 3
    look(sender)
    assert len(receiver.heard) == 5


def test_a_restart_in_the_middle_loses_nothing_and_repeats_nothing(
    tmp_path: Path, clock: Clock, receiver: Receiver
) -> None:
    receiver.plan.extend([204, 500])
    for _process in range(2):
        store = open_store(tmp_path / "memory.db", clock=clock)
        sender = sender_of(store, clock)
        if not sender.hooks.all_webhooks():
            sender.hooks.create_webhook(receiver.url, private=True)
            raise_alerts(store, "ana", "a", "b", "c")
        look(sender)
        store.close()
    assert receiver.subjects == ["a", "b", "b", "c"]


class Crash(BaseException):
    """The process dies: nothing that handles faults may handle this."""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["write", "well", "fails", "dies", "restart", "late"]), max_size=40))
def test_whatever_happens_each_change_arrives_in_order_and_only_ends_of_processes_repeat_any(acts: list[str]) -> None:
    clock = Clock()
    store = MemoryStore(clock=clock)
    arrived: list[str] = []
    plan: deque[str] = deque()

    async def post(_hook: Hook, message: WebhookMessage, *, now: datetime, private: bool) -> PostResult:
        act = plan.popleft() if plan else "well"
        if act == "fails":
            return PostResult(500, "answered 500")
        arrived.append(json.loads(message.body)["data"]["subject"])
        if act == "dies":
            raise Crash
        return PostResult(204)

    sender = sender_of(store, clock, post=post)
    sender.hooks.create_webhook("https://example.org/")
    written = deaths = 0
    for act in [*acts, "late", "late"]:
        match act:
            case "write":
                raise_alerts(store, "ana", str(written))
                written += 1
            case "restart":
                sender = sender_of(store, clock, post=post)
            case "late":
                clock.wait(hours=2)
                try:
                    look(sender)
                except* Crash:
                    deaths += 1
                    sender = sender_of(store, clock, post=post)
            case _:
                plan.append(act)
    plan.clear()
    clock.wait(hours=2)
    look(sender)
    assert list(dict.fromkeys(arrived)) == [str(number) for number in range(written)]
    assert len(arrived) <= written + deaths


def test_a_hook_hears_of_its_own_tenant_and_user_only_and_of_nothing_before_it_was_made(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    raise_alerts(store, "acme/ana", "before")
    sender = sender_of(store, clock)
    sender.hooks.create_webhook(receiver.url + "?acme", tenant="acme", private=True)
    sender.hooks.create_webhook(receiver.url + "?ben", tenant="acme", user="ben", private=True)
    sender.hooks.create_webhook(receiver.url + "?nobody", private=True)
    sender.hooks.create_webhook(receiver.url + "?other", tenant="acm", private=True)
    for user in ("acme/ana", "acme/ben", "acmf/ana", "acm", "zoe"):
        raise_alerts(store, user, user)
    look(sender)
    assert sorted(receiver.subjects) == ["acm", "acme/ana", "acme/ben", "acme/ben", "zoe"]


def test_only_the_events_that_were_asked_for_are_sent(store: MemoryStore, clock: Clock, receiver: Receiver) -> None:
    sender = sender_of(store, clock)
    sender.hooks.create_webhook(receiver.url, events=["alert.cleared"], private=True)
    raise_alerts(store, "ana", "a")
    raise_alerts(store, "ana", "a", change="cleared")
    raise_alerts(store, "ana", "b")
    look(sender)
    assert [json.loads(body)["type"] for _headers, body in receiver.heard] == ["alert.cleared"]


def test_one_user_whose_message_is_refused_does_not_hold_up_the_others(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    sender = sender_of(store, clock)
    sender.hooks.create_webhook(receiver.url, private=True)
    for user in ("ana", "ben", "cleo"):
        raise_alerts(store, user, user)
    receiver.plan.append(400)
    look(sender)
    assert receiver.subjects == ["ana", "ben", "cleo"]
    clock.wait(seconds=10)
    look(sender)
    assert receiver.subjects == ["ana", "ben", "cleo", "ana"]


def test_a_fault_of_our_own_in_one_hooks_turn_is_logged_and_ends_nothing_else(
    store: MemoryStore, clock: Clock, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails_for_one(hook: Hook, told: WebhookMessage, *, now: datetime, private: bool) -> PostResult:
        if hook.user == "ana":
            raise ZeroDivisionError("a fault")
        return await post_webhook(hook, told, now=now, private=private)

    sender = sender_of(store, clock, post=fails_for_one)
    for user in ("ana", "ben"):
        sender.hooks.create_webhook(receiver.url, user=user, private=True)
        raise_alerts(store, user, user)
    look(sender)
    assert receiver.subjects == ["ben"]
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_a_receiver_that_is_down_is_tried_once_and_not_once_for_each_user(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    sender = sender_of(store, clock)
    sender.hooks.create_webhook(receiver.url, private=True)
    for number in range(20):
        raise_alerts(store, f"user{number}", str(number))
    receiver.plan.append(503)
    look(sender)
    assert len(receiver.heard) == 1


def test_a_hook_that_fails_is_told_of_then_given_up_and_comes_back_with_a_test(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    sender = sender_of(store, clock, Rules(private=True, patience=timedelta(days=3)))
    hook = sender.hooks.create_webhook(receiver.url, private=True)
    raise_alerts(store, "ana", "a", "b")
    receiver.plan.extend([500] * 1000)
    states = []
    while (found := sender.hooks.find_webhook(hook.id)) and found.state != "given up":
        states.append((found.state, found.why))
        look(sender)
        clock.wait(hours=1)
    assert found is not None
    told = [("well", ""), *[("well", "answered 500")] * 2, *[("failing", "answered 500")] * (len(states) - 3)]
    assert states == told
    assert 72 <= len(states) <= 80
    tried = len(receiver.heard)
    clock.wait(days=30)
    sender = sender_of(store, clock)  # also after a restart
    look(sender)
    assert len(receiver.heard) == tried
    assert not anyio.run(sender.send_test, found).is_received
    assert sender.hooks.find_webhook(hook.id) == found
    receiver.plan.clear()
    assert anyio.run(sender.send_test, found) == PostResult(204)
    receiver.heard.clear()
    look(sender)
    assert receiver.subjects == ["a", "b"]
    again = sender.hooks.find_webhook(hook.id)
    assert again is not None
    assert (again.state, again.why) == ("well", "")


def test_a_hook_that_fails_and_then_works_is_well_again(store: MemoryStore, clock: Clock, receiver: Receiver) -> None:
    sender = sender_of(store, clock)
    hook = sender.hooks.create_webhook(receiver.url, private=True)
    raise_alerts(store, "ana", "a")
    receiver.plan.extend([500, 500, 500])
    states = []
    for _ in range(4):
        look(sender)
        clock.wait(hours=1)
        states.append(getattr(sender.hooks.find_webhook(hook.id), "state", ""))
    assert states == ["well", "well", "failing", "well"]


def test_a_receiver_that_says_it_is_gone_is_given_up_at_once(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    sender = sender_of(store, clock)
    hook = sender.hooks.create_webhook(receiver.url, private=True)
    raise_alerts(store, "ana", "a")
    receiver.plan.append(410)
    look(sender)
    assert getattr(sender.hooks.find_webhook(hook.id), "state", "") == "given up"


def test_two_processes_may_deliver_and_what_both_send_has_one_id(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    first, second = sender_of(store, clock), sender_of(store, clock)
    first.hooks.create_webhook(receiver.url, private=True)

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(first.poll_once)
            group.start_soon(second.poll_once)

    raise_alerts(store, "ana", "a", "b", "c")
    anyio.run(both)
    ids = [headers["webhook-id"] for headers, _body in receiver.heard]
    assert len(set(ids)) == 3
    heard = len(ids)
    look(first)
    look(second)
    assert len(receiver.heard) == heard


def test_users_with_nothing_new_are_not_looked_at(clock: Clock) -> None:
    read: list[str] = []

    class Counting(MemoryStore):
        def log(self, user: str) -> Any:
            read.append(user)
            return super().log(user)

    store = Counting(clock=clock)
    for number in range(2500):
        store.log(f"user{number:04}").append([Observation(text="hello", said=clock.now)])
    clock.wait(hours=1)

    async def post(_hook: Hook, _message: WebhookMessage, *, now: datetime, private: bool) -> PostResult:
        return PostResult(204)

    sender = sender_of(store, clock, post=post)
    sender.hooks.create_webhook("https://example.org/")
    raise_alerts(store, "user1700", "a")
    read.clear()
    look(sender)
    assert set(read) == {"user1700"}
    clock.wait(hours=1)
    look(sender)
    read.clear()
    look(sender)
    assert read == []
