"""uac-bench speed: the suites that measure time, one after the other, in one table."""

import io
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import click

from uac_bench.bench_all import run_suite
from uac_bench.harness import SuiteRun, out_option
from uac_bench.runs import BenchRun, load_runs

__all__ = ["SPEED_SUITES", "bench_speed", "speed_rows"]

ABOUT = "Time, size and cost of the log, the project, recall, alerts and the start of a command, measured in one run."
SPEED_SUITES: tuple[tuple[str, Sequence[str], Sequence[str]], ...] = (
    ("log", (), ("--quick",)),
    ("project", (), ("--quick",)),
    ("recall", ("--speed",), ("--turns", "500")),
    ("alerts", ("--speed",), ("--records", "200", "--users", "20")),
    ("start", (), ("--rounds", "1")),
)
"""A suite, its arguments, and what makes it short."""


@click.command("speed")
@click.option("--quick", is_flag=True, help="A small run, to see that it works; its figures mean little.")
@click.option("--only", multiple=True, metavar="SUITE", help="Only this suite. May be repeated.")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_speed(
    context: click.Context, quick: bool, only: tuple[str, ...], out_folder: Path | None, as_json: bool
) -> None:
    """Run the suites that measure time, and print their figures in one table.

    Each suite is a command of its own, with more options. The exit code is 1 if one of them failed.
    """
    names = [name for name, _arguments, _short in SPEED_SUITES]
    if unknown := set(only) - set(names):
        raise click.UsageError(f"No suite {min(unknown)!r}. Use one of {', '.join(names)}.")
    chosen = [each for each in SPEED_SUITES if not only or each[0] in only]
    suite = SuiteRun("speed", ABOUT, out_folder, as_json=as_json)
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, arguments, short) in enumerate(chosen, 1):
            suite.out.note(f"{number} of {len(chosen)}: {name} …")
            with redirect_stdout(io.StringIO()):
                why = run_suite(context, [name, *arguments, *(short if quick else ()), "--out", folder], None)
            if why:
                failed[name] = why
        rows = [row for run in load_runs(Path(folder)) for row in speed_rows(run)]
    if as_json:
        suite.out.json({"figures": rows, "failed": failed})
    suite.out.line(("speed:", "bold"))
    suite.out.table(("suite", "what", "figures"), rows, headed=True)
    for name, why in failed.items():
        suite.out.line((f"{name}: ", "red"), why)
    suite.finish()
    context.exit(1 if failed else 0)


def speed_rows(run: BenchRun) -> Iterator[tuple[str, ...]]:
    """Every row of the tables of a run: its first cell, and the others with their columns."""
    for table in run.tables:
        for what, *cells in table.rows:
            pairs = zip(table.columns[1:], cells, strict=True)
            yield run.suite, what, ", ".join(f"{column} {cell}".strip() for column, cell in pairs if cell)
