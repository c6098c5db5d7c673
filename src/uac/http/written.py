"""What a change brought: the entries it wrote, and what they changed. The same for a request that comes again."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from fastapi import Response
from pydantic import BaseModel, Field

from uac.constraints import Severity
from uac.diff import diff
from uac.entries import AlertChange
from uac.errors import Moved, Repeated
from uac.http.access import Place, etag
from uac.http.problems import Outdated
from uac.memory import Memory
from uac.project import Project
from uac.schema import dump_value

__all__ = [
    "AlertTold",
    "AlertWord",
    "ChangeTold",
    "Written",
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


def change(
    place: Place, response: Response, request: str, act: Callable[[Memory], object], *, create: bool = True
) -> Written:
    """Let `act` change the memory, once for the client's key, and tell what came of it.

    `request` says what is asked, so that a key that comes with another request is noticed. With `create`, a user who
    is not there comes into being.
    """
    with place.memory(create=create) as memory:
        before = memory.project()
        try:
            with once(place, memory, request):
                act(memory)
        except Repeated as error:
            before, after = memory.project_as_of(error.first - 1), memory.project_as_of(error.last)
            written = _written(memory, before, after, is_repeated=True)
        else:
            written = _written(memory, before, memory.project())
            if place.once and written.first:  # the receipt is no part of what was asked
                written = written.model_copy(update={"last": written.last - 1})
        response.headers["ETag"] = etag(memory.log.head())
    return shown_to(place, written)


def shown_to(place: Place, written: Written) -> Written:
    """What the caller may be told of it."""
    return written if place.may_read else written.model_copy(update={"changes": [], "alerts": []})


@contextmanager
def once(place: Place, memory: Memory, request: str) -> Iterator[None]:
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
        with memory.once(place.once, request, after=after):
            yield
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


def _written(memory: Memory, before: Project, after: Project, *, is_repeated: bool = False) -> Written:
    entries = [
        stored.entry
        for stored in memory.log.read(before.position + 1, after.position + 1)
        if isinstance(stored.entry, AlertChange)
    ]
    return Written(
        first=before.position + 1 if after.position > before.position else 0,
        last=after.position,
        changes=changes_told(before, after),
        alerts=[
            AlertTold(
                change=entry.change,
                constraint=entry.constraint,
                subject=entry.subject,
                severity=entry.severity,
                message=entry.message,
            )
            for entry in entries
        ],
        is_repeated=is_repeated,
    )
