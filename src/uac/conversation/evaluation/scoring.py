"""Whether an answer is right: by its words and numbers, or by a model that compares it with the expected one."""

import json
from decimal import Decimal
from typing import Any

import msgspec

from uac.conversation.evaluation.questions import EvalQuestion
from uac.conversation.prompts import prompt_text
from uac.errors import Refused
from uac.models.requests_and_replies import Request, parse_reply_json
from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import meant, numerals

__all__ = ["grade_request", "matches_answer", "read_grade"]

GRADE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["right"],
    "properties": {"right": {"type": "boolean"}, "why": {"type": "string"}},
}

_WORD = lazy_pattern(r"[^\W_]+")


def matches_answer(question: EvalQuestion, answer: str) -> bool:
    """Whether the answer has all words and numbers of an expected one, and no number that neither it nor the question
    has. Case, order, punctuation and how a number is written do not matter."""
    return any(_has_expected(question.question, expected, answer) for expected in question.answers)


def _has_expected(question: str, expected: str, answer: str) -> bool:
    wanted, given = _values(expected), _values(answer)
    if not all(any(value & other for other in given) for value in wanted):
        return False
    allowed = [*wanted, *_values(question)]
    if wanted and not all(any(value & other for other in allowed) for value in _values(answer, is_certain=True)):
        return False
    return _words(expected) <= _words(answer)


def _values(text: str, *, is_certain: bool = False) -> list[frozenset[Decimal]]:
    """What each number of a text may mean; words such as 'one' and 'second' are not certain to be numbers."""
    return [meant(number, text) for number in numerals(text) if not (is_certain and number.is_weak)]


def _words(text: str) -> frozenset[str]:
    """The words of a text that are not numbers."""
    for number in reversed(numerals(text)):
        text = f"{text[: number.start]} {text[number.end :]}"
    return frozenset(word.casefold() for word in _WORD.findall(text))


def grade_request(question: EvalQuestion, answer: str) -> Request:
    """The request for a verdict on an answer; who gave it, and with what, is not said."""
    content = {"question": question.question, "expected": list(question.answers), "answer": answer}
    return Request(
        step="judge",
        prompt=prompt_text("grade"),
        content=json.dumps(content, ensure_ascii=False, indent=1),
        schema=GRADE_SCHEMA,
        reply_tokens=300,
    )


class _Grade(msgspec.Struct, frozen=True):
    right: bool
    why: str = ""


def read_grade(text: str) -> tuple[bool, str]:
    """The verdict of a reply, and its reason; Refused if it has none."""
    try:
        grade = msgspec.convert(parse_reply_json(text), _Grade)
    except msgspec.ValidationError as error:
        raise Refused(f'The verdict cannot be read: {error}. Reply with {{"right": true}} or false.') from None
    return grade.right, grade.why
