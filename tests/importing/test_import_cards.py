"""uac import: calendars and contacts become records."""

from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.importing import file, memory_at, quiet, told, uac, values
from uac.errors import Refused
from uac.importing import BadLine, Calendar, Contacts, SentFile, Skipped, SourceLine
from uac.schema.entries import Observation

# -- calendars ------------------------------------------------------------------------------------------------------------

CALENDAR = r"""BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VTIMEZONE
TZID:W. Europe Standard Time
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
UID:1@example.org
SUMMARY:Dentist\, 2nd visit
DTSTART;TZID=Europe/Berlin:20240703T093000
DURATION:PT1H30M
LOCATION;LANGUAGE="de;x:y":Hauptstr. 1\nBerlin
DESCRIPTION:a long line that is fo
 lded in the middle
ATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA
BEGIN:VALARM
DESCRIPTION:not the event's
TRIGGER:-PT15M
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:2
SUMMARY:Holiday
DTSTART;VALUE=DATE:20241224
DTEND;VALUE=DATE:20241227
RRULE:FREQ=YEARLY
STATUS:CANCELLED
END:VEVENT
BEGIN:VEVENT
UID:2
RECURRENCE-ID;VALUE=DATE:20251224
DTSTART:20251226T100000Z
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTART;TZID=W. Europe Standard Time:20240701T090000
DTEND;TZID="W. Europe Standard Time":20241101T090000
END:VEVENT
BEGIN:VEVENT
UID:4
DTSTART:20240101T080000
END:VEVENT
BEGIN:VTODO
UID:5
END:VTODO
END:VCALENDAR
"""


def event(**fields: Any) -> dict[str, Any]:
    names = ("uid", "summary", "start", "end", "all_day", "location", "description", "status", "repeats")
    return {name: fields.get(name, False if name == "all_day" else None) for name in names}


def test_events_of_a_calendar_become_records(store: Path) -> None:
    result = uac("import", "ana", file("a.ics", CALENDAR.replace("\n", "\r\n")), "--yes", "--json")
    *_plan, broken, summary = told(result)
    assert broken == {"line": 50, "why": "DTSTART is 20240101T080000, a time without a zone. Use --zone."}
    assert summary["left_out"] == {"attached file": 1, "VTODO component": 1}
    moment = datetime.fromisoformat
    assert values(store, "calendar.Event") == [
        event(
            uid="1@example.org",
            summary="Dentist, 2nd visit",
            start=moment("2024-07-03T09:30+02:00"),
            end=moment("2024-07-03T11:00+02:00"),
            location="Hauptstr. 1\nBerlin",
            description="a long line that is folded in the middle",
        ),
        event(
            uid="2",
            summary="Holiday",
            start=moment("2024-12-24T00:00Z"),
            end=moment("2024-12-27T00:00Z"),
            all_day=True,
            status="CANCELLED",
            repeats="FREQ=YEARLY",
        ),
        event(uid="2/20251224", start=moment("2025-12-26T10:00Z")),
        event(uid="3", start=moment("2024-07-01T09:00+02:00"), end=moment("2024-11-01T09:00+01:00")),
    ]
    words = next(memory_at(store).log.read(4, 5)).entry
    assert isinstance(words, Observation)
    assert words.text.splitlines()[0] == "BEGIN:VEVENT"
    assert words.text.splitlines()[-1] == "END:VEVENT"
    again = uac("import", "ana", "a.ics", "--zone", "Europe/Lisbon", "--json")
    assert [told(again)[-1][name] for name in ("records", "already", "broken")] == [1, 4, 0]
    assert values(store, "calendar.Event")[-1] == event(uid="4", start=moment("2024-01-01T08:00+00:00"))


