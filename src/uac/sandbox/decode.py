"""The host's side of the boundary: checks inputs to a sandbox, and decodes its output as hostile input.

`pack_value.py` describes the format. For any bytes from a worker, `decode` returns a Value within the limits or raises
a RunError.
"""

import json
import keyword
import time as clock
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from operator import itemgetter
from typing import Any, TypeGuard

from uac.errors import CodeError, LimitError, Refused, SandboxError
from uac.sandbox.port import Instance, Limits, Value

__all__ = [
    "MAX_CODE",
    "MAX_NESTING",
    "MAX_REPLY",
    "MAX_TEXT",
    "check_input_values",
    "check_run_inputs",
    "clean_foreign_text",
    "code_error",
    "decode_result",
    "encode_inputs",
    "limit_error",
    "max_nesting",
]

MAX_CODE = 200_000
"""Characters of code in one run. Data is passed as inputs."""

MAX_TEXT = 16_000_000
"""Characters in all strings of one result together."""

MAX_NESTING = 100
"""Maximum nesting of a result: deeper ones cannot be printed, sent as JSON or traversed by callers."""

MAX_REPLY = 100_000_000
"""Bytes of one packed result."""

HASH_SECONDS = 0.2
HASH_SECONDS_PER_ITEM = 5e-6
"""CPU time for inserting a result's keys into dicts and sets: a fixed part, plus ten times the usual time per key.

Foreign code chooses the keys, and can make Python's hashes of numbers, dates and tuples collide: equal hashes, or
different ones that probe the same slots. Measuring time detects every kind.
"""

HASH_BATCH = 64
"""Keys inserted between two readings of the clock."""

_PLAIN = frozenset((type(None), bool, int, float, str))
_SCALARS = frozenset((*_PLAIN, Decimal, date, datetime, time, timedelta))
_SCALAR_TYPES = (type(None), bool, int, float, str, Decimal, date, time, timedelta)
_CONTAINERS = (list, tuple, set, frozenset, dict)


# --- into the sandbox ---------------------------------------------------------------------------------------------


def check_run_inputs(code: str, inputs: Mapping[str, Value]) -> None:
    """Refuse code that is too long, and input names that are not plain identifiers."""
    if len(code) > MAX_CODE:
        raise CodeError(
            "SyntaxError",
            f"The code has {len(code):,} characters; at most {MAX_CODE:,} are allowed. Pass data as inputs.",
        )
    for name in inputs:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith(("__", "uac_")):
            raise Refused(f"input {name!r} is not a plain name. Use an identifier without leading underscores.")


def check_input_values(inputs: Mapping[str, Value]) -> None:
    """Refuse inputs that are not data. `encode` does so too; this is for an engine that takes objects directly."""
    try:
        _check_input_items(inputs.values())
    except RecursionError:
        raise Refused("inputs: contain themselves or nest too deeply. Pass flatter data.") from None


def _check_input_items(items: Collection[object]) -> None:
    if _SCALARS.issuperset(map(type, items)):
        return
    for item in items:
        if isinstance(item, dict):
            _check_input_items(item.keys())
            _check_input_items(item.values())
        elif isinstance(item, _CONTAINERS):
            _check_input_items(item)
        elif not isinstance(item, _SCALAR_TYPES):
            raise _not_data_error(item)


def _not_data_error(value: object) -> Refused:
    return Refused(f"inputs: contain a {type(value).__name__}. Pass data; objects are built inside, from rows.")


def encode_inputs(inputs: Mapping[str, Value]) -> bytes:
    """The inputs as one packed dict, for a worker of our own."""
    try:
        packed = {"m": [[name, _tag_containers(value)] for name, value in inputs.items()]}
        return json.dumps(packed, default=_tag_scalar, ensure_ascii=False, check_circular=False).encode()
    except RecursionError:
        raise Refused("inputs: contain themselves or nest too deeply. Pass flatter data.") from None
    except UnicodeEncodeError:
        raise Refused("inputs: a text contains a lone surrogate. Remove it.") from None
    except ValueError as error:  # a whole number of more than 4,300 digits
        raise Refused(f"inputs: {error}") from None


def _tag_containers(value: Any) -> Any:
    """The value with tuples, sets and dicts tagged; `_tag_scalar` handles other values that JSON lacks."""
    if type(value) in _SCALARS or not isinstance(value, _CONTAINERS):
        return value
    if isinstance(value, dict):
        return {"m": [[_tag_containers(key), _tag_containers(item)] for key, item in value.items()]}
    if isinstance(value, list) and _is_row_table(value):
        return {"r": [_encode_column([*map(itemgetter(place), value)]) for place in range(len(value[0]))]}
    items = [item if type(item) in _PLAIN else _tag_containers(item) for item in value]
    if isinstance(value, list):
        return items
    return {"t": items} if isinstance(value, tuple) else {"s": items}


