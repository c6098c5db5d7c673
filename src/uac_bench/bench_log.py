"""uac-bench log: what a durable, chained log costs.

Every figure has a baseline whose rounds alternate with ours in the same run.
"""

import json
import random
import sqlite3
import sys
import tempfile
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import Literal

import click
import msgspec

from uac import Log, Observation, open_store
from uac.errors import UacError
from uac.interfaces.cli import Output
from uac_bench.harness import SuiteRun, out_option
from uac_bench.measure import machine_description, peak_memory_growth, refuse_network, run_in_process, time_call

__all__ = ["LogComparison", "LogFindings", "bench_log", "endless_log_turns", "measure_log"]

ABOUT = "Appends, reads, verification, size and memory of a log, as ratios to bare SQLite."
USER = "ana"
BATCH = 100


class LogComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of ours beside its baseline. A goal is for the ratio, ours / theirs."""

    section: Literal["append", "mem0", "PostgreSQL", "read", "size", "memory"]
    what: str
    unit: Literal["entries/s", "bytes/entry", "bytes"]
    ours: float
    against: str
    theirs: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def met(self) -> bool | None:
        if self.at_least is not None:
            return self.ratio >= self.at_least
        return self.ratio <= self.at_most if self.at_most is not None else None


class LogFindings(msgspec.Struct, frozen=True):
    """What was measured, and how."""

    comparisons: tuple[LogComparison, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogScale:
    """How much work: rounds of each contestant, and its calls in one round. Many short rounds even out noise."""

    warm: int
    rounds: int
    singles: int
    batches: int
    slow_rounds: int
    reads: int


FULL = LogScale(warm=30, rounds=61, singles=25, batches=5, slow_rounds=15, reads=3)
QUICK = LogScale(warm=1, rounds=3, singles=5, batches=2, slow_rounds=1, reads=1)


@click.command("log")
@click.option(
    "--entries",
    type=click.IntRange(min=100),
    help="Length of the log that is read.  [default: 1,000,000; with --quick 2,000]",
)
@click.option("--quick", is_flag=True, help="A small run, to see that it works; its figures mean little.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    help="The folder for the databases, on the disk to measure.  [default: the temporary folder]",
)
@click.option("--postgres", metavar="URL", help="Also measure PostgreSQL, in a database that may be written to.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_log(
    entries: int | None,
    quick: bool,
    folder: Path | None,
    postgres: str | None,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Measure appends, reads, verification, size and memory of a log, as ratios.

    Appends are compared with bare sqlite3 inserts of the same durability, and with mem0ai if it is
    installed (make peers). All databases are removed at the end.
    """
    suite = SuiteRun("log", ABOUT, out_folder, as_json=as_json)
    out = suite.out
    scale, length = (QUICK, entries or 2000) if quick else (FULL, entries or 1_000_000)
    report = measure_log(scale, length, folder, postgres, out)
    if as_json:
        comparisons = [_log_comparison_json(each) for each in report.comparisons]
        out.json({"entries": length, "comparisons": comparisons, "notes": report.notes})
    out.table(("", "", "ours", "against", "", "ratio", "goal"), map(_log_comparison_cells, report.comparisons))
    for note in report.notes:
        out.line(note)
    suite.finish()


def measure_log(scale: LogScale, length: int, folder: Path | None, postgres: str | None, out: Output) -> LogFindings:
    with tempfile.TemporaryDirectory(prefix="uac-bench-", dir=folder) as name:
        place = Path(name)
        try:
            found = (
                _measure_appends(place, scale, out),
                _measure_mem0_appends(place, scale, out),
                _measure_postgres(postgres, scale, out),
                _measure_reading(place, scale, length, out),
            )
        except UacError as error:
            raise click.ClickException(str(error)) from error
    notes = [f"{machine_description()}; databases in {place.parent}", *(note for part in found for note in part.notes)]
    if scale is QUICK:
        notes.append("This was a quick run: its figures mean little.")
    return LogFindings(tuple(comparison for part in found for comparison in part.comparisons), tuple(notes))


