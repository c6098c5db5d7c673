"""iCalendar as lines: one line, and one record, for each event."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from uac.errors import Refused
from uac.importing.content_lines import Component, read_components, unescape_property
from uac.importing.files import BadLine, ByteSource, Item, Progress, Skipped, SourceLine, Template
from uac.importing.ics_times import Zones, ics_timezone_name, parse_ics_duration, parse_ics_time
from uac.schema.types import Json

__all__ = ["EVENTS", "Calendar"]

EVENTS = Template(
    name="calendar.Event",
    doc="An event of a calendar; one that repeats is one record.",
    key=("uid",),
    types={
        "uid": "str",
        "summary": "str | None",
        "start": "datetime",
        "end": "datetime | None",
        "all_day": "bool",
        "location": "str | None",
        "description": "str | None",
        "status": "str | None",
        "repeats": "str | None",
    },
)


@dataclass(frozen=True, slots=True)
class Calendar:
    """An .ics file. Times without a zone are in `zone`; without that, their events are broken."""

    path: ByteSource
    zone: ZoneInfo | None = None
    noun: str = "line"
    is_text: bool = False
    template: Template | None = EVENTS

    def read(self, progress: Progress) -> Iterator[Item]:
        zones = (
            component for component in self._calendar_components(lambda _size: None) if isinstance(component, Component)
        )
        own = {name: zone for zone in zones if (name := ics_timezone_name(zone))}
        is_empty = True
        for component in self._calendar_components(progress):
            is_empty = False
            if isinstance(component, BadLine):
                yield component
            elif component.name == "VEVENT":
                yield _event_line(component, Zones(own, self.zone))
            elif component.name != "VTIMEZONE":
                yield Skipped(component.line, f"{component.name} component")
        if is_empty:
            raise Refused(f"{self.path.name} has no BEGIN:VCALENDAR with events. Use an iCalendar file.")

    def _calendar_components(self, progress: Progress) -> Iterator[Component | BadLine]:
        return read_components(self.path, progress, inside="VCALENDAR")


def _event_line(event: Component, zones: Zones) -> SourceLine | BadLine:
    try:
        cells = _event_cells(event, zones)
    except (ValueError, OverflowError) as error:
        return BadLine(event.line, str(error))
    return SourceLine(event.line, event.text, cells, ("attached file",) * event.media)


def _event_cells(event: Component, zones: Zones) -> dict[str, Json]:
    uid, begin, until, length = (event.first_property(name) for name in ("UID", "DTSTART", "DTEND", "DURATION"))
    if uid is None or not uid.value.strip():
        raise ValueError("has no UID. Give each event its own.")
    if begin is None:
        raise ValueError("has no DTSTART. Say when the event starts.")
    start = parse_ics_time(begin, zones)
    end = parse_ics_time(until, zones) if until else start + parse_ics_duration(length.value) if length else None
    # A changed date of a series has the UID of the series; it becomes a separate record.
    changed = event.first_property("RECURRENCE-ID")
    return {
        "uid": uid.value.strip() + (f"/{changed.value.strip()}" if changed else ""),
        "summary": _event_text(event, "SUMMARY"),
        "start": _event_time_text(start, zones),
        "end": None if end is None else _event_time_text(end, zones),
        "all_day": not isinstance(start, datetime),
        "location": _event_text(event, "LOCATION"),
        "description": _event_text(event, "DESCRIPTION"),
        "status": _event_text(event, "STATUS"),
        "repeats": _event_text(event, "RRULE"),
    }


def _event_time_text(when: object, zones: Zones) -> str:
    """A whole day begins at midnight in the given zone, or in UTC; `all_day` says that the hour has no meaning."""
    if not isinstance(when, datetime):
        place: tzinfo = zones.default or UTC
        when = datetime.combine(when, time(), place)  # type: ignore[arg-type]  # a date
    offset = when.utcoffset()
    assert offset is not None
    if offset % timedelta(minutes=1):
        raise ValueError(f"{when.isoformat()} has an offset with seconds. Use whole minutes.")
    return when.isoformat()


def _event_text(event: Component, name: str) -> str | None:
    prop = event.first_property(name)
    return unescape_property(prop.value).strip() or None if prop else None
