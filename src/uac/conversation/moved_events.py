"""What a change means for the end of a record: of an event that is moved, and of something that begins again."""

from datetime import datetime

import msgspec

from uac.project.project import Record
from uac.project.valid_days import END_FIELDS
from uac.schema.patches import Amend, Put
from uac.schema.types import Type, field_types
from uac.schema.values import dump_value

__all__ = ["with_moved_end", "without_old_end"]

START_AND_END = (("starts", "ends"), ("start", "end"))
MOVED = "it was moved with its start"


def with_moved_end(patch: Amend, record: Record | None, type_: Type | None) -> Amend:
    """The change, with the end of something that is moved to another day: the end of that day does not stay behind.

    It moves along if the hour of the start stays, which is marked as not certain; else it is no longer known.
    """
    for start, end in START_AND_END:
        if record is None or type_ is None or start not in patch.fields or end in patch.fields:
            continue
        began, ended, begins = record.values.get(start), record.values.get(end), _moment(patch.fields[start])
        if not isinstance(began, datetime) or not isinstance(ended, datetime) or begins is None:
            continue
        if ended.date() != began.date() or begins.date() == began.date() or not field_types(type_)[end].optional:
            continue
        if (begins.hour, begins.minute) != (began.hour, began.minute):
            return msgspec.structs.replace(patch, fields={**patch.fields, end: None})
        moved = dump_value(begins + (ended - began))
        return msgspec.structs.replace(patch, fields={**patch.fields, end: moved}, unsure={**patch.unsure, end: MOVED})
    return patch


def without_old_end(patch: Put, record: Record | None, type_: Type | None) -> Put:
    """What is put again after it has ended, without the days on which it was cancelled and ended."""
    if record is None or type_ is None or record.ended is None:
        return patch
    kinds = field_types(type_)
    old = [name for name in (*END_FIELDS, "cancelled_on") if record.values.get(name) is not None]
    gone = {name: None for name in old if name not in patch.fields and kinds[name].optional}
    return msgspec.structs.replace(patch, fields={**patch.fields, **gone})


def _moment(raw: object) -> datetime | None:
    try:
        return datetime.fromisoformat(raw) if isinstance(raw, str) else None
    except ValueError:
        return None
