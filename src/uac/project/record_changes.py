"""Applies patches of records, and corrections, to a draft: each field that is set gets a claim."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from uac.errors import Refused
from uac.project.claims import (
    Claim,
    Source,
    Statement,
    inherited_period,
    is_planned,
    weakest_claim_source,
)
from uac.project.draft import Draft
from uac.project.records import Ended, Pause, Record, SettledClaims, record_key, with_claims
from uac.schema.entries import Authority, Correction
from uac.schema.patches import Amend, Drop, End, Merge, Put
from uac.schema.periods import Period, check_period
from uac.schema.types import Type
from uac.schema.values import Typed

__all__ = ["change_records", "correct_record"]


_UNDATED = Period()
_NO_CLAIMS = SettledClaims({}, {})


class _RecordChange(NamedTuple):
    """The position of a change in the log, and the entries that it cites."""

    position: int
    learned: datetime
    cites: tuple[int, ...]
    held: Period
    field_cites: Mapping[str, tuple[int, ...]] = {}
    unsure: Mapping[str, str] = {}


def change_records(
    draft: Draft, patch: Put | Amend | End | Drop | Merge, position: int, index: int, learned: datetime
) -> None:
    """Make the change, or raise Refused and leave everything as it was."""
    match patch:
        case Put():
            change = _RecordChange(position, learned, patch.cites, patch.held, patch.field_cites, patch.unsure)
            _put_record(draft, patch, index, change)
        case Amend():
            draft.need_cites(patch.cites)
            record = draft.record(patch.record)
            values = draft.new_values(draft.type_named(record.type), patch.fields)
            change = _RecordChange(position, learned, patch.cites, patch.held, patch.field_cites, patch.unsure)
            _add_record_claims(draft, record, values, change)
        case End():
            _end_record(draft, patch, position)
        case Drop():
            _drop_record(draft, patch)
        case Merge():
            _merge_records(draft, patch, _RecordChange(position, learned, patch.cites, Period()))


def correct_record(draft: Draft, correction: Correction, position: int, learned: datetime) -> None:
    """Apply the user's own value of one field."""
    draft.check_cites(correction.cites)
    record = draft.record(correction.record)
    values = draft.new_values(draft.type_named(record.type), {correction.field: correction.value})
    _add_record_claims(
        draft, record, values, _RecordChange(position, learned, correction.cites, Period()), authority="correction"
    )


def _put_record(draft: Draft, patch: Put, index: int, change: _RecordChange) -> None:
    type_ = draft.type_named(patch.type)
    draft.need_cites(patch.cites)
    values = draft.new_values(type_, patch.fields)
    if (single := _single_record(draft, type_)) is not None:
        _add_record_claims(draft, single, values, change)
        return
    for name in type_.key:
        if name not in values and name not in change.unsure and not draft.fields(type_)[name].optional:
            raise Refused(f"key field {name} is missing. Give a value of type {draft.fields(type_)[name]}.")
    # Two records whose days were not understood are not taken for one.
    is_open = bool(change.unsure) and any(name in change.unsure and name not in values for name in type_.key)
    key = "" if is_open else _nonempty_record_key(type_, values)
    record_id = f"{patch.type}:{key or f'#{change.position}.{index}'}"
    record = draft.tables[patch.type].get(record_id)
    if record is None:
        if not draft.required(type_) <= values.keys():
            for name, parsed in draft.fields(type_).items():
                if name in draft.required(type_) and name not in values and name not in change.unsure:
                    raise Refused(f"field {name} is missing. Give a value of type {parsed}.")
        record = Record(record_id, change.position, index, _NO_CLAIMS)
    elif record.ended is not None:
        record = _resume_record(draft, record, record.ended, change)
    _add_record_claims(draft, record, values, change)


def _resume_record(draft: Draft, record: Record, ended: Ended, change: _RecordChange) -> Record:
    """The record that had ended and is stated again: from the day that is named, or on which it was said. A correction
    without a date means that it never ended."""
    basis, _is_planned = _claim_basis(draft, change.cites, change, draft.type_named(record.type))
    until = basis.held.first or (None if basis.authority == "correction" else basis.said.date())
    pauses = record.pauses if until is None else (*record.pauses, Pause(ended, until))
    return msgspec.structs.replace(record, ended=None, pauses=pauses)


def _single_record(draft: Draft, type_: Type) -> Record | None:
    """The active record of a type that can have only one: a put adds to it, whatever its key."""
    if type_.cardinality != "one":
        return None
    return next((record for record in draft.table(type_.full_name).values() if record.ended is None), None)


def _add_record_claims(
    draft: Draft,
    record: Record,
    values: Mapping[str, Typed],
    change: _RecordChange,
    *,
    authority: Authority | None = None,
) -> None:
    """Add one claim per field and store the record with its current values."""
    type_ = draft.type_named(record.type)
    if unknown := [name for name in change.unsure if type_.field(name) is None]:
        raise Refused(f"unsure names {unknown[0]}. Use fields of {record.type}: {draft.field_names(type_)}.")
    if not values and not change.unsure:
        raise Refused("names no fields. Name at least one.")
    changed = _add_claims(draft, record, record.claims, values, change, authority=authority)
    if record.claims and any(name in values for name in type_.key):
        changed = _rekey_record(draft, record, changed, type_)
    draft.store(changed)
    for cited in change.cites:
        draft.use(cited, changed.id)