# A contestant is given the work of one round, gets it ready, and returns the part that is timed.

Work = Sequence[Sequence[Observation]]
Contestant = Callable[[Work], Callable[[], object]]

ONE, MANY = "one at a time", f"in batches of {BATCH}"


def _race_appends(contestants: Sequence[Contestant], *, rounds: int, calls: int, size: int) -> list[float]:
    """The median appends per second of each, in rounds that take turns."""
    said = endless_log_turns()
    seconds: list[list[float]] = [[] for _ in contestants]
    for _ in range(rounds):
        work = [list(islice(said, size)) for _ in range(calls)]
        for contestant, taken in zip(contestants, seconds, strict=True):
            taken.append(time_call(contestant(work)))
    return [calls * size / median(taken) for taken in seconds]


def _log_contestant(log: Log) -> Contestant:
    def ready(work: Work) -> Callable[[], object]:
        return lambda: [log.append(batch) for batch in work]

    return ready


def _measure_appends(folder: Path, scale: LogScale, out: Output) -> LogFindings:
    out.note("appending, against bare sqlite3 …")
    with (
        closing(open_store(folder / "ours.db")) as store,
        closing(_bare_sqlite(folder / "ours.db")) as reader,
        closing(_bare_sqlite(folder / "same.db")) as same,
        closing(_bare_sqlite(folder / "plain.db")) as plain,
    ):
        contestants = (_log_contestant(store.log(USER)), _same_rows(reader, same), _plain_table(plain))
        # Until the write-ahead log has once come to its full length, each sync also has to make the file longer.
        _race_appends(contestants, rounds=1, calls=scale.warm, size=1000)
        single = _race_appends(contestants, rounds=scale.rounds, calls=scale.singles, size=1)
        batch = _race_appends(contestants, rounds=scale.rounds, calls=scale.batches, size=BATCH)
    comparisons = [
        LogComparison(
            section="append", what=what, unit="entries/s", ours=ours, against=against, theirs=theirs, at_least=goal
        )
        for what, (ours, same_rows, plain_table), wanted in ((ONE, single, 0.6), (MANY, batch, 0.8))
        for against, theirs, goal in (("the same rows", same_rows, wanted), ("a plain table", plain_table, None))
    ]
    return LogFindings(tuple(comparisons), (f"{APPEND_NOTE} Medians of {scale.rounds} rounds.",))


APPEND_NOTE = (
    "append: each call is one durable commit (WAL, synchronous=FULL) on all sides. The goals are for 'the same rows':"
    " bare sqlite3 inserts ready-made rows, the same bytes, with executemany into the same table and indexes, so that"
    " the rest is what checking, encoding, chaining and moving the head cost. 'A plain table' is (id, user, at, text)."
)
COLUMNS = "position, at, kind, form, body, salt, digest, key"


