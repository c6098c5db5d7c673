"""uac remember: store words together with the facts and records that an agent made of them."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from uac.errors import Refused
from uac.interfaces.cli.options import CliContext, common_options, moment_with_zone, user_argument
from uac.interfaces.views.learning import RememberView, remember_view
from uac.interfaces.views.view import view_json
from uac.memory.remembering import RememberCall
from uac.schema.entries import Observation, Role
from uac.schema.safe_text import counted, mark_line_breaks

__all__ = ["remember"]


class RememberTurn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One turn of the file."""

    text: str
    role: Role = "user"
    speaker: str = ""
    said: str = ""


class RememberFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON object of the file."""

    text: str = ""
    turns: list[RememberTurn] = []
    observations: list[int] = []
    facts: Any = None
    records: Any = None
    constraints: Any = None
    session: str = ""
    source: str = ""
    model: str = "agent"
    key: str = ""


@click.command()
@user_argument()
@click.argument("words", required=False, metavar="")
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path),
    default=Path("-"),
    show_default=True,
    help="Read the JSON from a file ('-': standard input).",
)
@common_options
def remember(context: CliContext, *, user: str, words: str | None, file: Path) -> None:
    """Store words of USER together with the facts and records that an agent made of them, in one write.

    The JSON has "text", or "turns" with text, role, speaker and said; "facts", which quote them; and "records"
    (patches) and "constraints", which cite facts by number, from 1. It may have "session", "source", "model" and "key".
    Valid parts are stored, the words always; the others are listed with the reason. To fix them, send only them again,
    with "observations", the positions of the turns, instead of the words. The exit code is 0 if everything was
    accepted, else 1.

    \b
      uac remember ana --file turn.json
      my-agent | uac remember ana --json
    """
    if words is not None:
        raise click.UsageError(
            f'The call is JSON, with --file or on standard input. For words alone: uac add {user} "…"'
        )
    given = _read_remember_file(file)
    turns = [RememberTurn(text=given.text)] if given.text else given.turns
    memory = context.memory(user, create=True)
    call = RememberCall(
        tuple(
            Observation(
                text=turn.text,
                said=_said_time(context, turn.said, f"turns[{place}].said"),
                role=turn.role,
                speaker=turn.speaker,
                session=given.session,
                source=given.source,
            )
            for place, turn in enumerate(turns)
        ),
        tuple(given.observations),
        given.facts,
        given.records,
        given.constraints,
        model=given.model,
    )
    view = remember_view(memory.remember_call(call, key=given.key), memory.project())
    if context.out.as_json:
        context.out.json({"user": user, **view_json(view)})
    else:
        _show_remembered(context, user, view)
    if view.to_mend:
        click.get_current_context().exit(1)


def _said_time(context: CliContext, text: str, where: str) -> datetime:
    """The time of a turn, as `uac add --said` reads it: without a zone it is in $UAC_ZONE."""
    try:
        moment = datetime.fromisoformat(text) if text else context.now()
    except ValueError:
        raise Refused(f"{where}: {text!r} is not a valid time. Use one such as 2026-03-01T12:00+01:00.") from None
    return moment_with_zone(moment, context.zone, option=where)


def _read_remember_file(file: Path) -> RememberFile:
    where = "standard input" if str(file) == "-" else str(file)
    if str(file) == "-" and sys.stdin.isatty():
        raise click.UsageError("No call was given. Pass its JSON with --file or on standard input.")
    try:
        text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise Refused(f"--file: {where} cannot be read: {error.strerror}. Check its path and permissions.") from None
    if not text.strip():
        raise Refused(f"{where}: it is empty. Give a JSON object with text or turns, facts and records.")
    try:
        given = msgspec.json.decode(text, type=RememberFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(f"{where}: {error}. Give a JSON object with text or turns, facts and records.") from None
    if bool(given.text) + bool(given.turns) + bool(given.observations) != 1:
        raise Refused(f"{where}: it needs exactly one of text, turns and observations. Give one.")
    return given


def _show_remembered(context: CliContext, user: str, view: RememberView) -> None:
    out = context.out
    first, last = view.positions[0], view.positions[-1]
    out.line((user, "bold"), f": kept at {first}" + (f" to {last}" if len(view.positions) > 1 else ""))
    for fact in view.facts:
        unsure = f"  (unsure: {mark_line_breaks(fact.unsure)})" if fact.unsure else ""
        out.line(f"  {fact.position:>4}  {mark_line_breaks(fact.text)}{unsure}")
    for record in view.records:
        out.line((f"  {mark_line_breaks(record)}", "cyan"))
    for change in view.alert_changes:
        out.line((f"{change.severity}, {change.change}", "red"), f": {mark_line_breaks(change.message)}")
    for sentence in view.overruled:
        out.line(("no effect", "yellow"), f": {mark_line_breaks(sentence)}")
    for part in view.to_mend:
        out.line(("to fix", "yellow"), f": {part.part}: {mark_line_breaks(part.why)}")
    if view.waiting:
        out.note(f"{counted(view.waiting, 'fact')} in no record yet ('uac pending {user}')")
