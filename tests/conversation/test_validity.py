"""When a fact holds: the code decides what the quoted phrase means."""

from datetime import UTC, datetime

import pytest

from uac.conversation.checks.readings import QuotedText
from uac.conversation.checks.validity import validity_of
from uac.errors import Refused
from uac.schema.periods import Period

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def held(phrase: str, period: Period, words: str) -> tuple[Period, str]:
    return validity_of(phrase, period, [QuotedText(words, MONDAY)])


@pytest.mark.parametrize(
    ("phrase", "period", "words", "expected"),
    [
        ("", Period(), "I like tea.", (Period(), "")),
        ("yesterday", Period(), "I moved yesterday.", (Period.on("2026-03-01"), "yesterday")),
        ("yesterday", Period.on("2026-03-01"), "I moved yesterday.", (Period.on("2026-03-01"), "yesterday")),
        ("", Period.on("2026-03-01"), "I moved yesterday.", (Period.on("2026-03-01"), "yesterday")),
        ("", Period("2026-03-02"), "I quit smoking.", (Period("2026-03-02"), "")),
        ("for ages", Period(), "I have lived here for ages.", (Period(), "for ages")),
        ("in 2019", Period.on("2019"), "I moved in 2019.", (Period.on("2019"), "in 2019")),
    ],
)
def test_a_period_is_what_the_words_mean(phrase: str, period: Period, words: str, expected: tuple[Period, str]) -> None:
    assert held(phrase, period, words) == expected


@pytest.mark.parametrize(
    ("phrase", "period", "words", "named"),
    [
        ("tomorrow", Period(), "I moved yesterday.", "tomorrow"),
        ("yesterday", Period.on("2026-02-01"), "I moved yesterday.", "2026-03-01"),
        ("", Period.on("2019"), "I moved yesterday.", "2019"),
        ("", Period("2019", "2020"), "I moved yesterday.", "2019 to 2020"),
        ("", Period("2020", "2019"), "I moved yesterday.", "20"),
    ],
)
def test_a_period_that_the_words_do_not_say_is_refused(phrase: str, period: Period, words: str, named: str) -> None:
    with pytest.raises(Refused, match=named):
        held(phrase, period, words)
