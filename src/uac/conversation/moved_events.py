"""What a change of an event's start means for its end."""

from datetime import datetime

import msgspec

from uac.project.project import Record
from uac.schema.patches import Amend
from uac.schema.types import Type, field_types
from uac.schema.values import dump_value

__all__ = ["with_moved_end"]

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


def _moment(raw: object) -> datetime | None:
    try:
        return datetime.fromisoformat(raw) if isinstance(raw, str) else None
    except ValueError:
        return None
