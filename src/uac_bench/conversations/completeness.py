"""How often an answer says rightly, and how often wrongly, that it may be incomplete.

At every moment of a life each collection is counted. The count is incomplete if a fact that changes something of this
type is in no record: the life knows which facts do. Two rules are compared: the one that each result states, and the
simplest one, by which any fact that waits and any fact of the domain that was set aside may be missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from itertools import product
from typing import Literal, NamedTuple

import msgspec

from uac import Memory, OneModel, Outcome, Project, open_store
from uac.models import NO_BUDGET
from uac_bench.conversations.lives import Life
from uac_bench.conversations.replay import Watcher
from uac_bench.conversations.truthful_model import TruthfulModel

__all__ = ["Readings", "Warnings", "count_warnings", "play_readings", "sum_warnings"]

Moment = Literal["facts wait", "all learned"]
Rule = Literal["by domain", "by query"]
MOMENTS: tuple[Moment, ...] = ("facts wait", "all learned")
RULES: tuple[Rule, ...] = ("by domain", "by query")
CHANGES = frozenset({"put", "amend", "end", "drop"})


class Warnings(msgspec.Struct, frozen=True, kw_only=True):
    """Answers, and which of them said that they may be incomplete."""

    answers: int = 0
    incomplete: int = 0
    """Answers over a collection that lacks a fact."""
    right: int = 0
    """Of these, answers that said so."""
    wrong: int = 0
    """Answers that said so, though nothing was missing."""


Counts = Mapping[tuple[Moment, Rule], Warnings]


class Reading(NamedTuple):
    """One collection at one moment."""

    is_incomplete: bool
    warns: Mapping[Rule, bool]


Readings = dict[Moment, list[Reading]]


def play_readings(life: Life) -> Readings:
    """Live through the sessions, and look at every collection whenever facts were noted, and after each session."""
    now = [life.sessions[0][0].said]
    readings: Readings = {moment: [] for moment in MOMENTS}
    with (
        closing(open_store("memory:", clock=lambda: now[0])) as store,
        closing(Memory(store.log("user"), clock=lambda: now[0])) as memory,
    ):
        watcher = Watcher(life, memory)
        model = OneModel(TruthfulModel(life, watcher.records_of))

        def notice(outcome: Outcome) -> None:
            watcher.notice(outcome)
            if outcome.request.step == "extract" and memory.project().waiting:
                readings["facts wait"] += _readings(memory, watcher)

        for number, session in enumerate(life.sessions, 1):
            for turn in session:
                now[0] = turn.said
                memory.add(turn.text, said=turn.said, role=turn.role, session=f"session {number}")
            now[0] += timedelta(minutes=5)
            memory.learn(model, budget=NO_BUDGET, on_outcome=notice)
            readings["all learned"] += _readings(memory, watcher)
    return readings


def count_warnings(readings: Readings) -> Counts:
    """The figures of one user."""
    return {(moment, rule): _warnings(readings[moment], rule) for moment in MOMENTS for rule in RULES}


def sum_warnings(counts: Sequence[Counts]) -> Counts:
    """The figures of all users together."""
    names = Warnings.__struct_fields__
    return {
        key: Warnings(**{name: sum(getattr(each[key], name) for each in counts) for name in names})
        for key in product(MOMENTS, RULES)
    }


def _readings(memory: Memory, watcher: Watcher) -> Iterator[Reading]:
    """Every collection that has records, counted by one query."""
    project = memory.project()
    types = {f"{t.domain}.{t.collected_as}": t.full_name for t in project.types.values() if project.count(t.full_name)}
    if not types:
        return
    lacking = {watcher.deed_at[position].type for position in _facts_in_no_record(project, watcher)}
    result = memory.compute(f"[{', '.join(f'bool({name})' for name in sorted(types))}]")
    for read in result.reads:
        covered = project.coverage.get(read.collection.partition(".")[0])
        has_aside = covered is not None and covered.aside > 0
        warns: dict[Rule, bool] = {
            "by domain": bool(project.waiting or has_aside or read.incomplete),
            "by query": not read.is_complete,
        }
        yield Reading(types[read.collection] in lacking, warns)


def _facts_in_no_record(project: Project, watcher: Watcher) -> Iterator[int]:
    for position, deed in watcher.deed_at.items():
        aside = project.aside.get(position)
        is_lost = position in project.waiting or (aside is not None and aside.outcome in ("set aside", "refused"))
        if is_lost and deed.op in CHANGES:
            yield position


def _warnings(readings: list[Reading], rule: Rule) -> Warnings:
    return Warnings(
        answers=len(readings),
        incomplete=sum(reading.is_incomplete for reading in readings),
        right=sum(reading.is_incomplete and reading.warns[rule] for reading in readings),
        wrong=sum(not reading.is_incomplete and reading.warns[rule] for reading in readings),
    )
