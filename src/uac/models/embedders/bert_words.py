"""Cuts text into the pieces of BERT's vocabulary in lower case: words, then the longest pieces of each."""

import re
import unicodedata
from collections.abc import Iterator, Mapping

__all__ = ["BertWords"]

MAX_WORD = 100  # characters; a longer word is one unknown piece
INSIDE = "##"  # before a piece that does not begin a word
UNKNOWN = "[UNK]"

_IDEOGRAPHS = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ebef\U0002f800-\U0002fa1f])")
_ASCII_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class BertWords:
    """The numbers of a text's pieces. Names of markers in a text, such as "[SEP]", are ordinary words."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._numbers = vocabulary
        self._unknown = vocabulary[UNKNOWN]

    def numbers(self, text: str) -> list[int]:
        found: list[int] = []
        for word in _words(text):
            found += self._word_numbers(word)
        return found

    def _word_numbers(self, word: str) -> list[int]:
        if len(word) > MAX_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            for stop in range(len(word), start, -1):
                number = self._numbers.get(word[start:stop] if not start else INSIDE + word[start:stop])
                if number is not None:
                    found.append(number)
                    start = stop
                    break
            else:
                return [self._unknown]
        return found


def _words(text: str) -> Iterator[str]:
    """Words in lower case without accents, and each sign and ideograph alone."""
    clean = "".join(" " if char.isspace() else char for char in text if not _is_ignored(char))
    for part in _IDEOGRAPHS.sub(r" \1 ", clean).split():
        word = ""
        for char in unicodedata.normalize("NFD", part.lower()):
            if unicodedata.category(char) == "Mn":
                continue
            if char in _ASCII_SIGNS or unicodedata.category(char).startswith("P"):
                if word:
                    yield word
                yield char
                word = ""
            else:
                word += char
        if word:
            yield word


def _is_ignored(char: str) -> bool:
    return char in "\0\ufffd" or (char not in "\t\n\r" and unicodedata.category(char) in ("Cc", "Cf", "Co"))
