"""Runs of suites as the report reads them, with made-up items."""

from uac_bench.runs import BenchItem, BenchRun, BenchTable, Curve, CurvePoint, System

__all__ = ["DIGEST", "sample_run"]

DIGEST = "0a" * 32


def sample_run(suite: str = "growth", *, is_live: bool = False, model: str = "", word: str = "") -> BenchRun:
    """Two systems, eight questions in two groups, a curve and a table; `word` is in every text."""
    systems = (
        System(f"ours{word}", "1.0", f"compute {word}", is_ours=True),
        System(f"peer{word}", "2.1", f"the 20 best {word}"),
    )
    items = tuple(
        BenchItem(
            id=f"q{number}{word}",
            system=system.name,
            verdict="right" if system.is_ours or number < 3 else "failed" if number == 7 else "wrong",
            group=("few", "many")[number % 2] + word,
            given=f"a secret answer {word}",
            gold=f"a secret gold {word}",
            why=f"a secret reason {word}" if number == 7 else "",
        )
        for system in systems
        for number in range(8)
    )
    points = tuple(CurvePoint(10.0**place, 1 - place / 9, 0.8 - place / 9, 1 - place / 10) for place in (2, 3, 4))
    return BenchRun(
        suite=suite,
        command=f"uac-bench {suite} --seed 7 {word}".rstrip(),
        about=f"About this suite. {word}",
        code="abc123def456",
        machine=f"2 cores {word}",
        data={f"cases.json{word}": DIGEST},
        seed=7,
        model=model,
        is_live=is_live,
        prompts={f"answer{word}": "0b" * 32},
        systems=systems,
        items=items,
        tables=(BenchTable(title=f"Times {word}", columns=("what", f"ms {word}"), rows=((f"open {word}", "3.2"),)),),
        curves=(
            Curve(
                title=f"As records grow {word}",
                x="records",
                y="share of right answers",
                lines={system.name: points for system in systems},
                is_log_x=True,
                note=f"A note. {word}",
            ),
        ),
    )
