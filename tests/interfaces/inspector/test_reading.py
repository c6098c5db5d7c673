"""The pages of the inspector that show what is known: what stands on them, for whom, and as what."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from support.browser import HOSTILE, Lives, app_with_inspector, hostile, life, reader
from support.http_service import make_key
from support.short_logs import type_of
from uac import Memory
from uac.interfaces.inspector.history_cache import history_steps
from uac.project.render import render
from uac.schema.patches import Define, Put
from uac.schema.safe_text import visible

ANA = "/inspector/users/ana"


@pytest.fixture(scope="module")
def lives() -> Lives:
    lives = Lives()
    life(lives)
    hostile(lives)
    return lives


@pytest.fixture(scope="module")
def app(lives: Lives) -> FastAPI:
    return app_with_inspector(lives.store)


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    with reader(app, make_key(app)) as client:
        yield client


def words(text: str) -> str:
    """What a person reads of a piece of HTML, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def part(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].partition(end)[0]


# --- what stands on them ----------------------------------------------------------------------------------------------


def test_the_overview_says_what_is_known_what_stands_out_and_what_waits(client: TestClient) -> None:
    text = client.get(ANA).text
    assert words(part(text, '<ul class="figures"', "</ul>").partition(">")[2]) == (
        "9 records 4 domains with records 0 constraints 2 alerts 92 % of facts in records"
    )
    assert words(part(text, '<ul class="alerts', "</ul>").partition(">")[2]) == (
        "critical Amoxicillin is a penicillin, and you get hives from penicillin. Ask Dr. Weber for another. "
        "drug_allergy · since 2026-02-09 21:27Z · amoxicillin health.Medication · penicillin health.Allergy "
        "warning travel.Passport:c4f7k2 has claims of expires that disagree: 2026-06-30 (user, 2026-01-04); "
        "2027-06-30 (document, 2026-01-13). Say which one stands. open_conflict · since 2026-01-13 20:36Z · C4F7K2 travel.Passport"
    )
    assert words(part(text, '<ul class="waiting">', "</ul>")) == (
        "1 field where sources disagree 12 observations not read yet 1 fact in no record yet"
    )
    changes = re.findall(
        r'<li data-row><a href="[^"]*"><span class="words">(.*?)</span>', part(text, "timeline", "</ol>")
    )
    assert [html.unescape(change) for change in changes[:3]] == [
        "corrected street of Lindenstraße 21 to Lindenstraße 21: the number was turned round",
        "put health.Medication: amoxicillin",
        "put people.Person: Mia",
    ]


def test_records_are_sorted_searched_and_their_ends_kept_apart(client: TestClient) -> None:
    def cities(query: str) -> list[str]:
        text = client.get(f"{ANA}/records?type=travel.Trip{query}").text
        return [words(row).split()[0] for row in re.findall(r"<tr data-row>(.*?)</tr>", text, re.DOTALL)]

    assert cities("") == ["Lisbon", "Vienna", "Oslo"]
    assert cities("&sort=city") == ["Lisbon", "Oslo", "Vienna"]
    assert cities("&sort=cost") == ["Vienna", "Lisbon", "Oslo"]
    assert cities("&sort=cost&down=1") == ["Oslo", "Lisbon", "Vienna"]
    assert cities("&sort=start&down=1") == ["Oslo", "Vienna", "Lisbon"]
    assert cities("&q=2026-01") == ["Vienna"]
    assert cities("&q=nowhere") == []
    assert cities("&former=1") == []
    assert client.get(f"{ANA}/records?type=travel.Trip&sort=colour").status_code == 422


def test_long_tables_are_paged_and_empty_columns_are_only_named() -> None:
    lives = Lives()
    memory = Memory(lives.store.log("ana"), packs=(), embedder=None, clock=lambda: lives.now)
    memory.checkpoint(
        [Define(type=type_of("shop.Buy", cardinality="event", what="str", price="int | None", note="str | None"))]
    )
    cited = memory.add("I bought many things.")
    memory.checkpoint(
        [Put(type="shop.Buy", fields={"what": f"thing {n}", "price": n or None}, cites=(cited,)) for n in range(120)]
    )
    with reader(app_with_inspector(lives.store, with_keys=False)) as client:
        page = f"{ANA}/records?type=shop.Buy&sort=price&down=1"
        text = client.get(f"{page}&page=3").text
        rows = [words(row).split()[-1] for row in re.findall(r"<tr data-row>(.*?)</tr>", text, re.DOTALL)]
        assert rows == [*(str(19 - n) for n in range(19)), "0"], "what has no value comes last"
        assert "Without a value in all of these: note." in words(text)
        assert "120 rows, page 3 of 3 Previous" in words(text)
        assert client.get(f"{page}&page=99").text == text


