"""Files as lines: decoded, numbered, never longer than an entry can be, and readable more than once."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Literal, NamedTuple, Protocol, TypeAlias

from uac.errors import Refused
from uac.schema.entries import MAX_BYTES
from uac.schema.types import Json

__all__ = [
    "TOO_LONG",
    "BadLine",
    "ByteSource",
    "Item",
    "NotUtf8",
    "Progress",
    "RawLine",
    "RecordFile",
    "SentFile",
    "Skipped",
    "SourceLine",
    "Template",
    "check_file_start",
    "decode_line",
    "not_utf8_error",
    "read_raw_lines",
    "read_text_lines",
]

Progress: TypeAlias = Callable[[int], None]
"""Called with the number of bytes just read."""

TOO_LONG = f"is longer than {MAX_BYTES // 1024**2} MiB. Split it."


class ByteSource(Protocol):
    """A named source that can be read from its start, more than once: a `Path`, or text that was sent."""

    @property
    def name(self) -> str: ...
    def open(self, mode: Literal["rb"], /) -> BinaryIO: ...


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that a client sent. It is never on disk, so a crash leaves no copy of its text behind."""

    name: str
    content: bytes

    def __str__(self) -> str:
        return self.name

    def open(self, _mode: Literal["rb"], /) -> BinaryIO:
        return BytesIO(self.content)


class SourceLine(NamedTuple):
    """One line verbatim, and its values by column name."""

    number: int
    text: str
    cells: Mapping[str, Json]
    left: tuple[str, ...] = ()
    """Parts of it that do not go into any field, such as 'photo'."""


class BadLine(NamedTuple):
    """A line that gives no record, with the reason."""

    number: int
    why: str


class Skipped(NamedTuple):
    """Something left out that is not an error, such as a blank line."""

    number: int
    what: str


Item: TypeAlias = SourceLine | BadLine | Skipped


class Template(NamedTuple):
    """The fixed type of a format whose types need not be inferred."""

    name: str
    doc: str
    key: tuple[str, ...]
    types: Mapping[str, str]
    """Field types by column, in order."""
    unions: frozenset[str] = frozenset()
    """Columns whose field collects the values of several lines."""


class RecordFile(Protocol):
    """A file that contains records."""

    @property
    def path(self) -> ByteSource: ...
    @property
    def noun(self) -> str:
        """The name of its units in messages: line or item."""

    @property
    def is_text(self) -> bool:
        """Whether numbers and booleans are written as text, as in CSV."""

    @property
    def template(self) -> Template | None: ...
    def read(self, progress: Progress) -> Iterator[Item]:
        """All lines in order. Raises Refused if the file as a whole cannot be read."""


class RawLine(NamedTuple):
    """A physical line with its line end; `data` is None if it is too long to store."""

    number: int
    offset: int
    data: bytes | None


def read_raw_lines(path: ByteSource, progress: Progress) -> Iterator[RawLine]:
    """The physical lines of a file, without a UTF-8 byte order mark."""
    offset = number = 0
    try:
        with path.open("rb") as stream:
            while data := stream.readline(MAX_BYTES):
                number += 1
                start, size, rest = offset, len(data), data
                while len(rest) == MAX_BYTES and not rest.endswith(b"\n"):
                    rest = stream.readline(MAX_BYTES)
                    size += len(rest)
                is_whole = rest is data
                offset += size
                progress(size)
                if number == 1:
                    check_file_start(path, data)
                    if data.startswith(b"\xef\xbb\xbf"):
                        start, data = 3, data[3:]
                yield RawLine(number, start, data if is_whole else None)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}. Check its path and permissions.") from None


def read_text_lines(path: ByteSource, progress: Progress) -> Iterator[tuple[int, str | None]]:
    """The physical lines as text, numbered from 1; None for a line that is too long."""
    for number, offset, data in read_raw_lines(path, progress):
        yield number, None if data is None else decode_line(data, path, offset, number)


def decode_line(data: bytes, path: ByteSource, offset: int, number: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise not_utf8_error(path, offset + error.start, number, data[error.start]) from None


class NotUtf8(Refused):
    """A file that is not UTF-8, and the encoding that it probably has."""

    def __init__(self, message: str, encoding: str = "cp1252") -> None:
        super().__init__(message)
        self.encoding = encoding


def not_utf8_error(path: ByteSource, place: int, number: int, byte: int) -> NotUtf8:
    return NotUtf8(
        f"{path.name}: byte {place} (line {number}) is 0x{byte:02x}, which is not UTF-8. "
        "Save the file as UTF-8 and try again."
    )


def check_file_start(path: ByteSource, data: bytes) -> None:
    """Raises Refused for a file whose first bytes belong to another format."""
    for mark, name in ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"), (b"PK\x03\x04", "a zip archive")):
        if data.startswith(mark):
            remedy = "Unpack it first" if "zip" in name else "Save it as UTF-8"
            why = f"{path.name}: byte 0 is 0x{data[0]:02x}: the file is {name}. {remedy} and try again."
            raise NotUtf8(why, "utf-16") if name == "UTF-16" else Refused(why)
