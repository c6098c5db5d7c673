"""The write paths that are broken: what each of them finds in the store, and what it writes."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from uac import Citation, Fact, Memory, Observation, Pack, Receipt, Store
from uac.packs import chosen_packs

__all__ = [
    "MEMORY_PATHS",
    "STORE_PATHS",
    "FaultUsers",
    "WritePath",
    "append_batch",
    "append_first",
    "erase_entries",
    "erase_user",
    "fault_clock",
    "fill_store",
]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PENICILLIN = "I'm allergic to penicillin."
AMOXICILLIN = "I take amoxicillin."


def fault_clock() -> datetime:
    """Every write is at the same time, so that two of the same kind store the same."""
    return NOON


class FaultUsers(NamedTuple):
    """Three users: one with words and a fact, one with a receipt, and one who is new."""

    ana: str = "ana"
    ben: str = "ben"
    cleo: str = "cleo"


USERS = FaultUsers()


class WritePath(NamedTuple):
    """What is done before, and then, in one write that must be stored whole or not at all."""

    name: str
    prepare: Callable[[Store, FaultUsers], None]
    write: Callable[[Store, FaultUsers], None]
    is_repeatable: bool = True
    """Whether the same write after one that was stored changes nothing: it has a key, or it erases."""


def fill_store(store: Store, users: FaultUsers = USERS) -> None:
    fact = Fact(text="Ana said two", about="ana", authority="user", cites=(Citation(position=2, quote="two"),))
    store.log(users.ana).append([_turn("one"), _turn("two", "k0"), fact])
    store.log(users.ben).append([_turn("I am Ben", "b"), Receipt(key="b", request="q", first=1, last=1)])


def append_batch(store: Store, users: FaultUsers = USERS) -> None:
    """Three turns with keys, of which one is known already."""
    store.log(users.ana).append([_turn("three", "k1"), _turn("two", "k0"), _turn("four", "k2")])


def append_first(store: Store, users: FaultUsers = USERS) -> None:
    store.log(users.cleo).append([_turn("I am Cleo", "c")])


def erase_entries(store: Store, users: FaultUsers = USERS) -> None:
    store.log(users.ana).erase([2], why="asked")


def erase_user(store: Store, users: FaultUsers = USERS) -> None:
    store.erase(users.ben)


def _turn(text: str, key: str = "") -> Observation:
    return Observation(text=text, said=NOON, key=key)


STORE_PATHS = (
    WritePath("append several entries", fill_store, append_batch),
    WritePath("append a user's first entry", fill_store, append_first),
    WritePath("erase an entry", fill_store, erase_entries),
    WritePath("erase a user", fill_store, erase_user),
)
"""Writes of the log itself."""


# -- writes of a memory: a change, its receipt and its alerts are one append -------------------------------------------


@cache
def _used_packs() -> tuple[Pack, ...]:
    return tuple(pack for pack in chosen_packs("all") if pack.name in ("health", "calendar"))


@contextmanager
def _memory(store: Store, users: FaultUsers) -> Iterator[Memory]:
    memory = Memory(store.log(users.ana), packs=_used_packs(), clock=fault_clock, embedder=None)
    with closing(memory):
        yield memory


def _told_allergy(store: Store, users: FaultUsers) -> None:
    with _memory(store, users) as memory:
        memory.remember(PENICILLIN, [_fact("The user is allergic to penicillin.", PENICILLIN)], [_ALLERGY], key="a")


def _told_both(store: Store, users: FaultUsers) -> None:
    _told_allergy(store, users)
    _remember_medicine(store, users)


def _remember_medicine(store: Store, users: FaultUsers) -> None:
    with _memory(store, users) as memory:
        memory.remember(AMOXICILLIN, [_fact("The user takes amoxicillin.", AMOXICILLIN)], [_MEDICINE], key="m")


def _put_medicine(store: Store, users: FaultUsers) -> None:
    with _memory(store, users) as memory:
        memory.put("health.Medication", {"name": "amoxicillin"})


def _correct_allergy(store: Store, users: FaultUsers) -> None:
    """The allergy was to something else, so the alert is cleared."""
    with _memory(store, users) as memory:
        memory.correct("health.Allergy:penicillin", "substance", "latex", why="a slip")


def _retract_words(store: Store, users: FaultUsers) -> None:
    with _memory(store, users) as memory:
        memory.retract([1], why="asked")


def _told_deadline(store: Store, users: FaultUsers) -> None:
    day = (NOON + timedelta(days=100)).date().isoformat()
    with _memory(store, users) as memory:
        memory.put("calendar.Deadline", {"what": "tax return", "due": day})


def _tick(store: Store, users: FaultUsers) -> None:
    """The day before the deadline."""
    with _memory(store, users) as memory:
        memory.tick(NOON + timedelta(days=99))


def _acknowledge(store: Store, users: FaultUsers) -> None:
    with _memory(store, users) as memory:
        alert = memory.alerts()[0]
        memory.acknowledge(alert.constraint, alert.subject, why="known")


def _heard_medicine(store: Store, users: FaultUsers) -> None:
    _told_allergy(store, users)
    with _memory(store, users) as memory:
        memory.add(AMOXICILLIN, said=NOON)


def _read_medicine(store: Store, users: FaultUsers) -> None:
    _heard_medicine(store, users)
    _answer(store, users)


def _answer(store: Store, users: FaultUsers) -> None:
    """The reply to the next request of the pipeline: facts of the words, or records of the facts."""
    with _memory(store, users) as memory:
        for request in memory.pending(most=1):
            content = json.loads(request.content)
            reply: dict[str, Any]
            if request.step == "extract":
                turns = [turn["turn"] for turn in content["turns"] if "context" not in turn]
                reply = {"facts": [_fact("The user takes amoxicillin.", AMOXICILLIN, turn) for turn in turns]}
            else:
                reply = {"patches": [_MEDICINE | {"cites": [fact["fact"]]} for fact in content["facts"]]}
            memory.answer(request.id, json.dumps(reply), model="scripted")


def _fact(text: str, quote: str, turn: int = 1) -> dict[str, Any]:
    cites = [{"turn": turn, "quote": quote.rstrip(".")}]
    return {"text": text, "about": "user", "topic": "health", "cites": cites}


_ALLERGY = {"op": "put", "type": "health.Allergy", "fields": {"substance": "penicillin"}, "cites": [1]}
_MEDICINE = {"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin"}, "cites": [1]}

MEMORY_PATHS = (
    WritePath("remember words, a fact and a record, with its alert", _told_allergy, _remember_medicine),
    WritePath("put a record, with its alert", _told_allergy, _put_medicine, is_repeatable=False),
    WritePath("correct a value, which clears an alert", _told_both, _correct_allergy, is_repeatable=False),
    WritePath("retract words, with all that depends on them", _told_both, _retract_words, is_repeatable=False),
    WritePath("let time pass, with its alert", _told_deadline, _tick, is_repeatable=False),
    WritePath("acknowledge an alert", _told_both, _acknowledge, is_repeatable=False),
    WritePath("store the facts of a model's reply", _heard_medicine, _answer, is_repeatable=False),
    WritePath("store the records of a model's reply, with the alert", _read_medicine, _answer, is_repeatable=False),
)
"""Writes of a memory: a change, its receipt and its alerts together."""
