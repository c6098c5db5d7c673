"""Refusals: what is wrong, where, what is needed, and a correct call."""

import json
import re
from typing import Any

import msgspec

from uac.errors import ModelError, Refused, Rejected, RunError, StoreError, UacError
from uac.interfaces.agent_tools.tool_schema import describe_tool_schema, tool_subschema
from uac.text.memory_block import harmless

__all__ = ["ToolRefusal", "refusal_of_arguments", "refusal_of_error", "unexpected_refusal", "unknown_tool_refusal"]


class ToolRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a call gave no result. `where` is the argument, if known; `needed` what it accepts."""

    error: str
    message: str
    where: str = ""
    needed: str = ""
    reasons: list[str] = []
    example: dict[str, Any] = {}

    def refusal_text(self, tool: str) -> str:
        """The refusal as a compiler would print it. Further lines of the message are marked as not ours."""
        first, *more = harmless(self.message).split("\n")
        lines = [f"{self.error}: {first}", *(f"  | {line}" for line in more)]
        lines += [f"  at: {self.where}"] if self.where else []
        lines += [f"  needed: {self.needed}"] if self.needed else []
        lines += [f"  a right call: {tool} {json.dumps(self.example, ensure_ascii=False)}"] if self.example else []
        return "\n".join(lines)


def refusal_of_error(error: UacError, example: dict[str, Any]) -> ToolRefusal:
    """An error of this package; its message already says what is needed."""
    message = _commands_as_tools(str(error))
    needed = next((help_ for kind, help_ in _HELP if isinstance(error, kind)), "")
    if isinstance(error, RunError) and error.printed:
        message += f"\nprinted before that: {error.printed[:1000]}"
    return ToolRefusal(
        error="Refused" if isinstance(error, Refused) else type(error).__name__,
        message=message,
        needed=needed,
        reasons=[_commands_as_tools(reason) for reason in error.reasons] if isinstance(error, Rejected) else [],
        example=example if isinstance(error, Refused) else {},
    )


_HELP: tuple[tuple[type[UacError], str], ...] = (
    (Refused, ""),
    (RunError, "fix the code; read shows the existing domains, collections and fields"),
    (StoreError, "nothing is wrong with the call: the store cannot serve, try again later or tell the user"),
    (ModelError, "nothing is wrong with the call: the model that was to answer cannot"),
)


def refusal_of_arguments(
    error: msgspec.ValidationError, schema: dict[str, Any], example: dict[str, Any]
) -> ToolRefusal:
    """Arguments that do not fit the schema."""
    what, _at, path = str(error).partition(" - at `$")
    steps = _STEP.findall(path)
    return ToolRefusal(
        error="Refused",
        message=what.replace("`", "'"),
        where=path.rstrip("`").removeprefix(".").replace("[...]", "[]") or "the arguments",
        needed=describe_tool_schema(tool_subschema(schema, steps)),
        example=example,
    )


def unknown_tool_refusal(name: str, known: list[str]) -> ToolRefusal:
    return ToolRefusal(error="Refused", message=f"There is no tool {name!r}", needed=f"one of {', '.join(known)}")


def unexpected_refusal(tool: str) -> ToolRefusal:
    """An internal error. Its details are only in the server's log: they may hold words of the user."""
    return ToolRefusal(
        error="Failed",
        message=f"{tool} failed inside the memory. Nothing is wrong with the call.",
        needed="the person who runs this server: the reason is in its log (standard error)",
    )


def _commands_as_tools(text: str) -> str:
    """Messages name commands; an agent has tools."""
    return _COMMAND.sub(lambda found: _TOOL_FOR.get(found[2], found[0]), text)


_STEP = re.compile(r"\[[^\]]*\]|\.[^.\[`]+")
_COMMAND = re.compile(r"('?)\buac (\w+)\1")
_TOOL_FOR = {
    "records": "read",
    "manifest": "read",
    "coverage": "read",
    "alerts": "alerts",
    "ack": "alerts",
    "pending": "pending",
    "answer": "answer",
    "explain": "explain",
    "correct": "correct",
    "add": "remember",
    "compute": "compute",
    "recall": "recall",
}
