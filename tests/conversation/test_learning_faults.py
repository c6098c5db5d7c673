"""Learning on a store that breaks, in a process that dies, beside others that write: the log is whole, nothing twice."""

import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.scripted_model import TUESDAY, allergy, aside, fact, facts, kept, put_allergy
from uac import Memory, installed_packs
from uac.errors import StoreError
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.models import OneModel
from uac.models.requests_and_replies import Reply, Request
from uac.schema.entries import AlertChange, Checkpoint, Entry, Fact, ModelCall
from uac.testing.store import entries_of
from uac_bench.faults.child_process import Child, Say
from uac_bench.faults.statements import FaultMode, StatementFault

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


class Knowing:
    """Knows what each turn and each fact of these tests is good for, whoever asks and whenever."""

    name = "knowing"

    def __init__(self, before: Callable[[Request], None] = lambda _request: None) -> None:
        self._before = before

    def ask(self, request: Request) -> Reply:
        self._before(request)
        return Reply(text=json.dumps(said_to(request)), model="knowing", input_tokens=10, output_tokens=5)


def said_to(request: Request) -> dict[str, Any]:
    content = json.loads(request.content)
    if request.step == "extract":
        return facts(*(found for turn in content["turns"] if "context" not in turn for found in facts_of(turn)))
    patches = [patch for item in content["facts"] for patch in patches_for(item)]
    return {"patches": patches}


def facts_of(turn: dict[str, Any]) -> list[dict[str, Any]]:
    number, text = turn["turn"], turn["text"]
    if "allergic" in text:
        return [allergy(number)]
    if "amoxicillin" in text:
        return [fact("The user takes amoxicillin.", number, "I take amoxicillin", topic="health")]
    return [fact(text, number, text)] if text.startswith("Note") else []


def patches_for(item: dict[str, Any]) -> list[dict[str, Any]]:
    cites = [item["fact"]]
    if "allergic" in item["text"]:
        return list(put_allergy(*cites)["patches"])
    if "amoxicillin" in item["text"]:
        return [{"op": "put", "type": "health.Medication", "fields": {"name": "amoxicillin"}, "cites": cites}]
    return list(aside(*cites)["patches"])


HEALTH = [pack for pack in installed_packs() if pack.name == "health"]


def remember(store: SqliteStore) -> Memory:
    return Memory(store.log("ana"), packs=HEALTH, clock=lambda: TUESDAY)


def learn(memory: Memory) -> None:
    memory.learn(OneModel(Knowing()))


def answer_one(memory: Memory) -> None:
    for request in memory.pending(most=1):
        memory.answer(request.id, json.dumps(said_to(request)), model="knowing")


def allergic(memory: Memory) -> None:
    """A memory that has a constraint on allergies, and words that will raise an alert."""
    memory.add("I'm allergic to penicillin.", said=TUESDAY)
    learn(memory)
    memory.add("I take amoxicillin.", said=TUESDAY)


def read(memory: Memory) -> None:
    allergic(memory)
    answer_one(memory)


def state_of(path: Path) -> list[Entry | None]:
    store = SqliteStore(path, create=False)
    log = store.log("ana")
    assert log.verify() is None
    entries = entries_of(log)
    store.close()
    return entries


def check_whole(entries: list[Entry | None]) -> None:
    """Facts of a model stand before the call that gave them, and a checkpoint of one with its call and alerts."""
    for place, entry in enumerate(entries):
        if isinstance(entry, Fact):
            later = next(other for other in entries[place:] if not isinstance(other, Fact))
            assert isinstance(later, ModelCall)
        if isinstance(entry, Checkpoint) and entry.by.startswith("knowing"):
            assert isinstance(entries[place + 1], ModelCall)


