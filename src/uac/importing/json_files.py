"""JSON as lines: a list of objects, an object with one list, or one object per line. Lists are streamed."""

import codecs
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

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
    check_file_start,
    not_utf8_error,
    read_text_lines,
)
from uac.schema.types import Json

__all__ = ["JsonObjects", "decode_json_line", "duplicate_name", "read_items", "read_members"]

CHUNK = 1 << 16
LONGEST_TOKEN = 16  # -Infinity, or an escaped surrogate pair
MAX_DIGITS = 4000  # below Python's limit for converting digits
MAX_ITEM = 1 << 26  # one conversation of an export can be long; an item that becomes a record has a lower limit


@dataclass(frozen=True, slots=True)
class JsonObjects:
    """A JSON file, or one with one object per line. Nested objects become columns such as `address.city`."""

    path: ByteSource
    is_lines: bool = False
    noun: str = "item"
    is_text: bool = False
    template: Template | None = None

    def read(self, progress: Progress) -> Iterator[Item]:
        if self.is_lines:
            yield from _read_jsonl(self.path, progress)
            return
        number = 0
        for item in read_items(self.path, progress):
            if isinstance(item, Skipped):
                yield item
            else:
                number += 1
                yield _json_line(number, item, None)


def _read_jsonl(path: ByteSource, progress: Progress) -> Iterator[Item]:
    is_empty = True
    for number, text in read_text_lines(path, progress):
        is_empty = False
        if text is None:
            yield BadLine(number, TOO_LONG)
        elif text.isspace():
            yield Skipped(number, "blank line")
        else:
            try:
                value = decode_json_line(text)
            except ValueError as error:
                yield BadLine(number, str(error))
            else:
                yield _json_line(number, value, re.sub(r"\r?\n\Z", "", text))
    if is_empty:
        raise Refused(f"{path.name} is empty. Write one JSON object per line.")


def decode_json_line(text: str) -> Json:
    try:
        value: Json = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON: {_json_error_text(error)}. Correct it.") from None
    return value


def _json_line(number: int, value: Json, text: str | None) -> SourceLine | BadLine:
    if not isinstance(value, dict):
        return BadLine(number, f"is {_json_kind_text(value)}. Use an object.")
    try:
        parts = list(_flatten_object(value, ""))
        cells = dict(parts)
        if text is None or "\\u" in text:
            compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
            compact.encode()
            text = text or compact
    except UnicodeEncodeError:
        return BadLine(number, "has a lone surrogate, which UTF-8 cannot encode. Remove it.")
    except (ValueError, RecursionError) as error:
        return BadLine(number, _json_error_text(error))
    if len(cells) != len(parts):
        return BadLine(number, "has two names that are equal once inner objects are joined with a dot. Rename one.")
    return SourceLine(number, text, cells)


def _flatten_object(parent: Mapping[str, Json], prefix: str) -> Iterator[tuple[str, Json]]:
    if isinstance(parent, _DuplicateNames):
        raise ValueError(f"{parent.name!r} occurs twice in one object. Remove one.")  # noqa: TRY004 - a value, not a type, is wrong
    for name, value in parent.items():
        if isinstance(value, dict):
            yield from _flatten_object(value, f"{prefix}{name}.")
        else:
            for part in value if isinstance(value, list) else (value,):
                if isinstance(part, float) and part - part != 0:
                    raise ValueError(f"{prefix}{name} is not a finite number of a usable size. Use one below 10**15.")
            yield f"{prefix}{name}", value


def duplicate_name(value: object) -> str:
    """The name that an object has twice, if it has one."""
    return value.name if isinstance(value, _DuplicateNames) else ""


class _DuplicateNames(dict[str, Any]):
    """An object with a duplicate name; Python would silently use the last value."""

    name = ""


def _object_from_pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _value in pairs]
        members = _DuplicateNames(members)
        members.name = next(name for name in names if names.count(name) > 1)
    return members


def _parse_json_int(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else math.nan


# Only a syntax error stops the decoder: it must reach the end of an item to find the next.
_DECODER = json.JSONDecoder(object_pairs_hook=_object_from_pairs, parse_int=_parse_json_int)


def read_items(path: ByteSource, progress: Progress) -> Iterator[Json | Skipped]:
    """The items of the only list in a JSON file, in order; other members of an enclosing object are skipped."""
    with _open_json(path, progress) as scanner:
        match scanner.peek():
            case "[":
                yield from scanner.list_items()
            case "{":
                yield from _items_of_only_list(scanner, path)
            case _:
                raise scanner.syntax_refusal(
                    "does not start a list. Use a list of objects, or an object with one list."
                )
        scanner.expect_end("list")


def read_members(
    path: ByteSource, progress: Progress, is_opened: Callable[[str], bool]
) -> Iterator[tuple[str, Json | None]]:
    """The values of a JSON file with their places, such as `chats.list[]`, in order.

    Lists and objects at a place that is opened are streamed; an object announces itself as `chats.list[]{`.
    """
    with _open_json(path, progress) as scanner:
        yield from _walk_members(scanner, "", is_opened)
        scanner.expect_end("value")


def _walk_members(
    scanner: "_JsonScanner", place: str, is_opened: Callable[[str], bool]
) -> Iterator[tuple[str, Json | None]]:
    first = scanner.peek()
    if first not in ("{", "[") or not is_opened(place):
        yield place, scanner.next_value()
    elif first == "[":
        for _item in scanner.list_places():
            yield from _walk_members(scanner, f"{place}[]", is_opened)
    else:
        yield f"{place}{{", None
        for name in scanner.member_names():
            yield from _walk_members(scanner, f"{place}.{name}" if place else name, is_opened)


@contextmanager
def _open_json(path: ByteSource, progress: Progress) -> Iterator["_JsonScanner"]:
    try:
        stream = path.open("rb")
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}. Check its path and permissions.") from None
    with stream:
        scanner = _JsonScanner(path, stream, progress)
        if not scanner.peek():
            raise Refused(f"{path.name} is empty. Write a list of objects.")
        yield scanner


