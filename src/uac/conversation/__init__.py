"""Requests to a model: turns become facts, facts become patches, a question gets an answer.

Comes in: the log and its project. Goes out: requests that a model, an agent or a recording can answer, and checked
facts, patches and answers made of the replies. Code checks every reply; a refusal says what to fix.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uac.conversation.checks.readings import QuotedText
    from uac.conversation.checks.value_verdict import value_verdict
    from uac.conversation.extract import TOPICS
    from uac.conversation.prompts import prompt_text

__all__ = ["TOPICS", "QuotedText", "prompt_text", "value_verdict"]


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
    raise AttributeError(f"module 'uac.conversation' has no attribute {name!r}")
