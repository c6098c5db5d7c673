"""The outcomes of `uac-bench recall` as items, systems and curves of a run."""

import math
from collections.abc import Iterable, Iterator, Sequence

from uac import __version__
from uac_bench.chats.measure import SEVERAL, ChatOutcome
from uac_bench.harness import OURS
from uac_bench.locomo import CATEGORIES, Outcome, Suite
from uac_bench.runs import BenchItem, BenchTable, Curve, CurvePoint, System

__all__ = [
    "Part",
    "chat_curves",
    "chat_items",
    "recall_curves",
    "recall_items",
    "recall_systems",
    "wrong_gold_table",
]

Part = list[tuple[str, float, dict[int, list[Outcome]]]]
"""Each scheme with its seconds and its outcomes by budget."""

Z_95 = 1.96
FURTHER = "Some questions have up to three further queries, by an author who knew the words of the chat."


def recall_items(part: Part) -> Iterator[BenchItem]:
    """One item for each question, scheme and budget."""
    for scheme, _seconds, by_budget in part:
        for budget, outcomes in by_budget.items():
            for number, outcome in enumerate(outcomes):
                yield BenchItem(
                    id=f"{outcome.conversation}/{number}@{budget}",
                    system=scheme,
                    verdict="right" if outcome.share == 1 else "wrong",
                    group=CATEGORIES[outcome.category],
                    score=round(outcome.share, 4),
                    why=outcome.fault,
                    tokens=outcome.tokens,
                )


def recall_curves(items: Sequence[BenchItem]) -> list[Curve]:
    """The mean share of the evidence by the size of the context."""
    found: dict[str, dict[int, list[float]]] = {}
    for item in items:
        budget = int(item.id.rpartition("@")[2])
        if budget and item.score is not None and not item.system.startswith("without "):
            found.setdefault(item.system, {}).setdefault(budget, []).append(item.score)
    return _evidence_curves(found)


def chat_curves(outcomes: Iterable[ChatOutcome]) -> list[Curve]:
    found: dict[str, dict[int, list[float]]] = {}
    for outcome in outcomes:
        if not outcome.scheme.startswith("without "):
            found.setdefault(outcome.scheme, {}).setdefault(outcome.budget, []).append(outcome.share)
    return _evidence_curves(found)


def _evidence_curves(found: dict[str, dict[int, list[float]]]) -> list[Curve]:
    lines = {
        system: tuple(_mean_point(budget, shares) for budget, shares in sorted(by_budget.items()))
        for system, by_budget in found.items()
    }
    if max((len(points) for points in lines.values()), default=0) < 2:
        return []
    note = "The mean over questions, with the 95 % interval of the mean."
    title = "Evidence in the context by its size"
    return [Curve(title=title, x="tokens", y="share of the evidence", lines=lines, is_log_x=True, note=note)]


def _mean_point(place: float, shares: Sequence[float]) -> CurvePoint:
    mean = math.fsum(shares) / len(shares)
    spread = math.sqrt(math.fsum((share - mean) ** 2 for share in shares) / max(len(shares) - 1, 1) / len(shares))
    return CurvePoint(place, mean, max(0.0, mean - Z_95 * spread), min(1.0, mean + Z_95 * spread))


def chat_items(outcomes: Iterable[ChatOutcome], budget: int) -> Iterator[BenchItem]:
    """One item for each question and scheme at one budget."""
    numbers: dict[tuple[str, str], int] = {}
    for outcome in outcomes:
        if outcome.budget == budget:
            place = (outcome.chat, outcome.scheme)
            numbers[place] = number = numbers.get(place, -1) + 1
            yield BenchItem(
                id=f"{outcome.chat}/{number}@{budget}",
                system=outcome.scheme,
                verdict="right" if outcome.share == 1 else "wrong",
                group=outcome.type,
                score=round(outcome.share, 4),
                tokens=outcome.tokens,
            )


def recall_systems(items: Iterable[BenchItem]) -> list[System]:
    """The schemes of a run. Those of others are rebuilt here, with the embedder that ours has."""
    found: list[System] = []
    for name in dict.fromkeys(item.system for item in items):
        is_ours = name.startswith((OURS, "recall", "context"))
        about = "" if is_ours or name.startswith("without ") else "Rebuilt here, with the same embedder and tokens."
        about = FURTHER if name == SEVERAL else about
        found.append(System(name, __version__ if is_ours else "", about, is_ours))
    return found


def wrong_gold_table(suite: Suite) -> BenchTable:
    """The questions whose gold an audit calls wrong, by their place among those that are scored."""
    rows = tuple(
        (f"{conversation.name}/{number}", CATEGORIES[question.category], question.fault)
        for conversation in suite.conversations
        for number, question in enumerate(conversation.questions)
        if question.fault
    )
    return BenchTable(title="Golds that an audit calls wrong", columns=("question", "category", "fault"), rows=rows)
