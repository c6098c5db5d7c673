"""Imports that are left to workers: the file is read and checked here, and staged in the store."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

import click

from uac.errors import Unavailable
from uac.importing import ImportPlan, RecordFile, stage_messages, stage_records
from uac.importing.message_files import MessageItem
from uac.interfaces.cli.options import CliContext
from uac.interfaces.work.job_names import check_work_store, missing_work_extra_error
from uac.log.staging import StagedFile, Staging, StagingStore
from uac.schema.safe_text import counted

if TYPE_CHECKING:
    from uac.interfaces.work.job_client import JobClient

__all__ = ["enqueue_messages", "enqueue_records", "show_imports", "work_client"]

SHOWN = 20  # broken lines of a file shown to a person


def work_client(context: CliContext) -> "JobClient":
    """What enqueues and steers jobs, until the command ends; Refused unless workers can share the store."""
    url = check_work_store(context.address)
    try:
        from uac.interfaces.work.job_client import JobClient
    except ImportError as error:
        raise missing_work_extra_error(error) from None
    client = JobClient(url)
    click.get_current_context().call_on_close(client.close)
    return client


def enqueue_records(
    context: CliContext, client: "JobClient", user: str, plan: ImportPlan, source: RecordFile, said: datetime
) -> None:
    staging, memory = _staging(context), context.memory(user, create=True)
    _enqueue(context, client, stage_records(memory, staging, user, plan, source, said), plan.type.full_name)


def enqueue_messages(
    context: CliContext, client: "JobClient", user: str, name: str, items: Iterable[MessageItem]
) -> None:
    _enqueue(context, client, stage_messages(_staging(context), user, name, items), "")


def _staging(context: CliContext) -> Staging:
    store = context.store(create=True)
    assert isinstance(store, StagingStore)
    return store.staging()


def _enqueue(context: CliContext, client: "JobClient", file: StagedFile, type_name: str) -> None:
    out = context.out
    try:
        client.enqueue_import(file.user, file.id, file.parts)
    except Unavailable as error:
        out.note(f"the file is stored, and a worker will find it: {error}")
    if out.as_json:
        out.json({"user": file.user, "file": file.name, "type": type_name, "import": file.id, "lines": file.lines})
        return
    out.line((file.user, "bold"), f": {file.name}: {counted(file.lines, 'line')} left to workers")
    out.note(f"'uac work imports {file.user}' shows how far they are")


def show_imports(context: CliContext, users: Collection[str]) -> None:
    """Print each file that workers import, with the lines that are broken."""
    store, out = context.store(), context.out
    files = store.staging().files(users) if isinstance(store, StagingStore) else ()
    for file in files:
        result = file.result
        if out.as_json:
            out.json(
                {
                    "import": file.id,
                    "user": file.user,
                    "file": file.name,
                    "staged": file.staged.isoformat(),
                    "finished": file.finished.isoformat() if file.finished else None,
                    "lines": file.lines,
                    "done": result.lines,
                    "stored": result.stored,
                    "already": result.already,
                    "left_out": result.left_out,
                    "broken": result.broken_lines,
                    "why": [{"line": number, "why": why} for number, why in result.broken],
                    "problem": file.problem,
                }
            )
            continue
        state = "failed" if file.problem else "done" if file.finished else "under way" if result.lines else "waiting"
        figures = [f"{result.lines:,} of {counted(file.lines, 'line')}", f"{result.stored:,} stored"]
        figures += [f"{result.already:,} already imported"] if result.already else []
        figures += [f"{result.broken_lines:,} broken"] if result.broken_lines else []
        out.line((file.user, "bold"), f": {file.name}: {state}: {', '.join(figures)}")
        for what, number in result.left_out.items():
            out.note(f"left out: {counted(number, what)}")
        for number, why in result.broken[:SHOWN]:
            out.line((f"line {number}", "red"), f": {why}")
        if result.broken_lines > SHOWN:
            out.line(f"and {counted(result.broken_lines - SHOWN, 'more broken line')}; --json lists the first 100")
        if file.problem:
            out.line(("it stopped", "red"), f": {file.problem} 'uac work retry {file.user}' tries again.")
    if not files and not out.as_json:
        out.note("no file is imported by workers, nor was one lately")