def _bare_sqlite(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _same_rows(ours: sqlite3.Connection, bare: sqlite3.Connection) -> Contestant:
    """Inserts the rows that our store has just written, so it always runs after ours."""
    tables = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'"
    for (statement,) in ours.execute(tables).fetchall():
        bare.execute(statement)
    bare.execute("INSERT INTO users (id, name, position, digest, at) VALUES (1, ?, 0, x'', '')", (USER,))
    insert = f"INSERT INTO entries (user, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

    def ready(work: Work) -> Callable[[], object]:
        (last,) = bare.execute("SELECT coalesce(max(position), 0) FROM entries").fetchone()
        rows = ours.execute(f"SELECT user, {COLUMNS} FROM entries WHERE position > ? ORDER BY position", (last,))
        batches = [rows.fetchmany(len(batch)) for batch in work]
        rows.close()
        return lambda: _commit_each(bare, insert, batches)

    return ready


def _plain_table(bare: sqlite3.Connection) -> Contestant:
    bare.execute("CREATE TABLE turns (id INTEGER PRIMARY KEY, user TEXT, at TEXT, text TEXT)")

    def ready(work: Work) -> Callable[[], object]:
        batches = [[(USER, turn.said.isoformat(), turn.text) for turn in batch] for batch in work]
        return lambda: _commit_each(bare, "INSERT INTO turns (user, at, text) VALUES (?, ?, ?)", batches)

    return ready


def _commit_each(bare: sqlite3.Connection, insert: str, batches: Sequence[Sequence[tuple[object, ...]]]) -> None:
    for rows in batches:
        bare.execute("BEGIN IMMEDIATE")
        bare.executemany(insert, rows)
        bare.execute("COMMIT")


def _measure_mem0_appends(folder: Path, scale: LogScale, out: Output) -> LogFindings:
    """In a process of its own, so that nothing it imports, sets or prints reaches ours."""
    out.note("appending, against mem0ai …")
    place = folder / "mem0"
    settings = {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(place)}
    return msgspec.json.decode(
        run_in_process(race_mem0_appends, place, scale.slow_rounds, scale.singles, settings=settings), type=LogFindings
    )


def race_mem0_appends(folder: str, rounds: str, singles: str) -> LogFindings:
    """Runs apart."""
    sys.addaudithook(refuse_network)
    try:
        import mem0  # type: ignore[import-not-found, import-untyped, unused-ignore]  # a peer, seldom installed
        from mem0.utils import factory  # type: ignore[import-not-found, import-untyped, unused-ignore]  # the same
    except ModuleNotFoundError as error:
        if error.name != "mem0":
            raise
        return LogFindings((), ("mem0ai is not installed: make peers",))
    factory.EmbedderFactory.provider_to_class["openai"] = "mem0.embeddings.mock.MockEmbeddings"
    memory = mem0.Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": f"{folder}/vectors", "embedding_model_dims": 10, "on_disk": True},
            },
            "embedder": {"provider": "openai", "config": {}},
            "llm": {"provider": "openai", "config": {"api_key": "none"}},
            "history_db_path": f"{folder}/history.db",
        }
    )

    def theirs(work: Work) -> Callable[[], object]:
        batches = [[{"role": turn.role, "content": turn.text} for turn in batch] for batch in work]
        return lambda: [memory.add(batch, user_id=USER, infer=False) for batch in batches]

    with closing(open_store(Path(folder) / "ours.db")) as store:
        contestants = (_log_contestant(store.log(USER)), theirs)
        single = _race_appends(contestants, rounds=int(rounds), calls=int(singles), size=1)
        batch = _race_appends(contestants, rounds=int(rounds), calls=1, size=BATCH)
    memory.close()
    against = f"mem0ai {mem0.__version__}"
    comparisons = [
        LogComparison(section="mem0", what=what, unit="entries/s", ours=ours, against=against, theirs=other)
        for what, (ours, other) in ((ONE, single), (MANY, batch))
    ]
    return LogFindings(tuple(comparisons), (MEM0_NOTE,))


MEM0_NOTE = (
    "mem0: Memory.add(infer=False) with its own local store (Qdrant on disk), no model, no telemetry, no network, and"
    " its mock embedder of ten constant numbers, so that embedding costs it nothing. It also stores a vector for each"
    " entry, which a log does not, and commits the messages of a batch one by one."
)


