"""Wherever an agent or a person sees alerts: none is dropped in silence, and a capped severity is explained."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from support.browser import reader
from support.constraints import Clock, changes_of, constraint, watched
from support.http_service import app_over, inside, make_key
from support.inspector_client import words
from uac.interfaces.agent_tools.dispatcher import Dispatcher
from uac.interfaces.inspector import mount
from uac.interfaces.views.alerts import alert_event_view
from uac.interfaces.views.view import view_json
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.schema.patches import Adopt, Approve

MODELS = constraint(
    "models", "return [critical(f'No {a.substance}.', a) for a in user.health.allergies]", origin="model"
)
NOTE = "No nuts. (critical by its author; shown as warning until a person approves the constraint)"


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(clock=Clock())


@pytest.fixture
def memory(store: MemoryStore) -> Iterator[Memory]:
    """A model wrote a critical constraint that nobody has reviewed, and it fired."""
    memory = watched(log=store.log("ana"))
    memory.checkpoint([Adopt(constraint=MODELS)])
    memory.put("health.Allergy", {"substance": "nuts"})
    yield memory
    memory.close()


# --- a severity that is capped ----------------------------------------------------------------------------------------


def test_an_alert_that_is_capped_keeps_what_its_author_wrote_until_a_person_approves(memory: Memory) -> None:
    def shown() -> list[tuple[str, str | None, str]]:
        return [(alert.severity, alert.capped_from, alert.message) for alert in memory.alerts()]

    assert shown() == [("warning", "critical", NOTE)]
    memory.checkpoint([Approve(constraint="models", who="Ana")], reviewed=True)
    assert shown() == [("critical", None, "No nuts.")]
    assert [change.capped_from for change in changes_of(memory)] == ["critical", None]


def test_a_severity_that_is_not_capped_is_shown_as_it_was_written() -> None:
    memory = watched(unreviewed="raise")
    memory.checkpoint([Adopt(constraint=MODELS)])
    memory.put("health.Allergy", {"substance": "nuts"})
    assert [(alert.severity, alert.capped_from, alert.message) for alert in memory.alerts()] == [
        ("critical", None, "No nuts.")
    ]


def test_a_message_of_any_length_says_that_it_is_capped() -> None:
    memory = watched()
    long = constraint("long", "return [critical('x' * 5000, a) for a in user.health.allergies]", origin="model")
    memory.checkpoint([Adopt(constraint=long)])
    memory.put("health.Allergy", {"substance": "nuts"})
    (alert,) = memory.alerts()
    assert len(alert.message) == 2000
    assert alert.message.endswith("x (critical by its author; shown as warning until a person approves the constraint)")


def test_context_and_manifest_say_what_the_author_wrote(memory: Memory) -> None:
    assert f'- warning: "{NOTE}" (constraint models; ' in memory.context("anything?").text
    assert '    "warning (critical by its author): No nuts. (' in memory.manifest()


def test_mcp_says_what_the_author_wrote_also_where_the_message_is_cut(memory: Memory) -> None:
    dispatcher = Dispatcher(memory, Clock())
    first, second = (dispatcher.call_tool("recall", {"query": "x"}, "a") for _call in range(2))
    assert f'- warning models / nuts: "{NOTE}"' in first.text
    assert '- warning (critical by its author) models / nuts: "No nuts. (' in second.text
    assert [called.content["alerts"][0]["capped_from"] for called in (first, second)] == ["critical"] * 2
    listed = dispatcher.call_tool("alerts", {}, "a")
    assert (listed.content["standing"][0]["capped_from"], NOTE in listed.text) == ("critical", True)


def test_the_service_its_hooks_and_the_inspector_say_what_the_author_wrote(store: MemoryStore, memory: Memory) -> None:
    app = app_over(store, clock=Clock())
    with inside(app, path="/v1/users/ana") as ana:
        (alert,) = ana.get("/alerts").json()["standing"]
        (change,) = ana.get("/alerts/history").json()["changes"]
        for told in (alert, change):
            assert (told["severity"], told["capped_from"], told["message"]) == ("warning", "critical", NOTE)
        assert NOTE in ana.post("/context", json={"question": "x"}).json()["text"]
    (sent,) = [view_json(alert_event_view(*pair), omit_defaults=True) for pair in memory.history()]
    assert (sent["severity"], sent["capped_from"], sent["message"]) == ("warning", "critical", NOTE)
    mount(app, clock=Clock())
    with reader(app, make_key(app)) as client:
        for page in ("", "/alerts", "/alerts/one?constraint=models&subject=nuts"):
            assert NOTE in words(client.get(f"/inspector/users/ana{page}").text)


# --- alerts that ride along -------------------------------------------------------------------------------------------


def ridden(called: Any) -> list[str]:
    return [rider["subject"] for rider in called.content["alerts"]]


def test_all_critical_alerts_ride_along_before_the_result_and_the_others_up_to_ten() -> None:
    loud = constraint(
        "loud",
        "return [(critical if a.severity == 'severe' else info)(f'No {a.substance}.', a) for a in user.health.allergies]",
    )
    memory = watched(loud)
    for number in range(16):
        severity = "severe" if number % 4 else "mild"
        memory.put("health.Allergy", {"substance": f"plant {number:02}", "severity": severity})
    called = Dispatcher(memory, Clock()).call_tool("recall", {"query": "plant"}, "a")
    assert ridden(called) == [f"plant {number:02}" for number in range(16) if number % 4]
    lines = called.text.splitlines()
    assert lines[1].startswith("ACTIVE ALERTS")
    assert lines[2:15] == [
        *(f'- critical loud / {subject}: "No {subject}."' for subject in ridden(called)),
        "- and 4 more (the tool alerts lists all)",
    ]
    memory.close()


def test_critical_alerts_beyond_fifty_are_counted_and_ride_along_on_the_next_call() -> None:
    memory = watched(constraint("loud", "return [critical('No.', a) for a in user.health.allergies]"))
    for number in range(53):
        memory.put("health.Allergy", {"substance": f"plant {number:02}"})
    dispatcher = Dispatcher(memory, Clock())
    first, second = (dispatcher.call_tool("recall", {"query": "x"}, "a") for _call in range(2))
    assert [len(ridden(called)) for called in (first, second)] == [50, 50]
    assert "- and 3 more, 3 of them critical (the tool alerts lists all)" in first.text
    new = [rider["subject"] for rider in second.content["alerts"] if rider["is_new"]]
    assert new == ["plant 50", "plant 51", "plant 52"]
    memory.close()


# --- the manifest -----------------------------------------------------------------------------------------------------


def test_a_manifest_says_what_its_list_of_alerts_leaves_out(memory: Memory) -> None:
    def line() -> str:
        return next(line for line in memory.manifest().splitlines() if line.startswith(("ALERTS = []", "]")))

    assert line() == "]"
    memory.acknowledge("models")
    assert line() == "ALERTS = []  # 1 acknowledged or snoozed"
    for number in range(6):
        memory.put("health.Allergy", {"substance": f"plant {number}"})
    assert line() == "]  # and 2 more; 1 acknowledged or snoozed"
    memory.checkpoint([Approve(constraint="models")], reviewed=True)
    assert line() == "]  # and 3 more, 3 of them critical"


# --- a constraint that could not run ----------------------------------------------------------------------------------

DIVIDES = constraint("divides", "return [critical(str(8 // (len(a.substance) - 4)), a) for a in user.health.allergies]")
NOT_CHECKED = "The rule divides could not check health.Allergy:nuts (field substance): ZeroDivisionError:"


def test_a_constraint_that_could_not_run_is_an_alert_wherever_alerts_are_shown(store: MemoryStore) -> None:
    memory = watched(log=store.log("ana"))
    memory.put("health.Allergy", {"substance": "walnuts"})
    cases = [msgspec.structs.replace(case, given=(), fires=False) for case in DIVIDES.cases[1:]]
    fires = msgspec.structs.replace(
        DIVIDES.cases[0], given=(msgspec.structs.replace(DIVIDES.cases[0].given[0], fields={"substance": "soy"}),)
    )
    memory.adopt(msgspec.structs.replace(DIVIDES, cases=(fires, *cases)))
    memory.put("health.Allergy", {"substance": "nuts"})
    assert NOT_CHECKED in memory.context("anything?", tokens=150).text
    assert '"critical: The rule divides could not check' in memory.manifest()
    called = Dispatcher(memory, Clock()).call_tool("recall", {"query": "x"}, "a")
    assert NOT_CHECKED in called.text
    app = app_over(store, clock=Clock())
    with inside(app, path="/v1/users/ana") as ana:
        alert = next(alert for alert in ana.get("/alerts").json()["standing"] if alert["is_failure"])
        assert (alert["severity"], alert["records"]) == ("critical", ["health.Allergy:nuts"])
        assert NOT_CHECKED in alert["message"]
    sent = [alert_event_view(*pair) for pair in memory.history()]
    assert [(told.change, told.severity) for told in sent if NOT_CHECKED in told.message] == [("failed", "critical")]
    mount(app, clock=Clock())
    with reader(app, make_key(app)) as client:
        for page in ("", "/alerts"):
            assert NOT_CHECKED in words(client.get(f"/inspector/users/ana{page}").text)
    memory.drop("health.Allergy:nuts", why="a mistake")
    assert NOT_CHECKED not in memory.context("anything?").text
    memory.close()