def _is_row_table(rows: list[Any]) -> bool:
    """Whether these are many rows of equal width, which are sent by column in half the time."""
    return len(rows) >= 50 and {*map(type, rows)} == {list} and len({*map(len, rows)}) == 1 and len(rows[0]) > 0


def _encode_column(column: list[Any]) -> tuple[str, list[Any]]:
    """(tag, texts) if all values are None or of one tagged type; else ("", values)."""
    kinds = {*map(type, column)}
    if kinds <= _PLAIN:
        return "", column
    optional = type(None) in kinds
    kind = (kinds - {type(None)}).pop()
    if len(kinds) - optional > 1 or kind not in _TEXTS:
        return "", [_tag_containers(item) for item in column]
    tag, text = _TEXTS[kind]
    return tag, [None if item is None else text(item) for item in column] if optional else [*map(text, column)]


_TEXTS: dict[type, tuple[str, Callable[[Any], str]]] = {
    datetime: ("dt", datetime.isoformat),
    date: ("d", date.isoformat),
    time: ("tm", time.isoformat),
    Decimal: ("n", str),
}


def _tag_scalar(value: object) -> dict[str, object]:
    if isinstance(value, timedelta):
        return {"td": [value.days, value.seconds, value.microseconds]}
    for kind, (tag, text) in _TEXTS.items():
        if isinstance(value, kind):
            return {tag: text(value)}
    raise _not_data_error(value)


# --- out of the sandbox -------------------------------------------------------------------------------------------


def decode_result(packed: bytes | str, limits: Limits) -> Value:
    """The value in a worker's reply, or a RunError."""
    comma = b"," if isinstance(packed, bytes) else ","
    if len(packed) > MAX_REPLY or packed.count(comma) > 4 * limits.result_items + 100_000:  # type: ignore[arg-type]  # of one type
        raise limit_error("size", limits)
    match _parse_reply(packed, limits):
        case {"value": value, **rest} if not rest:
            return _Decoder(limits).value(value, 0)
        case {"limit": "size", **rest} if not rest:
            raise limit_error("size", limits)
        case {"limit": "depth", **rest} if not rest:
            raise _too_deep_error(limits)
    raise _malformed_reply_error()


def _parse_reply(packed: bytes | str, limits: Limits) -> object:
    try:
        return json.loads(packed)
    except RecursionError:
        raise _too_deep_error(limits) from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise SandboxError("The sandbox's reply is not JSON. Its session was ended; try again.") from None
    except ValueError:  # Python parses no longer numbers
        raise LimitError("size", "The result has a number of more than 4,300 digits. Return it as text.") from None


class _Decoder:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = limits.result_items + 1
        self.hashing = HASH_SECONDS

    def value(self, tree: object, depth: int) -> Value:
        self.left -= 1
        if self.left < 0:
            raise limit_error("size", self.limits)
        if isinstance(tree, str):
            return _check_surrogates(tree)
        if tree is None or isinstance(tree, bool | int | float):
            return tree
        if depth >= max_nesting(self.limits):
            raise _too_deep_error(self.limits)
        if isinstance(tree, list):
            return [self.value(item, depth + 1) for item in tree]
        if isinstance(tree, dict) and len(tree) == 1:
            ((tag, content),) = tree.items()
            return self.tagged(tag, content, depth + 1)
        raise _malformed_reply_error()

    def tagged(self, tag: str, content: object, depth: int) -> Value:
        if isinstance(content, str) and tag in _FROM_TEXT:
            try:
                return _FROM_TEXT[tag](content)
            except (ValueError, InvalidOperation, OverflowError):
                raise _malformed_reply_error() from None
        if not isinstance(content, list):
            raise _malformed_reply_error()
        match tag:
            case "t":
                return tuple(self.value(item, depth) for item in content)
            case "s":
                return self.distinct(content, depth)
            case "m":
                return self.table([_decode_pair(pair) for pair in content], depth)
            case "td":
                return _decode_timedelta(content)
            case "x":
                return self.instance(content, depth)
        raise _malformed_reply_error()

    def table(self, pairs: list[tuple[object, object]], depth: int) -> dict[Value, Value]:
        keys, weight = self.keys([key for key, _item in pairs], depth)
        items = [self.value(item, depth) for _key, item in pairs]
        made: dict[Value, Value] = {}
        self.fill(len(keys), weight, lambda batch: made.update(zip(keys[batch], items[batch], strict=True)))
        return made

    def distinct(self, items: list[object], depth: int) -> set[Value]:
        keys, weight = self.keys(items, depth)
        made: set[Value] = set()
        self.fill(len(keys), weight, lambda batch: made.update(keys[batch]))
        return made

    def keys(self, trees: list[object], depth: int) -> tuple[list[Value], int]:
        """The keys, and the number of their items: a key may be a long tuple."""
        before = self.left
        return [self.key(tree, depth) for tree in trees], before - self.left

    def fill(self, length: int, weight: int, add: Callable[[slice], None]) -> None:
        """Insert the keys in batches, so that colliding keys are detected early."""
        if length <= HASH_BATCH:
            add(slice(None))
            return
        for start in range(0, length, HASH_BATCH):
            began = clock.thread_time()
            add(slice(start, start + HASH_BATCH))
            self.hashing += HASH_SECONDS_PER_ITEM * HASH_BATCH * weight / length - (clock.thread_time() - began)
            if self.hashing < 0:
                raise limit_error("keys", self.limits)

    def key(self, tree: object, depth: int) -> Value:
        key = self.value(tree, depth)
        if not _is_hashable_value(key):
            what = f"object of {key.type}" if isinstance(key, Instance) else type(key).__name__
            raise CodeError("TypeError", f"The result has a {what} as a key or in a set. Use plain values, or a list.")
        return key

    def instance(self, content: list[object], depth: int) -> Instance:
        match content:
            case [str(name), list(fields)]:
                pairs = [_decode_pair(pair) for pair in fields]
                return Instance(
                    _check_surrogates(name),
                    {_decode_field_name(field): self.value(item, depth) for field, item in pairs},
                )
        raise _malformed_reply_error()


