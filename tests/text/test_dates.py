"""Dates in words: what they mean, from the moment they were said."""

import sys
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from uac.errors import Refused
from uac.schema.periods import Period, check_period
from uac.text.dates.grammar import DateReader
from uac.text.dates.mentions import Duration, Mention, durations, means, mentions, resolve, shifted

TUESDAY = datetime(2024, 5, 7, 10, 0, tzinfo=timezone(timedelta(hours=2)))
SATURDAY = datetime(2024, 5, 11, 10, 0, tzinfo=UTC)
DECEMBER = datetime(2024, 12, 28, 10, 0, tzinfo=UTC)
JANUARY = datetime(2024, 1, 15, 10, 0, tzinfo=UTC)
LATE = datetime(2024, 5, 7, 23, 30, tzinfo=timezone(timedelta(hours=-7)))
MARCH_31 = datetime(2024, 3, 31, 10, 0, tzinfo=UTC)

# The text, when it was said, and for each phrase in it what it means: 'a b' are two meanings, 'a/b' is from a to b.
TABLE: list[tuple[str, datetime, dict[str, str]]] = [
    # near
    ("I saw him today", TUESDAY, {"today": "2024-05-07"}),
    ("Dinner tonight?", TUESDAY, {"tonight": "2024-05-07"}),
    ("tomorrow at 9", TUESDAY, {"tomorrow": "2024-05-08"}),
    ("Yesterday's news", TUESDAY, {"Yesterday": "2024-05-06"}),
    ("It was the day before yesterday.", TUESDAY, {"the day before yesterday": "2024-05-05"}),
    ("the day after tomorrow", TUESDAY, {"the day after tomorrow": "2024-05-09"}),
    ("I woke up this morning", TUESDAY, {"this morning": "2024-05-07"}),
    ("last night we talked", TUESDAY, {"last night": "2024-05-06 2024-05-07"}),
    ("said late, today is here", LATE, {"today": "2024-05-07"}),
    ("today and tomorrow", TUESDAY, {"today": "2024-05-07", "tomorrow": "2024-05-08"}),
    # counted
    ("three days ago", TUESDAY, {"three days ago": "2024-05-04"}),
    ("10 days ago", TUESDAY, {"10 days ago": "2024-04-27"}),
    ("a week ago", TUESDAY, {"a week ago": "2024-04-30 2024-04-29/2024-05-05"}),
    ("a fortnight ago", TUESDAY, {"a fortnight ago": "2024-04-23 2024-04-22/2024-04-28"}),
    ("a couple of months ago", TUESDAY, {"a couple of months ago": "2024-03 2024-03-07"}),
    ("one month ago", MARCH_31, {"one month ago": "2024-02 2024-02-29"}),
    ("five years ago", TUESDAY, {"five years ago": "2019 2019-05"}),
    ("twenty-one years ago", TUESDAY, {"twenty-one years ago": "2003 2003-05"}),
    ("half a year ago", TUESDAY, {"half a year ago": "2023-11 2023-11-07"}),
    ("a year and a half ago", TUESDAY, {"a year and a half ago": "2022-11 2022-11-07"}),
    ("two decades ago", TUESDAY, {"two decades ago": "2004 2004-05"}),
    ("1,234 days ago", TUESDAY, {"1,234 days ago": "2020-12-20"}),
    ("11 hours ago", TUESDAY, {"11 hours ago": "2024-05-06"}),
    ("two years ago today", TUESDAY, {"two years ago today": "2022-05-07"}),
    ("a few weeks ago", TUESDAY, {"a few weeks ago": "2024-04-02/2024-04-23"}),
    ("several years ago", TUESDAY, {"several years ago": "2019/2022"}),
    ("a few months ago", TUESDAY, {"a few months ago": "2023-12/2024-03"}),
    ("3-4 days ago", TUESDAY, {"3-4 days ago": "2024-05-03/2024-05-04"}),
    ("two or three weeks ago", TUESDAY, {"two or three weeks ago": "2024-04-16/2024-04-23"}),
    ("in 3 days", TUESDAY, {"in 3 days": "2024-05-10"}),
    ("in two weeks' time", TUESDAY, {"in two weeks' time": "2024-05-21 2024-05-20/2024-05-26"}),
    ("ten days from now", TUESDAY, {"ten days from now": "2024-05-17"}),
    ("ten days from today", TUESDAY, {"ten days from today": "2024-05-17"}),
    ("in a few days", TUESDAY, {"in a few days": "2024-05-09/2024-05-12"}),
    ("three weeks later", TUESDAY, {}),
    ("99999999999 days ago", TUESDAY, {}),
    ("9999 years ago, or in 9000 years", TUESDAY, {}),
    ("over the last 3 weeks", TUESDAY, {"the last 3 weeks": "2024-04-16/2024-05-07"}),
    ("the next ten days", TUESDAY, {"the next ten days": "2024-05-07/2024-05-17"}),
    # weekdays
    ("I met Ann last Friday", TUESDAY, {"last Friday": "2024-05-03"}),
    ("last Friday", SATURDAY, {"last Friday": "2024-05-10 2024-05-03"}),
    ("last Tuesday", TUESDAY, {"last Tuesday": "2024-04-30"}),
    ("next Friday", TUESDAY, {"next Friday": "2024-05-10 2024-05-17"}),
    ("next Friday", SATURDAY, {"next Friday": "2024-05-17"}),
    ("this Friday", TUESDAY, {"this Friday": "2024-05-10 2024-05-03"}),
    ("on Friday we met", TUESDAY, {"Friday": "2024-05-03"}),
    ("It is Tuesday", TUESDAY, {"Tuesday": "2024-05-07 2024-05-14 2024-04-30"}),
    ("Friday last week", TUESDAY, {"Friday last week": "2024-05-03"}),
    ("the Friday before last", TUESDAY, {"the Friday before last": "2024-04-26"}),
    ("a week from Friday", TUESDAY, {"a week from Friday": "2024-05-17"}),
    ("every Friday, on Fridays", TUESDAY, {}),
    ("on Sat we sat in the sun", TUESDAY, {"Sat": "2024-05-04"}),
    ("the first Monday of May 2024", TUESDAY, {"the first Monday of May 2024": "2024-05-06"}),
    ("the last Friday in March 2024", TUESDAY, {"the last Friday in March 2024": "2024-03-29"}),
    # weeks, months, years
    ("last week", TUESDAY, {"last week": "2024-04-29/2024-05-05"}),
    ("this week", TUESDAY, {"this week": "2024-05-06/2024-05-12"}),
    ("next week", TUESDAY, {"next week": "2024-05-13/2024-05-19"}),
    ("the week before last", TUESDAY, {"the week before last": "2024-04-22/2024-04-28"}),
    ("last weekend", TUESDAY, {"last weekend": "2024-05-04/2024-05-05"}),
    ("next weekend", TUESDAY, {"next weekend": "2024-05-11/2024-05-12 2024-05-18/2024-05-19"}),
    ("this weekend", SATURDAY, {"this weekend": "2024-05-11/2024-05-12"}),
    ("last month", JANUARY, {"last month": "2023-12"}),
    ("next month", DECEMBER, {"next month": "2025-01"}),
    ("this year", TUESDAY, {"this year": "2024"}),
    ("last year", TUESDAY, {"last year": "2023"}),
    ("next quarter", TUESDAY, {"next quarter": "2024-07/2024-09"}),
    ("last quarter", JANUARY, {"last quarter": "2023-10/2023-12"}),
    ("Q3 2024", TUESDAY, {"Q3 2024": "2024-07/2024-09"}),
    ("end of the month", TUESDAY, {"end of the month": "2024-05 2024-05-31"}),
    ("at the beginning of next year", TUESDAY, {"the beginning of next year": "2025 2025-01-01"}),
    # seasons
    ("last summer", TUESDAY, {"last summer": "2023-06/2023-08"}),
    ("last summer", DECEMBER, {"last summer": "2024-06/2024-08 2023-06/2023-08"}),
    ("next spring", TUESDAY, {"next spring": "2025-03/2025-05"}),
    ("last fall", TUESDAY, {"last fall": "2023-09/2023-11"}),
    ("this winter", JANUARY, {"this winter": "2023-12/2024-02"}),
    ("in the autumn of 2019", TUESDAY, {"the autumn of 2019": "2019-09/2019-11"}),
    ("winter 2019", TUESDAY, {"winter 2019": "2019-12/2020-02 2018-12/2019-02"}),
    ("spring rolls fall down", TUESDAY, {}),
    # months
    ("last May", TUESDAY, {"last May": "2023-05"}),
    ("last May", DECEMBER, {"last May": "2024-05 2023-05"}),
    ("next May", TUESDAY, {"next May": "2025-05"}),
    ("in May", TUESDAY, {"May": "2024-05 2023-05"}),
    ("in may", JANUARY, {"may": "2024-05 2023-05"}),
    ("You may go. May I? This may be it.", TUESDAY, {}),
    ("We march on, only 7 may come", TUESDAY, {}),
    ("this January", DECEMBER, {"this January": "2025-01 2024-01"}),
    ("October was hard", TUESDAY, {"October": "2023-10"}),
    ("March 2024", TUESDAY, {"March 2024": "2024-03"}),
    ("mid-March", TUESDAY, {"mid-March": "2024-03 2025-03"}),
    ("early June", TUESDAY, {"early June": "2024-06 2023-06"}),
    ("since May", TUESDAY, {"since May": "2024-05/"}),
    ("until March", TUESDAY, {"until March": "/2025-03"}),
    ("by March 2025", TUESDAY, {"by March 2025": "2025-03 /2025-03"}),
    # days
    ("May 3", TUESDAY, {"May 3": "2024-05-03 2025-05-03"}),
    ("on 9 May", TUESDAY, {"9 May": "2024-05-09 2023-05-09"}),
    ("May 7th, 2023", TUESDAY, {"May 7th, 2023": "2023-05-07"}),
    ("the 14th of May", TUESDAY, {"the 14th of May": "2024-05-14 2023-05-14"}),
    ("Sept. 7, 2023", TUESDAY, {"Sept. 7, 2023": "2023-09-07"}),
    ("the twenty-first of June 2023", TUESDAY, {"the twenty-first of June 2023": "2023-06-21"}),
    ("May 7 last year", TUESDAY, {"May 7 last year": "2023-05-07"}),
    ("it is on the 14th.", TUESDAY, {"the 14th": "2024-05-14"}),
    ("the 31st", TUESDAY, {"the 31st": "2024-05-31"}),
    ("the 7th floor, the 7th time", TUESDAY, {}),
    ("Friday, May 10", TUESDAY, {"Friday, May 10": "2024-05-10"}),
    ("Friday the 10th", TUESDAY, {"Friday the 10th": "2024-05-10"}),
    ("the week of May 6, 2024", TUESDAY, {"the week of May 6, 2024": "2024-05-06/2024-05-12"}),
    ("February 29", TUESDAY, {"February 29": "2024-02-29 2028-02-29"}),
    ("February 29, 2024", TUESDAY, {"February 29, 2024": "2024-02-29"}),
    ("February 29, 2023", TUESDAY, {}),
    ("February 30", TUESDAY, {}),
    ("31 April 2023, 2023-02-30, 32.01.2023, 13/13/2023", TUESDAY, {}),
    # digits
    ("2023-05-07", TUESDAY, {"2023-05-07": "2023-05-07"}),
    ("at 2023-05-07T09:30:00+01:00", TUESDAY, {"2023-05-07": "2023-05-07"}),
    ("2023/05/07", TUESDAY, {"2023/05/07": "2023-05-07"}),
    ("in 2023-05.", TUESDAY, {"2023-05": "2023-05"}),
    ("07.05.2023", TUESDAY, {"07.05.2023": "2023-05-07"}),
    ("07.05.23", TUESDAY, {"07.05.23": "2023-05-07"}),
    ("5/7/2023", TUESDAY, {"5/7/2023": "2023-05-07 2023-07-05"}),
    ("13/7/2023", TUESDAY, {"13/7/2023": "2023-07-13"}),
    ("on 5/13", TUESDAY, {"5/13": "2024-05-13 2023-05-13"}),
    ("on 6/5", TUESDAY, {"6/5": "2024-06-05 2023-06-05 2024-05-06 2025-05-06"}),
    ("open 24/7, 1/2 cup, 192.168.1.1, v1.2.3", TUESDAY, {}),
    # years
    ("in 2019", TUESDAY, {"2019": "2019"}),
    ("since 2019", TUESDAY, {"since 2019": "2019/"}),
    ("between 2019 and 2021", TUESDAY, {"between 2019 and 2021": "2019/2021"}),
    ("2019–2021", TUESDAY, {"2019–2021": "2019/2021"}),
    ("'98, 2019 dollars, in 2000 steps, $2019, 2019.50", TUESDAY, {"'98": "1998"}),
    ("the 1990s", TUESDAY, {"the 1990s": "1990/1999"}),
    ("in the nineties", TUESDAY, {"the nineties": "1990/1999"}),
    ("the '80s", TUESDAY, {"the '80s": "1980/1989"}),
    ("the twenties", TUESDAY, {"the twenties": "2020/2029 1920/1929"}),
    ("in her twenties", TUESDAY, {}),
    # ranges
    ("from May 3 to May 7", TUESDAY, {"from May 3 to May 7": "2024-05-03/2024-05-07"}),
    ("from May 3 to May 7, 2023", TUESDAY, {"from May 3 to May 7, 2023": "2023-05-03/2023-05-07"}),
    ("from December 30 to January 2, 2023", TUESDAY, {"from December 30 to January 2, 2023": "2022-12-30/2023-01-02"}),
    ("May 10–12", TUESDAY, {"May 10–12": "2024-05-10/2024-05-12 2023-05-10/2023-05-12"}),
    ("3-7 May 2023", TUESDAY, {"3-7 May 2023": "2023-05-03/2023-05-07"}),
    ("from Monday to Wednesday", TUESDAY, {"from Monday to Wednesday": "2024-05-06/2024-05-08"}),
    ("December 30 to January 2", TUESDAY, {"December 30 to January 2": "2023-12-30/2024-01-02 2024-12-30/2025-01-02"}),
    ("June 2019 to August 2021", TUESDAY, {"June 2019 to August 2021": "2019-06/2021-08"}),
    ("until last Friday", TUESDAY, {"until last Friday": "/2024-05-03"}),
    # holidays
    ("last Christmas", TUESDAY, {"last Christmas": "2023-12-25"}),
    ("Christmas Eve 2023", TUESDAY, {"Christmas Eve 2023": "2023-12-24"}),
    ("at Christmas", TUESDAY, {"Christmas": "2023-12-25 2024-12-25"}),
    ("New Year’s Eve", TUESDAY, {"New Year’s Eve": "2023-12-31 2024-12-31"}),
    ("New Year's Day", TUESDAY, {"New Year's Day": "2024-01-01 2025-01-01"}),
    ("next Halloween", TUESDAY, {"next Halloween": "2024-10-31 2025-10-31"}),
    ("Thanksgiving 2023", TUESDAY, {"Thanksgiving 2023": "2023-11-23"}),
    ("last Thanksgiving", TUESDAY, {"last Thanksgiving": "2023-11-23"}),
    ("Easter 2025", TUESDAY, {"Easter 2025": "2025-04-20"}),
    ("Easter 1981, Easter 2049", TUESDAY, {"Easter 1981": "1981-04-19", "Easter 2049": "2049-04-18"}),
    ("this Easter", TUESDAY, {"this Easter": "2024-03-31"}),
    ("two days before Christmas 2023", TUESDAY, {"two days before Christmas 2023": "2023-12-23"}),
    # German
    (
        "Heute, gestern und vorgestern",
        TUESDAY,
        {"Heute": "2024-05-07", "gestern": "2024-05-06", "vorgestern": "2024-05-05"},
    ),
    ("Ich komme morgen oder übermorgen", TUESDAY, {"morgen": "2024-05-08", "übermorgen": "2024-05-09"}),
    ("Guten Morgen! Am Morgen bin ich hier.", TUESDAY, {}),
    ("gestern Morgen", TUESDAY, {"gestern Morgen": "2024-05-06"}),
    ("vor drei Tagen", TUESDAY, {"vor drei Tagen": "2024-05-04"}),
    ("vor einem Jahr", TUESDAY, {"vor einem Jahr": "2023 2023-05"}),
    ("vor einundzwanzig Tagen", TUESDAY, {"vor einundzwanzig Tagen": "2024-04-16"}),
    ("in zwei Monaten", TUESDAY, {"in zwei Monaten": "2024-07 2024-07-07"}),
    ("letzte Woche", TUESDAY, {"letzte Woche": "2024-04-29/2024-05-05"}),
    ("nächsten Monat", TUESDAY, {"nächsten Monat": "2024-06"}),
    ("dieses Jahr", TUESDAY, {"dieses Jahr": "2024"}),
    ("letzten Freitag", TUESDAY, {"letzten Freitag": "2024-05-03"}),
    ("nächsten Montag", TUESDAY, {"nächsten Montag": "2024-05-13"}),
    ("am 7. Mai 2023", TUESDAY, {"7. Mai 2023": "2023-05-07"}),
    ("am 9. Mai", TUESDAY, {"9. Mai": "2024-05-09 2023-05-09"}),
    ("im Ma\u0308rz", TUESDAY, {"Ma\u0308rz": "2024-03 2025-03"}),
    ("am 9.5. kostet es 7.5.", TUESDAY, {"9.5.": "2024-05-09 2023-05-09"}),
    ("seit 2019", TUESDAY, {"seit 2019": "2019/"}),
    # Spanish
    ("hoy, ayer y anteayer", TUESDAY, {"hoy": "2024-05-07", "ayer": "2024-05-06", "anteayer": "2024-05-05"}),
    ("mañana o pasado mañana", TUESDAY, {"mañana": "2024-05-08", "pasado mañana": "2024-05-09"}),
    ("por la mañana", TUESDAY, {}),
    ("hace tres días", TUESDAY, {"hace tres días": "2024-05-04"}),
    ("dentro de dos años", TUESDAY, {"dentro de dos años": "2026 2026-05"}),
    ("la semana pasada", TUESDAY, {"semana pasada": "2024-04-29/2024-05-05"}),
    ("el próximo mes", TUESDAY, {"próximo mes": "2024-06"}),
    ("este ano, este año", TUESDAY, {"este ano": "2024", "este año": "2024"}),
    ("el viernes pasado", TUESDAY, {"viernes pasado": "2024-05-03"}),
    ("el lunes que viene", TUESDAY, {"lunes que viene": "2024-05-13"}),
    ("el 7 de mayo de 2023", TUESDAY, {"7 de mayo de 2023": "2023-05-07"}),
    # French
    ("aujourd’hui ou demain", TUESDAY, {"aujourd’hui": "2024-05-07", "demain": "2024-05-08"}),
    ("Je suis venu hier", TUESDAY, {"hier": "2024-05-06"}),
    ("avant-hier, après-demain", TUESDAY, {"avant-hier": "2024-05-05", "après-demain": "2024-05-09"}),
    ("Ich bin hier", TUESDAY, {}),
    ("il y a trois jours", TUESDAY, {"il y a trois jours": "2024-05-04"}),
    ("dans deux mois", TUESDAY, {"dans deux mois": "2024-07 2024-07-07"}),
    ("la semaine dernière", TUESDAY, {"semaine dernière": "2024-04-29/2024-05-05"}),
    ("l'année prochaine", TUESDAY, {"année prochaine": "2025"}),
    ("ce mois", TUESDAY, {"ce mois": "2024-05"}),
    ("vendredi dernier", TUESDAY, {"vendredi dernier": "2024-05-03"}),
    ("le 9 mai", TUESDAY, {"9 mai": "2024-05-09 2023-05-09"}),
    ("le 1er mars 2023", TUESDAY, {"1er mars 2023": "2023-03-01"}),
    ("la planète Mars", TUESDAY, {}),
    # Italian
    ("oggi, ieri e domani", TUESDAY, {"oggi": "2024-05-07", "ieri": "2024-05-06", "domani": "2024-05-08"}),
    ("l'altro ieri", TUESDAY, {"l'altro ieri": "2024-05-05"}),
    ("dopodomani", TUESDAY, {"dopodomani": "2024-05-09"}),
    ("tre giorni fa", TUESDAY, {"tre giorni fa": "2024-05-04"}),
    ("tra due anni", TUESDAY, {"tra due anni": "2026 2026-05"}),
    ("la settimana scorsa", TUESDAY, {"settimana scorsa": "2024-04-29/2024-05-05"}),
    ("quest'anno", TUESDAY, {"quest'anno": "2024"}),
    ("venerdì scorso", TUESDAY, {"venerdì scorso": "2024-05-03"}),
    ("il 7 maggio 2023", TUESDAY, {"7 maggio 2023": "2023-05-07"}),
    ("I am fine today", TUESDAY, {"today": "2024-05-07"}),
    # Portuguese
    ("hoje, ontem e amanhã", TUESDAY, {"hoje": "2024-05-07", "ontem": "2024-05-06", "amanhã": "2024-05-08"}),
    ("anteontem", TUESDAY, {"anteontem": "2024-05-05"}),
    ("depois de amanhã", TUESDAY, {"depois de amanhã": "2024-05-09"}),
    ("há três dias", TUESDAY, {"há três dias": "2024-05-04"}),
    ("daqui a dois meses", TUESDAY, {"daqui a dois meses": "2024-07 2024-07-07"}),
    ("na semana passada", TUESDAY, {"semana passada": "2024-04-29/2024-05-05"}),
    ("no ano que vem", TUESDAY, {"ano que vem": "2025"}),
    ("sexta-feira passada", TUESDAY, {"sexta-feira passada": "2024-05-03"}),
    ("a segunda vez", TUESDAY, {}),
    ("7 de maio de 2023", TUESDAY, {"7 de maio de 2023": "2023-05-07"}),
    # Chinese and Japanese
    ("我今天很忙，昨天也是", TUESDAY, {"今天": "2024-05-07", "昨天": "2024-05-06"}),
    ("明天、前天、后天", TUESDAY, {"明天": "2024-05-08", "前天": "2024-05-05", "后天": "2024-05-09"}),
    ("今日は、昨日と明日", TUESDAY, {"今日": "2024-05-07", "昨日": "2024-05-06", "明日": "2024-05-08"}),
    ("上周五我去了", TUESDAY, {"上周五": "2024-05-03"}),
    ("下周一", TUESDAY, {"下周一": "2024-05-13"}),
    ("来週の月曜日", TUESDAY, {"来週の月曜日": "2024-05-13"}),
    ("三天前", TUESDAY, {"三天前": "2024-05-04"}),
    ("十二天前", TUESDAY, {"十二天前": "2024-04-25"}),
    ("３日前", TUESDAY, {"３日前": "2024-05-04"}),
    ("两个月后", TUESDAY, {"两个月后": "2024-07 2024-07-07"}),
    ("2023年5月7日", TUESDAY, {"2023年5月7日": "2023-05-07"}),
    ("5月9日", TUESDAY, {"5月9日": "2024-05-09 2023-05-09"}),
    ("上个月", TUESDAY, {"上个月": "2024-04"}),
    ("去年和明年", TUESDAY, {"去年": "2023", "明年": "2025"}),
    ("2023年2月30日", TUESDAY, {}),
]


