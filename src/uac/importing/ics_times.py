"""Calendar times: dates and times with and without zones, and zones that the calendar itself defines."""

import calendar
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from typing import NamedTuple
from zoneinfo import ZoneInfo

from uac.importing.content_lines import Component, Property
from uac.importing.value_formats import local_time_in_zone

__all__ = ["Zones", "ics_timezone_name", "parse_ics_duration", "parse_ics_time"]

_DAY = re.compile(r"(\d{4})(\d{2})(\d{2})", re.ASCII)
_MOMENT = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(Z?)", re.ASCII)
_DURATION = re.compile(r"([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?", re.ASCII)
_OFFSET = re.compile(r"([+-])(\d{2})(\d{2})\d{0,2}", re.ASCII)
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


class Zones(NamedTuple):
    """The calendar's own zones by name, and the zone of times without one."""

    own: Mapping[str, Component]
    default: ZoneInfo | None


def parse_ics_time(prop: Property, zones: Zones) -> date | datetime:
    """The day or moment of a property. Raises ValueError if it has no unambiguous place in time."""
    value = prop.value.strip()
    day, moment = _DAY.fullmatch(value), _MOMENT.fullmatch(value)
    try:
        if day:
            return date(*map(int, day.groups()))
        local = _ics_local_time(moment)
    except ValueError as error:
        raise ValueError(f"{prop.name} is {value!r}: {error}. Use one such as 20241231 or 20241231T093000Z.") from None
    if moment and moment[7]:
        return local.replace(tzinfo=UTC)
    name = prop.params.get("TZID", "")
    if not name:
        if zones.default is None:
            raise ValueError(f"{prop.name} is {value}, a time without a zone. Use --zone.")
        return local_time_in_zone(local, zones.default)
    return _time_in_zone(local, name, zones)


def _ics_local_time(match: re.Match[str] | None) -> datetime:
    if match is None:
        raise ValueError("not a date or time")
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    return datetime(year, month, day, hour, minute, min(second, 59))  # noqa: DTZ001 - its zone is determined next


def _time_in_zone(local: datetime, name: str, zones: Zones) -> datetime:
    try:
        return local_time_in_zone(local, ZoneInfo(name.removeprefix("/")))
    except (KeyError, OSError):
        pass
    except ValueError as error:
        if "does not exist in" in str(error):
            raise
    own = zones.own.get(name)
    if own is None:
        raise ValueError(f"the zone {name!r} is unknown, and the file does not define it. Use an IANA name.")
    return local.replace(tzinfo=timezone(_zone_offset(local, own, name)))


def _zone_offset(local: datetime, zone: Component, name: str) -> timedelta:
    """The offset in a zone that the calendar defines: that of the rule that began most recently."""
    latest: tuple[datetime, timedelta] | None = None
    earliest: tuple[datetime, timedelta] | None = None
    for rule in zone.parts:
        start, to = rule.first_property("DTSTART"), rule.first_property("TZOFFSETTO")
        match = _MOMENT.fullmatch(start.value.strip()) if start else None
        offset = _OFFSET.fullmatch(to.value.strip()) if to else None
        if not match or not offset:
            raise ValueError(f"the zone {name!r} has a rule without DTSTART or TZOFFSETTO. Use an IANA name.")
        began = _ics_local_time(match)
        sign = -1 if offset[1] == "-" else 1
        length = sign * timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        earliest = min(earliest or (began, length), (began, length))
        for onset in _rule_onsets(began, rule.first_property("RRULE"), local.year, name):
            if onset <= local and (latest is None or onset > latest[0]):
                latest = (onset, length)
    chosen = latest or earliest
    if chosen is None:
        raise ValueError(f"the zone {name!r} has no rules. Use an IANA name.")
    return chosen[1]


def _rule_onsets(began: datetime, rule: Property | None, year: int, name: str) -> list[datetime]:
    """The starts of a rule around that year: once, or each year on the same weekday of the same week of a month."""
    if rule is None:
        return [began]
    parts = dict(part.partition("=")[::2] for part in rule.value.strip().upper().split(";"))
    week = re.fullmatch(r"(-?[1-5])(MO|TU|WE|TH|FR|SA|SU)", parts.get("BYDAY", ""))
    if parts.get("FREQ") != "YEARLY" or (not week and "BYDAY" in parts):
        raise ValueError(f"the zone {name!r} has the unsupported rule {rule.value.strip()!r}. Use an IANA name.")
    month = int(parts.get("BYMONTH", began.month))
    last = _MOMENT.match(parts.get("UNTIL", ""))
    until = _ics_local_time(last) if last else datetime.max  # noqa: DTZ901 - a local time, like all others here
    onsets: list[datetime] = []
    for each in (year - 1, year):
        day = _nth_weekday_of_month(each, month, int(week[1]), _WEEKDAYS.index(week[2])) if week else began.day
        onset = began.replace(year=each, month=month, day=day)
        if began <= onset <= until:
            onsets.append(onset)
    return onsets or [began]


def _nth_weekday_of_month(year: int, month: int, number: int, weekday: int) -> int:
    """The day of the month that is its second Sunday (2, 6) or its last one (-1, 6)."""
    days = [week[weekday] for week in calendar.monthcalendar(year, month) if week[weekday]]
    return days[number - 1 if number > 0 else number]


def parse_ics_duration(value: str) -> timedelta:
    match = _DURATION.fullmatch(value.strip())
    if not match or not any(match.groups()[1:]):
        raise ValueError(f"DURATION is {value.strip()!r}. Use one such as PT1H30M.")
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    return -length if match[1] == "-" else length


def ics_timezone_name(zone: Component) -> str:
    prop = zone.first_property("TZID") if zone.name == "VTIMEZONE" else None
    return prop.value.strip() if prop else ""
