"""Laws of one call: it has the effect of the two-step way, it is written whole or not at all, and it trusts nobody."""

import json
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.scripted_model import TUESDAY, kept, new_memory
from uac import Memory, installed_packs
from uac.errors import Refused, StoreError
from uac.log.stores.in_memory import MemoryStore
from uac.log.stores.sqlite import SqliteStore
from uac.memory.remembering import MOST_CHECKED, MOST_FACTS
from uac.schema.entries import Checkpoint, Entry, Fact, ModelCall, Observation
from uac.testing.store import entries_of
from uac_bench.faults.statements import FaultMode, StatementFault

HEALTH = [pack for pack in installed_packs() if pack.name in ("health", "people")]


class Said(NamedTuple):
    """A turn, a fact and a record that follow from it, and ones that do not."""

    words: str
    fact: dict[str, Any]
    record: dict[str, Any]
    wrong_fact: dict[str, Any]
    wrong_record: dict[str, Any]


def said(words: str, text: str, type_name: str, fields: dict[str, Any], wrong: str, invented: dict[str, Any]) -> Said:
    put = {"op": "put", "type": type_name, "fields": fields}
    quote = words.rstrip(".")
    return Said(
        words, {"text": text, "quote": quote}, put, {"text": wrong, "quote": quote}, {**put, "fields": invented}
    )


LIFE = (
    said(
        "I'm allergic to penicillin.",
        "The user is allergic to penicillin.",
        "health.Allergy",
        {"substance": "penicillin"},
        "The user is allergic to 3 things.",
        {"substance": "penicillin", "since": "2019-01-01"},
    ),
    said(
        "I take amoxicillin 500 mg.",
        "The user takes amoxicillin 500 mg.",
        "health.Medication",
        {"name": "amoxicillin", "dose": "500 mg"},
        "The user takes amoxicillin 750 mg.",
        {"dose": "500 mg"},
    ),
    said(
        "Mia is my sister.",
        "Mia is the user's sister.",
        "people.Person",
        {"name": "Mia", "relation": "sister"},
        "Mia is the sister of Robert.",
        {"name": "Robert"},
    ),
)


class Call(NamedTuple):
    """A call as an agent makes it: for each turn whether its fact and its record are right."""

    turns: tuple[Said, ...]
    right_facts: tuple[bool, ...]
    right_records: tuple[bool | None, ...]

    def facts(self) -> list[dict[str, Any]]:
        return [
            each.fact if right else each.wrong_fact for each, right in zip(self.turns, self.right_facts, strict=True)
        ]

    def records(self, cites: Sequence[int]) -> list[dict[str, Any]]:
        given = zip(self.turns, self.right_records, cites, strict=True)
        return [
            {**(each.record if right else each.wrong_record), "cites": [c]}
            for each, right, c in given
            if right is not None
        ]


@st.composite
def agent_calls(draw: st.DrawFn) -> Call:
    turns = tuple(draw(st.lists(st.sampled_from(LIFE), min_size=1, max_size=3, unique_by=lambda each: each.words)))
    flags = st.sampled_from([True, True, True, False])
    facts = tuple(draw(flags) for _turn in turns)
    return Call(turns, facts, tuple(draw(st.sampled_from([True, True, False, None])) for _turn in turns))


def observations(call: Call) -> list[Observation]:
    return [Observation(text=each.words, said=TUESDAY, session="monday") for each in call.turns]


def opened() -> Memory:
    return Memory(MemoryStore(clock=lambda: TUESDAY).log("ana"), packs=HEALTH, clock=lambda: TUESDAY, embedder=None)


def effect(entries: Sequence[Entry | None]) -> list[Any]:
    """Entries without what depends on who was asked: prompts, and the words of requests and replies."""
    return [_effect_of(entry) for entry in entries]


def _effect_of(entry: Entry | None) -> Any:
    match entry:
        case ModelCall():
            return entry.step, entry.answers, entry.read, entry.empty, entry.findings, entry.is_open
        case Fact():
            return entry.text, entry.about, entry.authority, entry.cites, entry.held, entry.unsure
        case Checkpoint():
            return entry.patches
        case _:
            return entry


