"""uac-bench growth: the same questions about 100 to 100,000 records, computed and retrieved.

Retrieval and full context are given the best case: whatever they find is read without error and computed exactly. So
their figures are upper bounds, and what is lost is only what was not in the context.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import click

from uac import Computer, Memory, __version__
from uac.errors import RunError, UacError
from uac.sandbox import open_sandbox
from uac.text import count_tokens
from uac_bench.analytical_queries import TYPES
from uac_bench.bench_analytical import NOW, import_typed_records
from uac_bench.growth_records import GROWTH_QUESTIONS, GrowthQuestion, GrowthRecord, generate_records, record_text
from uac_bench.harness import OURS, SuiteRun, curve_points, out_option
from uac_bench.runs import BenchItem, Curve, System
from uac_bench.scorers import is_right_value
from uac_bench.systems import Contestant, NotInstalled, Retriever, StoredText
from uac_bench.systems.peers import installed_versions, peer_contestants
from uac_bench.systems.rebuilt import rebuilt_contestants

__all__ = ["bench_growth", "growth_answers", "growth_item"]

ABOUT = (
    "The same 30 questions about 100 to 100,000 made-up records of ten types. Full context and retrieval are upper"
    " bounds: what they show is computed exactly."
)
SIZES = (100, 1_000, 10_000, 100_000)
WINDOW = 128_000  # tokens of a context
TOP = 20
TOLD_AT_ONCE = 20  # records of a session
SQL, FULL = "SQL by hand", "full context cut at a window"
NO_SEARCH = (OURS, "newest first")  # contestants that are not top-k retrieval

Records = Mapping[str, Sequence[GrowthRecord]]
Answer = Callable[[GrowthQuestion], Any]


@click.command("growth")
@click.option(
    "--size",
    "sizes",
    type=click.IntRange(min=10),
    multiple=True,
    default=SIZES,
    show_default=True,
    help="How many records. May be repeated.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Other seeds are other records.")
@click.option("--top", type=click.IntRange(min=1), default=TOP, show_default=True, help="Records that retrieval shows.")
@click.option(
    "--window", type=click.IntRange(min=1000), default=WINDOW, show_default=True, help="Tokens of the full context."
)
@click.option("--peers", is_flag=True, help="Also retrieve with the peers that are installed (make peers).")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_growth(
    sizes: tuple[int, ...], seed: int, top: int, window: int, peers: bool, out_folder: Path | None, as_json: bool
) -> None:
    """Ask the same questions about 100, 1,000, 10,000 and 100,000 records.

    Records of ten types are made up; an oracle that shares no code with the contestants has the golds.
    Compared: compute over typed records, SQL by hand, full context cut at a window, and the best
    records of each retrieval. Whatever the last two show is computed exactly, so they are upper bounds:
    a model that reads does worse.
    """
    suite = SuiteRun("growth", ABOUT, out_folder, as_json=as_json, seed=seed)
    contestants = [each for each in rebuilt_contestants() if each.name not in NO_SEARCH]
    contestants += peer_contestants() if peers else []
    versions, missing = installed_versions(), dict[str, str]()
    systems: dict[str, System] = {
        OURS: System(OURS, __version__, "compute over typed records", is_ours=True),
        SQL: System(SQL, sqlite3.sqlite_version, "SQLite tables, queries written by a person"),
        FULL: System(FULL, "", f"the newest records within {window:,} tokens, computed exactly: an upper bound"),
    }
    try:
        with suite.out.progress("answers", len(sizes) * len(GROWTH_QUESTIONS) * (3 + len(contestants))) as bar:
            for size in sorted(set(sizes)):
                records = generate_records(size, seed)
                for name, answers in growth_answers(records, contestants, top, window, suite, size, missing):
                    for question in GROWTH_QUESTIONS:
                        suite.once(
                            name, f"{question.id}@{size}", partial(growth_item, name, question, size, records, answers)
                        )
                        bar.advance()
                suite.out.note(f"{size:,} records")
    except UacError as error:
        raise click.ClickException(str(error)) from error
    for each in contestants:
        name = f"top {top}, {each.name}"
        about = f"{each.about} The {top} best, computed exactly: an upper bound."
        systems[name] = System(name, versions.get(each.package, ""), about)
    curves = [
        Curve(
            title="Right answers as records grow",
            x="records",
            y="share of right answers",
            lines=curve_points(suite.items, lambda item: float(item.group)),
            is_log_x=True,
            note="95 % intervals by Wilson. All but compute and SQL are upper bounds.",
        )
    ]
    if as_json:
        lines = {
            name: {int(point.x): round(point.y, 4) for point in points} for name, points in curves[0].lines.items()
        }
        suite.out.json({"right": lines, "missing": missing})
    suite.out.line(("share of right answers by the number of records:", "bold"))
    suite.out.table(
        ("system", *(f"{size:,}" for size in sorted(set(sizes)))), _growth_rows(curves[0], sizes), headed=True
    )
    suite.compare(title="all sizes together")
    for name, why in missing.items():
        suite.out.line(f"{name}: {why}")
    measured = {item.system for item in suite.items}
    last = max(sizes)
    at_last = {name: points[-1].y for name, points in curves[0].lines.items() if points[-1].x == last}
    headline = f"With {last:,} records: {at_last[OURS]:.0%}; full context {at_last[FULL]:.0%}"
    if tops := [share for name, share in at_last.items() if name.startswith("top")]:
        headline += f", retrieval at most {max(tops):.0%}"
    suite.finish(
        [system for name, system in systems.items() if name in measured], curves=curves, headline=f"{headline}."
    )


def growth_answers(
    records: Records,
    contestants: Sequence[Contestant],
    top: int,
    window: int,
    suite: SuiteRun,
    size: int,
    missing: dict[str, str],
) -> Iterator[tuple[str, Answer]]:
    """Each system with its way to answer, opened only if one of its answers is not known yet."""

    def is_known(name: str) -> bool:
        return all(suite.known(name, f"{question.id}@{size}") for question in GROWTH_QUESTIONS)

    yield (OURS, _unasked) if is_known(OURS) else (OURS, _computed(records))
    with closing(sqlite3.connect(":memory:")) as database:
        yield (SQL, _unasked) if is_known(SQL) else (SQL, _by_sql(records, database))
    lines = list(_in_order(records))
    yield FULL, _exactly_over(_newest_within(lines, window))
    for each in contestants:
        name = f"top {top}, {each.name}"
        if is_known(name):
            yield name, _unasked
            continue
        if size > each.largest:
            missing[f"{name} at {size:,}"] = f"not measured: it takes minutes for more than {each.largest:,} texts"
            continue
        try:
            retriever = each.open()
        except NotInstalled as error:
            missing[each.name] = str(error)
            continue
        with closing(retriever):
            retriever.add(
                [
                    StoredText(record_text(kind, record), at, session=f"session {number // TOLD_AT_ONCE}")
                    for number, (at, kind, record) in enumerate(lines)
                ]
            )
            yield name, _retrieved(retriever, lines, top)


def _unasked(_question: GrowthQuestion) -> Any:
    raise AssertionError("an answer that is known is not asked for")


def growth_item(system: str, question: GrowthQuestion, size: int, records: Records, answer: Answer) -> BenchItem:
    """The answer of a system, scored against the oracle."""
    golds = question.gold(records[question.type])
    try:
        given, why = answer(question), ""
    except RunError as error:
        given, why = None, str(error)
    is_right = is_right_value(question.kind, given, golds)
    return BenchItem(
        id=f"{question.id}@{size}",
        system=system,
        verdict="right" if is_right else "failed" if why else "wrong",
        group=str(size),
        given="" if given is None else str(given),
        gold=" or ".join(map(str, golds)),
        why=why or ("" if given is not None else "no record to compute over"),
    )


def _growth_rows(curve: Curve, sizes: Sequence[int]) -> Iterator[tuple[str, ...]]:
    for name, points in curve.lines.items():
        found = {int(point.x): point for point in points}
        cells = (
            f"{found[size].y:.0%} ({found[size].low:.0%} to {found[size].high:.0%})" if size in found else "–"
            for size in sorted(set(sizes))
        )
        yield (name, *cells)


# -- the ways to answer ------------------------------------------------------------------------------------------------


def _computed(records: Records) -> Answer:
    """Typed records through the importer, a query in the sandbox."""
    memories: dict[str, Memory] = {}

    def answer(question: GrowthQuestion) -> Any:
        if question.type not in memories:
            memories[question.type] = import_typed_records(records[question.type], TYPES[question.type])
        with closing(open_sandbox()) as sandbox, closing(Computer(sandbox)) as computer:
            project = memories[question.type].project()
            return computer.run(project, question.query, now=NOW).value

    return answer


def _by_sql(records: Records, database: sqlite3.Connection) -> Answer:
    for name, rows in records.items():
        columns = list(rows[0])
        database.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
        marks = ", ".join("?" * len(columns))
        values = ([_sql_value(row[column]) for column in columns] for row in rows)
        database.executemany(f"INSERT INTO {name} VALUES ({marks})", values)

    def answer(question: GrowthQuestion) -> Any:
        (found,) = database.execute(question.sql).fetchone()
        return found

    return answer


def _sql_value(value: Any) -> Any:
    return ", ".join(value) if isinstance(value, list) else value


Line = tuple[datetime, str, GrowthRecord]
"""A record with its type and the time when it was told."""


def _in_order(records: Records) -> Iterator[Line]:
    """All records by turns, as they were generated, each a minute after the one before."""
    longest = max(len(rows) for rows in records.values())
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    for number in range(longest):
        for name, rows in records.items():
            if number < len(rows):
                yield moment, name, rows[number]
                moment += timedelta(minutes=1)


def _newest_within(lines: Sequence[Line], window: int) -> list[Line]:
    kept: list[Line] = []
    spent = 0
    for line in reversed(lines):
        spent += count_tokens(record_text(line[1], line[2]))
        if spent > window:
            break
        kept.append(line)
    return kept


def _exactly_over(lines: Sequence[Line]) -> Answer:
    """The exact answer over some of the records."""
    by_type: dict[str, list[GrowthRecord]] = {}
    for _at, name, record in lines:
        by_type.setdefault(name, []).append(record)
    return lambda question: question.gold(by_type.get(question.type, []))[0]


def _retrieved(retriever: Retriever, lines: Sequence[Line], top: int) -> Answer:
    def answer(question: GrowthQuestion) -> Any:
        return _exactly_over([lines[place] for place in retriever.search(question.text, top)])(question)

    return answer
