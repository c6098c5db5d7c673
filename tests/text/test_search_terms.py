"""Words as search compares them: what is one word, which words are the same, and what a question looks for."""

import tracemalloc
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uac.schema.word_caches import forget_cached_words
from uac.text.search_terms import language_of, query_terms, terms_of

ANY_TEXT = st.text(st.characters(), max_size=60)  # lone surrogates too

VOCABULARY = """
    the of is trips hiking went children don't allergies 1,000 covid19 der die ich habe Reisen Häuser Straße für
    je suis est les voyages préférée café que estoy los canciones alérgico bir için evde kitapları İstanbul'da
    я меня у аллергии поездку ещё عندي من الحساسية والكتاب مكتبة 我对花生过敏 什么 猫 私は猫が好きです 알레르기가 집에서 나는
    मुझे है किताबें लड़कों της ταξίδια ספרים של ฉันแพ้ถั่ว Łódź smørrebrød ＡＢＣ１２３ ٣٤ 🎂 — … 去Lisbon旅行
""".split()
SPOKEN = st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join)


# --- what is a word ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        (" \n\t", []),
        ("…!?--//", []),
        ("snake_case e-mail", ["snake", "case", "e", "mail"]),
        ("É_x", ["e", "x"]),
        ("covid19 B12", ["covid19", "b12"]),
        ("Ana's", ["ana", "s"]),
        ("Ana’s", ["ana", "s"]),
        ("a\0b", ["a", "b"]),
        ("a\ud800b", ["a", "b"]),
        ("soft\u00adware", ["softwar"]),
    ],
)
def test_a_word_is_a_row_of_letters_and_digits(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("1,000", ["1000"]),
        ("1.000.000", ["1000000"]),
        ("1'000", ["1000"]),
        ("1’000", ["1000"]),
        ("1,000.50", ["1000", "50"]),
        ("12,34", ["12", "34"]),
        ("192.168.1.1", ["192", "168", "1", "1"]),
        ("2024.001", ["2024", "001"]),
        ("１２３", ["123"]),
        ("١٬٠٠٠", ["1000"]),
        ("१२३", ["123"]),
        ("2²", ["22"]),
    ],
)
def test_numbers_are_written_in_plain_digits_without_groups(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("过敏", ["过敏", "敏"]),
        ("猫", ["猫"]),
        ("只猫", ["只猫", "只", "猫"]),
        ("的猫", ["的猫", "猫"]),
        ("カメラ", ["カメ", "メラ"]),
        ("ｶﾞｽ", ["ガス"]),
        ("แพ้", ["แพ", "พ้"]),
        ("알레르기", ["알레", "레르", "르기"]),
        ("집에", ["집에", "집"]),
        ("去Lisbon旅行", ["去", "lisbon", "旅行", "旅", "行"]),
        ("5月3日", ["5", "月", "3", "日"]),
    ],
)
def test_scripts_without_spaces_give_pairs_and_telling_characters(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize("text", ["🎂", "❤️", "👩‍👩‍👧", "🇵🇹"])
def test_emoji_give_no_term(text: str) -> None:
    assert terms_of(text) == []
    assert query_terms(text, {"en"}) == []


def test_a_word_is_told_apart_by_its_first_40_characters() -> None:
    assert terms_of("x" * 50_000) == ["x" * 40]
    assert terms_of("й" * 50_000) == ["й" * 40]
    assert terms_of("æ" * 40) == ["ae" * 20]


# --- which words are the same -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "same",
    [
        ["cafe", "café", "Café", "CAFÉ", "cafe\u0301"],
        ["strasse", "Straße", "STRASSE"],
        ["istanbul", "İstanbul", "ISTANBUL", "ıstanbul"],
        ["abc", "ＡＢＣ", "𝐀𝐛𝐜"],
        ["lodz", "Łódź"],
        ["smorrebrod", "Smørrebrød"],
        ["encyclopaedi", "encyclopædi"],
        ["ещё", "еще", "ЕЩЁ"],
        ["كتاب", "كِتَاب", "كتـــاب"],
        ["احمد", "أحمد"],
        ["كتاب", "الكتاب", "والكتاب"],
        ["مكتبه", "مكتبة"],
        ["שלום", "שָׁלוֹם"],
        ["ταξίδι", "ταξιδι", "ΤΑΞΙΔΙ"],
        ["file", "ﬁle"],
        ["लड़का", "लड़का"],
    ],
)
def test_spellings_of_one_word_give_one_term(same: list[str]) -> None:
    assert len({tuple(terms_of(word)) for word in same}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("й", "и"), ("किताब", "कताब"), ("か", "が"), ("มา", "ม้า"), ("3", "33"), ("ї", "і")]
)
def test_signs_that_make_another_word_are_kept(one: str, other: str) -> None:
    assert terms_of(one) != terms_of(other)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("went gone going", ["go", "go", "go"]),
        ("bought buying", ["buy", "buy"]),
        ("children child", ["child", "child"]),
        ("hiking hiked hikes", ["hike", "hike", "hike"]),
        ("lives left", ["live", "left"]),
    ],
)
def test_english_forms_that_no_ending_explains_meet_their_verb(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


# --- what a question looks for ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "languages", "terms"),
    [
        ("", {"en"}, []),
        ("When did I go hiking?", {"en"}, [("go",), ("hike", "hiking")]),
        ("trips, trip", {"en"}, [("trip", "trips")]),
        ("what is it", {"en"}, [("what",), ("is",), ("it",)]),
        ("Reisen", {"de"}, [("reisen", "reis")]),
        ("café", {"fr"}, [("cafe", "caf")]),
        ("1,000", {"de", "fr"}, [("1000",)]),
        ("我有什么过敏？", {"zh"}, [("过敏",)]),
        ("我的猫", {"zh"}, [("猫",)]),
        ("猫は何ですか", {"ja"}, [("猫",)]),
        ("我的", {"zh"}, [("我的",)]),
        ("집에서", {"ko"}, [("집에", "집")]),
        ("hike", {"klingon", ""}, [("hike",)]),
    ],
)
def test_a_question_looks_for_each_telling_word_in_each_language(
    question: str, languages: set[str], terms: list[tuple[str, ...]]
) -> None:
    assert query_terms(question, languages) == terms


