"""uac-bench conversations: made-up lives whose truth is known, told in chats and learned by a model without memory.

The model reads perfectly and remembers nothing, so what goes wrong is the memory's: a record that a request did not
show, a true fact that a check refused, a record that was doubled or not corrected.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
import msgspec

from uac import Model
from uac.conversation import prompt_text
from uac_bench.conversations.comparisons import compare_warnings, compare_ways
from uac_bench.conversations.due_alerts import JudgedAlert, due_cases
from uac_bench.conversations.generator import generate_life
from uac_bench.conversations.lives import NATURAL_USERS, Life, natural_file, read_natural_life
from uac_bench.conversations.questions import life_questions
from uac_bench.conversations.replay import LearningStopped, Score, replay
from uac_bench.conversations.steps import STEP_HEADS, group_rows
from uac_bench.conversations.styles import STYLES, Style
from uac_bench.conversations.truthful_model import TruthfulModel
from uac_bench.conversations.weak_models import UNCHECKED, WEAKNESSES, WeakModel
from uac_bench.conversations.wording import LANGUAGES, Language
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.measure import machine_description
from uac_bench.model_options import AWAITED, SpendingModels, model_options, open_bench_models
from uac_bench.runs import BenchItem, System, Verdict

__all__ = ["bench_conversations", "summarize_scores"]

ABOUT = {
    "conversations": "Made-up users whose truth is known; a model learns that reads perfectly and remembers nothing.",
    "weak-models": "What arrives in memory from a model that is weak in one way, and what it costs.",
    "one-call": "What it costs an agent to have a fact remembered: in two steps, and in one call.",
    "completeness": "How often an answer says rightly, and how often wrongly, that it may be incomplete.",
}
SHOWN_GOAL = 0.99
WEAK_SESSIONS = 12
WEAK_QUESTIONS = 2  # of each kind
COST_BOUND = 3.0  # requests and tokens for each fact with a weak model, against the same model without the weakness
RIGHT_BOUND = 0.5  # of the things that are right with a weak model
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
    default=LANGUAGES,
    show_default=True,
    help="Languages that the users speak, in turn.",
)
@click.option(
    "--style",
    "styles",
    type=click.Choice(STYLES),
    multiple=True,
    default=STYLES,
    show_default=True,
    help="How the users write, in turn: 20 users have each language in each style.",
)
@click.option("--natural", is_flag=True, help="Play the six users whose chats were written by hand instead.")
@click.option("--weak", is_flag=True, help="Play one user with each kind of weak model.")
@click.option("--one-call", is_flag=True, help="Compare calls and tokens for each fact: in two steps, and in one call.")
@click.option(
    "--completeness", is_flag=True, help="Count the answers that say rightly or wrongly that they may be incomplete."
)
@click.option("--shown", is_flag=True, help="List every fact whose record was not shown, and every wrong record.")
@model_options
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_conversations(
    context: click.Context,
    sessions: int,
    users: int,
    seed: int,
    languages: Sequence[Language],
    styles: Sequence[Style],
    natural: bool,
    weak: bool,
    one_call: bool,
    completeness: bool,
    shown: bool,
    model: str,
    exchange: Path | None,
    budget: str,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Measure what a model that sees one request at a time can learn.

    Users tell of their lives for many sessions, in four languages and five styles. Half of what they
    say corrects, moves, cancels, returns or repeats something said before; some is about other people.
    Each step is scored against the truth: facts found, records and types in the request, records
    right at the end, rules that fired when due and were silent otherwise, and answers to questions of
    eight kinds. Exits with 1 if fewer than 99 of 100 records were shown.

    With --model or --exchange, that model learns instead. Its facts are matched by the place of their
    quotes, and facts, records and answers are judged by their names, numbers and days, whichever words
    and types it chooses. If the budget ends, all items of the users who are not learned yet are failed.
    A run that is interrupted continues after the last user who was learned.

    With --weak, a model that is weak in one way each answers for the first user, in the first language
    and style (12 sessions unless --sessions says otherwise). Exits with 1 if anything got in that was
    never said, if a weakness costs more than three times the requests or tokens, or if less than half
    of the things are right.
    """
    name = "weak-models" if weak else "one-call" if one_call else "completeness" if completeness else "conversations"
    name += "-natural" if natural else ""
    models = open_bench_models(model, exchange, budget)
    suite = SuiteRun(
        name if models is None else f"{name}-model",
        ABOUT[name.removesuffix("-natural")],
        out_folder,
        as_json=as_json,
        data=[natural_file(each) for each in NATURAL_USERS] if natural else [],
        seed=seed,
        model="" if models is None else models.name,
        is_live=models is not None and models.is_live,
        prompts={each: sha256(prompt_text(each).encode()).hexdigest() for each in ("extract", "checkpoint", "ask")},
    )
    out = suite.out
    if weak and context.get_parameter_source("sessions") is click.core.ParameterSource.DEFAULT:
        sessions = WEAK_SESSIONS
    lives = _lives(sessions, 1 if weak else users, seed, languages, styles, natural=natural)
    if weak:
        context.exit(_compare_weak(suite, next(iter(lives.values())), in_full=shown))
    if one_call:
        compare_ways(suite, lives)
        return
    if completeness:
        compare_warnings(suite, lives)
        return
    waiting = 0 if models is None else models.awaited
    scores, stopped = _learn_lives(suite, lives, models)
    if models is not None and models.awaited > waiting:
        context.exit(AWAITED)
    total = summarize_scores(list(scores.values()))
    if as_json:
        by_user = {name: msgspec.to_builtins(score) for name, score in scores.items()}
        out.json({"total": total, "users": by_user, "machine": machine_description()})
    out.line(("by user:", "bold"))
    out.table(HEADS, [_row(name, score) for name, score in scores.items()])
    for line in _lines(list(scores.values()), total, in_full=shown):
        out.line(line)
    out.line(("each step apart:", "bold"))
    out.table(STEP_HEADS, group_rows(list(scores.values())), headed=True)
    for name, why in stopped.items():
        out.line((f"{name} failed: ", "red"), why)
    suite.compare(title=ITEMS)
    suite.finish()
    context.exit(1 if total["touching"] and total["shown_share"] < SHOWN_GOAL else 0)


