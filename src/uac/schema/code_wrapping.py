"""Code as the body of one function that returns its last expression, with its line numbers and strings unchanged."""

import ast
import io
import re
import tokenize
from collections.abc import Collection

__all__ = ["indent_in_function", "lines_inside_strings", "wrap_in_function"]


def wrap_in_function(code: str, tree: ast.Module, name: str, arguments: str = "") -> str:
    """The code as the body of a function, indented line by line, so that line numbers and strings stay as they were."""
    lines = code.split("\n")  # splitlines() would also break at a form feed, which Python does not
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        row, column = last.lineno - 1, len(lines[last.lineno - 1].encode()[: last.col_offset].decode())
        end_row, end = _wrapped_expression_end(last, lines)
        # Parentheses keep an expression of several lines one expression.
        lines[end_row] = lines[end_row][:end] + ")" + lines[end_row][end:]
        lines[row] = lines[row][:column] + "return (" + lines[row][column:]
    return indent_in_function("\n".join(lines), name, arguments, lines_inside_strings(code))


def indent_in_function(code: str, name: str, arguments: str, inside: Collection[int]) -> str:
    """The same for code that returns by itself; the lines `inside` begin inside a string."""
    lines = code.split("\n")
    body = "\n".join(line if number in inside else _indent_body_line(line) for number, line in enumerate(lines, 1))
    return f"def {name}({arguments}):\n{body}"


def _indent_body_line(line: str) -> str:
    """A form feed sets the indentation back to nothing, so what leads up to one is left out."""
    if "\f" in line:
        line = re.sub(r"^[ \t\f]*\f", "", line)
    return f" {line}" if line.strip() else ""


def _wrapped_expression_end(node: ast.Expr, lines: list[str]) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    line = lines[node.end_lineno - 1]
    return node.end_lineno - 1, len(line.encode()[: node.end_col_offset].decode())


def lines_inside_strings(code: str) -> set[int]:
    """The lines that begin inside a string of several lines: indenting them would change the string."""
    inside: set[int] = set()
    if "\n" not in code or not ('"' in code or "'" in code):  # as in most queries
        return inside
    starts: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif name == "FSTRING_START":  # pragma: no cover - a token of Python 3.12 and later
            starts.append(token.start[0])
        elif name == "FSTRING_END":  # pragma: no cover - a token of Python 3.12 and later
            inside.update(range(starts.pop() + 1, token.end[0] + 1))
    return inside
