"""Text that a stranger wrote, made safe and short enough to show: one definition for every terminal, page and agent.

A character is hidden if a reader does not see it and it can still act: it controls a terminal, ends a line, reorders a
line, joins what looks separate, or carries a message that only a machine reads.
"""

import json
import re
import unicodedata

__all__ = ["counted", "is_blank", "mark_line_breaks", "one_line", "replace_lone_surrogates", "shorten", "visible"]

# Fixed ranges, not `unicodedata`: what is escaped must not depend on the Unicode version of the machine.
# Control and format characters, line and paragraph separators, lone surrogates, tags and variation selectors of plane
# 14, noncharacters. The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
_HIDDEN_CHARACTERS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
) + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
_HIDDEN = re.compile(f"[{_HIDDEN_CHARACTERS}]")
_HIDDEN_OR_BREAK = re.compile(f"[\n\t{_HIDDEN_CHARACTERS}]")


def visible(text: str, *, lines: bool = False, as_json: bool = False) -> str:
    """The text with every hidden character as an escape: ESC becomes \\x1b, with `as_json` \\u001b.

    Line feeds and tabs are escaped as well, unless `lines` is set.
    """
    if text.isascii() and text.isprintable():
        return text
    pattern = _HIDDEN if lines else _HIDDEN_OR_BREAK
    return pattern.sub(_escape_hidden_json if as_json else _escape_hidden, text)


def one_line(text: str) -> str:
    """The text on one line, with a single space for every run of spaces and of characters that are not printable."""
    printable = (character if character.isprintable() else " " for character in _HIDDEN.sub(" ", text))
    return " ".join("".join(printable).split())


def mark_line_breaks(text: str) -> str:
    """The text on one line, with ⏎ where a line ended."""
    return text.replace("\n", " ⏎ ")


def shorten(text: str, length: int) -> str:
    """The text, or its first `length` characters and an ellipsis."""
    return text if len(text) <= length else f"{text[:length]}…"


def counted(number: int, noun: str) -> str:
    """The number with its noun: 1 entry, 2 entries, 3 patches, 1,000 days."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{number:,} {noun[:-1]}ies"
    return f"{number:,} {noun}{'es' if noun.endswith(('ch', 'sh', 's', 'x')) else 's'}"


def _escape_hidden(hidden: re.Match[str]) -> str:
    return hidden[0].encode("unicode_escape").decode()


def _escape_hidden_json(hidden: re.Match[str]) -> str:
    return json.dumps(hidden[0])[1:-1]


def is_blank(text: str) -> bool:
    """Whether nobody sees anything of the text: spaces, control and format characters, fillers."""
    if text.isascii() and text.isprintable():
        return not text.strip()
    return all(unicodedata.category(one) in _BLANK_CATEGORIES or _BLANK_CHARACTERS.match(one) for one in text)


_BLANK_CATEGORIES = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf", "Cs"))
"""Categories of spaces, control and format characters."""

_BLANK_CHARACTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that show nothing: fillers, the blank of Braille, variation selectors."""


def replace_lone_surrogates(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot encode, replaced by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
