"""The errors of a run: text from a sandbox, made safe to print, and what to do about each limit."""

from uac.errors import CodeError, LimitError
from uac.sandbox.port import Limits

__all__ = ["MAX_TEXT", "clean_run_text", "code_error", "limit_error"]

MAX_TEXT = 16_000_000
"""Characters in all strings of one result together."""


def clean_run_text(text: str, most: int) -> str:
    """Foreign text, shortened, with lone surrogates replaced."""
    if len(text) > most:
        text = text[:most] + f" … ({len(text):,} characters in all)"
    return text.encode("utf-8", "replace").decode()


def code_error(kind: str, message: str, line: int, printed: str) -> CodeError:
    return CodeError(clean_run_text(kind, 100), clean_run_text(message, 2000), line=max(line, 0), printed=printed)


def limit_error(limit: str, limits: Limits, printed: str = "") -> LimitError:
    message = {
        "time": f"The code was stopped after {limits.seconds:g} seconds of processor time. Let it do less.",
        "wall": f"The code was stopped after {limits.most_wall_seconds:g} seconds of waiting and computing. "
        "Let it do less, or try again when the machine is less busy.",
        "memory": f"The code took more than {limits.memory_mb} MB. Let it hold less at once.",
        "output": f"The code printed more than {limits.output_chars:,} characters. Print less.",
        "depth": f"The code nested more than {limits.depth} deep. Use a loop instead of recursion.",
        "keys": "The result has many keys or set items whose hashes collide. Return a list of pairs instead.",
        "size": f"The result has more than {limits.result_items:,} items or {MAX_TEXT:,} characters. Return less.",
    }
    return LimitError("time" if limit == "wall" else limit, message[limit], printed=printed)
