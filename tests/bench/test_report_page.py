"""The page of uac-bench report in a real browser: keys, small and dark windows, paper, no script, accessibility."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from support.accessibility import accessibility_findings
from support.bench_runs import sample_run
from support.browser import browsers, looking
from support.folder_server import serving_folder
from uac_bench.report.site import build_site
from uac_bench.report.story_turns import CASES

STEPS = ("log", "code", "diff", "rule", "alert", "evidence", "answer")
PHONE: dict[str, Any] = {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers() as browser:
        yield browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    build_site([sample_run(), sample_run("answers", is_live=True, model="vendor:name")], folder)
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving_folder(folder) as address:
        yield address


def open_panel(page: Page) -> list[str]:
    """The ids of the case and the step that are shown."""
    shown = "[...document.querySelectorAll('[data-tab]')].filter(each => each.checkVisibility()).map(each => each.id)"
    return [str(name) for name in page.evaluate(shown)]


def test_arrow_keys_move_through_cases_and_steps_with_a_visible_focus(browser: Browser, address: str) -> None:
    with looking(browser, address) as look:
        page = look.go("/index.html")
        assert open_panel(page) == ["allergy", "allergy-log"]
        page.get_by_role("tab", name=CASES[0].title).focus()
        page.keyboard.press("ArrowDown")
        assert open_panel(page) == ["passport", "passport-log"]
        page.keyboard.press("End")
        assert open_panel(page) == ["correction", "correction-log"]
        page.keyboard.press("ArrowRight")
        assert open_panel(page) == ["allergy", "allergy-log"]
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert open_panel(page) == ["allergy", "allergy-diff"]
        focused = "getComputedStyle(document.activeElement)"
        assert page.evaluate(f"{focused}.outlineStyle + parseFloat({focused}.outlineWidth)") == "solid2"
        assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"
        assert page.url.endswith("#allergy-diff")


def test_next_walks_through_every_step_of_every_case_and_back_returns(browser: Browser, address: str) -> None:
    with looking(browser, address) as look:
        page = look.go("/index.html")
        walked = []
        for _step in range(len(CASES) * len(STEPS)):
            walked.append(open_panel(page))
            page.get_by_role("button", name="Next").click()
        assert walked == [[case.name, f"{case.name}-{step}"] for case in CASES for step in STEPS]
        assert open_panel(page) == ["allergy", "allergy-log"]
        page.get_by_role("button", name="Back").click()
        assert open_panel(page) == ["correction", "correction-answer"]


def test_the_page_needs_no_server_and_an_address_opens_its_case_and_step(browser: Browser, folder: Path) -> None:
    with looking(browser, folder.as_uri()) as look:
        page = look.go("/index.html#count-answer")
        assert open_panel(page) == ["count", "count-answer"]
        expect(page.get_by_role("region", name="Counts by retrieval").get_by_text("wrong").first).to_be_visible()


def test_on_a_dark_phone_nothing_is_wider_than_the_window(browser: Browser, address: str) -> None:
    with looking(browser, address, **PHONE) as look:
        page = look.go("/index.html")
        grounds = [page.evaluate("getComputedStyle(document.body).backgroundColor")]
        wide = {}
        for case in CASES:
            page.get_by_role("tab", name=case.title).click()
            for step in STEPS:
                page.locator(f"#tab-{case.name}-{step}").click()
                wide[f"{case.name}-{step}"] = look.overflow()
        assert {name: pixels for name, pixels in wide.items() if pixels} == {}
        assert page.locator(".on-phone").first.is_visible()
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert look.overflow() == 0
        page.get_by_role("button", name="Light or dark").click()
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert grounds == ["rgb(19, 20, 23)", "rgb(248, 248, 246)"]


@pytest.mark.parametrize("window", [{}, PHONE], ids=["light", "dark, on a phone"])
def test_no_part_of_the_page_has_a_finding_of_the_accessibility_checker(
    browser: Browser, address: str, window: dict[str, Any]
) -> None:
    with looking(browser, address, **window) as look:
        page = look.go("/index.html")
        assert accessibility_findings(look) == []
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        for case, step in (
            ("allergy", "diff"),
            ("transfers", "alert"),
            ("count", "answer"),
            ("correction", "evidence"),
        ):
            page.locator(f"#tab-{case}").click()
            page.locator(f"#tab-{case}-{step}").click()
            assert (case, accessibility_findings(look)) == (case, [])


def test_on_paper_and_without_a_script_everything_is_open(browser: Browser, address: str) -> None:
    every = [name for case in CASES for name in (case.name, *(f"{case.name}-{step}" for step in STEPS))]
    with looking(browser, address) as look:
        page = look.go("/index.html")
        page.emulate_media(media="print")
        assert open_panel(page) == every
        expect(page.locator(".walk").first).to_be_hidden()
    with looking(browser, address, java_script_enabled=False) as look:
        page = look.go("/index.html")
        assert [name for name in every if not page.locator(f"#{name}").is_visible()] == []
