"""How a question is asked, beside its words: in other words, inside a conversation, for an outline."""

from typing import NamedTuple

from uac.errors import Refused
from uac.recall.question_kinds import asks_for_outline
from uac.recall.search_settings import ALL_IDEAS, SearchSettings

__all__ = ["MAX_QUERIES", "ONE_QUESTION", "QuestionOptions", "read_question_options"]

MAX_QUERIES = 4


class QuestionOptions(NamedTuple):
    """What a question comes with, beside its words."""

    queries: tuple[str, ...] = ()
    """Other queries for the same question. Their results are merged by rank."""
    within: str = ""
    """The session in which the question is asked: its last turns count like a query."""
    after: int | None = None
    """The turns after this position are the running conversation."""
    outline: bool | None = None
    """Whether to show all matching turns of people, shortened; None: if the question asks for that."""
    recent: bool = False
    """Whether what was said lately counts more."""

    def all_queries(self, query: str) -> list[str]:
        return list(dict.fromkeys(text for text in (query, *self.queries) if text.strip())) or [query]

    def needs_outline(self, query: str, settings: SearchSettings = ALL_IDEAS) -> bool:
        return settings.outlines and asks_for_outline(query) if self.outline is None else self.outline


ONE_QUESTION = QuestionOptions()


def read_question_options(
    queries: object, within: str = "", after: int | None = None, outline: bool | None = None, *, recent: bool = False
) -> QuestionOptions:
    """The caller's arguments, or Refused."""
    if isinstance(queries, str) or not isinstance(queries, tuple | list):
        raise Refused(f"queries is {queries!r}. Use a list of texts.")
    if len(queries) >= MAX_QUERIES:
        raise Refused(f"queries has {len(queries)} texts. Use at most {MAX_QUERIES - 1} beside the question.")
    return QuestionOptions(tuple(queries), within, after, outline, recent)
