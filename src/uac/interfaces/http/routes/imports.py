"""Files of other programs become typed records, each with the line it came from."""

import re
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter
from pydantic import Field

from uac.errors import Refused, Unavailable
from uac.importing import (
    BadLine,
    FieldChoice,
    ImportPlan,
    PlanOptions,
    ReadingOptions,
    RecordCounts,
    RecordFile,
    SentFile,
    Skipped,
    import_records,
    open_record_file,
    plan_memory_import,
    stage_records,
)
from uac.interfaces.http.auth import Reader, Writer
from uac.interfaces.http.fields import Flag, Input, Moment
from uac.interfaces.views.alerts import alert_update_view
from uac.interfaces.views.imports import (
    BrokenLineView,
    ImportView,
    StagedImportsView,
    StagedImportView,
    column_view,
    staged_import_view,
)
from uac.interfaces.views.view import build_view
from uac.log.staging import StagingStore
from uac.memory.groups import group_name
from uac.memory.memory import Memory

__all__ = ["router"]

router = APIRouter(prefix="/v1/users/{user}", tags=["imports"])

MOST_BROKEN = 100  # broken lines that are told, with the reason

Name = Annotated[str, Field(max_length=200)]


class FieldInput(Input):
    """The field that a column becomes."""

    field: Name = Field(examples=["start"])
    type: Name = Field(default="", description="As Python writes it; empty: it is inferred.", examples=["date"])


class ImportInput(Input):
    """A file, as text, and how to read it. A repeated import continues where it stopped: every line is stored once."""

    text: str = Field(description="The whole file.", examples=["city,start,cost\nParis,2026-05-01,300 EUR\n"])
    name: str = Field(
        pattern=r"^[^/\\\x00-\x1f\x7f]{0,59}[^/\\\x00-\x1f\x7f. ]$",
        description="The name of the file, by which its lines are recognised again.",
        examples=["trips.csv"],
    )
    format: Literal["csv", "json", "jsonl", "ics", "vcf"] = Field(examples=["csv"])
    type: Name = Field(
        default="",
        description="The type of the records. Calendars become calendar.Event and contacts people.Contact.",
        examples=["travel.Trip"],
    )
    key: list[Name] = Field(default=[], max_length=20, description="The fields that identify a record.", examples=[[]])
    is_one: Flag = Field(default=False, description="The user has at most one such record at a time.")
    doc: str = Field(default="", max_length=1000, description="The description of a new type, in one sentence.")
    fields: dict[str, FieldInput] = Field(
        default={}, max_length=1000, description="Columns that become a field of another name or type.", examples=[{}]
    )
    without: list[str] = Field(default=[], max_length=1000, description="Columns to leave out.", examples=[[]])
    missing: list[str] = Field(default=[], max_length=100, description="Texts that mean no value.", examples=[[]])
    zone: Name = Field(default="", description="The zone of times without one.", examples=["Europe/Berlin"])
    dates: Literal["", "day-first", "month-first"] = Field(default="", description="How to read 01/02/2024.")
    decimal: Literal["", "point", "comma"] = Field(default="", description="How to read 1,234.")
    is_money: Flag = Field(default=False, description="Numbers in columns such as cost_usd become Money.")
    currency: str = Field(
        default="", pattern=r"^([A-Z]{3})?$", description="The currency of amounts without one.", examples=["EUR"]
    )
    written: Moment | None = Field(default=None, description="When the file was written; default: now.")
    dry_run: Flag = Field(default=False, description="Only report the type and what would happen.")


@router.post("/imports", name="bring")
def import_file(context: Writer, body: ImportInput) -> ImportView:
    """Import the records of a CSV, JSON, calendar or contacts file, or report what that would do (`dry_run`)."""
    context.expected_position()
    with context.memory(create=True) as memory:
        plan, source = _plan_import(memory, body)
        done = _run_import(memory, plan, source, body)
    return done if context.may_read else replace(done, alerts=())


