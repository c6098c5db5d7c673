"""Records: objects of a type with their claims, and how their current values follow from them."""

from collections.abc import Mapping
from datetime import date
from typing import Literal, NamedTuple

import msgspec

from uac.project.alerts import RecordOrigin
from uac.project.claims import (
    Claim,
    Statement,
    claim_trust,
    contending_claims,
    decide_value,
    single_statement,
    unsure_reason,
)
from uac.project.stored_map import AnyMap, AnyMutation
from uac.schema.types import Field, Type, parse_type
from uac.schema.values import Typed, dump_value, fold_key

__all__ = [
    "OWNER_FIELDS",
    "EndReason",
    "Ended",
    "Pause",
    "Record",
    "SettledClaims",
    "UnsureField",
    "disputed_claims",
    "is_required",
    "record_key",
    "record_origin",
    "record_trust",
    "record_type",
    "supplemented_fields",
    "with_claims",
    "without_weaker_words",
]


_USER = claim_trust("user")

OWNER_FIELDS = ("person", "who")
"""The fields by which types of packs say whose a record is. Without a value, or 'me', it is the user's own."""

EndReason = Literal["cancelled", "returned", "ended"]
"""A plan that will not happen, a thing that was given back, and what was so until a day. What never was is dropped."""

_END_REASONS: Mapping[str, EndReason] = {"cancelled": "cancelled", "canceled": "cancelled", "returned": "returned"}


class Ended(NamedTuple):
    """From when on a record no longer holds, and why."""

    when: str
    why: str
    position: int
    cites: tuple[int, ...] = ()

    @property
    def reason(self) -> EndReason:
        """The first word of `why`, if it is one of these; `ended` for everything that was so until then."""
        word = self.why.casefold().partition(" ")[0].rstrip(".,:;")
        return _END_REASONS.get(word, "ended")


class Pause(NamedTuple):
    """A record that had ended was stated again: it did not hold from its end until that day."""

    ended: Ended
    until: date


class UnsureField(NamedTuple):
    """A field whose value is not certain, and why. If it has no value, its words were not understood."""

    field: str
    why: str


class SettledClaims(msgspec.Struct, frozen=True, gc=False):
    """All that is claimed of a record that several patches state, and the values that follow."""

    claims: Mapping[str, tuple[Claim, ...]]
    values: dict[str, Typed]
    conflicts: tuple[str, ...] = ()
    unsure: tuple[UnsureField, ...] = ()
    is_incomplete: bool = False


class Record(msgspec.Struct, frozen=True, gc=False):
    """An object of a type."""

    id: str
    position: int
    """Of the checkpoint that made it."""
    patch: int
    """The number of the patch that made it, in that checkpoint."""
    content: Statement | SettledClaims
    ended: Ended | None = None
    pauses: tuple[Pause, ...] = ()

    @property
    def type(self) -> str:
        return record_type(self.id)

    @property
    def order(self) -> tuple[int, int]:
        """The order in which records are listed."""
        return self.position, self.patch

    @property
    def values(self) -> dict[str, Typed]:
        """The current values of its fields."""
        return self.content.values

    @property
    def claims(self) -> Mapping[str, tuple[Claim, ...]]:
        """All that was ever claimed, by field."""
        return self.content.claims

    @property
    def conflicts(self) -> tuple[str, ...]:
        return self.content.conflicts

    @property
    def unsure(self) -> tuple[UnsureField, ...]:
        return self.content.unsure

    @property
    def is_incomplete(self) -> bool:
        """Whether a field that its type requires has no value, because its words were not understood."""
        return self.content.is_incomplete

    @property
    def key(self) -> str:
        """How other records refer to it."""
        return self.id.partition(":")[2]

    @property
    def cites(self) -> frozenset[int]:
        if isinstance(self.content, Statement):
            cited = {*self.content.cites}
        else:
            cited = {cited for claims in self.claims.values() for claim in claims for cited in claim.cites}
        ends = (self.ended, *(pause.ended for pause in self.pauses))
        return frozenset(cited.union(*(ended.cites for ended in ends if ended is not None)))


