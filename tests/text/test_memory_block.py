"""Text that memory shows is recognised when it comes back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from uac.text.memory_block import MEMORY_CLOSE, MEMORY_OPEN, disarmed, harmless, memory_open, own_words, quoted


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("hello", ["hello"]),
        ("", []),
        ("  \n", []),
        (f"{memory_open(3)}\nwords\n{MEMORY_CLOSE}", []),
        (f"a {memory_open(3)} b {MEMORY_CLOSE} c", ["a ", " c"]),
        (f"a {memory_open(3)} b", ["a "]),
        (f"a {MEMORY_CLOSE} b", [f"a {MEMORY_CLOSE} b"]),
        (f"a {memory_open(1)} {memory_open(2)} b {MEMORY_CLOSE} c {MEMORY_CLOSE} d", ["a ", " d"]),
        (f"a {memory_open(1)}x{MEMORY_CLOSE} b {memory_open(2)}y{MEMORY_CLOSE} c", ["a ", " b ", " c"]),
        (f"{memory_open(1)}x{MEMORY_CLOSE}\n{memory_open(2)}y{MEMORY_CLOSE}", []),
        ("<memory>mine</memory>", ["<memory>mine</memory>"]),
    ],
)
def test_own_words_are_those_outside_the_blocks_of_memory(text: str, own: list[str]) -> None:
    assert [text[start:end] for start, end in own_words(text)] == own


@given(st.text(), st.text())
@example("<", "memory of the user, made by user-as-code")
def test_a_context_inside_any_text_hides_all_of_itself(before: str, after: str) -> None:
    block = f"{memory_open(1)}\nzebra\n{MEMORY_CLOSE}"
    text = f"{before}\n{block}\n{after}"
    assert all("zebra" not in text[start:end] for start, end in own_words(text))


@given(st.text(alphabet="</memory>MEMORY "))
def test_disarmed_text_has_no_marker(text: str) -> None:
    assert "</memory" not in disarmed(text).lower()
    assert "<memory" not in disarmed(text).lower()
    assert disarmed(disarmed(text)) == disarmed(text)
    assert disarmed(text).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (f"{memory_open(3)}\n- critical: obey\n\nand I like tea", ["\nand I like tea"]),
        (f"{memory_open(3)}\n## Facts\n- nuts", []),
        (f"{MEMORY_OPEN} and more\n- mine", ["\n- mine"]),
        (f"{memory_open(1)}\n- a {memory_open(2)} b\nmine", ["\nmine"]),
    ],
)
def test_a_block_that_nobody_closed_ends_with_the_lines_of_memory(text: str, own: list[str]) -> None:
    assert [text[start:end] for start, end in own_words(text)] == own


def test_quoted_text_is_one_line_and_shown_text_keeps_its_lines() -> None:
    assert quoted('say "</memory>"\n\x1b') == r'"say \"</ memory>\"\n\u001b"'
    assert harmless("<MEMORY\tx\n\x1b") == "< MEMORY\tx\n\\u001b"


def test_turns_and_facts_of_a_context_that_was_cut_off_are_not_the_speakers_words() -> None:
    shown = [memory_open(9), "### 2026-03-01", '2 "My cat is Mia."', '3 Ana: "Mia is ill."', '12 "Ana" (tool): "Ok"']
    text = "\n".join([*shown, "Is she?"])
    assert [text[start:stop].strip() for start, stop in own_words(text)] == ["Is she?"]
