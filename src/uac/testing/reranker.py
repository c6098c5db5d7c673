"""Conformance tests for a reranker: subclass `RerankerContract` and give it the fixture `reranker`.

class TestMine(RerankerContract):
    @pytest.fixture
    def reranker(self):
        return MyReranker()
"""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from uac.models.reranker import Reranker

__all__ = ["RerankerContract"]

QUESTION = "What is Margarethe allergic to?"
TEXTS = (
    "We fly to Lisbon on Friday",
    "Margarethe is allergic to penicillin",
    "",
    "half \udc00 of a character",
    "The garden needs water " * 500,
)


class RerankerContract:
    """The behaviour that all rerankers share."""

    @pytest.fixture
    def reranker(self) -> Reranker:
        raise NotImplementedError("A reranker is missing. Define the fixture `reranker` in the subclass.")

    def test_each_text_has_a_score_in_the_order_of_the_texts(self, reranker: Reranker) -> None:
        scores = list(reranker.scores(QUESTION, TEXTS))
        assert len(scores) == len(TEXTS)
        assert all(math.isfinite(score) for score in scores)
        assert max(range(len(TEXTS)), key=scores.__getitem__) == 1
        turned = reranker.scores(QUESTION, TEXTS[::-1])
        assert list(turned)[::-1] == pytest.approx(scores, abs=1e-5)

    def test_no_texts_have_no_scores(self, reranker: Reranker) -> None:
        assert list(reranker.scores(QUESTION, [])) == []

    def test_more_texts_than_one_call_takes_are_scored_alike(self, reranker: Reranker) -> None:
        scores = reranker.scores(QUESTION, TEXTS * 50)
        assert list(scores) == pytest.approx(list(reranker.scores(QUESTION, TEXTS)) * 50, abs=1e-5)

    def test_an_empty_question_prefers_nothing(self, reranker: Reranker) -> None:
        assert len(set(reranker.scores(" \n", TEXTS))) == 1

    def test_a_name_stays(self, reranker: Reranker) -> None:
        name = reranker.name
        reranker.scores(QUESTION, TEXTS)
        assert name
        assert reranker.name == name

    def test_several_threads_may_ask_at_once(self, reranker: Reranker) -> None:
        alone = list(reranker.scores(QUESTION, TEXTS))
        with ThreadPoolExecutor(max_workers=4) as threads:
            found = list(threads.map(lambda _: list(reranker.scores(QUESTION, TEXTS)), range(8)))
        assert found == [pytest.approx(alone, abs=1e-5)] * 8
