"""uac-bench conversations: made-up lives whose truth is known, told in chats and learned by a model without memory.

The model reads perfectly and remembers nothing, so what goes wrong is the memory's: a record that a request did not
show, a true fact that a check refused, a record that was doubled or not corrected.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, get_args

import click
import msgspec

from uac.interfaces.cli import Output
from uac_bench.conversations.generator import generate_life
from uac_bench.conversations.lives import NATURAL_USERS, Life, read_natural_life
from uac_bench.conversations.one_call import play_both_ways, sum_costs
from uac_bench.conversations.replay import Score, replay
from uac_bench.conversations.weak_models import WEAKNESSES, WeakModel
from uac_bench.conversations.wording import Language
from uac_bench.measure import machine_description

__all__ = ["bench_conversations", "summarize_scores"]

SHOWN_GOAL = 0.99
LANGUAGES: tuple[Language, ...] = get_args(Language)
LISTED = 12  # misses, wrong records and reasons that are listed


@click.command("conversations")
@click.option("--sessions", type=click.IntRange(min=2), default=60, show_default=True, help="Sessions of each user.")
@click.option("--users", type=click.IntRange(min=1), default=4, show_default=True, help="How many users.")
@click.option("--seed", type=int, default=1, show_default=True, help="Other seeds are other users.")
@click.option(
    "--language",
    "languages",
    type=click.Choice(LANGUAGES),
    multiple=True,
    default=("en", "en", "de", "es"),
    show_default=True,
    help="Languages that the users speak, in turn.",
)
@click.option("--natural", is_flag=True, help="Play the six users whose chats were written by hand instead.")
@click.option("--weak", is_flag=True, help="Play the first user once with each kind of weak model.")
@click.option("--one-call", is_flag=True, help="Compare calls and tokens for each fact: in two steps, and in one call.")
@click.option("--shown", is_flag=True, help="List every fact whose record was not shown, and every wrong record.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_conversations(
    context: click.Context,
    sessions: int,
    users: int,
    seed: int,
    languages: Sequence[Language],
    natural: bool,
    weak: bool,
    one_call: bool,
    shown: bool,
    as_json: bool,
) -> None:
    """Measure what a model that sees one request at a time can learn.

    Users tell of their lives for many sessions. Half of what they say corrects, moves, cancels,
    returns or repeats something said before. Printed: the share of such facts whose record was in
    the request, the share of things that are right in memory at the end, and the tokens. Exits
    with 1 if fewer than 99 of 100 records were shown.
    """
    out = Output(as_json=as_json)
    if one_call:
        _compare_ways(out, _lives(sessions, users, seed, languages, natural=natural))
        return
    scores: dict[str, Score] = {}
    for name, score in _plays(sessions, users, seed, languages, natural=natural, weak=weak):
        out.note(f"{name} ({score.language}): {score.right} of {score.things} things right")
        scores[name] = score
    total = summarize_scores(list(scores.values()))
    if as_json:
        by_user = {name: msgspec.structs.asdict(score) for name, score in scores.items()}
        out.json({"total": total, "users": by_user, "machine": machine_description()})
    else:
        out.table(HEADS, [_row(name, score) for name, score in scores.items()])
        for line in _lines(list(scores.values()), total, in_full=shown):
            out.line(line)
    context.exit(0 if weak or total["shown_share"] >= SHOWN_GOAL else 1)


def _plays(
    sessions: int, users: int, seed: int, languages: Sequence[Language], *, natural: bool, weak: bool
) -> Iterator[tuple[str, Score]]:
    """Each user's name and score; with `weak`, the first user's with each kind of weak model."""
    lives = _lives(sessions, users, seed, languages, natural=natural)
    if weak:
        _name, life = next(lives)
        yield "not weak", replay(life)
        yield from ((name, replay(life, partial(WeakModel, name=name))) for name in WEAKNESSES)
    else:
        yield from ((name, replay(life)) for name, life in lives)


def _lives(
    sessions: int, users: int, seed: int, languages: Sequence[Language], *, natural: bool
) -> Iterator[tuple[str, Life]]:
    """Each user's name and life."""
    if natural:
        yield from ((name, read_natural_life(name)) for name in NATURAL_USERS)
        return
    for number in range(users):
        yield f"user {seed + number}", generate_life(seed + number, sessions, languages[number % len(languages)])


