"""Builds markup that text cannot break out of: strings are always escaped, only `Markup` is inserted as it is.

It contains no styles and no scripts, so it also works under a strict Content-Security-Policy.
"""

from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from uac.schema.safe_text import visible

__all__ = ["Markup", "Part", "element", "fragment"]


@dataclass(frozen=True, slots=True)
class Markup:
    """A complete and well-formed piece of HTML or SVG."""

    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.text


Part: TypeAlias = "Markup | str"
"""The content of an element: other elements, and text."""


def element(name: str, *parts: Part, **attributes: str | float) -> Markup:
    """An element. An attribute loses a trailing `_`, and other `_` become hyphens: `class_`, `text_anchor`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escape_html(_attribute_text(value))}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{written}>{fragment(*parts)}</{name}>")


def fragment(*parts: Part) -> Markup:
    """Elements and text in sequence."""
    return Markup("".join(part.text if isinstance(part, Markup) else _escape_html(part) for part in parts))


def _escape_html(text: str) -> str:
    return escape(visible(text, lines=True))


def _attribute_text(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
