"""Turns a value into JSON-able data, inside the sandbox and in both engines.

Monty is given this file as text, so it keeps to the part of Python that Monty runs: no classes, no generators.
A JSON array is a list; a JSON object has one key, the tag, and encodes a value that JSON lacks:

    {"t": […]} tuple   {"s": […]} set   {"m": [[key, value], …]} dict
    {"d": …} date   {"dt": …} datetime   {"tm": …} time   {"td": [days, seconds, microseconds]}   {"n": …} Decimal
    {"x": [type, [[field, value], …]]} an object of a dataclass   {"r": [[tag, column], …]} rows; only on the way in
"""

from typing import Any

__all__ = ["uac_pack_maker"]


def uac_pack_maker() -> Any:  # noqa: PLR0915 - one function, so that Monty has no name of it but this
    """The packer. It is created before foreign code runs."""
    from dataclasses import is_dataclass
    from datetime import date, datetime, time, timedelta
    from decimal import Decimal

    fields: Any
    try:
        from dataclasses import fields
    except ImportError:  # Monty
        fields = None

    # Foreign code may rebind the built-in names, so the packer keeps its own.
    _type, _isinstance, _len, _getattr, _hasattr, _id = type, isinstance, len, getattr, hasattr, id
    _int, _float, _bool, _str, _none_type = int, float, bool, str, type(None)
    _list, _tuple, _dict, _set, _frozenset = list, tuple, dict, set, frozenset
    _TypeError, _OverflowError = TypeError, OverflowError  # noqa: N806 - they are classes
    simple = {_none_type, _bool, _int, _float}
    # These are packed item by item, so that an infinite iterator stops at the limit.
    streams = {
        *("range", "deque", "dict_keys", "dict_values", "dict_items", "odict_keys", "odict_values", "odict_items"),
        *("generator", "map", "filter", "zip", "enumerate", "reversed", "chain", "count", "cycle", "islice", "repeat"),
        *("takewhile", "dropwhile", "groupby", "_grouper", "accumulate", "product", "permutations", "combinations"),
        *("combinations_with_replacement", "starmap", "zip_longest", "compress", "filterfalse", "pairwise"),
        *("batched", "_tee"),
    }
    descriptions = {
        "function": "a function",
        "builtin_function_or_method": "a function",
        "method": "a function",
        "type": "a class",
        "EnumType": "a class",
        "ABCMeta": "a class",
        "module": "a module",
    }

    def pack(value: Any, max_items: int, max_depth: int, max_text: int) -> dict[str, Any]:  # noqa: PLR0915 - the same
        """{"value": tree}, or {"limit": "size" or "depth"} if the value exceeds a limit."""
        left = [max_items, max_text]
        inside: list[int] = []
        stopped: list[str] = []

        def stop(limit: str) -> None:
            stopped.append(limit)
            raise _OverflowError(limit)

        def spend(items: int) -> None:
            left[0] -= items
            if left[0] < 0:
                stop("size")

        def enter(container: Any) -> None:
            here = _id(container)
            if here in inside:
                raise _TypeError("The result contains itself. Return data that ends.")
            inside.append(here)
            if _len(inside) > max_depth:
                stop("depth")

        def walk(value: Any) -> Any:
            kind = _type(value)
            if kind in simple:
                return value
            if _isinstance(value, _str):
                left[1] -= _len(value)
                if left[1] < 0:
                    stop("size")
                return value
            if _isinstance(value, (_int, _float)):
                return value
            if _isinstance(value, (_list, _tuple, _dict, _set, _frozenset)):
                return walk_container(value)
            if _isinstance(value, datetime):
                return {"dt": value.isoformat()}
            if _isinstance(value, date):
                return {"d": value.isoformat()}
            if _isinstance(value, time):
                return {"tm": value.isoformat()}
            if _isinstance(value, timedelta):
                return {"td": [value.days, value.seconds, value.microseconds]}
            if _isinstance(value, Decimal):
                return {"n": _str(value)}
            return walk_object(value, kind)

        def walk_container(value: Any) -> Any:
            spend(_len(value))
            enter(value)
            packed: Any
            if _isinstance(value, _dict):
                spend(_len(value))
                packed = {"m": [[walk(key), walk(item)] for key, item in value.items()]}
            else:
                packed = [item if _type(item) in simple else walk(item) for item in value]
                if _isinstance(value, _tuple):
                    packed = {"t": packed}
                elif not _isinstance(value, _list):
                    packed = {"s": packed}
            inside.pop()
            return packed

        def walk_object(value: Any, kind: Any) -> Any:
            name = _getattr(kind, "__name__")
            if name in streams or name.endswith("iterator"):
                items = []
                enter(value)
                for item in value:
                    spend(1)
                    items.append(walk(item))
                inside.pop()
                return items
            if is_dataclass(value) and name not in descriptions:
                enter(value)
                names = [field.name for field in fields(value)] if fields else _list(value.__dataclass_fields__)
                spend(_len(names))
                packed = {"x": [name, [[field, walk(_getattr(value, field))] for field in names]]}
                inside.pop()
                return packed
            if _hasattr(kind, "__members__"):  # a member of an Enum
                return walk(value.value)
            what = descriptions.get(name) or "a " + name
            raise _TypeError("The result " + ("contains " if inside else "is ") + what + ". Return data.")

        try:
            return {"value": walk(value)}
        except _OverflowError:
            if not stopped:
                raise
            return {"limit": stopped[0]}

    return pack
