"""The inspector's pages that change something: correct, forget, undo; who may send them; and hostile text."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.browser import HOSTILE, NOW, Lives, reader, sent
from support.http_service import make_key
from support.inspector_client import BEN, EVIL, app_watched, hostile_life, watched_life, words
from uac import Memory
from uac.interfaces.inspector.preview import preview_alert_effects, preview_entries
from uac.interfaces.service.api_keys import Right
from uac.log.log import Head
from uac.project.diff import diff
from uac.schema.entries import AlertChange, Correction, Entry, Observation, Retraction

PILLS = "health.Medication:clavix"
FORMS: tuple[tuple[str, Right], ...] = (
    ("/correct", "write"),
    ("/forget/take-back", "write"),
    ("/forget/destroy", "erase"),
    ("/undo", "write"),
    ("/alerts/acknowledge", "write"),
    ("/alerts/snooze", "write"),
    ("/tick", "write"),
    ("/compute", "read"),
)
"""Every form of these pages, and the right that it needs."""


@dataclass
class Inspected:
    """A user, their memory as it is now, and somebody who looks."""

    app: FastAPI
    client: TestClient
    memory: Memory

    def end(self) -> Head:
        return self.memory.log.head()

    def fields(self, path: str, action: str) -> dict[str, str]:
        """What the form that is sent to `action` holds, as the page has filled it in."""
        return fields_of(self.client.get(f"{BEN}{path}").text, f"{BEN}{action}")


def fields_of(html: str, action: str) -> dict[str, str]:
    form = html.partition(f'method="post" action="{action}">')[2].partition("</form>")[0]
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form)
    return {name: unescape(value) for name, value in found if name != "form_token"}


@pytest.fixture
def ben() -> Iterator[Inspected]:
    with _inspected() as inspected:
        yield inspected


@pytest.fixture(scope="module")
def still() -> Iterator[Inspected]:
    """For tests that change nothing."""
    with _inspected() as inspected:
        yield inspected


@contextmanager
def _inspected() -> Iterator[Inspected]:
    lives = Lives()
    memory = watched_life(lives)
    app = app_watched(lives)
    with reader(app, make_key(app)) as client:
        yield Inspected(app, client, memory)


# --- correct ----------------------------------------------------------------------------------------------------------


def test_a_correction_is_previewed_made_and_undone(ben: Inspected) -> None:
    before, preview = ben.end(), f"/correct?record={PILLS}&field=contains&text=rice"
    text = words(ben.client.get(f"{BEN}{preview}").text)
    assert f"{PILLS}.contains field changed penicillin rice" in text
    assert "cleared Clavix contains penicillin, and you are allergic to penicillin." in text
    assert '+ contains="rice",' in text
    assert ben.end() == before
    fields = ben.fields(preview, "/correct")
    done = sent(ben.client, f"{BEN}{preview}", f"{BEN}/correct", **fields, why="I asked")
    assert "Done corrected contains of Clavix to rice: I asked" in words(done.text)
    assert ben.memory.project().record(PILLS).values["contains"] == "rice"
    assert "no_allergen" not in [alert.constraint for alert in ben.memory.alerts()]
    undone = sent(ben.client, f"{BEN}/log", f"{BEN}/undo", at=str(before.position + 1))
    assert f"{PILLS}.contains field changed rice penicillin" in words(undone.text)
    assert [alert.constraint for alert in ben.memory.alerts()] == ["no_allergen", "open_conflict"]


def test_a_correction_of_what_has_moved_is_previewed_again(ben: Inspected) -> None:
    fields = ben.fields(f"/correct?record={PILLS}&field=dose&text=250+mg", "/correct")
    ben.memory.add("Something else.")
    before = ben.end()
    answer = sent(ben.client, f"{BEN}/log", f"{BEN}/correct", **fields)
    assert (answer.status_code, ben.end()) == (409, before)
    assert "Something was written meanwhile" in words(answer.text)


@pytest.mark.parametrize(
    ("record", "field", "text", "problem"),
    [
        ("travel.Passport:c4f7k2", "expires", "soon", "expires is 'soon'. Use a date"),
        ("spending.Expense:#11.0", "amount", "a lot", "amount is 'a lot'"),
        ("spending.Expense:#11.0", "category", "books", "category is 'books'. Use one of 'food', 'home', 'fun'."),
    ],
)
def test_a_value_that_does_not_fit_is_told_beside_the_field(
    still: Inspected, record: str, field: str, text: str, problem: str
) -> None:
    answer = still.client.get(f"{BEN}/correct", params={"record": record, "field": field, "text": text})
    assert answer.status_code == 422
    assert problem in words(answer.text)


def test_a_field_that_may_be_blank_can_be_corrected_to_no_value(ben: Inspected) -> None:
    fields = ben.fields(f"/correct?record={PILLS}&field=dose&text=&none=1", "/correct")
    sent(ben.client, f"{BEN}/log", f"{BEN}/correct", **fields)
    assert ben.memory.project().record(PILLS).values["dose"] is None


def test_deciding_a_conflict_closes_it(ben: Inspected) -> None:
    html = ben.client.get(f"{BEN}/conflicts").text
    choice = unescape(re.findall(r'href="([^"]+)">This is right', html)[1])
    fields = ben.fields(choice.removeprefix(BEN), "/correct")
    sent(ben.client, choice, f"{BEN}/correct", **fields)
    assert ben.memory.project().conflicts == []
    assert "2027-06-30" in str(ben.memory.project().record("travel.Passport:c4f7k2").values["expires"])


@pytest.mark.parametrize(
    "path", ["/correct?record=x&field=y", f"/correct?record={PILLS}&field=y", "/forget?record=x", "/forget?at=9999"]
)
def test_what_is_not_there_cannot_be_changed(still: Inspected, path: str) -> None:
    assert still.client.get(f"{BEN}{path}").status_code == 404


def test_characters_that_are_not_seen_are_refused_and_not_changed_into_others(still: Inspected) -> None:
    answer = still.client.get(f"{BEN}/correct", params={"record": PILLS, "field": "dose", "text": "1\u200f mg"})
    assert answer.status_code == 422
    assert "dose is '1\\u200f mg'. Remove the invisible characters." in words(answer.text)


def test_a_record_whose_key_holds_characters_that_are_not_seen_can_be_corrected_and_its_alert_acknowledged() -> None:
    lives = Lives()
    memory = hostile_life(lives)
    app = app_watched(lives)
    record = next(record for record in memory.project().records("odd.Thing") if "\u202e" in record.id)
    alert = next(alert for alert in memory.alerts() if "\u202e" in alert.subject and alert.constraint == "odd")
    with reader(app, make_key(app)) as client:
        page = f"{EVIL}/correct?record={quote(record.id)}&field=kind&text=plain"
        sent(client, page, f"{EVIL}/correct", **fields_of(client.get(page).text, f"{EVIL}/correct"))
        about = f"{EVIL}/alerts/one?constraint=odd&subject={quote(alert.subject)}"
        action = f"{EVIL}/alerts/acknowledge"
        sent(client, about, action, **fields_of(client.get(about).text, action))
    assert memory.project().record(record.id).values["kind"] == "plain"
    assert memory.project().alerts["odd", alert.subject].state == "acknowledged"


# --- forget -----------------------------------------------------------------------------------------------------------


def test_taking_words_back_is_previewed_done_and_undone(ben: Inspected) -> None:
    before, preview = ben.end(), f"/forget?record={PILLS}"
    text = words(ben.client.get(f"{BEN}{preview}").text)
    assert "Dr. Weber gave me Clavix, it contains penicillin, 500 mg. observation · entry 79" in text
    assert f"{PILLS} record removed" in text
    assert "cleared Clavix contains penicillin" in text
    assert ben.end() == before
    fields = ben.fields(preview, "/forget/take-back")
    done = sent(ben.client, f"{BEN}{preview}", f"{BEN}/forget/take-back", **fields, why="not mine")
    assert "retracted 79: not mine" in words(done.text)
    assert ben.memory.project().count("health.Medication") == 0
    sent(ben.client, f"{BEN}/log", f"{BEN}/undo", at=str(before.position + 1))
    assert ben.memory.project().count("health.Medication") == 1


def test_destroyed_words_are_nowhere_afterwards(ben: Inspected) -> None:
    preview = f"/forget?record={PILLS}"
    fields = ben.fields(preview, "/forget/destroy")
    done = sent(ben.client, f"{BEN}{preview}", f"{BEN}/forget/destroy", **fields, sure="yes", why="asked")
    assert "The words of 4 entries are destroyed" in words(done.text)
    pages = [
        "",
        "/log",
        "/alerts",
        "/alerts/history",
        "/recall?q=Clavix+penicillin",
        "/code",
        "/log/79",
        "/log/80",
        "/log/81",
    ]
    shown = [words(ben.client.get(f"{BEN}{page}").text).replace("Clavix penicillin", "") for page in pages]
    assert [page for page, text in zip(pages, shown, strict=True) if "Clavix" in text or "clavix" in text] == []
    assert ben.memory.log.verify() is None


def test_words_are_not_destroyed_by_somebody_who_is_not_sure(still: Inspected) -> None:
    before, preview = still.end(), f"/forget?record={PILLS}"
    answer = sent(still.client, f"{BEN}{preview}", f"{BEN}/forget/destroy", **still.fields(preview, "/forget/destroy"))
    assert (answer.status_code, still.end()) == (422, before)


@pytest.mark.parametrize("action", ["/forget/take-back", "/forget/destroy"])
def test_what_has_moved_is_not_forgotten_unseen(ben: Inspected, action: str) -> None:
    fields = ben.fields(f"/forget?record={PILLS}", action)
    ben.memory.add("Something else.")
    before = ben.end()
    answer = sent(ben.client, f"{BEN}/log", f"{BEN}{action}", **fields, sure="yes")
    assert (answer.status_code, ben.end()) == (409, before)


def test_some_of_the_words_can_be_kept(still: Inspected) -> None:
    html = still.client.get(f"{BEN}/forget?record=travel.Passport:c4f7k2&at=74").text
    assert re.findall(r'name="at" value="(\d+)"( checked)?', html) == [("70", ""), ("74", " checked")]
    assert still.fields("/forget?record=travel.Passport:c4f7k2&at=74", "/forget/take-back")["positions"] == "74"


@pytest.mark.parametrize(
    "entry",
    [
        Correction(record=PILLS, field="contains", value="rice"),
        Correction(record=PILLS, field="name", value="Other"),
        Retraction(positions=(5,), why="no"),
        Retraction(positions=(74, 79), why="no"),
    ],
)
def test_what_is_foreseen_is_what_comes(ben: Inspected, entry: Entry) -> None:
    memory = ben.memory
    foreseen, before = preview_entries(memory, [entry]), memory.project()
    if isinstance(entry, Correction):
        position = memory.correct(entry.record, entry.field, entry.value)
    else:
        assert isinstance(entry, Retraction)
        position = memory.retract(entry.positions, why=entry.why)
    came = [stored.entry for stored in memory.log.read(position) if isinstance(stored.entry, AlertChange)]
    changes = [change for change in diff(before, memory.project()) if change.kind != "alert"]
    assert (list(foreseen.changes), foreseen.alerts) == (changes, preview_alert_effects(before, came))


# --- who may ----------------------------------------------------------------------------------------------------------


def test_a_key_that_may_only_read_sees_no_form_that_changes_something(still: Inspected) -> None:
    with reader(still.app, make_key(still.app, "read")) as client:
        for page in (
            "/alerts",
            "/alerts/one?constraint=no_allergen&subject=clavix+/+penicillin",
            "/conflicts",
            "/log/6",
            "/changed?at=7",
        ):
            forms = re.findall(r'<form[^>]*method="post"[^>]*action="([^"]*)"', client.get(f"{BEN}{page}").text)
            assert forms == ["/inspector/sign-out"]
            assert re.findall(r"/(?:correct|forget)\b", client.get(f"{BEN}{page}").text) == []
        assert client.get(f"{BEN}/correct?record={PILLS}&field=dose").status_code == 403
        assert client.get(f"{BEN}/forget?record={PILLS}").status_code == 403


@pytest.mark.parametrize(("action", "right"), FORMS)
def test_each_form_needs_its_right(still: Inspected, action: str, right: Right) -> None:
    others: dict[Right, tuple[Right, ...]] = {"read": (), "write": ("read", "erase"), "erase": ("read", "write")}
    if not others[right]:
        return
    before = still.end()
    with reader(still.app, make_key(still.app, *others[right])) as client:
        answer = sent(
            client, f"{BEN}/compute", f"{BEN}{action}", at="7", positions="79", after=str(before.position), sure="yes"
        )
    assert (answer.status_code, still.end()) == (403, before)


@pytest.mark.parametrize("action", [action for action, _right in FORMS])
def test_a_form_without_its_token_or_from_elsewhere_changes_nothing(still: Inspected, action: str) -> None:
    before = still.end()
    fields = {"at": "7", "positions": "79", "after": str(before.position), "sure": "yes", "code": "1"}
    bare = still.client.post(f"{BEN}{action}", data=fields)
    foreign = still.client.post(f"{BEN}{action}", data=fields, headers={"Origin": "https://evil.example"})
    assert (bare.status_code, foreign.status_code, still.end()) == (403, 403, before)


def test_a_key_for_one_user_reaches_no_page_of_another(still: Inspected) -> None:
    paths = [
        "/alerts",
        "/log",
        "/log/5",
        "/recall?q=x",
        "/compute",
        "/course",
        "/conflicts",
        f"/correct?record={PILLS}&field=dose",
    ]
    still.app.state.service.store.log("eve").append([Observation(text="Hello.", said=NOW)])
    with reader(still.app, make_key(still.app, user="eve")) as client:
        answers = [client.get(f"{BEN}{path}") for path in [*paths, "/forget?at=5", "/changed?at=5"]]
    assert {(answer.status_code, "penicillin" in answer.text) for answer in answers} == {(403, False)}


# --- hostile text -----------------------------------------------------------------------------------------------------


def test_hostile_text_never_becomes_markup_on_any_page() -> None:
    lives = Lives()
    memory = hostile_life(lives)
    app = app_watched(lives)
    project = memory.project()
    record = project.records("odd.Thing")[0].id
    alert = memory.alerts()[0]
    one = f"/alerts/one?constraint={alert.constraint}&subject={quote(alert.subject)}"
    paths = [
        "/alerts",
        "/alerts/history",
        one,
        "/conflicts",
        "/log",
        "/course",
        "/compute",
        "/recall",
        f"/forget?record={quote(record)}",
    ]
    paths += [f"/log/{position}" for position in range(1, memory.log.head().position + 1)]
    paths += [f"/changed?at={position}" for position in range(1, memory.log.head().position + 1, 5)]
    paths += ["/compute?type=odd.Thing&by=category:name", "/compute?type=odd.Thing&by=month:on&apart=kind"]
    for text in map(quote, HOSTILE):
        paths += [f"/recall?q={text}&about={text}", f"/log?q={text}", f"/compute?code={text}", f"/log?kind={text}"]
        paths += [
            f"/correct?record={quote(record)}&field=kind&text={text}",
            f"/correct?record={quote(record)}&field=notes&text={text}",
        ]
        paths += [
            f"/correct?record={text}&field={text}",
            f"/forget?record={text}",
            f"/recall?q=x&kind={text}",
            f"/compute?type={text}&by={text}",
        ]
    with reader(app, make_key(app)) as client:
        for path in paths:
            answer = client.get(f"{EVIL}{path}")
            assert answer.status_code < 500, path
            _check_inert(answer.text, path)
        for code in HOSTILE:
            answer = sent(client, f"{EVIL}/compute", f"{EVIL}/compute", code=f"[{code!r}, odd.things]")
            _check_inert(answer.text, code)
            _check_inert(sent(client, f"{EVIL}/compute", f"{EVIL}/compute", code=code).text, code)


class Read(HTMLParser):
    """The elements of a page and their attributes, as a browser would read them."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += attrs


def _check_inert(html: str, where: str) -> None:
    """No attribute that runs or styles something, no address but ours, and no character that is not seen."""
    page = Read()
    page.feed(html)
    assert page.names <= OURS, where
    assert [name for name, _value in page.attributes if name.startswith("on") or name == "style"] == [], where
    addresses = [value or "" for name, value in page.attributes if name in ("href", "src", "action")]
    assert [value for value in addresses if not value.startswith("/inspector") and not value.startswith("#")] == [], (
        where
    )
    assert "hit" not in [value for name, value in page.attributes if name == "id"], where
    assert re.findall("[\x00-\x08\x0b-\x1f\x7f\u2028\u202c\u202e\ufffe]", html) == [], where


OURS = frozenset(
    "a article bdi blockquote body br button caption code dd del desc details dialog div dl dt fieldset figure footer form g h1 h2"
    " h3 head header html img input ins kbd label legend li line link main mark meta meter nav ol option p path polyline circle"
    " pre rect script section select span strong summary svg table tbody td text textarea th thead time title tr ul".split()
)
"""The elements that these pages are made of."""
