"""uac import: turn files of other programs into typed records or observations."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

import click

from uac.errors import NoStore, Refused
from uac.importing import (
    FORMATS,
    MESSAGE_FORMATS,
    BadLine,
    FieldChoice,
    Format,
    ImportPlan,
    MessageCounts,
    MessageFormat,
    MessageOptions,
    NotUtf8,
    PlanOptions,
    Progress,
    ReadingOptions,
    RecordCounts,
    RecordFile,
    SentFile,
    Skipped,
    chat_service_of,
    import_chats,
    import_format_of,
    import_messages,
    import_records,
    message_nouns,
    open_record_file,
    open_takeout,
    plan_memory_import,
    read_chats,
    read_message_file,
)
from uac.interfaces.cli.alerts import alert_changes_json, alert_changes_to_show, show_alert_changes
from uac.interfaces.cli.background_imports import enqueue_messages, enqueue_records, work_client
from uac.interfaces.cli.options import CliContext, Moment, common_options, user_argument
from uac.log.log import Log
from uac.log.store import GROUP
from uac.log.stores.in_memory import MemoryStore
from uac.memory.memory import Memory
from uac.schema.safe_text import counted, one_line, shorten

if TYPE_CHECKING:
    from uac.interfaces.work.job_client import JobClient

__all__ = ["import_"]

SHOWN = 20  # broken lines shown to a person


@click.command("import")
@user_argument()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--as", "type_name", metavar="TYPE", help="The type of the records, such as travel.Trip.")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="The format.  [default: by the file's extension]")
@click.option("--key", "keys", multiple=True, metavar="FIELD", help="A field that identifies a record (repeatable).")
@click.option("--one", "is_one", is_flag=True, help="The user has at most one such record at a time.")
@click.option("--doc", default="", help="A description of the type, in one sentence.")
@click.option(
    "--field", "fields", multiple=True, metavar="COLUMN=NAME[:TYPE]", help="Name a field, set its type (repeatable)."
)
@click.option("--without", multiple=True, metavar="COLUMN", help="Leave a column out of the records (repeatable).")
@click.option("--missing", multiple=True, metavar="TEXT", help="A text that means no value (repeatable).")
@click.option("--zone", default="", help="The time zone of times without one.  [default: $UAC_ZONE]")
@click.option("--dates", type=click.Choice(["day-first", "month-first"]), help="How to read 01/02/2024.")
@click.option("--decimal", type=click.Choice(["point", "comma"]), help="How to read 1,234.")
@click.option("--money", "is_money", is_flag=True, help="Numbers in columns such as cost_usd become Money.")
@click.option("--currency", default="", metavar="CODE", help="The currency of $12.50, and of amounts without one.")
@click.option("--delimiter", default="", help="The delimiter of a CSV file.  [default: detected]")
@click.option("--encoding", default="", help="The encoding of the file, such as cp1252 or utf-16.  [default: UTF-8]")
@click.option("--me", default="", metavar="NAME", help="Your name among the speakers or users of the file.")
@click.option("--written", "--at", "at", type=Moment(), help="When the file was written, ISO 8601.  [default: now]")
@click.option("--dry-run", is_flag=True, help="Show the type and the result without writing anything.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation of a new type.")
@click.option("--background", is_flag=True, help="Leave the writing to workers ('uac work'), on PostgreSQL.")
@common_options
def import_(
    context: CliContext,
    *,
    user: str,
    file: Path,
    type_name: str | None,
    format_: Format | None,
    keys: tuple[str, ...],
    is_one: bool,
    doc: str,
    fields: tuple[str, ...],
    without: tuple[str, ...],
    missing: tuple[str, ...],
    zone: str,
    dates: Literal["day-first", "month-first"] | None,
    decimal: Literal["point", "comma"] | None,
    is_money: bool,
    currency: str,
    delimiter: str,
    encoding: str,
    me: str,
    at: datetime | None,
    dry_run: bool,
    yes: bool,
    background: bool,
) -> None:
    """Import the records in FILE into USER's project, each with the line it came from.

    CSV, JSON and JSONL need --as; a new type is inferred and shown. Calendars (.ics) become
    calendar.Event and contacts (.vcf) people.Contact, unless --as says otherwise. Exports of ChatGPT and Claude
    (conversations.json), chats of WhatsApp and Telegram, messages with a role, memories of mem0, Zep, Letta and
    LangMem, and Markdown notes become observations. FILE can be a folder or a zip archive of notes, of Google
    Takeout, or of one WhatsApp chat. After a crash, run it again to continue. With --background the file is read and
    checked, and workers write it: 'uac work imports' shows how far they are. See docs/guides/work.md.

    \b
      uac import ana trips.csv --as travel.Trip --dry-run
      uac import ana books.json --as reading.Book --key isbn --yes
      uac import ana calendar.ics --zone Europe/Berlin --yes
      uac import ana "WhatsApp Chat with Ben.txt" --me Ana --zone Europe/Berlin
    """
    if background and dry_run:
        raise click.UsageError("--dry-run writes nothing, so there is no work for workers. Drop --background.")
    if background and user.startswith(GROUP):
        raise Refused("--background: Files of a group cannot be left to workers. Import the file without it.")
    client = work_client(context) if background else None
    zone = zone or context.zone
    said = context.moment(at, zone, option="--written")
    reading = ReadingOptions(
        zone=ZoneInfo(zone) if zone else None,
        dates=dates or "",
        decimal=decimal or "",
        currency=_check_currency_option(currency),
        is_money=is_money,
        missing=frozenset(missing),
    )
    chosen = format_ or import_format_of(file, is_records=bool(type_name))
    if chosen in ("chatgpt", "claude", *MESSAGE_FORMATS) and type_name:
        raise click.UsageError(f"An export of {chosen} becomes observations, not records. Drop --as.")
    if chosen in ("chatgpt", "claude"):
        _import_chats(context, user, file, chosen, client, is_dry=dry_run)
        return
    if chosen in MESSAGE_FORMATS:
        message_options = MessageOptions(me=me, zone=reading.zone, dates=reading.dates, written=said if at else None)
        _import_messages(context, user, file, chosen, message_options, client, is_dry=dry_run)
        return
    if len(delimiter) > 1 or delimiter in ("\n", "\r", '"'):
        raise click.UsageError(f"--delimiter: {delimiter!r} is not a delimiter. Use one character.")
    if chosen == "takeout":
        if type_name or fields or keys:
            raise click.UsageError("Google Takeout has several types. Drop --as, --field and --key.")
        sources = open_takeout(file, reading)
    else:
        opened = _decode_file(file, encoding) if encoding else file
        sources = (open_record_file(opened, chosen, reading, delimiter=delimiter),)
    named = dict(_parse_named_field(part) for part in fields)
    is_broken = False
    for source in sources:
        name = _type_to_import(type_name, source)
        options = PlanOptions(name, keys, is_one, doc, named, frozenset(without), reading)
        try:
            plan = _plan_record_file(context, user, file, source, options, is_dry=dry_run, is_confirmed=yes)
        except NotUtf8 as error:
            raise Refused(f"{error} Or give its encoding, as in --encoding {error.encoding}.") from None
        if client is not None:
            enqueue_records(context, client, user, plan, source, said)
            continue
        report = _import_records(context, user, plan, source, said, is_dry=dry_run)
        is_broken = report.print_summary() or is_broken
    if is_broken:
        click.get_current_context().exit(1)


def _decode_file(file: Path, encoding: str) -> SentFile:
    """The file in UTF-8, which the log holds."""
    try:
        return SentFile(file.name, file.read_bytes().decode(encoding).encode())
    except LookupError:
        raise click.UsageError(f"--encoding: {encoding!r} is not known. Use a name such as cp1252 or utf-16.") from None
    except UnicodeError as error:
        raise Refused(f"{file.name} is not in {encoding}: {error}. Choose another --encoding.") from None
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}. Check its path and permissions.") from None


def _type_to_import(given: str | None, source: RecordFile) -> str:
    name = given or (source.template.name if source.template else "")
    if not name:
        raise click.UsageError(
            "--as is missing. Give the type of the records: finance.Transaction for a bank's export, another type of a"
            " pack ('uac pack show NAME'), or a new one such as reading.Book."
        )
    if not all(name.partition(".")):
        raise Refused(f"--as: {name!r} is not a type name. Use domain.Type, such as reading.Book.")
    return name


def _plan_record_file(
    context: CliContext,
    user: str,
    file: Path,
    source: RecordFile,
    options: PlanOptions,
    *,
    is_dry: bool,
    is_confirmed: bool,
) -> ImportPlan:
    """The plan, shown; a new type is confirmed."""
    memory, _has_store = _open_import_memory(context, user)
    with _file_progress(context, file) as progress:
        plan = plan_memory_import(memory, source, options, progress)
    if plan.type.full_name not in memory.project().types or is_dry:
        _show_plan(context, user, plan)
    for note in () if context.out.as_json else plan.notes:
        context.out.note(note)
    if plan.is_new and not is_confirmed and not is_dry:
        name = options.type_name
        if not sys.stdin.isatty():
            raise click.UsageError(f"{name} is a new type. Check it with --dry-run, then give --yes.")
        click.confirm(f"Define {name} and import {counted(plan.lines, source.noun)}?", abort=True, err=True)
    return plan


def _import_records(
    context: CliContext,
    user: str,
    plan: ImportPlan,
    source: RecordFile,
    said: datetime,
    *,
    is_dry: bool,
) -> "_ImportReport":
    report = _ImportReport(context, source.noun)
    memory, has_store = _open_import_memory(context, user)
    if not has_store and not is_dry:
        memory = context.memory(user, create=True)
    records = already = 0
    before = memory.project().position
    with context.out.progress(f"importing {source.path.name}", plan.lines) as bar:
        for result in import_records(memory, plan, source, said=said, is_dry=is_dry):
            if isinstance(result, RecordCounts):
                records += result.records
                already += result.already
                for _line in range(result.lines):
                    bar.advance()
            else:
                report.add_line(result)
    if not is_dry:
        memory.look()  # batches of an import do not run constraints
        memory.close()
    alert_events = alert_changes_to_show(memory, before)
    if context.out.as_json:
        context.out.json(
            {
                "user": user,
                "file": source.path.name,
                "type": plan.type.full_name,
                "dry_run": is_dry,
                "records": records,
                "already": already,
                "left_out": dict(report.left),
                "broken": report.broken,
                "notes": list(plan.notes),
                "alerts": alert_changes_json(alert_events),
            }
        )
    else:
        would = "would give " if is_dry else ""
        summary = f"{would}{counted(records, 'record')} of {plan.type.full_name}"
        context.out.line((user, "bold"), f": {source.path.name}: {summary}")
        if already:
            context.out.note(f"{counted(already, source.noun)} already imported")
        show_alert_changes(context.out, alert_events)
    return report


def _import_chats(
    context: CliContext,
    user: str,
    file: Path,
    service: Literal["chatgpt", "claude"],
    client: "JobClient | None",
    *,
    is_dry: bool,
) -> None:
    if chat_service_of(file) != service:
        raise Refused(f"{file.name} is not an export of {service}. Use its conversations.json.")
    with _file_progress(context, file) as progress:
        if client is not None:
            enqueue_messages(context, client, user, file.name, read_chats(file, service, progress))
            return
        results = partial(import_chats, path=file, service=service, progress=progress, is_dry=is_dry)
        _store_messages(context, user, file, service, ("conversation", "message"), results, is_dry=is_dry)


def _import_messages(
    context: CliContext,
    user: str,
    file: Path,
    format_: MessageFormat,
    options: MessageOptions,
    client: "JobClient | None",
    *,
    is_dry: bool,
) -> None:
    with _file_progress(context, file) as progress:
        items = read_message_file(file, format_, options, progress)
        first = list(islice(items, 1))  # a file that cannot be read is refused before a store is created
        if client is not None:
            enqueue_messages(context, client, user, file.name, chain(first, items))
            return
        results = partial(import_messages, items=chain(first, items), is_dry=is_dry)
        _store_messages(context, user, file, format_, message_nouns(file, format_), results, is_dry=is_dry)


def _store_messages(
    context: CliContext,
    user: str,
    file: Path,
    format_: Format,
    nouns: tuple[str, str],
    import_into: Callable[[Log], Iterable[MessageCounts | BadLine | Skipped]],
    *,
    is_dry: bool,
) -> None:
    part, noun = nouns
    report = _ImportReport(context, part)
    counts = MessageCounts(0, 0, 0)
    log = (_open_import_memory(context, user)[0] if is_dry else context.memory(user, create=True)).log
    for result in import_into(log):
        if isinstance(result, MessageCounts):
            counts = MessageCounts(*(a + b for a, b in zip(counts, result, strict=True)))
        else:
            report.add_line(result)
    if context.out.as_json:
        context.out.json(
            {
                "user": user,
                "file": file.name,
                "format": format_,
                "dry_run": is_dry,
                **counts._asdict(),
                "left_out": dict(report.left),
                "broken": report.broken,
            }
        )
    else:
        stored = f"{'would store ' if is_dry else ''}{counted(counts.kept, noun)}"
        talks = f" of {counted(counts.conversations, 'conversation')}" if counts.conversations else ""
        context.out.line((user, "bold"), f": {file.name}: {stored}{talks}")
        if counts.already:
            context.out.note(f"{counted(counts.already, noun)} already imported")
    if report.print_summary():
        click.get_current_context().exit(1)


class _ImportReport:
    """Lines that did not become records. JSON output has each of them at once; a person sees the first ones."""

    def __init__(self, context: CliContext, noun: str) -> None:
        self._context = context
        self._noun = noun
        self._listed: list[BadLine] = []
        self._first: dict[str, int] = {}
        self.broken = 0
        self.left: Counter[str] = Counter()

    def add_line(self, result: BadLine | Skipped) -> None:
        if isinstance(result, Skipped):
            self.left[result.what] += 1
            self._first.setdefault(result.what, result.number)
            return
        self.broken += 1
        if self._context.out.as_json:
            self._context.out.json({self._noun: result.number, "why": result.why})
        elif len(self._listed) < SHOWN:
            self._listed.append(result)

    def print_summary(self) -> bool:
        """Print a summary; whether a line was broken, which makes the exit code 1."""
        out = self._context.out
        if not out.as_json:
            for what, number in self.left.items():
                out.note(f"left out: {counted(number, what)} (the first at {self._noun} {self._first[what]})")
            for line in self._listed:
                out.line((f"{self._noun} {line.number}", "red"), f": {line.why}")
            if self.broken > len(self._listed):
                more = counted(self.broken - len(self._listed), f"more broken {self._noun}")
                out.line(f"and {more}; --json lists all")
        return self.broken > 0


def _show_plan(context: CliContext, user: str, plan: ImportPlan) -> None:
    type_ = plan.type
    if context.out.as_json:
        columns = [
            {"column": column.name, "field": column.field, "type": str(column.type), "sample": column.sample}
            for column in plan.columns
        ]
        context.out.json(
            {
                "user": user,
                "type": type_.full_name,
                "new": plan.is_new,
                "cardinality": type_.cardinality,
                "key": list(type_.key),
                "columns": columns,
                "without": list(plan.without),
                "notes": list(plan.notes),
            }
        )
        return
    key = f"key {', '.join(type_.key)}" if type_.key else "no key"
    context.out.line((type_.full_name, "bold"), f": {type_.cardinality}, {key}, {'new' if plan.is_new else 'known'}")
    context.out.table(
        ("column", "field", "type", "sample"),
        (
            (shorten(one_line(column.name), 40), column.field, str(column.type), shorten(one_line(column.sample), 40))
            for column in plan.columns
        ),
    )


def _open_import_memory(context: CliContext, user: str) -> tuple[Memory, bool]:
    """The user's memory for reading, and whether the store exists; it is not created."""
    try:
        return context.memory_for_log(context.new_log(user, create=False)), True
    except NoStore:
        return Memory(MemoryStore().log(user)), False


@contextmanager
def _file_progress(context: CliContext, file: Path) -> Iterator[Progress]:
    """Progress over the bytes of a file, in kB."""
    size = file.stat().st_size if file.exists() else 0
    with context.out.progress(f"reading {file.name} (kB)", size // 1000) as bar:
        done = reported = 0

        def advance(count: int) -> None:
            nonlocal done, reported
            done += count
            while reported < done // 1000:
                reported += 1
                bar.advance()

        yield advance


def _parse_named_field(part: str) -> tuple[str, FieldChoice]:
    column, equals, rest = part.rpartition("=")
    name, _colon, type_ = rest.partition(":")
    if not equals or not column or not name:
        raise click.UsageError(f"--field: {part!r} is incomplete. Use COLUMN=NAME or COLUMN=NAME:TYPE.")
    return column, FieldChoice(name, type_.strip())


def _check_currency_option(code: str) -> str:
    if code and not (len(code) == 3 and code.isascii() and code.isalpha() and code.isupper()):
        raise click.UsageError(f"--currency: {code!r} is not a currency. Use a code such as EUR.")
    return code
