"""Claims: one value of one field, with source and three clocks, and how the current value is chosen among them.

No policy but `union` lets a weaker source replace what a stronger one stated: a later weaker claim is an open conflict.
Nor does one person's word, as the user reports it, replace another's: it stays open until the user decides.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import TypeAlias

import msgspec

from uac.schema.entries import Authority, Role
from uac.schema.periods import Period
from uac.schema.types import Policy, Type
from uac.schema.values import Typed
from uac.schema.word_caches import word_cache

__all__ = [
    "AUTHORITIES",
    "NO_SOURCE",
    "NO_STAMP",
    "ROLE_AUTHORITY",
    "Claim",
    "PatchClaims",
    "Shape",
    "Source",
    "Statement",
    "claim_trust",
    "claims_since_correction",
    "contending_claims",
    "decide_value",
    "inherited_period",
    "is_planned",
    "record_shape",
    "shared_source",
    "shared_stamp",
    "single_statement",
    "unsure_reason",
    "weakest_claim_source",
]

_ClaimTime = tuple[date, datetime, int]

AUTHORITIES: tuple[Authority, ...] = ("inferred", "assistant", "tool", "document", "user", "correction")
"""Weakest first."""


def claim_trust(authority: Authority) -> int:
    """How much a source counts against others. The user's statements and corrections count the same."""
    return min(AUTHORITIES.index(authority), AUTHORITIES.index("user"))


STATED = claim_trust("tool")
"""From here on a statement is evidence of its own; below it, an assistant repeats or a model guesses."""

ROLE_AUTHORITY: dict[Role, Authority] = {
    "user": "user",
    "person": "document",
    "assistant": "assistant",
    "tool": "tool",
    "document": "document",
    "system": "inferred",
}
"""Whose word an observation is when a record cites it directly, as imports do."""


class Source(msgspec.Struct, frozen=True, gc=False):
    """What a claim takes from a citation: authority, time of the statement, period, and the entries it cites itself."""

    authority: Authority
    said: datetime
    held: Period
    cites: tuple[int, ...]
    is_fact: bool
    according_to: str = ""
    """The person whose word the user reports; "" for the user's own word."""


class Claim(msgspec.Struct, frozen=True, gc=False):
    """One value of one field: `held` says when it was true, `said` when it was said, `learned` when we learned it."""

    value: Typed
    authority: Authority
    said: datetime
    learned: datetime
    held: Period
    position: int
    cites: tuple[int, ...]
    according_to: str = ""
    """The person whose word the user reports; "" for the user's own word."""
    unsure: str = ""
    """Why the value is not certain; "" if it is. Without a value: which words were not understood."""
    is_planned: bool = False
    """True if the statement names a coming day: the value has no period, and counts from the day it was said on."""

    @property
    def is_open(self) -> bool:
        """Whether it says only that a value was stated, in words that were not understood."""
        return self.value is None and bool(self.unsure)

    @property
    def attribution(self) -> str:
        """Whose word it is: 'user', or 'user, according to Karin'."""
        return f"{self.authority}, according to {self.according_to}" if self.according_to else self.authority