def _check_surrogates(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise CodeError("UnicodeEncodeError", "The result contains a lone surrogate. Remove it.") from None
    return text


def _decode_field_name(field: object) -> str:
    if not isinstance(field, str):
        raise _malformed_reply_error()
    return _check_surrogates(field)


def _decode_pair(pair: object) -> tuple[object, object]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise _malformed_reply_error()
    return pair[0], pair[1]


def _decode_timedelta(parts: list[object]) -> timedelta:
    if len(parts) != 3 or not all(type(part) is int for part in parts):
        raise _malformed_reply_error()
    try:
        days, seconds, microseconds = (int(str(part)) for part in parts)
        return timedelta(days, seconds, microseconds)
    except OverflowError:
        raise _malformed_reply_error() from None


def _decode_decimal(text: str) -> Decimal:
    """A Decimal that is safe to compare, print and convert to int: no signalling NaN, no millions of digits."""
    if len(text) > 5000:
        raise CodeError("ValueError", "The result contains a Decimal of more than 5,000 characters. Round it.")
    number = Decimal(text)
    if number.is_snan():
        raise CodeError("ValueError", "The result contains a signalling NaN. Return None instead.")
    if number.is_finite() and abs(number.adjusted()) > 10_000:
        raise CodeError(
            "ValueError", "The result contains a Decimal with an exponent beyond 10,000. Return it as text."
        )
    return number


_FROM_TEXT: dict[str, Callable[[str], Value]] = {
    "d": date.fromisoformat,
    "dt": datetime.fromisoformat,
    "tm": time.fromisoformat,
    "n": _decode_decimal,
}


def _is_hashable_value(value: Value) -> TypeGuard[Value]:
    if isinstance(value, tuple):
        return all(_is_hashable_value(item) for item in value)
    return not isinstance(value, list | dict | set | Instance)


def _too_deep_error(limits: Limits) -> LimitError:
    return LimitError("depth", f"The result nests more than {max_nesting(limits)} deep. Return flatter data.")


def max_nesting(limits: Limits) -> int:
    """The maximum nesting of a result under these limits."""
    return min(limits.depth, MAX_NESTING)


def _malformed_reply_error() -> SandboxError:
    return SandboxError("The sandbox's reply is malformed. Its session was ended; try again.")


# --- errors -------------------------------------------------------------------------------------------------------


def clean_foreign_text(text: str, most: int) -> str:
    """Foreign text, shortened, with lone surrogates replaced."""
    if len(text) > most:
        text = text[:most] + f" … ({len(text):,} characters in all)"
    return text.encode("utf-8", "replace").decode()


def code_error(kind: str, message: str, line: int, printed: str) -> CodeError:
    return CodeError(
        clean_foreign_text(kind, 100), clean_foreign_text(message, 2000), line=max(line, 0), printed=printed
    )


def limit_error(limit: str, limits: Limits, printed: str = "") -> LimitError:
    message = {
        "time": f"The code was stopped after {limits.seconds:g} seconds. Let it do less.",
        "memory": f"The code took more than {limits.memory_mb} MB. Let it hold less at once.",
        "output": f"The code printed more than {limits.output_chars:,} characters. Print less.",
        "depth": f"The code nested more than {limits.depth} deep. Use a loop instead of recursion.",
        "keys": "The result has many keys or set items whose hashes collide. Return a list of pairs instead.",
        "size": f"The result has more than {limits.result_items:,} items or {MAX_TEXT:,} characters. Return less.",
    }
    return LimitError(limit, message[limit], printed=printed)
