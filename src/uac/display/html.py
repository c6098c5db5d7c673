"""Markup that text cannot become part of: strings are always escaped, only what was made here is taken as it is.

No style and no script is written, so it also shows under a strict Content-Security-Policy.
"""

from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from uac.schema.safe_text import visible

__all__ = ["Markup", "Part", "element", "fragment"]


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


def _escaped(text: str) -> str:
    return escape(visible(text, lines=True))


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
