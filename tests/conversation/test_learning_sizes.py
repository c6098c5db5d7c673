"""Learning at hostile sizes: long turns, many sessions, huge replies, and what a step reads of a long history."""

import itertools
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from support.learning_cases import CAT, LONG, PETS, answered
from support.scripted_model import NOTHING, TUESDAY, aside, calls, fact, facts, heard, kept, new_memory, teach
from uac import Memory
from uac.log.log import Log
from uac.log.stores.in_memory import MemoryStore
from uac.models import OneModel
from uac.models.scripted import ScriptedModel
from uac.schema.entries import ModelCall, Observation
from uac.schema.patches import Put


def test_no_request_grows_with_the_length_of_a_turn() -> None:
    memory = heard("These are only words. " * 90_000, session="s")  # 2 MB
    first = memory.pending()[0]
    for _ in range(3):
        answered(memory, NOTHING)
    memory.checkpoint(PETS)
    memory.checkpoint([Put(type="pets.Pet", fields={"name": "x"}, cites=(1,))])  # done with, by hand
    memory.add("I have a cat.", said=TUESDAY, session="s")
    requests = [answered(memory, "no"), answered(memory, "no"), answered(memory, "no")]
    assert max(request.tokens for request in [first, *requests]) < 4000


def test_the_end_of_a_turn_read_in_slices_does_not_ask_for_the_whole_of_it_again() -> None:
    memory = heard(LONG)
    model = ScriptedModel(*[NOTHING] * 20)
    memory.learn(OneModel(model))
    assert max(request.tokens for request in model.requests) < 4000


def test_thousands_of_short_turns_are_read_in_requests_of_bounded_size() -> None:
    memory = new_memory()
    memory.log.append([Observation(text="ok", said=TUESDAY, session="s") for _ in range(1000)])
    requests = memory.pending(most=100)
    assert [position for request in requests for position in request.answers] == list(range(1, 1001))
    assert max(request.tokens for request in requests) < 6000


def test_five_thousand_sessions_wait_and_each_is_read_once() -> None:
    memory = new_memory()
    memory.log.append([Observation(text=f"I have cat {n}.", said=TUESDAY, session=f"s{n}") for n in range(5000)])
    answers = [request.answers for request in memory.pending(most=None)]
    assert answers == [(position,) for position in range(1, 5001)]


def test_sessions_that_interleave_are_kept_apart() -> None:
    memory = new_memory()
    for number in range(40):
        memory.add(f"This is turn {number}.", said=TUESDAY, session="ab"[number % 2])
    assert [request.answers for request in memory.pending()] == [tuple(range(1, 41, 2)), tuple(range(2, 41, 2))]


@pytest.mark.parametrize(
    "reply",
    ["x" * 5_000_000, "{" + "\x01" * 5_000_000, json.dumps({"facts": [{"text": "a" * 5_000_000}]}), "[" * 5_000_000],
    ids=["words", "control characters", "one fact", "brackets"],
)
def test_a_reply_of_five_megabytes_is_an_attempt_like_others(reply: str) -> None:
    memory = heard(CAT)
    _model, learned = teach(memory, reply, reply, reply)
    assert (learned.stopped, len(calls(memory))) == ("", 3)
    assert [*memory.project().progress.stuck] == [1]
    assert memory.log.verify() is None


def test_hundreds_of_facts_in_one_reply_are_taken_and_what_was_wrong_is_shown_in_part() -> None:
    memory = heard("one two three four five six seven eight nine ten red green blue grey")
    words = "red green blue grey".split()
    good = [fact(f"the user says {' '.join(p)}", 1, "red green blue grey") for p in itertools.product(words, repeat=4)]
    bad = [fact("the user says so", 1, f"nobody said {number}") for number in range(500)]
    answered(memory, facts(*good, *bad))
    assert len(kept(memory)) == 256
    (request,) = memory.pending()
    assert len(json.loads(request.content)["refused"]) == 40


def test_a_fact_with_a_thousand_citations_is_taken() -> None:
    memory = heard("I have a cat. " * 50)
    cites = [{"turn": 1, "quote": " ".join(["I have a cat."] * (1 + number % 45))} for number in range(1000)]
    answered(memory, {"facts": [{"text": "The user has a cat.", "about": "user", "cites": cites}]})
    assert [len(found.cites) for found in kept(memory)] == [45]


