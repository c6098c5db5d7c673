"""CSV as lines: the delimiter is detected, and the text of every record is kept verbatim, quotes included."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from uac.errors import Refused
from uac.importing.files import (
    TOO_LONG,
    BadLine,
    ByteSource,
    Item,
    Progress,
    Skipped,
    SourceLine,
    Template,
    read_text_lines,
)
from uac.schema.entries import MAX_BYTES

__all__ = ["CsvRows"]

DELIMITERS = (",", ";", "\t", "|")
SAMPLE = 100  # physical lines used to detect the delimiter

# The limit is per process, and its default is too small for a long letter in one cell. Lines are limited anyway.
csv.field_size_limit(MAX_BYTES)


@dataclass(frozen=True, slots=True)
class CsvRows:
    """A CSV file whose first line names the columns. The delimiter is detected unless it is given."""

    path: ByteSource
    delimiter: str = ""
    noun: str = "line"
    is_text: bool = True
    template: Template | None = None

    def used_delimiter(self) -> str:
        return self.delimiter or find_delimiter(self.path)

    def read(self, progress: Progress) -> Iterator[Item]:
        feed = _CsvLineFeed(read_text_lines(self.path, progress))
        reader = csv.reader(feed, delimiter=self.used_delimiter(), strict=True)
        columns: list[str] = []
        while True:
            feed.begin_record()
            try:
                cells = next(reader)
            except StopIteration:
                break
            except (csv.Error, _RecordTooLongError) as error:
                why = str(error) if isinstance(error, _RecordTooLongError) else _csv_problem(error, feed)
                if not columns:
                    raise Refused(
                        f"{self.path.name}: line {feed.first} {why} The first line must name the columns."
                    ) from None
                yield BadLine(feed.first, why)
                continue
            text = feed.text
            if not any(cells) or text.isspace():
                yield Skipped(feed.first, "blank line")
            elif "\0" in text:
                if not columns:
                    raise Refused(f"{self.path.name}: line {feed.first} has a NUL character. Save the file as text.")
                yield BadLine(feed.first, "has a NUL character. Remove it.")
            elif not columns:
                columns = _checked_csv_header(cells, self.path)
            elif len(cells) != len(columns):
                yield BadLine(feed.first, f"has {len(cells)} cells. Give it {len(columns)}, like the header.")
            else:
                yield SourceLine(feed.first, text, dict(zip(columns, cells, strict=True)))
        if not columns:
            raise Refused(f"{self.path.name} is empty. Add a header and lines.")


class _RecordTooLongError(Exception):
    """A record exceeded the size limit."""


class _CsvLineFeed:
    """Physical lines for csv.reader; remembers those of the current record."""

    def __init__(self, lines: Iterator[tuple[int, str | None]]) -> None:
        self._lines = lines
        self._held: list[str] = []
        self._size = 0
        self.first = 0
        self.last = 0

    def begin_record(self) -> None:
        self._held.clear()
        self._size = 0

    @property
    def text(self) -> str:
        """The text of the record verbatim, without the line end."""
        return re.sub(r"\r?\n\Z", "", "".join(self._held))

    def __iter__(self) -> "_CsvLineFeed":
        return self

    def __next__(self) -> str:
        self.last, text = next(self._lines)
        if not self._held:
            self.first = self.last
        if text is None:
            raise _RecordTooLongError(TOO_LONG)
        self._held.append(text)
        self._size += len(text)
        if self._size > MAX_BYTES:
            raise _RecordTooLongError(f"{TOO_LONG} Perhaps a quote is never closed.")
        return text


def find_delimiter(path: ByteSource) -> str:
    """The delimiter that gives most lines as many cells as the header; a comma if none splits the header."""
    sample = [text for _number, text in islice(read_text_lines(path, lambda _size: None), SAMPLE) if text is not None]
    best, most = ",", (0, 0)
    for delimiter in DELIMITERS:
        try:
            counts = [len(cells) for cells in csv.reader(sample, delimiter=delimiter) if any(cells)]
        except csv.Error:
            continue
        if counts and counts[0] > 1 and (score := (counts.count(counts[0]), counts[0])) > most:
            best, most = delimiter, score
    return best


def _checked_csv_header(cells: list[str], path: ByteSource) -> list[str]:
    for index, name in enumerate(cells):
        if name and name in cells[:index]:
            raise Refused(
                f"{path.name}: columns {cells.index(name) + 1} and {index + 1} are both named {name!r}. "
                "Give each column its own name."
            )
        if re.fullmatch(r"\s*(-?\d+[.,]\d+|\d{4}-\d{2}-\d{2}.*|\d{1,2}[./]\d{1,2}[./]\d{4})\s*", name, re.ASCII):
            raise Refused(
                f"{path.name}: the first line has the value {name!r}. Make it a header that names the columns."
            )
    return [name or f"column {number}" for number, name in enumerate(cells, 1)]


def _csv_problem(error: csv.Error, feed: _CsvLineFeed) -> str:
    if "\r" in feed.text and "new-line" in str(error):
        return "has a bare carriage return outside quotes. End lines with LF or CRLF."
    if "end of data" in str(error):
        return f"opens a quote that is never closed, up to line {feed.last}. Close it."
    return f"is not CSV: {error}. Correct it."
