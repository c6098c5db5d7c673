"""uac add: store what was said."""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, get_args

import click

from uac.errors import Refused
from uac.interfaces.cli.background_learning import learn_in_background, learns_by_itself
from uac.interfaces.cli.options import CliContext, Moment, common_options, user_argument
from uac.memory.observing import keep_observations
from uac.schema.entries import Observation, Role
from uac.schema.safe_text import counted

__all__ = ["add"]


@click.command()
@user_argument()
@click.argument("text", required=False)
@click.option(
    "--file", "file", type=click.Path(path_type=Path), help="Read the text from a file ('-': standard input)."
)
@click.option("--chat", is_flag=True, help="The input is JSON: messages in the OpenAI shape.")
@click.option(
    "--role", type=click.Choice(get_args(Role)), default="user", show_default=True, help="The role of the speaker."
)
@click.option("--speaker", default="", help="The speaker's name.")
@click.option("--session", default="", help="The conversation that the text belongs to.")
@click.option("--source", default="", help="The origin, such as an application or a file.")
@click.option("--said", "--at", "at", type=Moment(), help="When it was said, ISO 8601.  [default: now]")
@click.option("--zone", default="", help="The time zone of --said, such as Europe/Berlin.  [default: $UAC_ZONE]")
@click.option("--key", default="", help="An idempotency key: text sent twice with the same key is stored once.")
@click.option(
    "--wait", is_flag=True, help="Let the configured model learn from it now; show facts, records and alerts."
)
@common_options
def add(
    context: CliContext,
    *,
    user: str,
    text: str | None,
    file: Path | None,
    chat: bool,
    role: Role,
    speaker: str,
    session: str,
    source: str,
    at: datetime | None,
    zone: str,
    key: str,
    wait: bool,
) -> None:
    """Store TEXT verbatim as an observation of USER.

    Without TEXT, or with '-', it is read from standard input. The command returns when the text is durable. If a model
    is configured (UAC_MODEL; 'uac setup model' finds one), a process in the background learns from it, one for each
    user at a time; UAC_LEARN=manual leaves that to 'uac learn'. With --wait the command learns itself.

    \b
      uac add ana "I am allergic to penicillin"
      uac add ana "Dr. Chen gave me amoxicillin" --wait
      uac add ana --chat --file conversation.json --session 2026-03-01
      echo "Call me Ana" | uac add ana --at 2026-03-01T12:00+01:00
    """
    learns_by_itself()  # a wrong setting is refused before anything is stored
    words = _read_input(text, file)
    zone = zone or context.zone
    said = context.moment(at, zone)
    left_out = 0
    if chat:
        if speaker or role != "user":
            raise click.UsageError("--chat takes role and speaker from the messages. Drop --role and --speaker.")
        from uac.conversation.openai_chat import read_chat

        conversation = read_chat(words, said=said, zone=zone, session=session, source=source, key=key)
        observations, left_out = conversation.observations, conversation.left_out
        if not observations:
            raise Refused("chat: no message contains text. Send at least one message with text.")
    else:
        observations = (
            Observation(
                text=words, said=said, zone=zone, role=role, speaker=speaker, session=session, source=source, key=key
            ),
        )
    positions = keep_observations(context.new_log(user), *observations)
    if context.out.as_json:
        context.out.json({"user": user, "positions": list(positions), "left_out": left_out})
    else:
        where = f"{positions[0]}" if len(positions) == 1 else f"{positions[0]} to {positions[-1]}"
        context.out.line((user, "bold"), f": kept at {where}")
        if left_out:
            context.out.note(f"{counted(left_out, 'part')} without text (images, empty messages) not stored")
    if wait:
        _learn_now(context, user)
    else:
        learn_in_background(context, user)


def _learn_now(context: CliContext, user: str) -> None:
    from uac.interfaces.cli.learn_runs import LearnRun
    from uac.models import chosen_models, parse_budget

    run = LearnRun(context, (user,), chosen_models(), parse_budget(os.environ))
    run.check_model()
    click.get_current_context().exit(run.learn_once())


def _read_input(text: str | None, file: Path | None) -> str:
    if file is not None:
        if text is not None:
            raise click.UsageError("Both TEXT and --file were given. Use one of them.")
        if str(file) != "-":
            try:
                return _decode_added_text(file.read_bytes(), str(file))
            except OSError as error:
                raise Refused(
                    f"--file: {file} cannot be read: {error.strerror}. Check its path and permissions."
                ) from None
    elif text is not None and text != "-":
        return text
    stream: BinaryIO = sys.stdin.buffer
    if file is None and text is None and sys.stdin.isatty():
        raise click.UsageError(
            'No text was given. Pass it as an argument (uac add ana "…"), with --file or on standard input.'
        )
    return _decode_added_text(stream.read(), "standard input")


def _decode_added_text(data: bytes, where: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{where}: byte {error.start} is not UTF-8. Save the text as UTF-8.") from None
