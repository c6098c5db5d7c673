"""uac manifest, records, explain, coverage, conflicts, diff: show the typed project."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Literal, get_args

import click

from uac.errors import Refused
from uac.interfaces.cli.completion import HintedText, RecordId, TypeName
from uac.interfaces.cli.options import (
    CliContext,
    clock_options,
    common_options,
    user_argument,
)
from uac.interfaces.cli.output import Output, minute_text
from uac.interfaces.cli.unread_notes import note_unread_at_terminal
from uac.project.clocks import Clocks, parse_clocks
from uac.project.diff import Change
from uac.project.explain import Evidence, Explanation
from uac.project.project import Project, Record
from uac.project.type_suggestions import similar_type_names
from uac.schema.entries import Fact
from uac.schema.safe_text import counted
from uac.schema.values import dump_value

__all__ = [
    "conflicts",
    "diff_project",
    "explain",
    "manifest",
    "project_change_json",
    "project_coverage",
    "records",
    "show_project_changes",
]

ClockName = Literal["valid", "told", "known"]
CLOCKS: tuple[ClockName, ...] = get_args(ClockName)


MOST_CHANGES = 20


@click.command()
@user_argument()
@clock_options
@common_options
def manifest(context: CliContext, *, user: str, clocks: Clocks) -> None:
    """Print USER's manifest: the index that an agent always has in its context."""
    from uac.project.render_manifest import render_manifest

    project = context.memory(user).project_at(clocks)
    text = render_manifest(project)
    note_unread_at_terminal(context.out, project)
    if context.out.as_json:
        context.out.json({"user": user, "manifest": text})
    else:
        context.out.line(text.rstrip("\n"))


@click.command()
@user_argument()
@click.argument("types", nargs=-1, type=TypeName())
@click.option("--unsure", is_flag=True, help="Only records with values that are not certain, and why.")
@clock_options
@common_options
def records(context: CliContext, *, user: str, types: tuple[str, ...], unsure: bool, clocks: Clocks) -> None:
    """List the records of USER: all, or those of TYPES (travel.Trip, or a whole domain: travel).

    A collection is a type, too: travel.trips are its current records, travel.former_trips those that have ended.

    \b
      uac records ana travel.Trip
      uac records ana household.former_purchases
      uac records ana --unsure
      uac records ana --valid 2026-03-01
      uac records ana --told 2026-03-01
      uac records ana --known 120 --json
    """
    memory = context.memory(user)
    project = memory.project_at(clocks)
    for name in types:
        if not project.types_named(name) and memory.type_named(name) is None:
            offered = {type_.full_name for pack in memory.packs for type_ in pack.types}
            types_known = {*project.types, *offered}
            domains = {each.partition(".")[0] for each in types_known}
            near = get_close_matches(name, sorted(domains), n=1, cutoff=0.8) or similar_type_names(name, types_known)
            known = f"Existing types: {', '.join(sorted(project.types)) or 'none'}."
            raise Refused(f"No type {name}. " + (f"Did you mean {' or '.join(near)}?" if near else known))
    for name in types or sorted(project.types):
        for record in project.records_named(name):
            if record.unsure or not unsure:
                _show_project_record(context.out, record)
    of_types = f" of {', '.join(types)}" if types else ""
    context.out.note_if_empty(f"no {'unsure ' if unsure else ''}records{of_types}")
    note_unread_at_terminal(context.out, project)


@click.command()
@user_argument()
@click.argument("record", type=RecordId())
@click.argument("field", required=False)
@clock_options
@common_options
def explain(context: CliContext, *, user: str, record: str, field: str | None, clocks: Clocks) -> None:
    """Explain why FIELD of RECORD has its value: claims, facts and the text they came from.

    RECORD is an id as `uac records` prints it, such as travel.Trip:paris.
    """
    memory = context.memory(user)
    names = [field] if field else list(memory.project_at(clocks).record(record).values)
    for name in names:
        explanation = memory.explain(record, name, clocks=clocks)
        if not (field or explanation.claims or context.out.as_json):
            continue  # nobody said anything about this field
        if context.out.as_json:
            context.out.json(_explanation_json(explanation))
        else:
            _show_explanation(context.out, explanation)


