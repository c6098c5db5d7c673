"""Laws of dates in words, for any text and any moment; hostile text costs no more than its length."""

import re
import sys
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.date_phrases import MOMENTS, TABLE, TUESDAY
from uac.schema.periods import Period, check_period
from uac.schema.word_caches import forget_cached_words
from uac.text.dates import grammar, phrases
from uac.text.dates import mentions as dates_in_texts
from uac.text.dates.grammar import SHIPPED_DATE_WORDS, DateReader, languages_with_dates
from uac.text.dates.mentions import Duration, Mention, durations, mentions, resolve, shifted
from uac.text.dates.phrases import SHIPPED_DATE_GRAMMARS, shipped_grammar_line, words_of_dates
from uac.text.dates.vocabulary import LANGUAGES

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


@given(text=TEXTS, language=st.sampled_from(sorted(LANGUAGES)))
def test_phrases_are_tried_wherever_one_can_start(text: str, language: str) -> None:
    reader = DateReader(text, {language})
    for at in range(len(reader.tokens)):
        tried = (reader._longest_in_language(one, 3, at) for one in reader.languages)
        assert reader.longest(at) == grammar._join_matches(tried)


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
    steps(unit * 10)  # what is compiled when first needed is no work of a text
    assert steps(unit * 200) <= 2.2 * steps(unit * 100) + 200


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


@pytest.mark.parametrize("text", ["1" * 100_000, " " * 100_000, "\u0301" * 20_000, "x" * 100_000, "e\u0301" * 50_000])
def test_a_long_run_is_one_token_or_nothing_and_no_date(text: str) -> None:
    assert mentions(text, TUESDAY) == []


def test_last_a_hundred_thousand_times_is_no_date() -> None:
    reader = DateReader("last " * 100_000)
    assert len(reader.tokens) == 100_000
    assert mentions("last " * 10_000 + "Friday", TUESDAY)[0].start == 9_999 * 5


@given(TEXTS, MOMENTS, MOMENTS)
def test_a_text_that_was_read_before_is_read_as_for_the_first_time(
    text: str, first: datetime, second: datetime
) -> None:
    forget_cached_words()
    new = mentions(text, second), durations(text)
    mentions(text, first)
    assert (mentions(text, second), durations(text)) == new


def phrase_words(language: str) -> list[str]:
    """Every word that a date of a language may have, as a text has it."""
    found: set[str] = set()

    def add(node: phrases.PhraseTree) -> None:
        found.update(node.words)
        for after in (*node.words.values(), *(after for _slot, after in node.slots)):
            add(after)

    for level in (1, 2, 3):
        add(phrases.build_date_grammar(language).roots[level])
    for table in phrases._compiled_tables(language).values():
        found.update(word for first, others in table.items() for rest, _ in others for word in (first, *rest))
    return sorted(word.title() if word.startswith("^") else word for word in found)


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.data())
def test_a_text_without_a_word_of_a_date_has_no_date(language: str, data: st.DataObject) -> None:
    words = data.draw(st.lists(st.sampled_from(phrase_words(language)), max_size=8))
    text = ("" if language == "zh" else " ").join(word.removeprefix("^") for word in words)
    for read in (frozenset(LANGUAGES), frozenset([language])):
        reader = DateReader(text, read)
        for one in reader.languages:
            if any(reader._longest_in_language(one, 3, at) for at in range(len(reader.tokens))):
                assert one in languages_with_dates(text, read)


def _read_in_every_likely_language(text: str, said: datetime) -> list[Mention]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dates_in_texts, "languages_with_dates", lambda _text, languages: languages | {"en", "zh"})
        return mentions(text, said)


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.data(), MOMENTS)
def test_dates_are_the_same_without_the_languages_of_which_a_text_has_no_word(
    language: str, data: st.DataObject, said: datetime
) -> None:
    digits = st.sampled_from(["5", "31", "07", "12", "2019", "1990", "90", "-", "–", "/", ".", "'", "5.", "5/6", "3rd"])
    words = data.draw(st.lists(st.sampled_from(phrase_words(language)) | digits, max_size=8))
    text = ("" if language == "zh" else " ").join(word.removeprefix("^") for word in words)
    assert mentions(text, said) == _read_in_every_likely_language(text, said)


def test_the_dates_of_known_phrases_are_the_same_without_the_languages_of_which_they_have_no_word() -> None:
    assert [mentions(text, said) for text, said, _expected in TABLE] == [
        _read_in_every_likely_language(text, said) for text, said, _expected in TABLE
    ]


def test_the_words_of_dates_that_ship_are_those_of_the_phrases(request: pytest.FixtureRequest) -> None:
    current = "".join(
        f"{language}: {' '.join(sorted(words_of_dates(language, with_digits=with_digits)))}\n"
        for with_digits in (False, True)
        for language in LANGUAGES
    )
    if request.config.getoption("--golden"):
        SHIPPED_DATE_WORDS.write_text(current, encoding="utf-8")
    assert SHIPPED_DATE_WORDS.read_text(encoding="utf-8") == current


def test_the_phrases_of_dates_that_ship_are_those_of_the_vocabulary(request: pytest.FixtureRequest) -> None:
    current = "".join(map(shipped_grammar_line, LANGUAGES))
    if request.config.getoption("--golden"):
        SHIPPED_DATE_GRAMMARS.write_text(current, encoding="utf-8")
    assert SHIPPED_DATE_GRAMMARS.read_text(encoding="utf-8") == current


@given(st.text(st.characters(max_codepoint=0x33FF)) | st.text())
def test_the_tokens_of_a_text_without_wide_characters_are_the_same_by_both_patterns(text: str) -> None:
    pattern = phrases.token_pattern(text)
    assert phrases.has_wide(text) == bool(re.search(f"[{phrases.WIDE}]", text))
    assert [(token.span(), token.lastgroup) for token in pattern.finditer(text)] == (
        [(token.span(), token.lastgroup) for token in phrases._WIDE_TOKENS.finditer(text)]
    )
