"""The collector of garbage runs seldom during the first use of a part, and as before afterwards."""

import gc
from collections.abc import Iterator

import pytest

from uac.log import first_use as module
from uac.log.first_use import SELDOM, first_use


@pytest.fixture(autouse=True)
def new_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process that has used no part."""
    monkeypatch.setattr(module, "_COLLECTOR", module._Collector())
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_garbage_is_collected_seldom_during_the_first_use_only() -> None:
    gc.set_threshold(500, 7, 8)
    with first_use("recall"):
        assert gc.get_threshold() == (SELDOM, 7, 8)
        with first_use("postgres"):
            assert gc.get_threshold() == (SELDOM, 7, 8)
        assert gc.get_threshold() == (SELDOM, 7, 8)
    assert gc.get_threshold() == (500, 7, 8)
    with first_use("recall"):
        assert gc.get_threshold() == (500, 7, 8)


def test_the_collector_runs_as_before_after_a_first_use_that_fails() -> None:
    gc.set_threshold(500, 7, 8)
    with pytest.raises(LookupError), first_use("recall"):
        raise LookupError
    assert gc.get_threshold() == (500, 7, 8)


def test_a_collector_that_is_off_or_seldom_stays_so() -> None:
    for usual in (0, 2 * SELDOM):
        gc.set_threshold(usual, 7, 8)
        with first_use(str(usual)):
            assert gc.get_threshold() == (usual, 7, 8)
        assert gc.get_threshold() == (usual, 7, 8)


def test_what_a_program_has_frozen_stays_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with first_use("recall"):
            pass
        assert gc.get_freeze_count() >= frozen > 0
    finally:
        gc.unfreeze()


def test_garbage_of_a_first_use_is_collected_later() -> None:
    class Node:
        other: "Node"

    with first_use("recall"):
        node = Node()
        node.other = node
        del node
    assert [each for each in gc.get_objects() if isinstance(each, Node)] != []
    gc.collect()
    assert [each for each in gc.get_objects() if isinstance(each, Node)] == []
