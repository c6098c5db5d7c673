"""Types of a user's project: domains, dataclasses, fields, and which text is a value of which field.

A field's type is written as in Python: `str`, `int`, `float`, `bool`, `Decimal`, `Money`, `date`, `datetime`, `time`,
`timedelta`, `Literal['window', 'aisle']`, `people.Person` (a reference by key), `list[…]` and `… | None`.
"""

import ast
import builtins
import keyword
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

from uac.errors import Refused
from uac.schema.safe_text import shorten
from uac.schema.syntax import expression_tree

__all__ = [
    "EARLIEST",
    "GIVEN",
    "LARGEST",
    "LATEST",
    "MAX_TEXT",
    "MOST_NESTING",
    "RESERVED",
    "RESERVED_AT_TOP",
    "RESERVED_DOMAINS",
    "Cardinality",
    "Field",
    "FieldType",
    "Json",
    "Money",
    "Policy",
    "Type",
    "Typed",
    "check_bounds",
    "check_name",
    "check_type",
    "collection_name",
    "dump_value",
    "folded",
    "is_blank",
    "nests_deeper",
    "parse_type",
    "parse_value",
    "stripped",
]

Json: TypeAlias = Any
"""A decoded JSON value: None, bool, int, float, str, list or dict."""

MOST_NESTING = 100
"""How deep JSON from outside may nest: what is deeper cannot be checked, stored or sent without failing somewhere."""

Cardinality = Literal["one", "many", "event"]
Policy = Literal["latest", "authority", "union", "ask"]


class Money(msgspec.Struct, frozen=True, order=True, gc=False):
    """An amount of one currency."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{_decimal_text(self.amount)} {self.currency}"


Typed: TypeAlias = (
    bool | int | float | str | Decimal | Money | date | datetime | time | timedelta | tuple["Typed", ...] | None
)
"""The value of a field."""


class Field(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One field of a type; `type` is written as in Python."""

    name: str
    type: str
    doc: str = ""
    policy: Policy = "latest"


class Type(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
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
        """Where records that have ended stand."""
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
    "quarter_of re record_id same same_person share stdev time timedelta timezone total warning "
    "week_start words".split()
)
"""Names that every query and every constraint finds there (`prelude.py`)."""

RESERVED_DOMAINS = RESERVED_AT_TOP | GIVEN | frozenset({"rows", "moment", "query_of_the_user"})
"""Names that a domain must not have: in a query a domain is a name beside these."""