def _learn_lives(
    suite: SuiteRun, lives: Mapping[str, Life], models: SpendingModels | None
) -> tuple[dict[str, Score], dict[str, str]]:
    """Each user's score; and why a user's learning stopped.

    If the budget ends, all items of that user and of those who follow are failed. A user who waits for a reply has none
    yet, and the next one is asked about.
    """
    stopped: dict[str, str] = {}

    def learn(user: tuple[str, Life]) -> Score | None:
        name, life = user
        waiting = 0 if models is None else models.awaited
        try:
            score = replay(life, _model_of(models))
        except LearningStopped as error:
            suite.out.note(f"{name}: {error}")
            if models is None or models.awaited == waiting:
                stopped[name] = str(error)
                _record_failed(suite, name, life, str(error))
            return None
        suite.out.note(f"{name} ({score.language}, {score.style}): {score.right} of {score.things} things right")
        _record_items(suite, name, score)
        return score

    return suite.measure("users", learn, {each[0]: each for each in lives.items()}, Score), stopped


def _record_failed(suite: SuiteRun, name: str, life: Life, why: str) -> None:
    """The items of a user who could not be learned."""
    groups = {f"thing {number}": "records right" for number, _thing in enumerate(life.things)}
    for alert in due_cases(life):
        groups[_alert_id(alert)] = _alert_group(alert)
    groups |= {question.text: f"answers: {question.kind}" for question in life_questions(life)}
    for of, group in groups.items():
        suite.record(BenchItem(id=f"{name}/{of}", system=OURS, verdict="failed", group=group, why=why))


def _alert_id(alert: JudgedAlert) -> str:
    return f"{alert.rule} {' '.join(map(str, alert.things))}"


def _alert_group(alert: JudgedAlert) -> str:
    return "rules fired" if alert.is_due else "rules silent"


def _model_of(models: SpendingModels | None) -> Callable[[TruthfulModel], Model]:
    """The model that learns: the truthful one, unless another was chosen."""
    chosen = None if models is None else models.for_step("extract")
    return lambda truthful: truthful if chosen is None else chosen


def _record_items(suite: SuiteRun, name: str, score: Score, system: str = OURS) -> None:
    """One item for each thing of a life, each alert that is due or must not be raised, and each answer."""

    def record(of: str, why: str, group: str, given: str = "", gold: str = "") -> None:
        verdict: Verdict = "wrong" if why else "right"
        suite.record(
            BenchItem(id=f"{name}/{of}", system=system, verdict=verdict, group=group, why=why, given=given, gold=gold)
        )

    for number, why in enumerate(score.verdicts):
        record(f"thing {number}", why, "records right")
    for alert in score.alerts:
        record(_alert_id(alert), alert.why, _alert_group(alert))
    for answer in score.answers:
        record(answer.question, answer.why, f"answers: {answer.kind}", answer.given, answer.gold)


ITEMS = "things that are right in memory at the end, alerts and answers"


def _lives(
    sessions: int, users: int, seed: int, languages: Sequence[Language], styles: Sequence[Style], *, natural: bool
) -> dict[str, Life]:
    """Each user's name and life."""
    if natural:
        return {name: read_natural_life(name) for name in NATURAL_USERS}
    return {
        f"user {seed + number}": generate_life(
            seed + number, sessions, languages[number % len(languages)], styles[number % len(styles)]
        )
        for number in range(users)
    }


