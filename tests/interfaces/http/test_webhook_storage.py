"""Hooks in the store, over HTTP and as commands."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from support.http_service import LONG, app_over, serving
from support.webhook_receiver import Clock, Receiver, clock, is_signed, look, raise_alerts, receiver, sender_of, store
from uac.errors import Refused
from uac.interfaces.cli import main
from uac.interfaces.http import webhook_delivery
from uac.interfaces.http.webhook_delivery import Rules
from uac.interfaces.service.webhooks import HOOK_EVENTS, Hooks
from uac.log.stores import open_store
from uac.log.stores.in_memory import MemoryStore

__all__ = ["clock", "receiver", "store"]  # fixtures


def test_hooks_are_kept_in_the_store_and_a_removed_one_leaves_no_secret(tmp_path: Path, clock: Clock) -> None:
    store = open_store(tmp_path / "memory.db", clock=clock)
    hooks = Hooks(store.own(), clock)
    first, second = (
        hooks.create_webhook("https://example.org/a"),
        hooks.create_webhook("https://example.org/b", tenant="acme"),
    )
    elsewhere = Hooks(store.own(), clock)
    assert elsewhere.all_webhooks() == (first, second)
    hooks.set_state(second.id, "failing", "answered 500")
    hooks.remove_webhook(first.id)
    [kept] = elsewhere.all_webhooks()
    assert (kept.id, kept.state, kept.why) == (second.id, "failing", "answered 500")
    assert store.own().verify() is None
    store.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert first.secret.encode() not in held
    assert second.secret.encode() in held
    assert first.secret not in repr(first)
    with pytest.raises(Refused, match="No hook"):
        hooks_of(tmp_path, clock).remove_webhook(first.id)


def hooks_of(folder: Path, clock: Clock) -> Hooks:
    return Hooks(open_store(folder / "memory.db", clock=clock).own(), clock)


def test_a_tenant_has_so_many_hooks_and_no_more(store: MemoryStore, clock: Clock) -> None:
    hooks = Hooks(store.own(), clock)
    for _ in range(50):
        hooks.create_webhook("https://example.org/", tenant="acme")
    with pytest.raises(Refused, match="There are 50 already"):
        hooks.create_webhook("https://example.org/", tenant="acme")
    hooks.create_webhook("https://example.org/")


# --- over HTTP ------------------------------------------------------------------------------------------------------


def test_a_record_put_over_http_raises_an_alert_that_arrives_at_the_hook(receiver: Receiver) -> None:
    store = MemoryStore()
    with serving(app_over(store, hook_rules=Rules(private=True, every=LONG))) as served:
        client = served.client(served.key())
        made = client.post("/v1/hooks", json={"url": receiver.url, "events": ["alert.raised"]})
        assert made.status_code == 201
        hook, secret = made.json()["hook"], made.json()["secret"]
        assert hook == {
            "id": hook["id"],
            "url": receiver.url,
            "user": "",
            "events": ["alert.raised"],
            "made": hook["made"],
            "state": "well",
            "since": None,
            "why": "",
            "tries": 0,
            "again": None,
            "blocked": "",
        }
        tested = client.post(f"/v1/hooks/{hook['id']}/test").json()
        assert tested == {"is_received": True, "status": 204, "why": ""}
        for type_name, fields in (
            ("health.Allergy", {"substance": "Penicillin"}),
            ("health.Medication", {"name": "Amoxicillin"}),
        ):
            client.post("/v1/users/ben/records", json={"type": type_name, "fields": fields}).raise_for_status()
        for _message in range(2):
            assert receiver.came.acquire(timeout=LONG)
        (_, test), (headers, body) = receiver.heard
        assert json.loads(test)["type"] == "test"
        assert is_signed(secret, headers, body)
        told = json.loads(body)
        assert (told["type"], told["data"]["user"], told["data"]["constraint"]) == (
            "alert.raised",
            "ben",
            "drug_allergy",
        )
        assert client.get("/v1/hooks").json() == {"hooks": [hook]}
        assert client.delete(f"/v1/hooks/{hook['id']}").status_code == 204
        assert client.get("/v1/hooks").json() == {"hooks": []}


def test_what_another_process_writes_arrives_too_and_so_does_what_waited_before_the_service_started(
    receiver: Receiver,
) -> None:
    store = MemoryStore()
    Hooks(store.own(), lambda: datetime.now(UTC)).create_webhook(receiver.url, private=True)  # as a command would
    raise_alerts(store, "ana", "before")
    with serving(app_over(store, hook_rules=Rules(private=True, every=0.01))):
        assert receiver.came.acquire(timeout=LONG)
        raise_alerts(store, "ana", "after")
        assert receiver.came.acquire(timeout=LONG)
    assert receiver.subjects == ["before", "after"]


def test_a_turn_that_is_over_before_all_is_sent_is_followed_by_another(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_delivery, "TURN", 0.05)
    store = MemoryStore()
    Hooks(store.own(), lambda: datetime.now(UTC)).create_webhook(receiver.url, private=True)
    subjects = [str(number) for number in range(100)]
    raise_alerts(store, "ana", *subjects)
    with serving(app_over(store, hook_rules=Rules(private=True, every=LONG))):
        for _message in subjects:
            assert receiver.came.acquire(timeout=LONG)
    assert list(dict.fromkeys(receiver.subjects)) == subjects


def test_a_service_that_is_killed_while_it_sends_loses_nothing(tmp_path: Path, receiver: Receiver) -> None:
    path = tmp_path / "memory.db"
    store = open_store(path)
    Hooks(store.own(), lambda: datetime.now(UTC)).create_webhook(receiver.url, private=True)
    subjects = [str(number) for number in range(50)]
    raise_alerts(store, "ana", *subjects)
    store.close()
    command = [sys.executable, "-m", "uac", "serve", "--port", "0", "--no-keys", "--local-hooks", "--store", str(path)]
    for messages in (27, 24):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as service:
            for _message in range(messages):
                assert receiver.came.acquire(timeout=LONG)
            if messages == 24:  # some of them for the second time
                while receiver.subjects[-1] != subjects[-1]:
                    assert receiver.came.acquire(timeout=LONG)
            service.kill()
    assert list(dict.fromkeys(receiver.subjects)) == subjects


def test_a_service_that_sends_nothing_leaves_hooks_to_another_one(receiver: Receiver) -> None:
    store = MemoryStore()
    with serving(app_over(store, hook_rules=Rules(private=True, every=0.01), with_hooks=False)) as served:
        client = served.client(served.key())
        client.post("/v1/hooks", json={"url": receiver.url}).raise_for_status()
        raise_alerts(store, "ana", "a")
        with serving(app_over(store, hook_rules=Rules(private=True, every=0.01))):
            assert receiver.came.acquire(timeout=LONG)
    assert receiver.subjects == ["a"]


def test_hooks_need_the_right_to_administer_and_stay_in_their_tenant() -> None:
    with serving(app_over(MemoryStore())) as served:
        admin, other = served.client(served.key()), served.client(served.key(tenant="acme"))
        bound = served.client(served.key(user="ana"))
        url = "https://example.org/"
        made = admin.post("/v1/hooks", json={"url": url}).json()["hook"]
        assert made["events"] == list(HOOK_EVENTS)
        assert served.client(served.key("read", "write", "erase")).get("/v1/hooks").status_code == 403
        assert served.client().get("/v1/hooks").status_code == 401
        for client in (other, bound):
            assert client.get("/v1/hooks").json() == {"hooks": []}
            for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/test")):
                assert client.request(method, f"/v1/hooks/{made['id']}{path}").status_code == 404
        assert bound.post("/v1/hooks", json={"url": url}).status_code == 403
        assert bound.post("/v1/hooks", json={"url": url, "user": "ana"}).status_code == 201
        refused = admin.post("/v1/hooks", json={"url": "https://127.0.0.1/"})
        assert (refused.status_code, refused.json()["title"]) == (422, "Refused")
        assert len(admin.get("/v1/hooks").json()["hooks"]) == 2


# --- as commands ----------------------------------------------------------------------------------------------------


def test_hooks_are_made_listed_and_removed_with_commands(tmp_path: Path) -> None:
    def uac(*arguments: str) -> Any:
        done = CliRunner().invoke(main, ["hooks", *arguments, "--store", str(tmp_path / "memory.db"), "--json"])
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    [made] = uac("add", "https://example.org/alerts", "--tenant", "acme", "--event", "alert.raised")
    [listed] = uac("list")
    assert listed == {
        "id": made["id"],
        "url": "https://example.org/alerts",
        "made": made["made"],
        "tenant": "acme",
        "user": "",
        "events": ["alert.raised"],
        "state": "well",
        "since": None,
        "why": "",
        "tries": 0,
        "again": None,
        "blocked": "",
    }
    assert made == {**listed, "secret": made["secret"]}
    assert uac("remove", made["id"]) == [listed]
    assert uac("list") == []


def test_a_user_who_was_erased_and_says_more_than_before_has_all_alerts_sent(
    store: MemoryStore, clock: Clock, receiver: Receiver
) -> None:
    sender = sender_of(store, clock)
    sender.hooks.create_webhook(receiver.url, private=True)
    raise_alerts(store, "ana", "a", "b")
    look(sender)
    assert receiver.subjects == ["a", "b"]
    look(sender)
    store.erase("ana")
    raise_alerts(store, "ana", "c", "d", "e", "f", "g")
    look(sender)
    assert receiver.subjects == ["a", "b", "c", "d", "e", "f", "g"]
