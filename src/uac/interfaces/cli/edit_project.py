"""uac define, put, correct, end, drop, merge, retract, checkpoint, migrate: change the typed project."""

import difflib
import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from uac.errors import Refused
from uac.interfaces.cli.alerts import alert_changes_json, alert_changes_to_show, show_alert_changes
from uac.interfaces.cli.completion import FieldValues, HintedText, RecordId, TypeName
from uac.interfaces.cli.options import CliContext, Moment, Positions, common_options, user_argument
from uac.interfaces.cli.project import project_change_json, show_project_changes
from uac.memory.memory import Memory
from uac.project.diff import Change, diff
from uac.project.project import Project
from uac.project.render import render
from uac.project.type_changes import TypeChange
from uac.schema.patches import Define, Patch
from uac.schema.periods import Period
from uac.schema.types import Cardinality, Field, Json, Policy, Type, parse_type

__all__ = ["apply_checkpoint", "correct", "define", "drop", "end", "merge", "migrate", "put_record", "retract"]

MOST_CHANGES = 50


@click.command()
@user_argument()
@click.argument("type_name", metavar="TYPE")
@click.argument(
    "fields", nargs=-1, required=True, type=HintedText("Write each as name:type, such as destination:str departs:date.")
)
@click.option("--key", "keys", multiple=True, help="A field that identifies a record (repeatable).")
@click.option("--one", "cardinality", flag_value="one", help="The user has at most one such record at a time.")
@click.option(
    "--event",
    "cardinality",
    flag_value="event",
    help="An event: every put creates a new record, unless a key identifies it.",
)
@click.option(
    "--policy", "policies", multiple=True, metavar="FIELD=POLICY", help="latest, authority, union or ask (repeatable)."
)
@click.option("--doc", default="", help="A description of the type, in one sentence.")
@common_options
def define(
    context: CliContext,
    *,
    user: str,
    type_name: str,
    fields: tuple[str, ...],
    keys: tuple[str, ...],
    cardinality: str | None,
    policies: tuple[str, ...],
    doc: str,
) -> None:
    """Define a type such as travel.Trip, with FIELDS written name:type.

    Types: str, int, float, bool, Decimal, Money, date, datetime, time, timedelta, Literal['a', 'b'], another.Type
    (a reference by its key), list[…] and '… | None'.

    \b
      uac define ana pets.Pet name:str "born:date | None" --key name
      uac define ana sport.Run on:date distance:Decimal "time:timedelta | None" --event
    """
    domain, dot, name = type_name.partition(".")
    if not dot:
        raise Refused(
            f"{type_name!r} is not a type name. Use domain.Type, such as health.{type_name.capitalize() or 'Allergy'}."
        )
    chosen = dict(part.split("=", 1) for part in policies if "=" in part)
    kind: Cardinality = cardinality or "many"  # type: ignore[assignment]  # the flags are cardinalities
    parts = tuple(_parse_defined_field(part, chosen) for part in fields)
    made = Type(domain=domain, name=name, doc=doc, cardinality=kind, key=keys, fields=parts)
    memory = context.memory(user, create=True)
    before = memory.project()
    position = memory.checkpoint([Define(type=made)], by="uac define")
    _show_written(context, user, memory, before, position, f"{type_name} is defined")
    if shadowed := memory.shadowed(type_name):
        context.out.note(f"note: {shadowed} (uac retract {user} {position} undoes this)")


