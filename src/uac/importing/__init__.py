"""Typed records without a model: imports files of other programs as observations and records.

file_formats ─► csv_files, json_files, ics, vcard ─► plan (value_formats, infer_types, field_names) ─► import_file
    plan_for_memory chooses the type (column_names) and learns from earlier_files
message_formats ─► whatsapp, telegram, memory_exports, letta, message_lines, markdown_notes ─► message_files
chat_exports ─► message_files ─► observations only
archives ─► takeout, markdown_notes and whatsapp in folders and zip archives
staged_imports ─► the lines of a file wait in the store until a worker writes them
table_files ─► a table in the place of a pack's
"""

from typing import Any

from uac.importing.chat_exports import Service, chat_service_of, import_chats, read_chats
from uac.importing.csv_files import CsvRows
from uac.importing.file_formats import FORMATS, Format, import_format_of, open_record_file
from uac.importing.files import BadLine, NotUtf8, Progress, RecordFile, SentFile, Skipped, SourceLine
from uac.importing.ics import Calendar
from uac.importing.import_file import RecordCounts, import_records
from uac.importing.json_files import JsonObjects
from uac.importing.message_files import MessageCounts, MessageOptions, import_messages
from uac.importing.message_formats import MESSAGE_FORMATS, MessageFormat, message_nouns, read_message_file
from uac.importing.plan import Column, FieldChoice, ImportPlan, PlanOptions, plan_import
from uac.importing.plan_for_memory import plan_memory_import
from uac.importing.staged_imports import StagedImport, stage_messages, stage_records
from uac.importing.table_files import ImportedTable, TableAbout, read_table_file, table_columns
from uac.importing.takeout import open_takeout
from uac.importing.value_formats import ReadingOptions
from uac.importing.vcard import Contacts

__all__ = [
    "FORMATS",
    "MESSAGE_FORMATS",
    "BadLine",
    "Calendar",
    "Column",
    "Contacts",
    "CsvRows",
    "FieldChoice",
    "Format",
    "ImportPlan",
    "ImportedTable",
    "JsonObjects",
    "MessageCounts",
    "MessageFormat",
    "MessageOptions",
    "NotUtf8",
    "PlanOptions",
    "Progress",
    "ReadingOptions",
    "RecordCounts",
    "RecordFile",
    "SentFile",
    "Service",
    "Skipped",
    "SourceLine",
    "StagedImport",
    "TableAbout",
    "chat_service_of",
    "import_chats",
    "import_format_of",
    "import_messages",
    "import_records",
    "message_nouns",
    "open_record_file",
    "open_takeout",
    "plan_import",
    "plan_memory_import",
    "read_chats",
    "read_message_file",
    "read_table_file",
    "stage_messages",
    "stage_records",
    "table_columns",
]

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
