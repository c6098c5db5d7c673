"""Times of calendars: in UTC, in IANA zones, and in the zones that a calendar defines itself."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from uac.importing.content_lines import Component, Property
from uac.importing.ics_times import Zones, parse_ics_duration, parse_ics_time


def rule(**properties: str) -> Component:
    found = [Property(name.upper(), {}, value) for name, value in properties.items()]
    return Component("STANDARD", 1, properties=found)


def zones(*rules: Component) -> Zones:
    return Zones({"Office": Component("VTIMEZONE", 1, parts=list(rules))}, None)


def offset_at(moment: str, *rules: Component) -> str:
    """The moment in the zone 'Office' that has these rules, as an offset."""
    found = parse_ics_time(Property("DTSTART", {"TZID": "Office"}, moment), zones(*rules))
    assert isinstance(found, datetime)
    return found.isoformat()[-6:]


WINTER = rule(dtstart="20000101T030000", tzoffsetto="+0100", rrule="FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10")
SUMMER = rule(dtstart="20000101T020000", tzoffsetto="+0200", rrule="FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3")


@pytest.mark.parametrize(
    ("value", "params", "when"),
    [
        ("20240229", {}, date(2024, 2, 29)),
        ("20240229T103000Z", {}, datetime(2024, 2, 29, 10, 30, tzinfo=UTC)),
        ("20161231T235960Z", {}, datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)),  # a leap second
        ("20240703T093000", {}, datetime(2024, 7, 3, 9, 30, tzinfo=ZoneInfo("Asia/Tokyo"))),
        ("20240703T093000", {"TZID": "/Europe/Berlin"}, datetime(2024, 7, 3, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))),
    ],
)
def test_a_day_or_a_moment_is_read_in_its_zone(value: str, params: dict[str, str], when: date | datetime) -> None:
    assert parse_ics_time(Property("DTSTART", params, value), Zones({}, ZoneInfo("Asia/Tokyo"))) == when


@pytest.mark.parametrize(
    ("value", "zone", "reason"),
    [
        ("soon", "", "DTSTART is 'soon'"),
        ("20240230", "", "day is out of range"),
        ("20240101T250000Z", "", "hour must be in"),
        ("20240101T080000", "", "without a zone"),
        ("20240331T023000", "Europe/Berlin", "does not exist in Europe/Berlin"),
        ("20240101T080000", "../etc/passwd", "'../etc/passwd' is unknown"),
        ("20240101T080000", "Mars/Base", "'Mars/Base' is unknown"),
    ],
)
def test_a_time_without_one_place_in_time_is_refused(value: str, zone: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_ics_time(Property("DTSTART", {"TZID": zone} if zone else {}, value), zones(WINTER))


@pytest.mark.parametrize(
    ("moment", "offset"),
    [
        ("20240330T120000", "+01:00"),
        ("20240331T030000", "+02:00"),
        ("20241027T020000", "+02:00"),
        ("20241027T040000", "+01:00"),
        ("19990701T120000", "+01:00"),  # before all rules: the one that began first
    ],
)
def test_the_rule_that_began_most_recently_gives_the_offset(moment: str, offset: str) -> None:
    first = rule(dtstart="19991231T000000", tzoffsetto="+0100")
    assert offset_at(moment, first, WINTER, SUMMER) == offset


def test_a_rule_counts_until_its_end() -> None:
    until = rule(
        dtstart="20000326T020000", tzoffsetto="-0330", rrule="FREQ=YEARLY;BYDAY=2SU;BYMONTH=3;UNTIL=20061231T000000Z"
    )
    after = rule(dtstart="20070401T020000", tzoffsetto="-0400")
    assert offset_at("20060401T000000", after, until) == "-03:30"
    assert offset_at("20080401T000000", after, until) == "-04:00"


def test_a_rule_without_a_weekday_begins_on_the_day_of_its_start() -> None:
    yearly = rule(dtstart="20000915T000000", tzoffsetto="+0500", rrule="FREQ=YEARLY")
    other = rule(dtstart="20000101T000000", tzoffsetto="+0600", rrule="FREQ=YEARLY;BYMONTH=1")
    assert offset_at("20240914T000000", yearly, other) == "+06:00"
    assert offset_at("20240916T000000", yearly, other) == "+05:00"


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ([], "has no rules"),
        ([rule(dtstart="20000101T000000")], "without DTSTART or TZOFFSETTO"),
        ([rule(tzoffsetto="+0100")], "without DTSTART or TZOFFSETTO"),
        ([rule(dtstart="soon", tzoffsetto="+0100")], "without DTSTART or TZOFFSETTO"),
        ([rule(dtstart="20000101T000000", tzoffsetto="+1")], "without DTSTART or TZOFFSETTO"),
        ([rule(dtstart="20000101T000000", tzoffsetto="+0100", rrule="FREQ=DAILY")], "'FREQ=DAILY'"),
        ([rule(dtstart="20000101T000000", tzoffsetto="+0100", rrule="FREQ=YEARLY;BYDAY=SU")], "'FREQ=YEARLY;BYDAY=SU'"),
    ],
)
def test_a_zone_with_rules_that_are_not_understood_is_refused(rules: list[Component], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        offset_at("20240101T000000", *rules)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("PT1H30M", timedelta(hours=1, minutes=30)),
        ("P2W", timedelta(weeks=2)),
        (" P1DT5S ", timedelta(days=1, seconds=5)),
        ("-PT15M", timedelta(minutes=-15)),
    ],
)
def test_a_duration_is_read(text: str, length: timedelta) -> None:
    assert parse_ics_duration(text) == length


@pytest.mark.parametrize("text", ["", "P", "PT", "1H", "PT5X"])
def test_a_duration_without_a_length_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="PT1H30M"):
        parse_ics_duration(text)
