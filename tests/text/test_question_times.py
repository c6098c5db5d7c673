"""What a question says about time: the days it asks about, and the events."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from uac.schema.periods import Period
from uac.text.dates import question_vocabulary
from uac.text.dates.questions import AskedEvent, AskedTime, Relation, around_event, asked_events, asked_times, overlap

SUNDAY = datetime(2023, 8, 20, 12, 0, tzinfo=UTC)

# The question, and for each of its phrases the days asked for: 'a' is one day, 'a/b' from a to b; the likeliest first.
TABLE: dict[str, dict[str, str]] = {
    # dates with their year
    "What did Ana do in May 2023?": {"May 2023": "2023-05-01/2023-05-31"},
    "May 7th, 2023": {"May 7th, 2023": "2023-05-07"},
    "Who came on 2023-05-07?": {"2023-05-07": "2023-05-07"},
    "the summer of 2022": {"the summer of 2022": "2022-06-01/2022-08-31"},
    "in the 90s": {"the 90s": "1990-01-01/1999-12-31"},
    "spring 2023 and fall 2022": {
        "spring 2023": "2023-03-01/2023-05-31",
        "fall 2022": "2022-09-01/2022-11-30",
    },
    "between March and June 2023": {"between March and June 2023": "2023-03-01/2023-06-30"},
    # from now
    "last year": {"last year": "2022-01-01/2022-12-31"},
    "Who came in the last year?": {"in the last year": "2022-08-20/2023-08-20"},
    "the last year of school": {"last year": "2022-01-01/2022-12-31"},
    "two weeks ago": {"two weeks ago": "2023-08-06 2023-07-31/2023-08-06"},
    "last spring": {"last spring": "2023-03-01/2023-05-31 2022-03-01/2022-05-31"},
    "What is on tomorrow?": {"tomorrow": "2023-08-21"},
    # without their year: the last four, never one to come
    "in May": {
        "May": "2023-05-01/2023-05-31 2022-05-01/2022-05-31 2021-05-01/2021-05-31 2020-05-01/2020-05-31",
    },
    "on 7 May": {"7 May": "2023-05-07 2022-05-07 2021-05-07 2020-05-07"},
    "on Halloween": {"Halloween": "2022-10-31 2021-10-31 2020-10-31 2019-10-31"},
    "February 29": {"February 29": "2020-02-29"},
    "over the summer": {
        "over the summer": "2023-06-01/2023-08-31 2022-06-01/2022-08-31 2021-06-01/2021-08-31 2020-06-01/2020-08-31",
    },
    "between March and May": {
        "between March and May": "2023-03-01/2023-05-31 2022-03-01/2022-05-31 "
        "2021-03-01/2021-05-31 2020-03-01/2020-05-31",
    },
    "on Monday": {"Monday": "2023-08-14"},
    "on the 7th": {"the 7th": "2023-08-07"},
    # before, after, since, until, around
    "before 2021": {"before 2021": "/2020-12-31"},
    "after 2021": {"after 2021": "2022-01-01/"},
    "after 7 May 2023": {"after 7 May 2023": "2023-05-08/"},
    "since June": {"since June": "2023-06-01/"},
    "until March 2022": {"until March 2022": "/2022-03-31"},
    "before Christmas": {"before Christmas": "/2022-12-24"},
    "around 7 May 2023": {"around 7 May 2023": "2023-05-04/2023-05-10"},
    "over Christmas 2022": {"over Christmas 2022": "2022-12-22/2022-12-28"},
    "around May 2023": {"around May 2023": "2023-05-01/2023-05-31"},
    # weeks and weekends
    "first weekend of August 2023": {"first weekend of August 2023": "2023-08-05/2023-08-06"},
    "the last weekend in July 2023": {"the last weekend in July 2023": "2023-07-29/2023-07-30"},
    "the last week of June 2023": {"the last week of June 2023": "2023-06-24/2023-06-30"},
    "second week of June 2023": {"second week of June 2023": "2023-06-08/2023-06-14"},
    "the week before 14 August 2023": {"the week before 14 August 2023": "2023-08-07/2023-08-13"},
    "last week before 14 August 2023": {"last week before 14 August 2023": "2023-08-07/2023-08-13"},
    "the week after 1 May 2023": {"the week after 1 May 2023": "2023-05-02/2023-05-08"},
    "the weekend before 17 July 2023": {"the weekend before 17 July 2023": "2023-07-15/2023-07-16"},
    "the weekend before 15 July 2023": {"the weekend before 15 July 2023": "2023-07-08/2023-07-09"},
    "the weekend after 15 July 2023": {"the weekend after 15 July 2023": "2023-07-22/2023-07-23"},
    "over the weekend before 17 July 2023": {"over the weekend before 17 July 2023": "2023-07-15/2023-07-16"},
    "the weekend of 13 July 2023": {"the weekend of 13 July 2023": "2023-07-15/2023-07-16"},
    "the Sunday before 25 October 2022": {"the Sunday before 25 October 2022": "2022-10-23"},
    "the Tuesday before 25 October 2022": {"the Tuesday before 25 October 2022": "2022-10-18"},
    "the Friday after 25 October 2022": {"the Friday after 25 October 2022": "2022-10-28"},
    "in the last week of June 2023": {"in the last week of June 2023": "2023-06-24/2023-06-30"},
    "the week of June 2023": {"the week of June 2023": "2023-06-01/2023-06-30"},
    # written without a space
    "on May 1,2023": {"May 1,2023": "2023-05-01"},
    # holidays that are called otherwise
    "New Year 2022": {"New Year 2022": "2022-01-01"},
    "New Year's Eve 2022": {"New Year's Eve 2022": "2022-12-31"},
    "New Year’s Eve 2022": {"New Year’s Eve 2022": "2022-12-31"},
    "Valentine's 2022": {"Valentine's 2022": "2022-02-14"},
    # bare years
    "2021 or 2022": {"2021": "2021-01-01/2021-12-31", "2022": "2022-01-01/2022-12-31"},
    "holidays before 2021 or 2022": {"before 2021": "/2020-12-31", "2022": "2022-01-01/2022-12-31"},
    "2021 dollars": {},
    "room A2021, $2021, 2021.5, 12021": {},
    # what no calendar has
    "30 February 2023": {},
    "on 29 February 2023": {},
    "2023-13-01": {},
    "in 2021-2019": {},
    # no time
    "": {},
    "?!": {},
    "What may I eat?": {},
    "a march for the marines": {},
    "Who was in Rio de Janeiro?": {},
    # German
    "Was war im Mai 2023?": {"Mai 2023": "2023-05-01/2023-05-31"},
    "letzten Sommer": {"letzten Sommer": "2022-06-01/2022-08-31"},
    "vor 2021": {"vor 2021": "/2020-12-31"},
    "nach Mai 2023": {"nach Mai 2023": "2023-06-01/"},
    "in den 90ern": {"den 90ern": "1990-01-01/1999-12-31"},
    "am ersten Wochenende im August 2023": {"ersten Wochenende im August 2023": "2023-08-05/2023-08-06"},
    "Neujahr 2022": {"Neujahr 2022": "2022-01-01"},
    # French
    "l'été dernier": {"été dernier": "2022-06-01/2022-08-31"},
    "avant mai 2023": {"avant mai 2023": "/2023-04-30"},
    "depuis 2020": {"depuis 2020": "2020-01-01/"},
    "les années 90": {"les années 90": "1990-01-01/1999-12-31"},
    "la Saint-Valentin 2022": {"Saint-Valentin 2022": "2022-02-14"},
    # Spanish
    "el verano pasado": {"verano pasado": "2022-06-01/2022-08-31"},
    "en verano de 2022": {"verano de 2022": "2022-06-01/2022-08-31"},
    "en verano": {
        "en verano": "2023-06-01/2023-08-31 2022-06-01/2022-08-31 2021-06-01/2021-08-31 2020-06-01/2020-08-31",
    },
    "antes de mayo de 2023": {"antes de mayo de 2023": "/2023-04-30"},
    "los años 90": {"los años 90": "1990-01-01/1999-12-31"},
    # Italian, Portuguese
    "prima del 2021": {"prima del 2021": "/2020-12-31"},
    "Capodanno 2022": {"Capodanno 2022": "2022-01-01"},
    "depois de maio de 2023": {"depois de maio de 2023": "2023-06-01/"},
    "Natal 2022": {"Natal 2022": "2022-12-25"},
    # Chinese, Japanese
    "2023年5月": {"2023年5月": "2023-05-01/2023-05-31"},
    "去年夏天我们去了哪里?": {"去年夏天": "2022-06-01/2022-08-31"},
    "2022年圣诞节": {"2022年圣诞节": "2022-12-25"},
    "2022年5月之前": {"2022年5月之前": "/2022-04-30"},
    "90年代": {"90年代": "1990-01-01/1999-12-31"},
    "2023年の夏": {"2023年の夏": "2023-06-01/2023-08-31"},
    "クリスマス": {"クリスマス": "2022-12-25 2021-12-25 2020-12-25 2019-12-25"},
    # Russian
    "7 мая": {"7 мая": "2023-05-07 2022-05-07 2021-05-07 2020-05-07"},
    "Что было в мае 2023 года?": {"мае 2023 года": "2023-05-01/2023-05-31"},
    "два года назад": {"два года назад": "2021-01-01/2021-12-31 2021-08-01/2021-08-31"},
    "прошлым летом": {"прошлым летом": "2022-06-01/2022-08-31"},
    "в мае прошлого года": {"мае прошлого года": "2022-05-01/2022-05-31"},
    "до мая 2023": {"до мая 2023": "/2023-04-30"},
    "между мартом и июнем 2023": {"между мартом и июнем 2023": "2023-03-01/2023-06-30"},
    # Arabic
    "في مايو 2023": {"مايو 2023": "2023-05-01/2023-05-31"},
    "7 مايو ٢٠٢٣": {"7 مايو ٢٠٢٣": "2023-05-07"},
    "الصيف الماضي": {"الصيف الماضي": "2022-06-01/2022-08-31"},
    "قبل مايو 2023": {"قبل مايو 2023": "/2023-04-30"},
    "بين مارس ويونيو 2023": {"بين مارس ويونيو 2023": "2023-03-01/2023-06-30"},
    "قبل أسبوعين": {"قبل أسبوعين": "2023-08-06 2023-07-31/2023-08-06"},
}


@pytest.mark.parametrize("query", TABLE)
def test_a_question_asks_for_these_days(query: str) -> None:
    found: dict[str, list[str]] = {}
    for asked in asked_times(query, SUNDAY):
        found.setdefault(asked.words, []).append(
            asked.start if asked.start == asked.end else f"{asked.start}/{asked.end}"
        )
    assert {words: " ".join(days) for words, days in found.items()} == TABLE[query]


def test_the_newest_of_several_years_weighs_most() -> None:
    assert asked_times("on 7 May", SUNDAY) == (
        AskedTime("2023-05-07", "2023-05-07", "7 May", 1.0),
        AskedTime("2022-05-07", "2022-05-07", "7 May", 0.6),
        AskedTime("2021-05-07", "2021-05-07", "7 May", 0.4),
        AskedTime("2020-05-07", "2020-05-07", "7 May", 0.3),
    )


def test_open_ends_and_bare_years_weigh_half() -> None:
    assert asked_times("after 2021, Lisbon 2019", SUNDAY) == (
        AskedTime("2022-01-01", "", "after 2021", 0.5),
        AskedTime("2019-01-01", "2019-12-31", "2019", 0.5),
    )


def test_a_time_that_is_named_twice_is_asked_once_with_the_greater_weight() -> None:
    assert asked_times("Lisbon 2019, so in 2019", SUNDAY) == (AskedTime("2019-01-01", "2019-12-31", "2019", 1.0),)


def test_today_has_begun_and_tomorrow_has_not() -> None:
    before, on = (asked_times("on 7 May", datetime(2023, 5, day, tzinfo=UTC))[0] for day in (6, 7))
    assert (before.start, on.start) == ("2022-05-07", "2023-05-07")


def test_now_is_the_day_where_it_was_asked() -> None:
    late = datetime(2023, 8, 20, 23, 30, tzinfo=timezone(timedelta(hours=-7)))
    assert asked_times("today", late) == (AskedTime("2023-08-20", "2023-08-20", "today"),)


def test_of_a_long_question_the_beginning_and_the_end_are_read() -> None:
    filler = "word " * 10_000
    query = f"in May 2021 {filler} in May 2022 {filler} in May 2023"
    assert [asked.start for asked in asked_times(query, SUNDAY)] == ["2021-05-01", "2023-05-01"]
    events = asked_events(f"before the wedding? {filler} before the move? {filler} after the trip?")
    assert events == (AskedEvent("before", "wedding"), AskedEvent("after", "trip"))


def test_of_many_dates_some_are_read() -> None:
    days = [date(2020, 1, 1) + timedelta(days=at) for at in range(300)]
    found = asked_times(" ".join(f"on {day}," for day in days), SUNDAY)
    assert 0 < len(found) <= 32


WORDS = st.sampled_from(
    "in on the before after since until between and of last first next week weekend May 7 30 February 2023 1999 90s "
    "summer Christmas ago two years vor nach Sommer avant été en verano 2023年 5月 夏天 之前 мая до летом مايو قبل الصيف "
    "New Year's Eve 2023-05-07 9999 0001 ٢٠٢٣ ? . , ' -".split()
)
QUERIES = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map(" ".join))
NOWS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))]))


@given(QUERIES, NOWS)
@example("last weekend before 0001-01-01 and first week of 9999-12", datetime.min.replace(tzinfo=UTC))
@example("after 9999-12-31, around 9999-12-31, next year", datetime.max.replace(tzinfo=UTC))
@example("on 29 February, in 20٢٣", datetime(2024, 2, 29, tzinfo=UTC))
@example("\ud800 in May \0", SUNDAY)
@example("before ", SUNDAY)
@example("en prımavera, rıo de janeıro, SAN VALENTİNO, the frıday before May 2023", SUNDAY)
def test_whatever_is_asked_has_words_of_the_query_and_days_in_order(query: str, now: datetime) -> None:
    for asked in asked_times(query, now):
        assert asked.words
        assert asked.words in query
        assert asked.start or asked.end
        assert not (asked.start and asked.end) or date.fromisoformat(asked.start) <= date.fromisoformat(asked.end)
        assert 0 < asked.weight <= 1
    for event in asked_events(query):
        assert event.words
        assert event.words in query


# The question, and its events.
EVENTS: dict[str, list[tuple[Relation, str]]] = {
    "Where did I live before the wedding?": [("before", "wedding")],
    "What did I eat after my surgery?": [("after", "surgery")],
    "Who was there during the trip to Lisbon?": [("during", "trip to Lisbon")],
    "How did I sleep since we moved?": [("since", "we moved")],
    "until the baby came": [("until", "baby came")],
    "while I was in Rome": [("during", "I was in Rome")],
    "After the wedding, where did we go?": [("after", "wedding")],
    "Since we moved what did we buy?": [("since", "we moved")],
    "before Anna left and after Tom came": [("before", "Anna left"), ("after", "Tom came")],
    "after the trip in August 2023": [("after", "trip")],
    "before the Christmas party": [("before", "Christmas party")],
    "before the second surgery": [("before", "second surgery")],
    "What did we hear during the meeting?": [("during", "meeting")],
    "before taking the train": [("before", "taking the train")],
    # how, and not when
    "Plan my week while fitting my time constraints": [],
    "Plan the meals while still keeping it cheap": [],
    # dates, lengths of time and nothing at all
    "after 2021": [],
    "after Christmas": [],
    "before last week": [],
    "during the summer of 2022": [],
    "during the first weekend of August 2023": [],
    "after two weeks": [],
    "after that": [],
    "since then": [],
    "during the day": [],
    "before": [],
    # German
    "Was habe ich vor der Hochzeit gemacht?": [("before", "Hochzeit")],
    "nach meiner Operation": [("after", "Operation")],
    "während der Reise nach Lissabon": [("during", "Reise nach Lissabon")],
    "seit wir umgezogen sind": [("since", "wir umgezogen sind")],
    "Wann fahre ich nach Berlin?": [],
    "vor zwei Wochen": [],
    # French
    "avant le mariage": [("before", "mariage")],
    "après l'opération": [("after", "opération")],
    "depuis qu'on a déménagé": [("since", "on a déménagé")],
    "pendant le voyage à Lisbonne": [("during", "voyage à Lisbonne")],
    "jusqu'à la naissance": [("until", "naissance")],
    "depuis 2020": [],
    # Spanish, Italian
    "antes de la boda": [("before", "boda")],
    "después del viaje": [("after", "viaje")],
    "desde que nos mudamos": [("since", "nos mudamos")],
    "prima del matrimonio": [("before", "matrimonio")],
    # Chinese, Japanese
    "我结婚之前住在哪里": [("before", "我结婚")],
    "搬家以后": [("after", "搬家")],
    "旅行期间": [("during", "旅行")],
    "2021年之前": [],
    "两年之前": [],
    "結婚式の前に": [("before", "結婚式")],
    # Russian, Arabic
    "до свадьбы": [("before", "свадьбы")],
    "после операции": [("after", "операции")],
    "ماذا فعلت قبل الزفاف؟": [("before", "الزفاف")],
    "بعد العملية": [("after", "العملية")],
    "قبل أسبوعين": [],
}


@pytest.mark.parametrize("query", EVENTS)
def test_a_question_asks_around_these_events(query: str) -> None:
    assert [tuple(event) for event in asked_events(query)] == EVENTS[query]


@pytest.mark.parametrize(
    ("relation", "held", "days"),
    [
        ("before", Period.on("2023-05-07"), ("", "2023-05-06")),
        ("after", Period.on("2023-05-07"), ("2023-05-08", "")),
        ("during", Period.on("2023-05"), ("2023-05-01", "2023-05-31")),
        ("since", Period.on("2023"), ("2023-01-01", "")),
        ("until", Period.on("2023"), ("", "2023-12-31")),
        ("before", Period("2022-03", ""), ("", "2022-02-28")),
        ("after", Period("2022-03", ""), ("2022-03-02", "")),
        ("during", Period("2022-03", ""), ("2022-03-01", "")),
        ("before", Period("", "2022-03"), ("", "2022-03-30")),
        ("since", Period("", "2022-03"), ("2022-03-31", "")),
        ("after", Period.on("9999-12-31"), ("9999-12-31", "")),
        ("before", Period.on("0001-01-01"), ("", "0001-01-01")),
    ],
)
def test_around_an_event_are_these_days(relation: Relation, held: Period, days: tuple[str, str]) -> None:
    weight = 1.0 if all(days) else 0.5
    assert around_event(AskedEvent(relation, "wedding"), held) == AskedTime(*days, "wedding", weight)


@pytest.mark.parametrize("held", [Period(), Period("soon", "later")])
def test_an_event_of_unknown_time_has_no_weight(held: Period) -> None:
    assert around_event(AskedEvent("before", "wedding"), held) == AskedTime("", "", "wedding", 0.0)


MAY = AskedTime("2023-05-01", "2023-05-31", "May 2023")
DAY = AskedTime("2023-05-07", "2023-05-07", "7 May 2023")
YEAR = AskedTime("2023-01-01", "2023-12-31", "2023")
SINCE = AskedTime("2023-05-01", "", "since May")
UNTIL = AskedTime("", "2023-05-31", "until May")


@pytest.mark.parametrize(
    ("asked", "start", "end", "fit"),
    [
        (MAY, "2023-05-01", "2023-05-31", 1.0),
        (MAY, "2023-04-30", "2023-05-01", 0.6),
        (MAY, "2023-01-01", "2023-12-31", 0.6),
        (MAY, "2023-06-01", "2023-06-01", 0.3),
        (MAY, "2023-07-01", "2023-07-01", 0.3),
        (MAY, "2023-07-02", "2023-07-02", 0.0),
        (MAY, "2023-03-31", "2023-03-31", 0.3),
        (MAY, "2023-03-30", "2023-03-30", 0.0),
        (DAY, "2023-05-14", "2023-05-14", 0.3),
        (DAY, "2023-05-15", "2023-05-15", 0.0),
        (DAY, "2023-04-30", "2023-04-30", 0.3),
        (DAY, "2023-04-29", "2023-04-29", 0.0),
        (YEAR, "2024-01-31", "2024-01-31", 0.3),
        (YEAR, "2024-02-01", "2024-02-01", 0.0),
        (SINCE, "9999-12-31", "9999-12-31", 1.0),
        (SINCE, "2023-04-24", "2023-04-24", 0.3),
        (SINCE, "2023-04-23", "2023-04-23", 0.0),
        (UNTIL, "0001-01-01", "2023-05-31", 1.0),
        (UNTIL, "2023-06-07", "2023-06-07", 0.3),
        (UNTIL, "2023-06-08", "2023-06-08", 0.0),
    ],
)
def test_a_period_fits_so_well(asked: AskedTime, start: str, end: str, fit: float) -> None:
    assert overlap(asked, date.fromisoformat(start), date.fromisoformat(end)) == fit


@given(st.dates(), st.dates(), st.dates(), st.integers(0, 400))
def test_a_day_fits_worse_the_farther_it_is(one: date, two: date, day: date, farther: int) -> None:
    first, last = sorted([one, two])
    asked = AskedTime(first.isoformat(), last.isoformat(), "")
    near = overlap(asked, day, day)
    away = day.toordinal() + (farther if day >= first else -farther)
    far = date.fromordinal(min(max(away, 1), date.max.toordinal()))
    assert overlap(asked, far, far) <= near
    assert (near == 1.0) == (first <= day <= last)


def test_a_question_about_plans_asks_for_the_month_to_come_first() -> None:
    asked = asked_times("What is planned for December?", datetime(2026, 11, 16, tzinfo=UTC))
    assert [time.start for time in asked] == ["2026-12-01", "2025-12-01", "2024-12-01", "2023-12-01"]


def test_no_word_that_is_left_out_for_plain_letters_can_match_them() -> None:
    left_out = [word for word in question_vocabulary._WORDS if not word.isascii()]
    assert left_out
    for word in left_out:
        assert not all(any(form.isascii() for form in (mark, mark.lower(), mark.upper())) for mark in word), word