def record_key(type_: Type, values: Mapping[str, Typed]) -> str:
    """The key of a record as text. Letter case and extra spaces do not tell records apart.

    Optional fields at its end that are unset are left out: a type can get one more key field, and its records stay.
    """
    names = [*type_.key]
    while names and values.get(names[-1]) is None:
        names.pop()
    parts = []
    for name in names:
        text = "" if (value := values.get(name)) is None else str(dump_value(value, in_seconds=True))
        parts.append(fold_key(text).replace("\\", "\\\\").replace("|", "\\|"))
    return "|".join(parts)


def record_type(record_id: str) -> str:
    return record_id.partition(":")[0]


def record_origin(
    tables: Mapping[str, AnyMap[str, Record] | AnyMutation[str, Record]], record_id: str
) -> RecordOrigin | None:
    """The checkpoint and the patch that created the record of that id; None if there is none."""
    table = tables.get(record_type(record_id))
    record = None if table is None else table.get(record_id)
    return record.order if record is not None else None


def record_trust(record: Record) -> int:
    """How much the strongest of its sources counts."""
    return max((claim_trust(claim.authority) for claims in record.claims.values() for claim in claims), default=0)


def supplemented_fields(record: Record, type_: Type) -> tuple[str, ...]:
    """The fields of a record of the user in which only weaker sources stated a value; of a list, an item."""
    if isinstance(record.content, Statement) or record_trust(record) < _USER:
        return ()
    return tuple(
        part.name
        for part in type_.fields
        if part.name not in type_.key
        and not is_required(part)
        and (trusts := [claim_trust(claim.authority) for claim in record.claims.get(part.name, ())])
        and (max(trusts) < _USER or (part.policy == "union" and min(trusts) < _USER))
    )


def without_weaker_words(record: Record, type_: Type) -> Record:
    """The record as it would be if weaker sources had added nothing to what the user said."""
    claims = dict(record.claims)
    for name in supplemented_fields(record, type_):
        claims[name] = tuple(claim for claim in claims[name] if claim_trust(claim.authority) >= _USER)
    return with_claims(record, {name: kept for name, kept in claims.items() if kept}, type_)


def with_claims(record: Record, claims: Mapping[str, tuple[Claim, ...]], type_: Type) -> Record:
    """The record with these claims, and the current value of each field chosen from them."""
    return msgspec.structs.replace(record, content=_settle_claims(claims, type_))


def _settle_claims(by_field: Mapping[str, tuple[Claim, ...]], type_: Type) -> Statement | SettledClaims:
    statement = single_statement(by_field, tuple(part.name for part in type_.fields))
    if statement is not None:
        return statement
    values: dict[str, Typed] = {}
    conflicts: list[str] = []
    unsure: list[UnsureField] = []
    is_event = type_.cardinality == "event"
    for part in type_.fields:
        claims = by_field.get(part.name, ())
        if len(claims) < 2 and not (claims and claims[0].unsure):  # as in almost every record
            values[part.name] = claims[0].value if claims else None
            continue
        valued = [claim for claim in claims if not claim.is_open]
        values[part.name], disputed = decide_value(valued, part.policy, is_event=is_event) if valued else (None, False)
        if disputed:
            conflicts.append(part.name)
        if why := unsure_reason(claims, part.policy, is_event=is_event):
            unsure.append(UnsureField(part.name, why))
    is_incomplete = any(values[each.field] is None and is_required(type_.field(each.field)) for each in unsure)
    return SettledClaims(by_field, values, tuple(conflicts), tuple(unsure), is_incomplete)


def is_required(part: Field | None) -> bool:
    """Whether every record needs a value in the field."""
    parsed = None if part is None else parse_type(part.type)
    return parsed is not None and not parsed.optional and parsed.kind != "list"


def disputed_claims(record: Record, type_: Type, name: str) -> tuple[Claim, ...]:
    """The claims of a field in open conflict between which a person has to decide, in the order they were made."""
    part = type_.field(name)
    claims = tuple(claim for claim in record.claims[name] if not claim.is_open)
    if part is None or part.policy == "ask":
        return claims
    open_ = contending_claims(claims, part.policy, is_event=type_.cardinality == "event")
    return tuple(claim for claim in claims if claim in open_)
