"""uac-bench all: every suite, one after the other, each kept as a run in one folder."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from uac.interfaces.cli import Output
from uac.project import Spent
from uac_bench.locomo import LOCOMO_FILE
from uac_bench.model_options import AWAITED, SpendingModels, model_options, open_bench_models, spent_text
from uac_bench.runs import Recorder, code_revision

__all__ = ["bench_all", "planned_suites", "run_suite"]

PAGE = "page"
"""The folder of the page in that of the runs."""
SAMPLE = 12  # cases of a suite with a model
ASKED = 8  # questions of each set: seven systems answer, and each answer is judged


class PlannedSuite(NamedTuple):
    """The arguments of a suite, the data that it needs beside the project, and whether the model answers in it."""

    arguments: tuple[str, ...]
    data: str = ""
    asks_model: bool = False

    @property
    def title(self) -> str:
        return " ".join(("uac-bench", *self.arguments)) + (f", {Path(self.data).name}" if self.data else "")


class EndedSuite(msgspec.Struct, frozen=True):
    """How a suite ended, kept for a run that continues this one: why it failed, if it did, and what it cost."""

    why: str
    spent: Spent


WITHOUT_DATA: tuple[tuple[Sequence[str], Sequence[str]], ...] = (
    (("growth",), ("--size", "100", "--size", "1000")),
    (("alerts", "--controls"), ()),
    (("schema",), ("--rules", "8")),
    (("faults",), ("--most", "4", "--rounds", "2")),
    (("leaks",), ()),
    (("ablation",), ("--records", "300")),
    (("conversations",), ("--users", "4", "--sessions", "4")),
    (("conversations", "--natural"), ()),
    (("conversations", "--weak"), ()),
    (("conversations", "--completeness"), ("--users", "1", "--sessions", "6")),
    (("conversations", "--one-call"), ("--users", "1", "--sessions", "6")),
    (("time",), ("--users", "1", "--sessions", "8")),
    (("dates",), ("--half", "fresh4")),
    (("knowledge",), ("--half", "fresh3")),
    (("cost",), ("--sessions", "20")),
    (("recall", "--chats", "written-reported", "--ablate"), ("--budgets", "4000")),
    (("peers",), ()),
    (("project",), ("--quick",)),
    (("log",), ("--quick",)),
)
"""Suites that need nothing, and what makes each of them short."""


@click.command("all")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with the folders analytical, alerts, locomo, longmemeval, beam and realmem, as far as they exist.",
)
@click.option("--quick", is_flag=True, help="A small part of each suite, in minutes; its figures mean little.")
@click.option("--only", multiple=True, metavar="SUITE", help="Only this suite. May be repeated.")
@model_options
@click.option(
    "--out",
    "out_folder",
    metavar="FOLDER",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the runs in this folder.",
)
@click.pass_context
def bench_all(
    context: click.Context,
    data: Path | None,
    quick: bool,
    only: tuple[str, ...],
    model: str,
    exchange: Path | None,
    budget: str,
    out_folder: Path,
) -> None:
    """Run every suite, keep the runs, and make the page of them in OUT/page (see uac-bench report).

    With --model or --exchange, the suites that let a model answer come first, each with a fixed sample
    and its part of the --budget; what a suite leaves is for those after it. Then follow the other
    suites, in their short form, without the model. The page says which figures are from a live model.

    A suite that fails is named at the end, and the others are run. The same command continues a run
    that was interrupted: suites that have ended are not run again, and what they cost counts.

    \b
      uac-bench all --data DATA --out RUNS --quick
      uac-bench all --data DATA --out RUNS --model anthropic:NAME --budget "5 USD"
    """
    out = Output(as_json=False)
    models = open_bench_models(model, exchange, budget)
    planned = list(planned_suites(data, quick=quick, with_model=models is not None))
    chosen = [each for each in planned if not only or each.arguments[0] in only]
    if not chosen:
        names = dict.fromkeys(each.arguments[0] for each in planned)
        raise click.UsageError(f"There is no such suite to run. Use one of {', '.join(names)}.")
    key = {"code": code_revision(), "data": data and data.absolute(), "model": models and models.name}
    ended = Recorder(out_folder, "all", key)
    failed: dict[str, str] = {}
    for number, each in enumerate(chosen, 1):
        if models is not None and models.awaited and not each.asks_model:
            break  # the run ends here, and is continued with the replies
        out.line((f"{number} of {len(chosen)}: {each.title}", "bold"))
        if models is not None and each.asks_model:
            models.share_budget(sum(other.asks_model for other in chosen[number - 1 :]))
        if why := _run_once(context, each, out_folder, ended, models):
            failed[each.title] = why
    for name, why in failed.items():
        out.line((f"{name}: ", "red"), why)
    if why := run_suite(context, ["report", str(out_folder), "--out", str(out_folder / PAGE)], None):
        out.note(f"The page was not made: {why}")
    if models is not None:
        out.line(spent_text(models.spent))
        if models.awaited:
            out.note(f"{models.awaited} requests without a reply: write the replies, and run the command again")
            context.exit(AWAITED)
    out.line(f"{len(chosen) - len(failed)} of {len(chosen)} suites ended well; the runs are in {out_folder}.")
    ended.discard()
    context.exit(1 if failed else 0)


def _run_once(
    context: click.Context, planned: PlannedSuite, folder: Path, ended: Recorder, models: SpendingModels | None
) -> str:
    """Run a suite, unless the run that this one continues has; why it failed, if it did."""
    if (kept := ended.part(planned.title)) is not None:
        before = msgspec.json.decode(kept, type=EndedSuite)
        if models is not None:
            models.spent = models.spent.plus(before.spent)
        return before.why
    data = ("--data", planned.data) if planned.data else ()
    arguments = [*planned.arguments, *data, "--out", str(folder)]
    if models is None or not planned.asks_model:
        why = run_suite(context, arguments, None)
        ended.keep_part(planned.title, msgspec.json.encode(EndedSuite(why, Spent())))
        return why
    spent, awaited = models.spent, models.awaited
    why = run_suite(context, arguments, models)
    if models.awaited == awaited:
        ended.keep_part(planned.title, msgspec.json.encode(EndedSuite(why, models.spent_since(spent))))
    return why


def planned_suites(data: Path | None, *, quick: bool, with_model: bool) -> Iterator[PlannedSuite]:
    """The suites of a run, in their order: those with a model first."""
    if with_model:
        yield from _model_suites(data)
    is_short = quick or with_model
    if data is not None:
        yield from _data_suites(data, quick=is_short)
    for arguments, short in WITHOUT_DATA:
        yield PlannedSuite((*arguments, *(short if is_short else ())))


def _model_suites(data: Path | None) -> Iterator[PlannedSuite]:
    few = ("--cases", str(SAMPLE))
    for name in ("analytical", "alerts"):
        if data is not None and (data / name).is_dir():
            yield PlannedSuite((name, *few), str(data / name), asks_model=True)
    yield PlannedSuite(("conversations", "--users", "1", "--sessions", "3"), asks_model=True)
    asked = ("answers", "--questions", str(ASKED), "--judge", "model")
    for name in ("locomo", "longmemeval", "beam", "realmem"):
        if data is not None and (data / name).is_dir():
            yield PlannedSuite(asked, str(data / name), asks_model=True)


def _data_suites(data: Path, *, quick: bool) -> Iterator[PlannedSuite]:
    if (data / "analytical").is_dir():
        few = ("--cases", "20", "--no-programs") if quick else ()
        yield PlannedSuite(("analytical", *few), str(data / "analytical"))
    if (data / "alerts").is_dir():
        yield PlannedSuite(("alerts",), str(data / "alerts"))
    if (data / "locomo" / LOCOMO_FILE).is_file():
        short = ("--only", "conv-30", "--budgets", "4000") if quick else ()
        yield PlannedSuite(("recall", "--jobs", "2", *short), str(data / "locomo"))
        if not quick:
            channels = ("recall", "--jobs", "2", "--channels", "--no-schemes", "--budgets", "1000,4000")
            yield PlannedSuite(channels, str(data / "locomo"))
    for name in ("longmemeval", "beam", "realmem"):
        if (data / name).is_dir():
            yield PlannedSuite(("recall", "--jobs", "2"), str(data / name))


def run_suite(context: click.Context, arguments: Sequence[str], models: SpendingModels | None) -> str:
    """Run a suite as its own command; why it failed, if it did."""
    group = context.parent.command if context.parent is not None else None
    if not isinstance(group, click.Group):
        return "this command must be run as uac-bench all"
    command = group.commands[arguments[0]]
    try:
        with command.make_context(arguments[0], list(arguments[1:]), obj=models) as ready:
            command.invoke(ready)
    except click.exceptions.Exit as ended:
        return "" if ended.exit_code in (0, AWAITED) else f"ended with {ended.exit_code}: a goal was missed"
    except SystemExit as ended:
        return "" if not ended.code else f"ended with {ended.code}: a goal was missed"
    except click.ClickException as error:
        return error.format_message()
    return ""
