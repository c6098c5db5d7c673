"""Text of strangers: nothing hidden gets through, nothing visible is lost, and everybody uses the same definition."""

import json
import unicodedata
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.paths import SOURCE
from uac.schema.safe_text import counted, mark_line_breaks, one_line, shorten, visible
from uac.text.memory_block import harmless, quoted

HIDDEN_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
JOINERS = "\u200c\u200d"


@cache
def hidden_characters() -> tuple[str, ...]:
    """All of them; not made when the tests are collected, because every process would do that."""
    return tuple(
        one
        for one in map(chr, range(0x110000))
        if one not in JOINERS
        and (
            unicodedata.category(one) in HIDDEN_CATEGORIES
            or ord(one) & 0xFFFE == 0xFFFE  # noncharacters
            or 0xE0000 <= ord(one) <= 0xE0FFF  # tags and variation selectors, which carry text unseen
        )
    )


ANY = st.text(st.characters() | st.deferred(lambda: st.sampled_from(hidden_characters())))


def is_hidden(character: str) -> bool:
    return visible(character) != character


def test_every_control_format_and_separator_character_is_escaped() -> None:
    assert [one for one in hidden_characters() if not is_hidden(one)] == []


def test_letters_marks_symbols_spaces_and_joiners_stay() -> None:
    kept = [
        one
        for one in map(chr, range(0x110000))
        if one in JOINERS or unicodedata.category(one)[0] in "LNPSM" or one == "\u00a0"
    ]
    assert [one for one in kept if is_hidden(one) and not 0xE0000 <= ord(one) <= 0xE0FFF] == []


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\x85b", "a\\x85b"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("pay\u200bpal", "pay\\u200bpal"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("\U000e0100", "\\U000e0100"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("نمی\u200cخواهم 👨\u200d👩", "نمی\u200cخواهم 👨\u200d👩"),
    ],
)
def test_a_hidden_character_becomes_an_escape(text: str, escaped: str) -> None:
    assert visible(text) == escaped


@given(ANY)
def test_visible_text_holds_nothing_hidden_and_stays_as_it_is(text: str) -> None:
    shown_once = visible(text)
    assert not any(map(is_hidden, shown_once))
    assert visible(shown_once) == shown_once


@given(ANY)
def test_with_lines_only_line_feeds_and_tabs_stay_in_addition(text: str) -> None:
    assert {one for one in visible(text, lines=True) if is_hidden(one)} <= {"\n", "\t"}


@given(ANY)
def test_terminal_page_and_agent_agree_on_what_is_hidden(text: str) -> None:
    assert (harmless(text) == text) <= (visible(text, lines=True) == text)
    assert json.loads(visible(json.dumps(text, ensure_ascii=False), as_json=True)) == text
    assert not any(map(is_hidden, quoted(text)))


@given(ANY)
def test_one_line_is_one_line_of_printable_characters(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert not any(map(is_hidden, line))
    assert line == " ".join(line.split()) == one_line(line)


def test_a_marked_line_break_is_seen() -> None:
    assert mark_line_breaks("one\ntwo") == "one ⏎ two"


@given(ANY, st.integers(0, 20))
def test_a_shortened_text_is_a_prefix_and_an_ellipsis(text: str, length: int) -> None:
    assert shorten(text, length) == (text if len(text) <= length else text[:length] + "…")


def test_a_noun_follows_its_number() -> None:
    pairs = [(1, "entry"), (0, "entry"), (2, "patch"), (1234, "record"), (2, "day"), (3, "box"), (2, "class")]
    assert [counted(*pair) for pair in pairs] == [
        "1 entry",
        "0 entries",
        "2 patches",
        "1,234 records",
        "2 days",
        "3 boxes",
        "2 classes",
    ]


def test_no_other_module_defines_hidden_characters() -> None:
    """Escaping and shortening have one home, but for code that runs without the package: a folder's, the sandbox's."""
    copies = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if any(sign in path.read_text(encoding="utf-8") for sign in (r"\u202e", '+ "…"', "unicode_escape"))
    }
    alone = {"project/render_summary.py", "project/runtime/prelude.py"}
    tested = {"testing/store.py", "testing/embedder.py"}
    assert copies <= {"schema/safe_text.py", "constraints/trace.py"} | alone | tested
