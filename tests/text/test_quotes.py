"""Quotes: which words of a text they repeat."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uac.text.quotes import verbatim

QUOTES = [
    ("I moved to Berlin", "Well, I moved to Berlin.", "I moved to Berlin"),
    ("i moved", "I moved to Berlin.", "I moved"),
    ("I moved to berlin", "I moved to Berlin.", None),
    ("it's “fine” - really...", 'Oh, it’s "fine" — really…', 'it’s "fine" — really…'),
    ("a b", "a\n  b", "a\n  b"),
    ("a b", "a\u00a0b", "a\u00a0b"),
    ("cafe\u0301", "a café", "café"),
    ("paid 15", "I paid 150 for it", "paid 150"),
    ("300", "it was 1,300 then", "1,300"),
    ("able to eat nuts", "I am unable to eat nuts", "unable to eat nuts"),
    ("I do", "I don't smoke", "I don't"),
    ("his", "this is his", "his"),
    ("北京", "我住在北京市", "北京"),
    ("a … c", "a b c", None),
    ("", "a", None),
    (" \n", "a \n b", None),
    ("\u200b", "a", None),
]


@pytest.mark.parametrize(("quote", "text", "found"), QUOTES)
def test_a_quote_stands_for_these_words(quote: str, text: str, found: str | None) -> None:
    assert verbatim(quote, text) == found


TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
WORDY = st.lists(
    st.sampled_from(
        [*"I met Anna on May 7 and paid 1,300 for 12% of it at 9:30 “ — ’ . , - ( 二十五 zwölf".split(), "\n"]
    ),
    max_size=14,
).map(" ".join)


@settings(deadline=None)
@given(TEXT, TEXT)
def test_what_verbatim_gives_stands_in_the_text(quote: str, text: str) -> None:
    found = verbatim(quote, text)
    assert found is None or (found != "" and found in text)


@settings(deadline=None)
@given(st.one_of(TEXT, WORDY), st.data())
def test_a_substring_is_found_whatever_its_white_space(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    mangled = re.sub(r"\s+", data.draw(st.sampled_from([" ", "\n", "\u00a0 ", "\t\t"])), quote)
    if quote.strip() and not unicodedata.combining(quote.strip()[0]):
        found = verbatim(mangled, text)
        assert found is not None
        assert found in text


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("3", "3.50 and 13", "3.50"),
        ("it", "with it", "it"),
        ("end", "the end.", "end"),
        ("- -", "a ——— b", None),
        ("a - b", "a ——— b", "a ——— b"),
    ],
)
def test_a_quote_ends_with_a_whole_word_or_number(quote: str, text: str, found: str | None) -> None:
    assert verbatim(quote, text) == found
