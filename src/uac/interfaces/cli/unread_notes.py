"""What commands say while words wait for a model."""

from uac.interfaces.cli.output import Output
from uac.models import chosen_models
from uac.project.project import Project
from uac.schema.safe_text import counted

__all__ = ["note_unread", "note_waits", "tell_unread"]


def note_unread(out: Output, project: Project) -> None:
    """Say what an answer from memory cannot have seen yet."""
    unread, waiting = len(project.progress.unread), len(project.waiting)
    if unread:
        have = "has" if unread == 1 else "have"
        out.note(f"{counted(unread, 'observation')} {have} not been read by a model yet")
    if waiting:
        out.note(f"{counted(waiting, 'fact')} {'waits' if waiting == 1 else 'wait'} to be put into records")


def tell_unread(out: Output, project: Project) -> None:
    """As `note_unread`, to a person at a terminal: what programs read of these commands stays as it is."""
    if out.errors.is_terminal:
        note_unread(out, project)


def note_waits(out: Output) -> None:
    """Say to a person at a terminal that words were only kept, where nobody is there to read them."""
    if out.errors.is_terminal and not chosen_models().names:
        out.note("no model is configured (UAC_MODEL): it waits to be read; 'uac pending' lets an agent answer")
