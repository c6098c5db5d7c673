"""What earlier files with the same columns teach about the next one: fields, day or month first, signs, currency."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from hashlib import sha256

from uac.importing.value_formats import NUMBERS, ReadingOptions, Style, value_form
from uac.memory.memory import Memory
from uac.schema.entries import Observation
from uac.schema.types import Type
from uac.schema.values import Money, Typed

__all__ = ["EarlierLines", "columns_digest", "columns_session", "learn_from_earlier_lines"]

ENOUGH = 50  # lines that are compared
CHUNK = 500  # records whose lines are read at once


@dataclass(frozen=True, slots=True)
class EarlierLines:
    """How the lines of earlier files with these columns became records."""

    file: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    styles: Mapping[str, Style] = field(default_factory=dict)
    """Of columns with days: how they are written, where that is certain."""
    currency: str = ""
    """The currency of all amounts."""
    is_signed: bool = False
    """Whether a sign has told the direction."""


def columns_digest(columns: Sequence[str]) -> str:
    """A short name for a file's columns: files with the same ones come from the same source."""
    return sha256("\0".join(columns).encode()).hexdigest()[:8]


def columns_session(digest: str) -> str:
    """The session of a file's lines: those of the same source belong together."""
    return f"columns {digest}"


def learn_from_earlier_lines(memory: Memory, type_: Type, columns: Sequence[str], delimiter: str) -> EarlierLines:
    """Compare earlier lines of files with the same columns with their records."""
    pairs: list[tuple[list[str], Mapping[str, Typed]]] = []
    file = ""
    for line, values in _earlier_lines(memory, type_, columns_digest(columns)):
        cells = next(csv.reader([line.text], delimiter=delimiter), [])
        if len(cells) == len(columns):
            file = file or line.source.removeprefix("import:")
            pairs.append((cells, values))
        if len(pairs) == ENOUGH:
            break
    if not pairs:
        return EarlierLines()
    fields: dict[str, str] = {}
    styles: dict[str, Style] = {}
    for index, column in enumerate(columns):
        samples = [(cells[index].strip(), values) for cells, values in pairs]
        for part in type_.fields:
            if all(_is_value_of(text, values.get(part.name)) for text, values in samples) and any(
                text for text, _values in samples
            ):
                fields[column] = part.name
                styles |= {column: style} if (style := _day_style(samples, part.name)) else {}
                break
    amounts = [value for _cells, values in pairs if isinstance(value := values.get("amount"), Money)]
    currencies = {amount.currency for amount in amounts}
    signed = any(values.get("direction") == "in" for _cells, values in pairs)
    return EarlierLines(file, fields, styles, currencies.pop() if len(currencies) == 1 else "", signed)


def _earlier_lines(memory: Memory, type_: Type, digest: str) -> Iterator[tuple[Observation, Mapping[str, Typed]]]:
    """Lines with that digest and the values of their records, the newest first."""
    records = memory.project().records(type_.full_name)[::-1]
    for start in range(0, len(records), CHUNK):
        values = {min(record.cites): record.values for record in records[start : start + CHUNK] if record.cites}
        for stored in sorted(memory.log.read_at(set(values)), key=lambda stored: -stored.position):
            entry = stored.entry
            if isinstance(entry, Observation) and entry.session == columns_session(digest):
                yield entry, values[stored.position]


def _is_value_of(text: str, value: Typed) -> bool:
    """Whether a cell can have given the value; of an amount, the sign does not count."""
    match value:
        case None:
            return not text
        case str():
            return text == value
        case date():
            return any(_reads_as(text, style, value) for style in _DAY_STYLES)
        case Money():
            plain = text.strip("+-−() ")
            return any(_amount_of(plain, style) == abs(value.amount) for style in NUMBERS)
        case _:
            return text == str(value)


def _day_style(samples: Sequence[tuple[str, Mapping[str, Typed]]], name: str) -> Style | None:
    """The only way of writing days in which every text is the record's day; None if several are, or it is no day."""
    days = [(text, value) for text, values in samples if text and isinstance(value := values.get(name), date)]
    fitting = [style for style in _DAY_STYLES if days and all(_reads_as(text, style, day) for text, day in days)]
    return fitting[0] if len(fitting) == 1 else None


def _reads_as(text: str, style: Style, day: date) -> bool:
    try:
        return bool(value_form("date", style, ReadingOptions()).read(text) == day.isoformat())
    except ValueError:
        return False


def _amount_of(text: str, style: Style) -> object:
    try:
        read = value_form("Decimal", style, ReadingOptions()).read(text)
    except ValueError:
        return None
    return abs(Decimal(read))


_DAY_STYLES: tuple[Style, ...] = ("ymd", "dmy", "mdy")