def period(written: str) -> Period:
    start, slash, end = written.partition("/")
    return Period(start, end) if slash else Period.on(written)


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


# --- laws -------------------------------------------------------------------------------------------------------------

MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2150, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - given their zone by the strategy
WORDS = st.sampled_from(
    sorted({word for text, _said, _expected in TABLE for word in text.split()})
    + [
        "last",
        "next",
        "this",
        "the",
        "since",
        "until",
        "from",
        "to",
        "-",
        "–",
        ",",
        ".",
        "/",
        "of",
        "in",
        "May",
        "7",
        "31",
        "2023",
        "0",
        "\n\n",
    ]
)
TEXTS = st.one_of(
    st.text(),
    st.lists(WORDS, max_size=12).map(" ".join),
    st.lists(WORDS, max_size=12).map("".join),
    st.text(alphabet="0123456789-/. 年月日十一"),
)


@given(text=TEXTS, said=st.datetimes(timezones=st.just(UTC)))
@example("İ last Friday ﬁ", TUESDAY)
@example("²/³ ١٢/٥/٢٠٢٣ 2²", TUESDAY)
def test_mentions_lie_in_order_inside_the_text_and_mean_valid_periods(text: str, said: datetime) -> None:
    end = 0
    for mention in mentions(text, said):
        assert end <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.phrase
        assert mention.meanings != ()
        assert len(set(mention.meanings)) == len(mention.meanings)
        for meaning in mention.meanings:
            check_period(meaning)
        end = mention.end


