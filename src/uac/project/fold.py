"""Folds the log into types and records. Pure: the same entries give the same project."""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime

from uac.errors import Refused
from uac.log.log import Log, Prefix, Stored
from uac.project.alert_changes import alert_failure_text, apply_alert_change
from uac.project.apply_patches import apply_patch
from uac.project.claims import ROLE_AUTHORITY, Source
from uac.project.draft import Draft
from uac.project.history import HistoryEntry, StoredHistory, history_after, history_entry, nearest_project
from uac.project.project import EMPTY_PROJECT, Project
from uac.project.record_changes import correct_record
from uac.project.records import record_origin
from uac.project.stored_map import items_after
from uac.schema.entries import (
    AlertChange,
    Checkpoint,
    Correction,
    Delivery,
    Erasure,
    Fact,
    ModelCall,
    NextRun,
    Observation,
    Receipt,
    Retraction,
    Tick,
    cited_positions,
    redact_entry,
)
from uac.schema.periods import Period

__all__ = ["Fold", "apply_history_entry", "fold_entries", "fold_whole_log", "learn_sources", "retracted_positions"]

_UNDATED = Period()
KEPT_RECEIPTS = 1000  # of the newest requests: a client retries soon


def fold_entries(entries: Iterable[Stored], onto: Project = EMPTY_PROJECT) -> Project:
    """The project that results from the entries, on top of one folded from all entries before them."""
    fold = Fold(onto)
    for stored in entries:
        fold.add(stored)
    return fold.finish()


def fold_whole_log(log: Log | Prefix) -> Project:
    """The project of a log, folded from its start. Its history is read from the log again if it is ever needed: in
    memory it would take more than all records."""
    fold = Fold(EMPTY_PROJECT, reread=log.read)
    for stored in log.read():
        fold.add(stored)
    return fold.finish()


class Fold:
    """A fold in progress: add entries one by one, then finish() returns the project.

    `bounded` is for entries that are not in the log yet: their values must be within the bounds of their types, and
    `offered` (the types of packs) is used to suggest a type for a mistyped name. With `reread`, which reads entries of
    the same log, the history is not kept in memory.
    """

    def __init__(
        self,
        onto: Project,
        *,
        bounded: bool = False,
        offered: Callable[[], Collection[str]] | None = None,
        reread: Callable[[int, int], Iterable[Stored]] | None = None,
    ) -> None:
        self.draft = Draft(onto, bounded=bounded)
        self.draft.keeps_history = reread is None
        self.draft.offered = offered
        self.position = onto.position
        self.is_stale = False
        """Whether entries retracted or erased earlier ones, so that the result is folded again without those."""
        self._reread = reread
        self._start = onto.position
        self._erased: dict[int, int] = {}
        """The erased positions before these entries, and that of the erasure."""
        self._onto = onto
        self._reach = onto.position + 1
        """The first position that these entries retract or erase, if it is one before them."""

    def add(self, stored: Stored) -> None:
        draft, position = self.draft, stored.position
        self.position, draft.digest = position, stored.digest
        match stored.entry:
            case Observation() as entry:
                draft.learn(position, Source(ROLE_AUTHORITY[entry.role], entry.said, _UNDATED, (), is_fact=False))
            case Fact() as entry:
                draft.learn(position, self._fact_source(entry, stored.at))
            case Retraction() as entry:
                draft.remember(HistoryEntry(position, stored.at, entry))
                self.is_stale = True
                self._reach = min((self._reach, *entry.positions))
            case Erasure() as entry:
                whole = [item.position for item in entry.erased if not item.left and item.position <= self._start]
                self._erased |= dict.fromkeys(whole, position)
                self.is_stale = self.is_stale or bool(whole)
                self._reach = min((self._reach, *whole))
                apply_history_entry(draft, HistoryEntry(position, stored.at, entry))
            case _:
                if (happened := history_entry(stored)) is not None:
                    apply_history_entry(draft, happened)

    def _fact_source(self, fact: Fact, at: datetime) -> Source:
        cites, sources = cited_positions(fact), self.draft.sources
        said = max((sources[cited].said for cited in cites if cited in sources), default=at)
        return Source(fact.authority, said, fact.held, cites, is_fact=True, according_to=fact.according_to)

    def finish(self) -> Project:
        self._set_history(self.draft)
        if not self.is_stale:
            return self.draft.freeze(self.position)
        onto = self._onto if self._reach > self._start else _project_before(self.draft, self._reach)
        draft = _refold(self.draft, self._erased, onto)
        self._set_history(draft)
        return draft.freeze(self.position)

    def _set_history(self, draft: Draft) -> None:
        if self._reread is not None:
            draft.history = StoredHistory(self.position, draft.digest, self._reread)


