"""Learning after a command has ended: a detached worker, one for each user at a time."""

import os
import subprocess
import sys
from pathlib import Path

from uac.errors import ModelError, Refused, UacError
from uac.interfaces.cli.options import CliContext
from uac.interfaces.cli.output import minute_text

__all__ = ["learn_in_background", "learns_by_itself", "leaves_to_workers"]

SETTINGS = ("UAC_MODEL", "UAC_MODEL_EXTRACT", "UAC_REPLIES")


def learn_in_background(context: CliContext, user: str) -> None:
    """Start a worker if a model is configured. What it cannot do is kept for 'uac doctor' and 'uac watch'."""
    out = context.out
    if leaves_to_workers():
        _enqueue(context, user)
        return
    if not learns_by_itself():
        return
    if not any(os.environ.get(name, "").strip() for name in SETTINGS):  # without importing anything about models
        if out.errors_at_terminal:
            out.note(
                "no model is configured, so the text waits: 'uac setup' lists agents that can read it,"
                " 'uac setup model' finds a model"
            )
        return
    from uac.models import chosen_models

    try:
        if "extract" not in chosen_models().names:
            return
    except (ModelError, Refused) as error:
        out.note(f"the text is stored, but nothing can learn from it: {error}")
        return
    _start_worker(context, user)
    if out.errors_at_terminal:
        _note_learning(context, user)


def learns_by_itself() -> bool:
    """Whether commands and servers call the configured model by themselves ($UAC_LEARN)."""
    return _learn_setting() == "auto"


def leaves_to_workers() -> bool:
    """Whether commands and servers enqueue jobs for workers ($UAC_LEARN=work)."""
    return _learn_setting() == "work"


def _learn_setting() -> str:
    text = os.environ.get("UAC_LEARN") or "auto"
    if text not in ("auto", "manual", "work"):
        raise Refused(f"UAC_LEARN is {text!r}. Set it to auto, manual or work.")
    return text


def _enqueue(context: CliContext, user: str) -> None:
    """Enqueue learning for the user's words. If that fails, a worker's sweep finds them within a minute."""
    from uac.interfaces.work.job_names import check_work_store, missing_work_extra_error

    url = check_work_store(context.address)
    try:
        from uac.interfaces.work.job_client import JobClient
    except ImportError as error:
        raise missing_work_extra_error(error) from None
    client = JobClient(url)
    try:
        client.enqueue_user("learn", user, context.store().log(user).head().position)
    except UacError as error:
        context.out.note(f"the text is stored, and a worker will find it: {error}")
    finally:
        client.close()


def _start_worker(context: CliContext, user: str) -> None:
    """A process of its own session, with no terminal: it outlives this one, and Ctrl-C does not reach it.

    If another worker has the user's lock, this one ends at once, and the other learns from these words too.
    """
    address = context.address if "://" in context.address else str(Path(context.address).expanduser().absolute())
    worker = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "uac", "learn", user, "--detached"],
        env={**os.environ, "UAC_STORE": address},  # an address may hold a password, which others see in arguments
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    worker.returncode = 0  # nobody waits for it; without this Python warns that nobody does


def _note_learning(context: CliContext, user: str) -> None:
    from uac.interfaces.service.learning_failures import learning_failure

    context.out.note(f"learning in the background; 'uac watch {user}' shows it")
    if failure := learning_failure(context.store().address, user):
        context.out.note(f"the last time it stopped, at {minute_text(failure.at)}: {failure.why}")
