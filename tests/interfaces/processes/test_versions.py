"""Two versions of the service beside each other on one store, as during a rolling upgrade."""

import os
import subprocess
import sys
from itertools import count

import pytest

from support.paths import TESTS
from support.postgres_server import Server
from support.service_processes import HttpActor, ServicePair
from support.webhook_receiver import Clock, Receiver, clock, look, raise_alerts, receiver, sender_of
from uac import Memory
from uac.errors import NewerFormat
from uac.interfaces.service.api_keys import SOURCE, Keyring
from uac.interfaces.service.webhooks import SOURCE as HOOKS
from uac.interfaces.service.webhooks import Hooks
from uac.log.clock import wall_clock
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.postgres import PostgresStore
from uac.memory.snapshots import ProjectSnapshots
from uac.project.snapshot import decode_head, is_newer_snapshot
from uac.schema.entries import Observation
from uac.testing.store import store_turn

__all__ = ["clock", "receiver"]

USERS = count(1)


def newer_version(url: str, what: str, user: str, text: str) -> list[str]:
    """What a later version of the package does, in a process of its own, and prints."""
    done = subprocess.run(
        [sys.executable, "-m", "support.newer_version", url, what, user, text],
        cwd=TESTS,
        env={**os.environ, "UAC_EMBEDDER": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_older_version_refuses_a_log_of_the_newer_one_and_serves_all_others(pair: ServicePair) -> None:
    user, other = f"new-{next(USERS)}", f"new-{next(USERS)}"
    with pair.client(pair.first) as client:
        for name in (user, other):
            client.post(f"/v1/users/{name}/observations", json={"turns": [{"text": "before"}]})
        newer_version(pair.url, "add", user, "from the newer version")
        for answer in (
            client.get(f"/v1/users/{user}/log"),
            client.get(f"/v1/users/{user}/alerts"),
            client.post(f"/v1/users/{user}/records", json={"type": "health.Allergy", "fields": {"substance": "kiwi"}}),
        ):
            assert (answer.status_code, answer.json()["title"]) == (503, "NewerFormat")
            assert answer.json()["detail"].startswith("The store was written by a newer version of this package.")
        assert client.get(f"/v1/users/{other}/log").status_code == 200
        assert client.post(f"/v1/users/{other}/observations", json={"turns": [{"text": "after"}]}).status_code == 201


def test_the_newer_version_reads_what_the_older_one_goes_on_writing(pair: ServicePair) -> None:
    user = f"new-{next(USERS)}"
    with pair.client(pair.first, f"/v1/users/{user}") as client:
        HttpActor(client).add("a note about zebra1")
        assert newer_version(pair.url, "search", user, "zebra1")[1] == "a note about zebra1"
        HttpActor(client).add("a note about zebra2")
        assert newer_version(pair.url, "search", user, "zebra2")[1] == "a note about zebra2"


def test_the_older_version_leaves_the_newer_ones_index_and_snapshot_alone_and_still_finds_everything(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each would clear what the other has just built, at every search."""
    monkeypatch.setattr("uac.memory.snapshots.LEAST_ENTRIES", 1)
    store = PostgresStore(postgres.new_database())
    log = store.log("ana")
    log.append([store_turn(f"a note about zebra{number}") for number in range(20)])
    newer_version(_url_of(store), "search", "ana", "zebra3")
    built, snapshot = log.index().head(), log.snapshot()
    assert is_newer_snapshot(snapshot)
    assert decode_head(snapshot) is None
    older = Memory(log, embedder=None)
    assert older.recall("zebra7").hits[0].text == "a note about zebra7"
    log.append([store_turn("a note about zebra20")])
    assert older.recall("zebra20").hits[0].text == "a note about zebra20"
    older.close()
    assert (log.index().head(), log.snapshot()) == (built, snapshot)
    rebuilt, found, *_others = newer_version(_url_of(store), "search", "ana", "zebra20")
    assert (rebuilt, found) == ("0", "a note about zebra20")  # it continues from its own index
    store.close()


def test_a_log_that_only_the_newer_version_reads_does_not_keep_webhooks_of_others_from_being_sent(
    postgres: Server, receiver: Receiver, clock: Clock
) -> None:
    store = PostgresStore(postgres.new_database(), clock=clock)
    sender = sender_of(store, clock)
    sender.hooks.create_webhook(receiver.url, private=True)
    raise_alerts(store, "ana", "peanuts")
    raise_alerts(store, "ben", "latex")
    newer_version(_url_of(store), "add", "ana", "from the newer version")
    look(sender)
    assert receiver.subjects == ["latex"]
    store.close()


def _url_of(store: PostgresStore) -> str:
    return store._pool._url


def test_a_snapshot_of_an_older_form_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uac.memory.snapshots.LEAST_ENTRIES", 1)
    log = MemoryStore().log("ana")
    log.append([store_turn("one")])
    with monkeypatch.context() as older:
        older.setattr("uac.project.snapshot.SNAPSHOT_FORM", 1)
        ProjectSnapshots(log).open_project()
    stored = log.snapshot()
    assert (decode_head(stored), is_newer_snapshot(stored)) == (None, False)
    ProjectSnapshots(log).open_project()
    assert decode_head(log.snapshot()) is not None


def test_an_older_version_does_not_open_tables_of_a_newer_one(postgres: Server) -> None:
    url = postgres.new_database()
    newer_version(url, "migrate", "", "")
    with pytest.raises(NewerFormat, match=r"this version reads schemas up to \d+\. Upgrade the package\."):
        PostgresStore(url)


@pytest.mark.parametrize("source", [SOURCE, HOOKS])
def test_events_of_a_newer_version_about_keys_and_webhooks_are_refused_with_the_reason(source: str) -> None:
    """A key may have lost a right in a way that this version does not know: it must not be ignored."""
    own = MemoryStore().own()
    own.append([Observation(text='{"type": "narrowed", "id": "1"}', said=wall_clock(), role="system", source=source)])
    with pytest.raises(NewerFormat, match=r"Entry 1 of the store's own log .* Upgrade the package\."):
        Keyring(own, wall_clock).all_keys() if source == SOURCE else Hooks(own, wall_clock).all_webhooks()


def test_a_newer_entry_in_the_stores_own_log_stops_the_older_version_with_a_clear_reason(postgres: Server) -> None:
    url = postgres.new_database()
    PostgresStore(url).close()
    newer_version(url, "own", "", "a key")
    store = PostgresStore(url)
    with pytest.raises(NewerFormat, match=r"entry 1: an entry has form \d+, .* Upgrade the package\."):
        Keyring(store.own(), wall_clock).all_keys()
    store.close()
