"""What the page shows of a run: shares with intervals, groups, curves, tables, and how to repeat it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from uac.conversation import Share
from uac.display import Markup, element, fragment
from uac_bench.harness import COMPARED, chance_text
from uac_bench.report.curves import draw_curve, draw_interval
from uac_bench.runs import BenchRun, BenchTable, System, shares, versus

__all__ = ["PublishedTable", "RunSection", "SystemRow", "published_tables", "run_section", "without_texts"]

PUBLISHED = Path(__file__).parent / "published.json"


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system's share of right answers; `p` is McNemar's exact test against ours, "" for ours."""

    system: System
    share: Share
    failed: int
    score: str
    """The mean score where items have one."""
    p: str
    bar: Markup


@dataclass(frozen=True, slots=True)
class RunSection:
    """A run as the page shows it."""

    run: BenchRun
    rows: tuple[SystemRow, ...]
    groups: BenchTable | None
    curves: tuple[tuple[Markup, BenchTable, str], ...]
    """Each drawn, as a table, and its note."""
    tables: tuple[BenchTable, ...]
    other_systems: tuple[System, ...]
    """Systems that have no share of right answers here."""

    @property
    def source(self) -> str:
        """Where the answers come from: 'live', 'recorded', or 'none' if no model answered."""
        if self.run.is_live:
            return "live"
        return "recorded" if self.run.model else "none"

    @property
    def has_scores(self) -> bool:
        return any(row.score for row in self.rows)


class PublishedTable(msgspec.Struct, frozen=True, kw_only=True):
    """Figures that others published, with their source and the terms on which they were measured."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    source: str
    terms: str
    ours: str
    """The suite that comes nearest, and in `ours_is` what it measures and how a live model is measured."""
    ours_is: str


def published_tables() -> tuple[PublishedTable, ...]:
    return msgspec.json.decode(PUBLISHED.read_bytes(), type=tuple[PublishedTable, ...])


def run_section(run: BenchRun) -> RunSection:
    ours = [system.name for system in run.systems if system.is_ours]
    found = shares(run.items)
    named = {system.name: system for system in run.systems}
    names = sorted((name for name, _group in found), key=lambda name: (name not in ours, -found[name, ""].share, name))
    if _are_apart(run):
        names = []
    return RunSection(
        run=run,
        rows=tuple(_system_row(run, named.get(name, System(name)), found[name, ""], ours) for name in names),
        groups=_group_table(run, names),
        curves=tuple(
            (_drawn_twice(run, number, ours), _curve_table(run, number), curve.note)
            for number, curve in enumerate(run.curves)
        ),
        tables=_distinct_tables(run.tables),
        other_systems=tuple(system for system in run.systems if system.name not in names),
    )


def _are_apart(run: BenchRun) -> bool:
    """Whether all systems are ours and answered different items: then only the suite's own tables compare them."""
    answered: dict[str, set[str]] = {}
    for item in run.items:
        answered.setdefault(item.system, set()).add(item.id)
    return all(system.is_ours for system in run.systems) and len({frozenset(ids) for ids in answered.values()}) > 1


def without_texts(run: BenchRun) -> BenchRun:
    """The run with ids, verdicts and figures only: no given answer, no gold, no reason that may quote either."""
    replace = msgspec.structs.replace
    return replace(run, items=tuple(replace(item, given="", gold="", why="") for item in run.items))


def run_commands(run: BenchRun) -> tuple[str, ...]:
    """How to make the run again, and the page of it."""
    command = run.command or f"uac-bench {shlex.quote(run.suite)}"
    return (f"{command} --out runs", "uac-bench report runs --out site")


def _distinct_tables(tables: Sequence[BenchTable]) -> tuple[BenchTable, ...]:
    """Without those that compare systems, which the page does itself, and without repetitions."""
    distinct = {(table.columns, table.rows): table for table in reversed(tables) if table.columns != COMPARED}
    return tuple(_without_label(table) for table in reversed(distinct.values()))


def _without_label(table: BenchTable) -> BenchTable:
    """Without a first column that has no name and the same word in each row: in a terminal it is a heading."""
    words = {row[0] for row in table.rows}
    if len(words) != 1 or not table.columns or table.columns[0] or len(table.rows) < 2:
        return table
    rows = tuple(row[1:] for row in table.rows)
    return msgspec.structs.replace(table, columns=table.columns[1:], rows=rows, title=table.title or words.pop())


def _system_row(run: BenchRun, system: System, share: Share, ours: Sequence[str]) -> SystemRow:
    items = [item for item in run.items if item.system == system.name and item.verdict != "unscored"]
    scores = [item.score for item in items if item.score is not None]
    chance = versus(run.items, ours[0], system.name) if ours and system.name not in ours else None
    return SystemRow(
        system=system,
        share=share,
        failed=sum(item.verdict == "failed" for item in items),
        score=f"{sum(scores) / len(scores):.3f}" if scores else "",
        p=chance_text(chance),
        bar=draw_interval(share.share, share.low, share.high, is_ours=system.name in ours),
    )


def _group_table(run: BenchRun, names: Sequence[str]) -> BenchTable | None:
    by_group = shares(run.items, by_group=True)
    groups = sorted({group for _name, group in by_group if group}, key=_natural)
    if len(groups) < 2:
        return None
    rows = [
        (group, *(_share_text(by_group[name, group]) if (name, group) in by_group else "–" for name in names))
        for group in groups
    ]
    return BenchTable(title="By group", columns=("group", *names), rows=tuple(rows))


def _natural(text: str) -> tuple[int, float, str]:
    return (0, float(text), "") if text.replace(".", "", 1).isdecimal() else (1, 0.0, text)


def _share_text(share: Share) -> str:
    return f"{share.right}/{share.of} ({100 * share.low:.0f}–{100 * share.high:.0f} %)"


def _drawn_twice(run: BenchRun, number: int, ours: Sequence[str]) -> Markup:
    """Once for a wide page and once for a phone; the style shows the one that fits."""
    return fragment(
        *(
            element("div", draw_curve(run.curves[number], ours, width=width), class_=name)
            for name, width in (("on-wide", 880), ("on-phone", 380))
        )
    )


def _curve_table(run: BenchRun, number: int) -> BenchTable:
    curve = run.curves[number]
    places = sorted({point.x for line in curve.lines.values() for point in line})
    rows = []
    for name, line in curve.lines.items():
        at = {point.x: point for point in line}
        cells = (f"{at[x].y:.4g} ({at[x].low:.4g}–{at[x].high:.4g})" if x in at else "–" for x in places)
        rows.append((name, *cells))
    return BenchTable(title=curve.title, columns=("system", *(f"{x:,.6g}" for x in places)), rows=tuple(rows))
