"""The service learns from what is said and lets time pass, without being asked."""

import json
import signal
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from support.fake_vendor_server import Loopback, fails, loopback, no_proxy, well
from support.http_process import uac_serve
from support.http_service import LONG, app_over
from support.scripted_model import TUESDAY, allergy, put_allergy
from uac import Memory
from uac.interfaces.http.memory_cache import MemoryCache
from uac.interfaces.http.notify import ChangeNotifier, Wakeup
from uac.interfaces.http.service_learner import ServiceLearner
from uac.log.clock import wall_clock
from uac.log.stores.in_memory import MemoryStore
from uac.memory.groups import Groups
from uac.models import NO_BUDGET, OneModel
from uac.models.scripted import ScriptedModel
from uac.schema.entries import Grant

SENTENCE = "I'm allergic to penicillin."


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    no_proxy(monkeypatch)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with loopback() as server:
        yield server


def settings(server: Loopback) -> dict[str, str]:
    return {"UAC_MODEL": "local", "UAC_MODEL_URL": f"{server.address}/v1", "UAC_PACKS": "health"}


def until_alerted(client: httpx2.Client) -> list[str]:
    """The alerts, as soon as there is one; each answer waits for the next change."""
    for _ in range(100_000):
        alerts = [alert["constraint"] for alert in client.get("/v1/users/ana/alerts").json()["standing"]]
        if alerts:
            return alerts
    raise AssertionError("no alert was raised")


def test_words_that_are_posted_are_learned_and_the_alert_is_raised(tmp_path: Path, model: Loopback) -> None:
    model.will(well(json.dumps({"facts": [allergy(2)]})), well(json.dumps(put_allergy(3))))
    with uac_serve(tmp_path / "memory.db", "--no-keys", "--rate", "0", **settings(model)) as process:
        assert process.said[-1] == "learning with local"
        with httpx2.Client(base_url=process.address, trust_env=False, timeout=LONG) as client:
            record = {"type": "health.Medication", "fields": {"name": "Amoxicillin"}}
            assert client.post("/v1/users/ana/records", json=record).status_code < 300
            last = client.get("/v1/users/ana/log").json()["entries"][-1]["position"]
            model.will(well(json.dumps({"facts": [allergy(last + 1)]})), well(json.dumps(put_allergy(last + 2))))
            assert client.post("/v1/users/ana/observations", json={"turns": [{"text": SENTENCE}]}).status_code < 300
            assert until_alerted(client) == ["drug_allergy"]
        assert process.end(signal.SIGTERM) == 0
        assert process.rest == ""


def test_what_stops_it_is_logged_once_and_the_words_stay(tmp_path: Path, model: Loopback) -> None:
    model.will(*[fails(401, "no such key")] * 20)
    with uac_serve(tmp_path / "memory.db", "--no-keys", **settings(model)) as process:
        assert process.running.stderr is not None
        with httpx2.Client(base_url=process.address, trust_env=False, timeout=LONG) as client:
            for _ in range(2):
                client.post("/v1/users/ana/observations", json={"turns": [{"text": SENTENCE}]})
            line = process.running.stderr.readline()
            assert "learning stopped, and is tried again: " in line
            assert client.get("/readyz").json() == {"status": "ready"}
        assert process.end(signal.SIGTERM) == 0
        assert process.rest == ""


def learner(store: MemoryStore, *replies: Any, notifier: ChangeNotifier, tick_every: float = 3600.0) -> ServiceLearner:
    return ServiceLearner(
        store,
        MemoryCache(lambda name: Memory(store.log(name), clock=lambda: TUESDAY, embedder=None)),
        notifier,
        models=OneModel(ScriptedModel(*replies)) if replies else None,
        budget=NO_BUDGET,
        clock=lambda: TUESDAY,
        every=0.01,
        tick_every=tick_every,
    )


def play(work: ServiceLearner, notifier: ChangeNotifier, stop: Any) -> None:
    """Run until `stop()` holds, which is asked whenever something was written."""

    async def run() -> None:
        wakeup = Wakeup()
        with anyio.fail_after(60), notifier.listen(wakeup.wake):
            async with anyio.create_task_group() as group:
                group.start_soon(work.run)
                while not stop():
                    await wakeup.wait(1)
                group.cancel_scope.cancel()

    anyio.run(run)


def test_words_that_another_process_wrote_are_found_and_learned() -> None:
    store, notifier = MemoryStore(clock=lambda: TUESDAY), ChangeNotifier()
    ana = Memory(store.log("ana"), clock=lambda: TUESDAY, embedder=None)
    words = ana.add(SENTENCE)
    work = learner(store, {"facts": [allergy(words)]}, put_allergy(words + 1), notifier=notifier)
    play(work, notifier, lambda: ana.project().count("health.Allergy") == 1)
    assert [record.id for record in ana.project().records("health.Allergy")] == ["health.Allergy:penicillin"]


def test_time_passes_for_all_users_without_a_model() -> None:
    times = [TUESDAY.replace(month=1)]
    store, notifier = MemoryStore(clock=lambda: times[0]), ChangeNotifier()
    ana = Memory(store.log("ana"), clock=lambda: times[0], embedder=None)
    ana.put("people.Person", {"name": "Ida", "relation": "sister", "born": "1990-05-10"})
    assert ana.alerts() == []
    times[0] = TUESDAY
    work = learner(store, notifier=notifier, tick_every=0.01)
    play(work, notifier, lambda: bool(ana.alerts()))
    assert [alert.constraint for alert in ana.alerts()] == ["birthday_soon"]


def test_a_group_is_brought_up_to_date_when_time_passes_for_it() -> None:
    store = MemoryStore()
    groups = Groups(store)
    team = groups.create("team", "ana", called="Ana")
    team.memory().put("food.Booking", {"place": "The Crab Shack", "day": "2999-11-20", "occasion": "team lunch"})
    Memory(store.log("ana")).put("health.Allergy", {"substance": "shellfish"})
    grant = Grant(group="team", joined=team.state().member("ana").joined, shares=("health.Allergy",))
    store.log("ana").append([grant])  # by another process, which does not open the group
    service = app_over(store, with_hooks=False).state.service
    work = ServiceLearner(
        store,
        service.memories,
        service.notifier,
        models=None,
        budget=NO_BUDGET,
        clock=wall_clock,
        tick_every=0.01,
    )
    watched = Memory(store.log("group:team"))
    play(work, service.notifier, lambda: bool(watched.alerts()))
    assert ["shellfish" in alert.message for alert in watched.alerts()] == [True]
