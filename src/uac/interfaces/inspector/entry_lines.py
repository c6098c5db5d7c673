"""Entries and alerts in one line for people: records have their names, never ids such as #40.2."""

import re
from collections.abc import Iterable
from dataclasses import replace

from uac.interfaces.inspector.record_names import record_link_maker, record_name
from uac.log.log import Stored
from uac.project.alerts import Alert
from uac.project.history import newest_first
from uac.project.project import Project, Record
from uac.schema.entries import AlertChange, Checkpoint, Correction, Entry, Fact, Observation
from uac.schema.entry_text import entry_text
from uac.schema.patches import Put
from uac.schema.safe_text import shorten

__all__ = ["entry_line", "latest_alert_messages", "readable_alert", "readable_ids"]

NUMBERED = re.compile(r"(?:\b([a-z]\w*\.[A-Z]\w*):)?(#\d+\.\d+)(?![\w#])")
NAMED = 3  # records that a line about a checkpoint names
LONGEST = 60  # characters of a name


def entry_line(entry: Entry | None, project: Project) -> str:
    """An entry in one line. Words that people said are unchanged."""
    match entry:
        case Observation() | Fact():
            return entry.text
        case AlertChange():
            about = _readable_message(entry.message, project) or readable_ids(entry.subject, project)
            until = f" until {entry.until.isoformat(' ', 'minutes')}" if entry.until else ""
            why = f" ({entry.why})" if entry.why else ""
            return f"{entry.change} {entry.severity} {entry.constraint}{until}{why}: {about}"
        case Correction():
            why = f": {entry.why}" if entry.why else ""
            return f"corrected {entry.field} of {record_link_maker(project)(entry.record).name} to {entry.value}{why}"
        case Checkpoint() if 0 < len(entry.patches) <= NAMED and all(isinstance(one, Put) for one in entry.patches):
            return ", ".join(_put_line(patch, project) for patch in entry.patches if isinstance(patch, Put))
    return readable_ids(entry_text(entry), project)


def readable_ids(text: str, *projects: Project) -> str:
    """Text that the program wrote, with the names of records instead of ids that only count them."""
    return NUMBERED.sub(lambda found: _readable_id(found[1] or "", found[2], projects), text)


def readable_alert(alert: Alert, project: Project) -> Alert:
    """The alert with a message that names records; only ids with their type are taken for such."""
    return replace(alert, message=_readable_message(alert.message, project))


def latest_alert_messages(project: Project, entries: Iterable[Stored]) -> dict[int, str]:
    """What alerts said before they were cleared, by the position of the entry that cleared them."""
    wanted: dict[tuple[str, str], list[int]] = {}
    for stored in entries:
        if isinstance(stored.entry, AlertChange) and not stored.entry.message:
            wanted.setdefault((stored.entry.constraint, stored.entry.subject), []).append(stored.position)
    messages: dict[int, str] = {}
    for happened in newest_first(project.history) if wanted else ():
        if isinstance(happened.entry, AlertChange) and happened.entry.message:
            positions = wanted.get((happened.entry.constraint, happened.entry.subject), [])
            for position in [position for position in positions if position > happened.position]:
                messages.setdefault(position, _readable_message(happened.entry.message, project))
    return messages


def _readable_message(text: str, project: Project) -> str:
    return NUMBERED.sub(lambda found: _readable_id(found[1], found[2], [project]) if found[1] else found[0], text)


def _put_line(patch: Put, project: Project) -> str:
    type_ = project.types.get(patch.type)
    named = [str(value) for name in (type_.key if type_ else ()) if (value := patch.fields.get(name))]
    texts = [value for value in patch.fields.values() if isinstance(value, str) and value][:2]
    name = ", ".join(named or texts)
    return f"put {patch.type}" + (f": {shorten(name, LONGEST)}" if name else "")


def _readable_id(type_name: str, key: str, projects: Iterable[Project]) -> str:
    for project in projects:
        record = _record_of_key(project, type_name, key)
        if record is not None:
            return record_name(record, project.types[record.type])
    return f"a record of {type_name}" if type_name else "a former record"


def _record_of_key(project: Project, type_name: str, key: str) -> Record | None:
    for name in (type_name,) if type_name else project.tables:
        table = project.tables.get(name)
        record = table.get(f"{name}:{key}") if table is not None else None
        if record is not None:
            return record
    return None