def _measure_postgres(url: str | None, scale: LogScale, out: Output) -> LogFindings:
    """Ours goes into the store there under a new user, the baseline into a schema of its own; both are removed."""
    if url is None:
        return LogFindings((), ("PostgreSQL is not measured: give --postgres URL",))
    from uac import open_store

    # isort: split
    import psycopg

    out.note("appending, against bare psycopg …")
    user = f"uac-bench-{uuid.uuid4()}"
    with closing(open_store(url)) as store, closing(psycopg.connect(url, autocommit=True)) as bare:
        bare.execute("CREATE SCHEMA uac_bench")
        bare.execute("CREATE TABLE uac_bench.entries (LIKE uac.entries INCLUDING ALL)")
        columns = '"user", position, at, kind, form, body, salt, digest, key'

        def theirs(work: Work) -> Callable[[], object]:
            rows = bare.execute(
                f"SELECT {columns} FROM uac.entries WHERE position > (SELECT count(*) FROM uac_bench.entries)"
                ' AND "user" = (SELECT id FROM uac.users WHERE name = %s) ORDER BY position',
                (user,),
            )
            batches = [rows.fetchmany(len(batch)) for batch in work]
            return lambda: commit_each(batches)

        def commit_each(batches: Sequence[Sequence[tuple[object, ...]]]) -> None:
            for rows in batches:
                with bare.transaction(), bare.cursor() as cursor:
                    marks = "%s, %s, %s, %s, %s, %s, %s, %s, %s"
                    cursor.executemany(f"INSERT INTO uac_bench.entries ({columns}) VALUES ({marks})", rows)

        try:
            contestants = (_log_contestant(store.log(user)), theirs)
            single = _race_appends(contestants, rounds=scale.rounds, calls=scale.singles, size=1)
            batch = _race_appends(contestants, rounds=scale.rounds, calls=scale.batches, size=BATCH)
        finally:
            bare.execute("DROP SCHEMA uac_bench CASCADE")
            store.erase(user)
    comparisons = [
        LogComparison(
            section="PostgreSQL", what=what, unit="entries/s", ours=ours, against="the same rows", theirs=other
        )
        for what, (ours, other) in ((ONE, single), (MANY, batch))
    ]
    return LogFindings(tuple(comparisons), (POSTGRES_NOTE,))


POSTGRES_NOTE = (
    "PostgreSQL: 'the same rows' is bare psycopg, BEGIN, executemany, COMMIT, into an unpartitioned table with the"
    " same columns and indexes, on the same server."
)


