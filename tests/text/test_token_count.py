"""Counting tokens: an estimate, but one that adds up and is the same everywhere."""

from hypothesis import given
from hypothesis import strategies as st

from uac.text.token_count import count_tokens


@given(st.text(st.characters(codec="ascii")))
def test_plain_letters_count_the_same_among_others(text: str) -> None:
    assert count_tokens(f"{text}\né") == count_tokens(text) + count_tokens("é")


@given(st.lists(st.text()))
def test_the_tokens_of_lines_add_up(lines: list[str]) -> None:
    assert count_tokens("\n".join(lines)) == sum(map(count_tokens, lines))
