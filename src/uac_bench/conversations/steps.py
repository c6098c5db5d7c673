"""The steps of learning from a conversation, each scored apart, with its interval: for all users, and for groups."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from uac.conversation import wilson
from uac_bench.conversations.questions import QUESTION_KINDS
from uac_bench.conversations.replay import Score

__all__ = ["STEPS", "STEP_HEADS", "group_rows", "step_rows"]

Count = tuple[int, int]
"""How many are right, of how many."""
STEP_HEADS = ("users", "step", "right", "share", "95 % interval")


def _alerts(score: Score, *, due: bool) -> Count:
    judged = [alert for alert in score.alerts if alert.is_due == due]
    return sum(not alert.why for alert in judged), len(judged)


def _answers(score: Score, kind: str = "") -> Count:
    judged = [answer for answer in score.answers if kind in ("", answer.kind)]
    return sum(not answer.why for answer in judged), len(judged)


STEPS: Mapping[str, Callable[[Score], Count]] = {
    "facts found": lambda score: (score.taken, score.facts),
    "records shown": lambda score: (score.shown, score.touching),
    "types shown": lambda score: (score.fitted, score.new),
    "records right": lambda score: (score.right, score.things),
    "others' doings kept apart": lambda score: (score.kept_apart, score.others),
    "rules fired": lambda score: _alerts(score, due=True),
    "rules silent": lambda score: _alerts(score, due=False),
    "answers": _answers,
}
"""Records shown and types shown are about requests. A rule is right if its alert is active exactly as long as due."""


def step_rows(scores: Sequence[Score], users: str = "all") -> Iterator[tuple[str, ...]]:
    """A row for each step, and for all users one for each kind of question."""
    steps = dict(STEPS)
    if users == "all":
        steps |= {f"answers: {kind}": _answers_of(kind) for kind in QUESTION_KINDS}
    for step, count in steps.items():
        counts = [count(score) for score in scores]
        right, of = (sum(part) for part in zip(*counts, strict=True))
        if of:
            share = wilson(right, of)
            yield users, step, f"{right}/{of}", f"{share.share:.1%}", f"{share.low:.1%} to {share.high:.1%}"


def group_rows(scores: Sequence[Score]) -> Iterator[tuple[str, ...]]:
    """The rows of all users, of each language and of each style."""
    yield from step_rows(scores)
    for groups in ([score.language for score in scores], [score.style for score in scores]):
        names = list(dict.fromkeys(groups))
        for name in names if len(names) > 1 else ():
            yield from step_rows([score for score, of in zip(scores, groups, strict=True) if of == name], name)


def _answers_of(kind: str) -> Callable[[Score], Count]:
    return lambda score: _answers(score, kind)
