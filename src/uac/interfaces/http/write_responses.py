"""The result of a write: its entries, and what they changed. A repeated request gets the same result."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from pydantic import BaseModel

from uac.errors import Moved, Repeated
from uac.interfaces.http.etags import log_etag
from uac.interfaces.http.problems import Outdated
from uac.interfaces.http.user_context import UserContext
from uac.interfaces.views.alerts import alert_update_view
from uac.interfaces.views.changes import WriteView, changes_between
from uac.memory.idempotency import WriteTerms
from uac.memory.memory import Memory
from uac.project.project import Project
from uac.schema.entries import AlertChange

__all__ = ["conditional_write", "hide_unreadable", "projects_around_write", "request_text", "write_once"]


def write_once(
    context: UserContext, request: str, act: Callable[[Memory], object], *, create: bool = True
) -> WriteView:
    """Let `act` change the memory, once for the idempotency key, and return what it changed.

    `request` identifies the request, so that a key that is used for another one is refused. With `create`, a user who
    does not exist is created.
    """
    with context.memory(create=create) as memory:
        before = memory.project()
        try:
            with conditional_write(context, memory, request) as terms:
                act(memory)
        except Repeated as error:
            written = _write_view(memory, before, error.first, error.last, is_repeated=True)
        else:
            written = _write_view(memory, before, terms.first, terms.last)
    return hide_unreadable(context, written)


def hide_unreadable(context: UserContext, written: WriteView) -> WriteView:
    """The result as far as the caller may see it."""
    return written if context.may_read else replace(written, changes=(), alerts=())


@contextmanager
def conditional_write(context: UserContext, memory: Memory, request: str) -> Iterator[WriteTerms]:
    """Write under the client's conditions: once for its idempotency key, and only on the state of its If-Match.

    Repeated is checked before Outdated: a repeated request carries the tag of the first one.
    """
    try:
        after = context.expected_position()
    except Outdated:
        if not context.once:
            raise
        after = -1
    try:
        with memory.once(context.once, request, after=after) as terms:
            yield terms
    except Moved:
        raise Outdated(log_etag(memory.log.head())) from None


def request_text(what: str, body: BaseModel | None = None) -> str:
    """The request as text that is the same for the same request."""
    fields = {} if body is None else body.model_dump()
    return f"{what} {json.dumps(fields, sort_keys=True, default=str)}"


def _write_view(memory: Memory, known: Project, first: int, last: int, *, is_repeated: bool = False) -> WriteView:
    """What the entries at `first` to `last` changed; `known` is the project before the request."""
    if not first:
        return WriteView(first=0, last=known.position, changes=(), alerts=())
    before, after = projects_around_write(memory, known, first, last)
    entries = (stored.entry for stored in memory.log.read(first, last + 1))
    return WriteView(
        first=first,
        last=last,
        changes=changes_between(before, after),
        alerts=tuple(alert_update_view(entry) for entry in entries if isinstance(entry, AlertChange)),
        is_repeated=is_repeated,
    )


def projects_around_write(memory: Memory, known: Project, first: int, last: int) -> tuple[Project, Project]:
    """The projects before and after entries. If others wrote in between, the log is folded again."""
    before = known if known.position == first - 1 else memory.project_as_of(first - 1)
    now = memory.project()
    return before, now if _is_latest_write(now, last) else memory.project_as_of(last)


def _is_latest_write(project: Project, last: int) -> bool:
    """Whether only their receipt follows these entries."""
    is_receipt = bool(project.receipts) and project.receipts[-1].last == last
    return project.position == last + (1 if is_receipt else 0)