@router.post("/imports/background", name="stage", status_code=202)
def stage_import(context: Writer, body: ImportInput) -> StagedImportView:
    """Check a file as `imports` does, and leave its lines to workers. `GET …/imports` shows how far they are.

    The service needs workers (`UAC_LEARN=work`). The lines wait encrypted; erasing the user makes them unreadable.
    """
    context.expected_position()
    service = context.service
    if service.enqueue_import is None or not isinstance(service.store, StagingStore):
        raise Refused(
            "This service has no workers (UAC_LEARN=work on PostgreSQL). Import the file with POST …/imports."
        )
    if group_name(context.user):
        raise Refused("Files of a group cannot be left to workers. Import the file with POST …/imports.")
    if body.dry_run:
        raise Refused("dry_run writes nothing, so there is no work for workers. Use it with POST …/imports.")
    with context.memory(create=True) as memory:
        plan, source = _plan_import(memory, body)
        said = body.written or memory.log.now()
        file = stage_records(memory, service.store.staging(), context.store_user_id, plan, source, said)
    with suppress(Unavailable):  # the file is stored, and a worker's sweep finds it
        service.enqueue_import(context.store_user_id, file.id, file.parts)
    return staged_import_view(file)


@router.get("/imports", name="staged")
def staged_imports(context: Reader) -> StagedImportsView:
    """The user's files that workers import, and which lines are broken; finished ones are shown for a while."""
    store = context.service.store
    files = store.staging().files([context.store_user_id]) if isinstance(store, StagingStore) else ()
    return StagedImportsView(imports=tuple(map(staged_import_view, files)))


def _plan_import(memory: Memory, body: ImportInput) -> tuple[ImportPlan, RecordFile]:
    try:
        source = open_record_file(SentFile(body.name, body.text.encode()), body.format, _reading_options(body))
        return plan_memory_import(memory, source, _plan_options(body, source), lambda _size: None), source
    except Refused as error:
        raise Refused(_options_as_import_fields(str(error))) from None


def _reading_options(body: ImportInput) -> ReadingOptions:
    try:
        zone = ZoneInfo(body.zone) if body.zone else None
    except (KeyError, ValueError, OSError):
        raise Refused(f"zone: {body.zone!r} is not a time zone. Give an IANA name such as Europe/Berlin.") from None
    return ReadingOptions(
        zone=zone,
        dates=body.dates,
        decimal=body.decimal,
        currency=body.currency,
        is_money=body.is_money,
        missing=frozenset(body.missing),
    )


def _plan_options(body: ImportInput, source: RecordFile) -> PlanOptions:
    name = body.type or (source.template.name if source.template else "")
    if not name:
        raise Refused("type is empty. Give the type of the records, such as travel.Trip.")
    named = {column: FieldChoice(choice.field, choice.type) for column, choice in body.fields.items()}
    return PlanOptions(
        name, tuple(body.key), body.is_one, body.doc, named, frozenset(body.without), _reading_options(body)
    )


def _run_import(memory: Memory, plan: ImportPlan, source: RecordFile, body: ImportInput) -> ImportView:
    records = already = more = 0
    left: Counter[str] = Counter()
    broken: list[BrokenLineView] = []
    said = body.written or memory.log.now()
    for found in import_records(memory, plan, source, said=said, is_dry=body.dry_run):
        match found:
            case RecordCounts():
                records, already = records + found.records, already + found.already
            case Skipped():
                left[found.what] += 1
            case BadLine() if len(broken) < MOST_BROKEN:
                broken.append(build_view(BrokenLineView, found))
            case BadLine():
                more += 1
    changes = [] if body.dry_run else memory.look()  # the parts of an import run no constraints
    return ImportView(
        is_done=not body.dry_run,
        **_import_view_fields(plan),
        records=records,
        already=already,
        left_out=dict(left),
        broken=tuple(broken),
        more_broken=more,
        alerts=tuple(map(alert_update_view, changes)),
    )


def _import_view_fields(plan: ImportPlan) -> dict[str, Any]:
    return {
        "type": plan.type.full_name,
        "is_new": plan.is_new,
        "key": plan.type.key,
        "columns": tuple(map(column_view, plan.columns)),
        "notes": tuple(_options_as_import_fields(note) for note in plan.notes),
    }


def _options_as_import_fields(text: str) -> str:
    """Messages name the options of a command; a client has fields of the same names."""
    return re.sub(r"--(\w+)", lambda found: f"`{'fields' if found[1] == 'field' else found[1]}`", text)
