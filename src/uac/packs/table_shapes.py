"""The shape of a pack's table: its sections, their columns, and the values that a column takes.

It is derived from the table itself, so that a table in its place has what the constraints look up.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from uac.schema.constraints import Knowledge
from uac.schema.types import Json

__all__ = ["ORIGIN", "ColumnShape", "Section", "ValueKind", "is_plain_section", "name_in_form", "table_sections"]

ORIGIN = {
    "regions": "in",
    "source": "src",
    "reviewed_on": "reviewed_on",
    "reviewer": "reviewer",
    "expires": "expires",
}
"""The columns that say where a row comes from, and their names in the row."""

ValueKind: TypeAlias = Literal["text", "number", "yes or no", "list", "lists", "object"]

SectionKind: TypeAlias = Literal["rows", "named rows", "named values", "names", "value"]

NameForm: TypeAlias = Literal["as written", "lower case", "words"]
"""How the constraints look names up: as they are, in lower case, or as words in lower case with one space between."""


@dataclass(frozen=True, slots=True)
class ColumnShape:
    """The values of one column: their kinds, and whether every row has one."""

    kinds: frozenset[ValueKind]
    is_required: bool = True
    choices: tuple[str, ...] = ()
    """The only texts that the column takes; empty if it takes any."""
    is_lower: bool = False
    """Whether all names in it are in lower case, as the constraints compare them."""
    has_numbers: bool = False
    """Whether its lists hold numbers."""
    may_be_empty: bool = False
    """Whether some rows have an empty text, list or object in it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a table: rows in order, rows by name, values by name, names, or one value."""

    name: str
    """Empty if the table has only this part."""
    kind: SectionKind
    columns: Mapping[str, ColumnShape]
    names: NameForm = "as written"

    @property
    def name_column(self) -> str:
        """The column with the names of its rows; empty if they have none."""
        if self.kind in ("rows", "value"):
            return ""
        return "key" if "name" in self.columns else "name"


def table_sections(table: Knowledge) -> tuple[Section, ...]:
    """The sections of the table, in its order."""
    match table.table:
        case dict() as parts if not _is_mapping_of_rows(parts):
            return tuple(_section_of(name, part) for name, part in parts.items())
        case whole:
            return (_section_of("", whole),)


def is_plain_section(section: Section) -> bool:
    """Whether its entries are plain values, which have no place for an id and a source."""
    return section.kind not in ("rows", "named rows")


def _is_mapping_of_rows(parts: Mapping[str, Json]) -> bool:
    return bool(parts) and all(isinstance(each, dict) and "id" in each for each in parts.values())


def _section_of(name: str, part: Json) -> Section:
    match part:
        case list() if part and all(isinstance(each, dict) for each in part):
            return Section(name, "rows", _columns_of(part))
        case list():
            return Section(name, "names", {}, _form_of_names([str(each) for each in part]))
        case dict() if part and all(isinstance(each, dict) for each in part.values()):
            return Section(name, "named rows", _columns_of(part.values()), _form_of_names(part))
        case dict():
            values = {"value": _column_of(tuple(part.values()), len(part))}
            return Section(name, "named values", values, _form_of_names(part))
        case _:
            return Section(name, "value", {"value": _column_of((part,), 1)})


def _columns_of(rows: Iterable[Mapping[str, Json]]) -> dict[str, ColumnShape]:
    found: dict[str, list[Json]] = {}
    count = 0
    for row in rows:
        count += 1
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    named = {*ORIGIN.values(), "id"}
    return {name: _column_of(tuple(values), count) for name, values in found.items() if name not in named}


SEVERITIES = ("critical", "warning", "info")


def _column_of(values: tuple[Json, ...], rows: int) -> ColumnShape:
    kinds = frozenset(kind for value in values if (kind := _kind_of(value)))
    texts = [value for value in values if isinstance(value, str)]
    listed = [str(each) for each in _items(values)]
    is_severity = bool(texts) and kinds == {"text"} and {*texts} <= {*SEVERITIES}
    return ColumnShape(
        kinds=kinds or frozenset({"text"}),
        is_required=len(values) == rows and None not in values,
        choices=SEVERITIES if is_severity else (),
        is_lower=bool(listed) and _form_of_names(listed) != "as written",
        has_numbers=bool(listed) and not any(isinstance(each, str) for each in _items(values)),
        may_be_empty="" in texts or [] in values or {} in values,
    )


def _items(values: Iterable[Json]) -> list[Json]:
    return [each for value in values if isinstance(value, list) for each in value if not isinstance(each, list)]


def _kind_of(value: Json) -> ValueKind | None:
    match value:
        case bool():
            return "yes or no"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "lists" if any(isinstance(each, list) for each in value) else "list"
        case dict():
            return "object"
        case _:
            return None


def name_in_form(name: str, form: NameForm) -> str:
    """The name as the constraints look it up."""
    if form == "words":
        return " ".join(re.findall(r"\w+", name.lower()))
    return name.lower() if form == "lower case" else name


def _form_of_names(names: Iterable[str]) -> NameForm:
    given = tuple(names)
    forms: tuple[NameForm, ...] = ("words", "lower case")
    return next((form for form in forms if all(name_in_form(name, form) == name for name in given)), "as written")
