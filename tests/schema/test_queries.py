"""A query before it runs: read as a tree, never executed."""

import ast

import pytest

from uac.errors import CodeError, LimitError
from uac.schema.queries import FUNCTION, Query, read_query
from uac.schema.syntax import bound_names


@pytest.mark.parametrize(
    ("code", "reads"),
    [
        ("len(travel.trips)", ("travel.trips",)),
        ("t = travel\nlen(t.trips)", ("travel.passport", "travel.trips")),
        ("getattr(travel, 'trips')", ("travel.passport", "travel.trips")),
        ("[x for x in travel.trips if x in health.allergies]", ("health.allergies", "travel.trips")),
        ("1 + 1", ()),
        ("user.travel.trips", ("travel.trips",)),
        ("user.travel", ("travel.passport", "travel.trips")),
        ("user", ("health.allergies", "travel.passport", "travel.trips")),
        ("travel.Trip", ()),
        ("travel.__dict__", ("travel.passport", "travel.trips")),
        ("eval('1')", ("health.allergies", "travel.passport", "travel.trips")),
    ],
)
def test_the_collections_that_a_query_reads_are_known_before_it_runs(code: str, reads: tuple[str, ...]) -> None:
    assert read_query(code, {"travel": ["trips", "passport"], "health": ["allergies"]}).reads == reads


@pytest.mark.parametrize("code", ["(" * 300, "-" * 100_000 + "1", "x" * 300_000, "\0", "a\x00b", "f(" * 5000])
def test_code_that_cannot_be_parsed_is_refused(code: str) -> None:
    with pytest.raises((CodeError, LimitError)):
        read_query(code, {})


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("sum(t.cost.amount for t in travel.trips)", "nothing"),
        ("groups = defaultdict(list)\nfor t in travel.trips:\n    groups[t.city].append(t)\ngroups", "containers"),
        ("counts = {}\nfor t in travel.trips:\n    counts[t.city] = counts.get(t.city, 0) + 1\ncounts", "containers"),
        ("total = 0\nfor t in travel.trips:\n    total += 1\ntotal", "containers"),
        ("found = []\nfor t in travel.trips:\n    found.append(t.city)\nfound", "containers"),
        ("d = {}\nfor t in travel.trips:\n    d.setdefault(t.city, []).append(t)\nd", "containers"),
        ("sorted(travel.trips, key=lambda t: t.start)", "nothing"),
        ("travel.trips.sort()", "containers"),
        ("travel.trips[0].city = 'Rome'", "anything"),
        ("setattr(travel.trips[0], 'city', 'Rome')", "anything"),
    ],
)
def test_what_a_query_could_change_is_known_before_it_runs(code: str, change: str) -> None:
    assert read_query(code, {"travel": ["trips"]}).effect.change == change


def test_an_empty_query_returns_none() -> None:
    assert read_query("# nothing\n", {"travel": ["trips"]}) == Query(f"def {FUNCTION}():\n    return None")


def test_a_query_lists_its_parameters_and_the_tables_that_it_looks_up() -> None:
    query = read_query("len(travel.trips), knowledge('a.b'), knowledge(name)", {"travel": ["trips"], "health": []})
    assert (query.names, query.knows, query.asks_clock) == (("travel",), frozenset({"a.b"}), False)


@pytest.mark.parametrize(
    ("code", "asks"),
    [
        ("datetime.now()", True),
        ("import time", True),
        ("from time import sleep", True),
        ("match day:\n    case date(today=f):\n        f()", True),
        ("import math", False),
        ("match day:\n    case date(year=y):\n        y", False),
        ("now.year", False),
    ],
)
def test_a_query_that_might_ask_the_clock_is_recognised(code: str, asks: bool) -> None:
    assert read_query(code, {}).asks_clock == asks


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("x = 1", ["x"]),
        ("lambda x: 1", ["x"]),
        ("class A: pass", ["A"]),
        ("match y:\n    case {'a': 1, **rest}:\n        pass", ["rest"]),
        ("try:\n    y\nexcept E as error:\n    pass", ["error"]),
        ("import math as m, json", ["m", "json"]),
        ("from collections import deque, Counter as C", ["C"]),
        ("from math import sqrt", ["sqrt"]),
    ],
)
def test_a_node_binds_these_names(code: str, names: list[str]) -> None:
    assert [name for node in ast.walk(ast.parse(code)) for name in bound_names(node)] == names
