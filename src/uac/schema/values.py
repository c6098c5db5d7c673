"""Values of fields: which JSON is a value of which field's type, within which bounds, and how it is written back."""

import re
import sys
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TypeAlias, TypeVar

import msgspec

from uac.errors import Refused
from uac.schema.safe_text import is_blank, shorten
from uac.schema.types import FieldType, Json
from uac.schema.word_caches import word_cache

__all__ = [
    "EARLIEST",
    "LARGEST",
    "LATEST",
    "MAX_TEXT",
    "MOST_NESTING",
    "Money",
    "Typed",
    "check_bounds",
    "dump_value",
    "fold_key",
    "nests_deeper",
    "parse_value",
    "read_day",
    "shared_text",
    "strip_value",
    "value_reader",
]

MOST_NESTING = 100
"""How deep JSON from outside may nest: deeper JSON fails somewhere when it is checked, stored or sent."""


class Money(msgspec.Struct, frozen=True, order=True, gc=False):
    """An amount of one currency."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{_decimal_value_text(self.amount)} {self.currency}"


Typed: TypeAlias = (
    bool | int | float | str | Decimal | Money | date | datetime | time | timedelta | tuple["Typed", ...] | None
)
"""The value of a field."""

_PART_OF_DATE = re.compile(r"\d{4}(-\d\d)?", re.ASCII)
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
    """The value does not fit; the message says what to use instead."""


def parse_value(raw: Json, type_: FieldType) -> Typed:
    """Read JSON as a value of that type. ValueError says what to use instead."""
    if raw is None:
        if type_.optional:
            return None
        raise _MisfitError(f"is null. Use a value of type {type_}.")
    takes, read = _READERS[type_.kind]
    # True is an int to isinstance, but not a number to a person.
    if isinstance(raw, takes) and (type(raw) is not bool or type_.kind == "bool"):
        return read(raw, type_)
    raise _misfit_value_error(raw, type_)


@word_cache(4096)
def value_reader(type_: FieldType) -> Callable[[Json], Typed]:
    """Reads JSON as `parse_value` does, and takes spaces around texts away. Folding reads every value of a log: values
    in their usual form are read without further checks, and `parse_value` decides about all others."""

    def read(raw: Json) -> Typed:
        value = parse_value(raw, type_)
        return strip_value(value) if (type_.item or type_).kind == "str" else value

    def read_text(raw: Json) -> Typed:
        return shared_text(raw.strip()) if type(raw) is str else read(raw)

    def read_choice(raw: Json) -> Typed:
        return shared_text(raw) if type(raw) is str and raw in type_.choices else read(raw)

    def read_bool(raw: Json) -> Typed:
        return raw if type(raw) is bool else read(raw)

    def read_int(raw: Json) -> Typed:
        return raw if type(raw) is int and -(2**63) <= raw < 2**63 else read(raw)

    def read_float(raw: Json) -> Typed:
        return raw if type(raw) is float and raw - raw == 0 else read(raw)

    def read_date(raw: Json) -> Typed:
        if type(raw) is str and len(raw) == 10 and raw[4] == raw[7] == "-":
            try:
                return read_day(raw)
            except ValueError:
                pass
        return read(raw)

    def read_list(raw: Json) -> Typed:
        return tuple([read_item(item) for item in raw]) if type(raw) is list else read(raw)

    read_item = value_reader(type_.item) if type_.item is not None else read
    usual: Mapping[str, Callable[[Json], Typed]] = {
        "str": read_text,
        "choice": read_choice,
        "bool": read_bool,
        "int": read_int,
        "float": read_float,
        "date": read_date,
        "list": read_list,
    }
    return usual.get(type_.kind, read)


SHORT = 16


def shared_text(text: str) -> str:
    """The text as one object, if it is short: choices, tags and currencies are often the same."""
    return sys.intern(text) if len(text) <= SHORT else text


@word_cache(4096)
def read_day(text: str) -> date:
    """The day of an ISO text. Records are often of the same days, and share them."""
    return date.fromisoformat(text)


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

    A replayed change is not checked: values stored before these bounds existed stay accepted.
    """
    if isinstance(value, tuple):
        assert type_.item is not None
        if len(value) > MAX_ITEMS:
            raise _MisfitError(f"has {len(value):,} items; at most {MAX_ITEMS:,} are allowed. Make each a record.")
        for item in value:
            check_bounds(item, type_.item)
        _check_value_length("".join([item for item in value if isinstance(item, str)]))
    elif isinstance(value, str):
        _check_text_value(value, type_)
    elif isinstance(value, date):  # a datetime is a date, too
        day = value.date() if isinstance(value, datetime) else value
        if not EARLIEST <= day <= LATEST:
            instead = (
                "leave the field out if the date is unknown or never comes"
                if type_.optional
                else "give one that is certain"
            )
            raise _MisfitError(f"is {value.isoformat()}. Use a date from {EARLIEST} to {LATEST}; {instead}.")
    elif isinstance(value, timedelta):
        if abs(value) > LONGEST:
            raise _MisfitError(f"is {_duration_value_text(value)}. Use at most 999 years (P{LONGEST.days}D).")
    elif isinstance(value, Decimal | float | Money):
        number = value.amount if isinstance(value, Money) else value
        if not -LARGEST < number < LARGEST:
            raise _MisfitError(
                f"is {_short_value_repr(str(value))}. Use a number below 10**15 (a quadrillion) in size."
            )


