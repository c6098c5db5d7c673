"""The runs of the page by theme, each with a title that says what was asked, and the figure that answers it."""

from collections.abc import Sequence
from typing import NamedTuple

from uac.conversation import Share
from uac_bench.report.results import RunSection
from uac_bench.runs import BenchRun

__all__ = ["RunTheme", "headline", "ordered_themes", "run_title"]

TITLES = {
    "Counting": {
        "analytical": "Questions that need counting",
        "analytical-model": "Questions that need counting, asked of a model",
        "growth": "The same questions as records grow",
        "time": "What was true, told and known when",
    },
    "Alerts that nobody asked for": {
        "alerts": "Dangers that nobody asks about",
        "alerts-model": "Dangers that nobody asks about, learned by a model",
        "alert-controls": "Near misses that must stay silent",
        "knowledge": "Dangers that labels and tables name",
    },
    "Learning from conversations": {
        "conversations": "Made-up users whose truth is known",
        "conversations-natural": "Users whose chats were written by hand",
        "conversations-model": "A user who is learned by a model",
        "weak-models": "What arrives from weak models",
        "dates": "Dates and numbers in the user's words",
        "completeness": "Does an answer say that it may be incomplete?",
        "one-call": "One call for an agent, or two steps",
    },
    "Finding what was said": {
        "recall-written-reported": "A chat written by hand",
        "recall-written-reported-2": "A chat by a second author",
        "recall-written-reported-3": "A chat by a third author",
        "recall-written-reported-4": "A chat by a fourth author",
        "recall-written-develop": "A chat written by hand, used for development",
        "recall-written-develop-2": "A chat by a second author, used for development",
        "recall-written-develop-3": "A chat by a third author, used for development",
        "recall-reported": "Made-up chats",
        "recall-develop": "Made-up chats, used for development",
        "recall-locomo": "LOCOMO: conversations of two people",
        "recall-longmemeval": "LongMemEval",
        "recall-beam": "BEAM",
        "recall-realmem": "RealMem",
        "peers": "Real peers, with the same passages and embedder",
        "answers-locomo": "LOCOMO, answered by a model",
        "answers-longmemeval": "LongMemEval, answered by a model",
        "answers-beam": "BEAM, answered by a model",
        "answers-realmem": "RealMem, answered by a model",
    },
    "Parts and cost": {
        "ablation": "What each part is worth",
        "ablation-recall": "What each channel of recall is worth on LOCOMO",
        "cost": "Tokens of a session as history grows",
    },
    "When things go wrong": {
        "faults": "Writes that fail and writers that are killed",
        "schema": "Types that change under active rules",
        "leaks": "Reading what a member of a group does not share",
        "work": "Workers that are killed while they learn",
        "soak": "Mixed requests for many users",
    },
    "Speed and size": {
        "log": "The log",
        "project": "The project",
        "recall-speed": "Recall",
        "serve": "The HTTP service",
        "fleet": "A rule for all users",
        "start": "Commands in a fresh process",
        "install": "A fresh installation",
        "first-alert": "From nothing to the first alert",
    },
}
"""Titles of suites by theme, in the order of the page. A suite that is not listed comes last, by its name."""
OTHER = "More"


class RunTheme(NamedTuple):
    title: str
    sections: tuple[RunSection, ...]

    @property
    def anchor(self) -> str:
        return "theme-" + self.title.lower().replace(" ", "-")


def run_title(run: BenchRun) -> str:
    return next((titles[run.suite] for titles in TITLES.values() if run.suite in titles), run.suite)


def ordered_themes(sections: Sequence[RunSection]) -> tuple[RunTheme, ...]:
    """The sections by theme; themes without a run are left out."""
    left = {section.run.suite: section for section in sections}
    found = [
        RunTheme(title, tuple(left.pop(suite) for suite in suites if suite in left)) for title, suites in TITLES.items()
    ]
    found.append(RunTheme(OTHER, tuple(left[suite] for suite in sorted(left))))
    return tuple(theme for theme in found if theme.sections)


def headline(section: RunSection) -> tuple[str, str]:
    """The figure of ours, and that of the best other system; nothing where the suite has none."""
    if section.run.headline:
        return section.run.headline, ""
    plain = next((system.name for system in section.run.systems if system.is_ours), "")
    ours = next((row for row in section.rows if row.system.name == plain), None)
    others = [row for row in section.rows if not row.system.is_ours]
    best = max(others, key=lambda row: row.share.share, default=None)
    return (
        _share_text(ours.share) if ours is not None else "",
        "" if best is None else f"{best.system.name}: {100 * best.share.share:.1f} %",
    )


def _share_text(share: Share) -> str:
    return f"{100 * share.share:.1f} % of {share.of:,} ({100 * share.low:.1f}–{100 * share.high:.1f})"