@click.command("coverage")
@user_argument()
@common_options
def project_coverage(context: CliContext, user: str) -> None:
    """Show how many facts are in records, set aside (with the reason) or waiting, by domain.

    Also lists the observations that no model has read yet, those that gave no fact and are to be read again, and
    those that are stuck because a model could not process them, with the reason ('uac learn --retry' asks again).
    """
    memory = context.memory(user)
    project = memory.project()
    progress = project.progress
    if context.out.as_json:
        context.out.json(
            {
                "waiting": sorted(project.waiting),
                "aside": {str(position): aside.why for position, aside in sorted(project.aside.items())},
                "domains": {name: covered._asdict() for name, covered in sorted(project.coverage.items())},
                "orphans": [orphan._asdict() for orphan in project.orphans],
                "unread": sorted(progress.unread),
                "second_look": sorted(progress.again),
                "stuck": {str(position): why for position, why in sorted(progress.stuck.items())},
            }
        )
        return
    for name, covered in sorted(project.coverage.items()):
        share = covered.structured / (covered.structured + covered.aside)
        context.out.line(
            (name or "(no domain)", "bold"), f": {share:.0%}, {covered.structured} in records, {covered.aside} aside"
        )
    context.out.line(f"{counted(len(project.waiting), 'fact')} waiting")
    for position in sorted(project.waiting):
        fact = next(memory.log.read(position)).entry
        context.out.line((f"{position:>6}", "cyan"), f"  {fact.text if isinstance(fact, Fact) else ''}")
    for position, aside in sorted(project.aside.items()):
        context.out.line((f"{position:>6}", "cyan"), f"  set aside: {aside.why}")
    for orphan in project.orphans:
        context.out.line(
            (f"{orphan.position:>6}", "yellow"), f"  patch {orphan.patch + 1} no longer applies: {orphan.why}"
        )
    _show_progress(context.out, project)


@click.command()
@user_argument()
@clock_options
@common_options
def conflicts(context: CliContext, *, user: str, clocks: Clocks) -> None:
    """List fields whose claims disagree and need the user's decision (uac correct)."""
    for conflict in context.memory(user).project_at(clocks).conflicts:
        values = [dump_value(claim.value) for claim in conflict.claims]
        if context.out.as_json:
            whose = [claim.attribution for claim in conflict.claims]
            context.out.json(
                {"record": conflict.record, "field": conflict.field, "claims": values, "attributions": whose}
            )
        else:
            named = [f"{value} ({claim.attribution})" for value, claim in zip(values, conflict.claims, strict=True)]
            context.out.line((f"{conflict.record}.{conflict.field}", "bold"), f": {' or '.join(named)}")
    context.out.note_if_empty("no conflicts")


@click.command("diff")
@user_argument()
@click.argument("before", type=HintedText("Give a position or a time: uac diff USER 1"))
@click.argument("after", required=False)
@click.option(
    "--clock",
    type=click.Choice(CLOCKS),
    default="known",
    show_default=True,
    help="What BEFORE and AFTER are: positions or times (known), or days (valid, told).",
)
@click.option("--all", "everything", is_flag=True, help="List every change, also if there are many.")
@clock_options
@common_options
def diff_project(
    context: CliContext,
    *,
    user: str,
    before: str,
    after: str | None,
    clock: ClockName,
    everything: bool,
    clocks: Clocks,
) -> None:
    """Show what changed in USER's project between BEFORE and AFTER (positions or times; AFTER defaults to now).

    More than twenty changes are counted by type; --all lists them, and so does --json.

    \b
      uac diff ana 120
      uac diff ana 2026-01-01 2026-03-01 --clock told
    """
    if getattr(clocks, clock) is not None:
        raise click.UsageError(f"--{clock} is given twice. BEFORE and AFTER are on that clock: leave out the option.")
    ends = [_read_diff_end(clock, *end) for end in (("BEFORE", before), ("AFTER", after))]
    old, new = (replace(clocks, **{clock: getattr(end, clock)}) for end in ends)
    changes = context.memory(user).diff(old, new)
    if len(changes) <= MOST_CHANGES or everything or context.out.as_json:
        show_project_changes(context.out, changes)
    else:
        _show_change_counts(context.out, changes)
    context.out.note_if_empty("no changes")


def _read_diff_end(clock: ClockName, name: str, text: str | None) -> Clocks:
    """BEFORE or AFTER on the chosen clock, or a usage error that names it."""
    try:
        return parse_clocks(**{clock: text})
    except Refused as error:
        raise click.UsageError(f"{name}: {str(error).partition(': ')[2]}") from None


def _show_change_counts(out: Output, changes: Sequence[Change]) -> None:
    """One line for each type, or kind of change, with the number of its changes and an example."""
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        about = change.what.partition(":")[0] if change.kind in ("record", "field") else f"{change.kind}s"
        groups.setdefault((change.kind, about), []).append(change)
    for (kind, about), found in groups.items():
        counts = Counter(change.change for change in found)
        noun = {"record": "record", "field": "field"}.get(kind, "")
        parts = [f"{counted(number, noun) if noun else number} {what}" for what, number in counts.items()]
        out.line(
            (f"{about}", "bold"), f": {', '.join(parts)}", (f"  ({found[0].what}{', …' * (len(found) > 1)})", "dim")
        )
    out.note(f"{counted(len(changes), 'change')}; --all lists them")


