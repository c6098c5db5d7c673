"""The automatic checks for accessibility (WCAG 2.2, levels A and AA), by axe-core."""

from typing import Any

from support.browser import Look
from support.paths import ROOT

__all__ = ["accessibility_findings"]

AXE = ROOT / "tests" / "assets" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def accessibility_findings(look: Look) -> list[str]:
    """The rules that the page breaks, each with the first element that does."""
    look.page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"runOnly": TAGS, "resultTypes": ["violations"]}
    results: dict[str, Any] = look.page.evaluate("options => axe.run(options)", options)
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in results["violations"]]