def _compare_ways(out: Output, lives: Iterator[tuple[str, Life]]) -> None:
    """Print what it costs an agent to have a fact remembered, in two steps and in one call."""
    played = [(name, play_both_ways(life)) for name, life in lives]
    if out.as_json:
        out.json({name: [msgspec.structs.asdict(cost) for cost in costs] for name, costs in played})
        return
    heads = ("user", "way", "calls", "tokens", "facts", "things right", "calls per fact", "tokens per fact")
    totals = ("all", tuple(map(sum_costs, zip(*(costs for _name, costs in played), strict=True))))
    rows = [
        (
            *(name, way, str(cost.calls), str(cost.tokens), str(cost.facts), f"{cost.right}/{cost.things}"),
            *(f"{cost.calls_per_fact:.2f}", f"{cost.tokens_per_fact:.0f}"),
        )
        for name, costs in (*played, totals)
        for way, cost in zip(("two steps", "one call"), costs, strict=True)
    ]
    out.table(heads, rows)


HEADS = (
    *("model or user", "language", "facts taken", "records shown", "types shown", "things right", "doubled"),
    *("extract: requests", "tokens each", "checkpoint: requests", "tokens each"),
)


def summarize_scores(scores: Sequence[Score]) -> dict[str, Any]:
    """The figures of all users together."""
    sums = {
        name: sum(getattr(score, name) for score in scores)
        for name in ("facts", "taken", "touching", "shown", "new", "fitted", "things", "right", "doubled")
    }
    tokens = {
        step: sum(score.steps[step].input_tokens for score in scores)
        // max(1, sum(score.steps[step].requests for score in scores))
        for step in ("extract", "checkpoint")
    }
    return {
        **sums,
        "taken_share": sums["taken"] / max(1, sums["facts"]),
        "shown_share": sums["shown"] / max(1, sums["touching"]),
        "fitted_share": sums["fitted"] / max(1, sums["new"]),
        "right_share": sums["right"] / max(1, sums["things"]),
        "tokens_per_request": tokens,
    }


def _row(name: str, score: Score) -> tuple[str, ...]:
    steps = [score.steps[step] for step in ("extract", "checkpoint")]
    figures = [cell for step in steps for cell in (str(step.requests), str(step.input_tokens // max(1, step.requests)))]
    pairs = ("taken", "facts"), ("shown", "touching"), ("fitted", "new"), ("right", "things")
    shares = (f"{getattr(score, part)}/{getattr(score, whole)}" for part, whole in pairs)
    return (name, score.language, *shares, str(score.doubled), *figures)


def _lines(scores: Sequence[Score], total: dict[str, Any], *, in_full: bool) -> Iterator[str]:
    most = None if in_full else LISTED
    parts = Counter[str]()
    for score in scores:
        parts.update(score.parts)
    requests = max(1, parts.pop("requests", 1))
    yield (
        f"Facts taken: {total['taken_share']:.1%}. Records shown: {total['shown_share']:.1%} of {total['touching']}"
        f" (goal {SHOWN_GOAL:.0%}). Types shown: {total['fitted_share']:.1%} of {total['new']}."
        f" Things right: {total['right_share']:.1%} of {total['things']}."
    )
    yield "Tokens of a first checkpoint request: " + ", ".join(
        f"{name} {size // requests}" for name, size in parts.most_common()
    )
    for title, items in (
        ("Not shown", [f"{one.type}, {one.act}: {one.fact}" for score in scores for one in score.missed]),
        ("Not right", [why for score in scores for why in score.wrong]),
    ):
        yield from (f"{title}: {item}" for item in items[:most])
        if most is not None and len(items) > most:
            yield f"{title}: {len(items) - most} more; --shown lists all"
    reasons = Counter[str]()
    for score in scores:
        reasons.update(score.reasons)
    yield from (f"Refused {times} times: {why}" for why, times in reasons.most_common(most))
