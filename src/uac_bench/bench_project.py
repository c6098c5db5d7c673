"""uac-bench project: what typed state costs, and which of its costs grow with a user's history.

One user imports purchases, a line and a record each. Queries in the sandboxes are compared with the same query in plain
Python, on the same objects, in the same run.
"""

import gc
import math
import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Literal, get_args

import click
import msgspec

from uac import Citation, Computer, Fact, Log, Memory, Project, Put, Retraction, open_store
from uac.errors import SandboxError, UacError
from uac.interfaces.cli import Output
from uac.log import Stored
from uac.memory import fold_log
from uac.project import encode_project, fold_entries, fold_whole_log, render
from uac.sandbox import Limits, Sandbox, Value, available, open_sandbox
from uac_bench.harness import SuiteRun, out_option
from uac_bench.measure import (
    format_ratio,
    format_seconds,
    in_turns,
    machine_description,
    peak_memory_growth,
    percentile_95,
    processor_time,
    run_in_process,
    time_call,
)
from uac_bench.purchases import (
    QUERIES,
    SAID,
    TYPE,
    USER,
    Purchase,
    Query,
    copy_purchases,
    endless_purchases,
    purchase_fields,
    store_with_purchases,
)

__all__ = [
    "ProjectCost",
    "ProjectLatency",
    "ProjectReport",
    "ProjectStep",
    "bench_project",
    "measure_project",
    "weigh_project_cost",
]

ABOUT = "Compute, fold, render and the cost of one more fact, as ratios."
State = Literal["cold", "warm"]
Whole = Literal[
    "read",
    "fold",
    "read and fold",
    "store a snapshot",
    "open from it",
    "read its records",
    "store older ones",
    "as of an earlier time",
    "retract a late entry",
    "render",
]
WHOLE: tuple[Whole, ...] = get_args(Whole)
FOLDED: Whole = "read and fold"
"""What opening a user takes without a snapshot: the baseline of the steps with one."""
KEPT_SNAPSHOTS = 9
FLAT = 2.0
"""A cost that a hundred times the history makes at most this many times as large does not grow with it."""


class ProjectLatency(msgspec.Struct, frozen=True, kw_only=True):
    """One query at one size. Cold opens the user from a snapshot, and a new Computer; warm is all of it loaded."""

    records: int
    query: Query
    engine: str
    state: State
    p50: float
    p95: float
    plain: float
    """Plain Python's median; for cold, of making the objects too."""

    @property
    def ratio(self) -> float:
        return self.p50 / self.plain


class ProjectCost(msgspec.Struct, frozen=True, kw_only=True):
    """One step over the whole log; `tenfold` is how many times as much ten times the records take."""

    what: Whole
    records: int
    seconds: float
    bytes: int | None
    seconds_tenfold: float | None = None
    bytes_tenfold: float | None = None
    of_fold: float | None = None
    """The time as a share of that of reading and folding the same records."""


class ProjectStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step in the life of a user with few records and of one with many. A goal is for the ratio, many / few."""

    what: str
    few: float
    many: float
    at_most: float | None = None

    @property
    def ratio(self) -> float:
        return self.many / self.few

    @property
    def grows(self) -> bool:
        return self.ratio > FLAT

    @property
    def met(self) -> bool | None:
        return self.ratio <= self.at_most if self.at_most is not None else None


class ProjectReport(msgspec.Struct, frozen=True, kw_only=True):
    """Every measurement of one run, and what to know about them."""

    sizes: tuple[int, ...]
    few: int
    many: int
    compute: tuple[ProjectLatency, ...]
    costs: tuple[ProjectCost, ...]
    steps: tuple[ProjectStep, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProjectScale:
    """Records of the users, and how often each thing is done: per size, from the smallest to the largest."""

    sizes: tuple[int, ...]
    few: int
    many: int
    warm: tuple[int, ...]
    cold: tuple[int, ...]
    rounds: tuple[int, ...]
    opens: int
    facts: int


FULL = ProjectScale(
    sizes=(500, 10_000, 100_000),
    few=1000,
    many=100_000,
    warm=(100, 50, 20),
    cold=(20, 5, 3),
    rounds=(20, 5, 3),
    opens=3,
    facts=101,
)
QUICK = ProjectScale(sizes=(20, 200), few=20, many=200, warm=(3, 3), cold=(2, 2), rounds=(2, 2), opens=1, facts=3)


@click.command("project")
@click.option("--quick", is_flag=True, help="A small run, to see that it works; its figures mean little.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    help="The folder for the databases, on the disk to measure.  [default: the temporary folder]",
)
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_project(quick: bool, folder: Path | None, out_folder: Path | None, as_json: bool) -> None:
    """Measure compute, fold, render and the cost of one more fact, as ratios.

    Queries run in every sandbox that is available and are compared with plain Python on the same
    objects. One more fact is measured for a user with 1,000 records and for one with 100,000.
    All databases are removed at the end.
    """
    suite = SuiteRun("project", ABOUT, out_folder, as_json=as_json)
    out = suite.out
    report = measure_project(QUICK if quick else FULL, folder, out)
    if as_json:
        out.json(
            {
                **msgspec.structs.asdict(report),
                "compute": [{**msgspec.structs.asdict(each), "ratio": each.ratio} for each in report.compute],
                "costs": [msgspec.structs.asdict(each) for each in report.costs],
                "steps": [_project_step_json(each) for each in report.steps],
            }
        )
    heads: tuple[str, ...] = ("", "records", "query", "engine", "", "p50", "p95", "plain", "ratio")
    out.table(heads, map(_project_latency_cells, report.compute))
    heads = ("", "", "records", "time", "a record", "tenfold", "of a fold", "memory", "a record", "tenfold")
    out.table(heads, map(_project_cost_cells, report.costs))
    heads = ("", "", f"{report.few:,} records", f"{report.many:,} records", "ratio", "", "goal")
    out.table(heads, map(_project_step_cells, report.steps))
    for note in report.notes:
        out.line(note)
    suite.finish()


def measure_project(scale: ProjectScale, folder: Path | None, out: Output) -> ProjectReport:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="uac-bench-", dir=folder) as name, ExitStack() as stack:
        place = Path(name)
        try:
            stores = {
                size: store_with_purchases(place, size, out) for size in sorted({*scale.sizes, scale.few, scale.many})
            }
            sandboxes, notes = _open_project_sandboxes(stack)
            latencies = [
                latency
                for turn, size in enumerate(scale.sizes)
                for latency in _measure_project_latencies(
                    stores[size], size, scale.warm[turn], scale.cold[turn], sandboxes, out
                )
            ]
            costs = _measure_project_costs(stores, scale, out)
            steps = _measure_project_steps(stores[scale.few], stores[scale.many], scale, sandboxes, out)
        except UacError as error:
            raise click.ClickException(str(error)) from error
    notes = [
        f"{machine_description()}, load {load:.1f} to {os.getloadavg()[0]:.1f}; databases in {place.parent}",
        *notes,
    ]
    notes += [COMPUTE_NOTE, COST_NOTE, STEP_NOTE, _project_growth_verdict(steps)]
    if scale is QUICK:
        notes.append("This was a quick run: its figures mean little.")
    return ProjectReport(
        sizes=scale.sizes,
        few=scale.few,
        many=scale.many,
        compute=tuple(latencies),
        costs=tuple(costs),
        steps=tuple(steps),
        notes=tuple(notes),
    )


COMPUTE_NOTE = (
    "compute: plain is the same query as a Python function in this process, on objects of a dataclass, and gives the"
    " same answer. Cold opens the user from a snapshot and a new Computer (session, prelude, the fields that the query"
    " names); its plain side makes the objects, too. The p95 of fewer than 20 rounds is the longest."
)
COST_NOTE = (
    "cost: fold takes entries that are in memory, read and fold is what opening a user takes without a snapshot. To"
    " store older ones is to fold in nine steps, each from the snapshot before it, and to store them all. Memory is how"
    " far a step raises the peak of a new process. Tenfold: how many times as much ten times the records take; 10 is"
    " linear. Of a fold: the time as a share of that of read and fold. Times are processor time."
)
STEP_NOTE = (
    "step: medians; the two users take turns. Adding a fact is two durable appends (the words, the fact), a checkpoint"
    " is checked and appended. One fact in all is from the words to the record."
)


def _project_growth_verdict(steps: Sequence[ProjectStep]) -> str:
    """Which costs grow with history, and whether the goal is met."""
    growing = ", ".join(step.what for step in steps if step.grows)
    flat = ", ".join(step.what for step in steps if not step.grows)
    (goal,) = [step for step in steps if step.at_most is not None]
    verdict = "met" if goal.met else "not met"
    return (
        f"Grows with history: {growing or 'nothing'}. Does not: {flat or 'nothing'}."
        f" Goal, {goal.what} within {goal.at_most:g} times: {verdict}."
    )


# -- compute ---------------------------------------------------------------------------------------------------------


LIMITS = Limits(seconds=60)  # a machine in use takes long to load many records


def _open_project_sandboxes(stack: ExitStack) -> tuple[dict[str, Sandbox], list[str]]:
    """The engines that open here, and why others do not."""
    opened: dict[str, Sandbox] = {}
    notes: list[str] = []
    for name in (*available(), "auto"):
        try:
            opened[name] = stack.enter_context(closing(open_sandbox(name)))
        except SandboxError as error:
            notes.append(f"{name} is not measured: {error}")
    return opened, notes


class _ProjectEngine:
    """A sandbox and the newest of its Computers; `trim` closes the others, between measurements."""

    def __init__(self, name: str, sandbox: Sandbox, log: Log) -> None:
        self.name = name
        self._sandbox = sandbox
        self._log = log
        self._state = fold_log(log)
        self._computers: list[Computer] = []

    def compute_cold(self, code: str) -> Value:
        self._state = fold_log(self._log)
        self._computers.append(Computer(self._sandbox, limits=LIMITS))
        return self.compute_warm(code)

    def compute_warm(self, code: str) -> Value:
        return self._computers[-1].run(self._state, code, now=SAID).value

    def trim_pool(self, left: int = 1) -> None:
        while len(self._computers) > left:
            self._computers.pop(0).close()


def _measure_project_latencies(
    path: Path, records: int, warm: int, cold: int, sandboxes: Mapping[str, Sandbox], out: Output
) -> list[ProjectLatency]:
    store = open_store(path, create=False)
    log = store.log(USER)
    _store_bench_snapshot(log, fold_entries(log.read()))
    bought = list(islice(endless_purchases(), records))
    engines = [_ProjectEngine(name, sandbox, log) for name, sandbox in sandboxes.items()]
    found: list[ProjectLatency] = []

    def trim() -> None:
        for engine in engines:
            engine.trim_pool()

    for query, (code, plain) in QUERIES.items():
        out.note(f"computing over {records:,} records: {query} …")
        loading = in_turns(
            [partial(_plain_project_query, plain, bought), *(partial(engine.compute_cold, code) for engine in engines)],
            rounds=cold,
            after=trim,
        )
        loaded = in_turns(
            [partial(plain, bought), *(partial(engine.compute_warm, code) for engine in engines)], rounds=warm
        )
        for engine in engines:
            if engine.compute_warm(code) != plain(bought):
                raise click.ClickException(f"{engine.name} gives another answer than Python: {code}")
        found += _project_engine_latencies("cold", query, records, engines, loading)
        found += _project_engine_latencies("warm", query, records, engines, loaded)
    for engine in engines:
        engine.trim_pool(0)
    store.close()
    return found


def _plain_project_query(plain: Callable[[Sequence[Purchase]], object], bought: Sequence[Purchase]) -> object:
    gc.disable()  # the collector would go through our own records too, which plain Python would not have
    try:
        return plain(copy_purchases(bought))
    finally:
        gc.enable()


def _project_engine_latencies(
    state: State, query: Query, records: int, engines: Sequence[_ProjectEngine], seconds: Sequence[Sequence[float]]
) -> Iterator[ProjectLatency]:
    """The engines' times beside plain Python's, which come first."""
    plain = median(seconds[0])
    for engine, taken in zip(engines, seconds[1:], strict=True):
        yield ProjectLatency(
            records=records,
            query=query,
            engine=engine.name,
            state=state,
            p50=median(taken),
            p95=percentile_95(taken),
            plain=plain,
        )


# -- the whole log ---------------------------------------------------------------------------------------------------


class WeighedProject(msgspec.Struct, frozen=True):
    """What one step took."""

    seconds: list[float]
    bytes: int | None


def _measure_project_costs(stores: Mapping[int, Path], scale: ProjectScale, out: Output) -> list[ProjectCost]:
    found: list[ProjectCost] = []
    for what in WHOLE:
        smaller: ProjectCost | None = None
        for records, rounds in zip(scale.sizes, scale.rounds, strict=True):
            out.note(f"{what}, {records:,} records …")
            weighed = msgspec.json.decode(
                run_in_process(weigh_project_cost, stores[records], what, rounds), type=WeighedProject
            )
            cost = ProjectCost(what=what, records=records, seconds=median(weighed.seconds), bytes=weighed.bytes)
            if smaller is not None:
                tens = math.log10(records / smaller.records)
                cost = msgspec.structs.replace(
                    cost,
                    seconds_tenfold=(cost.seconds / smaller.seconds) ** (1 / tens),
                    bytes_tenfold=(cost.bytes / smaller.bytes) ** (1 / tens) if cost.bytes and smaller.bytes else None,
                )
            found.append(cost)
            smaller = cost
    folds = {cost.records: cost.seconds for cost in found if cost.what == FOLDED}
    return [msgspec.structs.replace(cost, of_fold=cost.seconds / folds[cost.records]) for cost in found]


def weigh_project_cost(path: str, what: Whole, rounds: str) -> WeighedProject:
    """Runs apart: the times of a step over the whole log, and by how much it raises the peak of memory."""
    with closing(open_store(Path(path), create=False)) as store:
        log = store.log(USER)
        run = _project_cost_call(what, log)
        seconds: list[float] = []
        grown = peak_memory_growth(lambda: seconds.append(processor_time(run)))
        seconds += [processor_time(run) for _ in range(int(rounds) - 1)]
    # Most of what a fold of loaded entries keeps is theirs, so its own share would say little.
    return WeighedProject(seconds, grown if what != "fold" else None)


def _project_cost_call(what: Whole, log: Log) -> Callable[[], object]:
    match what:
        case "read":
            return lambda: deque(log.read(), maxlen=0)
        case "fold":
            return partial(fold_entries, list(log.read()))
        case "read and fold":
            return partial(fold_whole_log, log)
        case "store a snapshot":
            return partial(_store_bench_snapshot, log, fold_entries(log.read()))
        case "open from it":
            return partial(fold_log, log)
        case "read its records":
            return lambda: fold_log(log).records(TYPE.full_name)
        case "store older ones":
            return partial(_store_older_snapshots, log)
        case "as of an earlier time":  # just before one of them: none is farther from the nearest
            return lambda: fold_log(log.as_of(log.snapshot_positions()[-2:][0] - 1))
        case "retract a late entry":
            return partial(_retract_late_entry, log)
        case "render":
            return partial(render, fold_entries(log.read()))


def _store_bench_snapshot(log: Log, project: Project) -> None:
    """Encode and write all of it; a later one would only write the parts that have changed."""
    log.drop_snapshot()
    if not log.set_snapshot(encode_project(project), position=project.position, digest=project.digest):
        raise click.ClickException("the snapshot was not stored")


def _store_older_snapshots(log: Log) -> None:
    """As many as are kept, spread over the log: what writing has stored by its end."""
    log.drop_snapshot()
    end = log.head().position
    for number in range(1, KEPT_SNAPSHOTS + 1):
        project = fold_log(log.as_of(end * number // KEPT_SNAPSHOTS))
        log.set_snapshot(encode_project(project), position=project.position, digest=project.digest)


def _retract_late_entry(log: Log) -> Project:
    """Open a user and fold a retraction of what was said after nineteen of twenty entries."""
    project = fold_log(log)
    late = Retraction(positions=(max(project.position * 19 // 20, 1),), why="bench")
    return fold_entries([Stored(project.position + 1, SAID, "retraction", late, b"")], project)


# -- one more fact ---------------------------------------------------------------------------------------------------

COUNTED = "len(shopping.purchases)"


class _ProjectUser:
    """A user whose memory is open and to whom things happen, one at a time."""

    def __init__(self, log: Log, sandboxes: Mapping[str, Sandbox], records: int) -> None:
        self._log = log
        self._memory = Memory(log)
        self._records = records
        self._bought = endless_purchases(seed=2)
        self._fact = 0
        self.computers = {name: Computer(sandbox, limits=LIMITS) for name, sandbox in sandboxes.items()}
        for computer in self.computers.values():
            self.count_purchases(computer)

    def add_fact(self) -> None:
        text = "I bought coffee beans again, at the market this time."
        position = self._memory.add(text, said=SAID)
        fact = Fact(text=text, about=USER, authority="user", cites=(Citation(position=position, quote=text),))
        (self._fact,) = self._log.append([fact])

    def fold_project(self) -> Project:
        return self._memory.project()

    def put_purchase(self) -> None:
        put = Put(type=TYPE.full_name, fields=purchase_fields(next(self._bought)), cites=(self._fact,))
        self._memory.checkpoint([put], facts=[self._fact], by="bench")
        self._records += 1

    def count_purchases(self, computer: Computer) -> None:
        counted = computer.run(self._memory.project(), COUNTED, now=SAID).value
        if counted != self._records:
            raise click.ClickException(f"{COUNTED} is {counted}, needs {self._records}")

    def round_steps(self) -> dict[str, Callable[[], object]]:
        """What happens in a round, in this order."""
        return {
            "add a fact": self.add_fact,
            "project() after it": self.fold_project,
            "checkpoint of one put": self.put_purchase,
            "project() after that": self.fold_project,
            **{
                f"compute after that, {name}": partial(self.count_purchases, computer)
                for name, computer in self.computers.items()
            },
        }


def _measure_project_steps(
    few: Path, many: Path, scale: ProjectScale, sandboxes: Mapping[str, Sandbox], out: Output
) -> list[ProjectStep]:
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(open_store(path, create=False))) for path in (few, many)]
        logs = [store.log(USER) for store in stores]
        out.note("opening …")
        opened = in_turns([partial(_open_bench_project, log) for log in logs], rounds=scale.opens)
        out.note("adding facts one by one …")
        users = [
            _ProjectUser(log, sandboxes, records) for log, records in zip(logs, (scale.few, scale.many), strict=True)
        ]
        for user in users:
            for computer in user.computers.values():
                stack.enter_context(closing(computer))
        taken: list[dict[str, list[float]]] = [{name: [] for name in user.round_steps()} for user in users]
        for _ in range(scale.facts):
            for user, seconds in zip(users, taken, strict=True):
                for name, step in user.round_steps().items():
                    seconds[name].append(time_call(step))
    adding = [[sum(parts) for parts in zip(*[*seconds.values()][:4], strict=True)] for seconds in taken]
    return [
        _project_step_summary("open", opened),
        *(_project_step_summary(name, [seconds[name] for seconds in taken]) for name in taken[0]),
        _project_step_summary("one fact in all", adding, at_most=FLAT),
    ]


def _open_bench_project(log: Log) -> Project:
    return Memory(log).project()


def _project_step_summary(
    what: str, seconds: Sequence[Sequence[float]], *, at_most: float | None = None
) -> ProjectStep:
    few, many = map(median, seconds)
    return ProjectStep(what=what, few=few, many=many, at_most=at_most)


# -- what is printed -------------------------------------------------------------------------------------------------


def _project_step_json(step: ProjectStep) -> dict[str, object]:
    return {**msgspec.structs.asdict(step), "ratio": step.ratio, "grows": step.grows, "met": step.met}


def _project_latency_cells(latency: ProjectLatency) -> tuple[str, ...]:
    return (
        "compute",
        f"{latency.records:,}",
        latency.query,
        latency.engine,
        latency.state,
        format_seconds(latency.p50),
        format_seconds(latency.p95),
        format_seconds(latency.plain),
        f"{latency.ratio:,.1f}",
    )


def _project_cost_cells(cost: ProjectCost) -> tuple[str, ...]:
    return (
        "cost",
        cost.what,
        f"{cost.records:,}",
        format_seconds(cost.seconds),
        format_seconds(cost.seconds / cost.records),
        format_ratio(cost.seconds_tenfold),
        f"{cost.of_fold:.1%}" if cost.of_fold is not None else "",
        f"{cost.bytes / 1e6:,.1f} MB" if cost.bytes else "",
        f"{cost.bytes / cost.records / 1e3:,.1f} kB" if cost.bytes else "",
        format_ratio(cost.bytes_tenfold),
    )


def _project_step_cells(step: ProjectStep) -> tuple[str, ...]:
    return (
        "step",
        step.what,
        format_seconds(step.few),
        format_seconds(step.many),
        f"{step.ratio:,.2f}",
        "grows" if step.grows else "flat",
        f"at most {step.at_most:g}: {'met' if step.met else 'not met'}" if step.at_most is not None else "",
    )
