"""Types of a user's project: domains, dataclasses, and fields with their types.

A field's type is written as in Python: `str`, `int`, `float`, `bool`, `Decimal`, `Money`, `date`, `datetime`, `time`,
`timedelta`, `Literal['window', 'aisle']`, `people.Person` (a reference by key), `list[…]` and `… | None`.
"""

import ast
import builtins
import keyword
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import msgspec

from uac.errors import Refused
from uac.schema.syntax import expression_tree
from uac.schema.word_caches import word_cache

__all__ = [
    "GIVEN",
    "RESERVED",
    "RESERVED_AT_TOP",
    "RESERVED_DOMAINS",
    "Cardinality",
    "Field",
    "FieldType",
    "Json",
    "Policy",
    "Type",
    "check_name",
    "check_type",
    "collection_name",
    "field_types",
    "parse_type",
]

Json: TypeAlias = Any
"""A decoded JSON value: None, bool, int, float, str, list or dict."""

Cardinality = Literal["one", "many", "event"]
Policy = Literal["latest", "authority", "union", "ask"]


class Field(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One field of a type; `type` is written as in Python."""

    name: str
    type: str
    doc: str = ""
    policy: Policy = "latest"


class Type(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, weakref=True):
    """A dataclass of a domain.

    `key` names the fields that make a record the same record. `one`: the user has at most one at a time;
    `many`: as many as there are keys; `event`: happened once each; without a key, every put is a new record.
    """

    domain: str
    name: str
    doc: str = ""
    cardinality: Cardinality = "many"
    key: tuple[str, ...] = ()
    fields: tuple[Field, ...]
    collection: str = ""
    """The name of the list in the domain's module; by default the plural of the name (`trips`), for `one` the name."""

    @property
    def full_name(self) -> str:
        return f"{self.domain}.{self.name}"

    @property
    def collected_as(self) -> str:
        return self.collection or collection_name(self.name, self.cardinality)

    @property
    def former(self) -> str:
        """The collection of ended records."""
        return f"former_{self.collected_as}"

    def field(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)


@dataclass(frozen=True, slots=True)
class FieldType:
    """A field's type, parsed."""

    kind: Literal[
        "str",
        "int",
        "float",
        "bool",
        "Decimal",
        "Money",
        "date",
        "datetime",
        "time",
        "timedelta",
        "choice",
        "ref",
        "list",
    ]
    choices: tuple[str, ...] = ()
    ref: str = ""
    item: "FieldType | None" = None
    optional: bool = False

    def __str__(self) -> str:
        match self.kind:
            case "choice":
                text = f"Literal[{', '.join(repr(choice) for choice in self.choices)}]"
            case "ref":
                text = self.ref
            case "list":
                text = f"list[{self.item}]"
            case _:
                text = self.kind
        return f"{text} | None" if self.optional else text


_SCALARS = ("str", "int", "float", "bool", "Decimal", "Money", "date", "datetime", "time", "timedelta")

RESERVED = frozenset(
    {*dir(builtins), *keyword.kwlist, "match", "case", "dataclass", "field", "Literal", "Decimal", "Money", "uac_id"}
)
"""Names that a field must not have: Python's own, and those that the rendered classes need."""

RESERVED_AT_TOP = RESERVED | frozenset(
    {"date", "datetime", "time", "timedelta", "timezone", "domains", "constraints", "manifest", "tests", "now", "user"}
    | {"math", "re", "json", "random", "decimal", "collections", "itertools", "statistics", "functools"}
    | {"Counter", "defaultdict", "groupby", "schema", "state"}
)
"""Names that a domain, a type or a collection must not have: they would hide what a query needs."""

GIVEN = frozenset(
    "Alert Counter Decimal Money add_business_days add_months as_date critical date datetime days_between "
    "days_until defaultdict due_within duplicates exceeds expires_before field first group_by groupby info "
    "is_past json knowledge look_again math mean median mentions money month_of overlap overlap_days pairs "
    "quarter_of re record_id same same_person share stdev sum time timedelta timezone total warning "
    "week_start words".split()
)
"""Names that are defined for every query and every constraint (`prelude.py`)."""

RESERVED_DOMAINS = RESERVED_AT_TOP | GIVEN | frozenset({"rows", "moment", "query_of_the_user"})
"""Names that a domain must not have: in a query a domain is one name among these."""


def check_name(name: str, what: str, *, reserved: frozenset[str] = RESERVED_AT_TOP) -> None:
    """Refuse a name that is not a plain ASCII identifier or that hides another: names could turn text into code."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name, re.ASCII):
        raise Refused(
            f"{what} {name!r} is not a valid name. Use 1 to 63 of A-Z, a-z, 0-9 and _, starting with a letter."
        )
    if name in reserved or (reserved is not RESERVED and (name.startswith("uac_") or "__" in name)):
        raise Refused(f"{what} {name!r} is reserved in Python or in the project. Choose another name.")


@word_cache(1024)
def check_type(type_: Type) -> None:
    """Refuse a type that could not be rendered or whose rules contradict each other."""
    where = f"type {type_.full_name}"
    check_name(type_.domain, "domain", reserved=RESERVED_DOMAINS)
    check_name(type_.name, "type")
    if type_.domain != type_.domain.lower():
        raise Refused(f"domain {type_.domain!r} has capital letters. Write it in lower case.")
    if "__" in type_.domain or type_.domain.startswith("rows_") or type_.domain.endswith("_"):
        raise Refused(
            f"domain {type_.domain!r} contains '__', starts with 'rows_' or ends with '_'. Choose another name."
        )
    if not type_.name[0].isupper():
        raise Refused(f"{where}: the name of the type is in lower case. Start it with a capital letter.")
    check_name(type_.collected_as, f"{where}: collection")
    if type_.collected_as.startswith("former_"):
        raise Refused(f"{where}: collection {type_.collected_as!r} starts with 'former_'. Choose another name.")
    if type_.collected_as == type_.name:
        raise Refused(f"{where}: the collection has the name of the type. Choose another name.")
    if not type_.fields:
        raise Refused(f"{where} has no fields. Add at least one.")
    names = [field.name for field in type_.fields]
    for field in type_.fields:
        check_name(field.name, f"{where}: field", reserved=RESERVED)
        if names.count(field.name) > 1:
            raise Refused(f"{where}: field {field.name!r} occurs twice. Remove or rename one.")
        parsed = parse_type(field.type, where=f"{where}: field {field.name}")
        if field.policy == "union" and parsed.kind != "list":
            raise Refused(f"{where}: field {field.name} has policy union but is not a list. Use list[…].")
        if field.name in type_.key and parsed.kind in ("list", "float", "Money"):
            raise Refused(
                f"{where}: key field {field.name} is {field.type}. Use a type other than list, float or Money."
            )
        if field.name in type_.key[:1] and parsed.optional:
            raise Refused(f"{where}: the first key field {field.name} is {field.type}. Use a required type for it.")
    for name in type_.key:
        if name not in names:
            raise Refused(f"{where}: key field {name!r} is not one of its fields. Add the field, or change the key.")
    if type_.cardinality == "many" and not type_.key:
        raise Refused(f"{where} has no key. Name the fields that identify a record, or make it an event.")


def parse_type(text: str, *, where: str = "field type") -> FieldType:
    """Parse the text of a field type. It is read as a Python expression and never evaluated."""
    wanted = (
        "Use str, int, float, bool, Decimal, Money, date, datetime, time, timedelta, Literal['a', 'b'], "
        "domain.Type, list[…] or … | None."
    )
    if len(text) > 2000:
        raise Refused(f"{where}: the type has {len(text)} characters. {wanted}")
    parsed = _parse_type_text(text)
    if parsed is None:
        raise Refused(f"{where}: {text!r} is not a type. {wanted}")
    return parsed


@word_cache(4096)
def _parse_type_text(text: str) -> FieldType | None:
    try:
        return _field_type_of_node(expression_tree(text).body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _field_type_of_node(node: ast.expr) -> FieldType | None:
    match node:
        case ast.Name(id=name) if name in _SCALARS:
            return FieldType(name)  # type: ignore[arg-type]  # _SCALARS are kinds
        case ast.Attribute(value=ast.Name(id=domain), attr=name):
            return FieldType("ref", ref=f"{domain}.{name}")
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            inner = _field_type_of_node(left)
            return replace(inner, optional=True) if inner and not inner.optional else None
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            inner = _field_type_of_node(item)
            return FieldType("list", item=inner) if inner and not inner.optional and inner.kind != "list" else None
        case ast.Subscript(value=ast.Name(id="Literal"), slice=choices):
            items = choices.elts if isinstance(choices, ast.Tuple) else [choices]
            texts = tuple(
                item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)
            )
            fits = len(texts) == len(items) == len(set(texts)) and all(text.isprintable() and text for text in texts)
            return FieldType("choice", choices=texts) if fits and texts else None
    return None


@word_cache(4096)
def collection_name(name: str, cardinality: Cardinality) -> str:
    """The name of a type's collection: `LeaseNotice` gives `lease_notices`, or `lease_notice` if there is only one."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    if cardinality == "one":
        return snake
    if re.search(r"[^aeiou]y$", snake):
        return snake[:-1] + "ies"
    return snake + ("es" if re.search(r"(s|x|z|ch|sh)$", snake) else "s")


def field_types(type_: Type) -> dict[str, FieldType]:
    return {f.name: parse_type(f.type) for f in type_.fields}
