"""Formats values for a page. All output goes through `printable_filter`; markup comes from `uac.display.html` only."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import quote

from markupsafe import Markup as Safe

from uac.display.html import Markup, element, fragment
from uac.display.plots import Plot
from uac.display.tables import cell_text
from uac.interfaces.inspector.highlight import mark_quotes
from uac.schema.periods import Period
from uac.schema.safe_text import counted, visible
from uac.schema.values import Typed

__all__ = ["FILTERS", "printable_filter", "value_filter"]


def printable_filter(value: object) -> object:
    """The output of a template: our own markup unchanged, everything else as text with hidden characters escaped."""
    if isinstance(value, Markup):
        return Safe(value.text)  # noqa: S704  # uac.display.html escapes its input
    return value if isinstance(value, Safe) or value is None else visible(str(value), lines=True)


def value_filter(value: Typed) -> str:
    """The value of a field for people; a list with commas."""
    if isinstance(value, tuple):
        return ", ".join(map(value_filter, value))
    return cell_text(value)


def moment_filter(value: datetime | date | None) -> Markup:
    """A time, to the minute."""
    if value is None:
        return Markup("")
    if not isinstance(value, datetime):
        return element("time", value.isoformat(), datetime=value.isoformat())
    text = value.isoformat(" ", "minutes").replace("+00:00", "Z")
    return element("time", text, datetime=value.isoformat(), title=f"{value:%Y-%m-%d %H:%M:%S %Z}")


def period_filter(validity: Period) -> str:
    """A period of validity, in words."""
    if validity.start and validity.start == validity.end:
        return validity.start
    if not validity.start and not validity.end:
        return "no time said"
    return " ".join(filter(None, [validity.start and f"from {validity.start}", validity.end and f"to {validity.end}"]))


def plot_filter(plot: Plot) -> Markup:
    """A plot drawn twice, for a wide page and for a phone; the style shows the one that fills its place."""
    return fragment(
        *(
            element("div", Markup(plot.drawn(width)), class_=name)
            for name, width in (("on-wide", 880), ("on-phone", 380))
        )
    )


FILTERS: Mapping[str, Callable[..., Any]] = {
    "value_text": value_filter,
    "moment": moment_filter,
    "period": period_filter,
    "drawn": plot_filter,
    "counted": counted,
    "mark_quotes": lambda words, quotes: mark_quotes(words, *quotes),
    "quoted": lambda text: quote(str(text), safe=""),
}
"""Filters for templates, in addition to Jinja's own."""