def _compare_weak(suite: SuiteRun, life: Life, *, in_full: bool) -> int:
    """Print what arrives from weak models and what it costs. 1 if a bound is passed."""
    out = suite.out

    def play(name: str) -> Score:
        model_of = partial(WeakModel, name=name) if name in WEAKNESSES else lambda truthful: truthful
        score = replay(life, model_of, each=WEAK_QUESTIONS)
        out.note(f"{name}: {score.right} of {score.things} things right, {len(score.false)} wrong")
        _record_items(suite, "user", score, name)
        return score

    scores = suite.measure("weaknesses", play, {name: name for name in ("not weak", *WEAKNESSES)}, Score)
    strong = scores["not weak"]
    failures = [why for name, score in scores.items() for why in _weak_failures(name, score, strong)]
    if out.as_json:
        figures = {name: msgspec.to_builtins(score) for name, score in scores.items()}
        out.json({"weaknesses": figures, "failures": failures, "machine": machine_description()})
    out.line(("what arrives, and what it costs:", "bold"))
    out.table(WEAK_HEADS, [_weak_row(name, score, strong) for name, score in scores.items()])
    for name, score in scores.items():
        for title, items in (("Never said", score.false), ("Not right", score.wrong if in_full else ())):
            for item in items[: None if in_full else LISTED]:
                out.line(f"{title}, {name}: {item}")
    for why in failures:
        out.line(f"Goal missed: {why}")
    suite.compare(ours="not weak", title=ITEMS)
    systems = [System(name, about="the same model, weak in this way", is_ours=True) for name in scores]
    right = {name: score.right / max(1, score.things) for name, score in scores.items() if name != "not weak"}
    worst = min(right, key=lambda name: right[name])
    false = sum(len(score.false) for name, score in scores.items() if name not in UNCHECKED)
    suite.finish(
        systems,
        headline=f"{len(right)} weaknesses: at least {right[worst]:.0%} of the things are right ({worst});"
        f" {false} values in memory that were never said.",
    )
    return 1 if failures else 0


def _weak_failures(name: str, score: Score, strong: Score) -> Iterator[str]:
    if score.false and name not in UNCHECKED:
        yield f"{name}: {len(score.false)} values or facts in memory that were never said (goal 0)"
    if score.right < RIGHT_BOUND * score.things:
        yield f"{name}: {score.right / max(1, score.things):.0%} of the things are right (goal {RIGHT_BOUND:.0%})"
    for what, cost, bound in (
        ("requests", score.requests, COST_BOUND * strong.requests),
        ("tokens", score.tokens, COST_BOUND * strong.tokens),
    ):
        if cost > bound:
            yield f"{name}: {cost} {what}, more than {COST_BOUND:g} times as many as without the weakness"


WEAK_HEADS = (
    *("weakness", "facts taken", "things right", "of them", "never said", "twice", "stuck", "alerts", "answers"),
    *("requests per fact", "times", "tokens per fact", "times"),
)


def _weak_row(name: str, score: Score, strong: Score) -> tuple[str, ...]:
    facts = max(1, score.facts)
    return (
        *(name, f"{score.taken}/{score.facts}", f"{score.right}/{score.things}"),
        f"{score.right / max(1, score.things):.0%}",
        *(str(len(score.false)), str(score.doubled), str(score.stuck)),
        *(f"{sum(not each.why for each in judged)}/{len(judged)}" for judged in (score.alerts, score.answers)),
        *(f"{score.requests / facts:.2f}", f"{score.requests / max(1, strong.requests):.2f}"),
        *(f"{score.tokens / facts:.0f}", f"{score.tokens / max(1, strong.tokens):.2f}"),
    )


HEADS = (
    *("model or user", "language", "style", "facts taken", "records shown", "types shown", "things right", "doubled"),
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
    return (name, score.language, score.style, *shares, str(score.doubled), *figures)


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
    yield f"Tokens of the manifest at the end: {', '.join(str(score.manifest) for score in scores)}"
    for title, items in (
        ("Not shown", [f"{one.type}, {one.act}: {one.fact}" for score in scores for one in score.missed]),
        ("Not right", [why for score in scores for why in score.wrong]),
        ("Alert", [f"{one.rule}: {one.why}" for score in scores for one in score.alerts if one.why]),
        ("Answer", [f"{one.question} {one.why}" for score in scores for one in score.answers if one.why]),
    ):
        yield from (f"{title}: {item}" for item in items[:most])
        if most is not None and len(items) > most:
            yield f"{title}: {len(items) - most} more; --shown lists all"
    reasons = Counter[str]()
    for score in scores:
        reasons.update(score.reasons)
    yield from (f"Refused {times} times: {why}" for why, times in reasons.most_common(most))