@click.command("put")
@user_argument()
@click.argument("type_name", metavar="TYPE", type=TypeName())
@click.argument("values", nargs=-1, required=True, type=FieldValues())
@click.option("--from", "words", default="", help="The sentence that the record comes from; it is stored with it.")
@click.option(
    "--cites", "cites", multiple=True, type=click.IntRange(min=1), help="The entry that it comes from. Can be repeated."
)
@click.option("--said", "--at", "at", type=Moment(), help="When it was stated, ISO 8601.  [default: now]")
@common_options
def put_record(
    context: CliContext,
    *,
    user: str,
    type_name: str,
    values: tuple[str, ...],
    words: str,
    cites: tuple[int, ...],
    at: datetime | None,
) -> None:
    """Store a typed record of USER from VALUES written name=value. The user is created if needed.

    'uac explain' shows where a record comes from: the sentence of --from, the entries of --cites (their positions are
    in 'uac log'), or else the values themselves.

    \b
      uac put ana health.Allergy substance=penicillin since=2019-05-01
      uac put ana travel.Trip destination=Paris departs=2026-05-01 --from "We fly to Paris on the first of May"
      uac put ana health.Allergy substance=nuts --cites 12
    """
    if cites and (words or at):
        raise click.UsageError("--cites excludes --from and --said: the entry has its words and its time. Use one.")
    memory = context.memory(user, create=True)
    before = memory.project().position
    fields = _parse_field_values(memory, type_name, values)
    record = memory.put(
        type_name, fields, said=None if cites else context.moment(at), by="uac put", words=words, cites=cites
    )
    alert_events = alert_changes_to_show(memory, before)
    if context.out.as_json:
        # Alerts and ticks may follow it; retracting its checkpoint undoes the record.
        position = max(stored.position for stored in memory.log.read(before + 1) if stored.kind == "checkpoint")
        context.out.json(
            {"user": user, "record": record, "position": position, "alerts": alert_changes_json(alert_events)}
        )
    else:
        context.out.line((user, "bold"), f": {record}")
        show_alert_changes(context.out, alert_events)
    if not before:  # a new user: the name may be mistyped
        context.out.note(f"{user} is new here")


@click.command(context_settings={"ignore_unknown_options": True})
@user_argument()
@click.argument("record", type=RecordId())
@click.argument("field", type=HintedText("'uac explain USER RECORD' lists the fields of a record."))
@click.argument("value")
@click.option("--why", default="", help="The reason, kept with the correction.")
@common_options
def correct(context: CliContext, *, user: str, record: str, field: str, value: str, why: str) -> None:
    """Set FIELD of RECORD to VALUE as a correction by the user. It overrides everything learned before."""
    memory = context.memory(user)
    before = memory.project()
    target = before.record(record)
    position = memory.correct(target.id, field, _parse_edited_value(memory, target.type, field, value), why=why)
    _show_written(
        context, user, memory, before, position, f"{target.id}.{field} is corrected", diff(before, memory.project())
    )


@click.command()
@user_argument()
@click.argument("record", type=RecordId())
@click.argument("when", type=HintedText("Give a day such as 2026-03-01, a month or a year."))
@click.option("--why", default="", help="The reason; its first word may be 'cancelled' or 'returned'.")
@common_options
def end(context: CliContext, *, user: str, record: str, when: str, why: str) -> None:
    """End RECORD at WHEN (YYYY, YYYY-MM or YYYY-MM-DD): a lease ended, a trip was cancelled, a purchase was returned.

    Use 'uac drop' for what never was.
    """
    memory = context.memory(user)
    before = memory.project()
    position = memory.end(before.record(record).id, when, why=why, by="uac end")
    _show_written(context, user, memory, before, position, "ended", diff(before, memory.project()))
    first = Period(when).first
    if first is not None and first > context.now().date():
        context.out.note(
            "that day lies ahead, but the record counts as ended from now on, and constraints no longer see it"
            f" (uac retract {user} {position} undoes it)"
        )


@click.command()
@user_argument()
@click.argument("record", type=RecordId())
@click.option("--why", required=True, help="The reason; the record's facts are set aside with it.")
@common_options
def drop(context: CliContext, *, user: str, record: str, why: str) -> None:
    """Remove a RECORD that should never have existed, such as a duplicate of an event."""
    memory = context.memory(user)
    before = memory.project()
    position = memory.drop(before.record(record).id, why=why, by="uac drop")
    _show_written(context, user, memory, before, position, "dropped", diff(before, memory.project()))


