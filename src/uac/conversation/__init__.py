"""Requests to a model: turns become facts, facts become patches, a question gets an answer.

Comes in: the log and its project. Goes out: requests that a model, an agent or a recording can answer, and checked
facts, patches and answers made of the replies. Code checks every reply; a refusal says what to fix.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uac.conversation.checks.readings import QuotedText
    from uac.conversation.checks.value_verdict import value_verdict
    from uac.conversation.evaluation import (
        EvalQuestion,
        GivenAnswer,
        Share,
        evaluate,
        grade_request,
        matches_answer,
        mcnemar,
        read_grade,
        wilson,
    )
    from uac.conversation.extract import TOPICS
    from uac.conversation.prompts import prompt_text

__all__ = [
    "TOPICS",
    "EvalQuestion",
    "GivenAnswer",
    "QuotedText",
    "Share",
    "evaluate",
    "grade_request",
    "matches_answer",
    "mcnemar",
    "prompt_text",
    "read_grade",
    "value_verdict",
    "wilson",
]


def __getattr__(name: str) -> object:
    """Imported on first use: one module of the package needs few of the others."""
    if name == "TOPICS":
        from uac.conversation.extract import TOPICS

        return TOPICS
    if name == "QuotedText":
        from uac.conversation.checks.readings import QuotedText

        return QuotedText
    if name == "prompt_text":
        from uac.conversation.prompts import prompt_text

        return prompt_text
    if name == "value_verdict":
        from uac.conversation.checks.value_verdict import value_verdict

        return value_verdict
    if name in __all__:
        from uac.conversation import evaluation

        return getattr(evaluation, name)
    raise AttributeError(f"module 'uac.conversation' has no attribute {name!r}")
