"""Changes one table of a TOML file and keeps everything else, with comments and order."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from uac.errors import Refused

__all__ = ["read_toml", "remove_toml_table", "set_toml_table"]


def read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"it is not valid TOML: {error}") from None


def set_toml_table(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with the table at `path` set: in its place if there is one, else at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join(_table_lines(path, value))
    span = _table_span(text, path)
    if span is not None:
        return text[: span[0]] + block + newline + text[span[1] :]
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + block + newline


def remove_toml_table(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path` and those in it; unchanged if there is none."""
    span = _table_span(text, path)
    if span is None:
        return text
    before, after = text[: span[0]], text[span[1] :]
    blank = re.search(r"(?:\r?\n)[ \t]*\r?\n$", before)
    if blank:  # the empty line above it goes with it
        before = before[: blank.start()] + ("\r\n" if "\r\n" in text else "\n")
    return before + after


def _table_lines(path: Sequence[str], value: Mapping[str, Any]) -> list[str]:
    name = ".".join(map(_key, path))
    lines = [f"[{name}]"]
    inner: list[str] = []
    for key, each in value.items():
        if isinstance(each, Mapping):
            inner += ["", *_table_lines([*path, key], each)]
        else:
            lines.append(f"{_key(key)} = {_toml_value(each)}")
    return [*lines, *inner]


def _toml_value(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # else the escapes of both are the same
    assert isinstance(value, list | tuple)
    return f"[{', '.join(map(_toml_value, value))}]"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _table_span(text: str, path: Sequence[str]) -> tuple[int, int] | None:
    """Where the table and the tables in it stand: from the first header to the end of the last value."""
    start = end = -1
    is_inside = False
    position = 0
    for line in text.splitlines(keepends=True):
        header = _header_path(line)
        if header is not None:
            is_inside = header[: len(path)] == list(path)
            if is_inside and start < 0:
                start = position
        position += len(line)
        if is_inside and line.strip() and not line.lstrip().startswith("#"):
            end = position
    return None if start < 0 else (start, end)


def _header_path(line: str) -> list[str] | None:
    """The names in the header of a table; None if the line is not one."""
    if not line.lstrip().startswith("["):
        return None
    try:
        node: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    path: list[str] = []
    while isinstance(node, dict) and len(node) == 1:
        ((name, node),) = node.items()
        path.append(name)
    return path
