"""Validation: patches are checked against the project and applied as a whole, or refused with reasons.

The same checks apply to models, agents, imports and people. Folding accepted checkpoints (`fold.py`) runs them too,
so an accepted patch is always applied in the same way; only new values must be within the bounds of `schema/types.py`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from uac.errors import Refused
from uac.project.claims import Claim, Source, weakest_source
from uac.project.constraint_changes import change_constraints
from uac.project.draft import Draft, key_text
from uac.project.project import Ended, HistoryEntry, Project, Record, SetAsideFact, settle_values
from uac.project.type_changes import change_types
from uac.schema.entries import Authority, Checkpoint, Correction
from uac.schema.patches import (
    Adopt,
    Amend,
    Approve,
    Define,
    Drop,
    End,
    Gone,
    Learn,
    MergeTypes,
    Patch,
    Put,
    Retire,
    SetAside,
    Switch,
    op_of,
)
from uac.schema.periods import Period, check_period
from uac.schema.types import Type
from uac.schema.values import Typed

__all__ = [
    "Accepted",
    "Refusal",
    "apply_correction",
    "apply_patch",
    "check_patches",
    "describe_patch",
    "forgotten_facts",
]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one patch was refused: `patch` counts from 1 (0: the checkpoint as a whole)."""

    patch: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"patch {self.patch} ({self.what}): {self.why}" if self.patch else self.why


@dataclass(frozen=True, slots=True)
class Accepted:
    """The project as it will be when these patches are in the log."""

    project: Project


def check_patches(
    project: Project,
    patches: Sequence[Patch],
    *,
    facts: Sequence[int] = (),
    at: datetime | None = None,
    offered: Callable[[], Collection[str]] | None = None,
) -> Accepted | tuple[Refusal, ...]:
    """All patches applied in order, or every reason why not.

    `facts` are those the checkpoint must settle: each must be cited by a patch or set aside. `offered` returns the
    types of packs, to suggest one for a mistyped name.
    """
    draft = Draft(project, bounded=True)
    draft.offered = offered
    refusals: list[Refusal] = []
    stamp = at or project.now or EPOCH
    for number, patch in enumerate(patches, 1):
        try:
            apply_patch(draft, patch, project.position + 1, number - 1, stamp)
        except Refused as error:
            refusals.append(Refusal(number, describe_patch(patch), str(error)))
    refusals = refusals or forgotten_facts(patches, facts)
    if refusals:
        return tuple(refusals)
    draft.remember(HistoryEntry(project.position + 1, stamp, Checkpoint(patches=tuple(patches))))
    return Accepted(draft.freeze(project.position + 1))


def forgotten_facts(patches: Sequence[Patch], facts: Sequence[int]) -> list[Refusal]:
    """A refusal if the patches leave out facts that the checkpoint must settle."""
    cited = {position for patch in patches for position in patch.cites}
    forgotten = ", ".join(str(position) for position in facts if position not in cited)
    why = f"facts {forgotten} are neither used nor set aside. Cite each of them in a patch."
    return [Refusal(0, "", why)] if forgotten else []


def describe_patch(patch: Patch) -> str:
    op = op_of(patch)
    match patch:
        case Define():
            return f"{op} {patch.type.full_name}"
        case Amend() | End() | Drop():
            return f"{op} {patch.record}"
        case SetAside() | Gone():
            return f"{op} {', '.join(map(str, patch.cites))}"
        case MergeTypes():
            return f"{op} {', '.join(patch.types)}"
        case Adopt():
            return f"{op} {patch.constraint.name}"
        case Retire() | Switch() | Approve():
            return f"{op} {patch.constraint}"
        case Learn():
            return f"{op} {patch.knowledge.name}"
        case _:
            return f"{op} {patch.type}"


class _Stamp(NamedTuple):
    """The position of a change in the log, and the entries that it cites."""

    position: int
    learned: datetime
    cites: tuple[int, ...]
    held: Period
    field_cites: Mapping[str, tuple[int, ...]] = {}


