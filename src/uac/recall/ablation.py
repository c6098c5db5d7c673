"""Switches off one idea of the search at a time, so that a benchmark can say what each of them gives."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

__all__ = ["SEARCH_IDEAS", "without_idea"]

_YOU = re.compile(r"\byou(?:rs?)?\b", re.IGNORECASE)


@contextmanager
def without_idea(name: str) -> Iterator[None]:
    """Search without an idea of `SEARCH_IDEAS`, in the whole process and until the block ends."""
    with ExitStack() as restored:
        for owner, attribute, other in SEARCH_IDEAS[name]():
            restored.callback(setattr, owner, attribute, vars(owner)[attribute])
            setattr(owner, attribute, other)
        yield


_Replacement = tuple[object, str, object]
"""A module or a class, the name of something in it, and what it is replaced by."""


def _any_you_means_the_assistant() -> list[_Replacement]:
    from uac.recall import search

    def has_you(question: str) -> bool:
        return _YOU.search(question) is not None

    return [(search, "is_about_assistant", has_you)]


def _no_outline() -> list[_Replacement]:
    from uac.recall import asked

    return [(asked, "asks_for_outline", lambda _question: False)]


def _plain_vectors() -> list[_Replacement]:
    import numpy as np

    from uac.recall import ranking
    from uac.recall.search import Recall
    from uac.recall.vector_table import VectorTable

    origin = property(lambda table: np.zeros(table.dimension, np.float32))
    return [
        (ranking, "BESIDE_WEIGHT", 0.0),
        (Recall, "_word_rarities", lambda *_given: {}),
        (VectorTable, "centre", origin),
    ]


def _no_thread() -> list[_Replacement]:
    from uac.recall.search import Recall

    return [(Recall, "_running_words", lambda *_given: "")]


def _all_sentences_count_the_same() -> list[_Replacement]:
    from uac.recall import ranking, search

    def one_sentence(question: str) -> list[tuple[str, float]]:
        return [(question, 1.0)]

    return [(search, "question_weights", one_sentence), (ranking, "question_weights", one_sentence)]


def _without_weight(name: str) -> Callable[[], list[_Replacement]]:
    def replacements() -> list[_Replacement]:
        from uac.recall import ranking

        return [(ranking, name, 0.0)]

    return replacements


SEARCH_IDEAS: Mapping[str, Callable[[], list[_Replacement]]] = {
    '"you" is not the assistant': _any_you_means_the_assistant,
    "outline": _no_outline,
    "vectors that know this memory": _plain_vectors,
    "the running conversation": _no_thread,
    "asides count little": _all_sentences_count_the_same,
    "what the best turns are about": _without_weight("FEEDBACK_WEIGHT"),
    "the assistant's answers": _without_weight("ANSWER_WEIGHT"),
    "times of what is unrelated fade": _without_weight("RELATED"),
}
