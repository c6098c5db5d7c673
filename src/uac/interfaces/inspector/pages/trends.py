"""Coverage and cost over time: how many facts are in records, and what models cost."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import accumulate

from starlette.responses import Response

from uac.display.plots import Plot, by_month, line
from uac.display.tables import Cell, Table
from uac.interfaces.inspector.page import Page, PageView
from uac.project.history import sort_history
from uac.project.progress import Spending, Spent
from uac.project.project import Project
from uac.schema.entries import Checkpoint
from uac.schema.values import Money

__all__ = ["PAGES", "coverage_by_day", "usage_trend_table"]

CURRENCY = "USD"  # the currency of model prices
POINTS = 120  # on a line
FACTS, STRUCTURED, ASIDE = "all", "in records", "set aside"


def trends_page(view: PageView) -> Response:
    with view.memory() as memory:
        project, until = memory.project(), memory.log.head().at
    covered = coverage_by_day(project, datetime.fromisoformat(until))
    spent = usage_trend_table(project.progress.spent)
    return view.render_template(
        "course.html",
        project=project,
        domains=[(name, project.coverage[name]) for name in sorted(project.coverage)],
        facts=_latest_count(covered, FACTS),
        structured=_latest_count(covered, STRUCTURED),
        aside=_latest_count(covered, ASIDE),
        reasons=_trend_aside_reasons(project),
        total=project.progress.spent_in_all(),
        by_step=_trend_usage_by_step(project.progress.spent),
        plots=_trend_plots(covered, spent),
    )


@dataclass(frozen=True, slots=True)
class Plots:
    """The available plots; None if there is nothing to draw."""

    covered: Plot | None
    cost: Plot | None
    tokens: Plot | None


def _trend_plots(covered: Table, spent: Table) -> Plots:
    is_priced = any(isinstance(cell, Money) and cell.amount for cell in spent.column("cost"))
    lines = line(covered, "day", "how many", category="what", title="Facts over time")
    cost = by_month(spent, "day", "cost", category="step", title="Cost by month")
    tokens = by_month(spent, "day", "tokens", category="step", title="Tokens by month")
    return Plots(
        lines if covered.rows else None,
        cost if is_priced else None,
        tokens if spent.rows else None,
    )


def coverage_by_day(project: Project, until: datetime) -> Table:
    """By day, of the facts that are active now: how many existed, how many were in records, how many were set aside.

    A fact is settled from the first active checkpoint that cites it; `until` is the time of the log's last entry.
    """
    happened = sort_history(project.history)
    positions = [one.position for one in happened]
    settled: dict[int, date] = {}
    for one in happened:
        if isinstance(one.entry, Checkpoint) and one.position not in project.gone:
            for cited in (cited for patch in one.entry.patches for cited in patch.cites):
                settled.setdefault(cited, one.at.date())
    counts: dict[str, Counter[date]] = {FACTS: Counter(), STRUCTURED: Counter(), ASIDE: Counter()}
    for position, source in project.sources.items():
        if not source.is_fact or position in project.gone:
            continue
        place = bisect_left(positions, position)  # the next change after a fact was written with it or soon after
        known = happened[place].at.date() if place < len(happened) else until.date()
        counts[FACTS][known] += 1
        state = STRUCTURED if position in project.used else ASIDE if position in project.aside else ""
        if state:
            counts[state][max(settled.get(position, known), known)] += 1
    return Table(
        ("day", "what", "how many"), tuple(row for what in counts for row in _running_totals(what, counts)), "Coverage"
    )


def usage_trend_table(spent: Mapping[Spending, Spent]) -> Table:
    """The usage of models, by day, step and model."""
    rows: list[tuple[Cell, ...]] = [
        (
            date.fromisoformat(one.day),
            one.step or "other",
            one.model,
            usage.calls,
            usage.tokens,
            Money(usage.cost, CURRENCY) if usage.unpriced < usage.calls else None,
        )
        for one, usage in sorted(spent.items())
    ]
    return Table(("day", "step", "model", "calls", "tokens", "cost"), tuple(rows), "Cost")


def _running_totals(what: str, counts: Mapping[str, Counter[date]]) -> list[tuple[Cell, ...]]:
    """The running total on each day with any change, so that all lines have the same points."""
    days = sorted({day for each in counts.values() for day in each})
    sums = list(accumulate(counts[what][day] for day in days))
    every = max(-(-len(days) // POINTS), 1)
    chosen = {*range(0, len(days), every), len(days) - 1}
    return [(day, what, number) for place, (day, number) in enumerate(zip(days, sums, strict=True)) if place in chosen]


def _latest_count(covered: Table, what: str) -> int:
    numbers = [row[2] for row in covered if row[1] == what]
    return numbers[-1] if numbers and isinstance(numbers[-1], int) else 0


def _trend_aside_reasons(project: Project) -> list[tuple[str, int]]:
    """Why facts were set aside, most frequent first."""
    return Counter(aside.why for aside in project.aside.values()).most_common(10)


def _trend_usage_by_step(spent: Mapping[Spending, Spent]) -> list[tuple[str, str, Spent]]:
    """By step and model."""
    sums: dict[tuple[str, str], Spent] = {}
    for one, usage in spent.items():
        key = (one.step or "other", one.model)
        sums[key] = sums.get(key, Spent()).plus(usage)
    return [(*key, sums[key]) for key in sorted(sums)]


PAGES = (Page("/users/{user}/course", trends_page, title="Over time", letter="t", group="Kept"),)
