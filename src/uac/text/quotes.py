"""Quotes: whether words stand in a text, and which of its words they are."""

import re
import unicodedata
from collections.abc import Sequence

__all__ = ["verbatim"]


def verbatim(quote: str, text: str) -> str | None:
    """The words of the text that the quote stands for, exactly as they stand there; None if they do not.

    Forgiven are white space, typographic quotes, dashes and dots, Unicode normalisation, and the case of the first
    letter. A quote that cuts a word or a number gives the whole of it: 'paid 15' out of 'paid 150' is 'paid 150'.
    """
    asked = quote.strip()
    found = _place(asked, text, None)
    if found is None:
        folded, places = _plain_places(text)
        plain = _plain_places(asked)[0].strip()
        other = re.sub(r"[^\W\d_]", lambda first: first.group().swapcase(), plain, count=1)
        found = _place(plain, folded, places) or _place(other, folded, places)
    if found is None:
        return None
    start, end = found
    while _is_inside(text, start):
        start -= 1
    while _is_inside(text, end):
        end += 1
    return text[start:end]


def _place(quote: str, text: str, places: Sequence[tuple[int, int]] | None) -> tuple[int, int] | None:
    """Where the quote stands in the text, where it cuts no word if there is such a place."""
    first = None
    at = text.find(quote) if quote else -1
    while at >= 0:
        end = at + len(quote)
        found = (at, end) if places is None else (places[at][0], places[end - 1][1])
        if not (_is_inside(text, at) or _is_inside(text, end)):
            return found
        first = first or found
        # Overlapping places are not tried: that keeps the search linear.
        at = text.find(quote, end)
    return first


def _is_inside(text: str, at: int) -> bool:
    """Whether the place is inside a word or a number: 'don|'t', '1|,300'."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if _is_spaced(left) and _is_spaced(right):
        return True
    before, after = (text[at - 2 : at - 1], right) if left in _JOINTS else (left, text[at + 1 : at + 2])
    if left not in _JOINTS and right not in _JOINTS:
        return False
    is_number = before.isdigit() and after.isdigit()
    is_word = "'" in (left, right) or "’" in (left, right)
    return is_number or (is_word and before.isalpha() and after.isalpha())


def _is_spaced(char: str) -> bool:
    """Whether it is an accent, a digit, or a letter of a script that puts spaces between words."""
    return unicodedata.combining(char) > 0 or (char.isalnum() and (char < "\u0e00" or "Ḁ" <= char <= "῿"))


def _plain_places(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with its typography made plain, and which place each of its characters came from."""
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
_CLUSTER = re.compile(r"(?s:.)[\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u3099\u309a]*")
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("‘’‚‛′`´ʼ‹›", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–—―−﹘", "-")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", "")
)