def _check_text_value(text: str, type_: FieldType) -> None:
    if type_.kind != "str":  # one of the choices, or the key of a record that exists
        return
    if is_blank(text):
        instead = "Leave the field out if nothing is known." if type_.optional else "Say what is known."
        raise _MisfitError(f"is {_short_value_repr(text)}, which has no visible characters. {instead}")
    _check_value_length(text)


def _check_value_length(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise _MisfitError(
            f"has {len(text):,} characters; at most {MAX_TEXT:,} are allowed. Add the whole text as an observation and "
            "put a summary here."
        )


def strip_value(value: Typed) -> Typed:
    """The value without spaces around its texts."""
    if isinstance(value, str):
        return value.strip()
    return tuple([strip_value(item) for item in value]) if isinstance(value, tuple) else value


def dump_value(value: Typed, *, in_seconds: bool = False) -> Json:
    """The JSON that parse_value takes back. With `in_seconds`, durations are in days and seconds, as in keys."""
    match value:
        case Money():
            return str(value)
        case Decimal():
            return _decimal_value_text(value)
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return _duration_in_seconds(value) if in_seconds else _duration_value_text(value)
        case tuple() | list():
            try:
                return [dump_value(item, in_seconds=in_seconds) for item in value]
            except RecursionError:
                raise Refused("A value nests too deeply. Use a list of plain values.") from None
        case _:
            return value


def nests_deeper(value: Json, most: int = MOST_NESTING) -> bool:
    """Whether lists and objects are nested more than `most` deep."""
    level: list[Json] = [value]
    for _ in range(most + 1):
        holders = [each for each in level if isinstance(each, list | tuple | dict)]
        if not holders:
            return False
        level = [item for each in holders for item in (each.values() if isinstance(each, dict) else each)]
    return True


def fold_key(text: str) -> str:
    """The text as keys are compared: without letter case and extra spaces."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _decimal_value_text(number: Decimal) -> str:
    """The number without an exponent, as it is read; one that no field takes is not written out."""
    return f"{number:f}" if abs(number.adjusted()) < 100 else str(number)


def _read_plain_value(raw: Json, _type: FieldType) -> Typed:
    value: Typed = raw
    return value


def _read_int_value(raw: Json, _type: FieldType) -> int:
    number: int = raw
    if not -(2**63) <= number < 2**63:
        raise _MisfitError("is a number of more than 18 digits. Use a smaller one, or the type Decimal or str.")
    return number


def _read_float_value(raw: Json, _type: FieldType) -> float:
    try:
        number = float(raw)
    except OverflowError:
        number = float("inf")
    if number - number != 0:
        raise _MisfitError(f"is {_short_value_repr(raw)}. Use a finite number.")
    return number


def _read_decimal_value(raw: Json, _type: FieldType) -> Decimal:
    return _parse_decimal_value(str(raw))


def _read_money_value(raw: Json, type_: FieldType) -> Money:
    if isinstance(raw, str):
        amount, _space, currency = raw.partition(" ")
        return _parse_money_value(amount, currency)
    if raw.keys() != {"amount", "currency"}:
        raise _misfit_value_error(raw, type_)
    return _parse_money_value(str(raw["amount"]), str(raw["currency"]))


def _read_date_value(raw: Json, _type: FieldType) -> date:
    is_part = _PART_OF_DATE.fullmatch(raw) is not None
    wanted = "a whole day, YYYY-MM-DD, or leave the field out" if is_part else "a date that exists, YYYY-MM-DD"
    return _parse_formatted_value(date.fromisoformat, raw, _DATE, wanted)


def _read_datetime_value(raw: Json, _type: FieldType) -> datetime:
    moment = _parse_formatted_value(datetime.fromisoformat, raw, _MOMENT, "a time such as 2026-03-01T09:30:00+01:00")
    offset = moment.utcoffset()
    if offset is None or offset % timedelta(minutes=1):
        raise _MisfitError(f"is {raw!r}. Add a zone such as +01:00 or Z.")
    return moment


def _read_time_value(raw: Json, _type: FieldType) -> time:
    return _parse_formatted_value(time.fromisoformat, raw, _TIME, "a time of day, HH:MM")


def _read_duration_value(raw: Json, _type: FieldType) -> timedelta:
    return _parse_duration_value(raw)


def _read_choice_value(raw: Json, type_: FieldType) -> str:
    if raw not in type_.choices:
        raise _MisfitError(f"is {raw!r}. Use one of {', '.join(map(repr, type_.choices))}.")
    return str(raw)


def _read_ref_value(raw: Json, type_: FieldType) -> str:
    if not raw:
        raise _misfit_value_error(raw, type_)
    return str(raw)


def _read_list_value(raw: Json, type_: FieldType) -> tuple[Typed, ...]:
    assert type_.item is not None
    return tuple([parse_value(item, type_.item) for item in raw])


_READERS: Mapping[str, tuple[tuple[type, ...], Callable[[Json, FieldType], Typed]]] = {
    "str": ((str,), _read_plain_value),
    "bool": ((bool,), _read_plain_value),
    "int": ((int,), _read_int_value),
    "float": ((int, float), _read_float_value),
    "Decimal": ((int, str), _read_decimal_value),
    "Money": ((str, dict), _read_money_value),
    "date": ((str,), _read_date_value),
    "datetime": ((str,), _read_datetime_value),
    "time": ((str,), _read_time_value),
    "timedelta": ((str,), _read_duration_value),
    "choice": ((str,), _read_choice_value),
    "ref": ((str,), _read_ref_value),
    "list": ((list, tuple), _read_list_value),
}
"""For each kind, the JSON types it accepts and its reader. A table, because folding reads every value of a log."""


def _parse_decimal_value(text: str) -> Decimal:
    if not _AMOUNT.fullmatch(text):
        raise _MisfitError(f"is {_short_value_repr(text)}. Use a decimal number such as '12.50'.")
    return Decimal(text)


def _parse_money_value(amount: str, currency: str) -> Money:
    if not _CURRENCY.fullmatch(currency) or not _AMOUNT.fullmatch(amount):
        raise _MisfitError(
            f"is {_short_value_repr(f'{amount} {currency}'.strip())}. Use an amount and a currency such as '12.50 EUR'."
        )
    return Money(Decimal(amount), shared_text(currency))


def _parse_formatted_value(parse: Callable[[str], Form], raw: str, form: re.Pattern[str], wanted: str) -> Form:
    try:
        if form.fullmatch(raw):
            return parse(raw)
    except ValueError:
        pass
    raise _MisfitError(f"is {_short_value_repr(raw)}. Use {wanted}.")


def _parse_duration_value(raw: str) -> timedelta:
    found = _DURATION.fullmatch(raw)
    if not found or raw.endswith(("P", "T")):
        raise _MisfitError(f"is {_short_value_repr(raw)}. Use a duration such as P3D or PT1H30M.")
    sign, days, hours, minutes, seconds = found.groups()
    length = timedelta(
        days=int(days or 0),
        hours=int(hours or 0),
        minutes=int(minutes or 0),
        microseconds=int(Decimal(seconds or 0) * 1_000_000),
    )
    return -length if sign else length


def _duration_value_text(value: timedelta) -> str:
    """The duration as a person writes it: P3D, PT1H15M."""
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    exact = (Decimal(seconds) + Decimal(value.microseconds) / 1_000_000).normalize()
    parts = ((f"{minutes // 60}", "H"), (f"{minutes % 60}", "M"), (f"{exact:f}", "S"))
    clock = "".join(f"{number}{unit}" for number, unit in parts if number != "0")
    days = f"{value.days}D" if value.days or not clock else ""
    return f"{sign}P{days}{'T' if clock else ''}{clock}"


def _duration_in_seconds(value: timedelta) -> str:
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    seconds = Decimal(value.seconds) + Decimal(value.microseconds) / 1_000_000
    if not seconds:
        return f"{sign}P{value.days}D"
    return f"{sign}P{value.days}DT{seconds.normalize():f}S" if value.days else f"{sign}PT{seconds.normalize():f}S"


def _misfit_value_error(raw: Json, type_: FieldType) -> _MisfitError:
    return _MisfitError(f"is {_short_value_repr(raw)}. Use a value of type {type_}.")


def _short_value_repr(raw: Json) -> str:
    return shorten(repr(raw), 60)
