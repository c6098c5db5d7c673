"""uac constraints, why: the functions that check a user's records, and the values each of them saw."""

from datetime import MAXYEAR
from pathlib import Path
from typing import Any

import click
import msgspec

from uac.constraints.proof import Proof, proof_type_errors, run_cases
from uac.constraints.trace import Why
from uac.errors import Refused
from uac.interfaces.cli.alerts import (
    STYLES,
    alert_changes_json,
    alert_changes_to_show,
    show_alert_changes,
    show_alert_sources,
)
from uac.interfaces.cli.click_groups import Group
from uac.interfaces.cli.options import (
    CliContext,
    common_options,
    constraint_argument,
    unreviewed_setting,
    user_argument,
)
from uac.interfaces.cli.output import Output, minute_text
from uac.memory.memory import Memory
from uac.packs import Offer
from uac.project.alerts import Alert
from uac.project.project import Adopted, Project
from uac.project.render_constraints import render_constraint
from uac.project.table_reviews import table_reviews, unconfirmed_rows
from uac.schema.constraint_code import read_constraint
from uac.schema.constraint_files import parse_constraint
from uac.schema.constraints import BUILT_IN, OPEN_CONFLICT, Origin
from uac.schema.patches import Adopt, Approve, Patch, Retire, Switch
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = ["constraint_why", "constraints"]

NOT_REVIEWED = {
    "raise": "no person has read it yet",
    "mark": "until a person has read it, its critical alerts are warnings",
    "wait": "it runs when a person has read it",
}

by_option = click.option(
    "--by", default="uac constraints", show_default=True, help="The author of the change, kept in the log."
)


@click.group(cls=Group)
def constraints() -> None:
    """Constraints: the functions over USER's records that raise alerts."""


@constraints.command("list")
@user_argument()
@click.option("--offers", is_flag=True, help="Also list constraints that packs offer, and why they are not adopted.")
@common_options
def list_constraints(context: CliContext, *, user: str, offers: bool) -> None:
    """List USER's constraints: state, author, the types they read, and their active alerts."""
    memory = context.memory(user)
    project = memory.project()
    own = [project.constraints[name] for name in sorted(project.constraints)]
    for adopted in own:
        if context.out.as_json:
            context.out.json({"user": user, **_adopted_json(adopted, project)})
        else:
            _show_adopted(context.out, adopted, project)
    if not own and not context.out.as_json:
        context.out.note("no constraints yet (--offers shows those of packs)")
    for offer in memory.offers() if offers else ():
        _show_offer(context.out, user, offer)


@constraints.command("show")
@user_argument()
@constraint_argument("name")
@common_options
def show_constraint(context: CliContext, *, user: str, name: str) -> None:
    """Print the constraint NAME as a file: the function and its cases, as `uac constraints add` takes it."""
    memory = context.memory(user)
    adopted = _find_constraint(memory, name)
    text = _constraint_file_to_show(memory.project(), adopted)
    if context.out.as_json:
        cases = msgspec.to_builtins(adopted.constraint.cases)
        about = _adopted_json(adopted, memory.project())
        context.out.json({"user": user, **about, "cases": cases, "file": text})
        return
    state = _constraint_state(adopted, memory.project())
    context.out.note(f"{name}: {_constraint_author(adopted)}, {state}, entry {adopted.position}")
    context.out.line(text.rstrip("\n"))


@constraints.command("test")
@user_argument()
@constraint_argument("names", many=True)
@common_options
def run_constraint_cases(context: CliContext, *, user: str, names: tuple[str, ...]) -> None:
    """Run the cases of the constraints NAMES (default: all) against USER's own types.

    The exit code is 1 if a case fails or a type does not match.
    """
    memory = context.memory(user)
    project = memory.project()
    chosen = [_find_constraint(memory, name).constraint for name in names or sorted(project.constraints)]
    proofs = [Proof(name, "types", reason) for name, reason in proof_type_errors(project, chosen, memory.sandbox)]
    proofs += run_cases(project, chosen, memory.sandbox)
    for proof in proofs:
        if context.out.as_json:
            result = {"constraint": proof.constraint, "case": proof.case, "ok": not proof.why, "why": proof.why}
            context.out.json({"user": user, **result})
        elif proof.why:
            context.out.line(("FAILED  ", "red"), f"{proof.constraint} / {proof.case}: {proof.why}")
    failed = sum(bool(proof.why) for proof in proofs)
    if not context.out.as_json:
        cases = counted(sum(len(each.cases) for each in chosen), "case")
        summary = f"{counted(len(chosen), 'constraint')}, {cases}, {failed or 'none'} failed"
        context.out.line((user, "bold"), f": {summary}")
    if failed:
        click.get_current_context().exit(1)


