"""The documentation site builds without a warning, has every page, and loads nothing from another host."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
import yaml  # type: ignore[import-untyped]  # PyYAML has no types

import uac
from support.page_loads import loads_of_page, loads_of_style
from support.paths import ROOT

DOCS = ROOT / "docs"
PICTURES = sorted((DOCS / "pictures").glob("*.svg"))

BUILD = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise OSError(f"The build must not use the network: {event} {arguments}")

sys.addaudithook(refuse)
from mkdocs.__main__ import cli

cli(["build", "--strict", "--site-dir", sys.argv[1]])
"""


@dataclass(frozen=True, slots=True)
class Site:
    folder: Path
    output: str

    def pages(self) -> Iterator[Path]:
        return self.folder.rglob("*.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("site")
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"}
    command = [sys.executable, "-c", BUILD, str(folder)]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    output = run.stdout + run.stderr
    assert run.returncode == 0, output
    return Site(folder, output)


def test_the_site_builds_without_a_warning_and_without_network(site: Site) -> None:
    assert re.findall(r"(?i)^.*\b(?:warning|error)\b.*$", site.output, re.MULTILINE) == []


def test_the_site_contains_no_compiled_python(site: Site) -> None:
    assert [path for path in site.folder.rglob("*") if path.name == "__pycache__" or path.suffix == ".pyc"] == []


def test_every_page_is_in_the_navigation_once() -> None:
    listed = sorted(leaves(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    outside = {"README.md": "index.md"} | {
        name: name.lower() for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
    }
    packs = [f"packs/{path.parent.name}.md" for path in ROOT.glob("src/uac/packs/*/README.md")]
    assert {path.name for path in ROOT.glob("*.md")} == outside.keys()
    assert listed == sorted(
        [*(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")), *outside.values(), *packs]
    )


def leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from leaves(part)


def test_no_page_loads_anything_from_another_host(site: Site) -> None:
    loaded = [(page.name, address) for page in site.pages() for address in loads_of_page(page.read_text())]
    loaded += [
        (path.name, address) for path in site.folder.rglob("*.css") for address in loads_of_style(path.read_text())
    ]
    assert any(address.endswith(".css") for _name, address in loaded)
    assert [(name, address) for name, address in loaded if is_elsewhere(address)] == []


def test_no_page_needs_a_script_that_the_theme_would_fetch(site: Site) -> None:
    # The theme's own script loads one for diagrams from another host, if a page has any.
    assert [page.name for page in site.pages() if re.search(r'class="[^"]*\bmermaid\b', page.read_text())] == []


@pytest.mark.parametrize(
    ("markup", "addresses"),
    [
        ('<script src="https://a.example/x.js"></script>', ["https://a.example/x.js"]),
        ('<link rel="preconnect" href="//b.example"><link rel="next" href="https://c.example">', ["//b.example"]),
        (
            '<img src="x.png" srcset="y.png 2x, https://d.example/z.png 3x">',
            ["y.png", "https://d.example/z.png", "x.png"],
        ),
        ("<p style=\"background: url('https://e.example')\">", ["https://e.example"]),
        ('<style>@import "https://f.example";</style>', ["https://f.example"]),
        ('<a href="https://g.example">read</a>', []),
    ],
)
def test_every_address_that_a_page_loads_is_detected(markup: str, addresses: list[str]) -> None:
    assert loads_of_page(markup) == addresses


def is_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in {"", "data"}


def test_every_public_name_is_in_the_reference(site: Site) -> None:
    reference = (site.folder / "reference" / "index.html").read_text()
    assert [name for name in uac.__all__ if f'id="uac.{name}"' not in reference] == []


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_used_is_described_and_has_colours_for_light_and_dark(path: Path) -> None:
    picture = ElementTree.fromstring(path.read_text())  # noqa: S314 - our own file
    assert [child.tag.rpartition("}")[2] for child in picture][:3] == ["title", "desc", "style"]
    assert "prefers-color-scheme: dark" in path.read_text()
    pages = "".join(page.read_text() for page in sorted((DOCS / "concepts").glob("*.md")))
    assert re.search(rf"!\[[^\]]{{20,}}\]\(\.\./pictures/{path.name}\)", pages)
    assert links_of(picture) == {}


def links_of(picture: ElementTree.Element) -> Mapping[str, str]:
    """The addresses that a picture would load."""
    return {
        name: value
        for element in picture.iter()
        for name, value in element.attrib.items()
        if name.rpartition("}")[2] in {"href", "src"} or "://" in value
    }
