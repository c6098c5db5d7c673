"""Markup that text cannot become part of: strings are always escaped, only what was made here is taken as it is.

No style and no script is written, so it also shows under a strict Content-Security-Policy.
"""

import unicodedata
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

__all__ = ["Markup", "Part", "element", "fragment", "visible"]


@dataclass(frozen=True, slots=True)
class Markup:
    """A piece of HTML or SVG, whole and well-formed."""

    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.text


Part: TypeAlias = "Markup | str"
"""What an element holds: other elements, and text."""


def element(name: str, *parts: Part, **attributes: str | float) -> Markup:
    """An element. A trailing `_` of an attribute is cut, other `_` are hyphens: `class_`, `text_anchor`."""
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(_number(value))}"' for key, value in attributes.items()
    )
    return Markup(f"<{name}{told}>{fragment(*parts)}</{name}>")


def fragment(*parts: Part) -> Markup:
    """Elements and text, one after the other."""
    return Markup("".join(part.text if isinstance(part, Markup) else _escaped(part) for part in parts))


def visible(text: str, *, lines: bool = False) -> str:
    """The text with what no document may hold, or what would reorder a line, shown as an escape: ESC becomes \\x1b.

    With `lines`, ends of lines and tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if _is_shown(one, lines=lines) else one.encode("unicode_escape").decode() for one in text)


def _is_shown(character: str, *, lines: bool) -> bool:
    if character in "\n\t":
        return lines
    # Cc: control characters; Cs: surrogates; Cf: marks such as right-to-left overrides, but joiners shape scripts;
    # Zl, Zp: ends of lines; U+nFFFE and U+nFFFF are no characters, and XML has no way to write some of them.
    is_hidden = unicodedata.category(character) in ("Cc", "Cs", "Cf", "Zl", "Zp")
    return (not is_hidden or character in "\u200c\u200d") and ord(character) & 0xFFFE != 0xFFFE


def _escaped(text: str) -> str:
    return escape(visible(text, lines=True))


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
