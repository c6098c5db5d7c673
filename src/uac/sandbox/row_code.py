"""Records as rows, and the code that makes objects of them in a session."""

from collections.abc import Sequence

from uac.project.columns import RecordColumns
from uac.project.render import rendered_fields
from uac.sandbox.port import Value
from uac.schema.types import Type, parse_type
from uac.schema.values import Money, Typed

__all__ = ["ID", "RowCode", "loaded_arguments", "loaded_class_name"]

MAX_ARGUMENTS = 200  # of one call

ID = "uac_id"
"""The attribute that has the id of a record; it is no field."""


class RowCode:
    """Rows for the records of a type, and code that makes objects of them: with all attributes, or just some.

    An object with some attributes is created without its constructor, so that reading any other one is an error.
    """

    def __init__(self, type_: Type, names: frozenset[str] | None) -> None:
        self.type = type_
        self.parts = [part for part in rendered_fields(type_) if names is None or part.name in names]
        self._has_ids = names is None or ID in names
        self._types = [parse_type(part.type) for part in self.parts]
        self.definition = "" if names is None else self._fill_definition()
        """Code that `objects` needs before it."""
        made = loaded_class_name(type_)
        if names is None:
            *fields, name = self._arguments()
            self.objects = f"[uac_named({made}({loaded_arguments(fields)}), {name}) for r in %s]"
        else:
            self.objects = f"uac_fill([object.__new__({made}) for r in %s], %s)"

    def _fill_definition(self) -> str:
        """A function that gives objects their attributes."""
        targets = [*(part.name for part in self.parts), *([ID] if self._has_ids else [])]
        lines = [f"o.{name} = {value}" for name, value in zip(targets, self._arguments(), strict=True)]
        body = "\n  ".join(lines or ["pass"])
        return f"def uac_fill(objects, rows):\n for o, r in zip(objects, rows):\n  {body}\n return objects\n"

    def _arguments(self) -> list[str]:
        """The expressions for the attributes of an object from its row `r`."""
        arguments: list[str] = []
        place = 0
        for parsed in self._types:
            if parsed.kind == "Money":
                arguments.append(f"None if r[{place}] is None else Money(r[{place}], r[{place + 1}])")
                place += 1
            elif parsed.item is not None and parsed.item.kind == "Money":
                arguments.append(f"[Money(m[0], m[1]) for m in r[{place}] or []]")
            else:
                arguments.append(f"r[{place}]")
            place += 1
        return [*arguments, f"r[{place}]"] if self._has_ids else arguments

    def rows(self, columns: RecordColumns) -> list[Value]:
        """A row per record. Built by column, with money in two flat places: both are faster."""
        made: list[Sequence[Value]] = []
        for part, parsed in zip(self.parts, self._types, strict=True):
            values = columns.values.get(part.name) or [None] * len(columns.ids)
            if parsed.kind == "Money":
                made.append([value.amount if isinstance(value, Money) else None for value in values])
                made.append([value.currency if isinstance(value, Money) else None for value in values])
            elif parsed.kind == "list":
                blank = None if parsed.optional else ()
                filled = [blank if value is None else value for value in values]
                is_flat = parsed.item is not None and parsed.item.kind not in ("Money", "list")
                made.append([*map(_flat_list if is_flat else _loadable_value, filled)])
            else:
                made.append(values)  # type: ignore[arg-type]  # only the two kinds above need conversion
        if self._has_ids:
            made.append(columns.ids)
        return [[*row] for row in zip(*made, strict=True)] if made else [None for _id in columns.ids]


def loaded_arguments(arguments: list[str]) -> str:
    """The arguments of a call; more than 255 are passed as a list, because an engine may take no more."""
    listed = ", ".join(arguments)
    return listed if len(arguments) <= MAX_ARGUMENTS else f"*[{listed}]"


def loaded_class_name(type_: Type) -> str:
    """One flat name per type, because two domains may each have a Trip."""
    return f"{type_.domain}__{type_.name}"


def _flat_list(value: Typed) -> Value:
    """A list of values that need no conversion."""
    return [*value] if isinstance(value, tuple) else value  # type: ignore[list-item, return-value]  # see `is_flat`


def _loadable_value(value: Typed) -> Value:
    if isinstance(value, Money):
        return [value.amount, value.currency]
    return [_loadable_value(item) for item in value] if isinstance(value, tuple) else value
