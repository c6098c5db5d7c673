"""uac-bench alerts: whether packs raise alerts in the right session and not before, and what that costs.

The suite's words are read from its data. The records a model would write in each session are in `scenarios/`, made by
hand from the user's words; types, constraints and tables come from the installed packs.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import click
import msgspec

from uac import Pack, __version__
from uac.errors import UacError
from uac.interfaces.cli import Output
from uac.packs import chosen_packs
from uac.sandbox import shared_sandbox
from uac.schema import counted
from uac_bench.alert_cases import AlertCase, RecordedScore, Suite, read_alert_cases, read_recorded_scores
from uac_bench.alert_controls import CONTROLS, AlertControl, play_controls, read_controls
from uac_bench.alert_learning import report_learned_alerts
from uac_bench.alert_playing import AlertStatus, AlertVerdict, Played, judge_case, play_case
from uac_bench.alert_speed import FULL, AlertScale, alert_speed_json, measure_alert_speed, print_alert_speed
from uac_bench.harness import OURS, SuiteRun, numbered_parts, out_option
from uac_bench.model_options import AWAITED, model_options, open_bench_models
from uac_bench.runs import BenchItem, BenchTable, System, shares
from uac_bench.scenarios import load_scenarios

__all__ = ["bench_alerts"]

ABOUT_CONTROLS = "For each rule of the packs a near miss that must stay silent, and the danger it differs from."
ABOUT = "Dangers that nobody asked about: is the alert raised in the right session, and nothing before it?"
CONTROLS_AT_ONCE = 20


@click.command("alerts")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with scenarios.json and recorded_programs.json. Not needed for --speed.",
)
@click.option("--only", metavar="ID", help="Only this scenario.")
@click.option("--cases", "most", type=click.IntRange(min=1), help="With a model: only N scenarios of all.")
@click.option("--verbose", is_flag=True, help="Also print the messages.")
@click.option(
    "--controls",
    is_flag=True,
    help="Only play the negative controls: for each rule a near miss that must stay silent, and its danger.",
)
@click.option("--speed", is_flag=True, help="Measure from a put to its alert, and ticks; about a minute.")
@click.option(
    "--records",
    default=FULL.records,
    show_default=True,
    type=click.IntRange(min=100),
    help="With --speed: records of one user.",
)
@click.option(
    "--users",
    default=FULL.users,
    show_default=True,
    type=click.IntRange(min=10),
    help="With --speed: users of the store.",
)
@model_options
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bench_alerts(
    context: click.Context,
    data: Path | None,
    only: str | None,
    most: int | None,
    verbose: bool,
    controls: bool,
    speed: bool,
    records: int,
    users: int,
    model: str,
    exchange: Path | None,
    budget: str,
    out_folder: Path | None,
    as_json: bool,
) -> None:
    """Play the cue-free suite: are alerts raised in the right session, not before, and with the right message?

    Every scenario is a new user with all packs available. Each session ticks the clock and stores the
    user's words and records; constraints run automatically. One message must match every group of the
    rubric. The exit code is 1 if an alert is early or spurious, or a scenario cannot be played.
    With --speed and without --data, only the speed is measured.

    With --model or --exchange, that model reads the words, and the records are those that it makes of
    them. Detection, the session in which the alert is raised, and false alarms are counted apart; the
    exit code is 7 while replies are missing.
    """
    if controls:
        _report_controls(out_folder, as_json=as_json)
        return
    if data is None and not speed:
        raise click.UsageError("There is nothing to do. Give --data FOLDER, --controls, or --speed.")
    models = open_bench_models(model, exchange, budget)
    if models is not None:
        if data is None:
            raise click.UsageError("A model needs scenarios to read. Give --data FOLDER.")
        report_learned_alerts(data, _chosen_cases(data, only, most), models, out_folder, as_json=as_json)
        context.exit(AWAITED if models.awaited else 0)
    files = [] if data is None else [data / "scenarios.json", data / "recorded_programs.json"]
    suite = SuiteRun("alerts", ABOUT, out_folder, as_json=as_json, data=files)
    out = suite.out
    cases = [] if data is None else _chosen_cases(data, only, None)
    try:
        judged = _judge_cases(cases, suite) if cases else []
        measured = measure_alert_speed(AlertScale.for_size(records=records, users=users), out) if speed else None
    except UacError as error:
        raise click.ClickException(str(error)) from error
    names: tuple[Suite, ...] = get_args(Suite) if cases else ()
    suites = [tally_alert_suite(name, [each for each in judged if name in each.suites]) for name in names]
    recorded = [] if data is None else read_recorded_scores(data)
    if as_json:
        out.json(
            {
                "suites": [msgspec.structs.asdict(each) for each in suites],
                "recorded": [msgspec.structs.asdict(each) for each in recorded],
                "scenarios": [msgspec.to_builtins(each) for each in judged],
                "speed": measured and alert_speed_json(measured),
            }
        )
    if cases:
        _print_alert_bench_report(judged, suites, recorded, out, verbose=verbose)
    if measured is not None:
        print_alert_speed(measured, out)
    systems = [System(OURS, __version__, "All packs; records written by hand from the user's words.", is_ours=True)]
    suite.compare(title="scenarios with the right alert in the right session, and no other")
    suite.finish(systems, tables=[_recorded_alert_table(recorded)] if recorded else [])
    if any(each.early or each.spurious or each.broken for each in judged):
        raise SystemExit(1)


def _chosen_cases(data: Path, only: str | None, most: int | None) -> Sequence[AlertCase]:
    """The scenario of that id, or all, or `most` of them from all parts of the suite."""
    cases = [case for case in read_alert_cases(data) if only in (None, case.id)]
    if not cases:
        raise click.BadParameter(f"No scenario {only!r}. See scenarios.json for the ids.", param_hint="--only")
    return cases[:: max(1, len(cases) // (most or len(cases)))][:most]


def _report_controls(out_folder: Path | None, *, as_json: bool) -> None:
    """Play both sides of every control. The exit code is 1 if a near miss is reported or a danger is not."""
    controls, packs = read_controls(), chosen_packs("all")
    suite = SuiteRun("alert-controls", ABOUT_CONTROLS, out_folder, as_json=as_json, data=[CONTROLS])
    suite.measure_items("controls", partial(_control_items, packs), numbered_parts(controls, CONTROLS_AT_ONCE))
    rules = {constraint.name for pack in packs for constraint in pack.constraints}
    uncontrolled = sorted(rules - {control.constraint for control in controls})
    wrong = [item for item in suite.items if item.verdict != "right"]
    if as_json:
        figures = {"rules": len(rules), "controls": len(controls), "uncontrolled": uncontrolled}
        suite.out.json({**figures, "wrong": [f"{item.id}: {item.given}" for item in wrong]})
    rows = [
        (side, f"{share.right}/{share.of}", f"{share.low:.1%} to {share.high:.1%}")
        for (_system, side), share in shares(suite.items, by_group=True).items()
        if side
    ]
    suite.out.line((f"controls of {len(rules)} rules:", "bold"))
    suite.out.table(("side", "right", "95 % interval"), rows, headed=True)
    for item in wrong:
        suite.out.line(f"{item.id}: {item.given} ({item.why})")
    for name in uncontrolled:
        suite.out.line(f"{name} has no control")
    suite.finish()
    if wrong or uncontrolled:
        raise SystemExit(1)


def _control_items(packs: Sequence[Pack], controls: Sequence[AlertControl]) -> Iterator[BenchItem]:
    for each in play_controls(controls, packs):
        yield BenchItem(
            id=f"{each.constraint}, {each.side}",
            system=OURS,
            verdict="right" if each.is_right else "wrong",
            group=each.side,
            given=each.raised,
            why=each.differs,
        )


def _alert_item(judged: AlertVerdict) -> BenchItem:
    """A scenario that no pack covers counts as wrong. Where silence is right, so is silence."""
    return BenchItem(
        id=judged.id,
        system=OURS,
        verdict="right" if judged.status in ("fired", "silent") else "wrong",
        group=judged.suites[-1],
        given=judged.matched_severities,
        gold=judged.gold,
        why="; ".join(judged.broken) or judged.uncovered or ", ".join(judged.lacks),
    )


def _recorded_alert_table(recorded: Sequence[RecordedScore]) -> BenchTable:
    return BenchTable(
        title="Recorded by others on the frozen scenarios",
        columns=("system", "passed", "of", "source"),
        rows=tuple((each.system, str(each.passed), str(each.of), each.source) for each in recorded),
    )


# -- judging all of them ----------------------------------------------------------------------------------------------


def _judge_cases(cases: Sequence[AlertCase], suite: SuiteRun) -> list[AlertVerdict]:
    """The verdicts, each recorded as an item."""
    scenarios, packs, sandbox = load_scenarios(), chosen_packs("all"), shared_sandbox()

    def judge(case: AlertCase) -> AlertVerdict:
        scenario = scenarios.get(case.id)
        played = play_case(case, scenario, packs, sandbox) if scenario is not None else Played(())
        verdict = judge_case(case, scenario, played)
        suite.record(_alert_item(verdict))
        return verdict

    return list(suite.measure("scenarios", judge, {case.id: case for case in cases}, AlertVerdict).values())


class AlertTally(msgspec.Struct, frozen=True, kw_only=True):
    """A suite in numbers. Early and spurious count alerts, the others scenarios."""

    suite: Suite
    scenarios: int
    fired: int
    missed: int
    uncovered: int
    silent: int
    early: int
    spurious: int
    broken: int


def tally_alert_suite(suite: Suite, judged: Sequence[AlertVerdict]) -> AlertTally:
    def of(*statuses: AlertStatus) -> int:
        return sum(each.status in statuses for each in judged)

    return AlertTally(
        suite=suite,
        scenarios=len(judged),
        fired=of("fired"),
        missed=of("missed", "early", "broken"),
        uncovered=of("uncovered"),
        silent=of("silent"),
        early=sum(len(each.early) for each in judged),
        spurious=sum(len(each.spurious) for each in judged),
        broken=of("broken"),
    )


# -- what is printed ---------------------------------------------------------------------------------------------------


def _print_alert_bench_report(
    judged: Sequence[AlertVerdict],
    suites: Iterable[AlertTally],
    recorded: Sequence[RecordedScore],
    out: Output,
    *,
    verbose: bool,
) -> None:
    out.line(("by part of the suite:", "bold"))
    names = [name for name in AlertTally.__struct_fields__ if name != "suite"]
    rows = [tuple(str(getattr(each, name)) for name in ("suite", *names)) for each in suites if each.scenarios]
    out.table(("part", *names), rows, headed=True)
    ours = [each for each in judged if "frozen" in each.suites]
    out.line(
        ("the frozen scenarios", "bold"),
        f": these packs {sum(each.status == 'fired' for each in ours)}/{len(ours)}, made by people who knew the"
        " scenarios, with records written by hand: a regression figure, no estimate for other users. Recorded: ",
        "; ".join(f"{each.system} {each.passed}/{each.of}" for each in recorded),
        f" ({recorded[0].source})" if recorded else "",
    )
    out.line(("by scenario:", "bold"))
    out.table(("scenario", "result", "severity/gold", "constraints", "why"), map(_alert_case_cells, judged))
    for each in judged:
        for label, listed in (
            ("early", each.early),
            ("beside", each.others),
            ("says", each.matched if verbose else ()),
        ):
            for alert in listed:
                mark = "SPURIOUS" if alert in each.spurious else label
                out.line(f"  {each.id} {mark}: {alert.severity} {alert.constraint}: {alert.message}")
    for title, text in (("uncovered", "uncovered"), ("argued", "argument")):
        for each in judged:
            if getattr(each, text):
                out.line((f"{title} {each.id}", "bold"), f": {getattr(each, text)}")
    out.line(f"{counted(len(judged), 'scenario')}; early or spurious alerts must be none.")


def _alert_case_cells(judged: AlertVerdict) -> tuple[str, ...]:
    names = ", ".join(dict.fromkeys(each.constraint for each in judged.matched))
    why = "; ".join(judged.broken) or (f"lacks {', '.join(judged.lacks)}" if judged.lacks else "")
    return (judged.id, judged.status, f"{judged.matched_severities or '-'}/{judged.gold}", names, why)