def check_name(name: str, what: str, *, reserved: frozenset[str] = RESERVED_AT_TOP) -> None:
    """Refuse a name that is no plain ASCII identifier or that hides something; names are how text could become code."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name, re.ASCII):
        raise Refused(f"{what} {name!r}: needs an ASCII identifier of 1 to 63 characters without leading underscore")
    if name in reserved or (reserved is not RESERVED and (name.startswith("uac_") or "__" in name)):
        raise Refused(f"{what} {name!r}: is reserved in Python or in the project, needs another name")


def check_type(type_: Type) -> None:
    """Refuse a type that could not be rendered or whose rules contradict each other."""
    where = f"type {type_.full_name}"
    check_name(type_.domain, "domain", reserved=RESERVED_DOMAINS)
    check_name(type_.name, "type")
    if type_.domain != type_.domain.lower():
        raise Refused(f"domain {type_.domain!r}: needs lower case")
    if "__" in type_.domain or type_.domain.startswith("rows_") or type_.domain.endswith("_"):
        raise Refused(f"domain {type_.domain!r}: needs a name without '__', 'rows_' before or '_' behind")
    if not type_.name[0].isupper():
        raise Refused(f"{where}: needs a name that starts with a capital letter")
    check_name(type_.collected_as, f"{where}: collection")
    if type_.collected_as.startswith("former_"):
        raise Refused(
            f"{where}: collection {type_.collected_as!r}: needs a name without 'former_', where the ended stand"
        )
    if type_.collected_as == type_.name:
        raise Refused(f"{where}: the collection needs another name than the type")
    if not type_.fields:
        raise Refused(f"{where}: has no fields, needs at least one")
    names = [field.name for field in type_.fields]
    for field in type_.fields:
        check_name(field.name, f"{where}: field", reserved=RESERVED)
        if names.count(field.name) > 1:
            raise Refused(f"{where}: field {field.name!r} stands twice")
        parsed = parse_type(field.type, where=f"{where}: field {field.name}")
        if field.policy == "union" and parsed.kind != "list":
            raise Refused(f"{where}: field {field.name} has policy union, needs a list type")
        if field.name in type_.key and (parsed.optional or parsed.kind in ("list", "float", "Money")):
            raise Refused(f"{where}: key field {field.name} is {field.type}, needs a plain type that is always there")
    for name in type_.key:
        if name not in names:
            raise Refused(f"{where}: key field {name!r} is not among its fields")
    if type_.cardinality == "many" and not type_.key:
        raise Refused(f"{where}: is many, needs a key that tells its records apart (or make it an event)")


def parse_type(text: str, *, where: str = "field type") -> FieldType:
    """The type a text stands for. The text is read as a Python expression and never evaluated."""
    wanted = (
        "needs str, int, float, bool, Decimal, Money, date, datetime, time, timedelta, Literal['a', 'b'], "
        "domain.Type, list[…] or … | None"
    )
    if len(text) > 2000:
        raise Refused(f"{where}: the type has {len(text)} characters, {wanted}")
    parsed = _parse_type_text(text)
    if parsed is None:
        raise Refused(f"{where}: {text!r} is no type, {wanted}")
    return parsed


@lru_cache(maxsize=4096)
def _parse_type_text(text: str) -> FieldType | None:
    try:
        return _type_of_node(expression_tree(text).body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _type_of_node(node: ast.expr) -> FieldType | None:
    match node:
        case ast.Name(id=name) if name in _SCALARS:
            return FieldType(name)  # type: ignore[arg-type]  # _SCALARS are kinds
        case ast.Attribute(value=ast.Name(id=domain), attr=name):
            return FieldType("ref", ref=f"{domain}.{name}")
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            inner = _type_of_node(left)
            return replace(inner, optional=True) if inner and not inner.optional else None
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            inner = _type_of_node(item)
            return FieldType("list", item=inner) if inner and not inner.optional and inner.kind != "list" else None
        case ast.Subscript(value=ast.Name(id="Literal"), slice=choices):
            items = choices.elts if isinstance(choices, ast.Tuple) else [choices]
            texts = tuple(
                item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)
            )
            fits = len(texts) == len(items) == len(set(texts)) and all(text.isprintable() and text for text in texts)
            return FieldType("choice", choices=texts) if fits and texts else None
    return None


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T.+", re.ASCII)
_TIME = re.compile(r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?", re.ASCII)
_DURATION = re.compile(
    r"(-?)P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,6})?)S)?)?", re.ASCII
)
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)
_AMOUNT = re.compile(r"-?\d{1,24}(\.\d{1,12})?", re.ASCII)


Form = TypeVar("Form")


class _MisfitError(ValueError):
    """What was needed instead."""


def parse_value(raw: Json, type_: FieldType) -> Typed:
    """The value that JSON stands for in a field of that type; ValueError says what was needed."""
    if raw is None:
        if type_.optional:
            return None
        raise _MisfitError(f"is null, needs {type_}")
    takes, read = _READERS[type_.kind]
    # True is an int to isinstance, but no number to a person.
    if isinstance(raw, takes) and (type(raw) is not bool or type_.kind == "bool"):
        return read(raw, type_)
    raise _misfit_error(raw, type_)


EARLIEST = date(1000, 1, 1)
LATEST = date(2999, 12, 31)
LONGEST = timedelta(days=364_877)
"""999 years: a date within the bounds can be moved by it in either direction and still be a date."""

LARGEST = 10**15
"""No Decimal, Money or float reaches it: sums, products and roundings of such numbers stay exact enough to rely on."""

MAX_TEXT = 20_000
"""Characters of one text, or of all texts of a list: constraints that look for words in it stay within their time."""

MAX_ITEMS = 1_000
"""Items of one list."""


def check_bounds(value: Typed, type_: FieldType) -> None:
    """Refuse a new value that constraints could not compute with; ValueError says what to do instead.

    A change that is replayed is not checked: what a log holds from before these bounds stays accepted.
    """
    if isinstance(value, tuple):
        assert type_.item is not None
        if len(value) > MAX_ITEMS:
            raise _MisfitError(f"has {len(value):,} items, needs at most {MAX_ITEMS:,}; make each a record of its own")
        for item in value:
            check_bounds(item, type_.item)
        _check_length("".join([item for item in value if isinstance(item, str)]))
    elif isinstance(value, str):
        _check_text(value, type_)
    elif isinstance(value, date):  # a datetime is a date, too
        day = value.date() if isinstance(value, datetime) else value
        if not EARLIEST <= day <= LATEST:
            instead = (
                "leave the field out if it never comes or nobody knows it"
                if type_.optional
                else "state one that is certain"
            )
            raise _MisfitError(f"is {value.isoformat()}, needs a date from {EARLIEST} to {LATEST}; {instead}")
    elif isinstance(value, timedelta):
        if abs(value) > LONGEST:
            raise _MisfitError(f"is {_duration_text(value)}, needs at most 999 years (P{LONGEST.days}D)")
    elif isinstance(value, Decimal | float | Money):
        number = value.amount if isinstance(value, Money) else value
        if not -LARGEST < number < LARGEST:
            raise _MisfitError(f"is {_short_repr(str(value))}, needs a number below 10**15 (a quadrillion) in size")


def _check_text(text: str, type_: FieldType) -> None:
    if type_.kind != "str":  # one of the choices, or the key of a record that exists
        return
    if is_blank(text):
        instead = "leave the field out if nothing is known" if type_.optional else "state what is known"
        raise _MisfitError(f"is {_short_repr(text)}, needs text with visible characters; {instead}")
    _check_length(text)


def _check_length(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise _MisfitError(
            f"has {len(text):,} characters, needs at most {MAX_TEXT:,}; add the whole text as an observation and put "
            "a summary here"
        )


def is_blank(text: str) -> bool:
    """Whether nobody sees anything of the text: spaces, control and format characters, fillers."""
    if text.isascii() and text.isprintable():
        return not text.strip()
    return all(unicodedata.category(one) in _HIDDEN or _INVISIBLE.match(one) for one in text)


_HIDDEN = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf", "Cs"))
"""Categories of spaces, control and format characters."""

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks that show nothing: fillers, the blank of Braille, variation selectors."""


