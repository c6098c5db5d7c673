"""Weak models: what they get wrong stays out of memory, and what it costs is bounded."""

import random
from functools import partial

import pytest

from uac_bench.bench_conversations import COST_BOUND
from uac_bench.conversations.generator import generate_life
from uac_bench.conversations.replay import Score, replay
from uac_bench.conversations.weak_models import UNCHECKED, WEAKNESSES, WeakModel

LIFE = generate_life(1, 3, "en")


@pytest.fixture(scope="module")
def strong() -> Score:
    return replay(LIFE, each=1)


def test_nothing_that_was_never_said_is_in_the_memory_of_a_strong_model(strong: Score) -> None:
    assert (strong.false, strong.stuck, strong.doubled) == ((), 0, 0)


@pytest.mark.parametrize("name", ["cut off", "careless form", "repeats", "swapped", "wrong record"])
def test_what_a_weak_model_gets_wrong_stays_out_and_its_cost_is_bounded(name: str, strong: Score) -> None:
    score = replay(LIFE, partial(WeakModel, name=name), each=0)
    assert (score.false, score.doubled) == ((), 0)
    assert score.requests <= COST_BOUND * strong.requests
    assert score.tokens <= COST_BOUND * strong.tokens


def test_what_code_cannot_check_is_counted() -> None:
    score = replay(LIFE, partial(WeakModel, name="embroidered"), each=0)
    assert score.false
    assert {fact.partition(", and was glad about it.")[1] for fact in score.false} == {", and was glad about it."}
    assert set(WEAKNESSES) >= UNCHECKED


@pytest.mark.parametrize("name", WEAKNESSES)
def test_a_weakness_depends_on_the_request_alone(name: str) -> None:
    def weakened() -> str:
        fact = {"text": "The user paid 12 euros on 2025-01-07.", "cites": [{"turn": 1, "quote": "paid 12 euros"}]}
        return WEAKNESSES[name]({"facts": [fact, dict(fact)]}, {"turns": []}, random.Random("request"))

    assert weakened() == weakened()
