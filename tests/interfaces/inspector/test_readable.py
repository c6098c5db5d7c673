"""Records are called by their names, why is a sentence first, and examples come from the user's own data."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from support.browser import Lives, Teller, reader
from support.constraints import case, constraint, given
from support.http_service import make_key
from support.inspector_client import BEN, app_watched, watched_life, words
from support.short_logs import Story, type_of
from uac import Memory
from uac.interfaces.inspector.entry_lines import entry_line, readable_alert, readable_ids
from uac.interfaces.inspector.pages.recall import recall_examples
from uac.schema.entries import Correction
from uac.schema.patches import Define

NUMBERED = re.compile(r"#\d+\.\d+")
WIRE = type_of("bank.Wire", cardinality="event", to="str", bank="str", on="date")
TWICE = constraint(
    "twice",
    "return [warning(f'{a.to} is paid at two banks.', a, b) for a in user.bank.wires for b in user.bank.wires"
    " if a.to == b.to and a.bank < b.bank]",
    case(
        "two",
        given("bank.Wire", to="a", bank="x", on="2026-01-01"),
        given("bank.Wire", to="a", bank="y", on="2026-01-01"),
        fires=True,
    ),
    case("none", fires=False),
)


@pytest.fixture(scope="module")
def memory() -> Memory:
    return watched_life(Lives())


@pytest.fixture(scope="module")
def wired() -> Iterator[tuple[TestClient, Memory]]:
    """Two events without a key, an alert about both, and a correction of one."""
    lives = Lives()
    told = Teller(lives, "ben")
    told.memory.checkpoint([Define(type=WIRE)], by="agent")
    told.memory.adopt(TWICE)
    for bank, on in (("North", "2026-01-08"), ("South", "2026-01-09")):
        told.put("bank.Wire", told.say(f"Wire it to Pat at {bank} on {on}."), to="Pat", bank=bank, on=on)
    (first, _second) = told.memory.project().records("bank.Wire")
    told.memory.correct(first.id, "on", "2026-01-07", why="a day earlier")
    app = app_watched(lives)
    with reader(app, make_key(app)) as client:
        yield client, told.memory


def test_no_page_shows_a_record_as_a_number(wired: tuple[TestClient, Memory]) -> None:
    client, memory = wired
    (alert,) = memory.alerts()
    first, second = memory.project().records("bank.Wire")
    assert NUMBERED.search(alert.subject)
    one = {"constraint": alert.constraint, "subject": alert.subject}
    pages: list[tuple[str, dict[str, str]]] = [
        *((path, {}) for path in ("", "/records", "/alerts", "/alerts/history", "/code", "/log", "/log?kind=all")),
        *((f"/log/{stored.position}", {}) for stored in memory.log.read()),
        ("/records", {"type": "bank.Wire"}),
        ("/records/one", {"id": first.id}),
        ("/alerts/one", one),
        ("/recall", {"q": "Pat"}),
        ("/changed", {"at": str(memory.log.head().position)}),
        ("/correct", {"record": second.id, "field": "on", "text": "2026-01-11"}),
        ("/forget", {"record": second.id}),
    ]
    shown = {
        f"{path} {query}": NUMBERED.findall(words(answer.text))
        for path, query in pages
        if (answer := client.get(f"{BEN}{path}", params=query or None)).status_code == 200
    }
    assert len(shown) == len(pages)
    assert {path: found for path, found in shown.items() if found} == {}


def test_what_people_said_keeps_its_numbers() -> None:
    story = Story()
    story.said("Ticket #40.2 is mine.")
    (stored,) = story.memory.log.read()
    assert entry_line(stored.entry, story.project) == "Ticket #40.2 is mine."


def test_a_record_that_is_gone_is_not_a_number_either() -> None:
    story = Story()
    assert readable_ids("bank.Wire:#7.0.on and #8.1", story.project) == "a record of bank.Wire.on and a former record"
    assert entry_line(Correction(record="bank.Wire:#7.0", field="on", value="x"), story.project) == (
        "corrected on of a deleted record of bank.Wire to x"
    )


def test_the_message_of_an_alert_names_the_record_and_keeps_other_numbers(wired: tuple[TestClient, Memory]) -> None:
    _client, memory = wired
    (alert,), (first, _second) = memory.alerts(), memory.project().records("bank.Wire")
    told = replace(alert, message=f"{first.id} has claims of on that disagree; see ticket #40.2.")
    assert readable_alert(told, memory.project()).message == (
        "Pat, 2026-01-07 has claims of on that disagree; see ticket #40.2."
    )


def test_why_is_a_sentence_with_the_values_and_the_trace_is_folded(wired: tuple[TestClient, Memory]) -> None:
    client, memory = wired
    (alert,) = memory.alerts()
    html = client.get(f"{BEN}/alerts/one", params={"constraint": "twice", "subject": alert.subject}).text
    sentence, _fold, trace = html.partition('<details class="trace">')
    assert re.search(r"twice fired because of bank\.Wire \(.*bank North.*\) and bank\.Wire \(.*bank South", words(html))
    assert ("a.to == b.to" in words(sentence + "</main>"), "a.to == b.to" in trace) == (False, True)


def test_recall_offers_questions_from_the_users_own_data_that_find_something(memory: Memory) -> None:
    examples = recall_examples(memory.project())
    assert examples == [
        "What did I say about penicillin?",
        "What did I say about Night train?",
        "What did I say about C4F7K2?",
    ]
    assert [bool(memory.recall(example).hits) for example in examples] == [True] * 3


def test_recall_of_an_empty_project_has_an_example_anyway() -> None:
    assert recall_examples(Story().project) == []