@click.command()
@user_argument()
@click.argument("record", type=RecordId())
@click.argument("into", type=RecordId())
@common_options
def merge(context: CliContext, *, user: str, record: str, into: str) -> None:
    """Make two records of one type one: the claims of RECORD, and references to it, go to INTO.

    \b
      uac merge ana people.Person:jonas "people.Person:jonas peters"
    """
    memory = context.memory(user)
    before = memory.project()
    position = memory.merge(before.record(record).id, before.record(into).id, by="uac merge")
    _show_written(context, user, memory, before, position, "merged", diff(before, memory.project()))
    context.out.note(f"uac retract {user} {position} --why '…' undoes it")


@click.command()
@user_argument()
@click.argument("positions", nargs=-1, required=True, type=Positions())
@click.option("--why", required=True, help="The reason, kept in the log.")
@common_options
def retract(context: CliContext, *, user: str, positions: tuple[range, ...], why: str) -> None:
    """Retract entries, and everything that depends on them. Their text stays in the log.

    Retracting a checkpoint undoes it. Retracting a retraction restores what it removed.
    """
    memory = context.memory(user)
    before = memory.project()
    retracted = [position for chosen in positions for position in chosen]
    position = memory.retract(retracted, why=why, reviewed=True)
    _show_written(context, user, memory, before, position, "retracted", diff(before, memory.project()))
    kinds = {stored.kind for chosen in positions for stored in memory.log.read(chosen.start, chosen.stop)}
    if "model_call" in kinds:
        context.out.note("the request to the model is open again; its facts and checkpoints are separate entries")


@click.command("checkpoint")
@user_argument()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--facts", "facts", multiple=True, type=Positions(), help="Facts the checkpoint must use or set aside.")
@click.option(
    "--by", default="uac checkpoint", show_default=True, help="The author of the checkpoint, kept in the log."
)
@click.option("--dry-run", is_flag=True, help="Only check the patches and show what would change.")
@common_options
def apply_checkpoint(
    context: CliContext, *, user: str, file: Path, facts: tuple[range, ...], by: str, dry_run: bool
) -> None:
    """Apply the patches in FILE ('-': standard input; a JSON list): all of them, or none.

    \b
      echo '[{"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [3]}]' |
        uac checkpoint ana - --dry-run
    """
    memory = context.memory(user)
    before = memory.project()
    patches = _read_edit_patches(file)
    _after, changes = memory.preview(patches)
    if dry_run:
        show_project_changes(context.out, changes)
        return
    answered = [position for chosen in facts for position in chosen]
    position = memory.checkpoint(patches, facts=answered, by=by)
    _show_written(context, user, memory, before, position, "accepted", changes)


@click.command()
@user_argument()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show the diff of the rendered project and change nothing.")
@common_options
def migrate(context: CliContext, *, user: str, file: Path, dry_run: bool) -> None:
    """Change types with the patches in FILE ('-': standard input): define, add, rename, retype, retire, split, merge.

    Existing claims are carried over. The diff of the rendered Python is printed.

    \b
      echo '[{"op": "add_field", "type": "pets.Pet", "field": {"name": "vet", "type": "str | None"}}]' |
        uac migrate ana - --dry-run
    """
    memory = context.memory(user)
    patches = _read_edit_patches(file)
    for number, patch in enumerate(patches, 1):
        if not isinstance(patch, TypeChange):
            raise Refused(f"migrate: patch {number} changes records. Use patches of types only, or 'uac checkpoint'.")
    after, _changes = memory.preview(patches)
    old, new = memory.render(), render(after)
    if not dry_run:
        before = memory.project()
        position = memory.checkpoint(patches, by="uac migrate")
        _show_written(context, user, memory, before, position, "migrated")
    if context.out.as_json:
        if dry_run:
            context.out.json(
                {"user": user, "files": sorted(name for name in {**old, **new} if old.get(name) != new.get(name))}
            )
        return
    for name in sorted({**old, **new}):
        lines = difflib.unified_diff(
            old.get(name, "").splitlines(), new.get(name, "").splitlines(), f"a/{name}", f"b/{name}", lineterm="", n=2
        )
        for line in lines:
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
            context.out.line((line, style))


