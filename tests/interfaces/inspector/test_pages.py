"""The inspector's pages that show and ask: alerts, the log, recall, compute, conflicts, over time."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from support.browser import Lives, reader, sent
from support.http_service import make_key
from support.inspector_client import BEN, app_watched, watched_life, words
from uac import Memory
from uac.schema.entries import Fact

ALERT = {"constraint": "no_allergen", "subject": "clavix / penicillin"}
TRIPS_BY_MONTH = f"{BEN}/compute?type=travel.Trip&by=month:start"


class Inspected:
    """A user, their memory as it is now, and a browser of text."""

    def __init__(self, client: TestClient, memory: Memory) -> None:
        self.client = client
        self.memory = memory

    def text(self, path: str, *, status: int = 200) -> str:
        """The words of a page, without its markup."""
        answer = self.client.get(f"{BEN}{path}")
        assert answer.status_code == status
        return words(answer.text)

    def send(self, page: str, action: str, **fields: str) -> Any:
        return sent(self.client, f"{BEN}{page}", f"{BEN}{action}", **fields)


@pytest.fixture
def ben() -> Iterator[Inspected]:
    lives = Lives()
    memory = watched_life(lives)
    app = app_watched(lives)
    with reader(app, make_key(app)) as client:
        yield Inspected(client, memory)


@pytest.fixture(scope="module")
def still() -> Iterator[Inspected]:
    """For tests that change nothing."""
    lives = Lives()
    memory = watched_life(lives)
    app = app_watched(lives)
    with reader(app, make_key(app)) as client:
        yield Inspected(client, memory)


def test_the_page_of_a_record_that_is_over_says_why_and_in_which_words(ben: Inspected) -> None:
    ben.memory.end("health.Medication:clavix", "2026-05", why="returned to the pharmacy")
    text = ben.text("/records/one?id=health.Medication:clavix")
    assert "returned 2026-05 returned to the pharmacy" in text
    assert "health.Medication:clavix ended 2026-05: returned to the pharmacy" in text
    ben.memory.drop("health.Medication:clavix", why="mentioned twice")
    gone = ben.text("/records/one?id=health.Medication:clavix", status=404)
    assert "No record 'health.Medication:clavix'. It was dropped: mentioned twice" in gone


# --- alerts -----------------------------------------------------------------------------------------------------------


def test_an_alert_stands_with_the_sentences_and_records_that_it_rests_on(still: Inspected) -> None:
    text = still.text("/alerts")
    assert "critical Clavix contains penicillin, and you are allergic to penicillin." in text
    assert "I get hives from penicillin. Ana, 2025-11-11 18:37Z · entry 5 · as fact 6" in text
    assert "Clavix health.Medication penicillin health.Allergy" in text


def test_one_alert_shows_the_code_of_its_constraint_and_the_tests_it_made(still: Inspected) -> None:
    text = still.text("/alerts/one?constraint=no_allergen&subject=clavix+/+penicillin")
    assert "7 same(m.contains, a.substance) m.contains = penicillin a.substance = penicillin true 1" in text
    assert "def no_allergen(user, now):" in text


def test_an_alert_that_is_not_active_is_not_found(still: Inspected) -> None:
    assert "No such active alert" in still.text("/alerts/one?constraint=no_allergen&subject=x", status=404)


def test_acknowledging_puts_an_alert_to_rest_and_undoing_that_brings_it_back(ben: Inspected) -> None:
    answer = ben.send("/alerts", "/alerts/acknowledge", **ALERT, why="my doctor knows")
    assert "Acknowledged or snoozed critical Clavix contains penicillin" in words(answer.text)
    assert "acknowledged: “my doctor knows”" in words(answer.text)
    position = ben.memory.log.head().position
    undone = ben.send("/alerts", "/undo", at=str(position))
    assert f"retracted {position}: undone in the inspector" in words(undone.text)
    assert "Acknowledged or snoozed" not in ben.text("/alerts")


def test_only_what_was_said_to_an_alert_is_offered_for_undoing(still: Inspected) -> None:
    assert "Undo" not in still.text("/alerts?said=7")


def test_snoozing_rests_an_alert_until_a_day(ben: Inspected) -> None:
    answer = ben.send("/alerts", "/alerts/snooze", **ALERT, days="", day="2026-05-01")
    assert "snoozed until 2026-05-01 00:00Z" in words(answer.text)
    assert ben.memory.alerts()[0].state == "snoozed"


@pytest.mark.parametrize("day", ["2020-01-01", "soon", ""])
def test_snoozing_until_no_day_to_come_says_so_and_writes_nothing(ben: Inspected, day: str) -> None:
    before = ben.memory.log.head()
    answer = ben.send("/alerts", "/alerts/snooze", **ALERT, days="", day=day)
    assert (answer.status_code, ben.memory.log.head()) == (422, before)
    assert re.search("until is .*a (later )?day", words(answer.text))


def test_the_history_of_alerts_tells_how_they_came_and_went(ben: Inspected) -> None:
    ben.memory.correct("health.Medication:clavix", "contains", "rice")
    text = ben.text("/alerts/history")
    assert text.index("cleared Clavix contains penicillin") < text.index("raised Clavix contains penicillin")


# --- the log ----------------------------------------------------------------------------------------------------------


def test_the_log_is_read_backwards_page_by_page_to_its_first_entry(still: Inspected) -> None:
    path, seen = "/log?kind=all", []
    while path:
        html = still.client.get(f"{BEN}{path}").text
        seen += [int(found) for found in re.findall(r'aria-label="Entry (\d+)"', html)]
        older = re.search(r'rel="next" href="[^"]*(/log\?kind=all&amp;below=\d+)"', html)
        path = unescape(older[1]) if older else ""
    assert seen == list(range(still.memory.log.head().position, 0, -1))


def test_the_log_leaves_out_ticks_and_calls_until_they_are_asked_for(still: Inspected) -> None:
    kinds = {stored.kind for stored in still.memory.log.read()}
    assert {"model_call", "look"} <= kinds

    def listed(query: str) -> set[str]:
        html = still.client.get(f"{BEN}/log{query}").text
        return set(re.findall(r'<li data-row class="(\w+)', html))

    assert listed("").isdisjoint({"tick", "model_call", "look", "delivery", "receipt"})
    assert "model_call" in listed("?kind=all")
    assert listed("?kind=model_call") == {"model_call"}


def test_the_log_is_searched_by_kind_and_by_words(still: Inspected) -> None:
    html = still.client.get(f"{BEN}/log?kind=fact&q=PASSPORT").text
    found = [int(position) for position in re.findall(r'aria-label="Entry (\d+)"', html)]
    facts = [s.position for s in still.memory.log.read() if isinstance(s.entry, Fact) and "assport" in s.entry.text]
    assert found == facts[::-1]


def test_words_that_nobody_said_are_not_found_in_the_log(still: Inspected) -> None:
    assert "says “zebra”." in still.text("/log?q=zebra")


def test_an_entry_shows_what_it_rests_on_and_what_rests_on_it(still: Inspected) -> None:
    text = still.text("/log/6")
    assert "It depends on observation 5 I get hives from penicillin." in text
    assert "What depends on it penicillin health.Allergy alert no_allergen" in text
    assert "checkpoint 7 put health.Allergy" in text


def test_a_checkpoint_leads_to_the_records_that_it_made(still: Inspected) -> None:
    assert "What depends on it penicillin health.Allergy" in still.text("/log/7")


@pytest.mark.parametrize(
    ("position", "status"), [("0", 404), ("100000", 404), ("x", 422), ("-1", 422), ("9" * 40, 422)]
)
def test_an_entry_that_is_not_there_is_no_page(still: Inspected, position: str, status: int) -> None:
    still.text(f"/log/{position}", status=status)


def test_every_entry_of_the_log_has_a_page(still: Inspected) -> None:
    end = still.memory.log.head().position
    pages = [still.client.get(f"{BEN}/log/{position}") for position in range(1, end + 1)]
    assert {page.status_code for page in pages} == {200}


# --- recall -----------------------------------------------------------------------------------------------------------


def test_recall_shows_hits_with_what_each_channel_gave(still: Inspected) -> None:
    html = still.client.get(f"{BEN}/recall?q=hives+from+penicillin").text
    assert "I get hives from penicillin." in words(html)
    assert re.search(r'<rect x="0" y="0" width="[\d.]+" height="10" class="uac-1"><title>words: \d\.\d\d</title>', html)


def test_recall_favours_what_was_said_lately_if_that_is_asked_for(still: Inspected) -> None:
    assert "recent 0." not in still.text("/recall?q=penicillin")
    assert "how lately it was said" in still.text("/recall?q=penicillin&recent=1")


def test_recall_in_a_budget_tells_what_does_not_fit(still: Inspected) -> None:
    assert re.search(
        r"\d+ passages more matched, but do not fit into 60 tokens\.", still.text("/recall?q=spent&tokens=60")
    )


def test_recall_that_shows_all_says_so(still: Inspected) -> None:
    assert "Nothing was left out: all that matched is shown." in still.text("/recall?q=hives&kind=observation")


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("kind=rumour", "kinds is ('rumour',). Use a list of: observation, fact, record"),
        ("since=soon", "since is 'soon'. Use a day such as 2026-03-01."),
        ("since=2026-02-01&until=2026-01-01", "between: 2026-02-01 to 2026-01-01 ends before it starts"),
        ("tokens=200000", "tokens is 200,000. Use at most 100,000."),
        ("as_of=100000", "as_of: position 100000 is not in the log"),
        ("told=soon", "told: 'soon' is not a valid date. Use YYYY-MM-DD."),
    ],
)
def test_a_search_that_cannot_be_made_says_what_it_needs(still: Inspected, query: str, problem: str) -> None:
    assert problem in still.text(f"/recall?q=x&{query}", status=422)


def test_recall_and_records_follow_the_clocks(still: Inspected) -> None:
    assert "I get hives from penicillin." not in still.text("/recall?q=hives+from+penicillin&told=2000-01-01")
    text = still.text("/records?type=travel.Trip&told=2000-01-01")
    assert "On other clocks: told 2000-01-01." in text
    assert "Trip 0" in text


def test_a_record_is_shown_on_other_clocks_and_cannot_be_corrected_there(ben: Inspected) -> None:
    record = "/records/one?id=health.Medication:clavix"
    before = ben.memory.log.head().position
    ben.memory.correct("health.Medication:clavix", "dose", "250 mg")
    assert "dose 250 mg" in ben.text(record)
    then = ben.text(f"{record}&known={before}")
    assert f"On other clocks: known {before}. The present" in then
    assert "dose 500 mg" in then
    assert ("Correct" in ben.text(record), "Correct" in then) == (True, False)
    missing = ben.text(f"{record}&told=2000-01-01", status=404)
    assert "No record 'health.Medication:clavix'. Look at other clocks than told 2000-01-01." in missing


def test_compute_follows_the_clocks_with_code_and_without(still: Inspected) -> None:
    page = still.send("/compute", "/compute", code="len(travel.trips)", valid="2026-01-20").text
    assert "On other clocks: valid 2026-01-20." in words(page)
    assert re.search(r"travel\.trips (has |\()2 records", words(page))
    charted = still.text("/compute?type=travel.Trip&by=month:start&valid=2025-12-31")
    assert re.search(r"travel\.trips (has |\()1 record\b", charted)
    early = still.send("/compute", "/compute", code="len(travel.trips)", known="0")
    assert early.status_code == 422
    assert "Nothing about travel was known at position 0." in words(early.text)


# --- compute ----------------------------------------------------------------------------------------------------------


def test_what_a_type_can_be_asked_without_code_follows_from_its_fields(still: Inspected) -> None:
    text = still.text("/compute")
    for offer in (
        "Trips by month",
        "Cost of trips by month",
        "Amount of expenses by category",
        "Kilos of weights over time",
    ):
        assert offer in text


def test_trips_by_month_need_no_code_and_show_a_plot_a_table_and_how_complete_it_is(still: Inspected) -> None:
    html = still.client.get(TRIPS_BY_MONTH).text
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in html
    assert "2025-12 1 2026-01 2" in words(html)
    assert "Not complete: travel.trips has 3 records: 1 fact waits." in words(html)


def test_code_runs_when_it_is_sent_and_shows_its_result(still: Inspected) -> None:
    answer = still.send("/compute", "/compute", code="print('so')\n{t.city: t.cost.amount for t in travel.trips}")
    assert "name value Lisbon 640.00 Vienna 310.50 Oslo 150.00 so" in words(answer.text)
    assert "<svg xmlns" in answer.text


def test_code_in_an_address_is_shown_and_not_run(still: Inspected) -> None:
    html = still.client.get(f"{BEN}/compute?code=1/0").text
    assert (">1/0</textarea>" in html, "ZeroDivisionError" in html) == (True, False)


def test_an_error_marks_its_line_and_says_what_could_be_meant(still: Inspected) -> None:
    answer = still.send("/compute", "/compute", code="x = 1\nlen(travel.tripz)")
    assert answer.status_code == 422
    assert '<tr class="minus"><td class="sign">▸</td><td class="line" data-line="2">' in answer.text
    assert "Did you mean travel.trips?" in words(answer.text)


def test_a_name_that_nobody_knows_is_answered_with_those_there_are(still: Inspected) -> None:
    answer = still.send("/compute", "/compute", code="zebras")
    assert "There is: health.allergies, health.medications, health.weights, spending.expenses" in words(answer.text)


def test_an_error_names_types_as_they_are_called_and_proposes_fields_of_the_type_concerned(still: Inspected) -> None:
    answer = still.send("/compute", "/compute", code="[m.nme for m in health.medications]")
    assert "AttributeError: 'health.Medication' object has no attribute 'nme'" in words(answer.text)
    assert "Did you mean name?" in words(answer.text)
    assert "__" not in words(answer.text)


def test_a_result_that_holds_nothing_says_so(still: Inspected) -> None:
    answer = still.send("/compute", "/compute", code="[t for t in travel.trips if t.city == 'Rome']")
    assert "The result holds nothing." in words(answer.text)


def test_charts_are_offered_of_fields_in_which_something_stands(ben: Inspected) -> None:
    offers = re.findall(r'<a href="[^"]*#result">([^<]+)</a>', ben.client.get(f"{BEN}/compute").text)
    assert offers == [
        "Amount of expenses by month",
        "Kilos of weights over time",
        "Cost of trips by month",
        "Amount of expenses by category",
        "Weights by month",
        "Cost of trips by purpose",
        "Expenses by month",
        "Trips by month",
    ]


def test_code_that_takes_too_much_is_stopped_and_told(still: Inspected) -> None:
    answer = still.send("/compute", "/compute", code="[0] * 10**12")
    assert answer.status_code == 422
    assert 'id="wrong"' in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "by=month:city",
        "by=category:start",
        "by=x:y",
        "by=line:start",
        "by=month:start&value=city",
        "by=month:start&apart=cost",
    ],
)
def test_a_chart_of_fields_that_do_not_suit_is_refused(still: Inspected, query: str) -> None:
    assert re.search("Use|Choose", still.text(f"/compute?type=travel.Trip&{query}", status=422))


@pytest.mark.parametrize("shape", ["", "line", "bars", "month", "category", "none"])
@pytest.mark.parametrize(
    "code", ["1", "[]", "travel.trips", "{month_of(t.start): 1 for t in travel.trips}", "'x'", "None"]
)
def test_every_result_can_be_asked_for_in_every_shape(still: Inspected, shape: str, code: str) -> None:
    assert still.send("/compute", "/compute", code=code, shape=shape).status_code == 200


# --- conflicts, over time ---------------------------------------------------------------------------------------------


def test_a_conflict_shows_both_sides_with_their_sentences(still: Inspected) -> None:
    text = still.text("/conflicts")
    assert "C4F7K2 travel.Passport expires 2026-06-30 user, 2026-03-17 22:35Z · used for now My passport C4F7K2" in text
    assert "2027-06-30 document, 2026-03-26 22:52Z Passport C4F7K2, valid until 2027-06-30" in text


def test_over_time_shows_coverage_and_cost(still: Inspected) -> None:
    html = still.client.get(f"{BEN}/course").text
    assert "19 facts 89 % in records 1 set aside 1 waiting 13,140 tokens of models 0.02 USD" in words(html)
    assert html.count('<div class="on-wide"><svg xmlns') == html.count('<div class="on-phone"><svg xmlns') == 3


def test_the_pages_stand_in_the_navigation_each_with_its_letter(still: Inspected) -> None:
    html = still.client.get(f"{BEN}/alerts").text
    letters = dict(re.findall(r'data-letter="(\w)">([^<]+)</a></li>', html))
    assert letters == {
        "o": "Overview",
        "r": "Records",
        "c": "Code",
        "f": "Recall",
        "p": "Compute",
        "a": "Alerts",
        "m": "Groups",
        "d": "Conflicts",
        "l": "Log",
        "t": "Over time",
    }
