"""MkDocs hooks that add the pages outside docs/, so that each document has one copy, in its place in the repository.

README, ARCHITECTURE and the like, and the packs' own pages, become pages; other files that a page links to are copied.
Links lead to the same document on the site as in the repository.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

__all__ = ["on_files", "on_page_markdown"]

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = {"README.md": "index.md"} | {
    name: name.lower() for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
}
PACKS = re.compile(r"src/uac/packs/(\w+)/README\.md")
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=(?:#[^)\s]*)?\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages of the repository, and the files that pages link to."""
    outside = [*PAGES, *(_in_repository(path) for path in ROOT.glob("src/uac/packs/*/README.md"))]
    inside = [_in_repository(path) for path in DOCS.rglob("*.md")]
    linked = [target for page in (*outside, *inside) for target in _targets(page) if (ROOT / target).is_file()]
    for path in dict.fromkeys((*outside, *linked)):
        if not path.startswith("docs/"):
            files.append(File.generated(config, _on_site(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - as called
    """Rewrites the links of a page to the paths on the site."""
    source = _in_repository(Path(page.file.abs_src_path or ""))

    def moved(link: re.Match[str]) -> str:
        target = _target(source, link[0])
        exists = (ROOT / target).exists()
        return os.path.relpath(_on_site(target), Path(page.file.src_uri).parent) if exists else link[0]

    return LINK.sub(moved, markdown)


def _targets(page: str) -> Iterator[str]:
    for link in LINK.findall((ROOT / page).read_text()):
        yield _target(page, link)


def _target(page: str, link: str) -> str:
    """The path in the repository that a link of a page leads to."""
    return os.path.normpath(Path(page).parent / link)


def _on_site(path: str) -> str:
    """The path of a file of the repository on the site, before it is rendered to HTML."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if pack := PACKS.fullmatch(path):
        return f"packs/{pack[1]}.md"
    return PAGES.get(path, f"files/{path}")


def _in_repository(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