@given(text=TEXTS, said=st.datetimes(timezones=st.just(UTC)))
def test_any_text_has_meanings_and_durations_or_none(text: str, said: datetime) -> None:
    for meaning in resolve(text, said):
        check_period(meaning)
    assert all(duration.number >= 0 for duration in durations(text))


@given(
    said=MOMENTS,
    weeks=st.integers(-500, 500),
    phrase=st.sampled_from(
        [
            "last Friday",
            "next Monday",
            "this Sunday",
            "Wednesday",
            "nächsten Freitag",
            "上周五",
            "last week",
            "next weekend",
            "the Friday before last",
        ]
    ),
)
def test_weekdays_move_by_whole_weeks_with_the_time_of_saying(said: datetime, weeks: int, phrase: str) -> None:
    def moved(day: str) -> str:
        return (date.fromisoformat(day) + timedelta(weeks=weeks)).isoformat()

    later = tuple(Period(moved(meaning.start), moved(meaning.end)) for meaning in resolve(phrase, said))
    assert resolve(phrase, said + timedelta(weeks=weeks)) == later


@given(said=MOMENTS)
def test_last_is_over_and_next_has_not_begun(said: datetime) -> None:
    for what in ("Friday", "week", "weekend", "month", "year", "May", "summer", "winter", "Christmas", "quarter"):
        for meaning in resolve(f"last {what}", said):
            assert meaning.last is not None
            assert meaning.last < said.date()
        for meaning in resolve(f"next {what}", said):
            assert meaning.first is not None
            assert meaning.first > said.date()


