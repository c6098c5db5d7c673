"""Changes one member of a JSON file and keeps everything else, with comments, commas and indentation (JSONC)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from uac.errors import Refused

__all__ = ["read_json", "remove_json_member", "set_json_member"]

DEEPEST = 100  # levels of nesting; a configuration has a handful
_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SAME_LINE = re.compile(r"(?:[ \t]|//[^\r\n]*|/\*[^\r\n]*?\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


def read_json(text: str) -> Any:
    """The value of a JSON text with comments and trailing commas; {} if there is none."""
    return {} if not text.strip("\ufeff \t\r\n") else _parse(text).value


def set_json_member(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with the member at `path` set; objects on the way are created."""
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    root = _parse(text)
    node = root
    for depth, name in enumerate(path):
        if node.members is None:
            where = ".".join(path[:depth]) or "the file"
            raise Refused(f"{where} is not a JSON object. Make it one, or remove it.")
        found = node.member(name)
        if found is None:
            given: Any = value
            for inner in reversed(path[depth + 1 :]):
                given = {inner: given}
            return _insert(text, node, name, given)
        node = found.value
    return text[: node.start] + _written(text, value, _line_indent(text, node.start)) + text[node.end :]


def remove_json_member(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path`; unchanged if there is none."""
    node = _parse(text)
    for name in path[:-1]:
        found = node.member(name)
        if found is None:
            return text
        node = found.value
    gone = node.member(path[-1])
    if gone is None or node.members is None:
        return text
    start, end = gone.start, gone.value.end
    after = _SPACE.match(text, end)
    assert after is not None  # it matches the empty text
    if text[after.end() : after.end() + 1] == ",":
        end = after.end() + 1
    else:
        index = node.members.index(gone)
        comma = text.rfind(",", node.members[index - 1].value.end, start) if index else -1
        if comma >= 0:
            text, start, end = text[:comma] + text[comma + 1 :], start - 1, end - 1
    line = text.rfind("\n", 0, start) + 1
    if not text[line:start].strip():  # it has its own lines
        newline = text.find("\n", end)
        if newline >= 0 and not text[end:newline].strip():
            return text[:line] + text[newline + 1 :]
    is_last = text.startswith("}", end)
    return text[:start].rstrip(" ") + text[end:] if is_last else text[:start] + text[end:].lstrip(" ")


@dataclass(frozen=True, slots=True)
class _Node:
    """A value and its place in the text; `members` if it is an object."""

    start: int
    end: int
    value: Any
    members: "list[_Member] | None" = None

    def member(self, name: str) -> "_Member | None":
        """The last member of that name, which is the one that counts."""
        return next((each for each in reversed(self.members or []) if each.name == name), None)


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    start: int
    value: _Node


def _insert(text: str, node: _Node, name: str, value: Any) -> str:
    """The text with one more member at the end of an object."""
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _line_indent(text, node.start)
    if not node.members:
        inner = outer + _unit(text)
        member = f"{json.dumps(name, ensure_ascii=False)}: {_written(text, value, inner)}"
        comment = text[node.start + 1 : node.end - 1].rstrip()
        return f"{text[: node.start + 1]}{newline}{inner}{member}{comment}{newline}{outer}{text[node.end - 1 :]}"
    first, last = node.members[0], node.members[-1]
    is_inline = "\n" not in text[node.start : first.start]
    inner = _line_indent(text, first.start)
    member = f"{json.dumps(name, ensure_ascii=False)}: " + (
        json.dumps(value, ensure_ascii=False) if is_inline else _written(text, value, inner)
    )
    gap = " " if is_inline else newline + inner
    between = _SPACE.match(text, last.value.end)
    assert between is not None
    has_comma = text[between.end() : between.end() + 1] == ","
    place = between.end() + 1 if has_comma else last.value.end
    comma = "" if has_comma else ","
    if not is_inline:  # a comment at the end of the line stays with its member
        line = _SAME_LINE.match(text, place)
        assert line is not None
        return text[:place] + comma + text[place : line.end()].rstrip() + gap + member + text[line.end() :]
    return text[:place] + comma + gap + member + text[place:]


def _written(text: str, value: Any, indent: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (newline + indent).join(lines)


def _unit(text: str) -> str:
    """One step of indentation, as the first indented line has it."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "


def _line_indent(text: str, position: int) -> str:
    line = text.rfind("\n", 0, position) + 1
    found = re.match(r"[ \t]*", text[line:position])
    return found[0] if found else ""


def _parse(text: str) -> _Node:
    node = _parse_value(text, _skip(text, 0), 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _error(text, end, "there is text after the end")
    return node


def _parse_value(text: str, start: int, depth: int) -> _Node:
    if depth > DEEPEST:
        raise _error(text, start, "it is nested too deeply")
    if text.startswith("{", start):
        return _parse_object(text, start, depth)
    if text.startswith("[", start):
        items: list[Any] = []
        position = _skip(text, start + 1)
        while not text.startswith("]", position):
            node = _parse_value(text, position, depth + 1)
            items.append(node.value)
            position = _after_comma(text, node.end, "]")
        return _Node(start, position + 1, items)
    found = _STRING.match(text, start) or _PLAIN.match(text, start)
    if found is None:
        raise _error(text, start, "a value is missing" if start < len(text) else "it ends too early")
    try:
        return _Node(start, found.end(), json.loads(found[0]))
    except ValueError:
        raise _error(text, start, "the value is not valid") from None


def _parse_object(text: str, start: int, depth: int) -> _Node:
    members: list[_Member] = []
    position = _skip(text, start + 1)
    while not text.startswith("}", position):
        name = _parse_value(text, position, depth + 1)
        if not isinstance(name.value, str):
            raise _error(text, position, "a name in quotes is missing")
        colon = _skip(text, name.end)
        if not text.startswith(":", colon):
            raise _error(text, colon, "a colon is missing")
        value = _parse_value(text, _skip(text, colon + 1), depth + 1)
        members.append(_Member(name.value, position, value))
        position = _after_comma(text, value.end, "}")
    return _Node(start, position + 1, {each.name: each.value.value for each in members}, members)


def _after_comma(text: str, position: int, closing: str) -> int:
    position = _skip(text, position)
    if text.startswith(",", position):
        return _skip(text, position + 1)
    if not text.startswith(closing, position):
        raise _error(text, position, f"a comma or {closing} is missing")
    return position


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    assert found is not None  # it matches the empty text
    return found.end()


def _error(text: str, position: int, problem: str) -> Refused:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return Refused(f"it is not valid JSON: line {line}, column {column}: {problem}")
