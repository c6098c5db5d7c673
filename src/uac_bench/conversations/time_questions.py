"""Seven kinds of questions about time to a generated user, each with one query and the answer that the life gives.

The queries use names of the manifest and the functions of compute only. The answers come from the sentences of the life
and the days on which they were said, never from the memory.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from uac import Clocks
from uac_bench.conversations.lives import Deed, Life

__all__ = ["KINDS_OF_QUESTIONS", "TimeQuestion", "stated_values", "statements_by_thing", "time_questions"]

COLLECTIONS = {
    "finance.Subscription": "finance.{}subscriptions",
    "health.Medication": "health.{}medications",
    "household.Purchase": "household.{}purchases",
    "travel.Trip": "travel.{}trips",
    "calendar.Appointment": "calendar.{}appointments",
    "people.Person": "people.{}persons",
    "leisure.Workout": "leisure.{}workouts",
    "health.Visit": "health.{}visits",
    "finance.Transaction": "finance.{}transactions",
}
NAMED_BY = {"finance.Subscription": "name", "health.Medication": "name", "household.Purchase": "item"}


class TimeQuestion(NamedTuple):
    """A question, the query that answers it, and the answer. What the words leave open (`open_to`) may be in it."""

    kind: str
    query: str
    clocks: Clocks
    names: tuple[str, ...]
    """What the manifest must show for somebody to write the query: collections and fields."""
    answer: Any
    open_to: frozenset[str] = frozenset()


class _Statement(NamedTuple):
    """What a sentence changes, and when it was said; `first` is the day that its words name."""

    deed: Deed
    said: date
    first: date | None


def time_questions(life: Life, *, each: int, seed: int) -> Iterator[TimeQuestion]:
    """At most `each` questions of each kind; the same for the same arguments."""
    chance = random.Random(f"time {seed}")
    things = statements_by_thing(life)
    days = [session[-1].said.date() for session in life.sessions]
    for ask in KINDS_OF_QUESTIONS.values():
        questions = list(ask(things, days))
        yield from questions if len(questions) <= each else chance.sample(questions, each)


def statements_by_thing(life: Life) -> dict[int, list[_Statement]]:
    """All that is said of each thing, in order."""
    things: dict[int, list[_Statement]] = {}
    for turn in (turn for session in life.sessions for turn in session):
        for sentence in turn.sentences:
            if sentence.deed.op in ("put", "amend", "end"):
                start = sentence.fact.get("start")
                first = date.fromisoformat(start[:10]) if start else None
                things.setdefault(sentence.deed.thing, []).append(_Statement(sentence.deed, turn.said.date(), first))
    return things


_Things = Mapping[int, Sequence[_Statement]]


def _of_type(things: _Things, type_name: str) -> list[Sequence[_Statement]]:
    return [statements for statements in things.values() if statements[0].deed.type == type_name]


def _collection(type_name: str, *, former: bool = False) -> str:
    return COLLECTIONS[type_name].format("former_" if former else "")


def _both(things: _Things, type_name: str) -> tuple[str, tuple[str, ...]]:
    """An expression for current and ended records, and its names; the ended ones only if there are any to be shown."""
    has_ended = any(_end(statements) is not None for statements in _of_type(things, type_name))
    names = (_collection(type_name), *([_collection(type_name, former=True)] if has_ended else ()))
    return " + ".join(names), names


def _end(statements: Sequence[_Statement], by: date = date.max) -> Deed | None:
    return next((each.deed for each in statements if each.deed.op == "end" and each.said <= by), None)


def stated_values(statements: Sequence[_Statement], name: str, by: date = date.max) -> list[str]:
    """What was said of a field, in order."""
    return [str(each.deed.fields[name]) for each in statements if name in each.deed.fields and each.said <= by]


def _on_a_day(things: _Things, days: Sequence[date]) -> Iterator[TimeQuestion]:
    """Which subscriptions did I have then? A sentence that names no day leaves open what was before it."""
    kind = "state on a day"
    for type_name, day in ((name, day) for name in ("finance.Subscription", "health.Medication") for day in days):
        of_type, name = _of_type(things, type_name), NAMED_BY[type_name]
        going = [statements for statements in of_type if (end := _end(statements)) is None or end.on > day]
        names = sorted(
            stated_values(statements, name)[0]
            for statements in going
            if (statements[0].first or statements[0].said) <= day
        )
        early = {
            stated_values(statements, name)[0]
            for statements in going
            if statements[0].first is None and statements[0].said > day
        }
        collection = _collection(type_name)
        query = f"sorted(each.{name} for each in {collection})"
        yield TimeQuestion(kind, query, Clocks(valid=day), (collection, name), names, frozenset(early))
    for statements in _of_type(things, "people.Person"):
        name, changes = (
            stated_values(statements, "name")[0],
            [each for each in statements if "lives_in" in each.deed.fields],
        )
        for before, after in pairwise(changes):
            query = f"[each.lives_in for each in people.persons if each.name == {name!r}]"
            names_needed = ("people.persons", "name", "lives_in")
            day = after.said - timedelta(days=1)
            yield TimeQuestion(kind, query, Clocks(valid=day), names_needed, [before.deed.fields["lives_in"]])


def _stated_by_a_day(things: _Things, days: Sequence[date]) -> Iterator[TimeQuestion]:
    """How many things of a kind had I told you about by then?"""
    for type_name in COLLECTIONS:
        both, names = _both(things, type_name)
        for day in days if _of_type(things, type_name) else ():
            count = sum(statements[0].said <= day for statements in _of_type(things, type_name))
            yield TimeQuestion("told by a day", f"len({both})", Clocks(told=day), names, count)


def _known_then(things: _Things, days: Sequence[date]) -> Iterator[TimeQuestion]:
    """Which ones did you know of then?"""
    for type_name, name in NAMED_BY.items():
        collection, of_type = _collection(type_name), _of_type(things, type_name)
        for day in days:
            current = [each for each in of_type if each[0].said <= day and _end(each, day) is None]
            if not current:
                continue
            known = datetime.combine(day, time.max, UTC)
            names = sorted(stated_values(each, name)[0] for each in current)
            query = f"sorted(each.{name} for each in {collection})"
            yield TimeQuestion("known at a time", query, Clocks(known=known), (collection, name), names)


def _what_is_over(things: _Things, _days: Sequence[date]) -> Iterator[TimeQuestion]:
    """What did I send back, cancel or stop, and when?"""
    for type_name, name in NAMED_BY.items():
        former = _collection(type_name, former=True)
        ended = [
            (statements, end) for statements in _of_type(things, type_name) if (end := _end(statements)) is not None
        ]
        if not ended:
            continue
        names = sorted(stated_values(statements, name)[0] for statements, _last in ended)
        yield TimeQuestion("what is over", f"sorted(each.{name} for each in {former})", Clocks(), (former, name), names)
        for statements, end in ended:
            item = stated_values(statements, name)[0]
            query = f"[end_of(each).on for each in {former} if each.{name} == {item!r}]"
            yield TimeQuestion("what is over", query, Clocks(), (former, name), [end.on])


def _before_a_correction(things: _Things, _days: Sequence[date]) -> Iterator[TimeQuestion]:
    """Which price or distance did I give before I corrected it?"""
    both, collections = _both(things, "household.Purchase")
    for statements in _of_type(things, "household.Purchase"):
        if len(prices := stated_values(statements, "price")) > 1:
            item = stated_values(statements, "item")[0]
            each = f"for each in {both} if each.item == {item!r}"
            query = f'[str(history(each, "price")[-2].value) {each}]'
            yield TimeQuestion("before a correction", query, Clocks(), (*collections, "item", "price"), prices[-2:-1])
    for statements in _of_type(things, "leisure.Workout"):
        if len(distances := stated_values(statements, "km")) > 1:
            sport, day = stated_values(statements, "sport")[0], stated_values(statements, "day")[-1]
            each = f"for each in leisure.workouts if each.sport == {sport!r} and str(each.day) == {day!r}"
            query = f'[str(history(each, "km")[-2].value) {each}]'
            names = ("leisure.workouts", "sport", "day", "km")
            yield TimeQuestion("before a correction", query, Clocks(), names, distances[-2:-1])


def _value_history(things: _Things, _days: Sequence[date]) -> Iterator[TimeQuestion]:
    """Where has she lived, and which doses did I take, one after the other?"""
    for type_name, field in (("people.Person", "lives_in"), ("health.Medication", "dose")):
        both, collections = _both(things, type_name)
        for statements in _of_type(things, type_name):
            name, values = stated_values(statements, "name")[0], stated_values(statements, field)
            each = f"for each in {both} if each.name == {name!r}"
            query = f'[one.value {each} for one in history(each, "{field}")]'
            yield TimeQuestion("value history", query, Clocks(), (*collections, "name", field), values)


def _count_in_a_period(things: _Things, days: Sequence[date]) -> Iterator[TimeQuestion]:
    """How many workouts were there in a month? What was moved or corrected counts on its last day."""
    months = sorted({(day.year, day.month) for day in days})
    for type_name, field in (("leisure.Workout", "day"), ("health.Visit", "day"), ("finance.Transaction", "on")):
        collection = _collection(type_name)
        stated_days = [
            date.fromisoformat(stated_values(statements, field)[-1]) for statements in _of_type(things, type_name)
        ]
        for year, month in months if stated_days else ():
            query = (
                f"len([each for each in {collection} if (each.{field}.year, each.{field}.month) == ({year}, {month})])"
            )
            count = sum((day.year, day.month) == (year, month) for day in stated_days)
            yield TimeQuestion("count in a period", query, Clocks(), (collection, field), count)


KINDS_OF_QUESTIONS: Mapping[str, Callable[[_Things, Sequence[date]], Iterator[TimeQuestion]]] = {
    "state on a day": _on_a_day,
    "told by a day": _stated_by_a_day,
    "known at a time": _known_then,
    "what is over": _what_is_over,
    "before a correction": _before_a_correction,
    "value history": _value_history,
    "count in a period": _count_in_a_period,
}
