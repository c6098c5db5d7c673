"""Writes the page: the story, the runs and the published figures through the templates, beside style and script."""

import re
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from uac import __version__
from uac.errors import Refused
from uac.interfaces.inspector import FILTERS, printable_filter
from uac.interfaces.inspector import STATIC as INSPECTOR_STATIC
from uac_bench.report.results import (
    RunSection,
    published_tables,
    run_commands,
    run_section,
    without_texts,
)
from uac_bench.report.story import PlayedCase, play_story
from uac_bench.report.themes import headline, ordered_themes, run_title
from uac_bench.runs import BenchRun, code_revision, run_file

__all__ = ["build_site", "page_html", "write_runs"]

HERE = Path(__file__).parent
INSPECTOR_FILES = ("inspector.css", "pages.css", "icon.svg")
"""The inspector's look: its colours, code and differences."""


FIGURE = re.compile(r"[-+−–<]|\d|0")
"""How a cell begins that is set to the right: with a figure, a sign, or a dash for nothing."""
SUITE = re.compile(r"[a-z][a-z0-9_-]*")


def build_site(
    runs: Sequence[BenchRun], folder: Path, *, home: str = "", texts: bool = False, story: Sequence[PlayedCase] = ()
) -> Path:
    """The page in `folder/index.html`, and the runs, without the texts of their items unless `texts`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in INSPECTOR_FILES:
        shutil.copyfile(INSPECTOR_STATIC / name, folder / name)
    for path in sorted((HERE / "static").iterdir()):
        shutil.copyfile(path, folder / path.name)
    write_runs(runs, folder / "runs", texts=texts)
    page = folder / "index.html"
    page.write_text(page_html(runs, story or play_story(), home=home), encoding="utf-8")
    return page


def write_runs(runs: Sequence[BenchRun], folder: Path, *, texts: bool = False) -> None:
    """Each run as a file; without `texts` only ids, verdicts and figures of its items."""
    folder.mkdir(parents=True, exist_ok=True)
    for run in runs:
        if not SUITE.fullmatch(run.suite):
            raise Refused(f"A run has the suite {run.suite!r}. It must be a name such as growth: it names a file.")
        (folder / f"{run.suite}.json").write_bytes(run_file(run if texts else without_texts(run)))


def page_html(runs: Sequence[BenchRun], story: Sequence[PlayedCase], *, home: str = "") -> str:
    sections = [run_section(run) for run in runs]
    return (
        _environment()
        .get_template("page.html")
        .render(
            story=story,
            themes=ordered_themes(sections),
            run_title=run_title,
            headline=headline,
            suites=len(sections),
            published=published_tables(),
            by_suite={section.run.suite: section for section in sections},
            commands=run_commands,
            live=[section for section in sections if section.source == "live"],
            systems=_system_count(sections),
            answers=sum(item.verdict != "unscored" for section in sections for item in section.run.items),
            version=__version__,
            code=code_revision(),
            home=home,
        )
    )


def _system_count(sections: Sequence[RunSection]) -> int:
    """Systems and schemes beside ours."""
    return len({system.name for section in sections for system in section.run.systems if not system.is_ours})


def _environment() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable_filter,  # applied to all output: stored text cannot become markup
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(FILTERS)
    templates.filters["day"] = _day_filter
    templates.filters["numeric"] = _numeric_filter
    return templates


def _numeric_filter(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether the cells of a column are figures, or nothing."""
    cells = [row[place] for row in rows if place < len(row) and row[place]]
    return all(FIGURE.match(cell) for cell in cells)


def _day_filter(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"
