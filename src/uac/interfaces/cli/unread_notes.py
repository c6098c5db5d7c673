"""Notes about text that no model has read yet."""

from typing import TYPE_CHECKING

from uac.interfaces.cli.output import Output
from uac.schema.safe_text import counted

if TYPE_CHECKING:
    from uac.project.project import Project

__all__ = ["note_unread", "note_unread_at_terminal", "unread_json"]


def note_unread(out: Output, project: "Project") -> None:
    """Note the unread text that an answer from memory cannot include yet."""
    unread, waiting = len(project.progress.unread), len(project.waiting)
    if unread:
        have = "has" if unread == 1 else "have"
        out.note(f"{counted(unread, 'observation')} {have} not been read by a model yet")
    if waiting:
        out.note(f"{counted(waiting, 'fact')} {'waits' if waiting == 1 else 'wait'} to be put into records")


def note_unread_at_terminal(out: Output, project: "Project") -> None:
    """Like `note_unread`, but only at a terminal: the output for programs stays unchanged."""
    if out.errors_at_terminal:
        note_unread(out, project)


def unread_json(project: "Project") -> dict[str, int]:
    return {"unread": len(project.progress.unread), "waiting": len(project.waiting)}
