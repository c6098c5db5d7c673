"""Whether a fact and its quotes have a value in common."""

from datetime import UTC, datetime

import pytest

from uac.conversation.checks.readings import QuotedText
from uac.conversation.checks.shared_values import shares_value

SAID = datetime(2025, 1, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "quote", "is_shared"),
    [
        ("The repair was to cost 180 euros and cost 215 euros.", "It came to 215 euros", True),
        ("Der Flug geht um 15 Uhr statt um 14 Uhr.", "um 15 Uhr", True),
        ("The visit was on 2025-01-05 at 10.", "on January 5", True),
        ("Readly cuesta 26,10 euros.", "piden 25,10 euros", False),
        ("Le sac a coûté 29 euros 75.", "C'était 28 euros 75", False),
        ("Le sac a coûté 28 euros 75, pas 30.", "C'était 28 euros 75", True),
        ("Réunions avant 12h.", "avant 11h et le 12 janvier c'était 291 euros 95", False),
    ],
)
def test_a_value_is_shared_as_a_whole_only(text: str, quote: str, is_shared: bool) -> None:
    assert shares_value(text, [QuotedText(quote, SAID)]) is is_shared


def test_without_a_quote_nothing_is_shared() -> None:
    assert shares_value("It cost 215 euros.", []) is False
