"""uac-bench leaks: tries to read what a member of a group has not shared, by every way of reading there is."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from uac.interfaces.cli import missing_serve_extra_error
from uac_bench.harness import SuiteRun, out_option
from uac_bench.runs import BenchTable

__all__ = ["bench_leaks", "try_leaks"]

ABOUT = "Attempts to read what a member of a group does not share."


@click.command("leaks")
@click.option("--store", "address", default="", help="The address of an empty store.  [default: a new SQLite file]")
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench_leaks(address: str, out_folder: Path | None, as_json: bool) -> None:
    """Try to read what a member of a group does not share, as other members, former members and strangers.

    A member has words of every kind in a memory of her own, and shares one field with a group. Step by step she
    stops sharing it, changes it, erases it, leaves the group and is erased herself; after each step, attackers try
    every way of reading. The words that they may read show that the ways work. Exits with 1 if anything leaked.
    """
    suite = SuiteRun("leaks", ABOUT, out_folder, as_json=as_json)
    out = suite.out
    with TemporaryDirectory() as folder:
        tried, leaks, visible = try_leaks(Path(folder), address=address, on_stage=out.note)
    if as_json:
        out.json({"attempts": sum(tried.values()), "by_way": dict(tried), "leaks": leaks, "visible": visible})
    out.line(("attempts by way", "bold"))
    out.table(("way", "attempts"), ((way, str(count)) for way, count in sorted(tried.items())))
    out.line(f"{sum(tried.values())} attempts, {len(leaks)} leaks; {visible} attempts read what is shared")
    for leak in leaks:
        out.line(("leak", "red"), f": {leak}")
    rows = (("attempts", str(sum(tried.values()))), ("leaks", str(len(leaks))), ("read what is shared", str(visible)))
    suite.finish(
        tables=[BenchTable(title="attempts and leaks", columns=("", "number"), rows=rows)],
        headline=f"{sum(tried.values()):,} attempts, {len(leaks)} leaks.",
    )
    sys.exit(1 if leaks or not visible else 0)


def try_leaks(
    folder: Path,
    *,
    address: str = "",
    attackers: Sequence[str] = (),
    on_stage: Callable[[str], None] = lambda _text: None,
) -> tuple[Counter[str], list[str], int]:
    """The number of attempts by way, the leaks, and how many attempts read what is shared."""
    try:
        from uac_bench.leaks.attempts import attempts_of
        from uac_bench.leaks.scene import ATTACKERS, STAGES, Scene
    except ImportError as error:
        raise missing_serve_extra_error(error) from None
    tried, leaks, visible = Counter[str](), list[str](), 0
    with Scene.open(folder, address) as scene:
        for stage in STAGES:
            scene.enter(stage)
            before = sum(tried.values())
            for attacker in attackers or ATTACKERS:
                for attempt in attempts_of(scene, attacker):
                    tried[attempt.way] += 1
                    read = attempt.read().casefold()
                    found = sorted(word for word in scene.forbidden if word in read)
                    leaks += [f"{stage}: {attacker} by {attempt.way} {attempt.name}: {', '.join(found)}"] * bool(found)
                    visible += any(word in read for word in scene.allowed)
            on_stage(f"{stage}: {sum(tried.values()) - before} attempts")
    return tried, leaks, visible
