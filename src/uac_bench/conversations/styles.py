"""How people write: the same content in many surface forms, from patterns that are composed anew each time.

A pattern is text with `{slot}`, `[one|of|these]` and `<parts; in; any order>`, which may be nested. A style changes the
words around the values: never a name, a number or a day, so that what was said stays clear.
"""

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = ["CLOSERS", "STYLES", "Piece", "Style", "compose", "in_style", "join_clauses"]

Style: TypeAlias = Literal["plain", "terse", "chatty", "dictated", "hasty"]
STYLES: tuple[Style, ...] = ("plain", "terse", "chatty", "dictated", "hasty")
"""Plain; as few words as possible; with detours; spoken, without punctuation; and typed in a hurry, with mistakes."""
TYPOS = 0.25  # of the words of a hasty writer
ASIDES: Mapping[Style, float] = {"plain": 0.3, "terse": 0.1, "chatty": 0.35, "dictated": 0.2, "hasty": 0.25}
"""How often something is thrown in after a value."""
BEFORE_UNITS = frozenset({"km", "price", "dose"})
"""The slots of values that a unit or "a month" may follow."""
CLOSERS = ".!?…"


class Piece(NamedTuple):
    """Part of a sentence: a value, which stays as it is, or words around values."""

    text: str
    slot: str = ""
    """The slot of a value."""

    @property
    def is_value(self) -> bool:
        return bool(self.slot)


def compose(pattern: str, values: Mapping[str, str], chance: random.Random) -> list[Piece]:
    """One of the sentences that the pattern allows."""
    pieces, rest = _sequence(pattern, 0, "", values, chance)
    assert rest == len(pattern), f"a bracket is not closed in {pattern!r}"
    return pieces


def in_style(pieces: Sequence[Piece], style: Style, words: Mapping[str, Any], chance: random.Random) -> str:
    """The sentence as somebody who writes like this would put it, without a full stop."""
    pieces = _with_asides(pieces, ASIDES[style], words, chance)
    match style:
        case "terse":
            return _text([_terse(piece, at, words) for at, piece in enumerate(pieces)])
        case "chatty":
            opener: str = chance.choice(("", "", *words["openers"]))
            tag: str = chance.choice(("", "", *(f", {tag}" for tag in words["tags"])))
            return opener + _first_letter(_text(pieces), words, is_capital=not opener) + tag
        case "dictated":
            return " ".join(_dictated(pieces, words, chance))
        case "hasty":
            return _text([piece if piece.is_value else Piece(_mistyped(piece.text, chance)) for piece in pieces])
        case _:
            return _first_letter(_text(pieces), words, is_capital=chance.random() < 1 / 2)


def join_clauses(clauses: Sequence[str], style: Style, words: Mapping[str, Any], chance: random.Random) -> str:
    """One message of several clauses, each of which stays as it is, and perhaps a detour."""
    if style == "dictated":
        return f" {chance.choice(('and', 'and then') if 'um' in words['hesitations'] else words['links'][:1])} ".join(
            clause.strip() for clause in clauses
        ).replace("  ", " ")
    if style == "plain":  # a sentence that begins with a capital letter comes first, or after a full stop
        clauses = sorted(clauses, key=lambda clause: not clause[:1].isupper())
    message = clauses[0]
    for clause in clauses[1:]:
        links = (" / ", "; ", ", ", "\n") if style == "terse" else words["links"]
        link = ". " if style == "plain" and clause[:1].isupper() else chance.choice(links)
        message += f" {clause}" if message[-1] in CLOSERS else link + clause
    is_closed = message[-1] in CLOSERS or style in ("terse", "hasty")
    return message if is_closed else f"{message}{chance.choice(('.', '.', '!', '…') if style == 'chatty' else '.')}"


# --- patterns ---------------------------------------------------------------------------------------------------------


