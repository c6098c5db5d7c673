"""Questions that are asked with a denial and answered with yes: "isn't he allergic to it?" – "Oh god, yes"."""

import re

from uac.conversation.checks.wording import AFTER_EXCLAMATIONS, has_denial
from uac.text.lazy_pattern import lazy_pattern

__all__ = ["is_affirmation", "without_affirmed_denials"]


def is_affirmation(quote: str, said: str) -> bool:
    """Whether an answer says yes, and denies nothing in the sentence of the quote or in the next one."""
    place = said.find(quote)
    ends = [found.end() for found in _SENTENCE_END.finditer(said, place + len(quote.rstrip(" .!?\n")))][:2]
    answer = said[place : max(ends, default=len(said))] if place >= 0 else quote
    return _YES.match(answer) is not None and not has_denial(answer)


def without_affirmed_denials(question: str, answer: str) -> str:
    """The question without the denial that an affirmation takes away, of the same length.

    "Yes" affirms a question that begins with its verb; to "he isn't allergic?" it may mean either. "Doch" and "yes, he
    is" affirm both.
    """
    forms = _ANY_DENIAL if _DESPITE_DENIAL.match(answer) else _ASKED_WITH_DENIAL
    return _QUESTION.sub(lambda found: forms.sub(_blank, found[0]), question)


def _blank(found: re.Match[str]) -> str:
    """The words with spaces for the denial."""
    start, end = (place - found.start() for place in found.span(found.lastgroup or 0))
    return found[0][:start] + " " * (end - start) + found[0][end:]


_SENTENCE_END = lazy_pattern(r"[.!?\n]")
_QUESTION = lazy_pattern(r"[^.!?\n]*\?")
_YES = lazy_pattern(AFTER_EXCLAMATIONS + r"(?:yes|yeah|yep|yup|ja|jo|doch|s[ií]|sim)\b", re.IGNORECASE)
_DESPITE_DENIAL = lazy_pattern(
    AFTER_EXCLAMATIONS + r"(?:doch\b|(?:yes|yeah|yep),? (?:he|she|it|they|i|we|you) (?:is|are|am|was|were|do|does|did"
    r"|has|have|had|can|could|will|would|should)\b)",
    re.IGNORECASE,
)
_ANY_DENIAL = lazy_pattern(
    r"\b(?P<denial>not|never|\w{1,9}n['’]t|nicht|kein\w{0,2}|nie|no|nunca|n[aã]o)\b", re.IGNORECASE
)
_ASKED_WITH_DENIAL = lazy_pattern(
    r"(?:^|[,;:¿–—]|\b(?:but|and|so|wait|because|hang on|hey|oh|um|aber|und|pero|mas))\s*"
    r"(?:(?P<verb>(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should)n['’]t|no|n[aã]o)(?=\s+\w)"
    r"|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should) \w+ (?P<word>not)\b"
    r"|\w+ (?:er|sie|es|du|ihr|wir|man|dein\w*|sein\w*|mein\w*) (?:[^,;?]{0,40} )?(?P<german>nicht|kein\w{0,2})\b)",
    re.IGNORECASE,
)