def apply_history_entry(draft: Draft, happened: HistoryEntry) -> None:
    """Apply an accepted entry. A patch that no longer applies is listed as an orphan; its facts wait again."""
    draft.remember(happened)
    if happened.position in draft.gone:
        match happened.entry:
            case Checkpoint() as checkpoint:  # an entry stated as a record is not read as a sentence
                for cited in cited_positions(checkpoint):
                    draft.progress.settle(cited)
            case ModelCall() as call:  # it was paid anyway
                draft.progress.spend(call, happened.at)
            case _:
                pass
        return
    match happened.entry:
        case ModelCall() as call:
            draft.progress.call(call, happened.position, happened.at, stands=draft.stands)
        case Tick() as tick:
            draft.now = tick.now
        case AlertChange() as change:
            _fold_alert_change(draft, change, happened)
        case NextRun() as look:
            for name, again in look.again.items():
                draft.unwatched.discard(name)
                draft.rechecks.discard(name)
                draft.looks.pop(name, None)
                if again is not None:
                    draft.looks[name] = again
        case Delivery() as delivery:
            draft.delivered[delivery.to] = max(delivery.through, draft.delivered.get(delivery.to, 0))
        case Receipt() as receipt:
            draft.receipts = (*draft.receipts[-KEPT_RECEIPTS + 1 :], receipt)
        case Correction() as correction:
            try:
                correct_record(draft, correction, happened.position, happened.at)
            except Refused as error:
                draft.orphan(happened.position, 0, str(error))
        case Checkpoint() as checkpoint:
            for index, patch in enumerate(checkpoint.patches):
                try:
                    apply_patch(draft, patch, happened.position, index, happened.at)
                except Refused as error:
                    draft.orphan(happened.position, index, str(error))
            if checkpoint.is_unwatched:
                draft.unwatched.update(draft.constraints)
        case Erasure():  # the remaining records may cause other alerts, and an erasure runs no constraints
            draft.unwatched.update(draft.constraints)
        case Retraction():
            pass


def _fold_alert_change(draft: Draft, change: AlertChange, happened: HistoryEntry) -> None:
    name = change.constraint
    now = draft.now or happened.at
    made = tuple(record_origin(draft.tables, record) for record in change.records)
    draft.alerts = apply_alert_change(draft.alerts, change, position=happened.position, now=now, made=made)
    if change.change == "failed":
        draft.failures[name] = alert_failure_text(change.why, change.reason)
    elif change.change in ("cleared", "expired"):
        if not change.is_failure and name in draft.constraints:
            draft.rechecks.add(name)
        elif not any(alert.is_failure and alert.constraint == name for alert in draft.alerts.values()):
            draft.failures.pop(name, None)


def _project_before(stale: Draft, reach: int) -> Project:
    """The nearest stored project that no later entry changes: none of them retracts or erases one before it."""
    while isinstance(onto := nearest_project(stale.history, reach), Project):
        later = history_after(stale.history, onto.position)
        lowest = min((named for happened in later for named in _taken_back(happened)), default=reach)
        if lowest > onto.position:
            return onto
        reach = lowest
    return EMPTY_PROJECT


def _taken_back(happened: HistoryEntry) -> tuple[int, ...]:
    """The positions that an entry retracts or erases."""
    match happened.entry:
        case Retraction(positions=positions):
            return positions
        case Erasure(erased=erased):
            return tuple(item.position for item in erased)
        case _:
            return ()


def _refold(stale: Draft, erased: Mapping[int, int], onto: Project) -> Draft:
    """The project folded again without retracted and erased entries, and without all that depends on them.

    It starts from `onto`, a project of the same log before all of those.
    """
    start = onto.position
    history = [
        _redact_for_refold(happened, erased)
        for happened in history_after(stale.history, start)
        if happened.position not in erased
    ]
    sources = {
        position: source for position, source in items_after(stale.sources.finish(), start) if position not in erased
    }
    draft = Draft(onto)
    draft.digest = stale.digest
    draft.keeps_history = stale.keeps_history
    draft.checked_cases = stale.checked_cases
    draft.gone |= retracted_positions(history)
    learn_sources(draft, {key: source for key, source in sources.items() if erased.keys().isdisjoint(source.cites)})
    for happened in history:
        apply_history_entry(draft, happened)
    return draft


def learn_sources(draft: Draft, sources: Mapping[int, Source]) -> None:
    """Facts and observations in their order; those that are gone cannot be cited, and nothing that cites them."""
    for position in sorted(sources):
        if position in draft.gone:
            draft.sources[position] = sources[position]
        else:
            draft.learn(position, sources[position])


def retracted_positions(history: list[HistoryEntry]) -> set[int]:
    """The positions that active retractions name; a retraction that was itself retracted does not count."""
    gone: set[int] = set()
    for happened in reversed(history):
        if isinstance(happened.entry, Retraction) and happened.position not in gone:
            gone |= set(happened.entry.positions)
    return gone


def _redact_for_refold(happened: HistoryEntry, erased: Mapping[int, int]) -> HistoryEntry:
    """The entry as an erasure left it. Later entries are not changed by one, though they may name what it erased."""
    named = {cited for cited in cited_positions(happened.entry) if erased.get(cited, 0) > happened.position}
    if not named:
        return happened
    left = redact_entry(happened.entry, frozenset(named))
    assert left is not None  # entries that go whole are in `erased` themselves
    return happened._replace(entry=left)  # type: ignore[arg-type]  # redact_entry keeps the kind
