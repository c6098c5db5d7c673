"""What a change brought: the entries it wrote, and what they changed. The same for a request that comes again."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from pydantic import BaseModel, Field

from uac.errors import Moved, Repeated
from uac.interfaces.http.auth import Place, etag
from uac.interfaces.http.problems import Outdated
from uac.memory.idempotency import Terms
from uac.memory.memory import Memory
from uac.project.diff import diff
from uac.project.project import Project
from uac.schema.constraints import Severity
from uac.schema.entries import AlertChange
from uac.schema.types import dump_value

__all__ = [
    "AlertTold",
    "AlertWord",
    "ChangeTold",
    "Written",
    "around",
    "change",
    "changes_told",
    "once",
    "request_text",
    "shown_to",
]

AlertWord = Literal["raised", "updated", "cleared", "acknowledged", "snoozed", "expired", "failed"]


class ChangeTold(BaseModel):
    """One difference in types, records, fields, constraints or alerts."""

    kind: Literal["type", "record", "field", "constraint", "alert"] = Field(examples=["field"])
    change: Literal["added", "removed", "changed", "ended"] = Field(examples=["changed"])
    what: str = Field(
        examples=["health.Allergy:penicillin.reaction"],
        description="A type, a record, a field of a record, a constraint, or an alert as `constraint / subject`.",
    )
    before: Any = Field(default=None, description="The value of a field before; null for all else.", examples=[None])
    after: Any = Field(default=None, description="The value of a field now.", examples=["hives"])


class AlertTold(BaseModel):
    """A change of the standing alerts that a write brought along."""

    change: AlertWord = Field(examples=["raised"])
    constraint: str = Field(examples=["drug_allergy"])
    subject: str = Field(examples=["amoxicillin / penicillin"])
    severity: Severity = Field(examples=["critical"])
    message: str = Field(examples=["Amoxicillin is a penicillin, and you have a known allergy to Penicillin."])


class Written(BaseModel):
    """Where a change stands in the log, and what it changed."""

    first: int = Field(description="The position of its first entry; 0 if there was nothing to write.", examples=[12])
    last: int = Field(description="The position of its last entry.", examples=[13])
    changes: list[ChangeTold] = Field(description="What is other than before; told to keys that may read.")
    alerts: list[AlertTold] = Field(description="The alerts that came, changed or went with it; told to such keys.")
    is_repeated: bool = Field(
        default=False, description="True if this was done before, for the same Idempotency-Key; nothing was written."
    )
    notes: list[str] = Field(default=[], description="What is worth knowing besides.")


def change(place: Place, request: str, act: Callable[[Memory], object], *, create: bool = True) -> Written:
    """Let `act` change the memory, once for the client's key, and tell what came of it.

    `request` says what is asked, so that a key that comes with another request is noticed. With `create`, a user who
    is not there comes into being.
    """
    with place.memory(create=create) as memory:
        before = memory.project()
        try:
            with once(place, memory, request) as terms:
                act(memory)
        except Repeated as error:
            written = _written(memory, before, error.first, error.last, is_repeated=True)
        else:
            written = _written(memory, before, terms.first, terms.last)
    return shown_to(place, written)


def shown_to(place: Place, written: Written) -> Written:
    """What the caller may be told of it."""
    return written if place.may_read else written.model_copy(update={"changes": [], "alerts": []})


@contextmanager
def once(place: Place, memory: Memory, request: str) -> Iterator[Terms]:
    """What one call inside writes is written on the client's terms: once for its key, behind the state it goes by.

    Repeated comes before Outdated: a request that is sent again carries the tag of the first time.
    """
    try:
        after = place.after()
    except Outdated:
        if not place.once:
            raise
        after = -1
    try:
        with memory.once(place.once, request, after=after) as terms:
            yield terms
    except Moved:
        raise Outdated(etag(memory.log.head())) from None


def request_text(what: str, body: BaseModel | None = None) -> str:
    """What is asked, as text that is the same for the same request."""
    asked = {} if body is None else body.model_dump()
    return f"{what} {json.dumps(asked, sort_keys=True, default=str)}"


def changes_told(before: Project, after: Project) -> list[ChangeTold]:
    return [
        ChangeTold(
            kind=each.kind,
            change=each.change,
            what=each.what,
            before=dump_value(each.before),
            after=dump_value(each.after),
        )
        for each in diff(before, after)
    ]


def _written(memory: Memory, known: Project, first: int, last: int, *, is_repeated: bool = False) -> Written:
    """What the entries at `first` to `last` changed; `known` is the project that was there when they were asked for."""
    if not first:
        return Written(first=0, last=known.position, changes=[], alerts=[])
    before, after = around(memory, known, first, last)
    entries = (stored.entry for stored in memory.log.read(first, last + 1))
    return Written(
        first=first,
        last=last,
        changes=changes_told(before, after),
        alerts=[
            AlertTold(
                change=entry.change,
                constraint=entry.constraint,
                subject=entry.subject,
                severity=entry.severity,
                message=entry.text,
            )
            for entry in entries
            if isinstance(entry, AlertChange)
        ],
        is_repeated=is_repeated,
    )


def around(memory: Memory, known: Project, first: int, last: int) -> tuple[Project, Project]:
    """The projects before and behind entries. If others wrote in between, the log is folded up to there."""
    before = known if known.position == first - 1 else memory.project_as_of(first - 1)
    now = memory.project()
    return before, now if _is_end(now, last) else memory.project_as_of(last)


def _is_end(project: Project, last: int) -> bool:
    """Whether nothing follows these entries but their receipt."""
    is_receipt = bool(project.receipts) and project.receipts[-1].last == last
    return project.position == last + (1 if is_receipt else 0)
