"""The maps that are used where `immutables` has no wheel behave as those of `immutables` do."""

import subprocess
import sys
from collections import UserDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

immutables = pytest.importorskip("immutables", reason="has no wheel for this Python")

from uac.schema.persistent_map import BucketMap, BucketMapMutation, Map  # noqa: E402

KEYS = st.one_of(st.integers(0, 40), st.text("ab", max_size=2))
STEPS = st.lists(
    st.tuples(st.sampled_from(["set", "delete", "update", "mutate", "pop", "del"]), KEYS, st.integers()), max_size=60
)


def play(start: Any, steps: list[tuple[str, Any, int]]) -> tuple[list[Any], list[Any]]:
    """Every map on the way, oldest first, and what was returned or raised."""
    maps: list[Any] = [start]
    results: list[Any] = []
    for step, key, value in steps:
        current = maps[-1]
        mutation = current.mutate()
        try:
            match step:
                case "set":
                    maps.append(current.set(key, value))
                case "delete":
                    maps.append(current.delete(key))
                case "update":
                    maps.append(current.update({key: value, 5: value}))
                case "mutate":
                    mutation[key] = value
                    mutation.update([(6, value)])
                    results.append((len(mutation), mutation.get(key), mutation.get("none"), 6 in mutation))
                    maps.append(mutation.finish())
                case "pop":
                    results.append(mutation.pop(key, -1))
                    maps.append(mutation.finish())
                case "del":
                    del mutation[key]
                    maps.append(mutation.finish())
        except KeyError as error:
            results.append(("KeyError", error.args))
    return maps, results


@given(STEPS)
def test_each_step_gives_the_same_items_and_leaves_older_maps_as_they_were(steps: list[tuple[str, Any, int]]) -> None:
    theirs, said = play(immutables.Map({0: 1, "a": 2}), steps)
    ours, says = play(BucketMap({0: 1, "a": 2}), steps)
    assert says == said
    assert [dict(each.items()) for each in ours] == [dict(each.items()) for each in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert set(one) == set(other)
        assert set(one.keys()) == set(other.keys())
        assert sorted(one.values()) == sorted(other.values())
        assert (len(one), one.get(5), one.get(5, "?"), 5 in one) == (
            len(other),
            other.get(5),
            other.get(5, "?"),
            5 in other,
        )


@given(st.dictionaries(KEYS, st.integers()))
def test_maps_with_the_same_items_are_equal_and_have_one_hash(items: dict[Any, int]) -> None:
    one = BucketMap(items)
    other: BucketMap[Any, int] = BucketMap()
    for key, value in reversed(items.items()):
        other = other.set(key, value)
    assert one == other
    assert hash(one) == hash(other)
    assert one != BucketMap({**items, "c": 0})
    assert immutables.Map(items) == UserDict(items)
    assert one == UserDict(items)
    assert one != [*items]


def test_a_mutation_has_no_order_and_a_missing_key_is_an_error() -> None:
    mutation: BucketMapMutation[str, int] = BucketMap({"a": 1}).mutate()
    with pytest.raises(TypeError, match="finish"):
        list(mutation)
    with pytest.raises(KeyError):
        mutation.pop("b")
    assert mutation["a"] == 1


def test_the_maps_of_immutables_are_used_where_it_is_installed() -> None:
    assert Map is immutables.Map


def test_a_project_folds_and_computes_without_immutables() -> None:
    program = """
import sys
sys.modules["immutables"] = None
from uac import Memory, open_store
from uac.schema.persistent_map import Map, BucketMap
assert Map is BucketMap
ben = Memory(open_store("memory:").log("ben"))
ben.put("health.Allergy", {"substance": "Penicillin"})
ben.put("health.Medication", {"name": "Amoxicillin"})
print([alert.constraint for alert in ben.alerts()], ben.compute("len(health.medications)").value)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("['drug_allergy'] 1\n", "")
