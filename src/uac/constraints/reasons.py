"""Why a constraint fired, or did not, as a sentence with the values that decided it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from uac.project.alerts import Alert
from uac.project.project import Adopted, Project
from uac.project.records import record_type
from uac.schema.safe_text import counted, one_line, shorten
from uac.schema.values import dump_value

__all__ = ["Test", "alert_reason", "silence_reason"]

MOST_VALUE = 60  # characters of one value
MOST_RECORDS = 4  # of an alert that are described
MOST_FIELDS = 6  # of a record


@dataclass(frozen=True, slots=True)
class Test:
    """A test that the function made: its text, the values, the outcome, and how often exactly this happened."""

    line: int
    text: str
    values: tuple[tuple[str, str], ...]
    result: bool
    times: int = 1
    is_inner: bool = False
    """Whether a helper of the constraint made it, rather than the constraint's own function."""


def alert_reason(project: Project, alert: Alert) -> str:
    """Why the alert is active: its records with the values that the constraint reads, and its message with its rows."""
    adopted = project.constraints.get(alert.constraint)
    if alert.is_failure:
        return f"{alert.constraint} could not run: {one_line(alert.message)}"
    described = [_described_record(project, record, adopted) for record in alert.records[:MOST_RECORDS]]
    if more := len(alert.records) - MOST_RECORDS:
        described += [counted(more, "more record")] if more > 0 else []
    because = f" because of {_joined(described)}" if described else ""
    timed = adopted is not None and adopted.reading.uses_now and project.now is not None
    at = f", as of {project.now.isoformat(' ', 'minutes').replace('+00:00', 'Z')}" if timed and project.now else ""
    return f"{alert.constraint} fired{because}{at}: {one_line(alert.text)}"


def silence_reason(
    project: Project, adopted: Adopted, tests: Sequence[Test], *, failure: str, unchecked: Sequence[Alert]
) -> str:
    """Why the constraint has no active alert: what it lacks, or the last of its tests with the values it saw."""
    name = adopted.constraint.name
    if not adopted.is_on:
        return f"{name} did not fire: it is turned off."
    if failure:
        return f"{name} could not run: {one_line(failure)}"
    if project.now is None:
        return f"{name} has not run yet: it runs with the first change of a record that it reads, or at a tick."
    if unchecked:
        return f"{name} did not fire. {' '.join(one_line(alert.message) for alert in unchecked)}"
    return f"{name} did not fire: {'; '.join([*_looked_at(project, adopted), *_last_test(tests)])}."


def _looked_at(project: Project, adopted: Adopted) -> list[str]:
    """The records that the constraint reads, with their values if they are few, and the collections that are empty."""
    collections = {collection: project.collected(collection) for collection in adopted.reading.reads}
    records = [record.id for collected in collections.values() for record in collected]
    if len(records) <= MOST_RECORDS:
        seen = [_described_record(project, record, adopted) for record in records]
    else:
        seen = [f"{counted(len(found), 'record')} of {name}" for name, found in collections.items() if found]
    empty = [name for name, found in collections.items() if not found]
    looked = [f"it looked at {_joined(seen)}"] if seen else []
    return [*looked, *([f"there are no records of {_joined(empty, 'or')}"] if empty else [])]


def _last_test(tests: Sequence[Test]) -> list[str]:
    """The failed test that came furthest in the constraint's own function, and the values it saw."""
    own = [test for test in tests if not test.is_inner and not test.result]
    if not own:
        return []
    last = own[-1]  # tests are in the order of the lines
    values = ", ".join(f"{text} = {_seen_text(value)}" for text, value in last.values)
    return [f"its last test, `{last.text}` in line {last.line}, was false{f' ({values})' if values else ''}"]


def _described_record(project: Project, record_id: str, adopted: Adopted | None) -> str:
    """A record with the values of the fields that the constraint's code names; all of them if it names none."""
    table = project.tables.get(record_type(record_id))
    record = None if table is None else table.get(record_id)
    if record is None:
        return record_id
    name = record.type if record.key.startswith("#") else record.id  # a number says nothing to a reader
    given = {field: value for field, value in record.values.items() if value not in (None, "", ())}
    named = set(_ATTRIBUTE.findall(adopted.constraint.code)) if adopted is not None else set[str]()
    relevant = {field: value for field, value in given.items() if field in named} or given
    values = [f"{field} {_value_text(dump_value(value))}" for field, value in [*relevant.items()][:MOST_FIELDS]]
    return f"{name} ({', '.join(values)})" if values else name


def _seen_text(value: str) -> str:
    """A value as a test saw it; of a record only the type, because all its fields would fill the line."""
    record = _RECORD.match(value)
    return record[1] if record else shorten(one_line(value), MOST_VALUE) or "empty"


def _value_text(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shorten(one_line(text), MOST_VALUE)


def _joined(parts: Sequence[str], word: str = "and") -> str:
    *others, last = parts
    return f"{', '.join(others)} {word} {last}" if others else last


_ATTRIBUTE = re.compile(r"\.([a-z]\w*)")
_RECORD = re.compile(r"([a-z]\w*\.[A-Z]\w*)\(")
