"""Typed records without a model: imports files of other programs as observations and records.

read (csv_files, json_files, ics, vcard) ─► plan (value_formats, infer_types, field_names, plan) ─► import_file
chat_exports ─► observations only
"""

from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from uac.errors import Refused
from uac.importing.chat_exports import MessageCounts, Service, chat_service_of, import_chats
from uac.importing.csv_files import CsvRows
from uac.importing.files import BadLine, ByteSource, Progress, RecordFile, SentFile, Skipped, SourceLine
from uac.importing.ics import Calendar
from uac.importing.import_file import RecordCounts, import_records
from uac.importing.json_files import JsonObjects
from uac.importing.plan import Column, FieldChoice, ImportPlan, PlanOptions, plan_import
from uac.importing.value_formats import ReadingOptions
from uac.importing.vcard import Contacts

__all__ = [
    "FORMATS",
    "BadLine",
    "Calendar",
    "Column",
    "Contacts",
    "CsvRows",
    "FieldChoice",
    "Format",
    "ImportPlan",
    "JsonObjects",
    "MessageCounts",
    "PlanOptions",
    "Progress",
    "ReadingOptions",
    "RecordCounts",
    "RecordFile",
    "SentFile",
    "Service",
    "Skipped",
    "SourceLine",
    "chat_service_of",
    "import_chats",
    "import_format_of",
    "import_records",
    "open_record_file",
    "plan_import",
]

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


_OLD_NAMES = (
    "Broken=BadLine Done=RecordCounts Kept=MessageCounts Left=Skipped Line=SourceLine Named=FieldChoice "
    "Objects=JsonObjects Plan=ImportPlan Reading=ReadingOptions Rows=CsvRows Wish=PlanOptions "
    "bring_in=import_records bring_in_chats=import_chats format_of=import_format_of open_source=open_record_file "
    "service_of=chat_service_of survey=plan_import"
)
_NEW_NAMES = {old: new for old, _, new in (pair.partition("=") for pair in _OLD_NAMES.split())}


def __getattr__(name: str) -> Any:
    """Names of earlier versions keep working, also for type checkers."""
    if name in _NEW_NAMES:
        return globals()[_NEW_NAMES[name]]
    raise AttributeError(f"module 'uac.importing' has no attribute {name!r}")
