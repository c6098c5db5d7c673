"""Cuts text into the pieces of a fixed vocabulary, by merging characters pair by pair (byte pair encoding).

The same pieces as the package `tokenizers` gives for the file, which takes seven times longer to load; and since a
piece never spans two words, the pieces of each word are remembered.
"""

import mmap
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from heapq import heapify, heappop, heappush

import msgspec

from uac.schema.word_caches import on_forget

__all__ = ["WordPieces", "decode_word_pieces"]

SPACE = "\u2581"  # stands for a space in the vocabulary
FIRST_MERGED = 259  # three markers and 256 single bytes come before the first piece that is made of others
MAX_REMEMBERED = 1 << 14  # words, which take at most 9 MB
MAX_REMEMBERED_LENGTH = 40  # characters

_WORD = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
_MARKER = re.compile("(<unk>|<s>|</s>)")


class WordPieces:
    """The numbers of a text's pieces. Its own words are at most remembered one by one."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._numbers = vocabulary
        self._known: dict[str, tuple[int, ...]] = {}
        on_forget(self._known.clear)

    @property
    def size(self) -> int:
        return len(self._numbers)

    def numbers(self, text: str) -> list[int]:
        if "<" in text and _MARKER.search(text):
            return [number for part in _MARKER.split(text) if part for number in self._part_numbers(part)]
        return self._part_numbers(text) if text else []

    def _part_numbers(self, text: str) -> list[int]:
        if _MARKER.fullmatch(text):
            return [self._numbers[text]]
        known, found = self._known, list[int]()
        for word in _WORD.findall(SPACE + text.replace(" ", SPACE)):
            found += known.get(word) or self._word_numbers(word)
        return found

    def _word_numbers(self, word: str) -> tuple[int, ...]:
        found = tuple(number for piece in self._merged(word) for number in self._piece_numbers(piece))
        if len(word) <= MAX_REMEMBERED_LENGTH:
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
            self._known[word] = found
        return found

    def _piece_numbers(self, piece: str) -> Iterator[int]:
        number = self._numbers.get(piece)
        if number is not None:
            yield number
        else:  # a character that the vocabulary does not have
            yield from (self._numbers[f"<0x{byte:02X}>"] for byte in piece.encode())

    def _merged(self, word: str) -> list[str]:
        """The pieces of a word: of all neighbours, those with the lowest rank are merged first, the leftmost of them.

        A merged piece stays at the place of its left part; the place of its right part becomes empty.
        """
        pieces, after, before = list(word), list(range(1, len(word) + 1)), list(range(-1, len(word) - 1))
        waiting = [
            (rank, place, pieces[place] + pieces[place + 1])
            for place in range(len(word) - 1)
            if (rank := self._rank(pieces[place] + pieces[place + 1])) is not None
        ]
        heapify(waiting)
        while waiting:
            _rank, place, whole = heappop(waiting)
            right = after[place]
            if right >= len(word) or not pieces[place] or pieces[place] + pieces[right] != whole:
                continue  # one of the two was merged meanwhile
            pieces[place], pieces[right], after[place] = whole, "", after[right]
            if after[place] < len(word):
                before[after[place]] = place
            for left in (before[place], place):
                if left >= 0 and after[left] < len(word):
                    pair = pieces[left] + pieces[after[left]]
                    if (rank := self._rank(pair)) is not None:
                        heappush(waiting, (rank, left, pair))
        return [piece for piece in pieces if piece]

    def _rank(self, piece: str) -> int | None:
        """Pieces are merged in the order of their numbers; runs of spaces come last."""
        number = self._numbers.get(piece)
        if number is None or number < FIRST_MERGED:
            return None
        return number if piece.strip(SPACE) else number + len(self._numbers)


class _Model(msgspec.Struct):
    vocab: dict[str, int]


class _File(msgspec.Struct):
    model: _Model


def decode_word_pieces(data: "bytes | mmap.mmap") -> WordPieces | None:
    """The vocabulary of a tokenizer's file; None if it has none."""
    start = max(data.find(b"{", data.find(b'"vocab"')), 0)
    stop = data.rfind(b"}", 0, max(data.find(b'"merges": [', start), 0)) + 1
    with memoryview(data) as file, file[start:stop] as vocabulary:
        with suppress(msgspec.DecodeError):  # most files have it before pairs that are as large, and are not needed
            return WordPieces(msgspec.json.decode(vocabulary, type=dict[str, int]))
        with suppress(msgspec.DecodeError):
            return WordPieces(msgspec.json.decode(file, type=_File).model.vocab)
    return None
