"""Values of fields, by the kinds of words that state them: a right one is never refused, a wrong one never certain."""

from datetime import UTC, datetime

import pytest

from support.dated_sentences import KINDS, cases
from uac.conversation import QuotedText, value_verdict
from uac.conversation.checks.verdicts import Verdict


def _verdict(field: str, value: str, words: tuple[str, ...], said: str) -> Verdict:
    moment = datetime.fromisoformat(said).replace(tzinfo=UTC)
    is_currency = field.endswith("currency")
    is_number = value.replace(".", "", 1).isdecimal() and not _is_year(field, value)
    raw = {"amount": None, "currency": value} if is_currency else float(value) if is_number else value
    return value_verdict(field, raw, [QuotedText(each, moment) for each in words if each])


def _is_year(field: str, value: str) -> bool:
    return len(value) == 4 and value[:2] in ("19", "20") and "kg" not in field and "price" not in field


@pytest.mark.parametrize("kind", KINDS)
def test_right_values_are_not_refused_and_wrong_ones_not_certain(kind: str) -> None:
    refused, accepted = [], []
    for case in cases():
        if case.kind != kind:
            continue
        words = (case.before, case.text)
        refused += [
            (case.text, value)
            for value in case.right
            if _verdict(case.field, value, words, case.said).answer == "contradicts"
        ]
        accepted += [
            (case.text, value)
            for value in case.wrong
            if _verdict(case.field, value, words, case.said).answer == "follows"
        ]
    assert {"refused": refused, "accepted": accepted} == {"refused": [], "accepted": []}
