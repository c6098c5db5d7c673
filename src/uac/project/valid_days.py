"""What was valid on a day: which records, and which of their values.

A record is valid from its first day on. An event's is the day of the event; that of a state is what its field `since`
(`started`, `starts`, `start`) says, or else the period of the statement that created it. A later statement without a
date says nothing about when the record began. What had ended by then is former on that day, as it is today; so is a
state whose own last day (`ends`, `ended`, `until`) was before it.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

import msgspec

from uac.project.claims import Claim, claims_since_correction, contending_claims
from uac.project.records import Ended, Record, with_claims
from uac.schema.periods import Period
from uac.schema.types import Policy, Type, parse_type
from uac.schema.values import Typed
from uac.schema.word_caches import word_cache

__all__ = [
    "END_FIELDS",
    "START_FIELDS",
    "DaySpan",
    "claim_spans",
    "over_by_own_end",
    "record_on_day",
    "records_on_day",
    "states_own_end",
]

START_FIELDS = ("since", "started", "starts", "start")
"""Fields of a state that say when it began, as the packs name them."""
END_FIELDS = ("ends", "ended", "until")
"""Fields of a state that say which was its last day."""


class DaySpan(NamedTuple):
    """From the first to the last day, both included; None is open."""

    first: date | None
    last: date | None

    def covers(self, day: date) -> bool:
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)


ALWAYS = DaySpan(None, None)


def records_on_day(records: Iterable[Record], type_: Type, day: date) -> Iterator[Record]:
    """The records of a type as they were on that day. Of a type with one record at a time, one without a date begins
    when the one before it has ended."""
    after: date | None = None
    for record in records if type_.cardinality != "one" else sorted(records, key=lambda record: record.order):
        if (standing := record_on_day(record, type_, day, after=after)) is not None:
            yield standing
        if type_.cardinality == "one" and record.ended is not None:
            after = Period(record.ended.when).first


def record_on_day(record: Record, type_: Type, day: date, *, after: date | None = None) -> Record | None:
    """The record as it was on that day, with the values of then; None if it had not begun. An event that had happened
    by then stays. `after` is the first day of a record that nothing dates."""
    ended = _end_by(record, day)
    creation, begin = _creating_claims(record), _first_day(record, type_)
    if ended is None and not _has_begun(record, type_, day, creation, begin):
        return None
    if ended is None and after is not None and after > day and begin is None and not any(map(_is_dated, creation)):
        return None
    active = {
        part.name: standing
        for part in type_.fields
        if (claims := record.claims.get(part.name))
        and (standing := _claims_on_day(claims, type_, day, creation, begin, part.policy))
    }
    keys = {name: record.claims[name] for name in type_.key if name in record.claims and name not in active}
    changed = msgspec.structs.replace(record, ended=ended, pauses=())
    return over_by_own_end(with_claims(changed, {**active, **keys}, type_), type_, day)


@word_cache(1024)
def states_own_end(type_: Type) -> bool:
    """Whether records of the type are states with a field that says which was their last day."""
    kinds = (parse_type(field.type).kind for field in type_.fields if field.name in END_FIELDS)
    return type_.cardinality != "event" and any(kind in ("date", "datetime") for kind in kinds)


def over_by_own_end(record: Record, type_: Type, day: date) -> Record:
    """The record, ended if its own last day was before that day. What renews automatically goes on."""
    if record.ended is not None or not states_own_end(type_) or record.values.get("renewal") == "automatic":
        return record
    name = next((name for name in END_FIELDS if _day_of(record.values.get(name)) is not None), "")
    last = _day_of(record.values.get(name))
    if last is None or last >= day:
        return record
    claim = next(claim for claim in reversed(record.claims[name]) if claim.value == record.values[name])
    when = (last + timedelta(days=1)).isoformat()
    return msgspec.structs.replace(record, ended=Ended(when, f"{name} {last}", claim.position, claim.cites))


def claim_spans(record: Record, type_: Type, name: str) -> list[DaySpan]:
    """The days for which each claim of a field counts, in their order: until its end, or until another replaces it."""
    part, claims = type_.field(name), record.claims.get(name, ())
    if type_.cardinality == "event" or part is None:
        return [DaySpan(claim.held.first, None) for claim in claims]
    return _state_spans(claims, _creating_claims(record), _first_day(record, type_), part.policy)


def _end_by(record: Record, day: date) -> Ended | None:
    """Why the record was over on that day."""
    if record.ended is not None and (first := Period(record.ended.when).first) is not None and first <= day:
        return record.ended
    for pause in record.pauses:
        if (first := Period(pause.ended.when).first) is not None and first <= day < pause.until:
            return pause.ended
    return None


def _creating_claims(record: Record) -> list[Claim]:
    """The claims of the statement that created the record: the first one, and those that were made with it."""
    claims = [claim for claims in record.claims.values() for claim in claims]
    if not claims:
        return []
    first = min(claims, key=lambda claim: claim.position)
    return [claim for claim in claims if (claim.position, claim.cites) == (first.position, first.cites)]


def _has_begun(record: Record, type_: Type, day: date, creation: Sequence[Claim], begin: date | None) -> bool:
    if type_.cardinality == "event":
        begin = begin or min((claim.held.first for claim in creation if claim.held.first is not None), default=None)
        return begin is None or begin <= day
    if begin is None and not any(map(_is_dated, creation)):
        return True
    made = {(claim.position, claim.cites) for claim in creation}
    return any(
        _stated_span(claim, begin if (claim.position, claim.cites) in made else None).covers(day)
        for claims in record.claims.values()
        for claim in claims
        if _is_dated(claim) or (begin is not None and (claim.position, claim.cites) in made)
    )


def _first_day(record: Record, type_: Type) -> date | None:
    """The first day by the field that states it; None if there is none, or it has no value."""
    if type_.cardinality == "event":
        name = _event_day_field(type_) or _field_with_first_day(record, type_)
        return _day_of(record.values.get(name)) if name else None
    name = next((name for name in START_FIELDS if record.claims.get(name)), "") or _field_with_first_day(record, type_)
    claims = claims_since_correction(record.claims.get(name, ()))
    days: list[date] = []
    for claim in claims:
        if (day := _day_of(claim.value)) is not None:
            # A new start with its date is a change, and one without a date corrects the start.
            days = [*(days if claim.held.first == day else ()), day]
    return min(days, default=None)


@word_cache(1024)
def _event_day_field(type_: Type) -> str:
    """The field with the day of an event: the first date in its key, or else the first required one."""
    dates = {field.name: parse_type(field.type) for field in type_.fields}
    dates = {name: parsed for name, parsed in dates.items() if parsed.kind in ("date", "datetime")}
    keys = [name for name in type_.key if name in dates]
    return next(iter([*keys, *(name for name, parsed in dates.items() if not parsed.optional)]), "")


def _field_with_first_day(record: Record, type_: Type) -> str:
    """The field that was created with the first day of its own period as its value."""
    creation = _creating_claims(record)
    for part in type_.fields:
        first = next(iter(record.claims.get(part.name, ())), None)
        if first is None or first not in creation or first.held.first is None:
            continue
        if _day_of(first.value) == first.held.first:
            return part.name
    return ""


def _claims_on_day(
    claims: Sequence[Claim], type_: Type, day: date, creation: Sequence[Claim], begin: date | None, policy: Policy
) -> tuple[Claim, ...]:
    if type_.cardinality == "event":  # what was stated with it counts from its day on, even if the day has moved
        return tuple(c for c in claims if c.held.first is None or c.held.first <= day or c in creation)
    if len(claims) == 1 and not _is_dated(claims[0]):  # as in almost every record
        return tuple(claims)
    spans = _state_spans(claims, creation, begin, policy)
    return tuple(claim for claim, span in zip(claims, spans, strict=True) if span.covers(day))


def _state_spans(
    claims: Sequence[Claim], creation: Sequence[Claim], begin: date | None, policy: Policy
) -> list[DaySpan]:
    """A value with a period counts in it. One without counts from the day it was said on; the earliest one always, and
    a correction for as long as the value that it corrects. Words that were not understood are no value."""
    spans: list[DaySpan] = []
    valued = [claim for claim in claims if not claim.is_open] or claims
    earliest = min(valued, key=lambda claim: (claim.said, claim.position), default=None)
    for number, claim in enumerate(claims):
        if _is_dated(claim):
            span = _stated_span(claim, begin if claim in creation else None)
        elif claim.authority == "correction" and number and policy != "union":
            before = [earlier for earlier in claims[:number] if not earlier.is_open] or claims[:number]
            span = spans[claims.index(contending_claims(before, policy)[0])]
        elif claim is earliest or (policy == "union" and claim.authority == "correction"):
            span = ALWAYS
        else:
            span = DaySpan(claim.said.date(), None)
        spans.append(span)
    return spans


def _is_dated(claim: Claim) -> bool:
    return claim.is_planned or claim.held != Period()


def _stated_span(claim: Claim, begin: date | None) -> DaySpan:
    first = claim.said.date() if claim.is_planned else claim.held.first
    return DaySpan(begin or first, claim.held.last)


def _day_of(value: Typed) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else None