def _items_of_only_list(scanner: "_JsonScanner", path: ByteSource) -> Iterator[Json | Skipped]:
    lists: list[str] = []
    for name in scanner.member_names():
        if scanner.peek() == "[":
            lists.append(name)
            if len(lists) > 1:
                raise Refused(f"{path.name} has the lists {lists[0]!r} and {name!r}. Keep one.")
            yield from scanner.list_items()
        else:
            scanner.next_value()
            yield Skipped(1, f"value {name!r} beside the list")
    if not lists:
        raise Refused(f"{path.name} has no list. Use a list of objects, or an object with one list.")


class _JsonScanner:
    """Reads consecutive JSON values from a file that need not fit into memory."""

    def __init__(self, path: ByteSource, stream: BinaryIO, progress: Progress) -> None:
        self._path = path
        self._stream = stream
        self._progress = progress
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._lines = 1
        self._offset = 0
        self._is_over = False

    def list_items(self) -> Iterator[Json]:
        return (self.next_value() for _place in self.list_places())

    def list_places(self) -> Iterator[None]:
        """Stops before each item of a list, which the caller then reads."""
        self.expect("[")
        while self.peek() != "]":
            yield
            if self.peek() == ",":
                self.expect(",")
                if self.peek() == "]":
                    raise self.syntax_refusal("has a comma before ]. Remove it.")
            elif self.peek() != "]":
                raise self.syntax_refusal("has an item without a comma or ] after it. Add one.")
        self.expect("]")

    def member_names(self) -> Iterator[str]:
        """Stops before the value of each member of an object, which the caller then reads."""
        self.expect("{")
        while self.peek() != "}":
            name = self.next_value()
            if not isinstance(name, str):
                raise self.syntax_refusal(f"has {name!r} in place of a name. Write the name in quotes.")
            self.expect(":")
            yield name
            if self.peek() == ",":
                self.expect(",")
        self.expect("}")

    def expect_end(self, what: str) -> None:
        if self.peek():
            raise self.syntax_refusal(f"goes on after the end of the {what}. End the file there.")

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            assert space is not None
            self._at = space.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if self._is_over:
                return ""
            self._read_chunk()

    def expect(self, character: str) -> None:
        if self.peek() != character:
            raise self.syntax_refusal(f"has no {character!r} where one must be. Add it.")
        self._at += 1

    def next_value(self) -> Json:
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise self.syntax_refusal("is nested too deeply. Flatten it.") from None
            except ValueError as error:
                if self._is_over or _is_final_json_error(error, len(self._text)):
                    at = error.pos if isinstance(error, json.JSONDecodeError) else self._at
                    raise self.syntax_refusal(f"is not JSON: {_json_error_text(error)}. Correct it.", at=at) from None
            else:
                if end < len(self._text) - LONGEST_TOKEN or self._is_over:
                    self._at = end
                    return value
            # The buffer ends inside the value, or so close after it that a number may continue.
            self._read_chunk()

    def syntax_refusal(self, why: str, *, at: int | None = None) -> Refused:
        line = self._lines + self._text.count("\n", 0, self._at if at is None else at)
        return Refused(f"{self._path.name}: line {line} {why}")

    def _read_chunk(self) -> None:
        self._lines += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :], 0
        if len(self._text) > MAX_ITEM:
            raise self.syntax_refusal(
                f"begins a value of more than {MAX_ITEM >> 20} MiB, or one that is not JSON. Split the file."
            )
        # Doubled each time, so that a long value is not parsed over and over.
        data = self._stream.read(max(CHUNK, len(self._text)))
        self._is_over = not data
        if not self._offset:
            check_file_start(self._path, data)
        try:
            self._text += self._decoder.decode(data, final=self._is_over)
        except UnicodeDecodeError as error:
            place = self._offset + len(data) - len(error.object) + error.start
            line = self._lines + self._text.count("\n") + error.object[: error.start].count(b"\n")
            raise not_utf8_error(self._path, place, line, error.object[error.start]) from None
        self._offset += len(data)
        self._progress(len(data))


_SPACE = re.compile(r"[ \t\r\n]*")


def _is_final_json_error(error: ValueError, length: int) -> bool:
    """Whether more text could not fix the error: it is before the end, and is not an unterminated string."""
    return (
        isinstance(error, json.JSONDecodeError)
        and not error.msg.startswith("Unterminated")
        and error.pos < length - LONGEST_TOKEN
    )


def _json_kind_text(value: Json) -> str:
    match value:
        case None:
            return "null"
        case list():
            return "a list"
        case str():
            return "text"
        case bool():
            return "true or false"
        case _:
            return "a number"


def _json_error_text(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} (character {error.colno})"
    return str(error)
