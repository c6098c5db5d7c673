"""Highlighted Python, quotes and differences between texts. Styled by classes; the text can never become markup."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, Literal

from pygments.lexer import Lexer  # type: ignore[import-untyped]  # the package has no type hints
from pygments.lexers.data import JsonLexer  # type: ignore[import-untyped]  # as above
from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]  # as above
from pygments.token import STANDARD_TYPES, Token  # type: ignore[import-untyped]  # as above

from uac.display.html import Markup, Part, element, fragment
from uac.schema.safe_text import shorten, visible

__all__ = ["CodeLine", "Hunk", "highlighted_difference", "highlighted_lines", "mark_quotes", "split_code_lines"]

CONTEXT = 3  # lines shown around a difference
COMPARED = 6000  # lines that are compared one by one; a longer part is shown as replaced


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of a comparison. A number is None if the line is not in that text."""

    sign: Literal["+", "-", " "]
    before: int | None
    after: int | None
    code: Markup


@dataclass(frozen=True, slots=True)
class Hunk:
    """Consecutive lines of a comparison."""

    lines: tuple[CodeLine, ...]


def highlighted_lines(path: str, text: str) -> tuple[Markup, ...]:
    """The lines of a file, highlighted according to its type."""
    text = visible(text, lines=True)  # before the lexer, which treats several characters as line ends
    lexer = _lexer_for_path(path)
    if lexer is None:
        return tuple(fragment(line) for line in split_code_lines(text))
    lines: list[list[Part]] = [[]]
    for kind, piece in lexer.get_tokens(text):
        for number, part in enumerate(piece.split("\n")):
            if number:
                lines.append([])
            if part:
                name = _token_css_class(kind)
                lines[-1].append(element("span", part, class_=name) if name else part)
    if not lines[-1]:
        lines.pop()
    return tuple(fragment(*line) for line in lines)


def highlighted_difference(path: str, before: str, after: str) -> tuple[Hunk, ...]:
    """The differences between two texts of a file, with `CONTEXT` lines around them."""
    old, new = split_code_lines(before), split_code_lines(after)
    return tuple(_highlighted_hunk(path, old, new, group) for group in _hunk_groups_to_highlight(old, new))


def _highlighted_hunk(path: str, old: Sequence[str], new: Sequence[str], group: "Sequence[Opcode]") -> Hunk:
    """One group of differences as lines. Only these are highlighted: the texts may be long."""
    i0, j0 = group[0][1], group[0][3]
    shown_old = highlighted_lines(path, "".join(f"{line}\n" for line in old[i0 : group[-1][2]]))
    shown_new = highlighted_lines(path, "".join(f"{line}\n" for line in new[j0 : group[-1][4]]))
    lines: list[CodeLine] = []
    for tag, i1, i2, j1, j2 in group:
        if tag == "equal":
            lines += [CodeLine(" ", i1 + n + 1, j + 1, shown_new[j - j0]) for n, j in enumerate(range(j1, j2))]
            continue
        lines += [CodeLine("-", i + 1, None, shown_old[i - i0]) for i in range(i1, i2)]
        lines += [CodeLine("+", None, j + 1, shown_new[j - j0]) for j in range(j1, j2)]
    return Hunk(tuple(lines))


Opcode = tuple[str, int, int, int, int]


def _hunk_groups_to_highlight(old: Sequence[str], new: Sequence[str]) -> list[list[Opcode]]:
    """The differences in groups. The common start and end are cut off first: the rest is usually short."""
    shorter = min(len(old), len(new))
    lead = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - lead) if old[-1 - n] != new[-1 - n]), shorter - lead)
    first, last = max(lead - CONTEXT, 0), max(tail - CONTEXT, 0)
    inner_old, inner_new = old[first : len(old) - last], new[first : len(new) - last]
    if len(inner_old) + len(inner_new) > COMPARED:
        return [[("replace", first, len(old) - last, first, len(new) - last)]]
    matcher = SequenceMatcher(None, inner_old, inner_new, autojunk=False)
    return [
        [(tag, i1 + first, i2 + first, j1 + first, j2 + first) for tag, i1, i2, j1, j2 in group]
        for group in matcher.get_grouped_opcodes(CONTEXT)
    ]


def mark_quotes(words: str, *quotes: str | None, around: int = 240) -> Markup:
    """The text with the quoted parts marked; parts far from any quote are left out."""
    spans = _spans_to_highlight(words, filter(None, quotes))
    if not spans:
        return fragment(shorten(words, 3 * around))
    parts: list[Part] = []
    behind = 0
    for start, end in spans:
        first = max(start - around, behind)
        parts.append(("…" if first > behind else "") + words[first:start])
        parts.append(element("mark", words[start:end]))
        behind = end
    last = behind + around
    return fragment(*parts, words[behind:last] + ("…" if last < len(words) else ""))


def _spans_to_highlight(words: str, quotes: Iterable[str]) -> list[tuple[int, int]]:
    """The spans of the quotes, in order; those that overlap or touch are merged."""
    matches = sorted((start, start + len(quote)) for quote in quotes if (start := words.find(quote)) >= 0)
    spans: list[tuple[int, int]] = []
    for start, end in matches:
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def split_code_lines(text: str) -> list[str]:
    """Split at newlines only: a form feed does not end a line."""
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def _lexer_for_path(path: str) -> Lexer | None:
    if path.endswith((".py", ".py.txt")):
        return _python_lexer()
    return _json_lexer() if path.endswith(".json") else None


@lru_cache(maxsize=1)
def _python_lexer() -> Lexer:
    return PythonLexer(stripnl=False, ensurenl=False)


@lru_cache(maxsize=1)
def _json_lexer() -> Lexer:
    return JsonLexer(stripnl=False, ensurenl=False)


@lru_cache(maxsize=1000)
def _token_css_class(kind: Any) -> str:
    """The class that styles a kind of token; "" for plain text."""
    while kind not in STANDARD_TYPES:
        kind = kind.parent
    return "" if kind in (Token, Token.Text, Token.Text.Whitespace, Token.Name) else STANDARD_TYPES[kind]