def stripped(value: Typed) -> Typed:
    """The value without spaces around its texts."""
    if isinstance(value, str):
        return value.strip()
    return tuple([stripped(item) for item in value]) if isinstance(value, tuple) else value


def dump_value(value: Typed) -> Json:
    """The JSON that parse_value takes back."""
    match value:
        case Money():
            return str(value)
        case Decimal():
            return _decimal_text(value)
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return _duration_text(value)
        case tuple() | list():
            try:
                return [dump_value(item) for item in value]
            except RecursionError:
                raise Refused("a value nests too deeply; use a list of plain values") from None
        case _:
            return value


def nests_deeper(value: Json, most: int = MOST_NESTING) -> bool:
    """Whether lists and objects stand inside of each other more than `most` deep."""
    level: list[Json] = [value]
    for _ in range(most + 1):
        holders = [each for each in level if isinstance(each, list | tuple | dict)]
        if not holders:
            return False
        level = [item for each in holders for item in (each.values() if isinstance(each, dict) else each)]
    return True


def folded(text: str) -> str:
    """The text as keys compare it: without letter case and extra spaces."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


@lru_cache(maxsize=4096)
def collection_name(name: str, cardinality: Cardinality) -> str:
    """The name of a type's collection: `LeaseNotice` gives `lease_notices`, or `lease_notice` if there is only one."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    if cardinality == "one":
        return snake
    if re.search(r"[^aeiou]y$", snake):
        return snake[:-1] + "ies"
    return snake + ("es" if re.search(r"(s|x|z|ch|sh)$", snake) else "s")


def _decimal_text(number: Decimal) -> str:
    """The number without an exponent, as it is read; one that no field takes is not written out."""
    return f"{number:f}" if abs(number.adjusted()) < 100 else str(number)


def _read_as_is(raw: Json, _type: FieldType) -> Typed:
    value: Typed = raw
    return value


def _read_int(raw: Json, _type: FieldType) -> int:
    number: int = raw
    if not -(2**63) <= number < 2**63:
        raise _MisfitError("is a number of more than 18 digits, needs a smaller one (or the type Decimal or str)")
    return number


def _read_float(raw: Json, _type: FieldType) -> float:
    try:
        number = float(raw)
    except OverflowError:
        number = float("inf")
    if number - number != 0:
        raise _MisfitError(f"is {_short_repr(raw)}, needs a finite number")
    return number


def _read_decimal(raw: Json, _type: FieldType) -> Decimal:
    return _parse_decimal(str(raw))


