"""What the tests of imports share: a store, files, and what came of them."""

import csv
import io
import json
import sys
from collections.abc import Iterable
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from uac.importing import (
    BadLine,
    CsvRows,
    ImportPlan,
    PlanOptions,
    ReadingOptions,
    RecordCounts,
    RecordFile,
    Skipped,
    import_records,
    plan_import,
)
from uac.interfaces.cli import main
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.memory.memory import Memory
from uac.schema.types import Field, Type

SAID = datetime(2026, 3, 1, tzinfo=UTC)
TRIPS = "City,Start,Cost (USD),id\nParis,2024-05-01,300.50,7\nRome,2024-06-01,,8\n"


def uac(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def file(name: str, text: str | bytes) -> str:
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def told(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


OPENED = ExitStack()
"""Stores that the tests look into; the fixture `store` closes them."""


def memory_at(path: Path) -> Memory:
    return Memory(OPENED.enter_context(closing(SqliteStore(path, create=False))).log("ana"))


def values(path: Path, type_name: str) -> list[dict[str, Any]]:
    return [record.values for record in memory_at(path).project().records(type_name)]


def texts(full_name: str, names: Iterable[str]) -> Type:
    """A type all of whose fields are texts, or empty."""
    domain, _dot, name = full_name.partition(".")
    fields = tuple(Field(name=name, type="str | None") for name in names)
    return Type(domain=domain, name=name, cardinality="event", fields=fields)


def quiet(_size: int) -> None: ...


def imported(
    source: RecordFile, options: PlanOptions, memory: Memory | None = None
) -> tuple[ImportPlan, list[dict[str, Any]], list[BadLine | Skipped]]:
    """The plan, the records it gives in a new memory, and what gave none."""
    memory = memory or Memory(MemoryStore().log("ana"))
    plan = plan_import(source, memory.project().types.get(options.type_name), options, quiet)
    other = [found for found in import_records(memory, plan, source, said=SAID) if not isinstance(found, RecordCounts)]
    return plan, [record.values for record in memory.project().records(options.type_name)], other


def column(path: Path, *cells: str, name: str = "value", **reading: Any) -> tuple[str, list[Any], tuple[str, ...]]:
    """The type found for one column of CSV, its values, and the notes."""
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows([(name, "n"), *((cell, str(n)) for n, cell in enumerate(cells))])
    path.write_text(text.getvalue(), newline="")
    plan, records, _other = imported(CsvRows(path, ";"), PlanOptions("some.Thing", reading=ReadingOptions(**reading)))
    field = plan.columns[0].field
    return plan.type.fields[0].type, [record[field] for record in records], plan.notes


def command(*arguments: str, batch: int = 1000) -> list[str]:
    code = f"import uac.importing.import_file as run; run.BATCH = {batch}\nfrom uac.interfaces.cli import main; main()"
    return [sys.executable, "-c", code, *arguments]