@settings(max_examples=examples(13))
@given(call=agent_calls())
def test_one_call_has_the_effect_of_words_and_two_answers(call: Call) -> None:
    once, twice = opened(), opened()
    taken = once.remember(observations(call), call.facts(), call.records(range(1, 4)[: len(call.turns)]))

    for turn in observations(call):
        twice.add(turn.text, said=turn.said, session=turn.session)
    (request,) = twice.pending()
    cited = [
        {"about": "user", "text": fact["text"], "cites": [{"turn": position, "quote": fact["quote"]}]}
        for position, fact in enumerate(call.facts(), 1)
    ]
    outcome = twice.answer(request.id, json.dumps({"facts": cited}))
    if all(call.right_facts):
        (request,) = twice.pending()
        twice.answer(request.id, json.dumps({"patches": call.records(outcome.facts)}))
        assert effect(entries_of(once.log)) == effect(entries_of(twice.log))
        assert [(each.step, each.answers) for each in once.pending()] == [
            (each.step, each.answers) for each in twice.pending()
        ]
    else:  # records wait there until the words have been read; here those of the right facts are made
        known = entries_of(twice.log)
        assert effect(entries_of(once.log)[: len(known)]) == effect(known)
    assert tuple(fact.position for fact in taken.facts) == outcome.facts
    assert once.log.verify() is None


@pytest.mark.parametrize(
    "mode",
    ["before", pytest.param("after", marks=pytest.mark.slow), pytest.param("inside", marks=pytest.mark.slow)],
)
def test_a_call_that_fails_anywhere_is_written_whole_or_not_at_all_and_can_be_repeated(
    tmp_path: Path, mode: FaultMode, request: pytest.FixtureRequest
) -> None:
    every = 7 if mode == "inside" else 1 if request.config.getoption("--slow") else 3
    origin, path = tmp_path / "origin.db", tmp_path / "memory.db"
    store = SqliteStore(origin, clock=lambda: TUESDAY)
    allergic = Memory(store.log("ana"), packs=HEALTH, clock=lambda: TUESDAY, embedder=None)
    allergic.remember(LIFE[0].words, [LIFE[0].fact], [LIFE[0].record])
    before = allergic.log.head().position
    store.close()

    def remember(memory: Memory) -> None:
        taken = memory.remember(LIFE[1].words, [LIFE[1].fact], [LIFE[1].record], key="k")
        assert [alert.constraint for alert in taken.alerts] == ["drug_allergy"]

    failures, wholes = 0, []
    while True:
        shutil.copy(origin, path)
        fault = StatementFault(mode)
        store = SqliteStore(path, clock=lambda: TUESDAY, connect=fault.connect)
        memory = Memory(store.log("ana"), packs=HEALTH, clock=lambda: TUESDAY, embedder=None)
        fault.arm(1 + failures * every)
        broke = True
        with suppress(StoreError):
            remember(memory)
            broke = False
        fault.arm(None)
        left = len(entries_of(memory.log))
        remember(memory)
        wholes.append(effect(entries_of(memory.log)))
        assert left in (before, len(wholes[0]))
        assert (wholes[-1], memory.log.verify()) == (wholes[0], None)
        store.close()
        if not broke:
            break
        failures += 1
    assert failures > 4


# --- what an agent must not get through -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fact",
    [
        {"text": "The user is allergic to latex.", "quote": "I am allergic to latex"},
        {"text": "The user is allergic to penicillin.", "cites": [{"turn": 2, "quote": "I'm allergic to penicillin"}]},
        {
            "text": "The user is allergic to penicillin.",
            "cites": [{"turn": True, "quote": "I'm allergic to penicillin"}],
        },
        {"text": "The user is allergic to penicillin.", "cites": [{"turn": 1}]},
        {"text": "The user is allergic to penicillin.", "cites": 1, "quote": "I'm allergic to penicillin"},
        {"text": "The user is allergic to penicillin."},
        {"text": "The user is allergic to penicillin.", "quote": ["I'm allergic to penicillin", 7]},
        {"text": "The user is allergic to penicillin.", "quote": ""},
        {"quote": "I'm allergic to penicillin"},
        {"text": "x" * 500, "quote": "I'm allergic to penicillin"},
        {"text": "\ud800", "quote": "I'm allergic to penicillin"},
        {"text": float("nan"), "quote": "I'm allergic to penicillin"},
        "The user is allergic to penicillin.",
        None,
        [],
    ],
)
def test_a_fact_that_the_words_do_not_support_is_refused_and_the_words_are_stored(fact: Any) -> None:
    memory = opened()
    taken = memory.remember([Observation(text=LIFE[0].words, said=TUESDAY)], [fact], [{**LIFE[0].record, "cites": [1]}])
    assert (taken.positions, taken.facts, taken.records) == ((1,), (), ())
    assert taken.to_mend[0].part in ("fact 1", "")
    assert (kept(memory), memory.project().count("health.Allergy")) == ([], 0)
    assert [request.step for request in memory.pending()] == ["extract"]


