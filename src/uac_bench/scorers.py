"""The scorers of all suites, one for each metric.

Aggregates have two. The published one is that of the suite's authors, rebuilt from its description, so that their
figures can be reproduced. It has loopholes, so the strict one is what counts here:

- A text is right for the published scorer if it is part of the gold. An empty text is part of every gold, so an
  answer that never came is right.
- If the gold is an empty set, any text is right that is empty or contains "none", "no " or "empty".
- "Final answer:" before a right set makes it wrong.
- The last number of a text counts, whatever stands before it. The strict scorer leaves this one as it is.
"""

import ast
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

__all__ = [
    "AnswerKind",
    "evidence_share",
    "is_right_published",
    "is_right_strict",
    "is_right_value",
    "missing_groups",
]

AnswerKind = Literal["int", "float", "string", "set"]
_PREFIX = re.compile(r"^\s*(?:the\s+)?final answer\s*[:\-]\s*", re.IGNORECASE)
_AS_THE_SUITE_DOES = re.IGNORECASE | re.DOTALL
MOST_LISTED, MOST_WORDS = 4, 3  # values that a text may list instead of one, and the words of each


# -- aggregates --------------------------------------------------------------------------------------------------------


def is_right_value(kind: str, given: Any, acceptable: Sequence[Any]) -> bool:
    """Whether a typed answer is right. Texts must be equal but for case, numbers within the suite's tolerance."""
    if given is None or given == "":
        return False
    match kind:
        case "int":
            return isinstance(given, int) and given in acceptable
        case "float":
            return isinstance(given, int | float) and any(_is_near(given, gold) for gold in acceptable)
        case "string":
            return isinstance(given, str) and given.casefold() in [str(gold).casefold() for gold in acceptable]
        case "set":
            return isinstance(given, list) and any(_sorted(given) == _sorted(gold) for gold in acceptable)
    return False


def is_right_published(kind: str, given: str, acceptable: Sequence[Any]) -> bool:
    """Whether a written answer is right by the published rules, loopholes and all. Only the first gold counts."""
    gold = acceptable[0]
    match kind:
        case "int" | "float":
            return _is_right_number(kind, given, gold)
        case "string":
            text, wanted = _normal(given), _normal(gold)
            return wanted in text or text in wanted if wanted else not text
        case _:
            if {*_items(given)} == {*map(_normal, gold)}:
                return True
            text = _normal(given)
            return not gold and (not text or any(word in text for word in ("none", "no ", "empty")))


def is_right_strict(kind: str, given: str, acceptable: Sequence[Any]) -> bool:
    """Whether a written answer is right: never without an answer, never because it is part of the gold."""
    text = _PREFIX.sub("", given).strip()
    if not text:
        return False
    match kind:
        case "int" | "float":
            return any(_is_right_number(kind, text, gold) for gold in acceptable)
        case "string":
            return _is_right_text(text.rstrip("."), [_normal(gold) for gold in acceptable])
        case _:
            return any(_is_right_set(text.rstrip("."), gold) for gold in acceptable)


def _is_right_text(text: str, golds: Sequence[str]) -> bool:
    """A text that lists several values is right only if every one of them is acceptable."""
    listed = [part.strip() for part in re.split(r",|;|\band\b", text) if part.strip()]
    if 1 < len(listed) <= MOST_LISTED and all(len(part.split()) <= MOST_WORDS for part in listed):
        return all(_normal(part) in golds for part in listed)
    return any(_says(_normal(text), gold) for gold in golds)


def _says(text: str, gold: str) -> bool:
    if gold in ("increase", "decrease"):
        is_denied = re.search(r"\b(?:not|didn't)\b", text)
        return bool(re.search(rf"\b{gold[:-1]}(?:e|ed|es|ing)\b", text)) and not is_denied
    return bool(re.search(rf"(?<!\w){re.escape(gold)}(?!\w)", text))


def _is_right_set(text: str, gold: Sequence[Any]) -> bool:
    if gold:
        return {*_items(text)} == {*map(_normal, gold)}
    return _normal(text) in ("[]", "()", "set()", "empty") or bool(re.match(r"(?:none|no)\b", _normal(text)))


def _is_right_number(kind: str, text: str, gold: Any) -> bool:
    plain = text.replace(",", "").replace("$", "")
    found = re.findall(r"-?\d+" if kind == "int" else r"-?\d+(?:\.\d+)?", plain)
    if not found:
        return False
    return int(found[-1]) == int(gold) if kind == "int" else _is_near(float(found[-1]), float(gold))


def _is_near(given: float, gold: float) -> bool:
    return abs(given - gold) <= max(abs(gold) * 0.01, 0.01)


def _items(text: str) -> list[str]:
    """The items that a text lists, as a literal or separated."""
    text = text.strip()
    if text[:1] in ("[", "(", "{"):
        try:
            listed = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            listed = None
        if isinstance(listed, list | tuple | set):
            return [_normal(item) for item in listed]
    parts = re.split(r"[,;\n]", text.strip("[](){}"))
    return [_normal(part.strip().strip("'\"")) for part in parts if part.strip()]


def _normal(value: object) -> str:
    return str(value).strip().casefold()


def _sorted(values: Sequence[Any]) -> list[str]:
    return sorted(str(value).casefold() for value in values)


# -- recall ------------------------------------------------------------------------------------------------------------


def evidence_share(evidence: Collection[int], is_shown: Callable[[int], bool]) -> float:
    """The share of a question's evidence turns that the context shows."""
    return sum(map(is_shown, evidence)) / len(evidence)


# -- alerts ------------------------------------------------------------------------------------------------------------


def missing_groups(rubric: Mapping[str, Sequence[str]], message: str) -> tuple[str, ...]:
    """The groups of a rubric none of whose patterns is in the message; a message that lacks none is right."""
    return tuple(
        group
        for group, patterns in rubric.items()
        if not any(re.search(pattern, message, _AS_THE_SUITE_DOES) for pattern in patterns)
    )