Shape: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The names of the fields that a patch states, and of the fields that its record has, each in their order."""


@word_cache(4096)
def record_shape(stated: tuple[str, ...], fields: tuple[str, ...]) -> Shape:
    """The same object for the same names: the records of a type share it."""
    return stated, fields


class Statement(msgspec.Struct, frozen=True, gc=False):
    """All that is claimed of a record that one patch states. Almost every record is one of these, so it is compact:
    the values in the order of their names, and what their claims have in common."""

    shape: Shape
    stated: tuple[Typed, ...]
    stamp: Claim
    """A claim without its value and citations; records of one checkpoint often share it."""
    cites: tuple[int, ...]

    # As those of settled claims, where sources can disagree.
    conflicts = ()
    unsure = ()
    is_incomplete = False

    @property
    def claims(self) -> "PatchClaims":
        return PatchClaims(self)

    @property
    def values(self) -> dict[str, Typed]:
        stated, fields = self.shape
        known = dict(zip(stated, self.stated, strict=True))
        return known if stated == fields else {name: known.get(name) for name in fields}


def single_statement(by_field: Mapping[str, tuple[Claim, ...]], fields: tuple[str, ...]) -> Statement | None:
    """The claims of a record with these fields as one statement; None if they differ in more than their values."""
    if isinstance(by_field, PatchClaims):
        statement = by_field.statement
        return msgspec.structs.replace(statement, shape=record_shape(statement.shape[0], fields))
    if not by_field or any(len(claims) != 1 or claims[0].unsure for claims in by_field.values()):
        return None
    claims = [claim for (claim,) in by_field.values()]
    first, *others = [msgspec.structs.replace(claim, value=None, cites=()) for claim in claims]
    if any(each.cites != claims[0].cites for each in claims) or any(
        shared_stamp(each, first) is not first for each in others
    ):
        return None
    return Statement(record_shape(tuple(by_field), fields), tuple(c.value for c in claims), first, claims[0].cites)


_UNDATED = Period()
_NO_TIME = datetime.min.replace(tzinfo=UTC)
NO_STAMP = Claim(None, "inferred", _NO_TIME, _NO_TIME, _UNDATED, 0, ())
NO_SOURCE = Source("inferred", _NO_TIME, _UNDATED, (), is_fact=False)


def shared_stamp(stamp: Claim, last: Claim) -> Claim:
    """The last stamp, if the next one is the same: statements that follow each other often are of one checkpoint."""
    if stamp == last and stamp.said.tzinfo == last.said.tzinfo and stamp.learned.tzinfo == last.learned.tzinfo:
        return last
    return stamp


def shared_source(source: Source, last: Source) -> Source:
    """The last source, if the next one is the same, as with the lines of an imported file."""
    return last if source == last and source.said.tzinfo == last.said.tzinfo else source


class PatchClaims(Mapping[str, tuple[Claim, ...]]):
    """The claims of a statement by field: they differ in their values only, and are made when they are read."""

    __slots__ = ("statement",)

    def __init__(self, statement: Statement) -> None:
        self.statement = statement

    def __getitem__(self, name: str) -> tuple[Claim, ...]:
        names, statement = self.statement.shape[0], self.statement
        if name not in names:
            raise KeyError(name)
        value = statement.stated[names.index(name)]
        return (msgspec.structs.replace(statement.stamp, value=value, cites=statement.cites),)

    def __contains__(self, name: object) -> bool:
        return name in self.statement.shape[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.statement.shape[0])

    def __len__(self) -> int:
        return len(self.statement.shape[0])

    def __repr__(self) -> str:
        return repr(dict(self))


def weakest_claim_source(sources: Sequence[Source]) -> Source:
    """The least trusted source, for a claim that depends on all of them; of equal ones a correction, then the first."""
    if len(sources) == 1:  # as for almost every claim
        return sources[0]
    return min(sources, key=lambda source: (claim_trust(source.authority), -AUTHORITIES.index(source.authority)))


def inherited_period(source: Source, type_: Type) -> Period:
    """The period of a claim that follows from a fact: for an event that of the fact; a state holds from then on, and at
    once if the fact names a future day."""
    held = source.held
    if type_.cardinality == "event" or held.first is None:
        return held
    if is_planned(source, type_):
        return Period()
    return Period(held.start) if held.start == held.end else held


def is_planned(source: Source, type_: Type) -> bool:
    """Whether the fact gives a state a day to come: a debt that is due then, or a lease that begins then."""
    first = source.held.first
    return type_.cardinality != "event" and first is not None and first > source.said.date()


def decide_value(claims: Sequence[Claim], policy: Policy, *, is_event: bool = False) -> tuple[Typed, bool]:
    """The current value, and whether it is an open conflict that a person should decide.

    For an event, the last statement counts, whatever day it names.
    """
    if len(claims) == 1:
        return claims[0].value, False
    if policy == "union":
        return _union_of_claims(claims), False
    standing, *against = contending_claims(claims, policy, is_event=is_event)
    return standing.value, bool(against)


def contending_claims(claims: Sequence[Claim], policy: Policy, *, is_event: bool = False) -> list[Claim]:
    """The claim that gives the current value, and those that conflict with it, in their order."""
    claims = claims_since_correction(claims)
    by_time = partial(_claim_time, is_event=is_event)
    best = max(reversed(claims), key=lambda claim: (_claim_rank(claim, policy), *by_time(claim)))
    match policy:
        case "latest":  # what a weaker source states later neither replaces the value nor is ignored
            weaker = [c for c in claims if STATED <= claim_trust(c.authority) < claim_trust(best.authority)]
            against = [c for c in weaker if by_time(c) >= by_time(best)]
        case "ask" if best.authority != "correction":
            against = list(claims)
        case _:
            against = []
    if not against and best.according_to and best.authority != "correction":
        against = _claims_of_others(claims, best, by_time)
    return [best, *(claim for claim in against if claim.value != best.value)]


def unsure_reason(claims: Sequence[Claim], policy: Policy, *, is_event: bool = False) -> str:
    """Why the current value is not certain; "" if it is.

    A later claim that is certain takes the mark away, and so does an equally trusted one with the same value. Words
    that were not understood never replace a value: they mark it, if they are later and their source is as trusted.
    """
    if not any(claim.unsure for claim in claims):
        return ""
    valued = [claim for claim in claims_since_correction(claims) if not claim.is_open]
    if not valued:
        return max(claims, key=lambda claim: (claim_trust(claim.authority), claim.said, claim.position)).unsure
    if policy == "union":
        best = max(valued, key=lambda claim: (claim.said, claim.position))
        doubtful = valued
    else:
        best = contending_claims(valued, policy, is_event=is_event)[0]
        doubtful = [best]
    certain = {claim.value for claim in valued if not claim.unsure and _is_as_trusted(claim, best)}
    reasons = [claim.unsure for claim in doubtful if claim.value not in certain]
    reasons += [
        claim.unsure
        for claim in claims_since_correction(claims)
        if claim.is_open and _is_as_trusted(claim, best) and (claim.said, claim.position) > (best.said, best.position)
    ]
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason))


def _is_as_trusted(claim: Claim, other: Claim) -> bool:
    return claim_trust(claim.authority) >= claim_trust(other.authority)


def _claims_of_others(claims: Sequence[Claim], best: Claim, by_time: Callable[[Claim], _ClaimTime]) -> list[Claim]:
    """The last word of each other person on a value that the user reports, and the user's own if it is older than all
    of them: a later one decides. A value that holds from another day on is a change and contradicts nobody."""
    equals = sorted((c for c in claims if claim_trust(c.authority) == claim_trust(best.authority)), key=by_time)
    own = max((number for number, claim in enumerate(equals) if not claim.according_to), default=0)
    others: list[Claim] = []
    for claim in equals[own:]:
        others = [other for other in others if not _is_same_speaker(other, claim)]
        others += [] if _is_same_speaker(claim, best) or _is_later_change(best, claim) else [claim]
    return others


def _is_same_speaker(claim: Claim, other: Claim) -> bool:
    """Whether both are the user's own word, or one name has all words of the other: 'Karin' and 'my aunt Karin'."""
    mine, theirs = (set(re.findall(r"\w+", each.according_to.casefold())) for each in (claim, other))
    return mine == theirs or (bool(mine and theirs) and (mine <= theirs or theirs <= mine))


