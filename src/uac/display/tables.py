"""Tables of the library's results: records, results of compute, alerts, entries, coverage, conflicts, hits.

A table has all rows. Its output is limited, and states how many rows are left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import inf, isfinite
from typing import Any, TypeAlias

from uac.display.html import Markup, element, fragment
from uac.errors import Refused
from uac.log.log import Stored
from uac.project.alerts import Alert
from uac.project.project import Coverage, Project, Record
from uac.recall.hits import Found, Hit
from uac.sandbox.compute import Result, computed_text
from uac.sandbox.port import Instance
from uac.schema.entry_text import entry_author, entry_text
from uac.schema.safe_text import mark_line_breaks, visible
from uac.schema.values import Money, dump_value

__all__ = [
    "Cell",
    "Table",
    "alert_table",
    "cell_text",
    "conflict_table",
    "coverage_table",
    "entry_table",
    "hit_table",
    "number_of",
    "record_table",
    "table",
    "text_of",
]

MOST_COLUMNS = 200
"""Items with more distinct fields become one column of text: filling up different rows would make a vast table."""

Cell: TypeAlias = bool | int | float | str | Decimal | Money | date | datetime | time | timedelta | None
"""The value of one cell. Lists and objects inside a value become text."""

ON_PAGE = 200  # rows shown in HTML
ON_TERMINAL = 20  # rows shown in text
WIDEST = 40  # characters of a text cell
LONGEST = 10_000  # bits; larger numbers are not written out in digits


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Rows of plain cells. A notebook shows it as HTML, a terminal as text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    brief: bool = False
    """Whether the output counts empty columns instead of showing them. The table still has them."""

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> tuple[Cell, ...]:
        """The cells of one column."""
        if name not in self.columns:
            raise Refused(f"The table has no column {name!r}. Use one of {', '.join(self.columns) or 'none'}.")
        place = self.columns.index(name)
        return tuple(row[place] for row in self.rows)

    def filled(self) -> "Table":
        """The table without empty columns."""
        filled = [place for place in range(len(self.columns)) if any(row[place] not in (None, "") for row in self.rows)]
        rows = tuple(tuple(row[place] for place in filled) for row in self.rows)
        return Table(tuple(self.columns[place] for place in filled), rows, self.title)

    def html(self, *, most: int = ON_PAGE) -> str:
        """As HTML with classes only, with at most `most` rows."""
        output = self._for_output()
        heads = [element("th", column, scope="col") for column in output.columns]
        body = [element("tr", *(_table_cell_html(cell) for cell in row)) for row in output.rows[:most]]
        caption = [element("caption", self.title)] if self.title else []
        whole = element(
            "table", *caption, element("thead", element("tr", *heads)), element("tbody", *body), class_="uac-table"
        )
        note = self._row_count_note(most)
        return fragment(whole, *([element("p", note, class_="uac-note")] if note else [])).text

    def text(self, *, most: int = ON_TERMINAL) -> str:
        """As plain text in columns, with at most `most` rows; long cells are cut."""
        output = self._for_output()
        cells = [[cell_text(cell) for cell in row] for row in output.rows[:most]]
        numeric = [_is_numeric_column(row[place] for row in output.rows) for place in range(len(output.columns))]
        columns = [
            _align_table_column([name, *(row[n] for row in cells)], numeric[n]) for n, name in enumerate(output.columns)
        ]
        lines = ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
        return "\n".join(filter(None, [visible(self.title), *lines, self._row_count_note(most)]))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()

    def _for_output(self) -> "Table":
        return self.filled() if self.brief and self.rows else self

    def _row_count_note(self, most: int) -> str:
        if not self.rows:
            return "no rows"
        empty = len(self.columns) - len(self._for_output().columns)
        left = f"{empty} empty column{'s are' if empty > 1 else ' is'} not shown" if empty else ""
        return "; ".join(filter(None, [f"{most:,} of {len(self):,} rows are shown" if len(self) > most else "", left]))


def table(value: object, *, title: str = "") -> Table:
    """A table of any result of the library; a value of compute becomes rows according to its structure.

    A list gives a row for each item, with the fields of objects and dicts as columns; a dict gives a row for each key.
    """
    match value:
        case Table():
            return value
        case Result():
            return table(value.value, title=title)
        case Found():
            return hit_table(value, title=title or "Recall")
        case Record():
            rows = ((name, _to_cell(item)) for name, item in value.values.items())
            return Table(("field", "value"), tuple(rows), title or value.id)
        case Mapping():
            return _table_of_mapping(value, title)
        case Instance():
            return _table_of_value(value, title) if _money_cell(value) else _table_of_mapping(value.fields, title)
        case set() | frozenset():
            return _table_of_items(sorted(value, key=_table_item_order), title)
        case str() | bytes():
            return _table_of_value(value, title)
        case Iterable():
            return _table_of_items(list(value), title)
        case _:
            return _table_of_value(value, title)


def record_table(project: Project, type_name: str, *, former: bool = False, brief: bool = False) -> Table:
    """The current records of a type (travel.Trip or travel.trips) with their ids, a column for each field.

    With `former`, or for travel.former_trips: those that have ended, with when and why.

    With `brief`, the output counts fields that no record has instead of showing them.
    """
    type_ = project.types.get(project.owners().get(type_name, type_name))
    if type_ is None:
        known = ", ".join(sorted(project.types)) or "no type yet"
        raise Refused(f"No type {type_name!r}. Use one of: {known}.")
    former = former or type_name == f"{type_.domain}.{type_.former}"
    records = [record for record in project.records(type_.full_name) if (record.ended is not None) == former]
    names = [part.name for part in type_.fields]
    rows = [
        (
            record.id,
            *(_to_cell(record.values.get(name)) for name in names),
            *((record.ended.when, record.ended.why) if record.ended else ()),
        )
        for record in records
    ]
    ended = ("ended", "why") if former else ()
    title = f"{type_.domain}.{type_.former if former else type_.name}"
    return Table(("id", *names, *ended), tuple(rows), title, brief)


def alert_table(alerts: Iterable[Alert]) -> Table:
    columns = ("severity", "constraint", "subject", "message", "since", "state")
    rows = ((one.severity, one.constraint, one.subject, one.text, one.since, one.state) for one in alerts)
    return Table(columns, tuple(rows), "Alerts")


def entry_table(entries: Iterable[Stored]) -> Table:
    """Entries of a log, with their content."""
    rows = (
        (stored.position, stored.at, stored.kind, entry_author(stored.entry), entry_text(stored.entry))
        for stored in entries
    )
    return Table(("position", "at", "kind", "by", "text"), tuple(rows), "Log")


def coverage_table(project: Project) -> Table:
    """By domain: the number of records, and of facts in records or set aside."""
    counts = {
        domain: sum(project.count(type_.full_name) for type_ in project.types_of(domain)) for domain in project.domains
    }
    rows = []
    for domain in sorted({*counts, *project.coverage}):
        covered = project.coverage.get(domain, Coverage(0, 0))
        rows.append((domain, counts.get(domain, 0), covered.structured, covered.aside))
    return Table(("domain", "records", "structured", "aside"), tuple(rows), "Coverage")


def conflict_table(project: Project) -> Table:
    """Each claim of each field whose claims disagree."""
    rows = (
        (conflict.record, conflict.field, _to_cell(claim.value), claim.attribution, claim.said, claim.position)
        for conflict in project.conflicts
        for claim in conflict.claims
    )
    return Table(("record", "field", "value", "authority", "said", "position"), tuple(rows), "Conflicts")


def hit_table(found: Found | Iterable[Hit], *, title: str = "Recall") -> Table:
    rows = (
        (hit.kind, hit.record or hit.position, hit.said, hit.speaker or hit.role or "", hit.text, round(hit.score, 3))
        for hit in found
    )
    return Table(("kind", "source", "said", "speaker", "text", "score"), tuple(rows), title)


def text_of(value: object) -> str:
    """Any value as the text of one cell."""
    return cell_text(_to_cell(value))


def number_of(cell: Cell) -> float | None:
    """The number in a cell, for money the amount; None if there is no finite number."""
    if isinstance(cell, Money):
        cell = cell.amount
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal):
        return None
    try:
        number = float(cell)
    except (OverflowError, ValueError):  # too large for a float, or a signalling NaN
        return None
    return number if isfinite(number) else None


def cell_text(cell: Cell) -> str:
    """A cell for people: "" for None, numbers without an exponent, times to the minute."""
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case int() if cell.bit_length() > LONGEST:  # Python refuses to convert a number with many thousand digits
            return hex(cell)
        case datetime():
            return cell.isoformat(sep=" ", timespec="minutes")
        case Decimal():
            return str(dump_value(cell))
        case _:
            return str(cell)


def _table_of_mapping(value: Mapping[Any, object], title: str) -> Table:
    """A row for each key; dicts and objects are spread over columns."""
    inner = [_item_fields(item) for item in value.values()]
    if value and all(fields is not None for fields in inner):
        columns = _union_of_columns(fields or {} for fields in inner)
        rows = [
            (_to_cell(key), *(_to_cell((fields or {}).get(column)) for column in columns))
            for key, fields in zip(value, inner, strict=True)
        ]
        return Table(("name", *columns), tuple(rows), title)
    return Table(("name", "value"), tuple((_to_cell(key), _to_cell(item)) for key, item in value.items()), title)


def _table_of_items(items: Sequence[object], title: str) -> Table:
    if items and all(isinstance(item, Alert) for item in items):
        return alert_table(item for item in items if isinstance(item, Alert))
    if items and all(isinstance(item, Stored) for item in items):
        return entry_table(item for item in items if isinstance(item, Stored))
    if items and all(isinstance(item, Hit) for item in items):
        return hit_table([item for item in items if isinstance(item, Hit)])
    fields = [_item_fields(item) for item in items]
    if items and all(each is not None for each in fields):
        columns = _union_of_columns(each or {} for each in fields)
        if len(columns) <= MOST_COLUMNS:
            return Table(
                columns, tuple(tuple(_to_cell((each or {}).get(c)) for c in columns) for each in fields), title
            )
    widest = max((len(item) if isinstance(item, list | tuple) else MOST_COLUMNS + 1 for item in items), default=0)
    if items and widest <= MOST_COLUMNS:
        rows = [tuple(map(_to_cell, item)) for item in items if isinstance(item, list | tuple)]
        padded = tuple((*row, *[None] * (widest - len(row))) for row in rows)
        return Table(tuple(str(place + 1) for place in range(widest)), padded, title)
    return Table(("value",), tuple((_to_cell(item),) for item in items), title)


def _table_of_value(value: object, title: str) -> Table:
    return Table(("value",), ((_to_cell(value),),), title)


def _item_fields(item: object) -> Mapping[str, object] | None:
    """The fields of a dict, an object from the sandbox, a record, a dataclass or a named tuple."""
    match item:
        case Money():
            return None
        case Instance():
            return None if _money_cell(item) else item.fields
        case Record():
            return {"id": item.id, **item.values}
        case Mapping():
            return {cell_text(_to_cell(key)): value for key, value in item.items()}
        case _:
            kind = type(item)
            names = getattr(kind, "__struct_fields__", None) or getattr(kind, "_fields", None)
            names = names or getattr(kind, "__dataclass_fields__", None)
            return {name: getattr(item, name) for name in names} if names else None


def _union_of_columns(fields: Iterable[Mapping[str, object]]) -> tuple[str, ...]:
    """All names, in order of first appearance."""
    return tuple(dict.fromkeys(name for row in fields for name in row))


def _to_cell(value: object) -> Cell:
    match value:
        case None | bool() | int() | float() | str() | Decimal() | Money() | date() | time() | timedelta():
            return value
        case list() | tuple() | set() | frozenset():
            items = sorted(value, key=_table_item_order) if isinstance(value, set | frozenset) else value
            return ", ".join(map(text_of, items))
        case Mapping():
            return ", ".join(f"{text_of(key)}: {text_of(item)}" for key, item in value.items())
        case Instance():
            return _money_cell(value) or computed_text(value)
        case _:
            return str(value)


def _money_cell(value: Instance) -> Money | None:
    """The money that an object from the sandbox represents; its code may call anything Money."""
    match value:
        case Instance("Money", {"amount": Decimal() as amount, "currency": str() as currency, **rest}) if not rest:
            return Money(amount, currency)
    return None


def _table_item_order(item: object) -> tuple[float, str]:
    """Sort key for the items of a set: numbers by size, then the others by text."""
    number = number_of(_to_cell(item))
    return inf if number is None else number, text_of(item)


def _table_cell_html(cell: Cell) -> Markup:
    return element("td", cell_text(cell), **({"class_": "uac-number"} if _is_number(cell) else {}))


def _is_numeric_column(column: Iterable[Cell]) -> bool:
    cells = [cell for cell in column if cell is not None]
    return bool(cells) and all(map(_is_number, cells))


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float | Decimal | Money) and not isinstance(cell, bool)


def _align_table_column(texts: Sequence[str], is_numeric: bool) -> list[str]:
    """A column for a terminal: its name, a rule, and its cells, all of one width."""
    lines = [_cut_table_cell(text) for text in texts]
    width = max(map(_table_cell_width, lines))
    spaces = [" " * (width - _table_cell_width(line)) for line in lines]
    head, *cells = [
        f"{space}{line}" if is_numeric and place else f"{line}{space}"
        for place, (line, space) in enumerate(zip(lines, spaces, strict=True))
    ]
    return [head, "─" * width, *cells]


def _cut_table_cell(text: str) -> str:
    """The text on one line, cut if it is too wide."""
    from rich.cells import set_cell_size

    line = visible(mark_line_breaks(text).replace("\t", " "))
    return line if _table_cell_width(line) <= WIDEST else f"{set_cell_size(line, WIDEST - 1).rstrip()}…"


def _table_cell_width(text: str) -> int:
    """The number of terminal columns the text takes."""
    from rich.cells import cell_len

    return cell_len(text)