def apply_patch(draft: Draft, patch: Patch, position: int, index: int, learned: datetime) -> None:
    """Make the change, or raise Refused and leave everything as it was."""
    draft.check_cites(patch.cites)
    match patch:
        case Put():
            _put_record(draft, patch, index, _Stamp(position, learned, patch.cites, patch.held, patch.field_cites))
        case Amend():
            draft.need_cites(patch.cites)
            record = draft.record(patch.record)
            values = draft.new_values(draft.type_named(record.type), patch.fields)
            _add_claims(draft, record, values, _Stamp(position, learned, patch.cites, patch.held, patch.field_cites))
        case End():
            _end_record(draft, patch, position)
        case Drop():
            _drop_record(draft, patch)
        case SetAside():
            _set_facts_aside(draft, patch.cites, patch.why, patch.domain)
        case Gone():
            pass
        case Adopt() | Retire() | Switch() | Approve() | Learn():
            change_constraints(draft, patch, position)
            if isinstance(patch, Adopt) and patch.cites:  # a stated rule is kept as a constraint
                _set_facts_aside(draft, patch.cites, f"it is the constraint {patch.constraint.name}", "")
        case _:
            change_types(draft, patch, position, learned)


def apply_correction(draft: Draft, correction: Correction, position: int, learned: datetime) -> None:
    """Apply the user's own value of one field."""
    draft.check_cites(correction.cites)
    record = draft.record(correction.record)
    values = draft.new_values(draft.type_named(record.type), {correction.field: correction.value})
    _add_claims(draft, record, values, _Stamp(position, learned, correction.cites, Period()), authority="correction")


def _put_record(draft: Draft, patch: Put, index: int, stamp: "_Stamp") -> None:
    type_ = draft.type_named(patch.type)
    draft.need_cites(patch.cites)
    values = draft.new_values(type_, patch.fields)
    for name in type_.key:
        if name not in values:
            raise Refused(f"key field {name} is missing. Give a value of type {draft.fields(type_)[name]}.")
    record_id = f"{patch.type}:{_nonempty_key(type_, values) or f'#{stamp.position}.{index}'}"
    record = draft.tables[patch.type].get(record_id)
    if record is None:
        for name, parsed in draft.fields(type_).items():
            if name not in values and not parsed.optional and parsed.kind != "list":
                raise Refused(f"field {name} is missing. Give a value of type {parsed}.")
        _check_only_record(draft, type_, record_id)
        record = Record(record_id, patch.type, (stamp.position, index), {}, {})
    elif record.ended is not None:
        _check_only_record(draft, type_, record_id)
        record = msgspec.structs.replace(record, ended=None)
    _add_claims(draft, record, values, stamp)


def _check_only_record(draft: Draft, type_: Type, record_id: str) -> None:
    if type_.cardinality != "one":
        return
    standing = (record for record in draft.table(type_.full_name).values() if record.ended is None)
    other = next((record for record in standing if record.id != record_id), None)
    if other is not None:
        raise Refused(f"{type_.full_name} can have only one record, and {other.id} exists. Amend it, or end it first.")


def _add_claims(
    draft: Draft, record: Record, values: Mapping[str, Typed], stamp: "_Stamp", *, authority: Authority | None = None
) -> None:
    """Add one claim per field and store the record with its current values."""
    type_ = draft.type_named(record.type)
    if not values:
        raise Refused("names no fields. Name at least one.")
    check_period(stamp.held)
    claims = dict(record.claims)
    whole = _citations_worth(draft, stamp.cites, stamp, type_)
    for name, value in values.items():
        is_named = name in stamp.field_cites
        whose, said, held = _citations_worth(draft, _field_citations(name, stamp), stamp, type_) if is_named else whole
        claim = Claim(value, authority or whose, said, stamp.learned, held, stamp.position, stamp.cites)
        claims[name] = (*claims.get(name, ()), claim)
    changed = settle_values(msgspec.structs.replace(record, claims=claims), type_)
    if record.claims and any(name in values for name in type_.key):
        changed = _rekey_record(draft, record, changed, type_)
    draft.store(changed)
    for cited in stamp.cites:
        draft.use(cited, changed.id)