def _add_claims(
    draft: Draft,
    record: Record,
    known: Mapping[str, tuple[Claim, ...]],
    values: Mapping[str, Typed],
    change: _RecordChange,
    *,
    authority: Authority | None = None,
) -> Record:
    """The record with the known claims and one more per field, and the values that follow."""
    type_ = draft.type_named(record.type)
    check_period(change.held)
    whole = _claim_basis(draft, change.cites, change, type_)
    if not (known or change.unsure or change.field_cites):
        stamp = draft.shared_stamp(_claim(None, *whole, change, (), authority))
        statement = Statement(draft.shape(type_, tuple(values)), tuple(values.values()), stamp, change.cites)
        return msgspec.structs.replace(record, content=statement)
    claims = dict(known)
    unstated = {name: None for name, why in change.unsure.items() if why and name not in values}
    for name, value in {**values, **unstated}.items():
        is_named = name in change.field_cites
        basis, planned = _claim_basis(draft, _field_citations(name, change), change, type_) if is_named else whole
        claim = _claim(value, basis, planned, change, change.cites, authority, unsure=change.unsure.get(name, ""))
        claims[name] = (*claims.get(name, ()), claim)
    return with_claims(record, claims, type_)


def _claim(
    value: Typed,
    basis: Source,
    planned: bool,
    change: _RecordChange,
    cites: tuple[int, ...],
    authority: Authority | None,
    unsure: str = "",
) -> Claim:
    return Claim(
        value,
        authority or basis.authority,
        basis.said,
        change.learned,
        basis.held,
        change.position,
        cites,
        "" if authority else basis.according_to,
        unsure,
        planned,
    )


def _claim_basis(draft: Draft, cites: Sequence[int], change: _RecordChange, type_: Type) -> tuple[Source, bool]:
    """The authority, time, period and person of a value that depends on all of these citations, and if it is a plan."""
    sources = [draft.sources[cited] for cited in cites]
    if not sources:
        return Source("correction", change.learned, change.held, (), is_fact=False), False
    source = weakest_claim_source(sources)
    is_undated = change.held == _UNDATED
    if len(sources) == 1 and is_undated and source.held == _UNDATED:  # as for almost every claim
        return source, False
    basis = msgspec.structs.replace(
        source,
        said=max(each.said for each in sources),
        held=inherited_period(source, type_) if is_undated else change.held,
        according_to=" and ".join(dict.fromkeys(each.according_to for each in sources if each.according_to)),
    )
    return basis, is_undated and is_planned(source, type_)


def _field_citations(name: str, change: _RecordChange) -> tuple[int, ...]:
    named = change.field_cites[name]
    if not named or not set(named) <= set(change.cites):
        raise Refused(f"field_cites of {name} is {list(named)}. Use positions from cites: {list(change.cites)}.")
    return named


def _rekey_record(draft: Draft, old: Record, changed: Record, type_: Type) -> Record:
    """The record under its new key; references to it are updated."""
    if any(each.field in type_.key and changed.values[each.field] is None for each in changed.unsure):
        return changed  # its key is not complete yet
    record_id = f"{changed.type}:{_nonempty_record_key(type_, changed.values)}"
    if record_id == old.id:
        return changed
    _check_key_references(draft, old)
    if (taken := draft.tables[changed.type].get(record_id)) is not None:
        advice = (
            "Merge the two if they are one; drop one of them if not."
            if taken.ended is None
            else f"That one has ended: end {old.id}, then put it."
        )
        raise Refused(f"the new key would collide with the existing record {record_id}. {advice}")
    draft.move(old, msgspec.structs.replace(old, id=record_id))
    return msgspec.structs.replace(changed, id=record_id)


def _check_key_references(draft: Draft, old: Record) -> None:
    """Refuse to give a record another key if that of another record would have to change with it."""
    for name in draft.referring(old.type):
        for other in draft.table(name).values():
            if draft.refers(other, old) and (other.id == old.id or draft.has_key_reference(other, old.type)):
                raise Refused(
                    f"{other.id} has this record in its key, or is it. Drop and put it instead of changing the key."
                )


def _merge_records(draft: Draft, patch: Merge, change: _RecordChange) -> None:
    """Give all claims of one record to another, whose key stays; references to the first one follow."""
    draft.need_cites(patch.cites)
    record, into = draft.record(patch.record), draft.record(patch.into)
    if record.id == into.id or record.type != into.type:
        raise Refused(f"{record.id} and {into.id} cannot be merged. Name two records of one type.")
    if ended := next((each.id for each in (record, into) if each.ended is not None), ""):
        raise Refused(f"{ended} has ended. Merge two current records.")
    if draft.refers(record, into) or draft.refers(into, record):
        raise Refused(f"One of {record.id} and {into.id} refers to the other. Amend that field first.")
    _check_key_references(draft, record)
    type_ = draft.type_named(into.type)
    both = {
        name: tuple(sorted((*into.claims.get(name, ()), *record.claims.get(name, ())), key=lambda each: each.position))
        for name in {**into.claims, **record.claims}
    }
    key = {name: value for name in type_.key if (value := into.values[name]) is not None}
    merged = _add_claims(draft, into, both, key, change)
    if type_.key and record_key(type_, merged.values) != into.key:
        raise Refused(
            f"a stronger source states the key of {record.id}. Merge {into.id} into {record.id}, or correct it."
        )
    draft.move(record, merged)
    for cited in change.cites:
        draft.use(cited, merged.id)


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
            draft.set_aside((cited,), f"{record.id} was dropped: {patch.why}", domain, outcome="dropped")


def _nonempty_record_key(type_: Type, values: Mapping[str, Typed]) -> str:
    key = record_key(type_, values)
    if type_.key and not key.strip("|"):
        raise Refused(f"the key ({', '.join(type_.key)}) is empty. Give it a value.")
    return key