def _sequence(
    pattern: str, at: int, stops: str, values: Mapping[str, str], chance: random.Random
) -> tuple[list[Piece], int]:
    """The pieces up to one of the characters in `stops`, and where that is."""
    found: list[Piece] = []
    while at < len(pattern) and pattern[at] not in stops:
        match pattern[at]:
            case "[":
                ways, at = _parts(pattern, at + 1, "|", "]", values, chance)
                found += chance.choice(ways)
            case "<":
                parts, at = _parts(pattern, at + 1, ";", ">", values, chance)
                chance.shuffle(parts)
                for number, part in enumerate(parts):
                    found += [Piece(" "), *part] if number else part
            case "{":
                end = pattern.index("}", at)
                slot = pattern[at + 1 : end]
                found.append(Piece(values[slot], slot))
                at = end + 1
            case _:
                end = min((found_at for stop in f"[<{{{stops}" if (found_at := pattern.find(stop, at)) > 0), default=-1)
                end = len(pattern) if end < 0 else end
                found.append(Piece(pattern[at:end]))
                at = end
    return found, at


def _parts(
    pattern: str, at: int, between: str, last: str, values: Mapping[str, str], chance: random.Random
) -> tuple[list[list[Piece]], int]:
    """The parts up to the closing bracket, and the place after it."""
    parts: list[list[Piece]] = []
    while True:
        part, at = _sequence(pattern, at, between + last, values, chance)
        if between == ";" and part and not part[0].is_value:
            part[0] = Piece(part[0].text.lstrip())
        parts.append(part)
        at += 1
        if pattern[at - 1] == last:
            return parts, at


def _text(pieces: Sequence[Piece]) -> str:
    """The sentence; its first letter as it is."""
    return re.sub(r" +(?=[,.;?!])|(?<= ) +", "", "".join(piece.text for piece in pieces)).strip(" ,–")


# --- styles -----------------------------------------------------------------------------------------------------------


def _with_asides(pieces: Sequence[Piece], share: float, words: Mapping[str, Any], chance: random.Random) -> list[Piece]:
    """The pieces with something thrown in after a value, where no word or sign hangs on it; nobody writes "ten, don't
    laugh, km"."""
    found: list[Piece] = []
    for piece, after in zip(pieces, [*pieces[1:], Piece("")], strict=True):
        found.append(piece)
        ends = ("",) if piece.slot.removeprefix("old_") in BEFORE_UNITS else ("", " ")
        is_free = piece.is_value and after.text[:1] in ends and not after.is_value
        if is_free and chance.random() < share:
            found += compose(chance.choice(words["asides"]), {}, chance)
    return found


def _first_letter(text: str, words: Mapping[str, Any], *, is_capital: bool) -> str:
    if is_capital:
        return text[:1].upper() + text[1:]
    is_word = any(text.startswith(subject) and subject != "I " for subject in words["subjects"])
    return text[:1].lower() + text[1:] if is_word else text


def _terse(piece: Piece, at: int, words: Mapping[str, Any]) -> Piece:
    if piece.is_value:
        return piece
    text = piece.text
    if at == 0:
        text = next((text.removeprefix(each) for each in words["subjects"] if text.startswith(each)), text)
        text = text[:1].lower() + text[1:]
    return Piece(" ".join(words["short"].get(word, word) for word in text.split(" ")))


def _dictated(pieces: Sequence[Piece], words: Mapping[str, Any], chance: random.Random) -> list[str]:
    found: list[str] = []
    for piece in pieces:
        text = piece.text if piece.is_value else re.sub(r"[,.;:!?…–()]+", " ", piece.text).lower()
        spoken = text.split()
        if spoken and not piece.is_value and chance.random() < TYPOS:
            where = chance.randrange(len(spoken) + 1)
            spoken.insert(where, chance.choice((*words["hesitations"], *spoken[max(0, where - 1) : where])))
        found += spoken
    return found


def _mistyped(text: str, chance: random.Random) -> str:
    """The words with some letters swapped, doubled or left out, and without capital letters."""
    typed = [_mistyped_word(word, chance) if chance.random() < TYPOS else word for word in text.lower().split(" ")]
    return " ".join(typed).replace("'", chance.choice(("'", "")))


def _mistyped_word(word: str, chance: random.Random) -> str:
    if len(word) < 4 or not word.isalpha():
        return word
    at = chance.randrange(1, len(word) - 1)
    return chance.choice(
        (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
        )
    )