def test_a_record_shows_its_claims_which_stands_and_why_and_the_sentences(client: TestClient) -> None:
    text = client.get(f"{ANA}/records/one?id=travel.Passport:C4F7K2").text
    assert words(part(text, "<h1", "</h1>").partition(">")[2]) == "C4F7K2"
    field = part(text, '<div class="field" id="expires">', "</details>")
    assert field.lstrip().startswith("<details open>")
    assert words(field) == (
        "expires 2026-06-30 2 claims Sources disagree: the user decides. "
        "· Not current: 2027-06-30 Passport C4F7K2, valid until 30 June 2027 . "
        "scan.pdf , 2026-01-13 20:36Z · entry 23 · as fact 24 "
        "on the word of document true no time said learned 2026-01-13 20:36Z by entry 25 "
        "✓ Current value: 2026-06-30 My passport C4F7K2 runs until 2026-06-30 . Ana , 2026-01-04 20:19Z · entry 20 · as fact 21 "
        "on the word of user true no time said learned 2026-01-04 20:19Z by entry 22"
    )
    assert words(part(text, '<div class="said card">', "</div>")) == (
        "My passport C4F7K2 runs until 2026-06-30 . Ana , 2026-01-04 20:19Z · entry 20 · as fact 21 · gives number, expires "
        "Passport C4F7K2, valid until 30 June 2027 . scan.pdf , 2026-01-13 20:36Z · entry 23 · as fact 24 · gives number"
    )


@pytest.mark.parametrize(
    ("record", "field", "told"),
    [
        ("household.Address:#4.0", "street", "Corrected by the user, which overrides every other claim."),
        ("people.Person:mia", "likes", "All items are combined."),
        ("people.Person:mia", "born", ""),
        ("health.Allergy:penicillin", "reaction", ""),
    ],
)
def test_a_field_says_why_its_value_stands(client: TestClient, record: str, field: str, told: str) -> None:
    text = client.get(f"{ANA}/records/one?id={quote(record)}").text
    assert part(part(text, f'<div class="field" id="{field}">', "</details>"), '<span class="why">', "</span>") == told


def test_every_field_can_be_corrected_at_once_also_those_without_a_value(app: FastAPI, client: TestClient) -> None:
    page = f"{ANA}/records/one?id=people.Person:dr.%20weber"
    offered = re.findall(r'field=(\w+)" aria-label="Correct (\w+)"', client.get(page).text)
    assert offered == [("name", "name"), ("likes", "likes"), ("born", "born")]
    with reader(app, make_key(app, "read")) as other:
        text = other.get(page).text
    assert ("Correct" in words(text), "Without a value: born." in words(text)) == (False, True)


def test_types_that_have_records_stand_before_the_others_which_are_folded() -> None:
    lives = Lives()
    memory = Memory(lives.store.log("ana"), packs=(), embedder=None, clock=lambda: lives.now)
    memory.checkpoint(
        [Define(type=type_of(f"home.{name}", cardinality="event", what="str")) for name in ("Bill", "Tool")]
    )
    memory.checkpoint([Put(type="home.Tool", fields={"what": "saw"}, cites=(memory.add("I have a saw."),))])
    with reader(app_with_inspector(lives.store, with_keys=False)) as client:
        text = client.get(f"{ANA}/records").text
    assert words(part(text, "<main", "</main>").partition(">")[2]) == (
        "Records home tools 1 saw 1 type without records home.Bill"
    )


def test_records_that_name_each_other_are_linked_both_ways(client: TestClient) -> None:
    pill = client.get(f"{ANA}/records/one?id=health.Medication:amoxicillin").text
    assert '<a href="/inspector/users/ana/records/one?id=people.Person%3Adr.+weber">Dr. Weber</a>' in pill
    assert "Amoxicillin is a penicillin" in pill
    doctor = client.get(f"{ANA}/records/one?id=people.Person:dr.%20weber").text
    assert words(part(doctor, 'id="referring-title"', "</section>").partition(">")[2]) == (
        "Named by amoxicillin health.Medication"
    )


