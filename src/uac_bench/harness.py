"""What every suite shares: where a run is kept, how its items are taken over, and how systems are compared.

A suite makes a `SuiteRun`, measures its parts through it, prints through its `out`, and finishes. What is measured so
has a progress bar, and is taken over when an interrupted run is started again. Without `--out` nothing is kept.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from uac.conversation import wilson
from uac.interfaces.cli import Output
from uac_bench.runs import (
    BenchItem,
    BenchRun,
    BenchTable,
    Curve,
    CurvePoint,
    Recorder,
    System,
    code_revision,
    data_digests,
    shares,
    versus,
)

__all__ = [
    "OURS",
    "SuiteOutput",
    "SuiteRun",
    "chance_text",
    "comparison_rows",
    "curve_points",
    "numbered_parts",
    "out_option",
    "run_command",
]

OURS = "user-as-code"
COMPARED = ("system", "right", "share", "95 % interval", "p against ours")
SURELY = 0.0001  # a smaller p is printed as less than this

NOT_MEASURED = frozenset({"as_json", "budget", "exchange", "jobs", "out_folder", "shown", "verbose"})
"""Options that change nothing of what an item says; a run is continued with others, too."""

Command = TypeVar("Command", bound=Callable[..., object])
Input = TypeVar("Input")
Result = TypeVar("Result")


def out_option(command: Command) -> Command:
    """The option `--out FOLDER` of a suite, given as `out_folder`."""
    option = click.option(
        "--out",
        "out_folder",
        metavar="FOLDER",
        type=click.Path(file_okay=False, path_type=Path),
        help="Keep the run in this folder as SUITE.json, for uac-bench report; an interrupted run is continued.",
    )
    return option(command)


class SuiteOutput(Output):
    """The output of a suite: tables that are printed are also kept. With JSON, lines and tables are not printed."""

    bar_after = 0.0  # a single step of a suite may take a minute

    def __init__(self, *, as_json: bool) -> None:
        super().__init__(as_json=as_json)
        self.tables: list[BenchTable] = []
        self._title = ""

    def line(self, *parts: str | tuple[str, str]) -> None:
        if styled := [part[0] for part in parts if isinstance(part, tuple)]:
            self._title = styled[0].strip().rstrip(":")
        if not self.as_json:
            super().line(*parts)

    def table(self, columns: Iterable[str], rows: Iterable[tuple[str, ...]], *, headed: bool = False) -> None:
        heads, cells = tuple(columns), [tuple(row) for row in rows]
        if cells:
            self.tables.append(BenchTable(title=self._title, columns=heads, rows=tuple(cells)))
        if not self.as_json:
            super().table(heads, cells, headed=headed)


class SuiteRun:
    """A suite while it runs. It is continued if code, data, model, prompts and options are those of the run before."""

    def __init__(
        self,
        suite: str,
        about: str,
        folder: Path | None,
        *,
        as_json: bool,
        data: Sequence[Path] = (),
        seed: int | None = None,
        model: str = "",
        is_live: bool = False,
        prompts: Mapping[str, str] | None = None,
    ) -> None:
        self.out = SuiteOutput(as_json=as_json)
        self._run = BenchRun(
            suite=suite,
            command=run_command(),
            about=about,
            code=code_revision() if folder is not None else "",
            data=data_digests([path for path in data if path.is_file()]) if folder is not None else {},
            seed=seed,
            model=model,
            is_live=is_live,
            prompts=dict(prompts or {}),
        )
        self._folder = folder
        key = {"run": [self._run.code, self._run.data, seed, model, self._run.prompts], "settings": _run_settings()}
        self._recorder = Recorder(folder, suite, key)

    @property
    def items(self) -> tuple[BenchItem, ...]:
        return self._recorder.items

    def known(self, system: str, item: str) -> BenchItem | None:
        """The item from the run that this one continues."""
        return self._recorder.known(system, item)

    def record(self, item: BenchItem) -> BenchItem:
        return self._recorder.add(item)

    def once(self, system: str, name: str, measure: Callable[[], BenchItem]) -> BenchItem:
        """The item, measured unless the run that this one continues has it."""
        return self.known(system, name) or self.record(measure())

    def measure(
        self,
        label: str,
        function: Callable[[Input], Result | None],
        inputs: Mapping[str, Input],
        result_type: type[Result],
        *,
        jobs: int = 1,
    ) -> dict[str, Result]:
        """The result for each named input; a part is taken over if the run that this one continues has measured it.

        The function may record items. A part that has a failed item, or no result (None), is measured again by the next
        run. With several jobs the function runs in other processes. Each result has been through JSON, so that a run
        that was continued gives what an uninterrupted one gives.
        """
        found: dict[str, Result] = {}
        missing = {name: each for name, each in inputs.items() if self._recorder.part(f"{label}: {name}") is None}
        measured = _results(function, list(missing.values()), jobs)
        with self.out.progress(label, len(inputs)) as bar:
            for name in inputs:
                kept = self._recorder.part(f"{label}: {name}")
                if kept is None:
                    failures = self._recorder.failures
                    result = next(measured)
                    kept = b"" if result is None else msgspec.json.encode(result)
                    if kept and self._recorder.failures == failures:
                        self._recorder.keep_part(f"{label}: {name}", kept)
                if kept:
                    found[name] = msgspec.json.decode(kept, type=result_type)
                bar.advance()
        return found

    def measure_items(
        self, label: str, function: Callable[[Input], Iterable[BenchItem]], inputs: Mapping[str, Input]
    ) -> None:
        """Record the items of each named input. A part without items is measured again by the next run."""

        def record_all(each: Input) -> int | None:
            return len([self.record(item) for item in function(each)]) or None

        self.measure(label, record_all, inputs, int)

    def compare(self, baselines: Sequence[str] = (), *, ours: str = OURS, title: str = "right answers") -> None:
        """Print shares with their intervals, and McNemar's exact test of ours against each baseline."""
        rows = comparison_rows(self.items, ours, baselines)
        if rows:
            self.out.line((f"{title}:", "bold"))
            self.out.table(COMPARED, rows, headed=True)

    def finish(
        self,
        systems: Sequence[System] = (),
        *,
        tables: Sequence[BenchTable] = (),
        curves: Sequence[Curve] = (),
        items: Sequence[BenchItem] = (),
        headline: str = "",
    ) -> BenchRun:
        """Write the run, with all items that were recorded unless only some are worth keeping."""
        run = self._run
        ours = System(OURS, run.version, is_ours=True)
        made: dict[str, Any] = {name: getattr(run, name) for name in run.__struct_fields__} | {
            "systems": tuple(systems) or (ours,),
            "tables": (*tables, *self.out.tables),
            "curves": tuple(curves),
            "items": tuple(items),
            "headline": headline,
        }
        finished = self._recorder.finish(BenchRun(**made))
        if self._folder is not None:
            self.out.note(f"The run is {self._folder / run.suite}.json.")
        return finished


