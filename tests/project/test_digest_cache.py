"""Checks that passed are remembered by digest: at most so many, and never for other values."""

import gc

import pytest

from support.short_logs import Story
from uac.project.digest_cache import DigestCache
from uac.project.fold import fold_entries


def test_a_value_is_remembered_and_another_one_is_not() -> None:
    cache = DigestCache(10)
    cache.add(("rule", ["case"]))
    assert ("rule", ["case"]) in cache
    assert ("rule", ["another case"]) not in cache


def test_the_longest_unused_value_is_forgotten_first() -> None:
    cache = DigestCache(2)
    cache.add("a")
    cache.add("b")
    assert "a" in cache  # and so it was used last
    cache.add("c")
    assert [value for value in "abc" if value in cache] == ["a", "c"]
    assert len(cache) == 2


def test_a_fold_leaves_the_garbage_collector_of_the_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story()
    story.said("I live in Lisbon")

    def switched() -> None:
        raise AssertionError("the fold switched the garbage collector")

    monkeypatch.setattr(gc, "disable", switched)
    assert fold_entries(story.memory.log.read()).position == 1
