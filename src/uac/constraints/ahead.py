"""The project as it would be with entries that are about to be written. Nothing here writes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from uac.log.log import Stored
from uac.project.draft import Draft
from uac.project.fold import Fold
from uac.project.project import Orphan, Project
from uac.schema.entries import Entry, Tick, kind_of, with_fixed_offsets

__all__ = ["Ahead", "AheadStart", "TypeNames"]

TICK_AFTER = timedelta(hours=1)
"""A write includes a tick if the last one is older than this."""

TypeNames = Callable[[], Collection[str]]
"""Returns the types that packs offer; called only to suggest a correction for a mistyped name."""


class Ahead(NamedTuple):
    """A project with entries that are not in the log yet, and with the tick after them if one is due."""

    project: Project
    entries: tuple[Entry, ...] = ()
    ticks: tuple[Tick, ...] = ()
    refused: tuple[Orphan, ...] = ()
    """Patches and corrections among the entries that do not apply."""

    @property
    def is_watched(self) -> bool:
        """Whether there is any constraint to run or alert to clear."""
        project = self.project
        return bool(project.constraints or project.alerts or project.disputed or project.unsure or project.failures)


@dataclass(frozen=True, slots=True)
class AheadStart:
    """The starting point of a write: the project, the storage time of its entries, and the time constraints see."""

    project: Project
    at: datetime
    now: datetime
    failing: Mapping[str, str]
    """Constraints that gave no result on the project that would adopt them, with the reason."""
    silencing: Mapping[int, str] = field(default_factory=dict)
    """Facts of a weaker source that silenced an alert about what the user said in an earlier attempt at this write."""
    brings_tick: bool = True

    def ahead(self, entries: Sequence[Entry] = (), *, offered: TypeNames | None = None) -> Ahead:
        """The project with these entries, folded in one pass; new values must be within the bounds of their types."""
        wanted = tuple(map(with_fixed_offsets, entries))
        fold = Fold(self.project, bounded=True, offered=offered)
        for entry in wanted:
            fold.add(self._entry_ahead(entry, fold.position + 1))
        refused = tuple(fold.draft.orphans[len(self.project.orphans) :])
        if fold.is_stale:  # a retraction: only a fold without the retracted entries shows what is left to watch
            fold = Fold(fold.finish())
        ticks: tuple[Tick, ...] = ()
        if self.brings_tick and self._is_tick_due(fold.draft):
            ticks = (_tick_ahead(self.now),)
            fold.add(self._entry_ahead(ticks[0], fold.position + 1))
        return Ahead(fold.finish() if wanted or ticks else self.project, wanted, ticks, refused)

    def _is_tick_due(self, draft: Draft) -> bool:
        is_watched = bool(draft.constraints or draft.alerts or draft.disputed or draft.unsure or draft.failures)
        return is_watched and (draft.now is None or self.now - draft.now >= TICK_AFTER)

    def _entry_ahead(self, entry: Entry, position: int) -> Stored:
        return Stored(position, self.at, kind_of(entry), entry, b"")


def _tick_ahead(now: datetime) -> Tick:
    tick = with_fixed_offsets(Tick(now=now))
    assert isinstance(tick, Tick)
    return tick
