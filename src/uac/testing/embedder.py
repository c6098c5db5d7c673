"""Conformance tests for an embedder: subclass `EmbedderContract` and give it the fixtures `embedder` and `other`.

class TestMine(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return MyEmbedder()

    @pytest.fixture
    def other(self):
        return MyEmbedder(dimension=64)  # gives other numbers for the same text
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uac.log.index import Vectors
from uac.models.embedder import Embedder

__all__ = ["EmbedderContract"]

SENTENCES = (
    "My sister Margarethe is allergic to penicillin",
    "We fly to Lisbon on Friday",
    "Meine Schwester verträgt kein Penicillin",
    "我妹妹对青霉素过敏",
    "أختي لديها حساسية من البنسلين",
    "У моей сестры аллергия на пенициллин",
)

ODD = (
    "a\0b",
    "\ud83d",
    "half \udc00 of a character",
    "\u202eright to left",
    "e\u0301 is not é",
    "👩‍👩‍👧‍👦",
    "\U0010ffff\ufffe",
    "line\u2028separator",
    "<s> </s> <unk> [PAD]",
    '{"input": [1, 2]}',
    "x" * 5000,
)

BLANK = ("", " ", "\n\t\r", "\u2003\u3000")

CLOSE = 1e-5
"""How much two vectors of one text may differ, in any of their numbers."""


class EmbedderContract:
    """The behaviour that all embedders share."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        raise NotImplementedError("An embedder is missing. Define the fixture `embedder` in the subclass.")

    @pytest.fixture
    def other(self) -> Embedder:
        raise NotImplementedError("A second embedder is missing. Define the fixture `other` in the subclass.")

    def test_each_text_has_a_row_of_length_one(self, embedder: Embedder) -> None:
        vectors = embedder.embed(SENTENCES)
        assert (vectors.shape, vectors.dtype.name) == ((len(SENTENCES), embedder.dimension), "float32")
        assert [pytest.approx(1.0, abs=CLOSE)] * len(SENTENCES) == embedded_vector_lengths(vectors)

    def test_no_texts_are_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.dimension)

    def test_a_text_with_nothing_in_it_is_close_to_none(self, embedder: Embedder) -> None:
        assert embedded_vector_lengths(embedder.embed(BLANK)) == [0.0] * len(BLANK)
        assert embedded_vector_lengths(embedder.embed(BLANK, query=True)) == [0.0] * len(BLANK)

    def test_rows_stand_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        rows, turned = embedder.embed(SENTENCES), embedder.embed(SENTENCES[::-1])
        assert largest_difference(rows, turned[::-1]) <= CLOSE
        nearest = (rows @ turned.T).argmax(axis=1).tolist()
        assert nearest == list(range(len(SENTENCES)))[::-1]

    def test_a_text_has_the_same_row_alone_and_among_others(self, embedder: Embedder) -> None:
        pool = [*SENTENCES, *BLANK, *ODD]
        alone = {text: embedder.embed([text])[0] for text in pool}

        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
        @given(texts=st.lists(st.sampled_from(pool), max_size=70))
        def among(texts: list[str]) -> None:
            rows = embedder.embed(texts)
            assert [
                text for text, row in zip(texts, rows, strict=True) if largest_difference(row, alone[text]) > CLOSE
            ] == []

        among()

    def test_asking_twice_gives_the_same(self, embedder: Embedder) -> None:
        for query in (False, True):
            first, second = (embedder.embed(SENTENCES, query=query) for _ in range(2))
            assert largest_difference(first, second) <= CLOSE

    def test_any_text_has_a_row(self, embedder: Embedder) -> None:
        @settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
        @given(text=st.text(st.characters(), max_size=60) | st.sampled_from(ODD), query=st.booleans())
        def has_a_row(text: str, query: bool) -> None:
            (length,) = embedded_vector_lengths(embedder.embed([text], query=query))
            assert length == (pytest.approx(1.0, abs=CLOSE) if text.strip() else 0.0)

        has_a_row()

    def test_all_of_a_long_text_counts(self, embedder: Embedder) -> None:
        long = "We talked about the garden. " * 3600
        assert len(long) > 100_000
        rows = embedder.embed([long, long + SENTENCES[0] * 20, SENTENCES[0]])
        assert [pytest.approx(1.0, abs=CLOSE)] * 3 == embedded_vector_lengths(rows)
        assert largest_difference(rows[0], rows[1]) > 0
        assert rows[1] @ rows[2] > rows[0] @ rows[2]

    def test_a_name_stays_and_tells_two_apart(self, embedder: Embedder, other: Embedder) -> None:
        name = embedder.name
        embedder.embed(SENTENCES)
        assert name
        assert embedder.name == name
        assert other.name != name

    def test_a_callers_texts_stay_as_they_are(self, embedder: Embedder) -> None:
        texts = [*SENTENCES, *BLANK]
        embedder.embed(texts)
        assert texts == [*SENTENCES, *BLANK]

    def test_a_row_can_be_changed_without_changing_the_next(self, embedder: Embedder) -> None:
        first = embedder.embed(SENTENCES)
        kept = first.copy()
        first[:] = 0
        assert largest_difference(embedder.embed(SENTENCES), kept) <= CLOSE

    def test_several_threads_may_ask_at_once(self, embedder: Embedder) -> None:
        alone = embedder.embed(SENTENCES)
        with ThreadPoolExecutor(max_workers=4) as threads:
            found = list(threads.map(lambda _: embedder.embed(SENTENCES), range(16)))
        assert [largest_difference(rows, alone) <= CLOSE for rows in found] == [True] * 16

    def test_it_answers_inside_a_running_loop(self, embedder: Embedder) -> None:
        async def ask() -> Vectors:
            return embedder.embed(SENTENCES)

        assert largest_difference(asyncio.run(ask()), embedder.embed(SENTENCES)) <= CLOSE


def embedded_vector_lengths(vectors: Vectors) -> list[float]:
    return [float(length) for length in (vectors.astype("float64") ** 2).sum(axis=1) ** 0.5]


def largest_difference(one: Vectors, two: Vectors) -> float:
    """The largest difference between two numbers at the same index."""
    assert one.shape == two.shape
    return float(abs(one - two).max(initial=0.0))
