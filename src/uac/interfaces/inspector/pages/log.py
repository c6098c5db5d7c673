"""The log: its entries newest first, by kind and by text, and one entry with its sources and its dependents."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from starlette.responses import Response

from uac.display.html import Markup
from uac.interfaces.http.problems import NotFound
from uac.interfaces.inspector.entry_lines import entry_line, readable_alert, readable_ids
from uac.interfaces.inspector.highlight import highlighted_lines
from uac.interfaces.inspector.page import Page, PageView, read_page_position
from uac.interfaces.inspector.record_names import record_link_maker
from uac.log.log import Log, Stored
from uac.project.alerts import Alert
from uac.project.project import Project
from uac.schema.entries import Checkpoint, Correction, Entry, Erasure, Fact, Kind, Retraction, cited_positions
from uac.schema.entry_text import entry_author, entry_text
from uac.schema.patches import op_of

__all__ = ["PAGES", "read_log_page"]

KIND_NAMES: dict[Kind, str] = {
    "observation": "observation",
    "fact": "fact",
    "checkpoint": "checkpoint",
    "correction": "correction",
    "retraction": "retraction",
    "erasure": "erasure",
    "alert_change": "alert",
    "tick": "tick",
    "model_call": "model call",
    "look": "look",
    "delivery": "delivery",
    "receipt": "receipt",
    "membership": "membership",
    "grant": "grant",
    "authorship": "authorship",
}
"""The name of each kind on a page."""

ALL = "all"
HOUSEKEEPING: tuple[Kind, ...] = ("tick", "model_call", "look", "delivery", "receipt", "authorship")
"""Kinds that are left out unless they are asked for: nobody said or changed anything."""

WINDOW = 250  # entries read at once
MAX_READ = 20_000  # entries read for one page, however few of them match

SHOWN = 50
MAX_DEPENDENTS = 50  # dependent entries that are listed
MAX_SEARCHED = 20_000  # later entries that are searched for dependents


@dataclass(frozen=True, slots=True)
class LogPart:
    """One field of an entry: plain text, or code."""

    name: str
    text: str = ""
    lines: tuple[Markup, ...] = ()


@dataclass(frozen=True, slots=True)
class RelatedEntry:
    """An entry related to another one, in one line."""

    position: int
    kind: str
    line: str


@dataclass(frozen=True, slots=True)
class Dependents:
    """The dependents of an entry; `looked` is the last position that was searched."""

    entries: tuple[RelatedEntry, ...]
    records: tuple[str, ...]
    alerts: tuple[Alert, ...]
    looked: int


def log_page(view: PageView) -> Response:
    """`?kind=fact&q=words&below=200`; `kind=all` includes ticks, calls of models and other housekeeping."""
    kind, wanted = view.query("kind"), view.query("q").strip()
    with view.memory() as memory:
        end = memory.log.head().position + 1
        project = memory.project()
        below = min(view.query_number("below", end), end)
        page = read_log_page(memory.log, below, _entry_filter(kind, wanted), most=SHOWN)
    return view.render_template(
        "log.html",
        found=page,
        rows=[
            (one, entry_author(one.entry), entry_line(one.entry, project), one.position in project.gone)
            for one in page.entries
        ],
        kinds=KIND_NAMES,
        housekeeping=HOUSEKEEPING,
        kind=kind,
        wanted=wanted,
        total=end - 1,
        is_newest=below == end,
    )


def entry_page(view: PageView) -> Response:
    """One entry of the log."""
    text = view.request.path_params["position"]
    position = read_page_position(text)
    with view.memory() as memory:
        project, end = memory.project(), memory.log.head().position
        stored = next(memory.log.read(position, position + 1), None) if position else None
        if stored is None:
            raise NotFound(f"There is no entry {position}. The log ends at {end}.")
        below = cited_positions(stored.entry) if stored.entry else ()
        resting = _log_entry_dependents(memory.log, project, stored, end)
        rests = [near for cited in below[:MAX_DEPENDENTS] for near in _related_entries(memory.log, project, cited)]
    return view.render_template(
        "entry.html",
        stored=stored,
        words=KIND_NAMES[stored.kind],
        who=entry_author(stored.entry),
        line=entry_line(stored.entry, project),
        parts_=_entry_parts(stored.entry, project),
        is_gone=position in project.gone,
        rests=rests,
        more_rests=max(len(below) - MAX_DEPENDENTS, 0),
        resting=resting,
        named=record_link_maker(project),
        end=end,
        aside=project.aside.get(position),
        is_waiting=position in project.waiting,
        is_change=isinstance(stored.entry, Checkpoint | Correction | Retraction | Erasure),
        can_forget=stored.entry is not None and not isinstance(stored.entry, Erasure) and position not in project.gone,
    )


def _entry_filter(kind: str, wanted: str) -> Callable[[Stored], bool]:
    sought = wanted.casefold()

    def is_wanted(stored: Stored) -> bool:
        if stored.kind in HOUSEKEEPING if not kind else kind not in (ALL, stored.kind):
            return False
        return not sought or sought in f"{entry_author(stored.entry)} {entry_text(stored.entry)}".casefold()

    return is_wanted


def _log_entry_dependents(log: Log, project: Project, stored: Stored, end: int) -> Dependents:
    """The entries, records and alerts that depend on an entry; records also through the facts that quote it."""
    position = stored.position
    last = min(end, position + MAX_SEARCHED)
    dependents = [
        s for s in log.read(position + 1, last + 1) if s.entry is not None and position in cited_positions(s.entry)
    ]
    facts = [stored.position for stored in dependents if isinstance(stored.entry, Fact)]
    used = (record for cited in (position, *facts) for record in project.used.get(cited, ()))
    records = dict.fromkeys([*used, *_log_entry_records(project, stored)])
    alerts = [
        readable_alert(alert, project) for alert in project.standing() if not {position, *facts}.isdisjoint(alert.cites)
    ]
    near = tuple(
        RelatedEntry(stored.position, KIND_NAMES[stored.kind], entry_line(stored.entry, project))
        for stored in dependents[:MAX_DEPENDENTS]
    )
    return Dependents(near, tuple(records), tuple(alerts), last)


def _log_entry_records(project: Project, stored: Stored) -> list[str]:
    """The records with a claim from the entry, a checkpoint or a correction, that still counts."""
    cited = cited_positions(stored.entry) if isinstance(stored.entry, Checkpoint) else ()
    named = [record for position in cited for record in project.used.get(position, ())]
    if isinstance(stored.entry, Correction) and stored.entry.record in project.tables.get(
        _log_entry_type(stored.entry), ()
    ):
        named.append(stored.entry.record)
    return [
        name
        for name in dict.fromkeys(named)
        if any(one.position == stored.position for claims in project.record(name).claims.values() for one in claims)
    ]


def _log_entry_type(entry: Correction) -> str:
    return entry.record.partition(":")[0]


def _related_entries(log: Log, project: Project, position: int) -> list[RelatedEntry]:
    return [
        RelatedEntry(stored.position, KIND_NAMES[stored.kind], entry_line(stored.entry, project))
        for stored in log.read(position, position + 1)
    ]


def _entry_parts(entry: Entry | None, project: Project) -> list[LogPart]:
    """The non-empty fields, in the order of their kind; structured values as JSON."""
    if entry is None:
        return []
    parts: list[LogPart] = []
    for name in entry.__struct_fields__:
        value = getattr(entry, name)
        if value in ("", (), None, False, 0, {}):
            continue
        if name in ("subject", "record", "message") and isinstance(value, str):
            value = readable_ids(value, project)
        elif name == "records":
            value = tuple(record_link_maker(project)(one).name for one in value)
        if name == "patches":
            parts += [
                LogPart(f"patch {n}: {op_of(patch)}", lines=_log_part_lines(patch)) for n, patch in enumerate(value, 1)
            ]
        elif isinstance(value, str):
            parts.append(LogPart(name, value))
        elif isinstance(value, tuple) and all(isinstance(item, str | int) for item in value):
            parts.append(LogPart(name, ", ".join(map(str, value))))
        elif isinstance(value, tuple | dict | list | msgspec.Struct):
            parts.append(LogPart(name, lines=_log_part_lines(value)))
        else:
            parts.append(LogPart(name, str(value)))
    return parts


def _log_part_lines(value: object) -> tuple[Markup, ...]:
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    return highlighted_lines("part.json", text)


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Entries, newest first. The next page is below position `then`; 0: this is the last."""

    entries: tuple[Stored, ...]
    then: int
    looked: int


def read_log_page(log: Log, below: int, is_wanted: Callable[[Stored], bool], *, most: int) -> EntryPage:
    """The newest entries below a position that match."""
    entries: list[Stored] = []
    stop, looked = below, 0
    while stop > 1 and looked < MAX_READ:
        start = max(stop - WINDOW, 1)
        for stored in reversed(list(log.read(start, stop))):
            looked += 1
            if is_wanted(stored):
                entries.append(stored)
            if len(entries) == most:
                return EntryPage(tuple(entries), stored.position if stored.position > 1 else 0, looked)
        stop = start
    return EntryPage(tuple(entries), stop if stop > 1 else 0, looked)


PAGES = (
    Page("/users/{user}/log", log_page, title="Log", letter="l", group="Kept"),
    Page("/users/{user}/log/{position}", entry_page),
)
