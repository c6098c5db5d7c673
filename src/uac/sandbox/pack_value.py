"""Turns a value into JSON-able data, inside the sandbox and in both engines.

Monty is given this file as text, so it keeps to the part of Python that Monty runs: no classes, no generators.
A JSON array is a list; a JSON object has one key, the tag, and stands for everything that JSON lacks:

    {"t": […]} tuple   {"s": […]} set   {"m": [[key, value], …]} dict
    {"d": …} date   {"dt": …} datetime   {"tm": …} time   {"td": [days, seconds, microseconds]}   {"n": …} Decimal
    {"x": [type, [[field, value], …]]} an object of a dataclass   {"r": [[tag, column], …]} rows; only on the way in
"""

from typing import Any

__all__ = ["uac_pack_maker"]


def uac_pack_maker() -> Any:  # noqa: PLR0915 - one function, so that Monty has no name of it but this
    """The packer. It is made before foreign code runs, so that code which calls a variable `list` does no harm."""
    from dataclasses import is_dataclass
    from datetime import date, datetime, time, timedelta
    from decimal import Decimal

    fields: Any
    try:
        from dataclasses import fields
    except ImportError:  # Monty
        fields = None

    type_of, is_a, size, text, name_of = type, isinstance, len, str, getattr
    whole, real, truth, words, nothing = int, float, bool, str, type(None)
    many, fixed, mapping, distinct, frozen = list, tuple, dict, set, frozenset
    has, identity = hasattr, id
    simple = {nothing, truth, whole, real}
    wrong_type, too_much = TypeError, OverflowError
    # The value of an infinite iterator is never packed whole, so these become lists as they run.
    streams = {
        *("range", "deque", "dict_keys", "dict_values", "dict_items", "odict_keys", "odict_values", "odict_items"),
        *("generator", "map", "filter", "zip", "enumerate", "reversed", "chain", "count", "cycle", "islice", "repeat"),
        *("takewhile", "dropwhile", "groupby", "_grouper", "accumulate", "product", "permutations", "combinations"),
        *("combinations_with_replacement", "starmap", "zip_longest", "compress", "filterfalse", "pairwise"),
        *("batched", "_tee"),
    }
    called = {
        "function": "a function",
        "builtin_function_or_method": "a function",
        "method": "a function",
        "type": "a class",
        "EnumType": "a class",
        "ABCMeta": "a class",
        "module": "a module",
    }

    def pack(value: Any, most_items: int, most_depth: int, most_text: int) -> dict[str, Any]:  # noqa: PLR0915 - the same
        """{"value": tree}, or {"limit": "size" or "depth"} if there is too much of it."""
        left = [most_items, most_text]
        inside: list[int] = []
        stopped: list[str] = []

        def stop(limit: str) -> None:
            stopped.append(limit)
            raise too_much(limit)

        def spend(items: int) -> None:
            left[0] -= items
            if left[0] < 0:
                stop("size")

        def enter(container: Any) -> None:
            here = identity(container)
            if here in inside:
                raise wrong_type("the result contains itself, needs data that ends")
            inside.append(here)
            if size(inside) > most_depth:
                stop("depth")

        def walk(value: Any) -> Any:
            kind = type_of(value)
            if kind in simple:
                return value
            if is_a(value, words):
                left[1] -= size(value)
                if left[1] < 0:
                    stop("size")
                return value
            if is_a(value, (whole, real)):
                return value
            if is_a(value, (many, fixed, mapping, distinct, frozen)):
                return walk_container(value)
            if is_a(value, datetime):
                return {"dt": value.isoformat()}
            if is_a(value, date):
                return {"d": value.isoformat()}
            if is_a(value, time):
                return {"tm": value.isoformat()}
            if is_a(value, timedelta):
                return {"td": [value.days, value.seconds, value.microseconds]}
            if is_a(value, Decimal):
                return {"n": text(value)}
            return walk_object(value, kind)

        def walk_container(value: Any) -> Any:
            spend(size(value))
            enter(value)
            packed: Any
            if is_a(value, mapping):
                spend(size(value))
                packed = {"m": [[walk(key), walk(item)] for key, item in value.items()]}
            else:
                packed = [item if type_of(item) in simple else walk(item) for item in value]
                if is_a(value, fixed):
                    packed = {"t": packed}
                elif not is_a(value, many):
                    packed = {"s": packed}
            inside.pop()
            return packed

        def walk_object(value: Any, kind: Any) -> Any:
            name = name_of(kind, "__name__")
            if name in streams or name.endswith("iterator"):
                items = []
                enter(value)
                for item in value:
                    spend(1)
                    items.append(walk(item))
                inside.pop()
                return items
            if is_dataclass(value) and name not in called:
                enter(value)
                names = [field.name for field in fields(value)] if fields else many(value.__dataclass_fields__)
                spend(size(names))
                packed = {"x": [name, [[field, walk(name_of(value, field))] for field in names]]}
                inside.pop()
                return packed
            if has(kind, "__members__"):  # a member of an Enum
                return walk(value.value)
            what = called.get(name) or "a " + name
            raise wrong_type("the result " + ("holds " if inside else "is ") + what + ", needs data")

        try:
            return {"value": walk(value)}
        except too_much:
            if not stopped:
                raise
            return {"limit": stopped[0]}

    return pack