@constraints.command("add")
@user_argument()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--origin",
    type=click.Choice(["person", "model"]),
    default="person",
    show_default=True,
    help="The author; a constraint by a model is unreviewed until a person approves it.",
)
@by_option
@common_options
def add_constraint(context: CliContext, *, user: str, file: Path, origin: Origin, by: str) -> None:
    """Adopt the constraint in FILE. It is named after the file, and replaces a constraint of that name.

    The file has one function `name(user, now)` and CASES: at least one that fires and one that stays silent. It is
    type-checked and its cases are run before it is adopted. `uac constraints show` prints such a file.

    \b
      def pet_vet(user, now):
          '''A pet is seen by a vet once a year.'''
          late = [pet for pet in user.pets.pets if pet.seen and days_until(pet.seen, now) < -365]
          return [warning(f"{pet.name} was last seen on {pet.seen}.", pet) for pet in late]

    \b
      CASES = [
          fires("a year and a day", date(2026, 1, 3), pets.Pet(name="Rex", seen=date(2025, 1, 1))),
          silent("a year", date(2026, 1, 1), pets.Pet(name="Rex", seen=date(2025, 1, 1))),
      ]

    \b
      uac define ana pets.Pet name:str "seen:date | None" --key name
      uac constraints add ana pet_vet.py
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}. Check its path and permissions.") from None
    except UnicodeDecodeError as error:
        raise Refused(f"{file}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from None
    constraint = parse_constraint(text, file.stem, origin=origin)
    what = f"{constraint.name} is adopted"
    _change_constraint(
        context, user, context.memory(user), Adopt(constraint=constraint), what, by=by, reviewed=origin == "person"
    )
    if origin == "model" and not context.out.as_json:
        context.out.note(f"{NOT_REVIEWED[unreviewed_setting()]}: uac constraints approve {user} {constraint.name}")


@constraints.command("disable")
@user_argument()
@constraint_argument("name")
@click.option("--why", default="", help="The reason, kept in the log.")
@by_option
@common_options
def disable_constraint(context: CliContext, *, user: str, name: str, why: str, by: str) -> None:
    """Disable the constraint NAME. It stays in the project; its alerts are cleared."""
    _switch_constraint(context, user, name, why, by, on=False)


@constraints.command("enable")
@user_argument()
@constraint_argument("name")
@click.option("--why", default="", help="The reason, kept in the log.")
@by_option
@common_options
def enable_constraint(context: CliContext, *, user: str, name: str, why: str, by: str) -> None:
    """Enable the constraint NAME again, including one that failed because it took too long."""
    _switch_constraint(context, user, name, why, by, on=True)


@constraints.command("retire")
@user_argument()
@constraint_argument("name")
@click.option("--why", required=True, help="The reason, kept in the log.")
@by_option
@common_options
def retire_constraint(context: CliContext, *, user: str, name: str, why: str, by: str) -> None:
    """Remove the constraint NAME from the project. Its alerts are cleared, and packs do not add it again."""
    memory = context.memory(user)
    _find_constraint(memory, name)
    _change_constraint(context, user, memory, Retire(constraint=name, why=why), f"{name} is retired", by=by)


@constraints.command("approve")
@user_argument()
@constraint_argument("name")
@click.option("--why", default="", help="The reason, kept in the log.")
@by_option
@common_options
def approve_constraint(context: CliContext, *, user: str, name: str, why: str, by: str) -> None:
    """Approve the constraint NAME, which a model wrote, after a person has reviewed it."""
    memory = context.memory(user)
    _find_constraint(memory, name)
    _change_constraint(context, user, memory, Approve(constraint=name, who=by, why=why), f"{name} is approved", by=by)


@click.command("why")
@user_argument()
@constraint_argument()
@click.option("--trace", is_flag=True, help="Also show the tests that it made, with the values that it saw.")
@click.option("--all", "everything", is_flag=True, help="As --trace, with the tests of its helper functions.")
@common_options
def constraint_why(context: CliContext, *, user: str, constraint: str, trace: bool, everything: bool) -> None:
    """Explain why CONSTRAINT fired for USER, or did not, with the values that decided it.

    It is run again on the current records, at the time of the last tick. Nothing is written.

    \b
      uac why ana lease_notice
      uac why ana lease_notice --trace
    """
    if constraint in BUILT_IN:
        hint = f"'uac conflicts {user}' shows the claims."
        hint = hint if constraint == OPEN_CONFLICT else f"'uac records {user} --unsure' shows the records."
        raise Refused(f"{constraint} is built in and has no code. {hint}")
    memory = context.memory(user)
    explanation = memory.why(constraint)
    if context.out.as_json:
        context.out.json(_constraint_why_json(user, explanation, memory.project()))
    else:
        _show_constraint_why(context.out, explanation, memory.project())
        if trace or everything:
            _show_constraint_trace(context.out, explanation, memory.project(), everything=everything)
        elif tests := len(explanation.tests) + explanation.left_out:
            context.out.note(f"--trace shows the {counted(tests, 'test')} that it made")


def _constraint_file_to_show(project: Project, adopted: Adopted) -> str:
    """The file as a person would write it, without the preamble of an exported one."""
    whole = render_constraint(project, adopted)
    cases = whole[whole.rindex("\nCASES = [") :]
    return f"{adopted.constraint.code.rstrip()}\n\n{cases}"


def _find_constraint(memory: Memory, name: str) -> Adopted:
    adopted = memory.project().constraints.get(name)
    if adopted is None:
        known = ", ".join(sorted(memory.project().constraints)) or "none yet"
        raise Refused(f"No constraint {name}. Existing constraints: {known}.")
    return adopted


def _switch_constraint(context: CliContext, user: str, name: str, why: str, by: str, *, on: bool) -> None:
    memory = context.memory(user)
    if _find_constraint(memory, name).is_on is on and name not in memory.project().failures:
        raise Refused(f"{name} is already {'on' if on else 'off'}. Nothing was changed.")
    what = f"{name} is {'enabled' if on else 'disabled'}"
    _change_constraint(context, user, memory, Switch(constraint=name, on=on, why=why), what, by=by)


def _change_constraint(
    context: CliContext, user: str, memory: Memory, patch: Patch, what: str, *, by: str, reviewed: bool = True
) -> None:
    """Make the change and print which alerts were raised or cleared."""
    before = memory.project().position
    position = memory.checkpoint([patch], by=by, reviewed=reviewed)
    alert_events = alert_changes_to_show(memory, before)
    if context.out.as_json:
        context.out.json({"user": user, "position": position, "what": what, "alerts": alert_changes_json(alert_events)})
        return
    context.out.line((user, "bold"), f": {what}, entry {position}")
    show_alert_changes(context.out, alert_events)


def _constraint_state(adopted: Adopted, project: Project) -> str:
    """on, off, or why it does not run although it is on."""
    name = adopted.constraint.name
    if not adopted.is_on:
        return "off"
    if not adopted.is_reviewed and unreviewed_setting() == "wait":
        return "waits for approval"
    return "failed" if name in project.failures else "not run yet" if name in project.unwatched else "on"


def _constraint_author(adopted: Adopted) -> str:
    """The author, and whether a person has reviewed a model's work."""
    constraint = adopted.constraint
    if constraint.origin == "model":
        return "model, approved" if adopted.is_reviewed else "model, not reviewed"
    return f"pack {constraint.pack}" if constraint.pack else constraint.origin


