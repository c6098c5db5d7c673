"""The copies of shared records in the log of a group.

Copied, they are records of the group like all others: its constraints see them, the alerts are part of the same append,
and the project stays a fold of one log. A copy that is no longer shared, or no longer current, is erased.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import msgspec

from uac.constraints.acceptance import AcceptanceResources, Plan, plan_patches
from uac.constraints.ahead import AheadStart
from uac.errors import Rejected
from uac.log.log import Log, Stored
from uac.log.rows import decode_row
from uac.memory.groups.membership import GroupState, Member
from uac.memory.groups.shared_records import SharedRecord, type_patches
from uac.memory.memory import Memory
from uac.memory.statements import statement_text
from uac.schema.entries import AlertChange, Authorship, Checkpoint, Entry, Observation
from uac.schema.patches import Amend, Drop, End, Gone, Merge, Put, SetAside
from uac.schema.types import Type

__all__ = ["Copies", "SharesChanged"]

Key = tuple[str, str]
"""A member's id, and the id of a record in the member's memory."""

WORDS = ("observation", "fact", "correction", "model_call")
"""The kinds of entries that hold what their author said."""

OF_RECORDS = (Put, Amend, End, Drop, Merge, SetAside)
"""The patches that change records, not types or rules."""

ROSTER = "people.Group"
"""The type in which constraints find who belongs to a group: 'team lunch' means all of the team."""

NO_LONGER_SHARED = "no longer shared"


class SharesChanged(Exception):
    """The members or their memories have changed since it was read what they share."""


class Copies:
    """The copies in one group's log. `read_state` gives the group at the end of its log."""

    def __init__(
        self,
        group: str,
        name: str,
        log: Log,
        read_state: Callable[[], GroupState],
        open_memory: Callable[[Log], Memory],
    ) -> None:
        self.refused: dict[Key, tuple[str, str]] = {}
        """The copies that the group could not take: their digest, and the reason."""
        self._group, self._name = group, name
        self._log = log
        self._state = read_state
        self._open_memory = open_memory
        self._opened: Memory | None = None
        self._erased: set[tuple[str, int]] = set()

    def update(
        self, shared: Mapping[Member, Mapping[str, SharedRecord]], is_current: Callable[[], bool] = lambda: True
    ) -> None:
        """Erase the copies that are not among the shared records, and write those that are missing.

        Nothing is written once `is_current` says that something else may be shared by now: SharesChanged.
        """
        wanted = {(member.id, record): each for member, records in shared.items() for record, each in records.items()}
        if wanted and (type_ := self._roster_type()) is not None:
            names = [member.name for member in shared]
            wanted[self._group, ROSTER] = SharedRecord(type_, {"name": self._name, "members": [*names]})
        self._erase_stale(wanted)
        self._write_missing(wanted, is_current)

    def finish_erasures(self) -> None:
        """Erase the words of members who are marked as erased, if that was not done or not finished."""
        state = self._state()
        for member in state.members.values():
            written = state.written.get(member.id, ())
            done = (member.id, len(written))
            if member.right != "erased" or done in self._erased:
                continue
            found = self._log.read_at({position for part in written for position in part})
            words = [each.position for each in found if _has_words(each)]
            if words:
                self._erase(words, why="a member was erased")
            self._erased.add(done)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def _memory(self) -> Memory:
        if self._opened is None:
            self._opened = self._open_memory(self._log)
        return self._opened

    def _roster_type(self) -> Type | None:
        offered = (type_ for pack in self._memory().packs for type_ in pack.types if type_.full_name == ROSTER)
        return next(offered, None)

    def _erase_stale(self, wanted: Mapping[Key, SharedRecord]) -> None:
        copies = self._state().copies
        stale = {key for key, copy in copies.items() if key not in wanted or wanted[key].digest != copy.digest}
        if stale:
            # Who is in a group is no secret in it: what names the group's record stays.
            named = dict(self._entries_naming({copies[key].position for key in stale if key[0] != self._group}))
            whole = {position for position, part in named.items() if part is None}
            parts = {position: part for position, part in named.items() if part is not None}
            self._erase({*whole, *(copies[key].position for key in stale)}, parts=parts)
        elif self._memory().project().unwatched:  # an erasure was killed before constraints ran
            self._memory().look()

    def _entries_naming(self, positions: Collection[int]) -> Iterator[tuple[int, Entry | None]]:
        """The entries that name the records of these statements, and the part that may stay: the id of a record has
        values in it. Rules stay, so that no member can silence one of another by unsharing what it names."""
        project = self._memory().project()
        ids = {record for position in positions for record in project.used.get(position, ())}
        if not ids:
            return
        texts = (msgspec.json.encode(each).decode()[1:-1] for each in sorted(ids))
        named = re.compile(f"(?:{'|'.join(map(re.escape, texts))})(?![\\w|])")
        for row in self._log.read_rows(min(positions)):
            if row.kind in ("erasure", "receipt", "membership") or not named.search(row.body):
                continue
            entry = decode_row(row).entry
            yield row.position, _without_records_named(entry, named) if isinstance(entry, Checkpoint) else None

    def _erase(
        self, positions: Iterable[int], *, why: str = NO_LONGER_SHARED, parts: Mapping[int, Entry] | None = None
    ) -> None:
        self._log.erase(positions, why=why, parts=parts)
        self._memory().look()  # the remaining records may give other alerts

    def _write_missing(self, wanted: Mapping[Key, SharedRecord], is_current: Callable[[], bool]) -> None:
        copies = self._state().copies
        self.refused = {key: each for key, each in self.refused.items() if _is_same(wanted.get(key), each[0])}
        missing = {key: each for key, each in wanted.items() if key not in copies and key not in self.refused}
        if not missing:
            return
        try:
            self._write_copies(missing, is_current)
        except Rejected:  # one that does not fit must not keep the others out
            for key, each in missing.items():
                try:
                    self._write_copies({key: each}, is_current)
                except Rejected as error:
                    self.refused[key] = (each.digest, error.reasons[0])

    def _write_copies(self, wanted: Mapping[Key, SharedRecord], is_current: Callable[[], bool]) -> None:
        """Append the statements, their records, the alerts that follow and whose they are, all at once."""

        def plan(start: AheadStart, resources: AcceptanceResources) -> Plan:
            # After the end of the group's log was read, behind which alone the copies are written: a member who takes
            # something back later moves that end (`Group.withdraw`).
            if not is_current():
                raise SharesChanged
            state = self._state()
            missing = {key: shared for key, shared in wanted.items() if key not in state.copies}
            if not missing:  # another process was faster
                return Plan()
            said = self._log.now()
            statements: list[Entry] = []
            puts: list[Put] = []
            signatures: list[Entry] = []
            for position, ((owner, record), shared) in enumerate(missing.items(), start.project.position + 1):
                text, speaker = statement_text(shared.type.full_name, shared.fields), state.member(owner).name
                statements.append(Observation(text=text, said=said, role="tool", speaker=speaker, source="shared"))
                puts.append(Put(type=shared.type.full_name, fields=shared.fields, cites=(position,)))
                signatures.append(
                    Authorship(member=owner, first=position, last=position, record=record, digest=shared.digest)
                )
            types = type_patches(start.project, [*missing.values()], resources.offered_type_names())
            made = plan_patches(start, [*types, *puts], resources, lead=statements, by="shared")
            return made._replace(entries=(*made.entries, *signatures))

        self._memory().write_plan(plan)


def _without_records_named(checkpoint: Checkpoint, named: re.Pattern[str]) -> Checkpoint:
    patches = tuple(
        Gone() if isinstance(patch, OF_RECORDS) and named.search(msgspec.json.encode(patch).decode()) else patch
        for patch in checkpoint.patches
    )
    return msgspec.structs.replace(checkpoint, patches=patches)


def _has_words(stored: Stored) -> bool:
    """Whether the entry says something in its author's words; a reason for a decision on an alert does, too."""
    match stored.entry:
        case AlertChange(change="acknowledged" | "snoozed", why=why):
            return bool(why)
        case entry:
            return entry is not None and stored.kind in WORDS


def _is_same(shared: SharedRecord | None, digest: str) -> bool:
    return shared is not None and shared.digest == digest
