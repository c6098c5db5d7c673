"""The formats of files that can be imported: which one a file has, and how it is opened."""

from pathlib import Path
from typing import Literal, TypeAlias

from uac.errors import Refused
from uac.importing.archives import list_archive
from uac.importing.chat_exports import chat_service_of
from uac.importing.csv_files import CsvRows
from uac.importing.files import ByteSource, RecordFile
from uac.importing.ics import Calendar
from uac.importing.json_files import JsonObjects
from uac.importing.markdown_notes import ENDINGS as MARKDOWN_ENDINGS
from uac.importing.message_formats import MESSAGE_FORMATS, MessageFormat, json_export_of
from uac.importing.takeout import CALENDAR_ENDINGS, CONTACT_ENDINGS
from uac.importing.value_formats import ReadingOptions
from uac.importing.vcard import Contacts
from uac.importing.whatsapp import is_whatsapp_chat

__all__ = ["FORMATS", "Format", "import_format_of", "open_record_file"]

Format: TypeAlias = Literal["csv", "json", "jsonl", "ics", "vcf", "takeout", "chatgpt", "claude"] | MessageFormat
FORMATS: tuple[Format, ...] = (
    *("csv", "json", "jsonl", "ics", "vcf", "takeout", "chatgpt", "claude"),
    *MESSAGE_FORMATS,
)

_ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".ics": "ics",
    ".ical": "ics",
    ".vcf": "vcf",
    ".vcard": "vcf",
    ".af": "letta",
    ".md": "markdown",
    ".markdown": "markdown",
}


def import_format_of(path: Path, *, is_records: bool = False) -> Format:
    """The format by file extension; the content distinguishes exports of chats and memories from other JSON.

    With `is_records`, JSON with memories or messages is a table like any other.
    """
    try:
        is_folder = path.is_dir()
        path.stat()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}. Check its path and permissions.") from None
    if is_folder and is_records:
        raise Refused(f"{path} is a folder. Name a file in it.")
    ending = path.suffix.lower()
    if is_folder or ending == ".zip":
        return _archive_format_of(path)
    if ending == ".txt" and is_whatsapp_chat(path):
        return "whatsapp"
    format_ = _ENDINGS.get(ending)
    if format_ is None:
        raise Refused(f"{path.name} has an unknown extension. Use --format with one of {', '.join(FORMATS)}.")
    if format_ not in ("json", "jsonl"):
        return format_
    found = (None if format_ == "jsonl" else chat_service_of(path)) if is_records else json_export_of(path)
    return found or format_


def _archive_format_of(path: Path) -> Format:
    """The only format that the files of a folder or a zip archive have."""
    names = [file.name.lower() for file in list_archive(path)]
    endings: dict[Format, tuple[str, ...]] = {
        "takeout": (*CALENDAR_ENDINGS, *CONTACT_ENDINGS),
        "markdown": MARKDOWN_ENDINGS,
        "whatsapp": (".txt",),
    }
    found = [format_ for format_, ends in endings.items() if any(name.endswith(ends) for name in names)]
    if found in (["takeout"], ["markdown"], ["whatsapp"]):
        return found[0]
    if not found:
        raise Refused(f"{path.name} has no notes, calendars, contacts or chat that can be imported. Name a file in it.")
    raise Refused(f"{path.name} has files of several formats. Use --format with one of {', '.join(found)}.")


def open_record_file(path: ByteSource, format_: Format, reading: ReadingOptions, *, delimiter: str = "") -> RecordFile:
    """The file as a source of records. Raises Refused for chat exports, which contain none."""
    match format_:
        case "csv":
            return CsvRows(path, delimiter)
        case "json":
            return JsonObjects(path)
        case "jsonl":
            return JsonObjects(path, is_lines=True, noun="line")
        case "ics":
            return Calendar(path, reading.zone)
        case "vcf":
            return Contacts(path)
    raise Refused(f"{path.name}: an export of {format_} has conversations, not records. Import it as observations.")
