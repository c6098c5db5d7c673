"""A value where the words name two dates, and say that one of them is not possible."""

from datetime import UTC, datetime

import pytest

from uac.conversation import QuotedText, value_verdict

SAID = datetime(2025, 1, 17, tzinfo=UTC)


@pytest.mark.parametrize("no", ["nicht", "ned", "net"])
def test_a_day_that_is_ruled_out_leaves_no_doubt_about_the_other_one(no: str) -> None:
    quotes = [QuotedText(f"das Sushi Tano am 30. Januar geht {no}, also dann am 1. Februar", SAID)]
    assert value_verdict("day", "2025-02-01", quotes).answer == "follows"
    assert value_verdict("day", "2025-01-30", quotes).answer != "follows"


def test_two_days_of_which_none_is_ruled_out_stay_in_doubt() -> None:
    quotes = [QuotedText("am 30. Januar oder am 1. Februar", SAID)]
    assert value_verdict("day", "2025-02-01", quotes).answer == "unsure"
