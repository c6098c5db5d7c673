"""The main paths through the pages that ask, watch and change, in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from support.browser import Lives, Look, browsers, looking, picture, sign_in
from support.http_service import Served, serving
from support.inspector_client import BEN, EVIL, app_watched, hostile_life, watched_life

PHONE = {"viewport": {"width": 320, "height": 640}}
WIDER = {"viewport": {"width": 390, "height": 844}}
PILLS = "health.Medication:clavix"
PAGES = (
    "/alerts",
    "/alerts/one?constraint=no_allergen&subject=clavix+/+penicillin",
    "/alerts/history",
    "/conflicts",
    "/log",
    "/log/6",
    "/log/7",
    "/recall?q=spent&tokens=100",
    "/compute?type=spending.Expense&by=month:on&value=amount&apart=category",
    "/course",
    f"/correct?record={PILLS}&field=contains&text=rice",
    f"/forget?record={PILLS}",
    "/changed?at=7",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers() as browser:
        yield browser


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """For tests that change nothing."""
    lives = Lives()
    watched_life(lives)
    hostile_life(lives)
    with serving(app_watched(lives)) as served:
        yield served


@pytest.fixture
def look(browser: Browser) -> Iterator[Look]:
    """Signed in, with a life of its own that may be changed."""
    lives = Lives()
    watched_life(lives)
    with serving(app_watched(lives)) as served, looking(browser, served.address) as look:
        sign_in(look, served.key())
        yield look


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--golden"))


def test_an_alert_is_acknowledged_in_place_and_that_is_undone(look: Look, tmp_path: Path, golden: bool) -> None:
    page = look.go(f"{BEN}/alerts")
    expect(page.locator("article.critical")).to_contain_text("Clavix contains penicillin")
    picture(look, "alerts", tmp_path, golden=golden)
    page.locator("article.critical").get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_role("status")).to_contain_text("Noted, as entry")
    expect(page.locator("article.quiet")).to_contain_text("acknowledged")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Done")
    look.go(f"{BEN}/alerts")
    expect(page.locator("article.quiet")).to_have_count(0)


def test_an_alert_is_snoozed_from_its_menu(look: Look) -> None:
    page = look.go(f"{BEN}/alerts")
    first = page.locator("article.critical")
    first.get_by_text("Snooze…").click()
    page.keyboard.press("Escape")
    expect(first.get_by_role("button", name="A week")).to_be_hidden()
    first.get_by_text("Snooze…").click()
    first.get_by_role("button", name="A week").click()
    expect(page.locator("article.quiet")).to_contain_text("snoozed until 2026-04-29 23:43Z")


def test_counting_by_month_gives_a_plot_without_code(
    browser: Browser, served: Served, tmp_path: Path, golden: bool
) -> None:
    with looking(browser, served.address) as look:
        sign_in(look, served.key("read"))
        page = look.go(f"{BEN}/compute")
        page.get_by_role("link", name="Amount of expenses by month", exact=True).click()
        plot = page.get_by_role("img", name="Amount of expenses by month")
        expect(plot).to_be_in_viewport()
        expect(plot).to_contain_text("CHF")
        expect(page.get_by_role("row", name="2025-12")).to_contain_text("173.80")
        page.get_by_label("Apart by").select_option("category")
        page.get_by_role("button", name="Ask").click()
        expect(page.get_by_role("img", name="Amount of expenses by month and category")).to_be_in_viewport()
        picture(look, "compute", tmp_path, golden=golden)
        page.get_by_label("Records of").press("ArrowDown")  # by key the form waits for Enter
        page.get_by_label("Records of").press("ArrowDown")
        expect(page.get_by_role("img", name="Amount of expenses by month and category")).to_be_visible()
        page.get_by_label("Records of").press("Enter")
        expect(page.get_by_role("img", name="Cost of trips by month")).to_be_visible()
        page.get_by_label("Records of").select_option("health.Weight")  # the form is sent by the choice
        expect(page.get_by_role("img", name="Kilos of weights over time")).to_be_visible()
        page.get_by_label("Records of").select_option("travel.Trip")
        expect(page.get_by_role("img", name="Cost of trips by month")).to_be_visible()
        expect(page.get_by_label("By", exact=True)).to_contain_text("month of start")


def test_pointing_at_a_plot_shows_the_values_of_that_month(browser: Browser, served: Served, tmp_path: Path) -> None:
    with looking(browser, served.address) as look:
        sign_in(look, served.key("read"))
        page = look.go(f"{BEN}/compute?type=spending.Expense&by=month:on&value=amount&apart=category")
        shown = page.locator(".values")
        expect(shown).to_be_hidden()
        page.locator(".on-wide rect.uac-1").nth(1).hover()
        expect(shown).to_be_visible()
        expect(shown).to_contain_text("2025-11food: 31.2 EUR")
        page.locator(".on-wide rect.uac-1").nth(2).hover()
        expect(shown).to_contain_text("2025-12food: 44.8 EURhome: 129 EUR")
        picture(look, "values", tmp_path, golden=False)
        page.keyboard.press("Escape")
        expect(shown).to_be_hidden()
        look.go(f"{BEN}/course")
        page.locator(".on-wide .uac-plot").first.hover()
        expect(shown.first).to_contain_text("in records: ")


def test_a_plot_fills_its_card_in_the_font_of_the_page(browser: Browser, served: Served) -> None:
    ask = """figure => {
        const plot = [...figure.querySelectorAll('.uac-plot')].find(one => one.getBoundingClientRect().width);
        const style = getComputedStyle(figure);
        const inner = figure.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        const text = getComputedStyle(plot.querySelector('text'));
        return [Math.round(plot.getBoundingClientRect().width - inner), text.fontFamily === getComputedStyle(document.body).fontFamily];
    }"""
    for window in ({}, WIDER):
        with looking(browser, served.address, **window) as look:
            sign_in(look, served.key("read"))
            page = look.go(f"{BEN}/compute?type=spending.Expense&by=month:on&value=amount")
            assert page.locator("figure.plot").evaluate(ask) == [0, True]


def test_a_wide_table_on_a_phone_keeps_its_first_column_and_shows_that_it_goes_on(
    browser: Browser, served: Served, tmp_path: Path
) -> None:
    with looking(browser, served.address, **WIDER) as look:
        sign_in(look, served.key("read"))
        page = look.go(f"{BEN}/records?type=spending.Expense")
        table = page.locator(".scroll")
        assert table.evaluate("one => one.scrollWidth > one.clientWidth")
        assert "gradient" in str(table.evaluate("one => getComputedStyle(one).backgroundImage"))
        picture(look, "phone-table", tmp_path, golden=False)
        table.evaluate("one => { one.scrollLeft = 1000; }")
        expect(page.get_by_role("link", name="Cinema")).to_be_in_viewport(ratio=1)


def test_code_is_run_by_key_and_its_error_helps(browser: Browser, served: Served, tmp_path: Path) -> None:
    with looking(browser, served.address) as look:
        sign_in(look, served.key("read"))
        page = look.go(f"{BEN}/compute")
        page.get_by_role("textbox", name="Code").fill("len(travel.tripz)")
        page.get_by_role("textbox", name="Code").press("Control+Enter")
        expect(page.locator("#wrong")).to_contain_text("Did you mean travel.trips?")
        picture(look, "error", tmp_path, golden=False)
        page.get_by_role("textbox", name="Code").fill("{t.city: t.cost.amount for t in travel.trips}")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("row", name="Lisbon")).to_contain_text("640.00")


def test_a_value_is_corrected_after_a_preview_and_that_is_undone(look: Look, tmp_path: Path, golden: bool) -> None:
    page = look.go(f"{BEN}/records/one?id={PILLS}")
    page.get_by_role("link", name="Correct contains").click()
    page.get_by_label("Right is").fill("rice")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".changes")).to_contain_text("penicillin rice")
    expect(page.locator(".alerts")).to_contain_text("cleared")
    expect(page.locator("tr.plus")).to_contain_text('contains="rice",')
    picture(look, "correct", tmp_path, golden=golden)
    page.get_by_label("Why").fill("I read the leaflet")
    page.get_by_role("button", name="Correct it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Done")
    page.get_by_role("link", name="Show the record").click()
    expect(page.locator("#contains .value")).to_have_text("rice")
    page.go_back()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".changes")).to_contain_text("rice penicillin")


def test_words_are_forgotten_after_a_preview(look: Look, tmp_path: Path, golden: bool) -> None:
    page = look.go(f"{BEN}/records/one?id={PILLS}")
    page.get_by_role("link", name="Forget").click()
    expect(page.locator(".changes")).to_contain_text("record removed")
    picture(look, "forget", tmp_path, golden=golden)
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Destroy").click()
    expect(page.get_by_role("status")).to_contain_text("The words of 4 entries are destroyed")
    look.go(f"{BEN}/recall?q=Clavix")
    expect(page.get_by_role("status")).to_contain_text("0 hits")


def test_recall_leads_from_a_question_to_the_entry(
    browser: Browser, served: Served, tmp_path: Path, golden: bool
) -> None:
    with looking(browser, served.address) as look:
        sign_in(look, served.key("read"))
        page = look.go(f"{BEN}/recall")
        page.get_by_label("Question or words").fill("What gives me hives?")
        page.keyboard.press("Enter")
        expect(page.locator(".hits li").first).to_contain_text("hives")
        expect(page.locator(".hits svg.channels").first).to_be_visible()
        picture(look, "recall", tmp_path, golden=golden)
        page.get_by_role("link", name="entry 5", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Entry 5")
        expect(page.get_by_role("link", name="penicillin health.Allergy")).to_be_visible()


def test_a_phone_shows_where_one_is_and_nothing_grows_to_the_side(
    browser: Browser, served: Served, tmp_path: Path
) -> None:
    with looking(browser, served.address, **WIDER) as look:
        page = sign_in(look, served.key())
        for path, title in (("/log", "Log"), ("/course", "Over time"), ("/compute", "Compute")):
            look.go(f"{BEN}{path}")
            expect(page.locator(".side").get_by_role("link", name=title, exact=True)).to_be_in_viewport(ratio=1)
            picture(look, f"phone{path.replace('/', '-')}", tmp_path, golden=False)
        assert _height(look.go(f"{BEN}/log"), "form.search") < 60
        look.go(f"{BEN}/alerts")
        page.locator("article.critical").get_by_text("Snooze…").click()
        expect(page.get_by_role("button", name="Snooze until then")).to_be_visible()
        picture(look, "phone-snooze", tmp_path, golden=False)
        wide = {"snooze": look.overflow()}
        look.go(f"{BEN}/compute")
        page.get_by_role("textbox", name="Code").fill(f"[t for t in travel.trips if t.town == '{'very ' * 20}long']")
        page.get_by_role("button", name="Run").click()
        expect(page.locator("#wrong")).to_be_in_viewport()
        picture(look, "phone-error", tmp_path, golden=False)
        wide["error"] = look.overflow()
        look.go(f"{BEN}/course")
        assert _within(page, "figure.plot")
        wide["plot"] = look.overflow()
    assert wide == {"snooze": 0, "error": 0, "plot": 0}


def test_a_phone_without_scripts_shows_where_one_is(browser: Browser, served: Served) -> None:
    with looking(browser, served.address, java_script_enabled=False, **WIDER) as look:
        page = sign_in(look, served.key("read"))
        look.go(f"{BEN}/course")
        expect(page.locator(".side").get_by_role("link", name="Over time", exact=True)).to_be_in_viewport(ratio=1)
        assert look.overflow() == 0


def test_lines_that_cover_each_other_are_both_seen(browser: Browser, served: Served, tmp_path: Path) -> None:
    with looking(browser, served.address) as look:
        page = sign_in(look, served.key("read"))
        look.go(f"{BEN}/course")
        picture(look, "course", tmp_path, golden=False)
        every, structured = (_drawn(page, f".on-wide polyline.uac-{place}") for place in (1, 2))
    assert (every["dashes"], structured["dashes"] != "none") == ("none", True)
    assert every["wide"] > structured["wide"]


def _drawn(page: Page, line: str) -> dict[str, Any]:
    style = "one => { const s = getComputedStyle(one); return {dashes: s.strokeDasharray, wide: parseFloat(s.strokeWidth)} }"
    found: dict[str, Any] = page.locator(line).evaluate(style)
    return found


def _height(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["height"]


def _within(page: Page, selector: str) -> bool:
    """Whether the boxes end inside the window, whatever they hold."""
    ends: list[float] = page.locator(selector).evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
    return bool(ends) and max(ends) <= 390


def test_no_page_is_wider_than_a_phone(browser: Browser, served: Served, tmp_path: Path) -> None:
    with looking(browser, served.address, **PHONE) as look:
        sign_in(look, served.key())
        wide = {}
        for path in PAGES:
            look.go(f"{BEN}{path}")
            wide[path] = look.overflow()
        for path in ("/alerts", "/log", "/conflicts", "/course", "/compute", "/recall?q=x"):
            look.go(f"{EVIL}{path}")
            wide[f"evil{path}"] = look.overflow()
        picture(look, "phone-recall", tmp_path, golden=False)
    assert {path: by for path, by in wide.items() if by} == {}


def test_everything_essential_works_without_scripts_and_in_the_dark(
    browser: Browser, served: Served, tmp_path: Path
) -> None:
    with looking(browser, served.address, java_script_enabled=False, color_scheme="dark") as look:
        page: Page = sign_in(look, served.key("read"))
        look.go(f"{BEN}/compute?type=travel.Trip")
        page.get_by_label("Show", exact=True).select_option("cost")
        page.get_by_role("button", name="Ask").click()
        expect(page.get_by_role("img", name="Cost of trips by month")).to_be_visible()
        picture(look, "dark-compute", tmp_path, golden=False)
        page.get_by_text("The code that gives these figures").click()
        page.get_by_role("textbox", name="Code").fill("len(travel.trips)")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("region", name="Result as a table")).to_contain_text("3")


def test_hostile_words_run_nothing_and_ask_nobody(browser: Browser, served: Served) -> None:
    with looking(browser, served.address) as look:
        page = sign_in(look, served.key())
        for path in (
            "/alerts",
            "/alerts/history",
            "/conflicts",
            "/log",
            "/log/6",
            "/course",
            "/recall?q=script",
            "/changed?at=7",
        ):
            look.go(f"{EVIL}{path}")
            assert page.evaluate("[window.hit, document.getElementById('hit')]") == [None, None]
