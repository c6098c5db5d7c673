"""Requests to a model: turns become facts, facts become patches, a question gets an answer.

Comes in: the log and its project. Goes out: requests that a model, an agent or a recording can answer, and checked
facts, patches and answers made of the replies. Code checks every reply; a refusal says what to fix.
"""

from uac.conversation.checks.readings import QuotedText
from uac.conversation.checks.value_verdict import value_verdict
from uac.conversation.extract import TOPICS
from uac.conversation.prompts import prompt_text

__all__ = ["TOPICS", "QuotedText", "prompt_text", "value_verdict"]