@pytest.mark.parametrize(
    ("lines", "broken"),
    [
        ("BEGIN:VEVENT|UID:1|DTSTART:20240101T000000Z|END:VCALENDAR", [BadLine(2, "has no END:VEVENT. Add it.")]),
        (
            "BEGIN:VEVENT|UID:1|DTSTART:20240101T000000Z",
            [
                BadLine(2, "has no END:VEVENT, and the file ends at line 4. Add it."),
                BadLine(1, "has no END:VCALENDAR. The file may have been cut off: save it again."),
            ],
        ),
        (
            "BEGIN:VEVENT|UID:1|BEGIN:VEVENT|UID:2|DTSTART:20240101|END:VEVENT|END:VCALENDAR",
            [BadLine(2, "has no END:VEVENT before line 4. Add it.")],
        ),
        ("BEGIN:VEVENT|UID:1|END:VEVENT|END:VCALENDAR", [BadLine(2, "has no DTSTART. Say when the event starts.")]),
        (
            "BEGIN:VEVENT|DTSTART:20240101|END:VEVENT|END:VCALENDAR",
            [BadLine(2, "has no UID. Give each event its own.")],
        ),
        (
            "BEGIN:VEVENT|UID:1|BEGIN:VALARM|DTSTART:20240101|END:VEVENT|END:VCALENDAR",
            [BadLine(2, "the VALARM at line 4 has no END:VALARM. Add it.")],
        ),
        (
            "BEGIN:VEVENT|UID:1|nonsense|END:VEVENT|END:VCALENDAR",
            [BadLine(2, "line 4 is not a content line. Write NAME:value.")],
        ),
        (
            "BEGIN:VEVENT|UID:1|DTSTART:20240231|END:VEVENT|END:VCALENDAR",
            [
                BadLine(
                    2,
                    "DTSTART is '20240231': day is out of range for month. Use one such as 20241231 or 20241231T093000Z.",
                )
            ],
        ),
        (
            "BEGIN:VEVENT|UID:1|DTSTART;TZID=Mars/Base:20240201T000000|END:VEVENT|END:VCALENDAR",
            [BadLine(2, "the zone 'Mars/Base' is unknown, and the file does not define it. Use an IANA name.")],
        ),
    ],
)
def test_an_event_that_is_not_whole_is_broken(tmp_path: Path, lines: str, broken: list[BadLine]) -> None:
    path = tmp_path / "a.ics"
    path.write_text(f"BEGIN:VCALENDAR|{lines}|".replace("|", "\n"))
    assert [found for found in Calendar(path).read(quiet) if isinstance(found, BadLine)] == broken


def test_a_fold_inside_a_character_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "a.ics"
    cut = "SUMMARY:grün".encode()
    lines = [b"BEGIN:VCALENDAR", b"BEGIN:VEVENT", b"UID:1", b"DTSTART:20240101", cut[:11], b" " + cut[11:]]
    path.write_bytes(b"\r\n".join([*lines, b"END:VEVENT", b"END:VCALENDAR", b""]))
    (line,) = Calendar(path).read(quiet)
    assert isinstance(line, SourceLine)
    assert line.cells["summary"] == "grün"


# -- contacts -------------------------------------------------------------------------------------------------------------

CARDS = r"""BEGIN:VCARD
VERSION:2.1
N:Berg;Anna;;Dr.;
TEL;CELL;VOICE:+49 170 1
EMAIL;INTERNET:anna@example.org
BDAY:19850412
NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:gr=FC=
n
END:VCARD
BEGIN:VCARD
VERSION:3.0
FN:Ben Ode
ORG:ABC\, Inc.;North\; East
item1.TEL;type=HOME:1
TEL;type=WORK:2
TEL:1
BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12
PHOTO;ENCODING=b;TYPE=JPEG:AAAA
 BBBB
NOTE:one\ntwo
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:Ben  Ode
TEL;VALUE=uri:tel:+1-555
EMAIL:ben@example.org
BDAY:--0412
END:VCARD
BEGIN:VCARD
VERSION:4.0
EMAIL:nobody@example.org
END:VCARD
"""