def _parse_defined_field(text: str, policies: dict[str, str]) -> Field:
    name, colon, type_ = text.partition(":")
    if not colon:
        raise Refused(f"{text!r} is not a field. Use name:type, such as {name}:str.")
    policy = policies.get(name, "latest")
    if policy not in get_args(Policy):
        raise Refused(f"--policy {name}={policy} is unknown. Use one of {', '.join(get_args(Policy))}.")
    return Field(name=name, type=type_, policy=policy)  # type: ignore[arg-type]  # checked in the line above


def _show_written(
    context: CliContext,
    user: str,
    memory: Memory,
    before: Project,
    position: int,
    what: str,
    changes: Sequence[Change] = (),
) -> None:
    """Print what was written, what it changed, and which alerts were raised or cleared."""
    alert_events = alert_changes_to_show(memory, before.position)
    changes = [change for change in changes if change.kind != "alert"]  # they are printed with their messages
    if context.out.as_json:
        changed = [project_change_json(change) for change in changes]
        context.out.json(
            {"user": user, "position": position, "changes": changed, "alerts": alert_changes_json(alert_events)}
        )
        return
    context.out.line((user, "bold"), f": {what}, entry {position}")
    if not changes and what == "accepted":
        context.out.note(
            "no value changed: the current one was said later, or by a higher authority (uac explain shows it)"
        )
    show_project_changes(context.out, changes[:MOST_CHANGES])
    if len(changes) > MOST_CHANGES:
        context.out.note(f"and {len(changes) - MOST_CHANGES:,} more changes (uac diff shows them)")
    show_alert_changes(context.out, alert_events)


def _read_edit_patches(file: Path) -> list[Patch]:
    try:
        text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}. Check its path and permissions.") from None
    try:
        items = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise Refused(f"{file} is not JSON ({error}). Use a list of patches.") from None
    except RecursionError:
        raise Refused(f"{file} nests too deeply. Use a list of patches.") from None
    if isinstance(items, dict):
        raise Refused(f"{file} is one JSON object. Use a list of patches, also for a single one: [{{…}}].")
    if not isinstance(items, list) or not items:
        raise Refused(f"{file} has no patches. Use a JSON list of at least one.")
    patches: list[Patch] = []
    for number, patch in enumerate(items, 1):
        try:
            patches.append(msgspec.convert(patch, type=Patch))
        except msgspec.ValidationError as error:
            op = patch.get("op") if isinstance(patch, dict) else patch
            raise Refused(
                f"{file}: patch {number} ({op}): {error} (docs/concepts/project.md lists the patches)"
            ) from None
    return patches


def _parse_field_values(memory: Memory, type_name: str, values: tuple[str, ...]) -> dict[str, Json]:
    fields: dict[str, Json] = {}
    for part in values:
        name, equals, text = part.partition("=")
        if not equals:
            raise Refused(f"{part!r} is not a value. Use name=value.")
        if name in fields:
            raise Refused(f"{name} is given twice. Give each field once.")
        fields[name] = _parse_edited_value(memory, type_name, name, text)
    return fields


def _parse_edited_value(memory: Memory, type_name: str, field: str, text: str) -> Any:
    """Typed text as JSON of the field's type: numbers, booleans and lists are JSON, everything else is text."""
    type_ = memory.type_named(type_name)
    part = type_.field(field) if type_ else None
    if part is None:
        return text
    parsed = parse_type(part.type)
    if parsed.optional and text in ("", "null"):
        return None
    if parsed.kind not in ("int", "float", "bool", "list"):
        return text
    try:
        return json.loads(text)
    except RecursionError:
        raise Refused(f"{field}: the value nests too deeply. Use a list of plain values.") from None
    except ValueError:
        return [item.strip() for item in text.split(",")] if parsed.kind == "list" else text
