"""Did memory help? Own questions, answered with and without memory, scored and compared.

Comes in: questions with their expected answers, a memory, and a model. Goes out: a verdict on each answer, the share of
right ones with its interval, and a paired comparison. The log is not changed.
"""

from uac.conversation.evaluation.questions import EvalQuestion, read_questions
from uac.conversation.evaluation.run import (
    Comparison,
    Evaluation,
    GivenAnswer,
    Judge,
    QuestionResult,
    Verdict,
    comparison,
    evaluate,
)
from uac.conversation.evaluation.scoring import grade_request, matches_answer, read_grade
from uac.conversation.evaluation.statistics import Share, mcnemar, wilson

__all__ = [
    "Comparison",
    "EvalQuestion",
    "Evaluation",
    "GivenAnswer",
    "Judge",
    "QuestionResult",
    "Share",
    "Verdict",
    "comparison",
    "evaluate",
    "grade_request",
    "matches_answer",
    "mcnemar",
    "read_grade",
    "read_questions",
    "wilson",
]