def _count_constraint_alerts(project: Project, name: str) -> int:
    return sum(constraint == name for constraint, _subject in project.alerts)


def _show_adopted(out: Output, adopted: Adopted, project: Project) -> None:
    name, state = adopted.constraint.name, _constraint_state(adopted, project)
    number = _count_constraint_alerts(project, name)
    alerts = (f", {counted(number, 'alert')}", "yellow") if number else ""
    out.line(
        (name, "bold"),
        f"  {state}, {_constraint_author(adopted)}",
        alerts,
        (f"  reads {', '.join(adopted.reading.reads)}", "dim"),
    )


def _show_offer(out: Output, user: str, offer: Offer) -> None:
    if out.as_json:
        out.json({"user": user, "name": offer.name, "state": "on offer", "pack": offer.pack, "why_not": offer.why_not})
        return
    doc = read_constraint(offer.name, offer.constraint.code).doc if offer.constraint else ""
    because = offer.why_not or "adopted with the first record that it reads"
    out.line((offer.name, "bold"), f"  on offer, pack {offer.pack}: {because}", (f"  {doc}", "dim"))


def _adopted_json(adopted: Adopted, project: Project) -> dict[str, Any]:
    constraint, reading = adopted.constraint, adopted.reading
    return {
        "name": constraint.name,
        "state": _constraint_state(adopted, project),
        "doc": reading.doc,
        "origin": constraint.origin,
        "pack": constraint.pack,
        "reviewed": adopted.is_reviewed,
        "reads": list(reading.reads),
        "knows": list(reading.knows),
        "cases": len(constraint.cases),
        "alerts": _count_constraint_alerts(project, constraint.name),
        "position": adopted.position,
    }


