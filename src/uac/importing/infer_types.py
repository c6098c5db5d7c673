"""Infers the type of a column: the narrowest type that fits every value in the whole file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from uac.errors import Refused
from uac.importing.column_names import CURRENCIES, is_open_text_column
from uac.importing.field_names import field_name_for
from uac.importing.value_formats import (
    Form,
    Kind,
    OutOfBoundsError,
    ReadingOptions,
    Style,
    preferred_style,
    value_forms,
)
from uac.schema.types import FieldType, Json

__all__ = [
    "ColumnProfile",
    "InferredType",
    "column_style",
    "currency_in_column",
    "infer_column_type",
    "kinds_for_type",
    "open_column_profile",
]

MAX_CHOICES = 12
LEAST_TIMES = 3
SHORT = 40
MAX_DIGITS = 18
REMEMBERED = 1000  # distinct texts of a column that are cached as fitting
SAMPLE = 200  # characters of a value that are shown

FAMILIES: tuple[tuple[Kind, ...], ...] = (
    *(("bool",), ("int", "float", "Decimal"), ("date",), ("datetime",), ("time",), ("Money",)),
    *(("local",), ("symbol",)),
)
"""Kinds in the order in which they are tried. Within a family, first the style is chosen, then the narrowest kind."""

SPOKEN: tuple[Kind, ...] = ("date", "datetime", "time", "Money", "local", "symbol")
"""Kinds that are text in JSON, too; numbers and booleans are written without quotes there."""


@dataclass(slots=True)
class ColumnProfile:
    """The common properties of a column's values so far. If strict, a form that does not fit every value is dropped."""

    forms: tuple[Form, ...]
    is_strict: bool
    seen: int = 0
    missing: int = 0
    kinds: set[str] = field(default_factory=set)
    items: set[str] = field(default_factory=set)
    choices: dict[str, int] | None = field(default_factory=dict)
    fits: dict[tuple[Kind, Style], int] = field(default_factory=dict)
    sample: str = ""
    has_negative: bool = False
    _fitting: set[str] = field(default_factory=set)

    def add_value(self, raw: Json) -> None:
        self.seen += 1
        if self.seen == 1:
            self.sample = (raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))[:SAMPLE]
        if type(raw) is not str:
            self.kinds.add(kind := _json_kind(raw))
            if kind == "list":
                self.items |= {_json_kind(item) for item in raw}
            return
        self.kinds.add("str")
        self.has_negative = self.has_negative or raw.strip()[:1] in ("-", "\u2212", "(") or raw.strip().endswith("-")
        if self.forms:
            self._match_forms(raw)
        if self.choices is not None:
            self._count_choice(raw, self.choices)

    def _match_forms(self, text: str) -> None:
        if text in self._fitting:
            return
        if self.is_strict and len(self._fitting) < REMEMBERED:
            self._fitting.add(text)  # forms are only ever removed: text that fitted all of them fits the remaining ones
        left: list[Form] = []
        for candidate in self.forms:
            try:
                candidate.read(text)
            except OutOfBoundsError:
                left.append(candidate)  # a placeholder such as 9999-12-31 does not turn a date column into text
            except ValueError:
                if not self.is_strict:
                    left.append(candidate)
            else:
                left.append(candidate)
                if not self.is_strict:
                    named = (candidate.kind, candidate.style)
                    self.fits[named] = self.fits.get(named, 0) + 1
        if len(left) != len(self.forms):
            self.forms = tuple(left)

    def _count_choice(self, text: str, choices: dict[str, int]) -> None:
        if text in choices:
            choices[text] += 1
        elif len(choices) < MAX_CHOICES and len(text) <= SHORT and text.isprintable() and text == text.strip():
            choices[text] = 1
        else:
            self.choices = None


class InferredType(NamedTuple):
    """The type of a column, the style of its texts, and a note for the user."""

    type: FieldType
    style: Style = "plain"
    note: str = ""


def open_column_profile(column: str, reading: ReadingOptions, *, is_text: bool) -> ColumnProfile:
    """An empty profile for a column whose type is to be inferred."""
    currency = currency_in_column(column)
    written: tuple[Kind, ...] = ("bool", "int", "Decimal") if currency else ("bool", "int", "float")
    if currency and reading.is_money:
        written = ("bool",)  # with this option, plain numbers are Money
    else:
        currency = ""
    return ColumnProfile(value_forms((*written, *SPOKEN) if is_text else SPOKEN, reading, currency), is_strict=True)


def kinds_for_type(type_: FieldType) -> tuple[Kind, ...]:
    """The kinds of forms that give values of a known type; none for text."""
    kind = (type_.item or type_).kind
    match kind:
        case "bool" | "int" | "float" | "Decimal" | "date" | "datetime" | "time" | "Money":
            return (kind,)
    return ()


