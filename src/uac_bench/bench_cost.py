"""uac-bench cost: what learning costs in a model's tokens, and whether a session costs more the longer the history is.

A user talks for a hundred sessions. A model that is a script reads the real requests and answers them; the real
checks take its replies. So the tokens are those of the requests that a vendor's model would be sent.
"""

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import fmean
from time import perf_counter, process_time
from typing import Any, NamedTuple

import click
import msgspec

from uac import Fact, Log, Memory, OneModel, Outcome, Reply, Request, open_store
from uac.errors import NoModel, UacError
from uac.interfaces.cli import Output
from uac.models import NO_BUDGET, Price, ScriptedModel, Step, parse_price, price
from uac.schema import counted
from uac.text import count_tokens
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.measure import machine_description, worker_cpu_seconds
from uac_bench.runs import BenchItem, Curve, CurvePoint, System
from uac_bench.simulated_life import PLANS, START, endless_conversations, simulated_reply

__all__ = [
    "FLAT",
    "CostReplay",
    "SessionCost",
    "bench_cost",
    "cost_curves",
    "cost_table_sessions",
    "print_cost_report",
    "replay_cost_sessions",
    "session_cost_growth",
]

ABOUT = "What learning a session costs in tokens while the history grows, against sending all of it each time."
FLAT = 1.3
"""The most that a session late in the history may cost, as a multiple of an early one."""
EARLY = range(6, 16)  # the sessions that the last ten are compared with
FULL_CONTEXT, WHOLE_STATE = "full context", "the paper's scheme: state rebuilt from all facts"
MARKS = (1, 10, 50, 100)
USER = "ana"
STORES = {"memory": "memory:", "SQLite": "{folder}/cost.db"}
LEARNING: tuple[Step, ...] = ("extract", "checkpoint")


class SessionCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one session cost, and how large the memory was after it."""

    session: int
    turns: int
    requests: dict[str, int]
    input_tokens: dict[str, int]
    output_tokens: dict[str, int]
    parts: dict[str, int]
    """The tokens of the requests by what they are spent on."""
    all_turns: int
    """Tokens of all that was said so far: what a memory sends that puts the whole history into each request."""
    all_facts: int
    """Tokens of all facts so far: what a memory sends that rebuilds its whole state from them."""
    entries: int
    facts: int
    records: int
    cpu: float
    sandbox_cpu: float
    wall: float

    @property
    def tokens(self) -> int:
        return sum(self.input_tokens.values()) + sum(self.output_tokens.values())


class CostReplay(msgspec.Struct, frozen=True, kw_only=True):
    """A whole history on one store."""

    store: str
    sessions: tuple[SessionCost, ...]
    offered: int
    """Facts and patches that the model gave."""
    refused: int
    sent_back: int
    """Replies that needed fixing."""
    replies: int
    waiting: int
    """Facts that are in no record at the end, and words that nobody could read."""
    aside: int
    """Facts that the model put into no record because the record or the type they need was not shown."""
    reasons: dict[str, int]


def _listed_price(_context: click.Context, option: click.Parameter, value: str) -> Price:
    try:
        return parse_price(value)
    except NoModel:
        raise click.BadParameter(f"{value!r} is not a price. Use two numbers such as 3/15.", param=option) from None


@click.command("cost")
@click.option(
    "--sessions",
    type=click.IntRange(min=20),
    default=100,
    show_default=True,
    help="The number of sessions in the history.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed is another user.")
@click.option(
    "--price",
    "listed",
    default="3/15",
    show_default=True,
    metavar="IN/OUT",
    callback=_listed_price,
    help="USD for a million tokens of input and of output.",
)
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_cost(
    context: click.Context, sessions: int, seed: int, listed: Price, out_folder: Path | None, as_json: bool
) -> None:
    """Measure what a session costs in tokens and money while the history grows.

    The history is made up and the model is a script; the requests and the checks are real. Two
    baselines are counted, both at their least: full context sends all turns in one request for each
    session, and the paper's scheme sends all facts and writes the whole state again. Exits with 1 if
    a late session costs more than 1.3 times an early one.
    """
    suite = SuiteRun("cost", ABOUT, out_folder, as_json=as_json, seed=seed)
    out = suite.out
    load = os.getloadavg()[0]
    try:
        replays = _replay_cost_on_stores(sessions, seed, suite)
    except UacError as error:
        raise click.ClickException(str(error)) from error
    notes = [f"{machine_description()}, load {load:.1f} to {os.getloadavg()[0]:.1f}"]
    is_flat = print_cost_report(replays, out, notes)
    out.line((f"money, at {listed.input} USD for a million tokens of input and {listed.output} of output:", "bold"))
    out.table(("system", *MONEY_HEADS), cost_money_rows(replays[0], listed), headed=True)
    last, first = replays[0].sessions[-1], replays[0].sessions[9]
    suite.finish(
        COST_SYSTEMS,
        curves=cost_curves(replays[0]),
        headline=f"Session 10: {first.tokens:,} tokens, session {last.session}: {last.tokens:,}; full context"
        f" {last.all_turns:,}.",
    )
    context.exit(0 if is_flat else 1)


def print_cost_report(replays: Sequence[CostReplay], out: Output, notes: Sequence[str] = ()) -> bool:
    """Print the measurements. Returns whether the line is flat."""
    found = replays[0]
    growth = session_cost_growth(found)
    is_flat = all(ratio <= FLAT for ratio in growth.values())
    notes = [*_cost_notes(replays), *notes, _cost_growth_verdict(growth)]
    if out.as_json:
        out.json(_cost_json(replays, growth, is_flat, notes))
    out.line(("a session", "bold"))
    out.table(
        HEADS, [_cost_session_cells(found.sessions[mark - 1]) for mark in cost_table_sessions(len(found.sessions))]
    )
    out.line(("tokens of the requests by part", "bold"))
    out.table(("", "request", "early", "late", "ratio", "share"), _cost_part_rows(found))
    out.line(("time of a session", "bold"))
    out.table(("", "", "store", "early", "late", "ratio"), _cost_time_rows(replays))
    for note in notes:
        out.line(note)
    return is_flat


def _replay_cost_on_stores(sessions: int, seed: int, suite: SuiteRun) -> list[CostReplay]:
    """The same history on both stores; the tokens of each session are items, those of the first store."""

    def replay(store: str) -> CostReplay:
        now = [START]
        with (
            tempfile.TemporaryDirectory(prefix="uac-bench-") as folder,
            closing(open_store(STORES[store].format(folder=folder), clock=lambda: now[0])) as opened,
            suite.out.progress(f"sessions, {store}", sessions) as bar,
        ):
            return replay_cost_sessions(store, opened.log(USER), now, sessions, seed, on_session=bar.advance)

    replays = list(suite.measure("stores", replay, {store: store for store in STORES}, CostReplay).values())
    for each in replays[0].sessions:
        for system, tokens in SYSTEM_TOKENS.items():
            name = f"session {each.session}"
            suite.record(BenchItem(id=name, system=system, verdict="unscored", tokens=tokens(each)))
    return replays


def replay_cost_sessions(
    store: str,
    log: Log,
    now: list[datetime],
    sessions: int,
    seed: int = 1,
    *,
    on_session: Callable[[], object] = lambda: None,
) -> CostReplay:
    """Live through the sessions: the words are added, then learned. `now` is the clock of the log, and is moved."""
    memory = Memory(log, clock=lambda: now[0])
    model = _TimedModel(ScriptedModel.answering(simulated_reply))
    found: list[SessionCost] = []
    every: list[Outcome] = []
    said = noted = turns = 0
    try:
        for number, talk in enumerate(islice(endless_conversations(seed), sessions), 1):
            outcomes: list[Outcome] = []
            before = _Clocks.read_clocks(model)
            for turn in talk:
                now[0] = turn.said
                memory.add(turn.text, said=turn.said, role=turn.role, session=f"session {number}")
            now[0] += timedelta(minutes=5)
            learned = memory.learn(OneModel(model), budget=NO_BUDGET, on_outcome=outcomes.append)
            if learned.stopped:
                raise click.ClickException(f"session {number}: {learned.stopped}")
            clocks = _Clocks.read_clocks(model)
            every += outcomes
            turns += len(talk)
            said += sum(count_tokens(f"{turn.role}: {turn.text}") for turn in talk)
            noted += sum(count_tokens(text) for text in _cost_fact_texts(memory.log, outcomes))
            project = memory.project()
            found.append(
                SessionCost(
                    session=number,
                    turns=turns,
                    requests=_by_step(outcomes, lambda _outcome: 1),
                    input_tokens=_by_step(outcomes, lambda outcome: outcome.reply.input_tokens),
                    output_tokens=_by_step(outcomes, lambda outcome: outcome.reply.output_tokens),
                    parts=_tokens_by_part(outcomes),
                    all_turns=said,
                    all_facts=noted,
                    entries=project.position,
                    facts=sum(len(outcome.facts) for outcome in every),
                    records=sum(project.count(name) for name in project.types),
                    cpu=clocks.cpu - before.cpu,
                    sandbox_cpu=clocks.workers - before.workers,
                    wall=clocks.wall - before.wall,
                )
            )
            on_session()
    finally:
        memory.close()
    return _summarise_cost_replay(store, found, every, memory)


class _TimedModel:
    """A model that adds up the seconds it takes."""

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model
        self.seconds = 0.0

    @property
    def name(self) -> str:
        return self._model.name

    def ask(self, request: Request) -> Reply:
        start = perf_counter()
        reply = self._model.ask(request)
        self.seconds += perf_counter() - start
        return reply


class _Clocks(NamedTuple):
    """Seconds so far, without those of the scripted model."""

    cpu: float
    workers: float
    wall: float

    @classmethod
    def read_clocks(cls, model: "_TimedModel") -> "_Clocks":
        return cls(process_time() - model.seconds, worker_cpu_seconds(), perf_counter() - model.seconds)


def _cost_fact_texts(log: Log, outcomes: Sequence[Outcome]) -> Iterator[str]:
    for position in (position for outcome in outcomes for position in outcome.facts):
        for stored in log.read(position, position + 1):
            if isinstance(stored.entry, Fact):
                yield stored.entry.text


def _by_step(outcomes: Sequence[Outcome], count: Callable[[Outcome], int]) -> dict[str, int]:
    return {step: sum(count(o) for o in outcomes if o.request.step == step) for step in LEARNING}


PARTS: Mapping[str, str] = {
    "manifest": "manifest",
    "types": "types",
    "offered": "types",
    "more_types": "types",
    "constraints": "constraints",
    "records": "records",
    "facts": "facts",
    "turns": "turns",
    "known_names": "known names",
    "look": "rest",
    "now": "rest",
    "conflicts": "records",
}


def _tokens_by_part(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """What the tokens of requests are spent on; marks around the parts count as the rest."""
    found: Counter[str] = Counter()
    for request in (outcome.request for outcome in outcomes):
        found["prompt"] += count_tokens(request.prompt)
        content: dict[str, Any] = json.loads(request.content)
        sizes = {name: count_tokens(json.dumps(part, ensure_ascii=False, indent=1)) for name, part in content.items()}
        for name, size in sizes.items():
            found[PARTS.get(name, "sent back")] += size
        found["rest"] += count_tokens(request.content) - sum(sizes.values())
    return dict(found)


def _summarise_cost_replay(
    store: str, found: Sequence[SessionCost], outcomes: Sequence[Outcome], memory: Memory
) -> CostReplay:
    project = memory.project()
    wrong = [finding for outcome in outcomes for finding in outcome.findings]
    replies = [json.loads(outcome.reply.text) for outcome in outcomes]
    patches = [patch for reply in replies for patch in reply.get("patches", ())]
    return CostReplay(
        store=store,
        sessions=tuple(found),
        offered=len(patches) + sum(len(reply.get("facts", ())) for reply in replies),
        refused=sum(1 for finding in wrong if finding.part),
        sent_back=sum(1 for outcome in outcomes if outcome.findings and outcome.is_open),
        replies=len(outcomes),
        waiting=len(project.waiting) + len(project.progress.stuck) + len(project.progress.unread),
        aside=sum(len(patch["cites"]) for patch in patches if patch["op"] == "set_aside"),
        reasons=dict(Counter(re.sub(r"\d+", "…", finding.why) for finding in wrong).most_common(10)),
    )


SYSTEM_TOKENS: Mapping[str, Callable[[SessionCost], int]] = {
    OURS: lambda each: each.tokens,
    FULL_CONTEXT: lambda each: each.all_turns,
    WHOLE_STATE: lambda each: 2 * each.all_facts,
}
"""The tokens that each system spends on a session."""
COST_SYSTEMS = (
    System(OURS, about="Requests and replies of the scripted model, as they are sent.", is_ours=True),
    System(FULL_CONTEXT, about="All turns in one request for each session, without instructions or reply."),
    System(
        WHOLE_STATE,
        about="All facts in one request for each session, and the whole state written again (counted as the facts).",
    ),
)


def cost_curves(found: CostReplay) -> list[Curve]:
    """The tokens of each session, ours and as others would send them."""

    def line(tokens: Callable[[SessionCost], int]) -> tuple[CurvePoint, ...]:
        sizes = [(each.session, tokens(each)) for each in found.sessions]
        return tuple(CurvePoint(session, size, size, size) for session, size in sizes)

    lines = {system: line(tokens) for system, tokens in SYSTEM_TOKENS.items()}
    note = "Counted, not sampled: there is no interval."
    return [Curve(title="Tokens of a session", x="session", y="tokens", lines=lines, note=note)]


MONEY_HEADS = ("session 10", "last session", "all sessions")


def cost_money_rows(found: CostReplay, listed: Price) -> Iterator[tuple[str, ...]]:
    """What each system's requests and replies cost in USD. Full context has no reply; the paper's is the state."""

    def usd(sessions: Sequence[SessionCost], size: Callable[[SessionCost], tuple[int, int]]) -> str:
        given, returned = (sum(column) for column in zip(*map(size, sessions), strict=True))
        return f"{price('', given, returned, listed=listed):.4f}"

    sizes: dict[str, Callable[[SessionCost], tuple[int, int]]] = {
        OURS: lambda each: (sum(each.input_tokens.values()), sum(each.output_tokens.values())),
        FULL_CONTEXT: lambda each: (each.all_turns, 0),
        WHOLE_STATE: lambda each: (each.all_facts, each.all_facts),
    }
    for name, size in sizes.items():
        parts = (found.sessions[9:10], found.sessions[-1:], found.sessions)
        yield name, *(usd(part, size) for part in parts)


# -- what is printed ---------------------------------------------------------------------------------------------------


HEADS = (
    *("", "session", "extract: requests", "input", "output", "checkpoint: requests", "input", "output", "tokens"),
    *("entries", "facts", "records", "all turns", "times ours", "all facts", "times ours"),
)


def cost_table_sessions(sessions: int) -> list[int]:
    """The sessions that are shown: some on the way, and the last."""
    return sorted({*(mark for mark in MARKS if mark <= sessions), sessions})


def session_cost_growth(found: CostReplay) -> dict[str, float]:
    """How many times as much a late session costs: one of the same plan as the tenth, and the last ten on average."""
    late = len(found.sessions) // PLANS * PLANS
    early_ten, last_ten = _first_and_last_ten(found.sessions)
    one = found.sessions[late - 1].tokens / found.sessions[9].tokens
    ten = fmean(each.tokens for each in last_ten) / fmean(each.tokens for each in early_ten)
    return {f"session {late} / session 10": one, "last ten / sessions 6 to 15": ten}


def _first_and_last_ten(sessions: Sequence[SessionCost]) -> tuple[Sequence[SessionCost], Sequence[SessionCost]]:
    return [each for each in sessions if each.session in EARLY], sessions[-10:]


def _cost_session_cells(each: SessionCost) -> tuple[str, ...]:
    steps = [
        f"{figures[step]:,}" for step in LEARNING for figures in (each.requests, each.input_tokens, each.output_tokens)
    ]
    sizes = [f"{size:,}" for size in (each.tokens, each.entries, each.facts, each.records)]
    whole = [cell for size in (each.all_turns, each.all_facts) for cell in (f"{size:,}", f"{size / each.tokens:.1f}")]
    return ("cost", str(each.session), *steps, *sizes, *whole)


def _cost_part_shares(found: CostReplay) -> list[tuple[str, float, float]]:
    """The parts of the requests of an average session, early and late."""
    early, late = (
        {part: fmean(each.parts.get(part, 0) for each in ten) for part in {p for each in ten for p in each.parts}}
        for ten in _first_and_last_ten(found.sessions)
    )
    return sorted(((part, early.get(part, 0.0), late.get(part, 0.0)) for part in early | late), key=lambda row: -row[2])


def _cost_part_rows(found: CostReplay) -> Iterator[tuple[str, ...]]:
    rows = _cost_part_shares(found)
    total = sum(late for _part, _early, late in rows)
    for part, early, late in rows:
        ratio = f"{late / early:.2f}" if early else "–"
        yield "part", part, f"{early:,.0f}", f"{late:,.0f}", ratio, f"{late / total:.0%}"


class _Time(NamedTuple):
    what: str
    store: str
    early: float
    late: float


def _cost_session_times(replays: Sequence[CostReplay]) -> Iterator[_Time]:
    for found in replays:
        ten = _first_and_last_ten(found.sessions)
        yield _Time("CPU", found.store, *(fmean(each.cpu for each in some) for some in ten))
        yield _Time("CPU of sandboxes", found.store, *(fmean(each.sandbox_cpu for each in some) for some in ten))
        yield _Time("wall", found.store, *(fmean(each.wall for each in some) for some in ten))


def _cost_time_rows(replays: Sequence[CostReplay]) -> Iterator[tuple[str, ...]]:
    for what, store, early, late in _cost_session_times(replays):
        ratio = f"{late / early:.2f}" if early else "–"
        yield "time", what, store, f"{early * 1000:.0f} ms", f"{late * 1000:.0f} ms", ratio


def _cost_notes(replays: Sequence[CostReplay]) -> Iterator[str]:
    found = replays[0]
    yield (
        "cost: tokens are estimates (uac.tokens), the same for every model. Every tenth session has the same plan with"
        " other things in it, so that sessions can be compared. All turns: what a request would hold that sends the"
        " whole history each time; all facts: one that rebuilds the state from all facts, not counting the state"
        " that is written again. Both without instructions."
    )
    yield (
        "part: tokens in the requests of a session, the average of sessions 6 to 15 (early) and of the last ten (late)."
        " time: averages of the same, without the scripted model. Constraints run in sandboxes, which are processes of"
        " their own; their CPU is known on Linux only."
    )
    kept = 1 - found.refused / found.offered
    yield (
        f"Of {found.offered:,} facts and patches {kept:.1%} were accepted. Sent back: {found.sent_back} of"
        f" {found.replies:,} replies. Waiting at the end: {found.waiting} facts or turns. Set aside, because what"
        f" it is about was not shown: {counted(found.aside, 'fact')}."
    )
    for why, times in found.reasons.items():
        yield f"Refused {times} times: {why}"
    agree = len({tuple(each.tokens for each in other.sessions) for other in replays}) == 1
    yield "All stores cost the same tokens." if agree else "The stores do NOT cost the same tokens."


def _cost_growth_verdict(growth: Mapping[str, float]) -> str:
    judged = "; ".join(f"{what}: {ratio:.2f}" for what, ratio in growth.items())
    verdict = "met" if all(ratio <= FLAT for ratio in growth.values()) else "not met"
    return f"Growth of a session's tokens, {judged}. Goal, at most {FLAT:g}: {verdict}."


def _cost_json(replays: Sequence[CostReplay], growth: Mapping[str, float], is_flat: bool, notes: Sequence[str]) -> Any:
    found = replays[0]
    summary = msgspec.structs.asdict(found)
    del summary["sessions"]
    return {
        "sessions": [{**msgspec.structs.asdict(each), "tokens": each.tokens} for each in found.sessions],
        "marks": cost_table_sessions(len(found.sessions)),
        "growth": growth,
        "at_most": FLAT,
        "is_flat": is_flat,
        "parts": [{"part": part, "early": early, "late": late} for part, early, late in _cost_part_shares(found)],
        "time": [time._asdict() for time in _cost_session_times(replays)],
        "replies": summary,
        "notes": notes,
    }
