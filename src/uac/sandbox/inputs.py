"""Checks the inputs of a run, and encodes them for a worker. `pack_value.py` describes the format."""

import json
import keyword
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain
from operator import itemgetter
from typing import Any

from uac.errors import CodeError, Refused
from uac.sandbox.port import Value

__all__ = ["MAX_CODE", "check_input_values", "check_run_inputs", "encode_inputs"]

MAX_CODE = 200_000
"""Characters of code in one run. Data is passed as inputs."""

_PLAIN = frozenset((type(None), bool, int, float, str))
_PLAIN_OR_LIST = _PLAIN | {list}
_SCALARS = frozenset((*_PLAIN, Decimal, date, datetime, time, timedelta))
_SCALAR_TYPES = (type(None), bool, int, float, str, Decimal, date, time, timedelta)
_CONTAINERS = (list, tuple, set, frozenset, dict)


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
    """Refuse inputs that are not data. `encode_inputs` does so too; this is for engines that take objects."""
    try:
        _check_input_items(inputs.values())
    except RecursionError:
        raise Refused("inputs: contain themselves or nest too deeply. Pass flatter data.") from None


def _check_input_items(items: Collection[object]) -> None:
    for item in items:
        if type(item) in _SCALARS:
            continue
        if isinstance(item, dict):
            if not _SCALARS.issuperset(map(type, item)):
                _check_input_items(item.keys())
            if not _SCALARS.issuperset(map(type, item.values())):
                _check_input_items(item.values())
        elif isinstance(item, _CONTAINERS):
            if not _SCALARS.issuperset(map(type, item)):
                _check_input_items(item)
        elif not isinstance(item, _SCALAR_TYPES):
            raise _input_type_error(item)


def _input_type_error(value: object) -> Refused:
    return Refused(f"inputs: contain a {type(value).__name__}. Pass data; objects are built inside, from rows.")


def encode_inputs(inputs: Mapping[str, Value]) -> bytes:
    """The inputs as one packed dict, for a worker of our own."""
    try:
        packed = {"m": [[name, _tag_input_containers(value)] for name, value in inputs.items()]}
        return json.dumps(packed, default=_tag_input_scalar, ensure_ascii=False, check_circular=False).encode()
    except RecursionError:
        raise Refused("inputs: contain themselves or nest too deeply. Pass flatter data.") from None
    except UnicodeEncodeError:
        raise Refused("inputs: a text contains a lone surrogate. Remove it.") from None
    except ValueError as error:  # a whole number of more than 4,300 digits
        raise Refused(f"inputs: {error}") from None


def _tag_input_containers(value: Any) -> Any:
    """The value with tuples, sets and dicts tagged; `_tag_input_scalar` handles other values that JSON lacks."""
    if type(value) in _SCALARS or not isinstance(value, _CONTAINERS):
        return value
    if isinstance(value, dict):
        return {"m": [[_tag_input_containers(key), _tag_input_containers(item)] for key, item in value.items()]}
    if isinstance(value, list) and _is_input_table(value):
        return {"r": [_encode_input_column([*map(itemgetter(place), value)]) for place in range(len(value[0]))]}
    items = [item if type(item) in _PLAIN else _tag_input_containers(item) for item in value]
    if isinstance(value, list):
        return items
    return {"t": items} if isinstance(value, tuple) else {"s": items}


def _is_input_table(rows: list[Any]) -> bool:
    """Whether these are many rows of equal width, which are sent by column in half the time."""
    return len(rows) >= 50 and {*map(type, rows)} == {list} and len({*map(len, rows)}) == 1 and len(rows[0]) > 0


def _encode_input_column(column: list[Any]) -> tuple[str, list[Any]]:
    """(tag, texts) if all values are None or of one tagged type; else ("", values)."""
    kinds = {*map(type, column)}
    if kinds <= _PLAIN:
        return "", column
    if kinds <= _PLAIN_OR_LIST and _PLAIN.issuperset(map(type, chain.from_iterable(filter(_is_list, column)))):
        return "", column
    optional = type(None) in kinds
    kind = (kinds - {type(None)}).pop()
    if len(kinds) - optional > 1 or kind not in _TEXTS:
        return "", [_tag_input_containers(item) for item in column]
    tag, text = _TEXTS[kind]
    return tag, [None if item is None else text(item) for item in column] if optional else [*map(text, column)]


def _is_list(value: object) -> bool:
    return type(value) is list


_TEXTS: dict[type, tuple[str, Callable[[Any], str]]] = {
    datetime: ("dt", datetime.isoformat),
    date: ("d", date.isoformat),
    time: ("tm", time.isoformat),
    Decimal: ("n", str),
}


def _tag_input_scalar(value: object) -> dict[str, object]:
    if isinstance(value, timedelta):
        return {"td": [value.days, value.seconds, value.microseconds]}
    for kind, (tag, text) in _TEXTS.items():
        if isinstance(value, kind):
            return {tag: text(value)}
    raise _input_type_error(value)
