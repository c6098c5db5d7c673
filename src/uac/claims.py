"""Claims: one value of one field, with source and two clocks, and how the standing value is chosen among them."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import msgspec

from uac.entries import Authority, Role
from uac.periods import Period
from uac.schema import Policy, Typed

__all__ = ["AUTHORITIES", "ROLE_AUTHORITY", "Claim", "Source", "decide"]

AUTHORITIES: tuple[Authority, ...] = ("inferred", "assistant", "tool", "document", "user", "correction")
"""Weakest first."""

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
    """What a citation lends to a claim: whose word, when it was said, when it held, and what it rests on itself."""

    authority: Authority
    said: datetime
    held: Period
    cites: tuple[int, ...]
    is_fact: bool


class Claim(msgspec.Struct, frozen=True, gc=False):
    """One value of one field: `held` says when it was true, `learned` when we came to know."""

    value: Typed
    authority: Authority
    said: datetime
    learned: datetime
    held: Period
    position: int
    cites: tuple[int, ...]


def decide(claims: Sequence[Claim], policy: Policy, *, is_event: bool = False) -> tuple[Typed, bool]:
    """The standing value, and whether it is an open conflict that somebody should decide.

    Of something that happened once, the last word stands, whatever day it names.
    """
    if len(claims) == 1:
        return claims[0].value, False
    if policy != "union":
        claims = _since_correction(claims)
    match policy:
        case "union":
            return _union(claims), False
        case "authority":
            return _best(claims, partial(_by_authority, is_event=is_event)).value, False
        case "latest":
            return _best(claims, partial(_by_time, is_event=is_event)).value, False
        case "ask":
            best = _best(claims, partial(_by_authority, is_event=is_event))
            if best.authority == "correction":
                return best.value, False
            return best.value, any(claim.value != best.value for claim in claims)


def _since_correction(claims: Sequence[Claim]) -> Sequence[Claim]:
    """The last correction and what was said and learned after it; all claims if there is none."""
    last = max((claim for claim in claims if claim.authority == "correction"), key=lambda c: c.position, default=None)
    if last is None:
        return claims
    return [last, *(claim for claim in claims if claim.position > last.position and claim.said > last.said)]


def _best(claims: Sequence[Claim], order: Callable[[Claim], Any]) -> Claim:
    """The last of the best: of two claims that are equal in all else, the later one stands."""
    return max(reversed(claims), key=order)


def _by_authority(claim: Claim, *, is_event: bool) -> tuple[int, bool, date, datetime, int]:
    return (AUTHORITIES.index(claim.authority), *_by_time(claim, is_event=is_event))


def _by_time(claim: Claim, *, is_event: bool) -> tuple[bool, date, datetime, int]:
    """Newest last; but what an assistant said or guessed never overrides what was stated.

    What was said of a day to come counts from the day of saying: a deadline that moves to an earlier day has moved.
    """
    stated = claim.authority not in ("assistant", "inferred")
    said = claim.said.astimezone(UTC).date()
    held = said if is_event or claim.held.first is None else min(claim.held.first, said)
    return stated, held, claim.said, claim.position


def _union(claims: Sequence[Claim]) -> Typed:
    """All items in the order in which they were claimed; a correction starts anew."""
    items: dict[Typed, None] = {}
    for claim in claims:
        if claim.authority == "correction":
            items.clear()
        if isinstance(claim.value, tuple):
            items.update(dict.fromkeys(claim.value))
    return tuple(items)
