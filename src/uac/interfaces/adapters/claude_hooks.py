"""The hooks of Claude Code and of the Claude Agent SDK: an event as JSON in, the answer to it as JSON out.

A prompt is stored at once, and answered with its context; the last answer is stored when Claude stops. At the start of
a session the alerts and the index of what is known are given. Claude adds the text of an answer to its own context.
"""

from collections.abc import Mapping
from typing import Any

from uac.errors import Refused
from uac.interfaces.adapters.turns import Message, TurnMemory

__all__ = ["EVENTS", "answer_hook"]

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
"""The events that memory answers; any other is answered with nothing."""


def answer_hook(turns: TurnMemory, event: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a hook's event: `{}`, or the context to add."""
    name, session = event.get("hook_event_name"), str(event.get("session_id") or "")
    if not isinstance(name, str):
        raise Refused("The event has no hook_event_name. Send the JSON that Claude gives to a hook.")
    if name == "SessionStart":
        return _context_answer(name, turns.overview())
    if name == "UserPromptSubmit":
        said = [Message("user", str(event.get("prompt") or ""))]
        context = turns.before_turn(said, session=session)
        turns.after_turn(said, session=session)
        return _context_answer(name, context)
    if name == "Stop" and event.get("last_assistant_message"):
        turns.after_turn([Message("assistant", str(event["last_assistant_message"]))], session=session)
    return {}


def _context_answer(name: str, context: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}} if context else {}