@pytest.mark.parametrize(
    "record",
    [
        {**LIFE[0].record, "cites": [2]},
        {**LIFE[0].record, "cites": [0]},
        {**LIFE[0].record, "cites": [-1]},
        {**LIFE[0].record, "cites": []},
        {**LIFE[0].record, "cites": ["fact:1"]},
        {**LIFE[0].record, "cites": ["fact:99"]},
        {**LIFE[0].record, "cites": ["fact 1"]},
        {**LIFE[0].record, "cites": ["health.Allergy:penicillin"]},
        {**LIFE[0].record, "cites": 1},
        {**LIFE[0].record, "cites": [True]},
        {"op": "adopt", "constraint": {}, "cites": [1]},
        {"op": "drop", "record": "health.Allergy:latex", "why": "x", "cites": [1]},
        "put",
        None,
    ],
)
def test_a_record_that_cites_no_fact_of_the_user_is_refused_and_the_fact_waits(record: Any) -> None:
    memory = opened()
    taken = memory.remember([Observation(text=LIFE[0].words, said=TUESDAY)], [LIFE[0].fact], [record])
    assert (taken.positions, len(taken.facts), taken.records) == ((1,), 1, ())
    assert taken.to_mend[0].part == "record 1"
    assert memory.project().count("health.Allergy") == 0
    assert [request.step for request in memory.pending()] == ["checkpoint"]


@pytest.mark.parametrize("given", ["facts", "records", "constraints"])
@pytest.mark.parametrize("items", [[[[]]] * 3, [{"a": {"b": 1}}], ["x" * 100_000]])
def test_nonsense_is_refused_and_the_words_are_stored(given: str, items: Any) -> None:
    memory = opened()
    taken = memory.remember(LIFE[0].words, **{given: items})
    assert (taken.positions, taken.records, bool(taken.to_mend)) == ((1,), (), True)


def test_positions_of_others_and_of_what_is_gone_are_refused() -> None:
    store = MemoryStore(clock=lambda: TUESDAY)
    ana, ben = (Memory(store.log(name), packs=HEALTH, clock=lambda: TUESDAY, embedder=None) for name in ("ana", "ben"))
    ana.remember([Observation(text=each.words, said=TUESDAY) for each in LIFE])
    ben.add("Hello.", said=TUESDAY)
    for position in (0, -1, 2, 10**12):
        with pytest.raises(Refused, match="is not a stored turn"):
            ben.remember(observations=[position], facts=[LIFE[1].fact])
    assert ben.remember(observations=[1], facts=[LIFE[0].fact]).facts == ()
    ana.retract([1], why="a mistake")
    with pytest.raises(Refused, match="is not a stored turn"):
        ana.remember(observations=[1], facts=[LIFE[0].fact])
    ana.log.erase([2], why="forget it")
    with pytest.raises(Refused, match="is not a stored turn"):
        ana.remember(observations=[2], facts=[LIFE[1].fact])


def test_an_agent_cannot_speak_for_the_user() -> None:
    memory = opened()
    turns = [
        Observation(text="You are allergic to penicillin.", said=TUESDAY, role="assistant"),
        Observation(text="Ana Silva is allergic to latex.", said=TUESDAY, role="document"),
    ]
    claims = [
        {"text": "The user is allergic to penicillin.", "quote": "You are allergic to penicillin", "corrects": True},
        {"text": "Ana Silva is allergic to latex.", "quote": "Ana Silva is allergic to latex", "authority": "user"},
    ]
    memory.remember(turns, claims)
    assert [fact.authority for fact in kept(memory)] == ["assistant", "document"]


def test_too_much_at_once_is_stored_and_can_be_read_in_parts() -> None:
    memory = opened()
    many = memory.remember(LIFE[0].words, [LIFE[0].fact] * (MOST_FACTS + 1))
    assert (many.positions, "Give facts about fewer turns" in many.to_mend[0].why) == ((1,), True)
    long = memory.remember([Observation(text="x " * (MOST_CHECKED // 2 + 1), said=TUESDAY)], [LIFE[0].fact])
    assert (long.positions, long.facts, len(long.to_mend)) == ((2,), (), 1)


def test_repeated_calls_with_the_same_words_store_the_words_and_no_fact_twice() -> None:
    memory = new_memory()
    first = memory.remember(LIFE[0].words, [LIFE[0].fact])
    second = memory.remember(observations=first.positions, facts=[LIFE[0].fact], records=[LIFE[0].record])
    assert (len(kept(memory)), second.records) == (1, ("health.Allergy:penicillin",))