def test_erased_words_are_nowhere_on_any_page_also_if_they_were_shown_before() -> None:
    lives = Lives()
    memory = life(lives)
    with reader(app_with_inspector(lives.store, with_keys=False)) as client:
        pages = [
            f"{ANA}/code?at=17&file=domains/travel/state.py",
            f"{ANA}/code?since=1&at=17",
            f"{ANA}/code?file=domains/travel/state.py",
            f"{ANA}/records?type=travel.Trip",
        ]
        assert ["Vienna" in client.get(page).text for page in pages] == [True, True, True, True]
        (spot,) = [
            s.position
            for s in memory.log.read()
            if "Vienna" in str(getattr(s.entry, "text", "")) and s.kind == "observation"
        ]
        memory.log.erase([spot], why="asked for")
        assert ["Vienna" in client.get(page).text for page in [*pages, ANA]] == [False] * 5


# --- the project as code ----------------------------------------------------------------------------------------------


def code_lines(text: str) -> list[str]:
    return [html.unescape(re.sub("<[^>]+>", "", line)) for line in re.findall(r"<code>(.*?)</code></td></tr>", text)]


@pytest.mark.parametrize("user", ["ana", "mallory"])
def test_every_file_is_shown_as_it_stood_at_every_step(lives: Lives, client: TestClient, user: str) -> None:
    memory = Memory(lives.store.log(user), packs=(), embedder=None)
    every = history_steps(memory.project())
    for step in (every[0], every[len(every) // 2], every[-1]):
        files = render(memory.project_as_of(step.through))
        listed = client.get(f"/inspector/users/{user}/code?at={step.position}").text
        links = {
            html.unescape(path)
            for path in re.findall(r"[?&;]file=([^\"&]+)", part(listed, '<nav aria-label="Files">', "</nav>"))
        }
        assert {quote(path, safe="") for path in files} == links
        for path, text in files.items():
            shown = client.get(f"/inspector/users/{user}/code?at={step.position}&file={path}").text
            assert code_lines(shown) == [visible(line, lines=True) for line in text.split("\n")[:-1]], path


def test_a_long_file_is_shown_in_parts() -> None:
    lives = Lives()
    memory = Memory(lives.store.log("ana"), packs=(), embedder=None, clock=lambda: lives.now)
    memory.checkpoint([Define(type=type_of("shop.Buy", cardinality="event", what="str"))])
    cited = memory.add("I bought many things.")
    memory.checkpoint([Put(type="shop.Buy", fields={"what": f"thing {n}"}, cites=(cited,)) for n in range(900)])
    whole = memory.render()["domains/shop/state.py"].split("\n")[:-1]
    with reader(app_with_inspector(lives.store, with_keys=False)) as client:
        first = client.get(f"{ANA}/code?file=domains/shop/state.py").text
        second = client.get(f"{ANA}/code?file=domains/shop/state.py&line=2001").text
        assert code_lines(first) + code_lines(second) == whole
        assert f"Lines 2001 to {len(whole)} of {len(whole):,} Previous" in words(second)


def test_many_steps_are_shown_around_the_one_that_is_wanted() -> None:
    lives = Lives()
    memory = Memory(lives.store.log("ana"), packs=(), embedder=None, clock=lambda: lives.now)
    memory.checkpoint([Define(type=type_of("shop.Buy", cardinality="event", what="str"))])
    for number in range(250):
        cited = memory.add(f"I bought thing {number}.")
        memory.checkpoint([Put(type="shop.Buy", fields={"what": f"thing {number}"}, cites=(cited,))])
    with reader(app_with_inspector(lives.store, with_keys=False)) as client:

        def track(query: str) -> tuple[int, str, int]:
            text = client.get(f"{ANA}/code?file=domains/shop/state.py{query}").text
            options = part(text, "data-steps>", "</select>")
            note = words(part(text, 'data-live="note">', "</p>"))
            return options.count("<option"), note.partition(" ·")[0], sum("what=" in line for line in code_lines(text))

        assert track("") == (200, "Step 251 of 251, as of now", 250)
        assert track("&at=3") == (200, "Step 2 of 251", 1)
        assert track("&at=301") == (200, "Step 151 of 251", 150)
        assert track("&at=2") == (200, "Step 1 of 251", 0)


def test_a_comparison_shows_what_came_and_went_with_signs(client: TestClient) -> None:
    text = client.get(f"{ANA}/code?since=25&at=22").text  # what is shown may also be the older one
    signs = re.findall(r'<td class="sign">(.)</td><td class="text"><code>(.*?)</code>', text)
    changed = [(sign, words(line)) for sign, line in signs if sign != " "]
    assert ("−", "CONFLICTS = 1 # records with claims that disagree") in changed
    assert ("+", ") , # from 21") in changed
    assert "Nothing differs between these two." in client.get(f"{ANA}/code?since=25&at=25").text


# --- hostile words, rights, and readers of screens --------------------------------------------------------------------

PATHS = (
    "",
    "/records",
    "/records?type=odd.Thing",
    "/records?type=odd.Thing&former=1",
    "/code",
    "/code?file=domains/odd/state.py",
    "/code?file=domains/odd/schema.py",
    "/code?since=1",
    *(f"/records?type=odd.Thing&q={quote(text, safe='')}" for text in HOSTILE),
    *(f"/code?file={quote(text, safe='')}" for text in HOSTILE),
    *(f"/records/one?id={quote(f'odd.Thing:{text}', safe='')}" for text in HOSTILE),
)


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.mark.parametrize("path", PATHS)
def test_hostile_words_stay_words(client: TestClient, path: str) -> None:
    answer = client.get(f"/inspector/users/mallory{path}")
    page = Page(answer.text)
    assert [(script["src"] or "").partition("?")[0] for script in page.all("script")] == [
        "/inspector/static/inspector.js"
    ]
    assert len(page.all("img")) == 1
    attributes = [(name, value or "") for _tag, given in page.elements for name, value in given.items()]
    assert [name for name, _value in attributes if name.startswith("on") or name == "style"] == []
    assert {value for name, value in attributes if name in ("href", "src", "action") and value[0] not in "/#"} == set()
    assert "49" not in page.text
    assert {
        character for character in answer.text if character != "\n" and visible(character, lines=True) != character
    } == set()


def test_hostile_words_are_shown_whole(client: TestClient) -> None:
    for text in HOSTILE:
        page = Page(client.get(f"/inspector/users/mallory/records/one?id={quote(f'odd.Thing:{text}', safe='')}").text)
        assert visible(text, lines=True) in page.text


@pytest.mark.parametrize("path", [p.replace("odd.Thing", "travel.Trip").replace("odd", "travel") for p in PATHS[:8]])
def test_a_page_tells_readers_of_screens_what_is_what(client: TestClient, path: str) -> None:
    page = Page(client.get(f"{ANA}{path}").text)
    assert (page.all("html"), len(page.all("main")), len(page.all("h1"))) == ([{"lang": "en"}], 1, 1)
    ids = Counter(given["id"] for _tag, given in page.elements if "id" in given)
    assert [name for name, count in ids.items() if count > 1] == []
    labelled = {given["for"] for given in page.all("label")}
    fields = [
        given for tag in ("input", "select", "textarea") for given in page.all(tag) if given.get("type") != "hidden"
    ]
    assert [given for given in fields if given.get("id") not in labelled] == []
    assert [given for given in page.all("img") if "alt" not in given] == []
    assert [given for given in page.all("th") if given.get("scope") not in ("row", "col")] == []
    assert [given for given in page.all("nav") if not given.get("aria-label")] == []
    for attribute in ("aria-labelledby", "aria-describedby"):
        assert {given[attribute] for _tag, given in page.elements if attribute in given} <= set(ids)


def test_a_key_that_only_reads_sees_no_form_but_the_one_to_sign_out(app: FastAPI) -> None:
    with reader(app, make_key(app, "read", user="ana")) as client:
        for path in ("", "/records", "/records/one?id=travel.Passport:c4f7k2", "/code", "/code?since=1"):
            page = Page(client.get(f"{ANA}{path}").text)
            forms = [form["action"] for form in page.all("form") if form.get("method") == "post"]
            assert forms == ["/inspector/sign-out"]
            assert {"Correct", "Forget"}.isdisjoint(page.text.split())
