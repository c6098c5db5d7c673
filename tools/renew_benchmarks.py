"""Makes the kept runs of docs/benchmarks again, each by the command that it names, one after the other.

    python tools/renew_benchmarks.py --data DATA --postgres URL

Runs that a model answered are left alone. So is a run whose data or server is not given: it is named. A command that is
interrupted is continued by the same call, since every run is first kept in the folder `--out`. Runs without figures of
a server or of time can be made while something else is running; the others (`--without serve --without start …`) want a
quiet machine.
"""

import argparse
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from uac_bench.report.site import write_runs
from uac_bench.runs import BenchRun, load_runs

__all__ = ["KEPT", "Renewal", "main", "planned_renewals"]

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "docs" / "benchmarks"
DATA_FOLDERS = ("analytical", "alerts", "locomo", "longmemeval", "beam", "realmem")


class Renewal(NamedTuple):
    """A kept run, the words after `uac-bench` that make it again, and why it cannot be made, if so."""

    suite: str
    words: tuple[str, ...]
    why_not: str = ""


def main() -> int:
    options = _options()
    given = {"POSTGRES": options.postgres, "ENVIRONMENTS": options.environments}
    program = str(Path(sys.executable).parent / "uac-bench")
    left: list[str] = []
    for each in planned_renewals(load_runs(options.kept), options.data, given):
        if each.suite in options.without or (options.only and each.suite not in options.only):
            continue
        if each.why_not:
            left.append(f"{each.suite}: {each.why_not}")
            continue
        print(f"uac-bench {shlex.join(each.words)}", flush=True)
        done = subprocess.run([program, *each.words, "--out", str(options.out)], cwd=ROOT, check=False)
        made = [run for run in load_runs(options.out) if run.suite == each.suite]
        write_runs(made, options.kept)
        if done.returncode or not made:
            left.append(f"{each.suite}: ended with {done.returncode}" + ("" if made else ", and was not kept"))
    for line in left:
        print(line)
    return 1 if left else 0


def planned_renewals(runs: tuple[BenchRun, ...], data: Path | None, given: Mapping[str, str]) -> Iterator[Renewal]:
    """How each run is made again, with the folders and addresses that its command only names."""
    for run in runs:
        found = {"POSTGRES": "", "ENVIRONMENTS": "", **given, "DATA": _data_folder(run.suite, data)}
        words = shlex.split(run.command)[1:]
        needs = [f"needs --{word.casefold()}" for word in words if word in found and not found[word]]
        why_not = "a model answered" if run.model else ", ".join(needs)
        yield Renewal(run.suite, tuple(found.get(word, word) for word in words), why_not)


def _data_folder(suite: str, data: Path | None) -> str:
    """The folder of a suite's data, if it exists: that of its name, or of the set that it is about."""
    name = next((name for name in DATA_FOLDERS if name in suite.split("-")), "locomo")
    return str(data / name) if data is not None and (data / name).is_dir() else ""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Make the kept runs of docs/benchmarks again.")
    parser.add_argument("--data", type=Path, help="the folder with analytical, alerts and locomo")
    parser.add_argument("--postgres", default="", metavar="URL", help="an empty database")
    parser.add_argument("--environments", default=".peers", help="where make peers has made its environments")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "runs", help="where runs are kept while they are made"
    )
    parser.add_argument("--kept", type=Path, default=KEPT, help="the runs that are made again")
    parser.add_argument("--only", action="append", default=[], metavar="SUITE", help="may be repeated")
    parser.add_argument("--without", action="append", default=[], metavar="SUITE", help="may be repeated")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
