"""Every page passes the automatic checks for accessibility (WCAG 2.2, levels A and AA), in light and in dark."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from support.accessibility import accessibility_findings as found
from support.browser import Lives, browsers, life, looking, sign_in
from support.http_service import Served, serving
from support.inspector_client import BEN, app_watched, watched_life

WINDOWS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark, on a phone": {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
}
ANA = "/inspector/users/ana"
PILLS = "health.Medication:clavix"

PAGES = (
    "/inspector/users",
    BEN,
    ANA,
    f"{BEN}/records",
    f"{BEN}/records?type=spending.Expense&sort=shop",
    f"{ANA}/records?type=travel.Trip",
    f"{ANA}/records/one?id=travel.Passport:c4f7k2",
    f"{BEN}/records/one?id={PILLS}",
    f"{BEN}/code?file=domains/travel/state.py",
    f"{BEN}/code?since=20",
    f"{BEN}/recall",
    f"{BEN}/recall?q=spent&tokens=100",
    f"{BEN}/compute",
    f"{BEN}/compute?type=spending.Expense&by=month:on&value=amount&apart=category",
    f"{BEN}/compute?type=health.Weight",
    f"{BEN}/alerts",
    f"{BEN}/alerts/one?constraint=no_allergen&subject=clavix+/+penicillin",
    f"{BEN}/alerts/history",
    f"{BEN}/conflicts",
    f"{BEN}/log",
    f"{BEN}/log?kind=all&q=nothing+says+this",
    f"{BEN}/log/7",
    f"{BEN}/course",
    f"{BEN}/correct?record={PILLS}&field=contains&text=rice",
    f"{BEN}/forget?record={PILLS}",
    f"{BEN}/changed?at=7",
    f"{BEN}/nothing",
    "/docs",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers() as browser:
        yield browser


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    lives = Lives()
    life(lives)
    watched_life(lives)
    with serving(app_watched(lives)) as served:
        yield served


@pytest.mark.parametrize("window", WINDOWS)
def test_no_page_has_a_finding_of_the_accessibility_checker(browser: Browser, served: Served, window: str) -> None:
    findings: dict[str, list[str]] = {}
    with looking(browser, served.address, **WINDOWS[window]) as look:
        look.go("/inspector/")
        findings["sign-in"] = found(look)
        sign_in(look, served.key())
        for path in PAGES:
            look.go(path)
            findings[path] = found(look)
    assert {path: found for path, found in findings.items() if found} == {}


def test_what_opens_on_a_page_has_no_finding_either(browser: Browser, served: Served) -> None:
    with looking(browser, served.address) as look:
        page = sign_in(look, served.key())
        look.go(f"{BEN}/compute?type=spending.Expense&by=month:on&value=amount")
        page.locator(".on-wide .uac-plot").hover()
        expect(page.locator(".values")).to_be_visible()
        for path in (f"{BEN}/compute", f"{BEN}/alerts/one?constraint=no_allergen&subject=clavix+/+penicillin"):
            look.go(path)
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            assert (path, found(look)) == (path, [])
        page.keyboard.press("?")
        assert found(look) == []


def test_the_checker_finds_what_is_wrong(browser: Browser, served: Served) -> None:
    with looking(browser, served.address) as look:
        page = look.go("/inspector/")
        page.evaluate(
            "document.querySelector('label').remove(); document.querySelector('input[name=key]').placeholder = ''"
        )
        assert [line.partition(":")[0] for line in found(look)] == ["label"]
