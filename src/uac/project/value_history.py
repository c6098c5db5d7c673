"""The values of a field over time: each with the days for which it counts, when it was said, and whose word it is."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal, NamedTuple

from uac.project.claims import Claim, claim_trust, claims_since_correction, contending_claims
from uac.project.records import Record
from uac.project.valid_days import DaySpan, claim_spans
from uac.schema.periods import Period
from uac.schema.types import Policy, Type
from uac.schema.values import Typed

__all__ = ["PastValue", "ValueStatus", "value_history"]

ValueStatus = Literal["current", "past", "corrected", "replaced", "overruled"]
"""The present value; one that counted before; one that a correction took back, that changed again on its first day, or
that a stronger word outweighs. Those last three count on no day."""


class PastValue(NamedTuple):
    """A value that was stated, and for which days it counts, both included; None is open."""

    value: Typed
    first_day: date | None
    last_day: date | None
    told: date
    by: str
    status: ValueStatus


def value_history(record: Record, type_: Type, name: str) -> list[PastValue]:
    """Everything that was stated for a field, by its first day. A value that counts again later is listed again.

    The days of a value that counts on none are those for which it was stated. An event happens once: its values have
    no days, and all but the last are past.
    """
    part, stated = type_.field(name), record.claims.get(name, ())
    claims = [claim for claim in stated if not claim.is_open]
    if part is None or not claims:
        return []
    is_event = type_.cardinality == "event"
    if part.policy == "union":
        current = list(claims_since_correction(claims))
    else:
        current = contending_claims(claims, part.policy, is_event=is_event)[:1]
    if record.ended is not None and not is_event:
        current = []
    spans = claim_spans(record, type_, name)
    spans = [
        DaySpan(None, None) if is_event else span
        for claim, span in zip(stated, spans, strict=True)
        if not claim.is_open
    ]
    counted = {} if is_event else _days_in_effect(record, claims, spans, part.policy)
    values: list[PastValue] = []
    for number, (claim, span) in enumerate(zip(claims, spans, strict=True)):
        stretches = counted.get(id(claim), [])
        status: ValueStatus = "past" if stretches else _status_of_none(claims, number, is_event=is_event)
        values += [_past_value(claim, each, status) for each in stretches or [span]]
        if any(claim is each for each in current):
            values[-1] = values[-1]._replace(status="current")
    return sorted(values, key=lambda each: (each.first_day or date.min, each.told))


def _past_value(claim: Claim, span: DaySpan, status: ValueStatus) -> PastValue:
    return PastValue(claim.value, span.first, span.last, claim.said.date(), claim.attribution, status)


def _status_of_none(claims: Sequence[Claim], number: int, *, is_event: bool) -> ValueStatus:
    """Why a claim counts on no day."""
    if any(each.authority == "correction" for each in claims[number + 1 :]):
        return "corrected"
    trust = claim_trust(claims[number].authority)
    if any(claim_trust(each.authority) > trust for each in claims):
        return "overruled"
    return "past" if is_event else "replaced"


def _days_in_effect(
    record: Record, claims: Sequence[Claim], spans: Sequence[DaySpan], policy: Policy
) -> dict[int, list[DaySpan]]:
    """The stretches of days on which each claim gives the value, by the id of its object.

    Between two days on which any of them begins or ends, the same claims count throughout.
    """
    over = Period(record.ended.when).first if record.ended is not None else None
    after = {span.last + timedelta(days=1) for span in spans if span.last is not None and span.last < date.max}
    begins = sorted({date.min, *after, *(span.first for span in spans if span.first is not None)})
    found: dict[int, list[tuple[date, date]]] = {}
    for first, following in zip(begins, [*begins[1:], None], strict=True):
        covering = [claim for claim, span in zip(claims, spans, strict=True) if span.covers(first)]
        if not covering or (over is not None and first >= over):
            continue
        last = date.max if following is None else following - timedelta(days=1)
        last = last if over is None else min(last, over - timedelta(days=1))
        counting = claims_since_correction(covering) if policy == "union" else contending_claims(covering, policy)[:1]
        for claim in counting:
            stretches = found.setdefault(id(claim), [])
            if stretches and stretches[-1][1] + timedelta(days=1) == first:
                stretches[-1] = (stretches[-1][0], last)
            else:
                stretches.append((first, last))
    return {claim: [_open_span(*each) for each in stretches] for claim, stretches in found.items()}


def _open_span(first: date, last: date) -> DaySpan:
    return DaySpan(None if first == date.min else first, None if last == date.max else last)