def _is_later_change(claim: Claim, other: Claim) -> bool:
    since = claim.held.first
    return since is not None and since != claim.value and (other.held.first is None or other.held.first < since)


def claims_since_correction(claims: Sequence[Claim]) -> Sequence[Claim]:
    """The last correction and what was said and learned after it; all claims if there is none."""
    last = max((index for index, claim in enumerate(claims) if claim.authority == "correction"), default=None)
    if last is None:
        return claims
    return [claims[last], *(claim for claim in claims[last + 1 :] if claim.said > claims[last].said)]


def _claim_rank(claim: Claim, policy: Policy) -> int:
    return claim_trust(claim.authority) if policy == "latest" else AUTHORITIES.index(claim.authority)


def _claim_time(claim: Claim, *, is_event: bool) -> _ClaimTime:
    """Sort key, newest last. A statement about a future day counts from the day it was made: a deadline that moves to
    an earlier day has moved."""
    said = claim.said.astimezone(UTC).date()
    held = said if is_event or claim.held.first is None else min(claim.held.first, said)
    return held, claim.said, claim.position


def _union_of_claims(claims: Sequence[Claim]) -> Typed:
    """All items in the order in which they were claimed; a correction starts again."""
    items: dict[Typed, None] = {}
    for claim in claims:
        if claim.authority == "correction":
            items.clear()
        if isinstance(claim.value, tuple):
            items.update(dict.fromkeys(claim.value))
    return tuple(items)