def _citations_worth(
    draft: Draft, cites: Sequence[int], stamp: "_Stamp", type_: Type
) -> tuple[Authority, datetime, Period]:
    """The authority, time and period of a value that depends on all of these citations."""
    sources = [draft.sources[cited] for cited in cites]
    if not sources:
        return "correction", stamp.learned, stamp.held
    source = weakest_source(sources)
    held = _inherited_period(source, type_) if stamp.held == Period() else stamp.held
    return source.authority, max(each.said for each in sources), held


def _field_citations(name: str, stamp: "_Stamp") -> tuple[int, ...]:
    named = stamp.field_cites[name]
    if not named or not set(named) <= set(stamp.cites):
        raise Refused(f"field_cites of {name} is {list(named)}. Use positions from cites: {list(stamp.cites)}.")
    return named


def _inherited_period(source: Source, type_: Type) -> Period:
    """The period of a claim that follows from a fact: for an event that of the fact; a state holds from then on, and at
    once if the fact names a future day."""
    held = source.held
    if type_.cardinality == "event" or held.first is None:
        return held
    if held.first > source.said.date():
        return Period()
    return Period(held.start) if held.start == held.end else held


def _rekey_record(draft: Draft, old: Record, changed: Record, type_: Type) -> Record:
    """The record under its new key; references to it are updated."""
    record_id = f"{changed.type}:{_nonempty_key(type_, changed.values)}"
    if record_id == old.id:
        return changed
    for name in draft.referring(old.type):
        for other in draft.table(name).values():
            if draft.refers(other, old) and (other.id == old.id or _has_key_reference(draft, other, old.type)):
                raise Refused(
                    f"{other.id} has this record in its key, or is it. Drop and put it instead of changing the key."
                )
    if record_id in draft.tables[changed.type]:
        raise Refused(f"the new key would collide with the existing record {record_id}. Drop one of them first.")
    draft.move(old, msgspec.structs.replace(old, id=record_id))
    return msgspec.structs.replace(changed, id=record_id)


def _end_record(draft: Draft, patch: End, position: int) -> None:
    record = draft.record(patch.record)
    draft.need_cites(patch.cites)
    check_period(Period(patch.when, ""))
    if not patch.when:
        raise Refused("when is empty. Use a date such as 2026-03-01, 2026-03 or 2026.")
    draft.store(msgspec.structs.replace(record, ended=Ended(patch.when, patch.why, position, patch.cites)))
    for cited in patch.cites:
        draft.use(cited, record.id)


def _drop_record(draft: Draft, patch: Drop) -> None:
    record = draft.record(patch.record)
    if not patch.why.strip():
        raise Refused("why is empty. Give a reason.")
    for name in draft.referring(record.type):
        for other in draft.table(name).values():
            if other.id != record.id and draft.refers(other, record, standing=True):
                raise Refused(f"{other.id} refers to it. Amend or drop that record first.")
    draft.remove(record)
    domain = draft.type_named(record.type).domain
    for cited in {*record.cites, *patch.cites}:
        left = tuple(used for used in draft.used.get(cited, ()) if used != record.id)
        draft.unuse(cited, record.id)
        if not left:
            _set_facts_aside(draft, (cited,), f"{record.id} was dropped: {patch.why}", domain)


def _set_facts_aside(draft: Draft, cites: tuple[int, ...], why: str, domain: str) -> None:
    draft.need_cites(cites)
    if not why.strip():
        raise Refused("why is empty. Give a reason.")
    for cited in cites:
        if not draft.used.get(cited):
            if (old := draft.aside.get(cited)) is not None:
                draft.cover(old.domain, aside=-1)
            draft.aside[cited] = SetAsideFact(why, domain)
            draft.cover(domain, aside=1)
            draft.waiting.pop(cited, None)
            draft.progress.settle(cited)


def _nonempty_key(type_: Type, values: Mapping[str, Typed]) -> str:
    key = key_text(type_, values)
    if type_.key and not key.strip("|"):
        raise Refused(f"the key ({', '.join(type_.key)}) is empty. Give it a value.")
    return key


def _has_key_reference(draft: Draft, other: Record, type_name: str) -> bool:
    type_ = draft.types[other.type]
    return any(draft.fields(type_)[name].ref == type_name for name in type_.key)
