"""The log: its entries newest first, by kind and by words, and one entry with what it rests on and what rests on it."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from starlette.responses import Response

from uac.display.html import Markup
from uac.interfaces.http.problems import NotFound
from uac.interfaces.inspector.entry_text import KIND_WORDS, backwards
from uac.interfaces.inspector.form_fields import read_position
from uac.interfaces.inspector.highlight import lines_of
from uac.interfaces.inspector.page import Page, View
from uac.interfaces.inspector.record_names import naming
from uac.log.log import Log, Stored
from uac.project.alerts import Alert
from uac.project.project import Project
from uac.schema.entries import Checkpoint, Correction, Entry, Erasure, Fact, Retraction, rests_on
from uac.schema.entry_text import entry_author, entry_text
from uac.schema.patches import op_of

__all__ = ["PAGES"]

SHOWN = 50
RESTING = 50  # entries that are listed as resting on one
FOLLOWED = 20_000  # entries behind one that are looked through for such


@dataclass(frozen=True, slots=True)
class Part:
    """One field of an entry: plain words, or code."""

    name: str
    text: str = ""
    lines: tuple[Markup, ...] = ()


@dataclass(frozen=True, slots=True)
class Near:
    """An entry that another has to do with, in a line."""

    position: int
    kind: str
    line: str


@dataclass(frozen=True, slots=True)
class Resting:
    """What rests on an entry; `looked` is the last position that was looked at for it."""

    entries: tuple[Near, ...]
    records: tuple[str, ...]
    alerts: tuple[Alert, ...]
    looked: int


def log(view: View) -> Response:
    """`?kind=fact&q=words&below=200`."""
    kind, wanted = view.asked("kind"), view.asked("q").strip()
    with view.memory() as memory:
        end = memory.log.head().position + 1
        gone = memory.project().gone
        below = min(view.number("below", end), end)
        found = backwards(memory.log, below, _wanted(kind, wanted), most=SHOWN)
    return view.show(
        "log.html",
        found=found,
        rows=[(one, entry_author(one.entry), entry_text(one.entry), one.position in gone) for one in found.entries],
        kinds=KIND_WORDS,
        kind=kind,
        wanted=wanted,
        total=end - 1,
        is_newest=below == end,
    )


def entry(view: View) -> Response:
    """One entry of the log."""
    text = view.request.path_params["position"]
    position = read_position(text)
    with view.memory() as memory:
        project, end = memory.project(), memory.log.head().position
        stored = next(memory.log.read(position, position + 1), None) if position else None
        if stored is None:
            raise NotFound(f"There is no entry {position}; the log ends at {end}.")
        below = rests_on(stored.entry) if stored.entry else ()
        resting = _resting(memory.log, project, stored, end)
        rests = [near for cited in below[:RESTING] for near in _near(memory.log, cited)]
    return view.show(
        "entry.html",
        stored=stored,
        words=KIND_WORDS[stored.kind],
        who=entry_author(stored.entry),
        line=entry_text(stored.entry),
        parts_=_parts(stored.entry),
        is_gone=position in project.gone,
        rests=rests,
        more_rests=max(len(below) - RESTING, 0),
        resting=resting,
        named=naming(project),
        end=end,
        aside=project.aside.get(position),
        is_waiting=position in project.waiting,
        is_change=isinstance(stored.entry, Checkpoint | Correction | Retraction | Erasure),
        can_forget=stored.entry is not None and not isinstance(stored.entry, Erasure) and position not in project.gone,
    )


def _wanted(kind: str, wanted: str) -> Callable[[Stored], bool]:
    sought = wanted.casefold()

    def is_wanted(stored: Stored) -> bool:
        if kind and stored.kind != kind:
            return False
        return not sought or sought in f"{entry_author(stored.entry)} {entry_text(stored.entry)}".casefold()

    return is_wanted


def _resting(log: Log, project: Project, stored: Stored, end: int) -> Resting:
    """The entries, records and alerts that rest on an entry; records also by the facts that quote it."""
    position = stored.position
    last = min(end, position + FOLLOWED)
    found = [s for s in log.read(position + 1, last + 1) if s.entry is not None and position in rests_on(s.entry)]
    facts = [stored.position for stored in found if isinstance(stored.entry, Fact)]
    used = (record for cited in (position, *facts) for record in project.used.get(cited, ()))
    records = dict.fromkeys([*used, *_claimed(project, stored)])
    alerts = [alert for alert in project.standing() if not {position, *facts}.isdisjoint(alert.cites)]
    near = tuple(Near(stored.position, KIND_WORDS[stored.kind], entry_text(stored.entry)) for stored in found[:RESTING])
    return Resting(near, tuple(records), tuple(alerts), last)


def _claimed(project: Project, stored: Stored) -> list[str]:
    """The records of which the entry, a checkpoint or a correction, claims something that still counts."""
    cited = rests_on(stored.entry) if isinstance(stored.entry, Checkpoint) else ()
    named = [record for position in cited for record in project.used.get(position, ())]
    if isinstance(stored.entry, Correction) and stored.entry.record in project.tables.get(_type_of(stored.entry), ()):
        named.append(stored.entry.record)
    return [
        name
        for name in dict.fromkeys(named)
        if any(one.position == stored.position for claims in project.record(name).claims.values() for one in claims)
    ]


def _type_of(entry: Correction) -> str:
    return entry.record.partition(":")[0]


def _near(log: Log, position: int) -> list[Near]:
    return [
        Near(stored.position, KIND_WORDS[stored.kind], entry_text(stored.entry))
        for stored in log.read(position, position + 1)
    ]


def _parts(entry: Entry | None) -> list[Part]:
    """The fields that say something, in the order of their kind; what has parts of its own as JSON."""
    if entry is None:
        return []
    parts: list[Part] = []
    for name in entry.__struct_fields__:
        value = getattr(entry, name)
        if value in ("", (), None, False, 0, {}):
            continue
        if name == "patches":
            parts += [Part(f"patch {n}: {op_of(patch)}", lines=_json(patch)) for n, patch in enumerate(value, 1)]
        elif isinstance(value, str):
            parts.append(Part(name, value))
        elif isinstance(value, tuple) and all(isinstance(item, str | int) for item in value):
            parts.append(Part(name, ", ".join(map(str, value))))
        elif isinstance(value, tuple | dict | list | msgspec.Struct):
            parts.append(Part(name, lines=_json(value)))
        else:
            parts.append(Part(name, str(value)))
    return parts


def _json(value: object) -> tuple[Markup, ...]:
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    return lines_of("part.json", text)


PAGES = (
    Page("/users/{user}/log", log, title="Log", letter="l", group="Kept"),
    Page("/users/{user}/log/{position}", entry),
)
