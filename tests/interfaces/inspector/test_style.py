"""The inspector's colours can be told apart, in light and in dark, and its files stay small and self-contained."""

import re

import pytest

from uac.interfaces.http.docs_page import STYLE as DOCS_STYLE
from uac.interfaces.inspector.page import STATIC

STYLE = (STATIC / "inspector.css").read_text(encoding="utf-8")
COLOURS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", STYLE)
}

KINDS = ("keyword", "string", "number", "comment", "name")
TEXT = [
    *((ink, ground) for ink in ("ink", "muted", "accent") for ground in ("ground", "surface", "sunken", "hover")),
    *((f"c-{kind}", ground) for kind in KINDS for ground in ("surface", "good-ground", "critical-ground")),
    *((level, f"{level}-ground") for level in ("critical", "warning", "info", "good")),
    *(("ink", f"{level}-ground") for level in ("critical", "warning", "info", "good")),
    *(("muted", f"{level}-ground") for level in ("critical", "warning", "info")),
    *((level, "surface") for level in ("critical", "good")),
    ("good", "sunken"),
    ("warning", "surface"),
    ("on-accent", "accent"),
    ("accent", "accent-ground"),
    ("ink", "mark"),
]
"""What is read on what."""

EDGES = [("edge", "surface"), ("edge", "ground"), ("accent", "ground"), ("accent", "surface")]
"""Borders of fields, and the ring around what has the focus."""


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("ink", "ground"), TEXT)
def test_text_can_be_read_on_its_ground(ink: str, ground: str) -> None:
    assert all(contrast(a, b) >= 4.5 for a, b in zip(COLOURS[ink], COLOURS[ground], strict=True))


@pytest.mark.parametrize(("line", "ground"), EDGES)
def test_fields_and_the_focus_can_be_seen(line: str, ground: str) -> None:
    assert all(contrast(a, b) >= 3 for a, b in zip(COLOURS[line], COLOURS[ground], strict=True))


def test_the_page_of_all_routes_has_the_same_colours() -> None:
    own = re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", DOCS_STYLE)
    assert {name: (light, dark) for name, light, dark in own} == {name: COLOURS[name] for name, _light, _dark in own}
    assert len(own) > 5


def test_styles_and_scripts_are_small_and_load_nothing() -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in STATIC.iterdir()}
    assert {name: len(text) > 60_000 for name, text in files.items()} == dict.fromkeys(files, False)
    for text in files.values():
        assert (
            re.findall(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)|eval\(|innerHTML|insertAdjacent", text) == []
        )
