"""Google Takeout, as a zip archive or a folder: all its calendars as one file of records, and all its contacts."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from uac.errors import Refused
from uac.importing.archives import list_archive
from uac.importing.files import BadLine, Item, Progress, RecordFile, SentFile, Skipped, SourceLine, Template
from uac.importing.ics import EVENTS, Calendar
from uac.importing.value_formats import ReadingOptions
from uac.importing.vcard import CARDS, Contacts

__all__ = ["CALENDAR_ENDINGS", "CONTACT_ENDINGS", "JoinedFiles", "open_takeout"]

CALENDAR_ENDINGS = (".ics", ".ical")
CONTACT_ENDINGS = (".vcf", ".vcard")
START = 4096


@dataclass(frozen=True, slots=True)
class JoinedFiles:
    """Files of one format, read one after the other. Equal entries of several files, as Takeout has, are read once."""

    path: SentFile
    files: tuple[RecordFile, ...]
    template: Template | None
    noun: str = "line"
    is_text: bool = False

    def read(self, progress: Progress) -> Iterator[Item]:
        seen: set[bytes] = set()
        for file in self.files:
            try:
                for item in file.read(progress):
                    yield self._checked_item(item, file, seen)
            except Refused as error:  # the other files are still read
                is_empty = _starts_as_calendar_or_empty(file)
                why = f"{file.path.name}: {str(error).removeprefix(f'{file.path.name}: ')}"
                yield Skipped(1, "empty file") if is_empty else BadLine(1, why)

    def _checked_item(self, item: Item, file: RecordFile, seen: set[bytes]) -> Item:
        if isinstance(item, BadLine):
            return BadLine(item.number, f"{file.path.name}: {item.why}")
        if isinstance(item, SourceLine):
            digest = sha256(item.text.encode("utf-8", "surrogatepass")).digest()
            if digest in seen:
                return Skipped(item.number, "repeated entry")
            seen.add(digest)
        return item


def open_takeout(path: Path, reading: ReadingOptions) -> tuple[RecordFile, ...]:
    """The calendars and the contacts. Raises Refused if there are none."""
    calendars: list[RecordFile] = []
    contacts: list[RecordFile] = []
    for file in list_archive(path):
        if file.name.lower().endswith(CALENDAR_ENDINGS):
            calendars.append(Calendar(file, reading.zone))
        elif file.name.lower().endswith(CONTACT_ENDINGS):
            contacts.append(Contacts(file))
    if not calendars and not contacts:
        raise Refused(f"{path.name} has no calendar (.ics) and no contacts (.vcf). Choose them in Google Takeout.")
    # The names do not depend on that of the archive, which has the date of the export in it.
    joined = (
        JoinedFiles(SentFile("Takeout calendars", b""), tuple(calendars), EVENTS),
        JoinedFiles(SentFile("Takeout contacts", b""), tuple(contacts), CARDS),
    )
    return tuple(source for source in joined if source.files)


def _starts_as_calendar_or_empty(file: RecordFile) -> bool:
    """Whether a file that was refused is a calendar without events, or has no bytes."""
    with file.path.open("rb") as stream:
        start = stream.read(START)
    return not start or (b"BEGIN:VCALENDAR" in start and b"BEGIN:VEVENT" not in start)
