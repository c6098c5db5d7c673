"""Dates in words: what they mean, from the moment they were said."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.date_phrases import MOMENTS, TABLE, TUESDAY, period
from uac.errors import Refused
from uac.schema.periods import Period, check_period
from uac.text.dates.mentions import Duration, Mention, durations, means, mentions, resolve, shifted


@pytest.mark.parametrize(("text", "said", "expected"), TABLE, ids=[f"{row[0]}, {row[1]:%m-%d}" for row in TABLE])
def test_phrases_mean_what_the_table_says(text: str, said: datetime, expected: dict[str, str]) -> None:
    found = {mention.phrase: mention.meanings for mention in mentions(text, said)}
    assert found == {phrase: tuple(map(period, written.split())) for phrase, written in expected.items()}


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert sum(len(expected) or 1 for _text, _said, expected in TABLE) >= 150


@pytest.mark.parametrize(
    "text",
    [
        "2023-05-07",
        "in 2019",
        "May 7, 2023",
        "the 1990s",
        "since 2019",
        "from May 3 to May 7, 2023",
        "Easter 2025",
        "2023年5月",
    ],
)
def test_a_date_with_its_year_does_not_need_the_time_of_saying(text: str) -> None:
    assert [mention.is_relative for mention in mentions(text, TUESDAY)] == [False]


@pytest.mark.parametrize(
    "text",
    ["today", "May 7", "last May", "5/7", "the 14th", "since last Friday", "from 2019 to last May", "Easter", "去年"],
)
def test_a_date_without_its_year_needs_the_time_of_saying(text: str) -> None:
    assert [mention.is_relative for mention in mentions(text, TUESDAY)] == [True]


def test_a_mention_knows_where_it_stands() -> None:
    assert mentions("So last Friday it was.", TUESDAY) == [
        Mention("last Friday", 3, 14, (Period.on("2024-05-03"),), True, 1, frozenset({"weekday"}))
    ]


@pytest.mark.parametrize(
    ("phrase", "meanings"),
    [
        ("on last Friday", "2024-05-03"),
        ("Last Friday.", "2024-05-03"),
        ("in 2019", "2019"),
        ("2019", "2019"),
        ("May", "2024-05 2023-05 2025-05"),
        ("since 2019", "2019/"),
        ("am 7. Mai 2023", "2023-05-07"),
        ("el 7 de mayo de 2023", "2023-05-07"),
        ("Friday or Saturday", ""),
        ("last Friday at nine", ""),
        ("soon", ""),
        ("February 30", ""),
        ("", ""),
    ],
)
def test_a_phrase_is_resolved_as_a_whole_or_not_at_all(phrase: str, meanings: str) -> None:
    assert resolve(phrase, TUESDAY) == tuple(map(period, meanings.split()))


@pytest.mark.parametrize("said", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)])
@pytest.mark.parametrize("text", [row[0] for row in TABLE])
def test_at_the_ends_of_the_calendar_meanings_are_left_out_and_nothing_is_raised(text: str, said: datetime) -> None:
    for mention in mentions(text, said):
        assert mention.meanings != ()
        for meaning in mention.meanings:
            check_period(meaning)


# --- durations and shifts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ten days", ["10 day"]),
        ("for 3 weeks and 2 days", ["3 week", "2 day"]),
        ("a fortnight", ["2 week"]),
        ("half a year", ["0.5 year"]),
        ("a year and a half", ["1.5 year"]),
        ("2.5 weeks", ["2.5 week"]),
        ("a 10-day trip", ["10 day"]),
        ("twenty-five minutes", ["25 minute"]),
        ("two pills a day for ten days", ["10 day"]),
        ("once a week", []),
        ("in an hour", ["1 hour"]),
        ("a few days", []),
        ("zehn Tage", ["10 day"]),
        ("1,5 Jahre", ["1.5 year"]),
        ("tres semanas", ["3 week"]),
        ("deux mois", ["2 month"]),
        ("un'ora", ["1 hour"]),
        ("quinze dias", ["15 day"]),
        ("三天、两周、3小时", ["3 day", "2 week", "3 hour"]),
        ("2023年", []),
    ],
)
def test_durations_are_numbers_of_units(text: str, expected: list[str]) -> None:
    assert [f"{duration.number.normalize():f} {duration.unit}" for duration in durations(text)] == expected


@pytest.mark.parametrize(
    ("day", "duration", "back", "expected"),
    [
        ("2024-01-31", Duration(Decimal(1), "month"), False, "2024-02-29"),
        ("2024-03-31", Duration(Decimal(1), "month"), True, "2024-02-29"),
        ("2024-02-29", Duration(Decimal(1), "year"), False, "2025-02-28"),
        ("2024-05-07", Duration(Decimal("0.5"), "year"), False, "2024-11-07"),
        ("2024-05-07", Duration(Decimal(2), "week"), True, "2024-04-23"),
        ("2024-12-31", Duration(Decimal(1), "day"), False, "2025-01-01"),
        ("2024-05-07", Duration(Decimal(49), "hour"), False, "2024-05-09"),
        ("2024-05-07", Duration(Decimal(30), "minute"), False, "2024-05-07"),
    ],
)
def test_a_shift_keeps_the_day_of_the_month_or_takes_its_last(
    day: str, duration: Duration, back: bool, expected: str
) -> None:
    assert shifted(date.fromisoformat(day), duration, back=back).isoformat() == expected


@pytest.mark.parametrize("unit", ["day", "week", "month", "year"])
def test_a_shift_out_of_the_calendar_is_refused(unit: str) -> None:
    duration = durations(f"999999 {unit}s")[0] if unit != "year" else Duration(Decimal(9000), "year")
    with pytest.raises(Refused, match="between the years 1 and 9999"):
        shifted(date(9000, 1, 1), duration._replace(number=duration.number * 100))


# --- means ------------------------------------------------------------------------------------------------------------

DAYS = st.dates().map(date.isoformat)


@pytest.mark.parametrize(
    ("stated", "meant", "agrees"),
    [
        ("2024-05-03", "2024-05-03", True),
        ("2024-05", "2024-05-03", True),
        ("2024", "2024-05-03", True),
        ("2024-05-03", "2024-05", False),
        ("2024-05-04", "2024-05-03", False),
        ("2024-04", "2024-05-03", False),
        ("2024-05-03/", "2024-05-03", True),
        ("2024-05/", "2024-05-03", True),
        ("/2024-05-03", "2024-05-03", True),
        ("2024-05-04/", "2024-05-03", False),
        ("2024-05-01/2024-05-31", "2024-05", True),
        ("2024-05-01/2024-05-30", "2024-05", False),
        ("2024-05", "2024-05-06/2024-05-12", True),
        ("2024-05-08", "2024-05-06/2024-05-12", False),
        ("2019", "2019/", False),
        ("2019/", "2019/", True),
        ("2024-05-03T09:00:00+02:00", "2024-05-03", True),
        ("2024-05-04T09:00:00+02:00", "2024-05-03", False),
        ("/", "2024-05-03", False),
        ("soon", "2024-05-03", False),
        ("2024-05-03", "2024-05-10 2024-05-03", True),
        ("2024-05-03", "", False),
    ],
)
def test_a_period_states_a_meaning_or_not(stated: str, meant: str, agrees: bool) -> None:
    assert means(period(stated), tuple(map(period, meant.split()))) is agrees


@given(day=DAYS)
def test_a_day_is_stated_by_itself_its_month_and_its_year_and_not_the_other_way_round(day: str) -> None:
    forms = [Period.on(day), Period.on(day[:7]), Period.on(day[:4])]
    for fine, precise in enumerate(forms):
        for coarse, vague in enumerate(forms):
            assert means(vague, [precise]) is (coarse >= fine)


@given(day=DAYS, other=DAYS)
def test_since_and_until_a_day_state_that_day_only(day: str, other: str) -> None:
    for stated in (Period(day, ""), Period("", day)):
        assert means(stated, [Period.on(other)]) is (day == other)


@given(said=MOMENTS, text=st.sampled_from([row[0] for row in TABLE]))
def test_every_meaning_states_itself(said: datetime, text: str) -> None:
    for mention in mentions(text, said):
        assert all(means(meaning, mention.meanings) for meaning in mention.meanings)
