"""One user's log with its project, and everything a write needs: packs, a sandbox, a clock."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING

from uac.errors import AlreadyErased
from uac.log.log import EMPTY, Log
from uac.memory.idempotency import WriteTerms
from uac.memory.interpreters import Interpreters
from uac.memory.snapshots import ProjectSnapshots
from uac.project.fold import fold_entries
from uac.project.project import EMPTY_PROJECT, Project
from uac.schema.entries import Entry
from uac.schema.patches import Patch
from uac.schema.types import Type
from uac.schema.word_caches import forget_cached_words

if TYPE_CHECKING:  # reading a project needs none of it
    from uac.constraints.acceptance import AcceptanceResources, FollowUp, Plan
    from uac.constraints.ahead import AheadStart
    from uac.memory.writing import Prepare, Written
    from uac.packs import Pack

__all__ = ["Writer"]


class Writer:
    """Reads the project and writes to the log of one user."""

    def __init__(
        self, log: Log, interpreters: Interpreters, packs: "Sequence[Pack] | None", clock: Callable[[], datetime]
    ) -> None:
        self.log = log
        self.interpreters = interpreters
        self.clock = clock
        self._packs = packs
        self._project = EMPTY_PROJECT
        self._snapshots = ProjectSnapshots(log)
        self._unproved: Mapping[str, str] = {}

    @property
    def packs(self) -> "Sequence[Pack]":
        """The packs that this user can adopt from."""
        if self._packs is None:
            from uac.packs import chosen_packs

            self._packs = chosen_packs()
        return self._packs

    @property
    def resources(self) -> "AcceptanceResources":
        from uac.constraints.acceptance import AcceptanceResources

        return AcceptanceResources(lambda: self.packs, lambda: self.interpreters.sandbox, self._unproved)

    @property
    def known_project(self) -> Project:
        """The project as it was last read; the log may have more by now."""
        return self._project

    def forget_project(self) -> None:
        """Let go of the project; it is folded again when it is needed."""
        self._project = EMPTY_PROJECT

    def project(self) -> Project:
        """The project at the end of the log. Only new entries are folded."""
        if self._snapshots.is_damaged(self._project):
            self._project = EMPTY_PROJECT
        head, known = self.log.head(), self._project
        if (head.position, head.digest) != (known.position, known.digest or EMPTY.digest):
            # A user may have been erased, and come back as another.
            is_known = known.position > 0 and self.log.contains(known.position, known.digest)
            if not is_known:
                if known.position:
                    forget_cached_words()
                self._project = self._snapshots.open_project(head)
            else:
                self._project = fold_entries(self.log.read(known.position + 1), known)
                self._snapshots.follow(self._project)
        return self._project

    def start(self, *, brings_tick: bool = True) -> "AheadStart":
        """The state a write would start from, for previews."""
        from uac.constraints.ahead import AheadStart

        return AheadStart(self.project(), now=self.clock(), at=self.log.now(), failing={}, brings_tick=brings_tick)

    def write(self, prepare: "Prepare", *, watched: bool = True, now: datetime | None = None) -> "Written":
        """Write the plan of `prepare`; if `watched`, run constraints at the time `now`."""
        from uac.memory.writing import write

        terms = _terms_of_writer(self)
        written = write(
            prepare,
            log=self.log,
            read_project=self.project,
            clock=self.clock if now is None else lambda: now,
            watch=self.interpreters.watch if watched else None,
            terms=None if terms is None or terms.is_fulfilled else terms,
        )
        self._project = written.after
        self._snapshots.follow(written.after)
        self._unproved = {**self._unproved, **written.plan.unproved}
        if written.ahead is not None:
            self.interpreters.follow(written.ahead, written.after)
        return written

    def append(self, prepare: Callable[[Project], Sequence[Entry]]) -> "Written":
        """Write entries that change no record; no constraint is run."""
        from uac.constraints.acceptance import Plan

        return self.write(lambda start: Plan(entries=tuple(prepare(start.project))), watched=False)

    def accept_part(
        self,
        patches: Sequence[Patch],
        *,
        by: str,
        follow_up: "Callable[[Project], FollowUp]",
        unfit: Sequence[Patch] = (),
    ) -> "Written":
        """Write the valid ones of a model's patches, and the entries that follow from them. `unfit` are those of its
        patches that were refused before."""
        from uac.constraints.acceptance import plan_partial_acceptance

        def prepare(start: "AheadStart") -> "Plan":
            named = self.with_field_cites(start.project, patches)
            then = follow_up(start.project)
            return plan_partial_acceptance(start, named, self.resources, by=by, follow_up=then, unfit=unfit)

        return self.write(prepare)

    def with_field_cites(
        self, project: Project, patches: Sequence[Patch], *, ahead: Mapping[int, Entry] | None = None
    ) -> tuple[Patch, ...]:
        """The patches with the facts that support each field: the proposer does not decide on authority. `ahead` are
        entries that will be written together with the patches."""

        from uac.conversation.checks.field_cites import assign_field_cites  # a direct statement needs none of it

        def entry_at(position: int) -> Entry | None:
            if ahead and position in ahead:
                return ahead[position]
            return next((stored.entry for stored in self.log.read(position, position + 1)), None)

        def offered() -> Iterator[Type]:
            return (type_ for pack in self.packs for type_ in pack.types)

        return assign_field_cites(patches, project, entry_at=entry_at, offered=offered)

    @contextmanager
    def once(self, terms: WriteTerms) -> Iterator[WriteTerms]:
        """Apply these terms to the first write inside, in this thread or task."""
        outer = _TERMS.get()
        _TERMS.set(((self, terms), *outer))
        try:
            terms.check_idempotency(self.project(), self.log)
            if self.log.is_erased(terms.receipts(1, 1)):
                raise AlreadyErased
            yield terms
        finally:
            _TERMS.set(outer)


_TERMS: ContextVar[tuple[tuple[Writer, WriteTerms], ...]] = ContextVar("terms", default=())
"""The terms of the enclosing `once` blocks, innermost first; each thread and task has its own."""


def _terms_of_writer(writer: Writer) -> WriteTerms | None:
    return next((terms for other, terms in _TERMS.get() if other is writer), None)