def test_cards_of_an_address_book_become_records(store: Path) -> None:
    result = uac("import", "ana", file("a.vcf", CARDS), "--yes", "--json")
    *_plan, broken, summary = told(result)
    assert broken == {"line": 29, "why": "has no name. Add FN, N or ORG."}
    assert summary["left_out"] == {
        "picture or sound": 1,
        "birthday without a year": 2,
        "card that was joined with an earlier one of the same name": 1,
    }
    assert values(store, "people.Contact") == [
        {
            "name": "Dr. Anna Berg",
            "emails": ("anna@example.org",),
            "phones": ("+49 170 1",),
            "birthday": date(1985, 4, 12),
            "organisation": None,
            "note": "grün",
        },
        {
            "name": "Ben  Ode",
            "emails": ("ben@example.org",),
            "phones": ("1", "2", "+1-555"),
            "birthday": None,
            "organisation": "ABC, Inc., North; East",
            "note": "one\ntwo",
        },
    ]
    words = next(memory_at(store).log.read(2, 3)).entry
    assert isinstance(words, Observation)
    assert "PHOTO" not in words.text


PIECES = st.sampled_from(
    "BEGIN:VCALENDAR BEGIN:VEVENT END:VEVENT END:VCALENDAR BEGIN:VCARD END:VCARD UID:1 FN:x DTSTART:20240101 "
    "DTSTART:20240101T0 DURATION:P1W DURATION:-PT5X RRULE:X BDAY:1 N:a;b SUMMARY;X= ;: =\xfc \xa0 BEGIN: END:".split()
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=12))
def test_any_text_is_read_as_cards_and_events_or_refused(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = tmp_path_factory.mktemp("components") / "f"
    path.write_bytes("\n".join(lines).encode(errors="replace"))
    for source in (Calendar(path), Contacts(path)):
        with suppress(Refused):
            assert all(isinstance(found, SourceLine | BadLine | Skipped) for found in source.read(quiet))


def cards(*lines: str) -> list[Any]:
    sent = SentFile("a.vcf", "".join(f"{line}\n" for line in ("BEGIN:VCARD", "FN:Ana", *lines, "END:VCARD")).encode())
    return list(Contacts(sent).read(quiet))


@pytest.mark.parametrize(
    ("birthday", "date_", "left_out"),
    [
        ("BDAY:1985-04-12", "1985-04-12", ()),
        ("BDAY:19850412T000000Z", "1985-04-12", ()),
        ("BDAY: ", None, ()),
        ("BDAY:in spring", None, ("birthday that is not a date",)),
        ("BDAY:--0412", None, ("birthday without a year",)),
    ],
)
def test_a_birthday_is_a_date_or_is_left_out(birthday: str, date_: str | None, left_out: tuple[str, ...]) -> None:
    ((_number, _text, cells, not_imported),) = cards(birthday)
    assert (cells["birthday"], not_imported) == (date_, left_out)


def test_a_birthday_that_does_not_exist_breaks_its_card() -> None:
    (bad,) = cards("BDAY:1985-02-30")
    assert isinstance(bad, BadLine)
    assert bad.why.startswith("BDAY is '1985-02-30': day is out of range")


def test_other_components_beside_the_cards_are_skipped() -> None:
    sent = SentFile("a.vcf", b"BEGIN:VEVENT\nUID:1\nEND:VEVENT\nBEGIN:VCARD\nORG:ABC;North\nEND:VCARD\n")
    skipped, line = Contacts(sent).read(quiet)
    assert skipped == Skipped(1, "VEVENT component")
    assert isinstance(line, SourceLine)
    assert line.cells["name"] == "ABC, North"


def test_a_whole_day_in_a_zone_whose_offset_has_seconds_is_broken() -> None:
    lines = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:18000101\nEND:VEVENT\nEND:VCALENDAR\n"
    (bad,) = Calendar(SentFile("a.ics", lines.encode()), ZoneInfo("Europe/Berlin")).read(quiet)
    assert isinstance(bad, BadLine)
    assert bad.why.startswith("1800-01-01T00:00:00+00:53:28 has an offset with seconds")
