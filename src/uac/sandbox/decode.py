"""Decodes the result of a run as hostile input.

`pack_value.py` describes the format. For any bytes from a worker, `decode_result` returns a Value within the limits or
raises a RunError.
"""

import json
import time as clock
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import TypeGuard

from uac.errors import CodeError, LimitError, SandboxError
from uac.sandbox.port import Instance, Limits, Value
from uac.sandbox.run_errors import limit_error

__all__ = ["MAX_NESTING", "MAX_REPLY", "decode_result", "max_result_nesting"]

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
    raise _undecodable_reply_error()


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
            return _check_result_surrogates(tree)
        if tree is None or isinstance(tree, bool | int | float):
            return tree
        if depth >= max_result_nesting(self.limits):
            raise _too_deep_error(self.limits)
        if isinstance(tree, list):
            return [self.value(item, depth + 1) for item in tree]
        if isinstance(tree, dict) and len(tree) == 1:
            ((tag, content),) = tree.items()
            return self.tagged(tag, content, depth + 1)
        raise _undecodable_reply_error()

    def tagged(self, tag: str, content: object, depth: int) -> Value:
        if isinstance(content, str) and tag in _FROM_TEXT:
            try:
                return _FROM_TEXT[tag](content)
            except (ValueError, InvalidOperation, OverflowError):
                raise _undecodable_reply_error() from None
        if not isinstance(content, list):
            raise _undecodable_reply_error()
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
        raise _undecodable_reply_error()

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
                    _check_result_surrogates(name),
                    {_decode_field_name(field): self.value(item, depth) for field, item in pairs},
                )
        raise _undecodable_reply_error()


def _check_result_surrogates(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise CodeError("UnicodeEncodeError", "The result contains a lone surrogate. Remove it.") from None
    return text


def _decode_field_name(field: object) -> str:
    if not isinstance(field, str):
        raise _undecodable_reply_error()
    return _check_result_surrogates(field)


def _decode_pair(pair: object) -> tuple[object, object]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise _undecodable_reply_error()
    return pair[0], pair[1]


def _decode_timedelta(parts: list[object]) -> timedelta:
    if len(parts) != 3 or not all(type(part) is int for part in parts):
        raise _undecodable_reply_error()
    try:
        days, seconds, microseconds = (int(str(part)) for part in parts)
        return timedelta(days, seconds, microseconds)
    except OverflowError:
        raise _undecodable_reply_error() from None


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
    return LimitError("depth", f"The result nests more than {max_result_nesting(limits)} deep. Return flatter data.")


def max_result_nesting(limits: Limits) -> int:
    """The maximum nesting of a result under these limits."""
    return min(limits.depth, MAX_NESTING)


def _undecodable_reply_error() -> SandboxError:
    return SandboxError("The sandbox's reply is malformed. Its session was ended; try again.")
