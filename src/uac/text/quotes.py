"""Finds quotes in a text: whether the words occur, and exactly as written there."""

import re
import unicodedata
from collections.abc import Sequence

from uac.text.lazy_pattern import lazy_pattern

__all__ = ["verbatim"]


def verbatim(quote: str, text: str) -> str | None:
    """The quoted words exactly as the text has them; None if they do not occur.

    Forgiven are white space, typographic quotes, dashes and dots, Unicode normalisation, and the case of the first
    letter. A quote that cuts a word or a number gives the whole of it: 'paid 15' out of 'paid 150' is 'paid 150'.
    """
    wanted = quote.strip()
    found = _find_quote(wanted, text, None)
    if found is None:
        folded, places = _plain_typography(text)
        plain = _plain_typography(wanted)[0].strip()
        other = re.sub(r"[^\W\d_]", lambda first: first.group().swapcase(), plain, count=1)
        found = _find_quote(plain, folded, places) or _find_quote(other, folded, places)
    if found is None:
        return None
    start, end = found
    while _is_inside_word(text, start):
        start -= 1
    while _is_inside_word(text, end):
        end += 1
    return text[start:end]


def _find_quote(quote: str, text: str, places: Sequence[tuple[int, int]] | None) -> tuple[int, int] | None:
    """The position of the quote in the text, preferably one that cuts no word."""
    first = None
    at = text.find(quote) if quote else -1
    while at >= 0:
        end = at + len(quote)
        found = (at, end) if places is None else (places[at][0], places[end - 1][1])
        if not (_is_inside_word(text, at) or _is_inside_word(text, end)):
            return found
        first = first or found
        # Overlapping positions are not tried: that keeps the search linear.
        at = text.find(quote, end)
    return first


def _is_inside_word(text: str, at: int) -> bool:
    """Whether the position is inside a word or a number: 'don|'t', '1|,300'."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if _is_spaced_script(left) and _is_spaced_script(right):
        return True
    before, after = (text[at - 2 : at - 1], right) if left in _JOINTS else (left, text[at + 1 : at + 2])
    if left not in _JOINTS and right not in _JOINTS:
        return False
    is_number = before.isdigit() and after.isdigit()
    is_word = "'" in (left, right) or "’" in (left, right)
    return is_number or (is_word and before.isalpha() and after.isalpha())


def _is_spaced_script(char: str) -> bool:
    """Whether the character is an accent, a digit, or a letter of a script that puts spaces between words."""
    return unicodedata.combining(char) > 0 or (char.isalnum() and (char < "\u0e00" or "Ḁ" <= char <= "῿"))


def _plain_typography(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with plain typography, and the original position of each of its characters."""
    plain: list[str] = []
    places: list[tuple[int, int]] = []
    for match in _CLUSTER.finditer(text):
        for char in unicodedata.normalize("NFKD", match.group().translate(_TYPOGRAPHY)).translate(_TYPOGRAPHY):
            mark = " " if char.isspace() else char
            if mark in " -" and plain and plain[-1] == mark:
                places[-1] = (places[-1][0], match.end())
            else:
                plain.append(mark)
                places.append(match.span())
    return "".join(plain), places


_JOINTS = frozenset(".,'’")
_CLUSTER = lazy_pattern(r"(?s:.)[\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u3099\u309a]*")
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("‘’‚‛′`´ʼ‹›", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–—―−﹘", "-")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", "")
)