def _show_progress(out: Output, project: Project) -> None:
    """Print the entries that models have not read, or could not process."""
    progress = project.progress
    if progress.unread:
        out.line(f"{counted(len(progress.unread), 'observation')} unread: {_coverage_ranges(progress.unread)}")
    if progress.again:
        out.line(f"{counted(len(progress.again), 'observation')} to be read again: {_coverage_ranges(progress.again)}")
    for position, why in sorted(progress.stuck.items()):
        source = project.sources.get(position)
        kind = "fact" if source is not None and source.is_fact else "observation"
        out.line((f"{position:>6}", "yellow"), f"  stuck {kind}: {why}")


def _coverage_ranges(positions: Iterable[int]) -> str:
    """The positions, as ranges where they follow each other: 1, 3-5."""
    runs: list[list[int]] = []
    for position in sorted(positions):
        if runs and position == runs[-1][-1] + 1:
            runs[-1][1:] = [position]
        else:
            runs.append([position])
    return ", ".join("-".join(map(str, run)) for run in runs)


def show_project_changes(out: Output, changes: Sequence[Change]) -> None:
    for change in changes:
        if out.as_json:
            out.json(project_change_json(change))
        else:
            sign, style = {"added": ("+", "green"), "removed": ("-", "red")}.get(change.change, ("~", "yellow"))
            values = f": {dump_value(change.before)} → {dump_value(change.after)}" if change.kind == "field" else ""
            if change.kind == "record" and change.before is not None:
                values = f": key changed from {change.before} to {change.after}"
            ended = f" ended {change.after}" if change.change == "ended" else ""
            out.line((f"{sign} {change.what}", style), f"{values}{ended}")


def project_change_json(change: Change) -> dict[str, Any]:
    from uac.interfaces.views.changes import change_view  # only for JSON, as the other views
    from uac.interfaces.views.view import view_json

    return view_json(change_view(change))


def _show_project_record(out: Output, record: Record) -> None:
    values = {name: dump_value(value) for name, value in record.values.items()}
    if out.as_json:
        from uac.interfaces.views.records import flat_record_view
        from uac.interfaces.views.view import view_json

        out.json(view_json(flat_record_view(record)))
    else:
        text = ", ".join(f"{name}={value}" for name, value in values.items() if value not in (None, []))
        ended = f"  ({record.ended.reason} {record.ended.when})" if record.ended else ""
        out.line((record.id, "bold"), f"  {text}{ended}")
        for each in record.unsure:
            out.line(("    unsure ", "yellow"), f"{each.field}: {each.why}")


def _explanation_json(explanation: Explanation) -> dict[str, Any]:
    from uac.interfaces.views.records import explanation_view
    from uac.interfaces.views.view import view_json

    view = view_json(explanation_view(explanation), utc="+00:00")
    view["disputed"] = view.pop("is_disputed")
    for evidence in (*view["end_evidence"], *(each for claim in view["claims"] for each in claim["evidence"])):
        evidence["observation"] = evidence.pop("position")
    return view


def _show_explanation(out: Output, explanation: Explanation) -> None:
    disputed = "  (disputed: uac correct decides)" if explanation.disputed else ""
    unsure = f"  (unsure: {explanation.unsure})" if explanation.unsure else ""
    out.line(
        (f"{explanation.record}.{explanation.field}", "bold"),
        f" = {dump_value(explanation.value)}  [{explanation.policy}]{disputed}{unsure}",
    )
    for item in explanation.claims:
        claim = item.claim
        mark = ("  ✓ ", "green") if item.stands else ("  · ", "dim")
        learned = minute_text(claim.learned)
        doubt = f"  (unsure: {claim.unsure})" if claim.unsure else ""
        out.line(mark, f"{dump_value(claim.value)}  [{claim.attribution}, {learned}, entry {claim.position}]{doubt}")
        _show_evidence(out, item.evidence)
    if (ended := explanation.ended) is not None:
        out.line(
            f"  {ended.reason} {ended.when}" + (f": {ended.why}" if ended.why else ""), f"  [entry {ended.position}]"
        )
        _show_evidence(out, explanation.end_evidence)


def _show_evidence(out: Output, found: Iterable[Evidence]) -> None:
    for evidence in found:
        if evidence.fact is not None:
            out.line(f"      fact {evidence.fact}: {evidence.fact_text}")
        said = minute_text(evidence.said) or "?"
        words = "(erased)" if evidence.words is None else f"“{evidence.quote or evidence.words}”"
        out.line(f"      {evidence.speaker}, {said}, entry {evidence.observation}: {words}")