def _read_money(raw: Json, type_: FieldType) -> Money:
    if isinstance(raw, str):
        amount, _space, currency = raw.partition(" ")
        return _parse_money(amount, currency)
    if raw.keys() != {"amount", "currency"}:
        raise _misfit_error(raw, type_)
    return _parse_money(str(raw["amount"]), str(raw["currency"]))


def _read_date(raw: Json, _type: FieldType) -> date:
    return _parse_with_form(date.fromisoformat, raw, _DATE, "a date that exists, YYYY-MM-DD")


def _read_datetime(raw: Json, _type: FieldType) -> datetime:
    moment = _parse_with_form(datetime.fromisoformat, raw, _MOMENT, "a time such as 2026-03-01T09:30:00+01:00")
    offset = moment.utcoffset()
    if offset is None or offset % timedelta(minutes=1):
        raise _MisfitError(f"is {raw!r}, needs a zone such as +01:00 or Z")
    return moment


def _read_time(raw: Json, _type: FieldType) -> time:
    return _parse_with_form(time.fromisoformat, raw, _TIME, "a time of day, HH:MM")


def _read_duration(raw: Json, _type: FieldType) -> timedelta:
    return _parse_duration(raw)


def _read_choice(raw: Json, type_: FieldType) -> str:
    if raw not in type_.choices:
        raise _MisfitError(f"is {raw!r}, needs one of {', '.join(map(repr, type_.choices))}")
    return str(raw)


def _read_ref(raw: Json, type_: FieldType) -> str:
    if not raw:
        raise _misfit_error(raw, type_)
    return str(raw)


def _read_list(raw: Json, type_: FieldType) -> tuple[Typed, ...]:
    assert type_.item is not None
    return tuple([parse_value(item, type_.item) for item in raw])


_READERS: Mapping[str, tuple[tuple[type, ...], Callable[[Json, FieldType], Typed]]] = {
    "str": ((str,), _read_as_is),
    "bool": ((bool,), _read_as_is),
    "int": ((int,), _read_int),
    "float": ((int, float), _read_float),
    "Decimal": ((int, str), _read_decimal),
    "Money": ((str, dict), _read_money),
    "date": ((str,), _read_date),
    "datetime": ((str,), _read_datetime),
    "time": ((str,), _read_time),
    "timedelta": ((str,), _read_duration),
    "choice": ((str,), _read_choice),
    "ref": ((str,), _read_ref),
    "list": ((list, tuple), _read_list),
}
"""For each kind, what JSON it takes and how that is read. A table, because folding reads every value of a log."""


def _parse_decimal(text: str) -> Decimal:
    if not _AMOUNT.fullmatch(text):
        raise _MisfitError(f"is {_short_repr(text)}, needs a decimal number such as '12.50'")
    return Decimal(text)


def _parse_money(amount: str, currency: str) -> Money:
    if not _CURRENCY.fullmatch(currency) or not _AMOUNT.fullmatch(amount):
        raise _MisfitError(
            f"is {_short_repr(f'{amount} {currency}')}, needs an amount and a currency such as '12.50 EUR'"
        )
    return Money(_parse_decimal(amount), currency)


def _parse_with_form(parse: Callable[[str], Form], raw: str, form: re.Pattern[str], wanted: str) -> Form:
    try:
        if form.fullmatch(raw):
            return parse(raw)
    except ValueError:
        pass
    raise _MisfitError(f"is {_short_repr(raw)}, needs {wanted}")


def _parse_duration(raw: str) -> timedelta:
    found = _DURATION.fullmatch(raw)
    if not found or raw.endswith(("P", "T")):
        raise _MisfitError(f"is {_short_repr(raw)}, needs a duration such as P3D or PT1H30M")
    sign, days, hours, minutes, seconds = found.groups()
    length = timedelta(
        days=int(days or 0),
        hours=int(hours or 0),
        minutes=int(minutes or 0),
        microseconds=int(Decimal(seconds or 0) * 1_000_000),
    )
    return -length if sign else length


def _duration_text(value: timedelta) -> str:
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    seconds = Decimal(value.seconds) + Decimal(value.microseconds) / 1_000_000
    if not seconds:
        return f"{sign}P{value.days}D"
    return f"{sign}P{value.days}DT{seconds.normalize():f}S" if value.days else f"{sign}PT{seconds.normalize():f}S"


def _misfit_error(raw: Json, type_: FieldType) -> _MisfitError:
    return _MisfitError(f"is {_short_repr(raw)}, needs {type_}")


def _short_repr(raw: Json) -> str:
    return shorten(repr(raw), 60)
