"""uac pack try: how many of one's own cases the packs report, and how many false alarms they raise."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import click

from uac.interfaces.cli.completion import complete_user_names
from uac.interfaces.cli.options import CliContext, common_options
from uac.memory.pack_cases import (
    CASE_COUNTS,
    PackCase,
    case_counts,
    play_pack_cases,
    read_pack_cases,
    share_of_counts,
)
from uac.packs import chosen_packs
from uac.schema.constraints import Knowledge

__all__ = ["try_cases"]

_PERCENT = click.FloatRange(0, 100)


@click.command("try")
@click.argument("cases", type=click.Path(path_type=Path))
@click.option(
    "--user", default="", shell_complete=complete_user_names, help="Use the tables that were imported for this user."
)
@click.option("--min-sensitivity", type=_PERCENT, help="Least percentage of the cases to alert on that raise an alert.")
@click.option("--min-critical", type=_PERCENT, help="Least percentage of the critical cases that alert as critical.")
@click.option("--max-false-alarms", type=_PERCENT, help="Highest percentage of silent cases that raise an alert.")
@click.option("--max-false-critical", type=_PERCENT, help="Highest percentage of other cases that alert as critical.")
@common_options
def try_cases(
    context: CliContext,
    *,
    cases: Path,
    user: str,
    min_sensitivity: float | None,
    min_critical: float | None,
    max_false_alarms: float | None,
    max_false_critical: float | None,
) -> None:
    """Try the packs on the file CASES, one JSON object a line: sensitivity, false alarms, and the cases that fail.

    A case has an id, the day (now), records as pairs of type and fields, and the severity of the alert that it
    must raise (expect): critical, warning or info; silent if it must raise none. Nothing is written. The exit
    code is 1 if a limit is missed.

    \b
      uac pack try cases.jsonl --user ana --min-critical 95 --max-false-critical 1
    """
    least = {"sensitivity": min_sensitivity, "critical as critical": min_critical}
    most = {"false alarms": max_false_alarms, "false critical": max_false_critical}
    chosen = read_pack_cases(cases)
    counts: dict[str, Counter[str]] = {}
    failed: list[tuple[PackCase, str]] = []
    with context.out.progress("cases", len(chosen)) as bar:
        for case, found in play_pack_cases(chosen, chosen_packs(), tables=_imported_tables(context, user)):
            for name in dict.fromkeys(("all", case.set or "all")):
                counts.setdefault(name, Counter()).update(case_counts(case.expect, found))
            if found != case.expect:
                failed.append((case, found))
            bar.advance()
    missed = _missed_limits(counts["all"], least, most)
    if context.out.as_json:
        context.out.json(_tried_json(counts, failed, missed))
    else:
        _show_tried(context, counts, failed, missed)
    if missed:
        click.get_current_context().exit(1)


def _imported_tables(context: CliContext, user: str) -> dict[str, Knowledge]:
    tables = context.memory(user).project().knowledge.items() if user else ()
    return {name: table for name, table in tables if table.is_imported}


def _missed_limits(
    counts: Mapping[str, int], least: Mapping[str, float | None], most: Mapping[str, float | None]
) -> list[str]:
    missed: list[str] = []
    for name, (part, whole) in share_of_counts(counts).items():
        share = 100 * part / whole if whole else None
        low, high = least.get(name), most.get(name)
        if low is not None and (share is None or share < low):
            missed.append(f"{name}: {_share_text(part, whole)}, needs at least {low:g} %")
        if high is not None and share is not None and share > high:
            missed.append(f"{name}: {_share_text(part, whole)}, needs at most {high:g} %")
    return missed


def _share_text(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "no such case"


def _show_tried(
    context: CliContext, counts: Mapping[str, Counter[str]], failed: list[tuple[PackCase, str]], missed: list[str]
) -> None:
    out = context.out
    names = [*sorted(name for name in counts if name != "all"), "all"]
    out.table(
        ("set", *CASE_COUNTS),
        [(name, *(str(counts[name][each]) for each in CASE_COUNTS)) for name in names],
        headed=True,
    )
    for name, (part, whole) in share_of_counts(counts["all"]).items():
        out.line((name, "bold"), f": {_share_text(part, whole)}")
    for case, found in failed:
        style, kind = ("yellow", "false alarm") if case.expect == "silent" else ("red", "miss")
        out.line((f"{kind}  ", style), f"{case.id}: {found} instead of {case.expect}: {_records_text(case)}")
    for text in missed:
        out.line(("limit missed  ", "red"), text)


def _records_text(case: PackCase) -> str:
    return "; ".join(
        f"{name.rpartition('.')[2]} {', '.join(map(str, fields.values()))}" for name, fields in case.records
    )


def _tried_json(
    counts: Mapping[str, Counter[str]], failed: list[tuple[PackCase, str]], missed: list[str]
) -> dict[str, object]:
    shares = {
        name: {"part": part, "whole": whole, "percent": round(100 * part / whole, 2) if whole else None}
        for name, (part, whole) in share_of_counts(counts["all"]).items()
    }
    return {
        "counts": {name: {each: counts[name][each] for each in CASE_COUNTS} for name in sorted(counts)},
        "shares": shares,
        "failed": [{"id": case.id, "expect": case.expect, "found": found} for case, found in failed],
        "missed": missed,
    }