def _show_constraint_why(out: Output, explanation: Why, project: Project) -> None:
    """The reasons, and what each alert cites."""
    alerts: tuple[Alert | None, ...] = explanation.alerts or (None,)
    for alert, reason in zip(alerts, explanation.reasons, strict=True):
        name = explanation.constraint.constraint.name
        out.line((name, STYLES[alert.severity] if alert else "bold"), reason.removeprefix(name))
        if alert is not None:
            show_alert_sources(out, project, alert)
    for alert in explanation.unchecked if explanation.alerts else ():
        out.line(mark_line_breaks(alert.message))


def _show_constraint_trace(out: Output, explanation: Why, project: Project, *, everything: bool) -> None:
    adopted = explanation.constraint
    name = adopted.constraint.name
    out.line((name, "bold"), f": {adopted.reading.doc}")
    out.line(
        (
            f"  {_constraint_state(adopted, project)}; origin: {_constraint_author(adopted)}; entry {adopted.position}",
            "dim",
        )
    )
    reads = ", ".join(f"{collection} ({counted(number, 'record')})" for collection, number in explanation.reads)
    knows = f"; looks things up in {', '.join(adopted.reading.knows)}" if adopted.reading.knows else ""
    out.line(f"  reads {reads or 'nothing'}{knows}")
    out.line(
        f"  saw the time {minute_text(explanation.now)}" if explanation.now else "  never ran: there is no tick yet"
    )
    out.line(f"  runs again {_constraint_repeat_note(explanation)}")
    _show_tests(out, explanation, everything=everything)


def _constraint_repeat_note(explanation: Why) -> str:
    often = "when its records change"
    if not explanation.constraint.reading.uses_now or (
        explanation.again is not None and explanation.again.year == MAXYEAR
    ):
        return often
    return f"{f'at {minute_text(explanation.again)}' if explanation.again else 'on every tick'}, and {often}"


def _show_tests(out: Output, explanation: Why, *, everything: bool) -> None:
    inner = sum(test.is_inner for test in explanation.tests)
    for test in explanation.tests:
        if test.is_inner and not everything:
            continue
        values = mark_line_breaks(", ".join(f"{text} = {value}" for text, value in test.values))
        times = f"  ({test.times} times)" if test.times > 1 else ""
        style = "green" if test.result else "dim"
        out.line((f"  line {test.line:>3}  ", "cyan"), test.text, (f"  → {test.result}{times}", style))
        if values:
            out.line((f"            {values}", "dim"))
    if inner and not everything:
        out.note(f"and {counted(inner, 'test')} in helper functions (--all shows them; uac constraints show the code)")
    if explanation.left_out:
        out.note(f"and {counted(explanation.left_out, 'more test')}")


def _why_alert_json(project: Project, alert: Alert) -> dict[str, Any]:
    about = {"subject": alert.subject, "severity": alert.severity, "message": alert.text, "records": alert.records}
    by = {"tables": alert.tables, "reviews": table_reviews(project, alert.tables)}
    return about | by | {"unconfirmed": unconfirmed_rows(alert.tables)}


def _constraint_why_json(user: str, explanation: Why, project: Project) -> dict[str, Any]:
    return {
        "user": user,
        **_adopted_json(explanation.constraint, project),
        "reads": dict(explanation.reads),
        "now": explanation.now.isoformat() if explanation.now else None,
        "again": explanation.again.isoformat() if explanation.again else None,
        "reasons": explanation.reasons,
        "failure": explanation.failure,
        "alerts": [_why_alert_json(project, alert) for alert in explanation.alerts],
        "unchecked": [_why_alert_json(project, alert) for alert in explanation.unchecked],
        "tests": [
            {"line": t.line, "text": t.text, "values": dict(t.values), "result": t.result, "times": t.times}
            | {"inner": t.is_inner}
            for t in explanation.tests
        ],
        "left_out": explanation.left_out,
    }