@pytest.mark.parametrize(
    "said",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=-12))),
        datetime(1, 1, 2, tzinfo=timezone(timedelta(hours=14))),
        datetime(1970, 1, 1, tzinfo=timezone(timedelta(minutes=-719))),
        datetime(2024, 3, 31, 2, 30, tzinfo=timezone(timedelta(minutes=345))),
    ],
)
def test_words_of_any_time_are_learned(said: datetime) -> None:
    memory = new_memory()
    words = "Mia moved last Friday, three weeks ago, two years ago, tomorrow and since yesterday"
    memory.add(f"{words}.", said=said)
    phrases = ("last Friday", "three weeks ago", "two years ago", "tomorrow", "since yesterday", "")
    answered(memory, facts(*(fact(f"Mia moved{' ' * n}.", 1, words, when=p) for n, p in enumerate(phrases))))
    memory.learn(OneModel(ScriptedModel(*[NOTHING] * 3, *[aside(2)] * 3)))
    assert memory.project().progress.spent_in_all().calls > 1


@pytest.mark.parametrize(
    "name", ["Zoë", "Zoe\u0308", "李小龙", "\u202eeoZ", "O’Neill-Ωmega", "a\u200bb", "🐈", "İ", "ß"]
)
def test_names_of_any_script_are_learned(name: str) -> None:
    memory = heard(f"My cat is called {name}.")
    answered(memory, facts(fact(f"The cat is called {name}.", 1, f"My cat is called {name}")))
    assert [found.text for found in kept(memory)] == [" ".join(f"The cat is called {name}.".split())]
    assert memory.pending()[0].id


# --- what a step reads ------------------------------------------------------------------------------------------------


class Counted:
    """The rows of a log, and how many of them have been read."""

    def __init__(self, log: Log) -> None:
        self._rows = log._rows
        self.count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def read(self, start: int, stop: int | None) -> Iterator[Any]:
        for row in self._rows.read(start, stop):
            self.count += 1
            yield row

    def read_at(self, positions: Collection[int]) -> Sequence[Any]:
        self.count += len(positions)
        return self._rows.read_at(positions)


def old_log(turns: int) -> Log:
    """A log with so many turns that have all been read and facts that were set aside."""
    log = MemoryStore(clock=lambda: TUESDAY).log("ana")
    for start in range(0, turns, 10):
        first = log.head().position + 1
        positions = tuple(range(first, first + 10))
        said = [Observation(text=f"Old turn {n} of a cat.", said=TUESDAY, session=f"old {start}") for n in positions]
        call = ModelCall(
            model="m", prompt_hash="p", request_hash="r", reply="{}", step="extract", read=positions, answers=positions
        )
        log.append([*said, call])
    return log


def rows_read(turns: int) -> dict[str, int]:
    """How many rows each step reads after so many old turns, once they have been folded and indexed."""
    log = old_log(turns)
    counted = Counted(log)
    memory = Memory(Log(counted, lambda: TUESDAY), packs=(), clock=lambda: TUESDAY)
    memory.recall_index()
    read: dict[str, int] = {}

    def step(name: str, work: Callable[[], Any]) -> Any:
        counted.count = 0
        result = work()
        read[name] = counted.count
        return result

    turn = memory.add("I have a cat and a dog.", said=TUESDAY, session="new")
    (request,) = step("pending words", memory.pending)
    said = facts(fact("The user has a cat.", turn, "I have a cat"), fact("The user has a dog.", turn, "a dog"))
    step("answer with facts", lambda: memory.answer(request.id, json.dumps(said)))
    (request,) = step("pending facts", memory.pending)
    step("answer with patches", lambda: memory.answer(request.id, json.dumps(aside(turn + 1))))
    (request,) = step("pending again", memory.pending)
    step("answer again", lambda: memory.answer(request.id, json.dumps(aside(turn + 2))))
    step("nothing pending", memory.pending)
    memory.add("I have a horse too.", said=TUESDAY, session="new")
    step("learn", lambda: memory.learn(OneModel(ScriptedModel(NOTHING, NOTHING))))
    step("context", lambda: memory.context("a cat"))
    return read


SEARCHED = 5000
"""Rows that a context of 4,000 tokens may read, however long the history: 450 hits and what stands close to them."""


def test_what_a_step_reads_does_not_grow_with_the_history() -> None:
    short, long = rows_read(20), rows_read(2000)
    assert max(short.pop("context"), long.pop("context")) < SEARCHED
    assert short == long
    assert max(short.values()) < 100


@pytest.mark.slow
def test_what_a_step_reads_does_not_grow_with_a_long_history() -> None:
    short, long = rows_read(20), rows_read(10_000)
    assert max(short.pop("context"), long.pop("context")) < SEARCHED
    assert short == long