def infer_column_type(column: str, profile: ColumnProfile, reading: ReadingOptions) -> InferredType:
    """The narrowest type that fits all values; text if they disagree."""
    inferred = (
        _infer_from_json(column, profile, reading)
        if profile.kinds - {"str"}
        else _infer_from_text(column, profile, reading)
    )
    if profile.missing and inferred.type.kind != "list":
        inferred = inferred._replace(type=replace(inferred.type, optional=True))
    return inferred


def column_style(profile: ColumnProfile, kind: Kind, reading: ReadingOptions) -> tuple[Style | None, tuple[Style, ...]]:
    """The style that fits most values of a column of known kind, None if ambiguous; and the styles that tie."""
    counts = {form.style: profile.fits.get((kind, form.style), 0) for form in profile.forms if form.kind == kind}
    most = max(counts.values(), default=0)
    styles = tuple(style for style, count in counts.items() if count == most)
    return preferred_style(styles, reading), styles


def currency_in_column(column: str) -> str:
    """The currency code at the end of a column name, or "": "Cost (USD)" and price_eur have one."""
    last = field_name_for(column, 1).rstrip("_").rpartition("_")[2].upper()
    return last if last in CURRENCIES and last != column.upper() else ""


def _infer_from_text(column: str, profile: ColumnProfile, reading: ReadingOptions) -> InferredType:
    text = FieldType("str")
    if not profile.seen:
        return InferredType(FieldType("str", optional=True))
    for kind, *wider in FAMILIES:
        fitting = [form for form in profile.forms if form.kind in (kind, *wider)]
        styles = list(dict.fromkeys(form.style for form in fitting))
        if not styles:
            continue
        if kind == "local":
            return InferredType(
                text, note=f"{column}: times without a zone, kept as text; --zone NAME makes them times"
            )
        if kind == "symbol":
            hint = "--currency CODE makes them Money"
            return InferredType(
                text, note=f"{column}: amounts do not say which {profile.sample!r} is, kept as text; {hint}"
            )
        style = preferred_style(styles, reading)
        if style is None:
            return InferredType(text, note=_not_inferred_note(column, profile.sample, styles))
        narrowest = next(form.kind for form in fitting if form.style == style)
        return InferredType(FieldType(narrowest), style)  # type: ignore[arg-type]  # local and symbol returned above
    choices = profile.choices
    is_closed = choices is not None and len(choices) > 1 and min(choices.values()) >= LEAST_TIMES
    if choices is not None and is_closed and not is_open_text_column(column):
        return InferredType(FieldType("choice", choices=tuple(sorted(choices))))
    return InferredType(text)


def _not_inferred_note(column: str, sample: str, styles: Sequence[Style]) -> str:
    if "dmy" in styles:
        return (
            f"{column}: day and month are ambiguous in every line ({sample!r}), kept as text; "
            "--dates day-first or month-first makes them dates"
        )
    return (
        f"{column}: thousands and fractions are ambiguous ({sample!r}), kept as text; "
        "--decimal point or comma makes them numbers"
    )


def _infer_from_json(column: str, profile: ColumnProfile, reading: ReadingOptions) -> InferredType:
    is_money = reading.is_money and bool(currency_in_column(column))
    match sorted(profile.kinds):
        case ["bool"]:
            return InferredType(FieldType("bool"))
        case ["int"]:
            return InferredType(FieldType("Money" if is_money else "int"))
        case ["float"] | ["float", "int"]:
            return InferredType(FieldType("Money" if is_money else "float"))
        case ["list"]:
            return InferredType(FieldType("list", item=_infer_list_item(column, profile)))
        case kinds if "list" in kinds:
            raise Refused(
                f"column {column!r} has lists and single values. Use one of the two, "
                f"or leave the column out with --without {column!r}."
            )
        case kinds:
            note = "integers of more than 18 digits" if "huge" in kinds else "values of several kinds"
            return InferredType(FieldType("str"), note=f"{column}: {note}, kept as text")


def _infer_list_item(column: str, profile: ColumnProfile) -> FieldType:
    match sorted(profile.items):
        case ["bool"]:
            return FieldType("bool")
        case ["int"]:
            return FieldType("int")
        case ["float"] | ["float", "int"]:
            return FieldType("float")
        case kinds if {"list", "object", "null"} & set(kinds):
            raise Refused(
                f"column {column!r} has lists of objects, lists or nulls. Use lists of plain values, "
                f"or leave the column out of the records with --without {column!r} (the text is stored anyway)."
            )
    return FieldType("str")


def _json_kind(raw: Json) -> Literal["str", "bool", "int", "huge", "float", "list", "object", "null"]:
    match raw:
        case str():
            return "str"
        case bool():
            return "bool"
        case int():
            return "int" if len(str(raw)) <= MAX_DIGITS else "huge"
        case float():
            return "float"
        case list():
            return "list"
        case None:
            return "null"
    return "object"
