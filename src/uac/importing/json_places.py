"""The items of JSON that other programs exported, with the place of the list that each is in."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from uac.importing.files import TOO_LONG, BadLine, ByteSource, Progress, Skipped, read_text_lines
from uac.importing.json_files import decode_json_line, duplicate_name, read_members

__all__ = ["PlacedItem", "exported_list", "exported_name", "exported_text", "is_json_lines", "read_placed_items"]


class PlacedItem(NamedTuple):
    """An item, its number among all items of the file (or its line), and where it is, such as `results[]`."""

    number: int
    place: str
    value: Any


def is_json_lines(path: ByteSource) -> bool:
    return path.name.lower().endswith((".jsonl", ".ndjson"))


def read_placed_items(
    path: ByteSource, progress: Progress, is_opened: Callable[[str], bool]
) -> Iterator[PlacedItem | BadLine | Skipped]:
    """The items of all opened lists, and the other members with the number 0; in JSON Lines, each line is an item."""
    if is_json_lines(path):
        yield from _read_line_items(path, progress)
        return
    number = 0
    for place, value in read_members(path, progress, is_opened):
        if place.endswith("[]"):
            number += 1
            yield _placed_item(number, place, value)
        else:
            yield PlacedItem(0, place, value)


def _read_line_items(path: ByteSource, progress: Progress) -> Iterator[PlacedItem | BadLine | Skipped]:
    for number, text in read_text_lines(path, progress):
        if text is None:
            yield BadLine(number, TOO_LONG)
        elif text.isspace():
            yield Skipped(number, "blank line")
        else:
            try:
                yield _placed_item(number, "[]", decode_json_line(text))
            except ValueError as error:
                yield BadLine(number, str(error))


def _placed_item(number: int, place: str, value: Any) -> PlacedItem | BadLine:
    if name := duplicate_name(value):
        return BadLine(number, f"{name!r} occurs twice in one object. Remove one.")
    return PlacedItem(number, place, value)


def exported_name(item: dict[str, Any], *names: str) -> str:
    """The first of the members that is a name: a text that is not empty, or a number."""
    values = (item.get(name) for name in names)
    return next((str(value) for value in values if (isinstance(value, str) and value) or type(value) is int), "")


def exported_text(item: dict[str, Any], *names: str) -> str:
    """The first of the members that is a text and is not empty."""
    return next((value for name in names if isinstance(value := item.get(name), str) and value), "")


def exported_list(item: dict[str, Any], name: str) -> list[Any]:
    value = item.get(name)
    return value if isinstance(value, list) else []
