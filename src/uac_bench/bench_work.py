"""uac-bench work: workers are killed at random while they learn; is every session structured once, and paid once?"""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import click

from uac import Entry, Fact, Memory, Observation, OneModel, Store, open_store
from uac.errors import Refused, Unavailable
from uac_bench.harness import SuiteRun, out_option
from uac_bench.measure import machine_description
from uac_bench.runs import BenchTable
from uac_bench.work_imports import KilledImports, run_imports_with_kills
from uac_bench.work_model import Call, CountingServer, LocalModel, counting_server, session_text
from uac_bench.work_runs import PATIENCE, entries_without_ticks, is_done, is_set_up, wait_for, worker_processes

__all__ = ["KilledRun", "bench_work", "run_with_kills"]

ABOUT = "Workers that are killed at random while they learn: every log is as in an undisturbed run."

START = datetime(2024, 5, 7, 18, 30, tzinfo=UTC)


class KilledRun(NamedTuple):
    """What came of a run."""

    sessions: int
    users: int
    kills: int
    calls_needed: int
    """Calls of an undisturbed run over the same sessions."""
    calls_made: int
    """Requests that reached the model."""
    calls_paid: int
    """Requests with different idempotency keys: a model that knows such keys bills these."""
    repeated_in_flight: int
    """Repeats of a request whose first sender was killed before it had stored the reply."""
    repeated_otherwise: int
    """Repeats of a request whose first sender was alive, or whose reply was stored."""
    lost: int
    """Sessions that no fact cites."""
    doubled: int
    """Sessions that more than one fact cites."""
    different_logs: int
    """Users whose log differs from that of an undisturbed run."""
    seconds: float