@pytest.mark.parametrize(
    ("start", "work", "mode"),
    [
        (allergic, answer_one, "before"),
        (allergic, answer_one, "after"),
        (allergic, answer_one, "inside"),
        (read, answer_one, "before"),
        pytest.param(read, answer_one, "after", marks=pytest.mark.slow),
        pytest.param(read, answer_one, "inside", marks=pytest.mark.slow),
        pytest.param(allergic, learn, "before", marks=pytest.mark.slow),
        pytest.param(allergic, learn, "after", marks=pytest.mark.slow),
        pytest.param(allergic, learn, "inside", marks=pytest.mark.slow),
    ],
)
def test_learning_that_fails_anywhere_leaves_a_whole_log_and_goes_on_from_there(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    start: Callable[[Memory], None],
    work: Callable[[Memory], None],
    mode: FaultMode,
) -> None:
    apart = 1 if request.config.getoption("--slow") else 2
    origin, path = tmp_path / "origin.db", tmp_path / "memory.db"
    store = SqliteStore(origin, clock=lambda: TUESDAY)
    start(remember(store))
    store.close()
    before = state_of(origin)
    boundaries = [before]
    shutil.copy(origin, path)
    store = SqliteStore(path, clock=lambda: TUESDAY)
    memory = remember(store)
    while memory.pending():
        answer_one(memory)
        boundaries.append(entries_of(memory.log))
        if work is answer_one:
            break
    store.close()
    complete = state_of(path)
    check_whole(complete)

    failures = 0
    while True:
        shutil.copy(origin, path)
        fault = StatementFault(mode)
        store = SqliteStore(path, clock=lambda: TUESDAY, connect=fault.connect)
        memory = remember(store)
        # What a test cannot tell apart need not be broken one by one: reading has many steps inside.
        fault.arm(1 + failures * apart * (7 if mode == "inside" else 1))
        try:
            work(memory)
        except StoreError:
            failures += 1
        else:
            break
        fault.arm(None)
        left = state_of(path)
        assert same(left) in [same(entries) for entries in boundaries]
        if len(left) < len(complete):
            work(memory)
        assert same(state_of(path)) == same(complete)
        store.close()
    store.close()
    assert failures > 4 // apart
    assert any(isinstance(entry, AlertChange) for entry in complete) or (start, work) == (allergic, answer_one)


def same(entries: list[Entry | None]) -> list[Any]:
    """Entries without what an agent's answer and a model's differ in: who counted the tokens."""
    return [
        (entry.step, entry.answers, entry.reply, entry.findings) if isinstance(entry, ModelCall) else entry
        for entry in entries
    ]


def test_a_process_killed_between_reply_and_append_loses_only_the_reply(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path)
    allergic(remember(store))
    before = entries_of(store.log("ana"))

    def work(say: Say) -> None:
        class Last(Knowing):
            def ask(self, request: Request) -> Reply:
                super().ask(request)
                say(request.step)
                os.kill(os.getpid(), 9)
                raise AssertionError

        # No sandbox after a fork: the child only reads words.
        child = SqliteStore(path)
        Memory(child.log("ana"), packs=(), clock=lambda: TUESDAY).learn(OneModel(Last()))

    assert Child(work).rest() == ["extract"]
    assert entries_of(store.log("ana")) == before
    learn(remember(store))
    assert [found.text for found in kept(remember(store))] == [
        "The user is allergic to penicillin.",
        "The user takes amoxicillin.",
    ]
    store.close()


def test_writers_and_readers_at_once_take_each_word_once(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db", clock=lambda: TUESDAY)
    together = threading.Barrier(5)
    failures: list[BaseException] = []

    def talk(who: int) -> None:
        memory = Memory(store.log("ana"), packs=(), clock=lambda: TUESDAY)
        together.wait()
        for number in range(8):
            memory.add(f"Note {'abc'[who]} {'abcdefgh'[number]}", said=TUESDAY, session=f"s{who}{number // 3}")

    def read_on() -> None:
        memory = Memory(store.log("ana"), packs=(), clock=lambda: TUESDAY)
        together.wait()
        for _ in range(6):
            learn(memory)

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as failure:  # noqa: BLE001 - shown by the assertion below
            failures.append(failure)
            together.abort()

    works: list[Callable[[], None]] = [*(lambda who=who: talk(who) for who in range(3)), read_on, read_on]
    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    memory = Memory(store.log("ana"), packs=(), clock=lambda: TUESDAY)
    learn(memory)
    texts = sorted(found.text for found in kept(memory))
    assert texts == sorted(f"Note {who} {number}" for who in "abc" for number in "abcdefgh")
    assert memory.pending() == []
    assert [*memory.project().waiting] == []
    check_whole(entries_of(memory.log))
    assert memory.log.verify() is None
    store.close()


def test_a_reply_that_comes_too_late_is_paid_and_nothing_else_comes_of_it() -> None:
    log = MemoryStore(clock=lambda: TUESDAY).log("ana")
    slow, quick = (Memory(log, packs=(), clock=lambda: TUESDAY) for _ in range(2))
    slow.add("Note a", said=TUESDAY)

    def meanwhile(_request: Request) -> None:
        if not kept(quick):
            answer_one(quick)

    slow.learn(OneModel(Knowing(meanwhile)))
    assert [found.text for found in kept(slow)] == ["Note a"]
    late = [stored.entry for stored in log.read() if isinstance(stored.entry, ModelCall) and not stored.entry.answers]
    assert [(call.reply, call.read, call.input_tokens) for call in late] == [("", (), 10)]
    assert slow.project().progress.spent_in_all().calls == 3