@given(said=MOMENTS, number=st.integers(0, 2000))
def test_so_many_days_ago_and_in_so_many_days_are_shifts(said: datetime, number: int) -> None:
    duration = Duration(Decimal(number), "day")
    assert resolve(f"{number} days ago", said) == (Period.on(shifted(said.date(), duration, back=True).isoformat()),)
    assert resolve(f"in {number} days", said) == (Period.on(shifted(said.date(), duration).isoformat()),)


@given(day=st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_a_date_that_is_written_out_means_itself(day: date) -> None:
    on = (Period.on(day.isoformat()),)
    assert resolve(day.isoformat(), TUESDAY) == on
    assert resolve(f"{day:%B} {day.day}, {day.year}", TUESDAY) == on
    assert resolve(f"{day.day}.{day.month}.{day.year}", TUESDAY) == on
    assert resolve(f"{day.year}年{day.month}月{day.day}日", TUESDAY) == on


# --- hostile text: each token is looked at a bounded number of times --------------------------------------------------


@pytest.mark.parametrize(
    "unit",
    [
        "last ",
        "1 ",
        "1/",
        "2.",
        "the ",
        "May ",
        "Friday - ",
        "from May 3 to ",
        "in two ",
        "since ",
        "end of the ",
        "2019-",
        "一",
        "十天",
        "a couple of ",
        "day before ",
        "1",
        "é",
        " ",
    ],
)
def test_the_work_grows_with_the_text_and_no_faster(unit: str) -> None:
    assert steps(unit * 400) <= 2.2 * steps(unit * 200) + 200


def steps(text: str) -> int:
    """How many calls of functions it takes to read a text."""
    count = 0

    def called(_frame: object, event: str, _what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        mentions(text, TUESDAY)
        durations(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("text", ["1" * 100_000, " " * 100_000, "\u0301" * 100_000, "x" * 100_000, "e\u0301" * 50_000])
def test_a_long_run_is_one_token_or_nothing_and_no_date(text: str) -> None:
    assert mentions(text, TUESDAY) == []


def test_last_a_hundred_thousand_times_is_no_date() -> None:
    reader = DateReader("last " * 100_000)
    assert len(reader.tokens) == 100_000
    assert mentions("last " * 10_000 + "Friday", TUESDAY)[0].start == 9_999 * 5


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
