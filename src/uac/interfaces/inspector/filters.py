"""Formats values for a page. All output goes through `printable`; markup comes from `uac.display.html` only."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import quote

from markupsafe import Markup as Safe

from uac.display.html import Markup, Part, element, fragment
from uac.display.tables import cell_text
from uac.schema.entry_text import entry_text
from uac.schema.periods import Period
from uac.schema.safe_text import counted, shorten, visible
from uac.schema.values import Typed

__all__ = ["FILTERS", "format_period", "mark_quotes", "printable", "value_text"]


def printable(value: object) -> object:
    """The output of a template: our own markup unchanged, everything else as text with hidden characters escaped."""
    if isinstance(value, Markup):
        return Safe(value.text)  # noqa: S704  # uac.display.html escapes its input
    return value if isinstance(value, Safe) or value is None else visible(str(value), lines=True)


def value_text(value: Typed) -> str:
    """The value of a field for people; a list with commas."""
    if isinstance(value, tuple):
        return ", ".join(map(value_text, value))
    return cell_text(value)


def format_moment(value: datetime | date | None) -> Markup:
    """A time, to the minute."""
    if value is None:
        return Markup("")
    if not isinstance(value, datetime):
        return element("time", value.isoformat(), datetime=value.isoformat())
    return element("time", f"{value:%Y-%m-%d %H:%M}", datetime=value.isoformat(), title=f"{value:%Y-%m-%d %H:%M:%S %Z}")


def format_period(validity: Period) -> str:
    """A period of validity, in words."""
    if validity.start and validity.start == validity.end:
        return validity.start
    if not validity.start and not validity.end:
        return "no time said"
    return " ".join(filter(None, [validity.start and f"from {validity.start}", validity.end and f"to {validity.end}"]))


def mark_quotes(words: str, *quotes: str | None, around: int = 240) -> Markup:
    """The text with the quoted parts marked; parts far from any quote are left out."""
    spans = _quote_spans(words, filter(None, quotes))
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


def _quote_spans(words: str, quotes: Iterable[str]) -> list[tuple[int, int]]:
    """The spans of the quotes, in order; those that overlap or touch are merged."""
    matches = sorted((start, start + len(quote)) for quote in quotes if (start := words.find(quote)) >= 0)
    spans: list[tuple[int, int]] = []
    for start, end in matches:
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


FILTERS: Mapping[str, Callable[..., Any]] = {
    "value_text": value_text,
    "moment": format_moment,
    "period": format_period,
    "counted": counted,
    "mark_quotes": lambda words, quotes: mark_quotes(words, *quotes),
    "entry_text": entry_text,
    "quoted": lambda text: quote(str(text), safe=""),
}
"""Filters for templates, in addition to Jinja's own."""
