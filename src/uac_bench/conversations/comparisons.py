"""Two comparisons over made-up lives: remembering in two steps or in one call, and two rules of what may be missing."""

from collections.abc import Mapping

import msgspec

from uac import __version__
from uac_bench.conversations.completeness import Readings, count_warnings, play_readings, sum_warnings
from uac_bench.conversations.lives import Life
from uac_bench.conversations.one_call import CallCost, play_both_ways, sum_costs
from uac_bench.harness import SuiteRun
from uac_bench.runs import BenchItem, System, Verdict

__all__ = ["compare_warnings", "compare_ways"]

WAYS = ("two steps", "one call")
INCOMPLETE = "may be incomplete"
WARNING_HEADS = (
    *("user", "moment", "rule", "answers", "incomplete", "said so"),
    *("not said", "said wrongly", "of the complete ones"),
)


def compare_ways(suite: SuiteRun, lives: Mapping[str, Life]) -> None:
    """Print what it costs an agent to have a fact remembered, in two steps and in one call."""
    out = suite.out
    played = suite.measure("users", play_both_ways, lives, tuple[CallCost, CallCost])
    _record_ways(suite, played)
    if out.as_json:
        figures = ("calls", "tokens", "facts", "things", "right")
        out.json(
            {
                name: [{each: getattr(cost, each) for each in figures} for cost in costs]
                for name, costs in played.items()
            }
        )
    heads = ("user", "way", "calls", "tokens", "facts", "things right", "calls per fact", "tokens per fact")
    two, one = (sum_costs(costs) for costs in zip(*played.values(), strict=True))
    rows = [
        (
            *(name, way, str(cost.calls), str(cost.tokens), str(cost.facts), f"{cost.right}/{cost.things}"),
            *(f"{cost.calls_per_fact:.2f}", f"{cost.tokens_per_fact:.0f}"),
        )
        for name, costs in (*played.items(), ("all", (two, one)))
        for way, cost in zip(WAYS, costs, strict=True)
    ]
    out.line(("calls and tokens for each fact:", "bold"))
    out.table(heads, rows)
    suite.compare(ours="one call", title="things that are right in memory at the end")
    suite.finish(
        [System(way, __version__, is_ours=True) for way in reversed(WAYS)],
        headline=f"Tokens for each fact: {one.tokens_per_fact:.0f} in one call, {two.tokens_per_fact:.0f} in two"
        " steps.",
    )


def _record_ways(suite: SuiteRun, played: Mapping[str, tuple[CallCost, CallCost]]) -> None:
    for name, costs in played.items():
        for system, cost in zip(WAYS, costs, strict=True):
            for number, why in enumerate(cost.verdicts):
                verdict: Verdict = "wrong" if why else "right"
                suite.record(BenchItem(id=f"{name}/thing {number}", system=system, verdict=verdict, why=why))
            spent = f"{cost.calls} calls for {cost.facts} facts"
            suite.record(
                BenchItem(id=f"{name}/cost", system=system, verdict="unscored", given=spent, tokens=cost.tokens)
            )


def compare_warnings(suite: SuiteRun, lives: Mapping[str, Life]) -> None:
    """Print how many answers said that they may be incomplete, and how many were."""
    out = suite.out
    played = suite.measure("users", play_readings, lives, Readings)
    _record_warnings(suite, played)
    counted = {name: count_warnings(readings) for name, readings in played.items()}
    if out.as_json:
        out.json(
            {
                name: {f"{moment}, {rule}": msgspec.to_builtins(each) for (moment, rule), each in counts.items()}
                for name, counts in counted.items()
            }
        )
    total = sum_warnings(list(counted.values()))
    rows = [
        (
            *(name, moment, rule, str(each.answers), str(each.incomplete), str(each.right)),
            *(str(each.incomplete - each.right), str(each.wrong)),
            f"{each.wrong / max(1, each.answers - each.incomplete):.1%}",
        )
        for name, counts in (*counted.items(), ("all", total))
        for (moment, rule), each in counts.items()
    ]
    out.line(("answers that say that they may be incomplete:", "bold"))
    out.table(WARNING_HEADS, rows)
    suite.compare(ours="by query", title="answers that say rightly whether they may be incomplete")
    ours = [each for (_moment, rule), each in total.items() if rule == "by query"]
    suite.finish(
        [
            System("by query", __version__, "What each result states.", is_ours=True),
            System("by domain", about="Any fact that waits, or that was set aside in the domain, may be missing."),
        ],
        headline=f"{sum(each.right for each in ours)} of {sum(each.incomplete for each in ours)} incomplete answers say"
        " so.",
    )


def _record_warnings(suite: SuiteRun, played: Mapping[str, Readings]) -> None:
    for name, readings in played.items():
        for moment, some in readings.items():
            for number, reading in enumerate(some):
                for rule, warns in reading.warns.items():
                    verdict: Verdict = "right" if warns == reading.is_incomplete else "wrong"
                    given, gold = (INCOMPLETE if each else "" for each in (warns, reading.is_incomplete))
                    suite.record(
                        BenchItem(
                            id=f"{name}/{moment} {number}",
                            system=rule,
                            verdict=verdict,
                            group=moment,
                            given=given,
                            gold=gold,
                        )
                    )