@pytest.mark.parametrize("syntax", ['"', "*", "(", "NEAR(", "a AND", "-x OR", "col:", "^", "'; --"])
def test_signs_of_a_query_language_mean_nothing(syntax: str) -> None:
    assert query_terms(f"{syntax} lisbon", {"en"})[-1] == ("lisbon",)


def test_of_a_long_question_the_longest_words_are_looked_for_in_their_order() -> None:
    short = [f"w{number}" for number in range(5_000)]
    long = [f"lengthy{number}" for number in range(64)]
    mixed = " ".join(short[:2_500] + long[:30] + short[2_500:] + long[30:])
    assert query_terms(mixed, {"en", "de"}) == [(word,) for word in long]


def test_in_a_long_question_two_chinese_characters_count_as_a_longer_word() -> None:
    short = " ".join(f"w{number}" for number in range(1_000))
    assert ("过敏",) in query_terms(f"{short} 过敏", {"zh"})


# --- laws -------------------------------------------------------------------------------------------------------------


@given(st.one_of(ANY_TEXT, SPOKEN))
def test_every_term_is_one_short_word(text: str) -> None:
    variants = [term for group in query_terms(text, {"fr", "ru", "zh"}) for term in group]
    for term in terms_of(text) + variants:
        assert 1 <= len(term) <= 40
        assert term == "".join(term.split())
        assert "\0" not in term
        term.encode()  # refuses lone surrogates


@given(st.one_of(ANY_TEXT, SPOKEN), st.frozensets(st.sampled_from(["en", "de", "ar", "", "zh", "xx"])))
def test_a_question_has_few_words_and_says_nothing_twice(text: str, languages: frozenset[str]) -> None:
    groups = query_terms(text, languages)
    assert len(groups) <= 64
    assert all(group and len(set(group)) == len(group) for group in groups)
    assert len({group[0] for group in groups}) == len(groups)
    assert bool(groups) == bool(terms_of(text))


@given(st.one_of(ANY_TEXT, SPOKEN))
def test_each_word_of_a_text_asked_alone_meets_the_text(text: str) -> None:
    terms = set(terms_of(text))
    for word in text.split():
        for group in query_terms(word, {language_of(text)}):
            assert terms.intersection(group)


@given(SPOKEN, st.sampled_from(["en", "de", "tr", "ru", "ar", "hi", "zh"]))
def test_a_text_asked_as_a_question_meets_itself_whatever_else_is_spoken(text: str, other: str) -> None:
    terms = set(terms_of(text))
    assert all(terms.intersection(group) for group in query_terms(text, {other}))


@given(SPOKEN, SPOKEN)
def test_texts_of_one_language_have_the_terms_of_both_when_joined(one: str, other: str) -> None:
    joined = f"{one}\n\n{other}"
    if language_of(one) == language_of(other) == language_of(joined) != "":
        assert terms_of(joined) == terms_of(one) + terms_of(other)


@given(st.one_of(ANY_TEXT, SPOKEN))
def test_composed_and_decomposed_texts_have_the_same_terms(text: str) -> None:
    assert terms_of(unicodedata.normalize("NFD", text)) == terms_of(unicodedata.normalize("NFC", text))


@given(st.lists(st.sampled_from("a 中 क ́ ̖ ﾞ ़ ् _ - \u200d 1 , ﷺ".split() + [" "]), max_size=8), st.integers(1, 200))
def test_rows_of_signs_are_read_without_error(pieces: list[str], times: int) -> None:
    text = "".join(pieces) * times
    assert all(len(term) <= 40 for term in terms_of(text))


def test_threads_give_the_terms_that_one_thread_gives() -> None:
    texts = [f"{one} {other}" for one, other in product(VOCABULARY, VOCABULARY)]
    expected = list(map(terms_of, texts))
    forget_cached_words()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(terms_of, texts)) == expected


def test_the_words_of_all_users_that_stay_in_memory_take_at_most_four_megabytes() -> None:
    forget_cached_words()
    tracemalloc.start()
    try:
        for first in product("абвгдежзиклм", repeat=4):
            terms_of("".join(first) + "ю" * 36)
        assert tracemalloc.get_traced_memory()[0] < 4 * 2**20
    finally:
        tracemalloc.stop()
        forget_cached_words()
