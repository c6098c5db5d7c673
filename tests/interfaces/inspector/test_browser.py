"""The main paths through the inspector, in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.browser import HOSTILE, Lives, Look, browsers, hostile, inspecting, life, looking, picture, sign_in
from support.http_service import Served
from uac.interfaces.http.user_context import Caller
from uac.interfaces.inspector import Invitation
from uac.interfaces.service.api_keys import Right
from uac.interfaces.service.listening import LOOPBACK

ANA = "/inspector/users/ana"
PHONE = {"viewport": {"width": 320, "height": 640}}
READING: tuple[Right, ...] = ("read", "admin")

PATHS = (
    "",
    "/records",
    "/records?type=odd.Thing",
    "/records?type=odd.Thing&former=1",
    "/records?type=odd.Thing&q=%3Cscript%3E&sort=name",
    "/code",
    "/code?file=domains/odd/state.py",
    "/code?file=domains/odd/schema.py",
    "/code?since=1",
)
"""The pages of a user."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers() as browser:
        yield browser


@pytest.fixture(scope="module")
def lives() -> Lives:
    lives = Lives()
    life(lives)
    for user in HOSTILE[:5]:
        if "/" not in user:
            hostile(lives, user)
    hostile(lives)
    return lives


@pytest.fixture(scope="module")
def served(lives: Lives) -> Iterator[Served]:
    with inspecting(lives.store) as served:
        yield served


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--golden"))


