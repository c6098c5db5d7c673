"""Which of two occurrences a date without its year, month or week means, and when that stays open."""

from datetime import UTC, datetime

import pytest

from uac.text.dates.mentions import mentions


def certain_days(text: str, said: str) -> list[str]:
    """The certain meaning of each date of a text that was said on a day; "" if none is certain."""
    found = mentions(text, datetime.fromisoformat(said).replace(tzinfo=UTC))
    return [mention.sure_meanings[0].start if mention.sure else "" for mention in found]


@pytest.mark.parametrize(
    ("said", "text", "day"),
    [
        ("2025-01-14", "the offsite is on 3 February", "2025-02-03"),
        ("2025-01-20", "96,50 € am 19. Januar von Hornbach", "2025-01-19"),
        ("2025-01-30", "el 28 de enero 28,5 km de natación", "2025-01-28"),
        ("2025-02-06", "and on 6 February again £51.95 for the gas", "2025-02-06"),
        ("2025-01-30", "Fiona dropped the school play talk on February 4", "2025-02-04"),
    ],
)
def test_a_day_that_is_much_nearer_than_the_next_one_is_certain(said: str, text: str, day: str) -> None:
    assert certain_days(text, said) == [day]


def test_both_days_of_a_trip_are_certain() -> None:
    assert certain_days("I leave on 12 March, back on March 14", "2025-01-30") == ["2025-03-12", "2025-03-14"]


def test_a_certain_past_tense_is_not_overruled_by_a_near_day_to_come() -> None:
    assert certain_days("we got married on 4 February", "2025-01-30") == [""]


@pytest.mark.parametrize(
    "text",
    [
        "dieser Spesenbericht muss am Sonntag abgegeben sein",
        "the report must be handed in on Sunday",
        "hay que entregar el informe el domingo",
        "le rapport doit être rendu dimanche",
    ],
)
def test_what_must_be_done_is_to_come_whatever_participle_follows(text: str) -> None:
    assert certain_days(text, "2025-01-14") == ["2025-01-19"]


@pytest.mark.parametrize("text", ["er muss am Sonntag gekommen sein", "he must have come on Sunday"])
def test_what_must_have_been_is_not_said_to_be_to_come(text: str) -> None:
    assert certain_days(text, "2025-01-14") != ["2025-01-19"]


def test_a_title_before_a_name_does_not_end_the_clause() -> None:
    assert certain_days("I saw Dr. Hallberg about the knee on the 14th, not on January 15", "2025-01-30") == [
        "2025-01-14",
        "2025-01-15",
    ]


def test_a_weekday_two_days_ago_and_in_five_days_stays_open_without_a_tense() -> None:
    assert certain_days("the report, Sunday", "2025-01-14") == [""]


def test_a_weekday_after_a_certain_day_to_come_is_the_next_one_after_it() -> None:
    assert certain_days("I'm flying monday at 6:50am, back wednesday", "2026-09-23") == ["2026-09-28", "2026-09-30"]


def test_this_weekday_is_to_come_unless_the_words_say_that_it_is_over() -> None:
    assert certain_days("ferry this saturday", "2025-07-22") == ["2025-07-26"]
    assert certain_days("we took the ferry this saturday", "2025-07-22") == ["2025-07-19"]


def test_an_august_institution_is_no_month() -> None:
    assert certain_days("what an august institution", "2025-06-24") == [""]


def test_something_that_lasts_until_a_weekday_is_not_over() -> None:
    found = mentions("the sofa is 15% off till sunday", datetime(2026, 11, 17, tzinfo=UTC))
    assert [mention.sure_meanings[0].end for mention in found] == ["2026-11-22"]
