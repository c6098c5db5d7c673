"""The syntax of calendars and contacts: components of unfolded content lines (RFC 5545, RFC 6350, vCard 2.1)."""

import quopri
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from uac.importing.files import TOO_LONG, BadLine, ByteSource, Progress, decode_line, read_raw_lines
from uac.schema.entries import MAX_BYTES

__all__ = ["Component", "Property", "read_components", "split_property_parts", "unescape_property"]


class Property(NamedTuple):
    """One content line: NAME;PARAM=value:text."""

    name: str
    params: Mapping[str, str]
    value: str


@dataclass(slots=True)
class Component:
    """The content between BEGIN and END. `text` is its lines verbatim, without pictures and sounds."""

    name: str
    line: int
    properties: list[Property] = field(default_factory=list)
    parts: list["Component"] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    media: int = 0
    size: int = 0
    problem: str = ""

    @property
    def text(self) -> str:
        return re.sub(r"\r?\n\Z", "", "".join(self.words))

    def first_property(self, name: str) -> Property | None:
        return next((prop for prop in self.properties if prop.name == name), None)

    def properties_named(self, name: str) -> list[Property]:
        return [prop for prop in self.properties if prop.name == name]


def read_components(path: ByteSource, progress: Progress, *, inside: str = "") -> Iterator[Component | BadLine]:
    """The components of a file in order, or those inside each component named `inside`."""
    depth = 1 if inside else 0
    stack: list[Component] = []
    number = 0
    for number, words, content in _unfold_lines(path, progress):
        if content is None:
            _note_component_problem(stack, depth, f"line {number} {TOO_LONG}")
            continue
        if not content.strip():
            continue
        try:
            prop = _parse_property(content)
        except ValueError as error:
            _note_component_problem(stack, depth, f"line {number} {error}")
            continue
        if prop.name == "BEGIN":
            name = prop.value.strip().upper()
            while len(stack) > depth and stack[depth].name == name:
                yield BadLine(stack[depth].line, f"has no END:{name} before line {number}. Add it.")
                del stack[depth:]
            stack.append(Component(name, number))
            _add_component_text(stack, depth, words)
        elif prop.name == "END":
            _add_component_text(stack, depth, words)
            yield from _close_component(stack, prop.value.strip().upper(), depth)
        else:
            _add_property(stack, depth, prop, words)
    if len(stack) > depth:
        yield BadLine(stack[depth].line, f"has no END:{stack[depth].name}, and the file ends at line {number}. Add it.")
    if depth and stack:
        yield BadLine(stack[0].line, f"has no END:{stack[0].name}. The file may have been cut off: save it again.")


def _close_component(stack: list[Component], name: str, depth: int) -> Iterator[Component | BadLine]:
    """Close the innermost component of that name."""
    if name not in [component.name for component in stack]:
        return
    while stack:
        closed = stack.pop()
        problem = closed.problem or ("" if closed.name == name else f"has no END:{closed.name}. Add it.")
        if len(stack) == depth:
            yield BadLine(closed.line, problem) if problem else closed
        elif len(stack) > depth:
            stack[-1].parts.append(closed)
            if problem:
                _note_component_problem(stack, depth, f"the {closed.name} at line {closed.line} {problem}")
        if closed.name == name:
            return


def _add_component_text(stack: list[Component], depth: int, words: str) -> None:
    """Add the text to the component that will be returned."""
    if len(stack) > depth:
        whole = stack[depth]
        whole.size += len(words)
        if whole.size > MAX_BYTES:
            whole.problem = TOO_LONG
            whole.words.clear()
        else:
            whole.words.append(words)


def _add_property(stack: list[Component], depth: int, prop: Property, words: str) -> None:
    if len(stack) <= depth:
        return
    if prop.params.get("ENCODING", "").upper() in ("B", "BASE64") or prop.value.startswith("data:"):
        stack[depth].media += 1
        return
    _add_component_text(stack, depth, words)
    stack[-1].properties.append(prop)


