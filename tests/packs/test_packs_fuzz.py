"""Rules of packs against extreme and odd values: none fails, and none takes longer than a rule may.

The bounded part takes each field that a rule reads and some of the odd values; `--slow` takes all of them, in both
engines, and shakes several fields of a case at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from random import Random

import pytest

from support.extreme_values import ODD, OLD, RULES, TYPES, Odd, Runner, odd_values, odd_world, shaken, state, sweep
from uac.errors import Refused
from uac.sandbox import available, shared_sandbox
from uac.schema.constraints import Given, case_moment
from uac.schema.types import Json, parse_type

Pool = Mapping[str, Sequence[Json]]
WORLDS = max(map(len, ODD.values())) + 2
NOW = datetime(2026, 1, 10, 9, tzinfo=UTC)
BOTH = {**ODD, **{kind: (*OLD[kind], *ODD[kind]) for kind in OLD}}


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    runner = Runner(shared_sandbox())
    yield runner
    runner.close()


@pytest.fixture(scope="module", params=available())
def each_runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    runner = Runner(shared_sandbox(request.param))
    yield runner
    runner.close()


def failures(runner: Runner, odds: Sequence[Odd], *, bounded: bool) -> list[str]:
    """What the rules of these cases say that they should not; cases that cannot be put are passed over."""
    found: list[str] = []
    for odd in odds:
        try:
            project = state(odd.given, bounded=bounded, rule=odd.rule)
        except Refused:
            continue
        found += [f"{odd}: {why}" for _rule, why in runner.failures(project, [odd.rule], case_moment(odd.case))]
    return found


def world_failures(runner: Runner, number: int, pool: Pool, *, bounded: bool) -> list[str]:
    project = state(odd_world(number, pool), bounded=bounded)
    return [f"world {number}: {name}: {why}" for name, why in runner.failures(project, [*RULES], NOW)]


def test_the_odd_values_reach_every_field_of_every_type() -> None:
    fields = [(type_, part) for type_ in TYPES.values() for part in type_.fields]
    assert [
        f"{type_.full_name}.{part.name}" for type_, part in fields if not odd_values(parse_type(part.type), ODD)
    ] == []
    read = {(odd.case.given[odd.record].type, odd.field) for rule in RULES.values() for odd in sweep(rule, ODD)}
    assert len(read) > 300


def test_the_door_takes_the_odd_values_and_refuses_those_that_only_old_logs_hold() -> None:
    for type_ in TYPES.values():
        given = first_given(type_.full_name)
        for part in type_.fields:
            kind = parse_type(part.type)
            if given is None or part.name in type_.key or kind.kind == "list":
                continue
            for value in odd_values(kind, ODD):
                state([changed(given, part.name, value)], bounded=True)
            for value in OLD.get(kind.kind, ()):
                state([changed(given, part.name, value)], bounded=False)
                if isinstance(value, str) and value == " padded ":
                    continue  # it is only stripped
                with pytest.raises(Refused, match=r"\. (Use|Add|Leave|Say|Make) "):
                    state([changed(given, part.name, value)], bounded=True)


def first_given(type_name: str) -> Given | None:
    cases = [case for rule in RULES.values() for case in rule.cases]
    return next((given for case in cases for given in case.given if given.type == type_name), None)


def changed(given: Given, name: str, value: Json) -> Given:
    return Given(type=given.type, fields={**given.fields, name: value})


@pytest.mark.parametrize("number", range(WORLDS))
def test_no_rule_fails_for_a_user_all_of_whose_values_are_odd(runner: Runner, number: int) -> None:
    assert world_failures(runner, number, ODD, bounded=True) == []


@pytest.mark.parametrize("number", range(max(map(len, OLD.values())) + 2))
def test_no_rule_fails_for_a_user_all_of_whose_values_are_from_before_the_bounds(runner: Runner, number: int) -> None:
    assert world_failures(runner, number, OLD, bounded=False) == []


@pytest.mark.parametrize("name", RULES)
def test_no_rule_fails_on_an_odd_value_in_one_of_its_cases(runner: Runner, name: str) -> None:
    start = [*RULES].index(name)
    assert failures(runner, sweep(RULES[name], ODD)[start % 12 :: 12], bounded=True) == []
    assert failures(runner, sweep(RULES[name], OLD)[start % 4 :: 4], bounded=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_no_rule_fails_on_any_odd_value_in_any_field_that_it_reads(each_runner: Runner, name: str) -> None:
    assert failures(each_runner, sweep(RULES[name], ODD), bounded=True) == []
    assert failures(each_runner, sweep(RULES[name], OLD), bounded=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_no_rule_fails_on_several_odd_values_at_once(each_runner: Runner, name: str) -> None:
    for seed in range(10):
        chance = Random(f"{name} {seed}")
        assert failures(each_runner, [shaken(RULES[name], ODD, chance) for _turn in range(20)], bounded=True) == []
        assert failures(each_runner, [shaken(RULES[name], BOTH, chance) for _turn in range(20)], bounded=False) == []