def numbered_parts(inputs: Sequence[Input], size: int) -> dict[str, Sequence[Input]]:
    """The inputs in parts of a size, each by the number of its first one."""
    return {str(start + 1): inputs[start : start + size] for start in range(0, len(inputs), size)}


def _results(function: Callable[[Input], Result], inputs: Sequence[Input], jobs: int) -> Iterator[Result]:
    """The results in the order of the inputs, each when it is asked for or, with several jobs, some ahead."""
    if jobs == 1 or len(inputs) < 2:
        yield from map(function, inputs)
        return
    # New processes, not forks: the embedder's tokenizer has threads.
    with ProcessPoolExecutor(min(jobs, len(inputs)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(function, inputs)


def comparison_rows(items: Sequence[BenchItem], ours: str, baselines: Sequence[str] = ()) -> list[tuple[str, ...]]:
    """A row for each system in their order: right of all, share, interval, and p of the paired test against ours."""
    found = {system: share for (system, _group), share in shares(items).items()}
    names = [name for name in (ours, *baselines, *found) if name in found]
    rows: list[tuple[str, ...]] = []
    for name in dict.fromkeys(names):
        share = found[name]
        chance = versus(items, ours, name) if name != ours and ours in found else None
        rows.append(
            (
                name,
                f"{share.right}/{share.of}",
                f"{share.share:.1%}",
                f"{share.low:.1%} to {share.high:.1%}",
                chance_text(chance),
            )
        )
    return rows


def chance_text(chance: float | None) -> str:
    """A p as it is printed; nothing if there was nothing to compare."""
    return "" if chance is None else f"< {SURELY}" if chance < SURELY else f"{chance:.4f}"


def curve_points(items: Iterable[BenchItem], place: Callable[[BenchItem], float]) -> dict[str, tuple[CurvePoint, ...]]:
    """The share of right answers of each system at each place, with Wilson's interval."""
    found: dict[str, dict[float, list[bool]]] = {}
    for item in items:
        if item.verdict != "unscored":
            found.setdefault(item.system, {}).setdefault(place(item), []).append(item.verdict == "right")
    lines: dict[str, tuple[CurvePoint, ...]] = {}
    for system, by_place in found.items():
        judged = {x: wilson(sum(right), len(right)) for x, right in sorted(by_place.items())}
        lines[system] = tuple(CurvePoint(x, share.share, share.low, share.high) for x, share in judged.items())
    return lines


def run_command() -> str:
    """The command line of this run, without the folder it is kept in; a path is written as its option's name."""
    context = click.get_current_context(silent=True)
    if context is None:
        return ""
    words = ["uac-bench", context.info_name or ""]
    for option in context.command.params:
        value = context.params.get(option.name or "")
        is_given = context.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE
        if not is_given or option.name in ("out_folder", "as_json") or not isinstance(option, click.Option):
            continue
        flag = max(option.opts, key=len)
        if option.is_flag:
            words.append(flag if value else max(option.secondary_opts or option.opts, key=len))
            continue
        given: tuple[object, ...] = tuple(value or ()) if option.multiple else (value,)
        for each in given:
            words += [flag, _option_word(option, each)]
    return " ".join(words)


def _run_settings() -> dict[str, object]:
    """The options that items depend on. Files are known by their digests, and any empty database will do."""
    context = click.get_current_context(silent=True)
    given = {} if context is None else context.params
    return {
        name: "://" in str(value) or value
        for name, value in given.items()
        if name not in NOT_MEASURED and not isinstance(value, Path)
    }


def _option_word(option: click.Option, value: object) -> str:
    if isinstance(value, Path) or "://" in str(value):  # neither paths nor addresses with passwords are kept
        return max(option.opts, key=len).removeprefix("--").upper()
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return f'"{value}"' if " " in str(value) else str(value)