def _note_component_problem(stack: list[Component], depth: int, problem: str) -> None:
    if len(stack) > depth:
        stack[depth].problem = stack[depth].problem or problem


def _unfold_lines(path: ByteSource, progress: Progress) -> Iterator[tuple[int, str, str | None]]:
    """Content lines with the number of their first line and their text verbatim; None if a line is too long."""
    folded: list[bytes] = []
    first = start = 0
    for number, offset, data in read_raw_lines(path, progress):
        if data is not None and folded and (data[:1] in (b" ", b"\t") or _is_line_continued(folded)):
            folded.append(data)
            continue
        if folded:
            yield _join_folded_line(folded, path, start, first)
        folded, first, start = [], number, offset
        if data is None:
            yield number, "", None
        else:
            folded = [data]
    if folded:
        yield _join_folded_line(folded, path, start, first)


def _is_line_continued(folded: list[bytes]) -> bool:
    """vCard 2.1: a quoted-printable line that ends in = continues on the next line."""
    return folded[-1].rstrip(b"\r\n").endswith(b"=") and b"QUOTED-PRINTABLE" in folded[0].upper().partition(b":")[0]


def _join_folded_line(folded: list[bytes], path: ByteSource, offset: int, number: int) -> tuple[int, str, str]:
    if len(folded) > 1 and b"QUOTED-PRINTABLE" in folded[0].upper().partition(b":")[0]:
        words = decode_line(b"".join(folded), path, offset, number)
        return number, words, re.sub(r"=\r?\n", "", words).rstrip("\r\n")
    raw = b"".join(folded)
    # A fold may split a character, so the lines are joined before they are decoded.
    joined = b"".join([folded[0].rstrip(b"\r\n"), *(data[1:].rstrip(b"\r\n") for data in folded[1:])])
    try:
        content = joined.decode()
    except UnicodeDecodeError:
        return number, decode_line(raw, path, offset, number), ""
    try:
        return number, raw.decode(), content
    except UnicodeDecodeError:
        return number, f"{content}\n", content


_LINE = re.compile(r'((?:[A-Za-z0-9-]+\.)?[A-Za-z0-9-]+)((?:;(?:[^";:]|"[^"]*")*)*):(.*)', re.DOTALL)
_PARAM = re.compile(r';((?:[^";:]|"[^"]*")*)')


def _parse_property(content: str) -> Property:
    match = _LINE.fullmatch(content)
    if not match:
        raise ValueError("is not a content line. Write NAME:value.")
    params: dict[str, str] = {}
    for part in _PARAM.findall(match[2]):
        name, equals, value = part.partition("=")
        if equals:
            params.setdefault(name.strip().upper(), value.replace('"', ""))
        elif name.strip().upper() in ("QUOTED-PRINTABLE", "BASE64"):  # vCard 2.1 omits the parameter's name
            params["ENCODING"] = name.strip().upper()
    value = match[3]
    if params.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        value = _decode_quoted_printable(value, params.get("CHARSET", "utf-8"))
    return Property(match[1].rpartition(".")[2].upper(), params, value)


def _decode_quoted_printable(value: str, charset: str) -> str:
    try:
        return quopri.decodestring(value.encode()).decode(charset)
    except (LookupError, UnicodeDecodeError):
        raise ValueError(f"is not valid {charset}. Declare the character set of its text.") from None


def unescape_property(value: str) -> str:
    """The text without escapes: backslash n is a newline, backslash comma a comma."""
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nN" else match[1], value, flags=re.DOTALL)


def split_property_parts(prop: Property | None) -> list[str]:
    """The parts of a value, separated by semicolons that are not escaped."""
    if prop is None:
        return []
    parts = re.findall(r"((?:\\.|[^\\;])*);", f"{prop.value};", re.DOTALL)
    return [unescape_property(part).strip() for part in parts]
