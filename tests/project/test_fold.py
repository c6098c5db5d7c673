"""The fold of the kinds of entries that programs and models write."""

import gc
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from support.short_logs import PERSON
from uac.errors import Damaged
from uac.log.log import Log, Stored
from uac.log.stores.in_memory import MemoryStore
from uac.project.fold import fold_entries
from uac.project.known_names import known_names
from uac.project.progress import Spent
from uac.project.project import EMPTY_PROJECT
from uac.schema.entries import (
    AlertChange,
    Checkpoint,
    Correction,
    Delivery,
    Entry,
    ModelCall,
    NextRun,
    Observation,
    Receipt,
    Retraction,
)
from uac.schema.patches import Define, Put

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = Observation(text="I know Mia.", said=NOW)
CALL = ModelCall(
    model="m", step="extract", prompt_hash="p", request_hash="r", reply="{}", read=(1,), answers=(1,), cost=Decimal(2)
)


def log_of(*entries: Entry) -> Log:
    log = MemoryStore(clock=lambda: NOW).log("ana")
    for entry in entries:
        log.append([entry])
    return log


def test_a_model_call_settles_what_it_answered_and_costs_even_when_retracted() -> None:
    answered = fold_entries(log_of(SAID, CALL).read())
    assert (dict(answered.progress.unread), answered.progress.spent_in_all()) == ({}, Spent(1, 0, 0, Decimal(2)))
    retracted = fold_entries(log_of(SAID, CALL, Retraction(positions=(2,), why="wrong")).read())
    assert (dict(retracted.progress.unread), retracted.progress.spent_in_all()) == ({1: 0}, Spent(1, 0, 0, Decimal(2)))


def test_words_behind_a_retracted_checkpoint_are_not_read_as_a_sentence() -> None:
    put = Checkpoint(patches=(Put(type="people.Person", fields={"name": "Mia"}, cites=(1,)),))
    entries = (SAID, Checkpoint(patches=(Define(type=PERSON),)), put)
    assert known_names(fold_entries(log_of(*entries).read())) == ["Mia"]
    folded = fold_entries(log_of(*entries, Retraction(positions=(3,), why="wrong")).read())
    assert (known_names(folded), dict(folded.progress.unread)) == ([], {})


def test_a_next_run_a_delivery_and_a_receipt_are_kept() -> None:
    receipt = Receipt(key="k", request="d", first=1, last=1)
    entries = (
        SAID,
        NextRun(again={"a": NOW, "b": None}),
        Delivery(through=2, to="phone"),
        Delivery(through=1, to="phone"),
        receipt,
    )
    folded = fold_entries(log_of(*entries).read())
    assert (dict(folded.looks), dict(folded.delivered), folded.receipts) == ({"a": NOW}, {"phone": 2}, (receipt,))


def test_a_failure_stays_until_its_alert_is_cleared() -> None:
    failed = AlertChange(
        change="failed", constraint="c", subject="not checked", why="too slow", reason="limit", is_failure=True
    )
    cleared = AlertChange(change="cleared", constraint="c", subject="not checked", is_failure=True)
    assert dict(fold_entries(log_of(SAID, failed).read()).failures) == {"c": "over the limit: too slow"}
    assert dict(fold_entries(log_of(SAID, failed, cleared).read()).failures) == {}


def test_a_correction_of_a_record_that_is_gone_is_an_orphan() -> None:
    folded = fold_entries(log_of(SAID, Correction(record="people.Person:mia", field="name", value="Mia")).read())
    assert [(orphan.position, orphan.patch) for orphan in folded.orphans] == [(2, 0)]


def test_a_project_is_shown_by_its_position_and_counts() -> None:
    folded = fold_entries(log_of(SAID, Checkpoint(patches=(Define(type=PERSON),))).read())
    assert (repr(EMPTY_PROJECT), repr(folded)) == ("<Project at 0: no types>", "<Project at 2: people.Person: 0>")
    assert (folded.collected("people.persons"), folded.collected("people.nobody")) == ([], [])


def test_a_fold_leaves_the_garbage_collector_as_it_was() -> None:
    def broken() -> Iterator[Stored]:
        assert not gc.isenabled()
        yield from log_of(SAID).read()
        raise Damaged("the log is damaged")

    assert gc.isenabled()
    with pytest.raises(Damaged):
        fold_entries(broken())
    assert gc.isenabled()
    gc.disable()
    try:
        fold_entries(log_of(SAID).read())
        assert not gc.isenabled()
    finally:
        gc.enable()
