"""The formats of files that can be imported: which one a file has, and how it is opened."""

from pathlib import Path
from typing import Literal, TypeAlias, get_args

from uac.errors import Refused
from uac.importing.chat_exports import chat_service_of
from uac.importing.csv_files import CsvRows
from uac.importing.files import ByteSource, RecordFile
from uac.importing.ics import Calendar
from uac.importing.json_files import JsonObjects
from uac.importing.value_formats import ReadingOptions
from uac.importing.vcard import Contacts

__all__ = ["FORMATS", "Format", "import_format_of", "open_record_file"]

Format: TypeAlias = Literal["csv", "json", "jsonl", "ics", "vcf", "chatgpt", "claude"]
FORMATS: tuple[Format, ...] = get_args(Format)

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
}


def import_format_of(path: Path) -> Format:
    """The format by file extension; the content distinguishes chat exports from other JSON."""
    try:
        is_folder = path.is_dir()
        path.stat()
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}. Check its path and permissions.") from None
    if is_folder:
        raise Refused(f"{path} is a folder. Name a file in it.")
    format_ = _ENDINGS.get(path.suffix.lower())
    if format_ is None:
        raise Refused(f"{path.name} has an unknown extension. Use --format with one of {', '.join(FORMATS)}.")
    return (chat_service_of(path) or "json") if format_ == "json" else format_


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
