"""Whether an answer says what is true, in whichever words: one scorer for every kind of question to a life.

A literal (`['Leeds']`, `3`) has to be the answer. A sentence has to hold every name, number and day of the answer,
must not deny one of them, and may hold no other value of the same kind.
"""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Any

from uac_bench.conversations.spoken_values import (
    counts_in,
    days_in,
    denies,
    is_day_of,
    mentions,
    numbers_in,
    says,
    without_days,
)
from uac_bench.scorers import AnswerKind, is_right_strict

__all__ = ["is_recalled", "is_right_answer"]

_MONEY = re.compile(r"\d+(?:\.\d+)? [A-Z]{3}")
_CURRENCIES = {"EUR": ("€", "eur", "euro"), "GBP": ("£", "gbp", "pound"), "USD": ("$", "usd", "dollar")}
_LITERAL = re.compile(r"\s*(?:[\[({].*[\])}]|-?\d+(?:\.\d+)?)\s*", re.DOTALL)
DAY_SLOTS = frozenset({"day", "day_bare", "end_day", "end_bare", "today", "old_day"})


def is_right_answer(form: AnswerKind, text: str, golds: Sequence[Any], others: Sequence[str] = ()) -> bool:
    """Whether an answer is one of the golds; `others` are the values of the same kind that would be wrong."""
    if _LITERAL.fullmatch(text):
        return is_right_strict(form, text, golds)
    match form:
        case "int":
            return counts_in(text) in ({int(gold)} for gold in golds)
        case "float":
            return any(_is_sum(numbers_in(without_days(text)), Decimal(str(gold))) for gold in golds)
        case "set":
            return any(_has_values(text, gold, others) for gold in golds)
        case _:
            return is_right_strict(form, text, golds)


def is_recalled(text: str, values: Sequence[tuple[str, str]], about: str, start: str, quote: str) -> bool:
    """Whether an answer tells what was said of another person: who, each value of it, and the day if it names one."""
    if not says(text, about) or denies(text, about):
        return False
    days = [value for slot, value in values if slot in DAY_SLOTS]
    named = days_in(text)
    if named and start and not is_day_of(named, date.fromisoformat(start)):
        return False
    if days and not named and not any(value.casefold() in text.casefold() for value in days):
        return False
    said = [value for slot, value in values if slot not in DAY_SLOTS]
    numbers = [number for value in said for number in numbers_in(value)]
    allowed = {*numbers_in(quote), *numbers, *(n for value in days for n in numbers_in(value))}
    given = numbers_in(without_days(text))
    if not set(numbers) <= set(given) or not allowed.issuperset(given):
        return False
    names = [value for value in said if not numbers_in(value)]
    return all(mentions(text, value) for value in names) and not any(denies(text, value) for value in said)


def _has_values(text: str, gold: Sequence[Any], others: Sequence[str]) -> bool:
    wanted = [str(each) for each in gold]
    if wanted and all(_MONEY.fullmatch(each) for each in wanted):
        return _has_amounts(text, wanted)
    if not all(says(text, each) and not denies(text, each) for each in wanted):
        return False
    rest = text
    for each in sorted(wanted, key=len, reverse=True):
        rest = re.sub(rf"(?<!\w){re.escape(each)}(?!\w)", "_", rest, flags=re.IGNORECASE)
    return not any(says(rest, each) and not denies(rest, each) for each in others)


def _has_amounts(text: str, wanted: Sequence[str]) -> bool:
    """Whether the text has these amounts and no other, in their currency; it may say how many they are."""
    amounts = {Decimal(each.split(" ")[0]) for each in wanted}
    rest = without_days(text)
    given = set(numbers_in(rest))
    counts = {Decimal(len(wanted)), Decimal(len(amounts))}
    ours = {each.split(" ")[1] for each in wanted}
    foreign = [sign for name, signs in _CURRENCIES.items() if name not in ours for sign in signs]
    is_foreign = any(re.search(rf"{re.escape(sign)}s?(?![a-z])", rest) for sign in foreign)
    denied = any(denies(rest, each.split(" ")[0]) for each in wanted)
    return amounts <= given and given - amounts <= counts and not is_foreign and not denied


def _is_sum(given: Sequence[Decimal], gold: Decimal) -> bool:
    """Whether the numbers are the total, perhaps with its parts."""
    if not any(_is_near(each, gold) for each in given):
        return False
    parts = [each for each in given if not _is_near(each, gold)]
    return not parts or any(
        _is_near(sum(some, Decimal()), gold) and len(some) >= len(parts) - 1
        for size in (len(parts), len(parts) - 1)
        for some in combinations(parts, size)
        if some
    )


def _is_near(given: Decimal, gold: Decimal) -> bool:
    return abs(given - gold) <= Decimal("0.01")
