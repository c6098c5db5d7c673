"""Wherever somebody asks why: tables, rows, regions, who answers for them, and what a rule could not check."""

from collections.abc import Iterator

import pytest

from support.browser import reader
from support.constraints import Clock
from support.http_service import app_over, inside, make_key
from support.inspector_client import words
from uac.interfaces.agent_tools.dispatcher import Dispatcher
from uac.interfaces.inspector import mount
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.packs import chosen_packs
from uac.sandbox import shared_sandbox
from uac.schema.patches import Learn, Sign

GAP = "Not checked: Zubrolin is not in the table of medicines."
SIGNED = "health.interactions: signed by Dr. Ada Weiss on 2026-01-10: row by row"
UNSIGNED = "health.drugs: unreviewed by a licensed person"


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(clock=Clock())


@pytest.fixture
def memory(store: MemoryStore) -> Iterator[Memory]:
    """Two medicines that interact, one that no table has, and a table that somebody signed."""
    memory = Memory(store.log("ana"), packs=chosen_packs("health"), sandbox=shared_sandbox(), clock=Clock())
    for name in ("warfarin", "ibuprofen", "Zubrolin"):
        memory.put("health.Medication", {"name": name})
    table = memory.project().knowledge["health.interactions"]
    memory.checkpoint(
        [Sign(table=table.name, digest=table.digest, who="Dr. Ada Weiss", why="row by row")], reviewed=True
    )
    yield memory
    memory.close()


def test_http_mcp_and_the_inspector_name_table_row_region_review_and_gap(store: MemoryStore, memory: Memory) -> None:
    (found,) = [alert for alert in memory.alerts() if alert.constraint == "drug_interaction"]
    day = memory.project().signatures["health.interactions"].at.date().isoformat()
    reviews = [UNSIGNED, SIGNED.replace("2026-01-10", day)]
    app = app_over(store, clock=Clock())
    with inside(app, path="/v1/users/ana") as ana:
        trace = ana.get("/constraints/drug_interaction").json()
        (alert,) = trace["standing"]
        assert (alert["tables"], alert["reviews"]) == ([*found.tables], reviews)
        assert [gap["message"].startswith(GAP) for gap in trace["unchecked"]] == [True]
        listed = [each["tables"] for each in ana.get("/alerts").json()["standing"]]
        assert [*found.tables] in listed
        assert [*found.tables] in [each["tables"] for each in ana.get("/alerts/history").json()["changes"]]
    explained = Dispatcher(memory, Clock()).call_tool("explain", {"constraint": "drug_interaction"}, "a")
    assert [gap["message"].startswith(GAP) for gap in explained.content["unchecked"]] == [True]
    assert explained.content["fired"][0]["reviews"] == reviews
    assert GAP in explained.text
    assert reviews[1] in explained.text
    mount(app, clock=Clock())
    with reader(app, make_key(app)) as client:
        page = words(
            client.get(f"/inspector/users/ana/alerts/one?constraint=drug_interaction&subject={found.subject}").text
        )
        for text in (GAP, *reviews, *found.tables):
            assert text in page


def test_http_mcp_and_the_inspector_say_which_row_no_source_confirms(store: MemoryStore, memory: Memory) -> None:
    (found,) = [alert for alert in memory.alerts() if alert.constraint == "drug_interaction"]
    row = found.tables[-1].partition(" #")[2].partition(" ")[0]
    table = memory.project().knowledge["health.interactions"]
    memory.checkpoint([Learn(knowledge=table.with_unconfirmed({row: "unfound"}))], reviewed=True)
    unconfirmed = [f"health.interactions #{row}: not confirmed"]
    marked = found.tables[-1].removesuffix(")") + "; not confirmed)"
    app = app_over(store, clock=Clock())
    with inside(app, path="/v1/users/ana") as ana:
        (alert,) = ana.get("/constraints/drug_interaction").json()["standing"]
        assert (alert["tables"][-1], alert["unconfirmed"], marked in alert["message"]) == (marked, unconfirmed, True)
        changes = [each["unconfirmed"] for each in ana.get("/alerts/history").json()["changes"]]
        assert [each for each in changes if each] == [unconfirmed]
        assert marked in ana.post("/context", json={"question": "warfarin"}).text
    explained = Dispatcher(memory, Clock()).call_tool("explain", {"constraint": "drug_interaction"}, "a")
    assert explained.content["fired"][0]["unconfirmed"] == unconfirmed
    assert marked in explained.text
    mount(app, clock=Clock())
    with reader(app, make_key(app)) as client:
        for page in ("alerts", "", f"alerts/one?constraint=drug_interaction&subject={found.subject}"):
            assert marked in words(client.get(f"/inspector/users/ana/{page}").text)