def _measure_reading(folder: Path, scale: LogScale, length: int, out: Output) -> LogFindings:
    path = folder / "long.db"
    with closing(open_store(path)) as store, closing(_bare_sqlite(path)) as bare:
        log = store.log(USER)
        text = _fill_log(log, length, out)
        bare.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = path.stat().st_size / length
        steps = (
            lambda: deque(log.read(), maxlen=0),
            lambda: _verify_bench_log(log),
            lambda: deque(map(json.loads, _read_bodies(bare)), maxlen=0),
        )
        seconds: list[list[float]] = [[] for _ in steps]
        for turn in range(scale.reads):
            out.note(f"reading and verifying {length:,} entries, round {turn + 1} of {scale.reads} …")
            for step, taken in zip(steps, seconds, strict=True):
                taken.append(time_call(step))
    read, verified, loaded = (length / median(taken) for taken in seconds)
    out.note("measuring memory …")
    few, many = (float(run_in_process(reading_memory_growth, path, entries)) for entries in (length // 10, length))
    against = "sqlite3 and json.loads"
    return LogFindings(
        (
            LogComparison(section="read", what="read", unit="entries/s", ours=read, against=against, theirs=loaded),
            LogComparison(
                section="read", what="verify", unit="entries/s", ours=verified, against=against, theirs=loaded
            ),
            LogComparison(
                section="size", what="file", unit="bytes/entry", ours=size, against="the text alone", theirs=text
            ),
            LogComparison(
                section="memory",
                what=f"reading {length:,}",
                unit="bytes",
                ours=many,
                against=f"reading {length // 10:,}",
                theirs=few,
                at_most=FLAT if length >= 100_000 else None,  # a short log does not fill the caches once
            ),
        ),
        (READ_NOTE,),
    )


FLAT = 1.5
READ_NOTE = (
    "read: one log, every entry decoded and dropped; 'sqlite3 and json.loads' reads the bodies of the same file."
    " verify: also checks two digests per entry. memory: how far reading raises the peak of a new process; flat means"
    f" that ten times as many entries take at most {FLAT} times as much."
)


def _fill_log(log: Log, length: int, out: Output) -> float:
    """Append that many entries; return the bytes of text per entry."""
    said, text = endless_log_turns(), 0
    with out.progress(f"appending {length:,} entries", length) as bar:
        for start in range(0, length, 1000):
            turns = list(islice(said, min(1000, length - start)))
            log.append(turns)
            for turn in turns:
                text += len(turn.text.encode())
                bar.advance()
    return text / length


def _verify_bench_log(log: Log) -> None:
    if broken := log.verify():
        raise click.ClickException(f"the log does not verify: {broken.problem}")


def _read_bodies(bare: sqlite3.Connection) -> Iterator[str]:
    return (body for (body,) in bare.execute("SELECT body FROM entries WHERE user = 1 ORDER BY position"))


def reading_memory_growth(path: str, entries: str) -> int:
    """By how many bytes reading the entries raises the peak memory, at least one page. Runs in a separate process."""
    with closing(open_store(Path(path), create=False)) as store:
        log = store.log(USER)
        return peak_memory_growth(lambda: deque(log.read(1, int(entries) + 1), maxlen=0))


def endless_log_turns(seed: int = 1) -> Iterator[Observation]:
    """Turns of 40 to 400 characters without end, the same for the same seed."""
    chance = random.Random(seed)
    sentences = [
        chance.choice(OPENINGS).format(who=chance.choice(WHO), what=chance.choice(WHAT), where=chance.choice(WHERE))
        + f" {chance.choice(WHEN)}, for {chance.randint(2, 2000)} {chance.choice(('euros', 'people', 'minutes'))}."
        for _ in range(1000)
    ]
    start = datetime(2020, 1, 1, 8, tzinfo=UTC)
    for number in count():
        length = chance.randint(40, 400)
        yield Observation(
            text=" ".join(chance.choices(sentences, k=length // 40 + 1))[:length],
            said=start + timedelta(minutes=number),
            role="assistant" if number % 2 else "user",
            session=f"session {number // 20}",
        )


OPENINGS = (
    "I told {who} that we need {what} in {where}",
    "Can you remind {who} about {what} near {where}",
    "{who} said that {what} was cheaper in {where}",
    "Since {who} moved to {where}, I look after {what}",
    "Done: I booked {what} for {who} in {where}",
)
WHO = ("my sister Léa", "Dr. Okafor", "the landlord", "my colleague Jürgen", "Grandma", "our neighbour Ana")
WHAT = ("the penicillin test", "a table by the window", "the train tickets", "my passport renewal", "a used bicycle")
WHERE = ("Zürich", "Lisbon", "the old town", "São Paulo", "Leeds", "the office on Main Street")
WHEN = ("on Monday morning", "before the end of March", "last summer", "every other week", "by tomorrow evening")


def _log_comparison_json(comparison: LogComparison) -> dict[str, object]:
    return {**msgspec.structs.asdict(comparison), "ratio": comparison.ratio, "met": comparison.met}


def _log_comparison_cells(comparison: LogComparison) -> tuple[str, ...]:
    unit = comparison.unit
    goal = f"at least {comparison.at_least}" if comparison.at_least is not None else ""
    goal = f"at most {comparison.at_most}" if comparison.at_most is not None else goal
    return (
        comparison.section,
        comparison.what,
        _format_log_amount(comparison.ours, unit),
        comparison.against,
        _format_log_amount(comparison.theirs, unit),
        f"{comparison.ratio:.2f}",
        goal and f"{goal}: {'met' if comparison.met else 'not met'}",
    )


def _format_log_amount(number: float, unit: str) -> str:
    if unit == "bytes":
        return f"{number / 1e6:,.1f} MB"
    return f"{number:,.0f} {unit}"
