"""uac-bench leaks: tries to read what a member of a group has not shared, by every way of reading there is."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from uac.interfaces.cli import missing_serve_extra_error
from uac_bench.harness import OURS, SuiteRun, out_option
from uac_bench.runs import BenchItem, BenchTable

__all__ = ["bench_leaks", "try_leaks"]

ABOUT = "Attempts to read what a member of a group does not share."
SHARED = "what is shared"


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
        try_leaks(suite, Path(folder), address=address)
    tried = Counter(item.group for item in suite.items)
    leaks = [f"{item.id}: {item.why}" for item in suite.items if item.verdict == "wrong"]
    visible = sum(item.given == SHARED for item in suite.items)
    if as_json:
        out.json({"attempts": tried.total(), "by_way": dict(sorted(tried.items())), "leaks": leaks, "visible": visible})
    out.line(("attempts by way", "bold"))
    out.table(("way", "attempts"), ((way, str(count)) for way, count in sorted(tried.items())))
    out.line(f"{tried.total()} attempts, {len(leaks)} leaks; {visible} attempts read what is shared")
    for leak in leaks:
        out.line(("leak", "red"), f": {leak}")
    suite.compare(title="attempts that read nothing but what is shared")
    rows = (("attempts", str(tried.total())), ("leaks", str(len(leaks))), ("read what is shared", str(visible)))
    suite.finish(
        tables=[BenchTable(title="attempts and leaks", columns=("", "number"), rows=rows)],
        headline=f"{tried.total():,} attempts, {len(leaks)} leaks.",
    )
    sys.exit(1 if leaks or not visible else 0)


def try_leaks(suite: SuiteRun, folder: Path, *, address: str = "", attackers: Sequence[str] = ()) -> None:
    """Record every attempt at every stage; one is wrong if it read what is not shared."""
    try:
        from uac_bench.leaks.attempts import attempts_of
        from uac_bench.leaks.scene import ATTACKERS, STAGES, Scene
    except ImportError as error:
        raise missing_serve_extra_error(error) from None
    with Scene.open(folder, address) as scene:
        waiting = list(STAGES)

        def attempts_at(stage: str) -> Iterator[BenchItem]:
            while stage in waiting:  # those before it, too, if an interrupted run has measured them
                scene.enter(waiting.pop(0))
            for attacker in attackers or ATTACKERS:
                for number, attempt in enumerate(attempts_of(scene, attacker), 1):
                    read = attempt.read().casefold()
                    found = sorted(word for word in scene.forbidden if word in read)
                    yield BenchItem(
                        id=f"{stage}: {attacker}, {attempt.way} {number}",
                        system=OURS,
                        verdict="wrong" if found else "right",
                        group=attempt.way,
                        given=SHARED if any(word in read for word in scene.allowed) else "",
                        why=f"{attempt.name}: {', '.join(found)}" if found else "",
                    )

        suite.measure_items("stages", attempts_at, {stage: stage for stage in STAGES})
