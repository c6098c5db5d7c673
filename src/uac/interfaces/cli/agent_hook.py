"""uac agent-hook: answers the hooks of an agent that runs commands, such as Claude Code."""

import json
import sys

import click

from uac.errors import Refused
from uac.interfaces.cli.background_learning import learn_in_background
from uac.interfaces.cli.options import CliContext, common_options, user_argument

__all__ = ["agent_hook"]


@click.command("agent-hook")
@user_argument()
@click.option("--tokens", type=click.IntRange(100, 20_000), default=2000, show_default=True, help="Size of a context.")
@common_options
def agent_hook(context: CliContext, *, user: str, tokens: int) -> None:
    """Answer a hook of Claude Code about USER: an event as JSON on standard input.

    The answer is JSON on standard output. A prompt is stored, and answered with its context, alerts first; the last
    answer is stored when Claude stops; a session starts with the alerts and an index of what is known. Other events are
    answered with {}. The plugin in integrations/claude-code calls it.

    \b
      echo '{"hook_event_name": "SessionStart", "session_id": "1"}' | uac agent-hook ana
    """
    from uac.interfaces.adapters.claude_hooks import answer_hook
    from uac.interfaces.adapters.turns import TurnMemory

    try:
        event = json.loads(sys.stdin.buffer.read())
    except ValueError as error:
        raise Refused(f"The event is not JSON: {error}. Send the JSON that Claude gives to a hook.") from None
    if not isinstance(event, dict):
        raise Refused("The event is not an object. Send the JSON that Claude gives to a hook.")
    memory = context.memory(user, create=True)
    click.echo(json.dumps(answer_hook(TurnMemory(memory, tokens=tokens, learns=False), event), ensure_ascii=False))
    if event.get("hook_event_name") == "Stop":
        learn_in_background(context, user)
