"""One user's memory: the log, and the project that follows it. This is where the steps meet.

Every write goes the same way: fold what is new, check against that, append on the condition that nobody wrote in
between; if somebody did, begin again.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from uac.checkpoint import Refusal, check
from uac.checkpoint import correct as correct_draft
from uac.diff import Change, diff
from uac.draft import Draft
from uac.entries import Checkpoint, Correction, Entry, Observation, Retraction, Role, kind_of, settle
from uac.errors import Moved, Refused, Rejected
from uac.explain import Explanation, explain
from uac.fold import project as fold
from uac.log import EMPTY, Log, Stored
from uac.patches import Drop, End, Patch, Put
from uac.project import EMPTY_PROJECT, Project
from uac.render import render, render_manifest
from uac.schema import dump_value

__all__ = ["Memory"]


class Memory:
    """One user's memory. Open it with `Memory(store.log("ana"))`."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._project = EMPTY_PROJECT

    def project(self) -> Project:
        """The project as the log stands now. Only entries that are new are folded."""
        head, known = self.log.head(), self._project
        if (head.position, head.digest) != (known.position, known.digest or EMPTY.digest):
            base = known if self._is_prefix(known, head.position) else EMPTY_PROJECT
            self._project = fold(self.log.read(base.position + 1), base)
        return self._project

    def _is_prefix(self, known: Project, end: int) -> bool:
        """Whether the log still begins with what is known: a user may have been erased, and come back as another."""
        return known.position <= end and (
            self.log.as_of(known.position).head().digest == (known.digest or EMPTY.digest)
        )

    def project_as_of(self, when: int | datetime) -> Project:
        """What was known then."""
        return fold(self.log.as_of(when).read())

    def add(
        self,
        text: str,
        *,
        said: datetime | None = None,
        role: Role = "user",
        speaker: str = "",
        session: str = "",
        source: str = "",
        key: str = "",
    ) -> int:
        """Keep what was said; returns its position once it is durable."""
        entry = Observation(
            text=text,
            said=said or datetime.now(UTC),
            role=role,
            speaker=speaker,
            session=session,
            source=source,
            key=key,
        )
        return self.log.append([entry])[0]

    def checkpoint(self, patches: Sequence[Patch], *, facts: Sequence[int] = (), by: str = "") -> int:
        """Put patches through the door: all are accepted, or Rejected says what to mend."""

        def prepare(project: Project) -> list[Entry]:
            _accept(check(project, patches, facts=facts, at=datetime.now(UTC)))
            return [Checkpoint(patches=tuple(patches), by=by)]

        return self._write(prepare)[-1]

    def put(self, type_name: str, fields: Mapping[str, Any], *, said: datetime | None = None, by: str = "") -> str:
        """Store a typed record that a person or a program states directly; returns the record's id."""
        plain = {name: dump_value(value) for name, value in fields.items()}
        words = f"{type_name} {json.dumps(plain, ensure_ascii=False, separators=(',', ':'), default=repr)}"
        _position, records = self._state(words, lambda cites: Put(type=type_name, fields=plain, cites=cites), said, by)
        return records[0]

    def _state(
        self, words: str, patch: Callable[[tuple[int, ...]], Patch], said: datetime | None, by: str
    ) -> tuple[int, tuple[str, ...]]:
        """Append words that somebody stated as data with the patch that rests on them; the position and the records."""
        moment = said or datetime.now(UTC)
        records: tuple[str, ...] = ()

        def prepare(project: Project) -> list[Entry]:
            nonlocal records
            observation = settle(Observation(text=words, said=moment, source="put"))
            position = project.position + 1
            seen = fold([_provisional(position, observation, moment)], project)
            change = patch((position,))
            records = _accept(check(seen, [change], at=moment)).used[position]
            return [observation, Checkpoint(patches=(change,), by=by)]

        return self._write(prepare)[-1], records

    def end(self, record: str, when: str, *, why: str = "", said: datetime | None = None, by: str = "") -> int:
        """The record no longer holds from that date on: YYYY, YYYY-MM or YYYY-MM-DD."""
        words = f"{record} ended {when}" + (f": {why}" if why else "")
        return self._state(words, lambda cites: End(record=record, when=when, why=why, cites=cites), said, by)[0]

    def drop(self, record: str, *, why: str, by: str = "") -> int:
        """The record should never have been there. Its facts are set aside with the reason."""
        return self.checkpoint([Drop(record=record, why=why)], by=by)

    def correct(self, record: str, field: str, value: Any, *, why: str = "") -> int:
        """The user's own word on a field. It stands above all claims until the user says something newer."""
        entry = Correction(record=record, field=field, value=dump_value(value), why=why)

        def prepare(project: Project) -> list[Entry]:
            correct_draft(Draft(project), entry, project.position + 1, datetime.now(UTC))
            return [entry]

        return self._write(prepare)[-1]

    def retract(self, positions: Iterable[int], *, why: str) -> int:
        """Fold as if these entries, and all that rests on them, were absent. Retracting that retraction undoes it."""
        entry = Retraction(positions=tuple(positions), why=why)

        def prepare(project: Project) -> list[Entry]:
            already = [position for position in entry.positions if position in project.gone]
            if already:
                raise Refused(f"retraction: {already[0]} was retracted before")
            return [entry]

        return self._write(prepare)[-1]

    def preview(self, patches: Sequence[Patch]) -> tuple[Project, list[Change]]:
        """The project as the patches would make it, and what would change; nothing is written."""
        before = self.project()
        after = _accept(check(before, patches, at=datetime.now(UTC)))
        return after, diff(before, after)

    def explain(self, record: str, field: str) -> Explanation:
        return explain(self.project(), self.log, record, field)

    def diff(self, before: int | datetime, after: int | datetime | None = None) -> list[Change]:
        """What changed between two positions or times; `after` is now if it is not given."""
        return diff(self.project_as_of(before), self.project() if after is None else self.project_as_of(after))

    def at(self, valid: date) -> Project:
        """What was true on that day, as far as is known now."""
        return self.project().at(valid=valid)

    def render(self) -> dict[str, str]:
        return render(self.project())

    def manifest(self) -> str:
        return render_manifest(self.project())

    def _write(self, prepare: Callable[[Project], list[Entry]]) -> tuple[int, ...]:
        while True:
            project = self.project()
            try:
                return self.log.append(prepare(project), after=project.position)
            except Moved:
                continue


def _provisional(position: int, entry: Entry, at: datetime) -> Stored:
    """An entry as it will stand if nobody writes first."""
    return Stored(position, at, kind_of(entry), entry, b"")


def _accept(result: Any) -> Project:
    if isinstance(result, tuple):
        raise Rejected(tuple(str(refusal) for refusal in result if isinstance(refusal, Refusal)))
    accepted: Project = result.project
    return accepted