def test_from_signing_in_to_the_sentence_behind_a_value(
    browser: Browser, served: Served, tmp_path: Path, golden: bool
) -> None:
    with looking(browser, served.address) as look:
        look.go("/inspector/")
        picture(look, "sign-in", tmp_path, golden=False)
        page = sign_in(look, served.key(*READING))
        page.get_by_label("Search by id").fill("AN")
        page.get_by_role("button", name="Search").click()
        page.get_by_role("link", name="ana", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("ana")
        expect(page.locator(".alerts")).to_contain_text("Amoxicillin is a penicillin")
        picture(look, "overview", tmp_path, golden=golden)
        page.get_by_role("link", name="passports").click()
        page.get_by_role("link", name="c4f7k2").click()
        expect(page.get_by_text("Sources disagree: the user decides.")).to_be_visible()
        expect(page.locator("#expires .stands mark")).to_have_text("My passport C4F7K2 runs until 2026-06-30")
        picture(look, "record", tmp_path, golden=golden)
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_the_one_time_address_leads_to_the_user(browser: Browser, lives: Lives) -> None:
    invitation = Invitation("t" * 32, Caller("", user="ana"))
    with (
        inspecting(lives.store, invitation=invitation, hosts=LOOPBACK) as served,
        looking(browser, served.address) as look,
    ):
        page = look.go(f"/inspector/enter?token={invitation.token}")
        expect(page.get_by_role("heading", level=1)).to_have_text("ana")
        assert "token" not in page.url


def test_the_slider_shows_the_code_at_each_step_without_a_reload(
    browser: Browser, served: Served, tmp_path: Path, golden: bool
) -> None:
    with looking(browser, served.address) as look:
        page = sign_in(look, served.key(*READING))
        look.go(f"{ANA}/code?file=domains/travel/state.py")
        picture(look, "code", tmp_path, golden=False)
        page.evaluate("window.same = true")
        shown, slider = page.locator('[data-live="code"]'), page.get_by_label("Time")
        expect(shown).to_contain_text('city="Oslo"')
        slider.focus()
        steps = int(slider.get_attribute("max") or 0)
        for _press in range(steps - 3):
            page.keyboard.press("ArrowLeft")
        expect(shown).not_to_contain_text('city="Lisbon"')
        page.keyboard.press("ArrowRight")
        expect(shown).to_contain_text('city="Lisbon"')
        expect(shown).not_to_contain_text('city="Vienna"')
        expect(slider).to_be_focused()
        expect(slider).to_have_attribute("aria-valuetext", re.compile(r"2025-.* put travel\.Trip"))
        expect(page.locator("[data-said]")).to_contain_text("Shown as of 2025-")
        page.get_by_role("link", name="Later").click()
        expect(shown).to_contain_text('city="Vienna"')
        page.get_by_role("link", name="What this step changed").click()
        expect(page.locator("tr.plus", has_text='city="Vienna"').locator(".sign")).to_have_text("+")
        expect(page.locator("summary .path").first).to_have_text("domains/travel/state.py")
        picture(look, "diff", tmp_path, golden=golden)
        page.get_by_label("Compared with").select_option(label=_first_option(page))
        page.get_by_role("button", name="Compare").click()
        expect(page.locator("tr.plus", has_text='city="Lisbon"')).to_be_visible()


def test_everything_essential_works_without_scripts(browser: Browser, served: Served) -> None:
    with looking(browser, served.address, java_script_enabled=False) as look:
        page = sign_in(look, served.key(*READING))
        look.go(f"{ANA}/code?file=domains/travel/state.py")
        page.get_by_role("link", name="Earlier").click()
        expect(page.get_by_text("go to now")).to_be_visible()
        page.get_by_label("Shown as of").select_option(index=0)
        page.get_by_role("button", name="Show").click()
        expect(page.locator(".file")).to_contain_text("trips: list[Trip] = []")
        page.get_by_label("Jump to").fill("2025-12-20")
        page.get_by_role("button", name="Go").click()
        expect(page.locator(".file")).to_contain_text('city="Vienna"')
        expect(page.locator(".file")).not_to_contain_text('city="Oslo"')


def test_keys_lead_through_the_pages(browser: Browser, served: Served) -> None:
    with looking(browser, served.address) as look:
        page = sign_in(look, served.key(*READING))
        page.keyboard.press("/")
        expect(page.get_by_label("Search by id")).to_be_focused()
        page.keyboard.type("ana")
        page.keyboard.press("Enter")
        page.wait_for_url("**/users?q=ana")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url("**/users/ana")
        for letter, path in (("r", "/records"), ("c", "/code"), ("o", "")):
            page.keyboard.press("g")
            page.keyboard.press(letter)
            page.wait_for_url(f"**/users/ana{path}")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_contain_text("Records")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        page.reload()
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()


def test_light_and_dark_follow_the_system_until_somebody_chooses(
    browser: Browser, served: Served, tmp_path: Path
) -> None:
    with looking(browser, served.address, color_scheme="dark") as look:
        page = sign_in(look, served.key(*READING))
        look.go(ANA)
        assert _ground(page) == "rgb(19, 20, 23)"
        picture(look, "dark", tmp_path, golden=False)
        page.get_by_role("button", name="Light or dark").click()
        assert _ground(page) == "rgb(248, 248, 246)"
        page.reload()
        assert _ground(page) == "rgb(248, 248, 246)"


def test_no_page_is_wider_than_a_phone(browser: Browser, served: Served, tmp_path: Path) -> None:
    with looking(browser, served.address, **PHONE) as look:
        sign_in(look, served.key(*READING))
        wide = {}
        for user, record in (("ana", "travel.Passport:c4f7k2"), ("mallory", f"odd.Thing:{HOSTILE[1].casefold()}")):
            paths = [path.replace("odd.Thing", record.partition(":")[0]) for path in PATHS]
            for path in (*paths, f"/records/one?id={_quoted(record)}"):
                look.go(f"/inspector/users/{user}{path}")
                wide[user, path] = look.overflow()
        assert {path: pixels for path, pixels in wide.items() if pixels} == {}
        look.go(f"{ANA}/records/one?id=travel.Passport:c4f7k2")
        picture(look, "phone", tmp_path, golden=False)


def test_hostile_words_never_become_markup_or_run(browser: Browser, served: Served) -> None:
    with looking(browser, served.address) as look:
        page = sign_in(look, served.key(*READING))
        look.go("/inspector/users?q=<script>window.hit=1</script>")
        assert _harm(look) == (None, 0, 0)
        look.go("/inspector/users")
        for user in page.locator("tbody a").evaluate_all(_HREFS):
            page.goto(user)
            assert _harm(look) == (None, 0, 0), user
        for path in PATHS:
            look.go(f"/inspector/users/mallory{path}")
            assert _harm(look) == (None, 0, 0), path
        look.go("/inspector/users/mallory/records?type=odd.Thing")
        for record in page.locator("tbody th a").evaluate_all(_HREFS)[:3]:
            page.goto(record)
            assert _harm(look) == (None, 0, 0), record
            expect(page.locator(".said")).to_be_visible()


_HREFS = "links => links.map(link => link.href)"


def _harm(look: Look) -> tuple[object, int, int]:
    """What a script left behind, elements that words became, and links that lead elsewhere."""
    page = look.page
    elements = page.locator("#hit, main script, main img, main [onerror], main [onfocus], main [style]").count()
    strange = page.locator(f'a:not([href^="/"]):not([href^="#"]):not([href^="{look.address}/"])').count()
    hit: object = page.evaluate("window.hit ?? null")
    return hit, elements, strange


def _ground(page: Page) -> object:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def _first_option(page: Page) -> str:
    return page.get_by_label("Compared with").locator("option").first.inner_text()


def _quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="")
