"""Values as Python writes them: printed as inert literals and a few calls, and read back from a tree, never run."""

import ast
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

from uac.errors import Refused
from uac.schema.values import Money, Typed

__all__ = ["WIDTH", "literal", "plain_value", "text_literal"]

WIDTH = 88


def literal(value: Typed, *, indent: int = 0, lead: int = 0) -> str:
    """The value as a Python expression; a list that does not fit the line has one item a line."""
    match value:
        case str():
            return text_literal(value)
        case float():
            return repr(value).replace("e+", "e")
        case bool() | int() | None:
            return repr(value)
        case tuple():
            line = f"[{', '.join(literal(item) for item in value)}]"
            if lead + _literal_width(line) <= WIDTH:
                return line
            inner = " " * (indent + 4)
            items = (literal(item, indent=indent + 4, lead=indent + 5) for item in value)
            return "[\n" + "".join(f"{inner}{item},\n" for item in items) + " " * indent + "]"
        case _:
            return _format_call(*_constructor_call(value), indent=indent, lead=lead)


def _constructor_call(value: Money | Decimal | date | time | timedelta) -> tuple[str, list[str]]:
    """The class and the arguments that make the value."""
    match value:
        case Money():
            return "Money", [literal(value.amount), text_literal(value.currency)]
        case Decimal():
            return "Decimal", [text_literal(str(value))]
        case datetime():
            return "datetime", _datetime_arguments(value)
        case date():
            return "date", [str(value.year), str(value.month), str(value.day)]
        case time():
            return "time", _without_trailing_zeros(value.hour, value.minute, value.second, value.microsecond, least=2)
        case timedelta():
            return "timedelta", _timedelta_arguments(value)


def _format_call(name: str, arguments: list[str], *, indent: int, lead: int) -> str:
    """A call on one line, or with its arguments on the next one, or with one a line: the first that fits."""
    joined = ", ".join(arguments)
    if lead + len(name) + len(joined) + 2 <= WIDTH or not arguments:
        return f"{name}({joined})"
    inner = " " * (indent + 4)
    if len(inner) + len(joined) <= WIDTH:
        return f"{name}(\n{inner}{joined}\n{' ' * indent})"
    return f"{name}(\n" + "".join(f"{inner}{argument},\n" for argument in arguments) + " " * indent + ")"


def _literal_width(text: str) -> int:
    """How many columns the text takes: wide characters take two, and combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def text_literal(text: str) -> str:
    """The text as a string literal, in double quotes unless single ones need fewer escapes."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    quote = "'" if text.count('"') > text.count("'") else '"'
    inner = "".join(_escape_character(character, quote) for character in text)
    return f"{quote}{inner}{quote}"


def _datetime_arguments(value: datetime) -> list[str]:
    offset = value.utcoffset()
    zone = f"timezone(timedelta({', '.join(_timedelta_arguments(offset))}))" if offset else "timezone.utc"
    parts = _without_trailing_zeros(
        value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond, least=5
    )
    return [*parts, f"tzinfo={zone}"]


def _timedelta_arguments(value: timedelta) -> list[str]:
    names = (("days", value.days), ("seconds", value.seconds), ("microseconds", value.microseconds))
    return [f"{name}={number}" for name, number in names if number]


def _without_trailing_zeros(*numbers: int, least: int) -> list[str]:
    """The numbers without zeros at the end, but at least `least` of them."""
    count = len(numbers)
    while count > least and not numbers[count - 1]:
        count -= 1
    return [str(number) for number in numbers[:count]]


_ESCAPES: Mapping[str, str] = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape_character(character: str, quote: str) -> str:
    if character == quote:
        return f"\\{quote}"
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() else repr(character)[1:-1]


_MAKERS: Mapping[str, Callable[..., Any]] = {
    "date": date,
    "datetime": datetime,
    "time": time,
    "timedelta": timedelta,
    "timezone": timezone,
    "Decimal": Decimal,
    "Money": lambda amount, currency: Money(Decimal(str(amount)), str(currency)),
}


def plain_value(node: ast.expr) -> Any:
    """The value of a literal, or of one of the few calls that the printer writes; anything else is refused."""
    match node:
        case ast.Constant(value=value) if not isinstance(value, bytes | complex) and value is not ...:
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return tuple(plain_value(item) for item in items)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if isinstance(number := plain_value(operand), int | float):
            return -number
        case ast.Attribute(value=ast.Name(id="timezone"), attr="utc"):
            return UTC
        case ast.Call(func=ast.Name(id=name)) if name in _MAKERS:
            try:
                arguments = [plain_value(argument) for argument in node.args]
                return _MAKERS[name](*arguments, **{k.arg: plain_value(k.value) for k in node.keywords if k.arg})
            except (TypeError, ValueError, ArithmeticError) as error:
                raise Refused(f"line {node.lineno}: {name}(…): {error}") from None
    raise Refused(f"line {node.lineno}: {ast.unparse(node)[:60]} is not a plain value. Write a literal.")