@click.command("work")
@click.option("--postgres", "url", required=True, metavar="URL", help="An empty database; postgresql://…")
@click.option(
    "--sessions", type=click.IntRange(1), default=2000, show_default=True, help="Conversations to learn from."
)
@click.option("--users", type=click.IntRange(1), default=400, show_default=True, help="Users who have them.")
@click.option("--kills", type=click.IntRange(0), default=200, show_default=True, help="Workers to kill.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Workers at a time.")
@click.option(
    "--imports", "lines", type=click.IntRange(1), help="Import files of so many lines each, one per user, instead."
)
@click.option(
    "--callers",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Processes that only call the model ('uac work --calls only'). They are not killed.",
)
@click.option("--limited", is_flag=True, help="Let calls go through the vendor's queue.")
@click.option("--seed", type=int, default=1, show_default=True, help="Decides when which worker is killed.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_work(
    *,
    url: str,
    sessions: int,
    users: int,
    kills: int,
    workers: int,
    lines: int | None,
    callers: int,
    limited: bool,
    seed: int,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Kill workers at random while they learn, and compare every log with that of an undisturbed run.

    \b
      uac-bench work --postgres postgresql://… --kills 200 --sessions 2000
      uac-bench work --postgres postgresql://… --kills 200 --sessions 2000 --callers 1
      uac-bench work --postgres postgresql://… --kills 50 --imports 10000 --users 20
    """
    suite = SuiteRun("work", ABOUT, out_folder, as_json=as_json, seed=seed)
    out = suite.out
    run: KilledRun | KilledImports
    with out.progress("kills", kills) as bar:
        if lines is not None:
            run = run_imports_with_kills(
                url, users=users, lines=lines, kills=kills, workers=workers, seed=seed, on_kill=bar.advance
            )
        else:
            run = run_with_kills(
                url,
                sessions=sessions,
                users=min(users, sessions),
                kills=kills,
                workers=workers,
                callers=callers,
                limited=limited,
                seed=seed,
                on_kill=bar.advance,
            )
    if as_json:
        out.json(run._asdict())
    out.line(machine_description())
    for name, value in run._asdict().items():
        shown = f"{value:,.0f}" if isinstance(value, float) else f"{value:,}"
        out.line(f"{name.replace('_', ' '):<20} {shown:>10}")
    rows = tuple((name.replace("_", " "), str(value)) for name, value in run._asdict().items())
    suite.finish(tables=[BenchTable(title="workers killed at random", columns=("", "number"), rows=rows)])


def run_with_kills(
    url: str,
    *,
    sessions: int,
    users: int,
    kills: int,
    workers: int = 2,
    callers: int = 0,
    limited: bool = False,
    seed: int = 1,
    patience: float = PATIENCE,
    on_kill: Callable[[], object] = lambda: None,
) -> KilledRun:
    """Store the sessions, let workers learn from them, and kill one whenever a random number of calls is reached.

    Callers, which only call the model for the workers, are not killed.
    """
    from uac.interfaces.work import JobClient

    chance = random.Random(seed)
    store = open_store(url)
    if store.users(limit=1):
        raise Refused("--postgres: The database has users. Use an empty one.")
    names = [f"user-{number:05}" for number in range(users)]
    _add_sessions(store, names, sessions)
    oracle, needed = _undisturbed(names, sessions)
    moments = sorted(chance.sample(range(needed), min(kills, needed)))
    client, started = JobClient(url), time.monotonic()
    killed: list[int] = []
    options = [*(["--limited"] if limited else []), *(["elsewhere"] if callers else [])]
    with (
        counting_server() as server,
        worker_processes(url, str(server.port), *options, count=workers) as (running, start),
        worker_processes(url, str(server.port), "only", count=callers),
    ):
        wait_for(lambda: is_set_up(client), started, patience)
        for name in names:
            client.enqueue_user("learn", name, store.log(name).head().position)
        while True:
            while moments and len(server.calls) >= moments[0]:
                moments.pop(0)
                time.sleep(chance.uniform(0, 0.05))
                victim = running.pop(chance.randrange(len(running)))
                victim.send_signal(signal.SIGKILL)
                victim.wait()
                killed.append(victim.pid)
                on_kill()
                running.append(start())
            if not moments and is_done(client):
                break
            if time.monotonic() - started > patience:
                raise Unavailable(f"The work was not done within {patience:.0f} s: {client.state()}.")
            if died := [process for process in running if process.poll() is not None]:
                raise Unavailable(f"A worker ended by itself, with code {died[0].returncode}.")
            time.sleep(0.02)
        seconds = time.monotonic() - started
    client.close()
    result = _result(store, server, names, oracle, killed, _stored_replies(url))
    store.close()
    return result._replace(sessions=sessions, users=users, calls_needed=needed, seconds=round(seconds, 1))


def _add_sessions(store: Store, names: list[str], sessions: int) -> None:
    for place, name in enumerate(names):
        store.log(name).append(_sessions_of(place, len(names), sessions))


def _sessions_of(place: int, users: int, sessions: int) -> list[Entry]:
    return [
        Observation(text=session_text(number), said=START + timedelta(minutes=number), session=f"session {number}")
        for number in range(place, sessions, users)
    ]


def _undisturbed(names: list[str], sessions: int) -> tuple[dict[str, list[Entry]], int]:
    """Each user's entries without kills, and the number of calls."""
    store, model = open_store("memory:"), LocalModel()
    for place, name in enumerate(names):
        memory = Memory(store.log(name), embedder=None)
        memory.log.append(_sessions_of(place, len(names), sessions))
        memory.learn(OneModel(model))
        memory.close()
    return {name: entries_without_ticks(store, name) for name in names}, model.calls


def _stored_replies(url: str) -> dict[str, float]:
    """When the reply to each request was stored, by the request's id."""
    import psycopg

    with psycopg.connect(url) as connection:
        alone = connection.execute(
            "SELECT plan.output::json ->> 'id', ask.completed_at_epoch_ms / 1000.0"
            " FROM dbos.operation_outputs ask JOIN dbos.operation_outputs plan USING (workflow_uuid)"
            " WHERE ask.function_name = 'ask' AND plan.function_name = 'plan'"
            " AND plan.function_id = ask.function_id - 1"
        ).fetchall()
        queued = connection.execute(
            "SELECT substring(workflow_uuid from '[0-9]+-[0-9a-f]+$'), completed_at_epoch_ms / 1000.0"
            " FROM dbos.operation_outputs WHERE function_name = 'ask' AND workflow_uuid LIKE 'call-%'"
        ).fetchall()
    return {key: float(moment) for key, moment in [*alone, *queued]}


def _result(
    store: Store,
    server: CountingServer,
    names: list[str],
    oracle: dict[str, list[Entry]],
    killed: list[int],
    stored: dict[str, float],
) -> KilledRun:
    cited: Counter[tuple[str, int]] = Counter()
    different = said = 0
    for name in names:
        entries = entries_without_ticks(store, name)
        different += entries != oracle[name]
        said += sum(isinstance(entry, Observation) for entry in entries)
        cited.update(
            (name, position)
            for entry in entries
            if isinstance(entry, Fact)
            for position in {cite.position for cite in entry.cites}
        )
    sent: dict[str, list[Call]] = {}
    for call in server.calls:
        sent.setdefault(call.key, []).append(call)
    repeats = [pair for calls in sent.values() for pair in pairwise(calls)]
    in_flight = sum(before.process in killed and again.at <= stored[again.key] for before, again in repeats)
    return KilledRun(
        sessions=0,
        users=len(names),
        kills=len(killed),
        calls_needed=0,
        calls_made=len(server.calls),
        calls_paid=len(sent),
        repeated_in_flight=in_flight,
        repeated_otherwise=len(repeats) - in_flight,
        lost=said - len(cited),
        doubled=sum(count > 1 for count in cited.values()),
        different_logs=different,
        seconds=0.0,
    )
